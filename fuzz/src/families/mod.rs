//! The families. Those of what one crate has to itself are its tests.

#[path = "../../../crates/auction-assign/tests/all/stopped.rs"]
mod assignments;
#[path = "../../../crates/live-broker/tests/all/histories/mod.rs"]
mod broker;
#[path = "../../../crates/auction-assign/tests/all/changed.rs"]
mod changed;
#[path = "../../../crates/joint-plan/tests/all/conflicts.rs"]
mod conflicts;
#[allow(dead_code)] // that of trade-offs, which a bench also follows
#[path = "../../../crates/grid-heuristics/tests/all/definitions.rs"]
mod definitions;
mod huge;
#[path = "../../../crates/joint-plan/tests/all/joint.rs"]
mod joint;
mod lists;
#[path = "../../../crates/sched-model/tests/all/slot_list/living/mod.rs"]
mod living;
#[path = "../../../crates/grid-heuristics/tests/all/mappings.rs"]
mod mappings;
#[path = "../../../crates/workload-gen/tests/all/parsers.rs"]
mod parsers;
#[path = "../../../crates/batch-dp/tests/all/plans.rs"]
mod plans;
#[path = "../../../crates/slot-window/tests/all/priced_windows.rs"]
mod priced;
#[path = "../../../crates/sched-model/tests/all/profile/plain.rs"]
mod profile;
mod program;
#[path = "../../../crates/batch-dp/tests/all/registered.rs"]
mod registered;
#[path = "../../../crates/slot-window/tests/all/searches.rs"]
mod searches;
#[path = "../../../crates/batch-dp/tests/all/selections.rs"]
mod selections;
#[path = "../../../crates/grid-sim/tests/all/registered.rs"]
mod simulated;
#[path = "../../../crates/slot-window/tests/all/subsets.rs"]
mod subsets;
mod written;

use crate::family::Entry;
use crate::judge::family;

family!(Profiles: profile::Case, profile::Case::draw, profile::Case::judge);

pub(crate) const ALL: &[Entry] = &[
    Entry::of::<searches::Searches>("search", 10, "every search, with tariffs and demands: all windows"),
    Entry::of::<registered::Choosers>("choice", 20, "every chooser: all choices"),
    Entry::of::<changed::Assigners>("assign", 40, "every assigner, changed answers: all assignments"),
    Entry::of::<mappings::Mappings>("mapping", 30, "every mapping heuristic: its definition step by step"),
    Entry::of::<simulated::Policies>("policy", 20, "every local policy: the start of every job"),
    Entry::of::<simulated::Schedulers>("scheduler", 2, "brokers of grids: the records of their jobs"),
    Entry::of::<subsets::Subsets>("subset", 20, "every subset solver: all subsets"),
    Entry::of::<selections::Selections>("selection", 30, "jobs left out, users, fronts, plans: all choices"),
    Entry::of::<assignments::Assignments>("assign-stops", 20, "stops, earlier answers: all assignments"),
    Entry::of::<conflicts::Conflicts>("conflict", 40, "alternatives that conflict: all choices"),
    Entry::of::<priced::PricedSearches>("priced", 20, "windows under prices of node-time: all windows"),
    Entry::of::<joint::JointPlans>("joint", 4, "joint plans and their bounds: all plans"),
    Entry::of::<broker::Histories>("broker", 40, "inputs, quotes, damaged snapshots: books and audit"),
    Entry::of::<Profiles>("profile", 60, "profiles: a plain list of reservations"),
    Entry::of::<lists::Lists>("living", 10, "changes of lists: plain intervals, searches on new lists"),
    Entry::of::<parsers::Logs>("swf", 60, "workload logs, damaged: written and read again"),
    Entry::of::<parsers::Conversions>("convert", 60, "logs of other formats: written and read again"),
    Entry::of::<written::Written>("written", 20, "values and states as JSON, damaged: read again"),
    Entry::of::<huge::Huge>("huge", 1, "10^5 jobs, slots and tasks: verifier, checker, definitions"),
    Entry::of::<program::Programs>("program", 10, "the program on hostile files: ends, and says why"),
];
