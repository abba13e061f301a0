//! Flags for settings that the paper on job grouping names without a value, or does not use.

use crate::flags::{MOST, count, names, span};
use econsched::grid_heuristics::{Dispatching, ServiceRule};
use econsched::sched_model::Span;
use econsched_studies::yadav::experiment::Config;

/// The reading under which the tables of job grouping are made.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Reading {
    /// CPUs of a resource that work on a group together; fitted, the paper states none
    #[arg(long, value_name = "COUNT", default_value = "10", value_parser = count::<u32>(1, MOST))]
    cpus: u32,
    /// Maximum processing time of a group; fitted, the paper states 10 s
    #[arg(long, value_name = "SECONDS", default_value = "7", value_parser = span)]
    granularity: Span,
    /// Additional time of each dispatch; the paper states 10 s, which does not fit its tables
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = span)]
    overhead: Span,
    /// Least and greatest length of a gridlet in MI; 160,240 is 200 plus or minus 20%
    #[arg(long, value_name = "LEAST,GREATEST", default_value = "200,240", value_parser = lengths)]
    lengths: (f64, f64),
    /// Processing times: exact, or in whole seconds as GridSim counts them
    #[arg(long, value_name = "NAME", default_value = "whole-seconds", value_parser = names::<ServiceRule>())]
    service: ServiceRule,
    /// One dispatch after another, or all resources at once
    #[arg(long, value_name = "NAME", default_value = "sequential", value_parser = names::<Dispatching>())]
    dispatching: Dispatching,
    /// Maximum number of gridlets in a group
    #[arg(long, value_name = "COUNT", value_parser = count::<usize>(1, MOST))]
    max_jobs: Option<usize>,
    /// Maximum number of rounds over the resources
    #[arg(long, value_name = "COUNT", value_parser = count::<usize>(1, MOST))]
    max_rounds: Option<usize>,
}

fn lengths(text: &str) -> Result<(f64, f64), String> {
    let wrong =
        || format!("expected two lengths of at least 0, the least first, such as 200,240; got {text:?}");
    let (least, greatest) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
    let (least, greatest) = (number(least)?, number(greatest)?);
    let ordered = 0.0 <= least && least <= greatest && greatest <= 1e60;
    if ordered { Ok((least, greatest)) } else { Err(wrong()) }
}

impl Reading {
    pub(super) fn config(&self) -> Config {
        Config::default()
            .with_cpus(self.cpus)
            .with_granularity(self.granularity)
            .with_overhead(self.overhead)
            .with_lengths(self.lengths)
            .with_service(self.service)
            .with_dispatching(self.dispatching)
            .with_max_jobs(self.max_jobs)
            .with_max_rounds(self.max_rounds)
    }
}
