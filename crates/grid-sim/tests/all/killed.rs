//! A simulation whose broker is killed at random inputs, and goes on from its snapshot and its journal as if
//! nothing had happened, with faults of every kind.
#![cfg(feature = "serde")]

use crate::common::{machine, outages_on, span};
use econsched::testkit::Draw;
use grid_sim::*;
use live_broker::{Broker, Config, Entry, MovePolicy, Preemption, Stability};
use sched_model::*;
use slot_window::SearchKind;
use std::collections::BTreeSet;

/// What is on disk: a snapshot, and the entries of the journal since.
struct Disk {
    state: String,
    journal: Vec<String>,
}

/// Kills the broker at some inputs.
struct Killer {
    disk: Option<Disk>,
    /// The numbers of the inputs after which it is killed.
    at: BTreeSet<u64>,
    /// Entries between two snapshots.
    every: usize,
    kills: usize,
}

impl Killer {
    /// After an input, before its decisions are carried out.
    fn watch(&mut self, broker: &mut Broker, entry: &Entry) {
        match &mut self.disk {
            // Before the first snapshot only nodes were added.
            None => self.disk = Some(Disk { state: text(broker), journal: Vec::new() }),
            Some(disk) => disk.journal.push(serde_json::to_string(entry).unwrap()),
        }
        if self.at.contains(&entry.number) {
            self.kill(broker);
        }
        if self.disk.as_ref().is_some_and(|disk| disk.journal.len() >= self.every) {
            self.disk = Some(Disk { state: text(broker), journal: Vec::new() });
        }
    }

    fn kill(&mut self, broker: &mut Broker) {
        let disk = self.disk.as_ref().unwrap();
        let mut restored = Broker::restore(serde_json::from_str(&disk.state).unwrap()).unwrap();
        for line in &disk.journal {
            restored.replay(&serde_json::from_str(line).unwrap()).unwrap();
        }
        // The others were carried out.
        for _ in undone(broker)..undone(&restored) {
            restored.poll();
        }
        let [before, after] = [text(broker), text(&restored)];
        assert!(before == after, "other bytes after input {}", broker.snapshot().inputs());
        assert_eq!(broker.next_wakeup(), restored.next_wakeup());
        self.kills += 1;
        *broker = restored;
    }
}

/// How many decisions were not yet taken over.
fn undone(broker: &Broker) -> usize {
    let state: serde_json::Value = serde_json::from_str(&text(broker)).unwrap();
    state["out"].as_array().unwrap().len()
}

fn text(broker: &Broker) -> String {
    serde_json::to_string(&broker.snapshot()).unwrap()
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
            GridJob::new(job).with_actual_share(0.2 + draw.below(12) as f64 / 10.0).unwrap()
        })
        .collect();
    let station = |id, price| (SiteId(id), format!("site {id}"), machine(id, 4, 1, price));
    let grid = LiveGrid::new(vec![station(0, 1), station(1, 3)])
        .with_outages(outages_on(&[4, 4], 24, draw))
        .with_cancellations(
            (0..9_u32).map(|at| (Time::must(100.0 * f64::from(at)), JobId(13 * u64::from(at)))).collect(),
        )
        .with_time_up(TimeUp::GoOn);
    let config = Config::new(span(2000))
        .with_search(SearchKind::MinFinish)
        .with_stability(Stability::new(MovePolicy::NotLater))
        .with_preemption(Preemption::new(span(5)));
    let calm = grid.run(&jobs, config.clone()).unwrap();
    let (kills, mut at) = (200, BTreeSet::new());
    while at.len() < kills {
        at.insert(1 + draw.below(calm.inputs as usize - 1) as u64);
    }
    let mut killer = Killer { disk: None, at, every: 17, kills: 0 };
    let watch = &mut |broker: &mut Broker, entry: &Entry| killer.watch(broker, entry);
    let killed = grid.run_watched(&jobs, config, &mut Limit::none().meter(), watch).unwrap();
    assert_eq!(killer.kills, kills);
    assert_eq!(killed, calm);
}
