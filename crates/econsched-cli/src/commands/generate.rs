//! `econsched generate`: inputs drawn from published models.

use crate::error::CliError;
use crate::flags::{MOST, count, names};
use crate::input::scenario::NodeValue;
use crate::output::files::{self, Body};
use crate::report::{Command, Context, Report};
use econsched::sched_model::{Batch, Job, Node, Occupied, SlotList, Time};
use econsched::workload_gen::WorkloadError;
use econsched::workload_gen::cycle::{JobGenerator, SlotGenerator};
use econsched::workload_gen::environment::{EnvironmentGenerator, request};
use econsched::workload_gen::etc::{Consistency, EtcGenerator, EtcKind};
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf::{write_header, write_record};
use econsched::workload_gen::synthetic::LogGenerator;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

/// Draw slots, jobs, environments, logs and matrices from published models
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    what: Generated,
    /// Seed of the random numbers: the same seed gives the same bytes
    #[arg(long, global = true, default_value_t = 1)]
    seed: u64,
    /// Parameters of the model, as a JSON object; parameters that are not given keep their defaults
    #[arg(long, global = true, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Output file [default: standard output]
    #[arg(long, global = true, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  econsched generate cycle --seed 7 > cycle.json && econsched plan cycle.json
  econsched generate environment --nodes 40 --jobs 8 --out env.json
  econsched generate log --jobs 2000 --out made.swf &&
    econsched simulate made.swf --scheduler easy
  econsched generate etc --tasks 100 --machines 8 | econsched map -
  echo '{\"count\": {\"start\": 5, \"end\": 9}}' > p.json &&
    econsched generate slots --params p.json";

#[derive(Debug, Clone, Copy, clap::Subcommand)]
enum Generated {
    /// Free slots, each on a separate node (JSON)
    Slots {
        /// Number of slots [default: the model's, 120 to 150]
        #[arg(long, value_parser = count::<u32>(1, MOST))]
        count: Option<u32>,
    },
    /// Jobs that ask for several nodes at once (JSON)
    Jobs {
        /// Number of jobs [default: the model's, 3 to 7]
        #[arg(long, value_parser = count::<u32>(1, MOST))]
        count: Option<u32>,
    },
    /// Slots and jobs in one file, as `plan` reads it (JSON)
    Cycle {
        /// Number of slots [default: the model's, 120 to 150]
        #[arg(long, value_parser = count::<u32>(1, MOST))]
        slots: Option<u32>,
        /// Number of jobs [default: the model's, 3 to 7]
        #[arg(long, value_parser = count::<u32>(1, MOST))]
        jobs: Option<u32>,
    },
    /// Nodes with prices and local load, and jobs for them, as `plan` reads it (JSON)
    Environment {
        /// Number of nodes
        #[arg(long, default_value_t = 100, value_parser = count::<u32>(1, MOST))]
        nodes: u32,
        /// Number of jobs, all with the same request: 7 nodes, work 800, budget 644
        #[arg(long, default_value_t = 5, value_parser = count::<u32>(1, MOST))]
        jobs: u32,
    },
    /// A workload log of the Lublin-Feitelson model with users and requested times (SWF)
    Log {
        /// Number of jobs [default: the model's, 10,000]
        #[arg(long, value_parser = count::<usize>(1, MOST))]
        jobs: Option<usize>,
        /// CPUs of the machine [default: the model's, 128]
        #[arg(long)]
        cpus: Option<u32>,
    },
    /// Matrix of expected times to compute of tasks on machines ("tasks machines 0", then one value on each
    /// line)
    Etc {
        /// Number of tasks
        #[arg(long, default_value_t = 512)]
        tasks: usize,
        /// Number of machines
        #[arg(long, default_value_t = 16)]
        machines: usize,
        /// Method by which times are drawn
        #[arg(long, default_value = "hihi", value_parser = names::<EtcKind>())]
        method: EtcKind,
        /// Whether a machine that is faster for one task is faster for all
        #[arg(long, default_value = "inconsistent", value_parser = names::<Consistency>())]
        consistency: Consistency,
    },
}

/// The greatest number of times in a matrix.
const MOST_TIMES: u64 = 100_000_000;

/// A scenario as `plan` reads it.
#[derive(Debug, Default, Serialize)]
struct ScenarioFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<Node>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<NodeValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occupied: Option<Vec<Occupied>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    horizon: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slots: Option<SlotList>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<Batch>,
}

impl Command for GenerateArgs {
    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        Ok(Report::raw(self.generate()?, self.out.as_deref()))
    }
}

impl GenerateArgs {
    fn generate(&self) -> Result<Body, CliError> {
        let params = self.params.as_deref();
        let file = match self.what {
            Generated::Slots { count } => {
                ScenarioFile { slots: Some(slots(count, self)?), ..ScenarioFile::default() }
            }
            Generated::Jobs { count } => {
                ScenarioFile { jobs: Some(jobs(count, self)?), ..ScenarioFile::default() }
            }
            Generated::Cycle { slots: count, jobs: batch } => {
                if params.is_some() {
                    return Err(CliError::usage("--params: generate slots and jobs by separate commands"));
                }
                let (slots, jobs) = (Some(slots(count, self)?), Some(jobs(batch, self)?));
                ScenarioFile { slots, jobs, ..ScenarioFile::default() }
            }
            Generated::Environment { nodes, jobs } => environment(nodes, jobs, self)?,
            Generated::Log { jobs, cpus } => {
                let (model, seed) = (log_model(jobs, cpus, self)?, self.seed);
                // Record by record: a log may be longer than memory.
                return Ok(Body::by(move |out| write_log(out, &model, seed)));
            }
            Generated::Etc { tasks, machines, method, consistency } => {
                if params.is_some() {
                    return Err(CliError::usage("--params: matrices have none; choose a --method"));
                }
                if tasks.saturating_mul(machines) as u64 > MOST_TIMES {
                    let message =
                        format!("--tasks {tasks} --machines {machines}: more than {MOST_TIMES} times");
                    return Err(CliError::usage(message));
                }
                let model = EtcGenerator::new(tasks, machines, method.method()).with_consistency(consistency);
                let etc = model.generate(&mut stream(self.seed, 0)).map_err(CliError::usage)?;
                let mut text = format!("{tasks} {machines} 0\n");
                for value in etc.values() {
                    let _ = writeln!(text, "{value}");
                }
                return Ok(text.into());
            }
        };
        files::json(&file).map(Into::into)
    }
}

fn environment(nodes: u32, jobs: u32, args: &GenerateArgs) -> Result<ScenarioFile, CliError> {
    let params = args.params.as_deref();
    let model = model::<EnvironmentGenerator>(args)?.with_nodes(nodes);
    let environment = model.generate(&mut stream(args.seed, 0)).map_err(CliError::blame(params))?;
    let request = request(7, 800.0, 0.115).map_err(CliError::usage)?;
    let jobs = (1..=u64::from(jobs)).map(|id| Job::new(id.into(), request));
    let ids = environment.nodes.iter().map(|node| node.id);
    let values = ids.zip(&environment.values).map(|(node, &value)| NodeValue { node, value });
    Ok(ScenarioFile {
        values: Some(values.collect()),
        nodes: Some(environment.nodes),
        occupied: Some(environment.occupied),
        horizon: Some(environment.horizon),
        jobs: Some(Batch::new(jobs.collect()).map_err(CliError::usage)?),
        slots: None,
    })
}

fn slots(count: Option<u32>, args: &GenerateArgs) -> Result<SlotList, CliError> {
    let model: SlotGenerator = model(args)?;
    let model = if let Some(count) = count { model.with_count(count..=count) } else { model };
    model.generate(&mut stream(args.seed, 0)).map_err(CliError::blame(args.params.as_deref()))
}

fn jobs(count: Option<u32>, args: &GenerateArgs) -> Result<Batch, CliError> {
    let model: JobGenerator = model(args)?;
    let model = if let Some(count) = count { model.with_jobs(count..=count) } else { model };
    // A random stream of its own, so that the slots and the jobs of one seed are independent.
    model.generate(&mut stream(args.seed, 1)).map_err(CliError::blame(args.params.as_deref()))
}

fn log_model(jobs: Option<usize>, cpus: Option<u32>, args: &GenerateArgs) -> Result<LogGenerator, CliError> {
    let params = args.params.as_deref();
    let mut model: LogGenerator = model(args)?;
    model.jobs = jobs.unwrap_or(model.jobs);
    model.model.system_size = cpus.unwrap_or(model.model.system_size);
    model.validate().map_err(CliError::blame(params))?;
    Ok(model)
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

/// The model, with the parameters of a file where one is given.
fn model<T: DeserializeOwned + Default>(args: &GenerateArgs) -> Result<T, CliError> {
    let Some(path) = args.params.as_deref() else { return Ok(T::default()) };
    files::parse_json(&files::read(path)?, path)
}
