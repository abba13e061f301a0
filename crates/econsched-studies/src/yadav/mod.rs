//! S. Yadav, A. Agarwal, R. Rastogi, "Cost-based Job Grouping and Scheduling Algorithm for Grid Computing
//! Environments": the three experiments on seven resources.

mod claims;
pub mod experiment;
mod figures;
mod kind;
pub mod published;
mod readings;

use crate::Replicates;
use crate::Study;
use crate::StudyError;
use crate::report::{Cell, StudyReport};
use crate::stats::{Moments, Ratio};
use experiment::{Config, Experiment, GroupingReport, run};
use figures::{bars, charts, describe, orders};
use published::PublishedRow;
use readings::Readings;

const GRIDLETS: [u32; 6] = [25, 50, 75, 100, 125, 150];

/// Experiment, name of its table here and its number in the paper.
const TABLES: [(Experiment, &str, &str); 4] = [
    (Experiment::Ungrouped, "table2", "Table 2, no grouping"),
    (Experiment::Grouped, "table3", "Table 3, grouping, first come first served"),
    (Experiment::Prioritised, "table4", "Table 4, grouping by priority, resources by cost per second"),
    (Experiment::PrioritisedByWork, "by_work", "Not in the paper: resources by cost per unit of work"),
];
const UNGROUPED: usize = 0;
const GROUPED: usize = 1;
const PRIORITISED: usize = 2;
const BY_WORK: usize = 3;

/// Job grouping on seven resources.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct Yadav {
    /// Seed of all that is drawn; 1 by default.
    pub seed: u64,
    /// Draws of the gridlets for each number of them; 2,000 by default.
    pub seeds: u64,
    /// The reading under which the tables are made: that fitted to table 3 by default. The number of gridlets
    /// and the order of the resources are the study's.
    pub config: Config,
}

impl Default for Yadav {
    fn default() -> Self {
        Self { seed: 1, seeds: 2_000, config: Config::default() }
    }
}

econsched::sched_model::setters!(Yadav {
    /// The same with this seed.
    with_seed: seed: u64,
    /// The same with this number of draws.
    with_seeds: seeds: u64,
    /// The same under this reading.
    with_config: config: Config,
});

/// The experiments on one draw: resources in Table 1's order, then in an order drawn at random.
type Draw = [[GroupingReport; 4]; 2];

#[derive(Default)]
struct Row {
    groups: Moments,
    cost: Moments,
    time: Moments,
    /// Draws that give the printed number of groups, cost, time, and all that is printed.
    exact: [u64; 4],
}

impl Row {
    fn push(&mut self, ours: &GroupingReport, paper: Option<&PublishedRow>) {
        self.groups.push(ours.dispatches as f64);
        self.cost.push(ours.cost);
        self.time.push(ours.time);
        let Some(paper) = paper else { return };
        let groups = paper.groups.is_none_or(|groups| groups as usize == ours.dispatches);
        let (cost, time) = (ours.cost == paper.cost, ours.time == paper.time);
        for (count, equal) in self.exact.iter_mut().zip([groups, cost, time, groups && cost && time]) {
            *count += u64::from(equal);
        }
    }
}

/// A strict comparison of two experiments over draws.
#[derive(Default)]
struct Order {
    below: u64,
    equal: u64,
    draws: u64,
    /// The ratio of left to right.
    ratio: Ratio,
}

impl Order {
    fn push(&mut self, left: f64, right: f64) {
        self.below += u64::from(left < right);
        self.equal += u64::from(left == right);
        self.draws += 1;
        self.ratio.push(left, right);
    }

    fn cells(&self) -> [Cell; 3] {
        let percent = |count: u64| Cell::Number(100.0 * count as f64 / self.draws as f64, 1);
        [percent(self.below), percent(self.equal), percent(self.draws - self.below - self.equal)]
    }
}

/// Left experiment, right experiment, whether the resources come in random order.
const ORDERS: [(usize, usize, bool); 7] = [
    (GROUPED, UNGROUPED, false),
    (PRIORITISED, UNGROUPED, false),
    (PRIORITISED, GROUPED, false),
    (BY_WORK, GROUPED, false),
    (GROUPED, UNGROUPED, true),
    (PRIORITISED, GROUPED, true),
    (BY_WORK, GROUPED, true),
];

#[derive(Default)]
struct Tally {
    /// By number of gridlets, then experiment.
    rows: [[Row; 4]; GRIDLETS.len()],
    /// Cost and time.
    orders: [[Order; 2]; ORDERS.len()],
    /// Communication to computation under grouping, and under grouping by priority, over that without
    /// grouping; with an overhead of [`OVERHEAD`] for each dispatch.
    communication: [Ratio; 2],
}

/// The text's overhead of a dispatch, in seconds.
const OVERHEAD: f64 = 10.0;

impl Tally {
    fn push(&mut self, at: usize, draw: &Draw) {
        for ((row, ours), (experiment, ..)) in self.rows[at].iter_mut().zip(&draw[0]).zip(TABLES) {
            row.push(ours, experiment.published().get(at));
        }
        let to_computation = |experiment: usize| {
            let GroupingReport { dispatches, time, .. } = draw[0][experiment];
            OVERHEAD * dispatches as f64 / time
        };
        for (ratio, experiment) in self.communication.iter_mut().zip([GROUPED, PRIORITISED]) {
            ratio.push(to_computation(experiment), to_computation(UNGROUPED));
        }
        for (orders, (left, right, shuffled)) in self.orders.iter_mut().zip(ORDERS) {
            let reports = &draw[usize::from(shuffled)];
            orders[0].push(reports[left].cost, reports[right].cost);
            orders[1].push(reports[left].time, reports[right].time);
        }
    }
}

impl Study for Yadav {
    fn name(&self) -> &'static str {
        "yadav"
    }

    fn command(&self) -> String {
        let (own, usual) = (&self.config, Config::default());
        let mut flags = String::new();
        let mut flag = |name: &str, value: String, usual: String| {
            if value != usual {
                flags += &format!(" --{name} {value}");
            }
        };
        let number = |count: Option<usize>| count.map_or_else(String::new, |count| count.to_string());
        flag("cpus", own.cpus.to_string(), usual.cpus.to_string());
        flag("granularity", own.granularity.to_string(), usual.granularity.to_string());
        flag("overhead", own.overhead.to_string(), usual.overhead.to_string());
        let lengths = |(least, greatest): (f64, f64)| format!("{least},{greatest}");
        flag("lengths", lengths(own.lengths), lengths(usual.lengths));
        flag("service", own.service.to_string(), usual.service.to_string());
        flag("dispatching", own.dispatching.to_string(), usual.dispatching.to_string());
        flag("max-jobs", number(own.max_jobs), String::new());
        flag("max-rounds", number(own.max_rounds), String::new());
        format!("econsched study yadav --seeds {}{flags} --seed {}", self.seeds, self.seed)
    }

    fn run(&self, replicates: &Replicates) -> Result<StudyReport, StudyError> {
        if self.seeds < 2 {
            return Err(StudyError::config("--seeds must be at least 2"));
        }
        let mut tally = Tally::default();
        for (at, gridlets) in GRIDLETS.into_iter().enumerate() {
            let one = |replicate| {
                let reports = |shuffled| {
                    let config = self.config.clone().with_gridlets(gridlets).with_shuffled(shuffled);
                    let report = |experiment| run(experiment, &config, self.seed, replicate);
                    let [a, b, c, d] = TABLES.map(|(experiment, ..)| report(experiment));
                    Ok::<_, econsched::grid_sim::SimError>([a?, b?, c?, d?])
                };
                Ok([reports(false)?, reports(true)?])
            };
            replicates.run(&format!("{gridlets} gridlets"), self.seeds, one, |draw| tally.push(at, &draw))?;
        }
        let mut readings = Readings::default();
        for (at, gridlets) in GRIDLETS.into_iter().enumerate() {
            let one = |replicate| Readings::draw(gridlets, self.seed, replicate);
            replicates.run(&format!("readings, {gridlets} gridlets"), self.seeds, one, |draw| {
                readings.push(at, &draw)
            })?;
        }
        replicates.complete()?;
        let mut report = StudyReport::titled("report.md", "Job grouping on seven resources (Yadav et al.)");
        report.paragraph(format!(
            "{} draws for each number of gridlets, seed {}. Lengths U[{}, {}] MI, service {}, dispatches {}. In the tables \
             of grouping a resource has {} CPUs, a group takes up to {} s of its work, and a dispatch takes {} s \
             besides. The reading fitted to table 3 is ten CPUs and 7 s, of which the text names neither. ± is the 95% \
             confidence interval.",
            self.seeds,
            self.seed,
            self.config.lengths.0,
            self.config.lengths.1,
            self.config.service,
            self.config.dispatching,
            self.config.cpus,
            self.config.granularity,
            self.config.overhead,
        ));
        for (experiment, (_, name, title)) in TABLES.into_iter().enumerate() {
            describe(&tally, experiment, name, title, &mut report);
        }
        orders(&tally, &mut report);
        charts(&tally, &mut report);
        bars(&tally, &mut report);
        readings.describe(&mut report);
        report.judge("verdicts", claims::claims(&tally).into_iter().chain(readings.claims()).collect());
        let printed = "printed, beside ours";
        report.index(&[
            ("table 2", "no grouping", "table2", printed),
            ("table 3", "grouping", "table3", printed),
            ("table 4", "grouping by priority", "table4", printed),
            ("fig. 3", "processing cost", "fig3", "the tables' costs, as curves"),
            (
                "fig. 3, lower curves",
                "grouped beside prioritised",
                "fig3_grouped",
                "the tables' costs, as bars",
            ),
            ("fig. 4", "processing time", "fig4", "the tables' times, as curves"),
            (
                "fig. 4, lower curves",
                "grouped beside prioritised",
                "fig4_grouped",
                "the tables' times, as bars",
            ),
        ]);
        Ok(report)
    }
}
