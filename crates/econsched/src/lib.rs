//! Economic scheduling.
