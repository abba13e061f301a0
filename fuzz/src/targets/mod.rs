//! The targets, one file each.

mod assign;
mod assign_stops;
mod broker;
mod choice;
mod conflict;
mod convert;
mod demands;
mod huge;
mod joint;
mod large;
mod limits;
mod living;
mod mapping;
mod plans;
mod priced;
mod profile;
mod program;
mod queue;
mod selection;
mod service;
mod slot_list;
mod stopped;
mod stops;
mod subset;
mod swf;
mod tariff;
mod threads;
mod user_service;
mod warm;
mod window;
mod written;
mod written_runs;

use crate::target::Entry;

pub(crate) const ALL: &[Entry] = &[
    Entry::of::<subset::Subsets>("subset", 100, "every subset solver, against all subsets"),
    Entry::of::<tariff::Tariffs>("tariff", 400, "charges of decimals, against whole numbers"),
    Entry::of::<window::Windows>("window", 40, "every window search, against all windows"),
    Entry::of::<window::Batches>("batch", 20, "alternatives and plan of a batch, by the checker"),
    Entry::of::<choice::Choices>("choice", 60, "every chooser and the front, against all choices"),
    Entry::of::<service::Services>(
        "service",
        40,
        "batches that need not be served whole, against all choices",
    ),
    Entry::of::<service::Budgets>("purses", 40, "budgets of users, against all choices"),
    Entry::of::<user_service::UserServices>(
        "user-service",
        20,
        "batches served in part within budgets of users, from known choices, against all choices",
    ),
    Entry::of::<plans::Plans>(
        "plans",
        20,
        "plans under all that a planner is asked for at once, whole and stopped, against all choices",
    ),
    Entry::of::<conflict::Conflicts>("conflict", 40, "alternatives that conflict, against all choices"),
    Entry::of::<priced::Priced>("priced", 40, "windows under prices of node-time, against all windows"),
    Entry::of::<joint::JointPlans>("joint", 4, "joint plans and their bounds, against all plans"),
    Entry::of::<threads::Threads>("threads", 1, "joint plans on several threads, against one"),
    Entry::of::<limits::Limits>("limits", 4, "searches stopped by limits and signals, against longer ones"),
    Entry::of::<stops::Searches>(
        "stops",
        4,
        "priced searches, fronts, repeated searches, replays, joint plans and assignments on threads, stopped",
    ),
    Entry::of::<stopped::Stopped>(
        "stopped",
        20,
        "every window search under tariffs and demands, stopped anywhere: by the checker, nothing worse",
    ),
    Entry::of::<assign::Assignments>(
        "assign",
        60,
        "every assigner and the verifier, against all assignments",
    ),
    Entry::of::<assign_stops::Stopped>(
        "assign-stops",
        10,
        "assignments stopped at any work, by memory, by a gap, on threads: rules, bounds, nothing worse",
    ),
    Entry::of::<warm::Again>(
        "warm",
        20,
        "assignments solved again after changes, against solving from nothing",
    ),
    Entry::of::<broker::Histories>(
        "broker",
        4,
        "any inputs of the live broker, quotes, explanations, snapshots whole and damaged, by books and audit",
    ),
    Entry::of::<mapping::Mappings>(
        "mapping",
        60,
        "every mapping heuristic, against its definition step by step",
    ),
    Entry::of::<mapping::Groupings>("grouping", 60, "grouping of small jobs, by its rules"),
    Entry::of::<profile::Profiles>("profile", 60, "profile operations, against a plain list of reservations"),
    Entry::of::<slot_list::SlotLists>("slot-list", 60, "cuts and returns, against plain intervals"),
    Entry::of::<living::Living>("living", 10, "searches on a list after changes, against a list made anew"),
    Entry::of::<queue::Queues>("queue", 40, "local policies on random jobs, by their rules"),
    Entry::of::<convert::Conversions>(
        "convert",
        60,
        "logs of other formats, mutated: read, written, read again",
    ),
    Entry::of::<written::Written>(
        "written",
        40,
        "values written as JSON and read again, as they are and changed somewhere",
    ),
    Entry::of::<written_runs::WrittenRuns>(
        "written-runs",
        4,
        "settings, jobs, records and states of simulations and of the live broker as JSON, changed somewhere",
    ),
    Entry::of::<swf::Logs>("swf", 60, "workload logs, plain and gzip, mutated"),
    Entry::of::<large::LargeChoices>(
        "large-choice",
        1,
        "choices too large to try: within time, memory and limits",
    ),
    Entry::of::<large::LargeWindows>(
        "large-window",
        1,
        "windows too many to try: within time and memory, by the checker",
    ),
    Entry::of::<large::LargeAssignments>(
        "large-assign",
        1,
        "assignments too large to try: within time and memory, by the verifier",
    ),
    Entry::of::<huge::Huge>(
        "huge",
        1,
        "10^5 jobs, slots and tasks: by the verifier, the checker, bounds and definitions",
    ),
    Entry::of::<program::Programs>(
        "program",
        10,
        "the program on hostile files: ends, with an exit code, and says why",
    ),
];
