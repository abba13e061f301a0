//! Variants of settings that the paper does not state and that could change its results: the size of the system for
//! which the model draws its applications, and the load of the clusters' own jobs. Case 2 is run on the first
//! workloads under each variant.

use super::{
    BY_USER, CONFIGURATIONS, COST, Configuration, GREEDY, Garg2009, HEURISTICS, MAKESPAN, MAX, MIN, WIDTH,
    configurations, excess,
};
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use crate::{Replicates, StudyError};
use econsched::workload_gen::meta_broker::MetaBrokerWorkload;

/// A variant: its name, the processors of the modelled system, and the number of local jobs of each resource.
type Variant = (&'static str, u32, usize);

const VARIANTS: [Variant; 5] = [
    ("applications of a system of 32 CPUs", 32, 0),
    ("applications of a system of 64 CPUs", 64, 0),
    ("applications of a system of 256 CPUs", 256, 0),
    ("128 CPUs, 200 local jobs on each resource", 128, 200),
    ("128 CPUs, 1,000 local jobs on each resource", 128, 1_000),
];

/// A comparison of two heuristics: its heading, the two, and the column that is compared.
const COMPARISONS: [(&str, (usize, usize), usize); 6] = [
    ("cost: MinCTT against Greedy", (MIN, GREEDY), COST),
    ("makespan: MinCTT against Greedy", (MIN, GREEDY), MAKESPAN),
    ("cost: MaxCTT against Greedy", (MAX, GREEDY), COST),
    ("makespan: MaxCTT against Greedy", (MAX, GREEDY), MAKESPAN),
    ("makespan: MinCTT against MaxCTT", (MIN, MAX), MAKESPAN),
    ("cost: MaxCTT against MinCTT", (MAX, MIN), COST),
];

/// Runs case 2 under each variant, on the first quarter of the workloads; on none if the whole study has local load.
pub(super) fn run(study: &Garg2009, replicates: &Replicates) -> Result<Data, StudyError> {
    let count = if study.local_jobs > 0 { 0 } else { study.seeds.div_ceil(4).max(2) };
    let row_of = |index| {
        let mut row = Vec::new();
        for (_, size, local_jobs) in VARIANTS {
            let workload = MetaBrokerWorkload::default().with_jobs(study.jobs);
            let model = workload.model.clone().with_system_size(size);
            let workload = workload.with_model(model);
            for &configuration in Configuration::ALL {
                let config = study.config(configuration)?.with_workload(configuration.of(workload.clone()));
                let config = config.with_local_jobs(local_jobs);
                for heuristic in 0..HEURISTICS.len() {
                    row.extend(study.run_heuristic(&config, heuristic, index)?);
                }
            }
        }
        Ok(row)
    };
    let length = VARIANTS.len() * CONFIGURATIONS * HEURISTICS.len() * WIDTH;
    replicates.run("sizes and local load", count, length, row_of)
}

/// Adds the table of the variants, beside the study's own setting on the same workloads.
pub(super) fn describe(of_variants: &Data, data: &Data, report: &mut StudyReport) {
    let count = of_variants.len();
    if count == 0 {
        return;
    }
    let own = data.first(count as usize);
    let title = format!(
        "Case 2 under other sizes and under local load, {count} workloads: differences in per cent, below 0 as the paper says"
    );
    let mut columns = vec!["variant", "configuration"];
    columns.extend(COMPARISONS.map(|(heading, ..)| heading));
    let mut table = Table::new("variants", title, &columns);
    let variants = VARIANTS.into_iter().enumerate();
    let variants = variants.map(|(at, (name, ..))| (name, of_variants, at * CONFIGURATIONS));
    for (name, data, first) in [("128 CPUs, no local jobs", &own, BY_USER)].into_iter().chain(variants) {
        for ((configuration, _), setting) in configurations().zip(first..) {
            let compared = COMPARISONS.map(|(_, pair, column)| excess(data, setting, pair, column));
            table.row(
                [name, configuration],
                compared.map(|difference| Cell::Estimate(difference.estimate, 2)),
            );
        }
    }
    report.table(table);
}
