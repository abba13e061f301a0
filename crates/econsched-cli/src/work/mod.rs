//! Long work that is shared out, stopped and resumed.

pub(crate) mod parts;
