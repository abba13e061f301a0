//! `econsched generate`: inputs drawn from published models.

use crate::error::CliError;
use crate::files;
use crate::flags::{MOST, count};
use crate::scenario::NodeValue;
use crate::terminal;
use clap::builder::TypedValueParser;
use econsched::sched_model::{Batch, Node, Occupied, SlotList, Time};
use econsched::workload_gen::WorkloadError;
use econsched::workload_gen::cycle::{JobGenerator, SlotGenerator};
use econsched::workload_gen::environment::EnvironmentGenerator;
use econsched::workload_gen::etc::{Consistency, EtcGenerator, EtcKind};
use econsched::workload_gen::sample::stream;
use econsched::workload_gen::swf::{write_header, write_record};
use econsched::workload_gen::synthetic::LogGenerator;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

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
        #[arg(long, default_value = "hihi", value_parser = one_of(EtcKind::ALL.iter().map(|kind| kind.name())))]
        method: &'static str,
        /// Whether a machine that is faster for one task is faster for all
        #[arg(long, default_value = "inconsistent",
              value_parser = one_of(Consistency::ALL.iter().map(|kind| kind.name())))]
        consistency: &'static str,
    },
}

/// The greatest number of times in a matrix.
const MOST_TIMES: u64 = 100_000_000;

/// A parser of one of these names.
fn one_of(
    names: impl Iterator<Item = &'static str>,
) -> impl clap::builder::TypedValueParser<Value = &'static str> {
    let names: Vec<&'static str> = names.collect();
    let known = names.clone();
    clap::builder::PossibleValuesParser::new(names)
        .map(move |given: String| known.iter().copied().find(|name| **name == given).unwrap_or_default())
}

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

/// Runs the command.
pub(crate) fn run(args: &GenerateArgs) -> Result<(), CliError> {
    if let Generated::Log { jobs, cpus } = args.what {
        return log(jobs, cpus, args);
    }
    let text = generate(args)?;
    match &args.out {
        Some(path) => files::write_file(path, text.as_bytes()),
        None => terminal::print(&text),
    }
}

fn generate(args: &GenerateArgs) -> Result<String, CliError> {
    let params = args.params.as_deref();
    let file = match args.what {
        Generated::Slots { count } => {
            ScenarioFile { slots: Some(slots(count, args)?), ..ScenarioFile::default() }
        }
        Generated::Jobs { count } => {
            ScenarioFile { jobs: Some(jobs(count, args)?), ..ScenarioFile::default() }
        }
        Generated::Cycle { slots: count, jobs: batch } => {
            if params.is_some() {
                return Err(CliError::usage("--params: generate slots and jobs by separate commands"));
            }
            let (slots, jobs) = (slots(count, args)?, jobs(batch, args)?);
            ScenarioFile { slots: Some(slots), jobs: Some(jobs), ..ScenarioFile::default() }
        }
        Generated::Environment { nodes, jobs } => {
            let model: EnvironmentGenerator = read_params(params)?.unwrap_or_default();
            let environment = model
                .with_nodes(nodes)
                .generate(&mut stream(args.seed, 0))
                .map_err(CliError::blame(params))?;
            let request =
                econsched::workload_gen::environment::request(7, 800.0, 0.115).map_err(CliError::usage)?;
            let batch = (1..=u64::from(jobs))
                .map(|id| econsched::sched_model::Job::new(id.into(), request))
                .collect();
            let ids = environment.nodes.iter().map(|node| node.id);
            let values =
                ids.zip(&environment.values).map(|(node, &value)| NodeValue { node, value }).collect();
            ScenarioFile {
                values: Some(values),
                nodes: Some(environment.nodes),
                occupied: Some(environment.occupied),
                horizon: Some(environment.horizon),
                jobs: Some(Batch::new(batch).map_err(CliError::usage)?),
                slots: None,
            }
        }
        Generated::Log { jobs, cpus } => {
            let mut text = Vec::new();
            let model = log_model(jobs, cpus, args)?;
            write_log(&mut text, &model, args.seed).map_err(CliError::fault)?;
            return String::from_utf8(text).map_err(CliError::fault);
        }
        Generated::Etc { tasks, machines, method, consistency } => {
            if params.is_some() {
                return Err(CliError::usage("--params: matrices have none; choose a --method"));
            }
            if tasks.saturating_mul(machines) as u64 > MOST_TIMES {
                let message = format!("--tasks {tasks} --machines {machines}: more than {MOST_TIMES} times");
                return Err(CliError::usage(message));
            }
            let kind: EtcKind = method.parse().map_err(CliError::usage)?;
            let model = EtcGenerator::new(tasks, machines, kind.method())
                .with_consistency(consistency.parse().map_err(CliError::usage)?);
            let etc = model.generate(&mut stream(args.seed, 0)).map_err(CliError::usage)?;
            let mut text = format!("{tasks} {machines} 0\n");
            for value in etc.values() {
                let _ = writeln!(text, "{value}");
            }
            return Ok(text);
        }
    };
    files::json(&file)
}

fn slots(count: Option<u32>, args: &GenerateArgs) -> Result<SlotList, CliError> {
    let model: SlotGenerator = read_params(args.params.as_deref())?.unwrap_or_default();
    let model = if let Some(count) = count { model.with_count(count..=count) } else { model };
    model.generate(&mut stream(args.seed, 0)).map_err(CliError::blame(args.params.as_deref()))
}

fn jobs(count: Option<u32>, args: &GenerateArgs) -> Result<Batch, CliError> {
    let model: JobGenerator = read_params(args.params.as_deref())?.unwrap_or_default();
    let model = if let Some(count) = count { model.with_jobs(count..=count) } else { model };
    // A random stream of its own, so that the slots and the jobs of one seed are independent.
    model.generate(&mut stream(args.seed, 1)).map_err(CliError::blame(args.params.as_deref()))
}

fn log_model(jobs: Option<usize>, cpus: Option<u32>, args: &GenerateArgs) -> Result<LogGenerator, CliError> {
    let params = args.params.as_deref();
    let mut model: LogGenerator = read_params(params)?.unwrap_or_default();
    model.jobs = jobs.unwrap_or(model.jobs);
    model.model.system_size = cpus.unwrap_or(model.model.system_size);
    model.validate().map_err(CliError::blame(params))?;
    Ok(model)
}

/// Draws a log and writes it record by record: it may be longer than memory.
fn log(jobs: Option<usize>, cpus: Option<u32>, args: &GenerateArgs) -> Result<(), CliError> {
    let model = log_model(jobs, cpus, args)?;
    match &args.out {
        Some(path) => files::write_file_by(path, |out| write_log(out, &model, args.seed)),
        None => terminal::print_by(|out| write_log(out, &model, args.seed)),
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

/// The model with the parameters of a file; `None` without one.
fn read_params<T: DeserializeOwned>(path: Option<&Path>) -> Result<Option<T>, CliError> {
    path.map(|path| files::parse_json(&files::read(path)?, path)).transpose()
}
