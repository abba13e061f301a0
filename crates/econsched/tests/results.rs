//! What the libraries return is copied, compared, printed and written (`serde`), so that a test can expect it and a program
//! can keep it.
#![cfg(all(feature = "full", feature = "serde"))]

use econsched::{
    auction_assign, batch_dp, grid_heuristics, grid_sim, joint_plan, live_broker, sched_model, slot_window,
    workload_gen,
};

fn is_result<T: Clone + PartialEq + std::fmt::Debug + serde::Serialize>() {}

#[test]
fn results_are_values() {
    use sched_model::check::Violation;
    use sched_model::{
        End, Fate, Outcome, Placement, Profile, Proof, Proven, Refusal, Schedule, SlotList, Window,
    };
    is_result::<(End, Fate, Outcome<Window>, Placement, Profile, Proof)>();
    is_result::<(Proven<Window>, Refusal, Schedule, SlotList, Window, Violation)>();

    use slot_window::BatchAlternatives;
    use slot_window::priced::{PricedAnswer, PricedWindow};
    use slot_window::subset::Subset;
    is_result::<(BatchAlternatives, PricedAnswer, PricedWindow, Subset)>();

    use batch_dp::{Choice, Decision, Plan, Point, Problem, Selection};
    is_result::<(Choice, Decision, Plan, Point, Problem, Selection)>();

    is_result::<joint_plan::JointPlan>();

    use live_broker::{
        Answer, CycleNote, Entry, Explanation, NodeCounts, Quotes, Standing, Suggestion, Why, WhyNot,
    };
    is_result::<(Answer, CycleNote, live_broker::Decision, Entry, Explanation)>();
    is_result::<(NodeCounts, Quotes, Standing, Suggestion, Why, WhyNot)>();

    use grid_heuristics::{Grouping, Mapping, MappingFlaw, Reservation, Totals};
    is_result::<(Grouping, Mapping, MappingFlaw, Reservation, Totals)>();

    use auction_assign::{Assignment, Bounded, Certificate, Duals, Flaw, Shortage};
    is_result::<(auction_assign::Answer, Assignment, Bounded, Certificate, Duals, Flaw, Shortage)>();

    use workload_gen::assignment::AssignmentInstance;
    use workload_gen::convert::Conversion;
    use workload_gen::swf::{SwfLog, SwfReport};
    is_result::<(AssignmentInstance, Conversion, SwfLog, SwfReport)>();

    use grid_sim::{
        DispatchOutcome, EventLog, GridBounds, GridOutcome, GridPlace, Holder, JobRecord, LiveOutcome,
    };
    use grid_sim::{LogJobs, Replay, Report, Settled, SiteReport, Started, UserReport};
    is_result::<(
        DispatchOutcome,
        EventLog,
        GridBounds,
        GridOutcome,
        GridPlace,
        Holder,
        JobRecord,
        LiveOutcome,
    )>();
    is_result::<(LogJobs, Replay, Report, Settled, SiteReport, Started, UserReport)>();
    is_result::<grid_sim::multi_s_grid::SystemOutcome>();
}
