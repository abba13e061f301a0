//! Settings that the paper does not state and that could change its results: the size of the system for which
//! the model draws its applications, and the load of the clusters' own jobs. Case 2 of the first workloads
//! under each setting.

use super::figures::configurations;
use super::{CONFIGURATIONS, Case2, GREEDY, Garg2009, MAX, MIN, Replicate, Run};
use crate::record::record;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::Ratio;
use crate::{Replicates, StudyError};
use econsched::workload_gen::meta_broker::MetaBrokerWorkload;

/// A variant: its name, the processors of the modelled system, local jobs of each resource.
type Variant = (&'static str, u32, usize);

const VARIANTS: [Variant; 5] = [
    ("applications of a system of 32 CPUs", 32, 0),
    ("applications of a system of 64 CPUs", 64, 0),
    ("applications of a system of 256 CPUs", 256, 0),
    ("128 CPUs, 200 local jobs on each resource", 128, 200),
    ("128 CPUs, 1,000 local jobs on each resource", 128, 1_000),
];

/// One heuristic against another, and what is compared.
type Comparison = (usize, usize, fn(&Run) -> f64);

const COMPARISONS: [Comparison; 6] = [
    (MIN, GREEDY, |run| run.cost),
    (MIN, GREEDY, |run| run.makespan),
    (MAX, GREEDY, |run| run.cost),
    (MAX, GREEDY, |run| run.makespan),
    (MIN, MAX, |run| run.makespan),
    (MAX, MIN, |run| run.cost),
];

/// By configuration, then comparison.
type Compared = [[Ratio; COMPARISONS.len()]; CONFIGURATIONS];

fn compare(tally: &mut Compared, case_2: &Case2) {
    for (ratios, runs) in tally.iter_mut().zip(case_2) {
        for (ratio, (of, over, measure)) in ratios.iter_mut().zip(COMPARISONS) {
            ratio.push(measure(&runs[of]), measure(&runs[over]));
        }
    }
}

/// Case 2 of one workload under each variant.
#[derive(Default)]
struct Draw {
    variants: [Case2; VARIANTS.len()],
}

record!(Draw { variants });

/// The variants over the first quarter of the workloads.
pub(super) struct Variants {
    count: u64,
    tallies: [Compared; VARIANTS.len()],
}

impl Variants {
    /// Runs them; none where the whole study is under a local load.
    pub(super) fn run(study: &Garg2009, replicates: &Replicates) -> Result<Self, StudyError> {
        let count = if study.local_jobs > 0 { 0 } else { study.seeds.div_ceil(4).max(2) };
        let mut variants = Self { count, tallies: Default::default() };
        let one = |index| {
            let mut draw = Draw::default();
            for (case_2, (_, size, local_jobs)) in draw.variants.iter_mut().zip(VARIANTS) {
                let workload = MetaBrokerWorkload::default().with_jobs(study.jobs);
                let model = workload.model.clone().with_system_size(size);
                let workload = workload.with_model(model);
                *case_2 = study.case_2(index, |config| {
                    config.with_workload(workload.clone()).with_local_jobs(local_jobs)
                })?;
            }
            Ok(draw)
        };
        replicates.run("sizes and local load", count, one, |draw: Draw| {
            for (tally, case_2) in variants.tallies.iter_mut().zip(&draw.variants) {
                compare(tally, case_2);
            }
        })?;
        Ok(variants)
    }

    /// The table, beside the study's own setting on the same workloads.
    pub(super) fn describe(&self, all: &[Replicate], report: &mut StudyReport) {
        if self.count == 0 {
            return;
        }
        let mut own = Compared::default();
        for replicate in all.iter().take(self.count as usize) {
            compare(&mut own, &replicate.case_2);
        }
        let title = format!(
            "Case 2 under other sizes and under local load, {} workloads: differences in per cent, below 0 as the paper says",
            self.count
        );
        let mut table = Table::new(
            "variants",
            title,
            &[
                "variant",
                "configuration",
                "cost: MinCTT against Greedy",
                "makespan: MinCTT against Greedy",
                "cost: MaxCTT against Greedy",
                "makespan: MaxCTT against Greedy",
                "makespan: MinCTT against MaxCTT",
                "cost: MaxCTT against MinCTT",
            ],
        );
        let variants = VARIANTS.into_iter().map(|(name, ..)| name).zip(&self.tallies);
        for (name, tally) in [("128 CPUs, no local jobs", &own)].into_iter().chain(variants) {
            for (configuration, ratios) in configurations().into_iter().zip(tally) {
                let mut cells: Vec<Cell> = vec![name.into(), configuration.into()];
                cells.extend(ratios.iter().map(|ratio| Cell::Estimate(ratio.excess_percent(), 2)));
                table.push(cells);
            }
        }
        report.table(table);
    }
}
