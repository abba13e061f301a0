//! A simulation whose broker is killed at random inputs, and goes on from its snapshot and its journal as if
//! nothing had happened, with faults of every kind.
#![cfg(feature = "serde")]

use crate::common::{outages_on, resource, span};
use econsched::testkit::Draw;
use grid_sim::*;
use live_broker::{Broker, Config, Entry, MovePolicy, Preemption, Stability};
use sched_model::*;
use slot_window::SearchKind;

/// How many decisions were not yet taken over.
fn undone(broker: &Broker) -> usize {
    let state: serde_json::Value = serde_json::from_str(&text(broker)).unwrap();
    state["out"].as_array().unwrap().len()
}

fn text(broker: &Broker) -> String {
    serde_json::to_string(broker).unwrap()
}

/// A small machine with two prices: early ends, overruns, outages, cancellations, preemption, moves. Every byte of
/// state is the same at each kill as before it, and what becomes of the jobs is as if there had been none.
#[test]
fn a_small_grid_survives_its_killers() {
    let draw = &mut Draw::new(5, 0);
    let jobs: Vec<GridJob> = (0..120)
        .map(|id| {
            let work = Work::must(draw.between(5, 89) as f64);
            let job = Job::new(JobId(id), ResourceRequest::new(draw.between(1, 5), work).unwrap())
                .with_submit(Time::must(draw.below(900) as f64))
                .with_priority(Priority::must(draw.between(1, 2) as f64));
            GridJob::from(job).with_actual_share(0.2 + draw.below(12) as f64 / 10.0)
        })
        .collect();
    let outages = outages_on(&[4, 4], 24, draw);
    let cancelled = (0..9_u32).map(|at| (Time::must(100.0 * f64::from(at)), JobId(13 * u64::from(at))));
    let grid = Grid::new(vec![resource(0, 4, 1, 1), resource(1, 4, 1, 3)])
        .with_faults(Faults { outages, cancellations: cancelled.collect() })
        .with_overrun(Overrun::Extend(span(1)));
    let config = Config::new(span(2000))
        .with_search(SearchKind::MinFinish)
        .with_stability(Stability::new(MovePolicy::NotLater))
        .with_preemption(Preemption { least_run: span(5), delay: Span::ZERO });
    let calm = grid.run_live(&jobs, config.clone(), &mut Limit::none().meter()).unwrap();
    // On disk: a snapshot, the first before any job came, and the entries of the journal since.
    let (mut state, mut journal, mut kills, mut inputs) = (None, Vec::new(), 0, 0);
    let watch = &mut |broker: &mut Broker, entry: &Entry| {
        inputs += 1;
        match &state {
            None => state = Some(text(broker)),
            Some(_) => journal.push(serde_json::to_string(entry).unwrap()),
        }
        // After an input, before its decisions are carried out.
        if draw.chance(30) {
            let mut restored: Broker = serde_json::from_str(state.as_ref().unwrap()).unwrap();
            for line in &journal {
                restored.replay(&serde_json::from_str(line).unwrap()).unwrap();
            }
            // The others were carried out.
            for _ in undone(broker)..undone(&restored) {
                restored.poll();
            }
            assert!(text(broker) == text(&restored), "other bytes after input {}", entry.number);
            assert_eq!(broker.next_wakeup(), restored.next_wakeup());
            kills += 1;
            *broker = restored;
        }
        if journal.len() >= 17 {
            state = Some(text(broker));
            journal.clear();
        }
    };
    let killed = grid.run_live_watched(&jobs, config, &mut Limit::none().meter(), watch).unwrap();
    assert!(kills > 150, "{kills} of {inputs}");
    assert_eq!(killed.inputs, inputs);
    assert_eq!(killed, calm);
}
