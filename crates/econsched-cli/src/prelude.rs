//! Names that most modules use.

pub(crate) use crate::error::{CliError, Place};
pub(crate) use crate::flags::{Given, MOST, count, flags, gap, names, number_in, quantity};
pub(crate) use crate::output::terminal::{Columns, TextColumn, number, span_text};
pub(crate) use crate::output::{files, terminal};
pub(crate) use econsched::prelude::*;
pub(crate) use econsched::sched_model::internal::counted;
pub(crate) use econsched::sched_model::{Machine, SiteId};
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::fmt::Write as _;
pub(crate) use std::path::{Path, PathBuf};
