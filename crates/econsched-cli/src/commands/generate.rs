//! `econsched generate`: inputs drawn from published models.

use super::prelude::*;
use super::settings::{Rare, Setting};
use crate::input::scenario::NodeValue;
use crate::output::files::Body;
use econsched::workload_gen::WorkloadError;
use econsched::workload_gen::cycle::{JobGenerator, SlotGenerator};
use econsched::workload_gen::environment::{EnvironmentGenerator, request};
use econsched::workload_gen::etc::{Consistency, EtcGenerator, EtcKind};
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf::{write_header, write_record};
use econsched::workload_gen::synthetic::LogGenerator;
use std::io;

flags! {
    /// Draw slots, jobs, environments, logs and matrices from published models
    #[command(after_long_help = include_str!("../help/generate.txt"), allow_negative_numbers = true)]
    pub(crate) struct GenerateArgs {
        [subcommand] what: Generated,
        /// Seed of the random numbers: the same seed gives the same bytes
        seed: u64 [global = true] = "1",
        [flatten] rare: Rare,
        /// Output file [default: standard output]
        out: Option<PathBuf> as "FILE" [global = true],
    }
}

flags! {
    #[derive(Copy)]
    enum Generated {
        /// Free slots, each on a separate node (JSON)
        Slots {
            /// Number of slots [default: the model's, 120 to 150]
            count: Option<u32> => count::<u32>(1, MOST),
        },
        /// Jobs that ask for several nodes at once (JSON)
        Jobs {
            /// Number of jobs [default: the model's, 3 to 7]
            count: Option<u32> => count::<u32>(1, MOST),
        },
        /// Slots and jobs in one file, as `plan` reads it (JSON)
        Cycle {
            /// Number of slots [default: the model's, 120 to 150]
            slots: Option<u32> => count::<u32>(1, MOST),
            /// Number of jobs [default: the model's, 3 to 7]
            jobs: Option<u32> => count::<u32>(1, MOST),
        },
        /// Nodes with prices and local load, and jobs for them, as `plan` reads it (JSON)
        Environment {
            /// Number of nodes
            nodes: u32 = "100" => count::<u32>(1, MOST),
            /// Number of jobs, all with the same request: 7 nodes, work 800, budget 644
            jobs: u32 = "5" => count::<u32>(1, MOST),
        },
        /// A workload log of the Lublin-Feitelson model with users and requested times (SWF)
        Log {
            /// Number of jobs [default: the model's, 10,000]
            jobs: Option<usize> => count::<usize>(1, MOST),
            /// CPUs of the machine [default: the model's, 128]
            cpus: Option<u32>,
        },
        /// Matrix of expected times to compute of tasks on machines ("tasks machines 0", then one value on each
        /// line)
        Etc {
            /// Number of tasks
            tasks: usize = "512",
            /// Number of machines
            machines: usize = "16",
            /// Method by which times are drawn
            method: EtcKind = "hihi" => names::<EtcKind>(),
            /// Whether a machine that is faster for one task is faster for all
            consistency: Consistency = "inconsistent" => names::<Consistency>(),
        },
    }
}

/// The greatest number of times in a matrix.
const MOST_TIMES: u64 = 100_000_000;

impl Command for GenerateArgs {
    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        Ok(Report::raw(self.generate()?, self.out.as_deref()))
    }
}

impl GenerateArgs {
    fn generate(&self) -> Result<Body, CliError> {
        let mut given = self.rare.read()?;
        let text = match self.what {
            Generated::Slots { count } => files::json(&object! { slots: self.slots(count, given.rest())? }),
            Generated::Jobs { count } => files::json(&object! { jobs: self.jobs(count, given.rest())? }),
            Generated::Cycle { slots, jobs } => {
                let (slots, jobs) =
                    (self.slots(slots, given.take("slots"))?, self.jobs(jobs, given.take("jobs"))?);
                given.end("generate cycle")?;
                files::json(&object! { slots: slots, jobs: jobs })
            }
            Generated::Environment { nodes, jobs } => self.environment(nodes, jobs, given.rest()),
            Generated::Log { jobs, cpus } => {
                let mut model: LogGenerator = given.rest().over(LogGenerator::default())?;
                model.jobs = jobs.unwrap_or(model.jobs);
                model.model.system_size = cpus.unwrap_or(model.model.system_size);
                let seed = self.seed;
                // Bad settings are told before the file is begun.
                drop(model.records(stream(seed, 0))?);
                // Record by record: a log may be longer than memory.
                return Ok(Body::by(move |out| write_log(out, &model, seed)));
            }
            Generated::Etc { tasks, machines, method, consistency } => {
                given.end("matrices; choose a --method")?;
                if tasks.saturating_mul(machines) as u64 > MOST_TIMES {
                    let message =
                        format!("--tasks {tasks} --machines {machines}: more than {MOST_TIMES} times");
                    return Err(CliError::usage(message));
                }
                let model = EtcGenerator::new(tasks, machines, method.method()).with_consistency(consistency);
                let etc = model.generate(&mut stream(self.seed, 0))?;
                let mut text = format!("{tasks} {machines} 0\n");
                for value in etc.values() {
                    let _ = writeln!(text, "{value}");
                }
                Ok(text)
            }
        };
        text.map(Into::into)
    }

    fn slots(&self, count: Option<u32>, given: Setting) -> Result<SlotList, CliError> {
        let model = given.over(SlotGenerator::default())?;
        let model = count.into_iter().fold(model, |model, count| model.with_count(count..=count));
        Ok(model.generate(&mut stream(self.seed, 0))?)
    }

    fn jobs(&self, count: Option<u32>, given: Setting) -> Result<Batch, CliError> {
        let model = given.over(JobGenerator::default())?;
        let model = count.into_iter().fold(model, |model, count| model.with_jobs(count..=count));
        // A random stream of its own, so that the slots and the jobs of one seed are independent.
        Ok(model.generate(&mut stream(self.seed, 1))?)
    }

    fn environment(&self, nodes: u32, jobs: u32, given: Setting) -> Result<String, CliError> {
        let model = given.over(EnvironmentGenerator::default())?.with_nodes(nodes);
        let drawn = model.generate(&mut stream(self.seed, 0))?;
        let request = request(7, 800.0, 0.115)?;
        let jobs = (1..=u64::from(jobs)).map(|id| Job::new(id.into(), request.clone()));
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

fn write_log(mut out: &mut dyn io::Write, model: &LogGenerator, seed: u64) -> io::Result<()> {
    let failed = |error| match error {
        WorkloadError::Io { source, .. } => source,
        error => io::Error::other(error),
    };
    write_header(&mut out, &model.header()).map_err(failed)?;
    for record in model.records(stream(seed, 0)).map_err(failed)? {
        write_record(&mut out, &record).map_err(failed)?;
    }
    Ok(())
}
