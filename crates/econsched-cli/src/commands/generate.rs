//! `econsched generate`: draws inputs from published models.

use super::prelude::*;
use super::settings::{Rare, Settings, at_most};
use crate::input::scenario::NodeValue;
use crate::output::files::Body;
use clap::ValueEnum;
use econsched::workload_gen::WorkloadError;
use econsched::workload_gen::cycle::{JobGenerator, SlotGenerator};
use econsched::workload_gen::environment::{EnvironmentGenerator, request};
use econsched::workload_gen::etc::{EtcGenerator, EtcMethod};
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf;
use econsched::workload_gen::synthetic::LogGenerator;
use std::io;

flags! {
    /// Draw slots, jobs, environments, logs and matrices from published models
    #[command(after_long_help = include_str!("../help/generate.txt"), allow_negative_numbers = true)]
    pub(crate) struct GenerateArgs {
        /// What to draw
        operand what: Kind as "KIND",
        /// Seed of the random numbers: the same seed gives the same bytes
        seed: u64 = "1",
        [flatten] rare: Rare,
        /// Output file [default: standard output]
        out: Option<PathBuf> as "FILE",
    }
}

/// What is drawn.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// Free slots, each on a separate node (JSON)
    Slots,
    /// Jobs that ask for several nodes at once (JSON)
    Jobs,
    /// Slots and jobs in one file, as `plan` reads it (JSON)
    Cycle,
    /// Nodes with prices and local load, and jobs for them, as `plan` reads it (JSON)
    Environment,
    /// A workload log of the Lublin-Feitelson model with users and requested times (SWF)
    Log,
    /// Matrix of expected times to compute of tasks on machines ("tasks machines 0", then one value on each line)
    Etc,
}

/// Maximum number of times in a matrix.
const MOST_TIMES: u64 = 100_000_000;

impl Command for GenerateArgs {
    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        let mut given = self.rare.read()?;
        let text = match self.what {
            Kind::Slots => files::json(&object! { slots: self.slots(given)? }),
            Kind::Jobs => files::json(&object! { jobs: self.jobs(given)? }),
            Kind::Cycle => {
                let (slots, jobs) = (self.slots(given.take("slots"))?, self.jobs(given.take("jobs"))?);
                given.refuse_rest("generate cycle")?;
                files::json(&object! { slots: slots, jobs: jobs })
            }
            Kind::Environment => self.environment(given),
            Kind::Log => {
                let model = given.over(LogGenerator::default())?;
                at_most(MOST, "jobs", model.jobs as u64)?;
                let seed = self.seed;
                // Invalid settings are reported before the file is begun.
                drop(model.records(stream(seed, 0))?);
                // Record by record, because a log may be larger than memory.
                let body = Body::Stream(Box::new(move |out| write_log(out, &model, seed)));
                return Ok(Report::raw(body, self.out.as_deref()));
            }
            Kind::Etc => self.etc(given),
        };
        Ok(Report::raw(text?, self.out.as_deref()))
    }
}

impl GenerateArgs {
    fn slots(&self, given: Settings) -> Result<SlotList, CliError> {
        let model = given.over(SlotGenerator::default())?;
        at_most(MOST, "slots", (*model.count.end()).into())?;
        Ok(model.generate(&mut stream(self.seed, 0))?)
    }

    fn jobs(&self, given: Settings) -> Result<Batch, CliError> {
        let model = given.over(JobGenerator::default())?;
        at_most(MOST, "jobs", (*model.jobs.end()).into())?;
        // A random stream of its own, so that the slots and the jobs of one seed are independent.
        Ok(model.generate(&mut stream(self.seed, 1))?)
    }

    fn etc(&self, given: Settings) -> Result<String, CliError> {
        let model = given.over(EtcGenerator::new(512, 16, EtcMethod::HiHi))?;
        let (tasks, machines) = (model.tasks, model.machines);
        at_most(MOST_TIMES, "times", tasks.saturating_mul(machines) as u64)?;
        let etc = model.generate(&mut stream(self.seed, 0))?;
        let mut text = format!("{tasks} {machines} 0\n");
        for value in etc.values() {
            let _ = writeln!(text, "{value}");
        }
        Ok(text)
    }

    /// Generates nodes, and jobs that all have the same request: 7 nodes, work 800, budget 644.
    fn environment(&self, mut given: Settings) -> Result<String, CliError> {
        let jobs: u64 = given.take("jobs").over(5)?;
        let model = given.over(EnvironmentGenerator::default())?;
        at_most(MOST, "nodes or jobs", jobs.max(model.nodes.into()))?;
        let drawn = model.generate(&mut stream(self.seed, 0))?;
        let request = request(7, 800.0, 0.115)?;
        let jobs = (1..=jobs).map(|id| Job::new(JobId(id), request.clone()));
        let value = |(node, &value): (&Node, &f64)| NodeValue { node: node.id, value };
        let values: Vec<NodeValue> = drawn.nodes.iter().zip(&drawn.values).map(value).collect();
        files::json(&object! {
            nodes: drawn.nodes,
            values: values,
            occupied: drawn.occupied,
            horizon: drawn.horizon,
            jobs: Batch::new(jobs.collect())?,
        })
    }
}

fn write_log(out: &mut dyn io::Write, model: &LogGenerator, seed: u64) -> io::Result<()> {
    let failed = |error| match error {
        WorkloadError::Io { source, .. } => source,
        error => io::Error::other(error),
    };
    let records = model.records(stream(seed, 0)).map_err(failed)?;
    swf::write(out, &model.header(), records).map_err(failed)
}
