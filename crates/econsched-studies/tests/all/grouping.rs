//! The orders of the job grouping study, computed by hand; its tables are frozen with the program's answers.

use econsched_studies::yadav::experiment::{Config, Experiment, run};

const EXPERIMENTS: [Experiment; 4] =
    [Experiment::Ungrouped, Experiment::Grouped, Experiment::Prioritised, Experiment::PrioritisedByWork];

#[test]
fn orders_by_hand() {
    let lengths = (210.0, 210.0);
    let config = Config::default()
        .with_lengths(lengths)
        .with_gridlets(100)
        .with_resources(vec![(110.0, 200.0), (150.0, 100.0)]);
    let [_, grouped, prioritised, by_work] =
        EXPERIMENTS.map(|experiment| run(experiment, &config, 1, 0).unwrap());
    // R2 holds 36 (7,700 MI), R1 50 (10,500 MI): as given 36 + 50 + 14; cheapest first 50 + 36 + 14.
    // 7,560 / 1,100 + 1, 10,500 / 1,500 + 1, 2,940 / 1,100 + 1 or 2,940 / 1,500 + 1 whole seconds.
    assert_eq!((grouped.cost, grouped.time), (7.0 * 200.0 + 8.0 * 100.0 + 3.0 * 200.0, 18.0));
    assert_eq!((prioritised.cost, prioritised.time), (8.0 * 100.0 + 7.0 * 200.0 + 2.0 * 100.0, 17.0));
    assert_eq!(by_work.cost, prioritised.cost);
    // A fast resource that is expensive by the second and cheap by the MI.
    let config = config.with_resources(vec![(150.0, 100.0), (1500.0, 500.0)]).with_gridlets(25);
    let [_, _, prioritised, by_work] = EXPERIMENTS.map(|experiment| run(experiment, &config, 1, 0).unwrap());
    assert_eq!((prioritised.cost, by_work.cost), (400.0, 1000.0)); // 4 s at 100, 2 s at 500
}
