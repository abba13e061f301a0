//! The worked example of V. Toporkov et al. (ICCS 2011), section 4, from the scenario beside the paper's page.
//!
//! The text gives: six nodes of equal speed (cpu1 to cpu6), seven local tasks, ten slots (numbered 0 to 9); the price
//! 12 of cpu6; three jobs (2 nodes for 80 at 10 together; 3 for 30 at 30; 2 for 50 at 6); the first windows W1 on
//! cpu1 and cpu4 during [150, 230) at 10 together, W2 on cpu1, cpu2 and cpu4 at 14 together, W3 during [450,
//! 500); earlier windows for job 1 are too expensive; AMP finds eight alternatives with cpu6, ALP none,
//! because its limit for job 2 is 10 per slot.
//!
//! From this follow the prices 10 of cpu1 and cpu4 together and 4 of cpu2. The rest is not in the text and
//! reconstructed so that all of the above holds: the horizon, the prices of cpu1 and cpu4 one by one, those of cpu3
//! and cpu5, where the local tasks lie, the nodes of W3, and so the windows after the first round. The limit on a
//! window's cost per time is N times a limit per slot, as ALP applies it, and as AMP derives its budget from it.

use sched_model::*;
use serde::Deserialize;
use slot_window::{Alp, AlternativesSearch, Amp, WindowQuery, WindowSearch};

#[derive(Deserialize)]
struct Scenario {
    horizon: Time,
    nodes: Vec<Node>,
    occupied: Vec<Occupied>,
    jobs: Batch,
}

fn example() -> (SlotList, Batch) {
    let text = include_str!("../../../../docs/papers/section4.json");
    let Scenario { horizon, nodes, occupied, jobs } = serde_json::from_str(text).unwrap();
    (SlotList::from_nodes(&nodes, &occupied, Time::ZERO, horizon).unwrap(), jobs)
}

/// The alternatives of each job.
fn alternatives(search: impl WindowSearch) -> Vec<JobWindows> {
    let (slots, batch) = example();
    AlternativesSearch::new(search).find(&slots, &batch, Time::ZERO).unwrap().jobs
}

fn nodes(window: &Window) -> Vec<u32> {
    window.nodes().map(|node| node.0).collect()
}

fn cost_per_time(window: &Window) -> f64 {
    window.placements().iter().map(|placement| placement.price.get()).sum()
}

#[test]
fn windows_are_those_of_the_text() {
    let (slots, batch) = example();
    assert_eq!(slots.len(), 10);
    let (amp, alp) = (alternatives(Amp::new()), alternatives(Alp));
    let [w1, w2, w3] = [0, 1, 2].map(|job: usize| &amp[job].windows[0]);
    assert_eq!((nodes(w1), cost_per_time(w1)), (vec![1, 4], 10.0));
    assert_eq!((w1.start(), w1.finish()), (Time::must(150.0), Time::must(230.0)));
    assert_eq!((nodes(w2), cost_per_time(w2)), (vec![1, 2, 4], 14.0));
    assert_eq!((w3.start(), w3.finish()), (Time::must(450.0), Time::must(500.0)));
    let on_cpu6 = |jobs: &[JobWindows]| {
        jobs.iter().flat_map(|of| &of.windows).filter(|window| nodes(window).contains(&6)).count()
    };
    assert_eq!((on_cpu6(&amp), on_cpu6(&alp)), (8, 0));
    // Without a limit there are earlier windows for job 1, but too expensive ones.
    let mut unlimited = batch.iter().next().unwrap().request.clone();
    unlimited.price_limit = None;
    let window = Amp::new().find(&WindowQuery::new(&slots, &unlimited)).unwrap().best.unwrap();
    assert!(window.start() < w1.start() && cost_per_time(&window) > 10.0);
}

/// Computed by hand along the scan.
#[test]
fn every_alternative_of_the_reconstruction() {
    let expected: [&[(f64, &[u32])]; 3] = [
        &[(150.0, &[1, 4]), (260.0, &[1, 2]), (340.0, &[1, 2]), (420.0, &[2, 4])],
        &[
            (230.0, &[1, 2, 4]),
            (300.0, &[4, 5, 6]),
            (330.0, &[4, 5, 6]),
            (360.0, &[4, 5, 6]),
            (390.0, &[4, 5, 6]),
            (420.0, &[1, 5, 6]),
            (500.0, &[2, 5, 6]),
            (530.0, &[2, 5, 6]),
            (560.0, &[2, 5, 6]),
        ],
        &[(450.0, &[1, 3]), (500.0, &[1, 3]), (550.0, &[1, 3])],
    ];
    for (found, expected) in alternatives(Amp::new()).iter().zip(expected) {
        let found = found.windows.iter().map(|window| (window.start().get(), nodes(window)));
        let expected = expected.iter().map(|&(start, nodes)| (start, nodes.to_vec()));
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
}
