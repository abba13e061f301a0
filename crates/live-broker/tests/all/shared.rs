//! What the searches of a cycle share saves work and changes no decision.

use crate::common::{Driver, at, request};
use live_broker::*;
use sched_model::*;
use slot_window::SearchKind;

/// Drawn histories, with many jobs in each cycle.
#[cfg(feature = "serde")]
#[test]
fn searches_that_share_what_they_know_decide_as_each_alone() {
    use crate::histories::{Case, case::Step, lived};
    use econsched::testkit::{Anew, Draw};
    use slot_window::WindowSearch;
    use std::sync::Arc;

    let kinds = [
        SearchKind::Amp,
        SearchKind::Alp,
        SearchKind::FirstFit,
        SearchKind::MinStart,
        SearchKind::MinCost,
        SearchKind::MinFinish,
    ];
    // In lists as short as these one search may take more work than alone; all that can share take less.
    let (mut shared, mut in_vain) = ([0, 0], 0);
    for (number, kind) in (0..1200).zip(kinds.iter().cycle()) {
        let mut case = Case::drawn(&mut Draw::new(1, number));
        case.config = case.config.with_search(*kind).with_work(100_000_000);
        case.config.preemption = None;
        let mut wakes = 0..;
        case.steps.retain(|step| match step {
            Step::Tell(Input::Wake) => wakes.next().is_some_and(|number| number % 4 == 3),
            Step::WakeUntil(_) | Step::Restore | Step::Damage(_) | Step::Explain(..) => false,
            _ => true,
        });
        let run = |search: Arc<dyn WindowSearch>| lived(&case, |broker| broker.with_search(search)).unwrap();
        let search: Arc<dyn WindowSearch> = kind.build().into();
        let Some(together) = run(Arc::clone(&search)) else { continue };
        let alone = run(Arc::new(Anew(Arc::clone(&search)))).unwrap();
        assert_eq!(together.decisions, alone.decisions, "{kind} {number}");
        let work = [&together, &alone]
            .map(|run| run.journal.iter().filter_map(|entry| Some(entry.cycle.as_ref()?.work)).sum::<u64>());
        if search.starts_are_monotone() {
            shared = [shared[0] + work[0], shared[1] + work[1]];
        } else {
            // For other searches, no earliest start can be shared.
            assert_eq!(work[0], work[1], "{kind} {number}");
        }
        // What was searched for in vain has no window by a search that knows nothing of others, either.
        if case.config.goal.is_some() || case.config.stability.policy != MovePolicy::Never {
            continue;
        }
        for &job in together.broker.last_cycle().iter().flat_map(|note| &note.without_window) {
            let Ok(why) = together.broker.explain(job) else { continue };
            assert!(matches!(why.why, Why::None(_)), "{kind} {number}: job {job} {why}");
            in_vain += 1;
        }
    }
    assert!(shared[0] < shared[1] && in_vain > 100, "{shared:?} {in_vain}");
}

/// Node 2 is cheap, and free from 50 to 60 only. That job 1 gets it tells nothing of job 2, which asks for the
/// same: the other node is as cheap at any time, and free at once.
#[test]
fn where_starts_are_not_monotone_a_start_tells_nothing_of_others() {
    let config = Config::new(Span::must(1000.0)).with_search(SearchKind::MinCost);
    let mut driver = Driver::new(config, &[10.0, 1.0]);
    for (from, until) in [(0.0, 50.0), (60.0, 1e6)] {
        driver.tell(0.0, Input::Blocked { node: NodeId(2), from: at(from), until: at(until) });
    }
    for id in [1, 2] {
        driver.submit(0.0, id, request(1, 10.0));
    }
    driver.wake(0.0);
    assert_eq!([1, 2].map(|id| (driver.node_of(id), driver.start_of(id))), [(2, 50.0), (1, 0.0)]);
}
