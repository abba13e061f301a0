//! The worked example of V. Toporkov, A. Toporkova, A. Bobchenkov, D. Yemelyanov, *Resource Selection
//! Algorithms for Economic Scheduling in Distributed Systems*, 2011, section 4.
//!
//! The text gives: six nodes of equal speed; seven local tasks; ten slots (numbered 0 to 9); the price 12 of
//! cpu6; three jobs (2 nodes for 80 at 10 together; 3 for 30 at 30; 2 for 50 at 6); the first windows W1 on
//! cpu1 and cpu4 during [150, 230) at 10 together, W2 on cpu1, cpu2 and cpu4 at 14 together, W3 during [450,
//! 500); earlier windows for job 1 are too expensive; AMP finds eight alternatives with cpu6, ALP none,
//! because its limit for job 2 is 10 per slot.
//!
//! From this follow the prices 10 of cpu1 and cpu4 together and 4 of cpu2. The rest is not in the text and
//! reconstructed here so that all of the above holds: the horizon, the prices of cpu1 and cpu4 one by one,
//! those of cpu3 and cpu5, where the local tasks lie, the nodes of W3, and so the windows after the first
//! round.

use sched_model::*;
use slot_window::{Alp, AlternativesSearch, Amp, WindowQuery, WindowSearch};

fn slots() -> SlotList {
    let prices = [4.0, 4.0, 2.0, 6.0, 8.0, 12.0];
    let nodes: Vec<Node> = (1..).zip(prices).map(|(id, price)| Node::must(id, 1.0, price)).collect();
    let local = [
        (1, 0.0, 150.0),
        (2, 0.0, 230.0),
        (3, 30.0, 450.0),
        (4, 510.0, 570.0),
        (5, 0.0, 300.0),
        (6, 20.0, 60.0),
        (6, 220.0, 280.0),
    ];
    let local = local.map(|(node, start, end)| Occupied::must(node, start, end));
    SlotList::from_nodes(&nodes, &local, Time::ZERO, Time::must(600.0)).unwrap()
}

/// The limit of a window's cost per time is N times a limit per slot: as ALP reads it, and AMP after
/// derivation.
fn batch() -> Batch {
    let job = |id, nodes: usize, runtime, cost_per_time: f64| {
        let request = ResourceRequest::must(nodes, runtime);
        Job::new(JobId(id), request.with_price_limit(Price::must(cost_per_time / nodes as f64)))
    };
    Batch::new(vec![job(1, 2, 80.0, 10.0), job(2, 3, 30.0, 30.0), job(3, 2, 50.0, 6.0)]).unwrap()
}

fn nodes(window: &Window) -> Vec<u32> {
    window.placements().iter().map(|placement| placement.node.0).collect()
}

fn cost_per_time(window: &Window) -> f64 {
    window.placements().iter().map(|placement| placement.price.get()).sum()
}

fn brief(windows: &[Window]) -> Vec<(f64, Vec<u32>)> {
    windows.iter().map(|window| (window.start().get(), nodes(window))).collect()
}

#[test]
fn the_first_round_is_the_published_one() {
    let slots = slots();
    assert_eq!(slots.len(), 10);
    let found =
        AlternativesSearch::new(Amp::new()).with_max_rounds(1).find(&slots, &batch(), Time::ZERO).unwrap();
    let [w1, w2, w3] = [0, 1, 2].map(|position| &found.jobs[position].windows[0]);
    assert_eq!((nodes(w1), cost_per_time(w1)), (vec![1, 4], 10.0));
    assert_eq!((w1.start(), w1.finish()), (Time::must(150.0), Time::must(230.0)));
    assert_eq!((nodes(w2), cost_per_time(w2)), (vec![1, 2, 4], 14.0));
    assert_eq!((w3.start(), w3.finish()), (Time::must(450.0), Time::must(500.0)));
}

#[test]
fn earlier_windows_of_job_1_are_too_dear() {
    let unlimited = ResourceRequest::must(2, 80.0);
    let window = Amp::new().find(&WindowQuery::new(&slots(), &unlimited)).unwrap().best.unwrap();
    assert!(window.start() < Time::must(150.0));
    assert!(cost_per_time(&window) > 10.0);
}

#[test]
fn amp_uses_the_dear_node_in_eight_alternatives_alp_in_none() {
    let (slots, batch) = (slots(), batch());
    let on_cpu6 = |found: &slot_window::BatchAlternatives| {
        found.jobs.iter().flat_map(|of| &of.windows).filter(|window| nodes(window).contains(&6)).count()
    };
    let amp = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO).unwrap();
    let alp = AlternativesSearch::new(Alp).find(&slots, &batch, Time::ZERO).unwrap();
    assert_eq!((on_cpu6(&amp), on_cpu6(&alp)), (8, 0));
}

#[test]
fn every_alternative_of_the_reconstruction() {
    let found = AlternativesSearch::new(Amp::new()).find(&slots(), &batch(), Time::ZERO).unwrap();
    // Worked through by hand along the scan.
    let job_1: [(f64, &[u32]); 4] = [(150.0, &[1, 4]), (260.0, &[1, 2]), (340.0, &[1, 2]), (420.0, &[2, 4])];
    let job_2: [(f64, &[u32]); 9] = [
        (230.0, &[1, 2, 4]),
        (300.0, &[4, 5, 6]),
        (330.0, &[4, 5, 6]),
        (360.0, &[4, 5, 6]),
        (390.0, &[4, 5, 6]),
        (420.0, &[1, 5, 6]),
        (500.0, &[2, 5, 6]),
        (530.0, &[2, 5, 6]),
        (560.0, &[2, 5, 6]),
    ];
    let job_3: [(f64, &[u32]); 3] = [(450.0, &[1, 3]), (500.0, &[1, 3]), (550.0, &[1, 3])];
    for (position, expected) in [&job_1[..], &job_2, &job_3].into_iter().enumerate() {
        let expected: Vec<(f64, Vec<u32>)> =
            expected.iter().map(|&(start, nodes)| (start, nodes.to_vec())).collect();
        assert_eq!(brief(&found.jobs[position].windows), expected, "job {}", position + 1);
    }
}
