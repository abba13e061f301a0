//! The `study` command: published studies rerun, with ours beside the paper's.

mod live;
mod publish;
mod reading;
mod verdicts;

use crate::engine::{self, Engine, Shared};
use crate::error::CliError;
use crate::files::OutDir;
use crate::parts::{self, Header, Parts, Shard};
use crate::terminal;
use econsched_studies::{
    Failure, Garg2009, Iccs2011, Left2011, MultiSGrid, Progress, Replicates, Store, Study, StudyError,
    Window2018, Yadav,
};
use indicatif::{ProgressBar, ProgressStyle};
use live::LiveArgs;
use publish::publish;
use reading::Reading;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use verdicts::{Judged, publish_verdicts};

/// What to rerun.
#[derive(Debug, clap::Args)]
pub(crate) struct StudyArgs {
    #[command(subcommand)]
    study: Which,
}

#[derive(Debug, clap::Subcommand)]
enum Which {
    /// ALP against AMP over 25,000 scheduling cycles (Toporkov et al. 2011)
    Iccs2011 {
        /// Scheduling cycles to simulate
        #[arg(long, default_value_t = 25_000)]
        cycles: u64,
        /// Run every reading of what the paper leaves open, and say which comes nearest to all its figures
        #[arg(long)]
        explore: bool,
        #[command(flatten)]
        common: Common,
    },
    /// What the cycle of Toporkov et al. 2011 leaves on the table: its plans beside plans of all jobs together
    #[command(name = "left-2011")]
    Left2011 {
        /// Scheduling cycles; the batch of each is planned as a whole by time and by cost
        #[arg(long, default_value_t = 1_000)]
        cycles: u64,
        #[command(flatten)]
        common: Common,
    },
    /// Optimal windows against first fit on 100 and on 40 nodes (Toporkov, Yemelyanov 2018)
    Window2018 {
        /// Environments for each number of nodes
        #[arg(long, default_value_t = 1_000)]
        seeds: u64,
        /// Measure running times too: on one thread, after the report, in files of their own that differ from run to
        /// run
        #[arg(long)]
        timings: bool,
        #[command(flatten)]
        common: Common,
    },
    /// MinCTT, MaxCTT and Greedy on the EDG testbed (Garg et al. 2009)
    Garg2009 {
        /// Workloads, each run under all heuristics, trade-off factors and configurations
        #[arg(long, default_value_t = 100)]
        seeds: u64,
        /// Applications of a workload
        #[arg(long, default_value_t = 1_000)]
        jobs: usize,
        /// Schedule interval of the meta-broker, seconds
        #[arg(long, default_value_t = 50.0)]
        interval: f64,
        /// Local jobs of each resource, under EASY backfilling; the paper names none
        #[arg(long, default_value_t = 0)]
        local_jobs: usize,
        #[command(flatten)]
        common: Common,
    },
    /// Job grouping on seven resources (Yadav et al.)
    Yadav {
        /// Draws of the gridlets for each number of them
        #[arg(long, default_value_t = 2_000)]
        seeds: u64,
        #[command(flatten)]
        reading: Reading,
        #[command(flatten)]
        common: Common,
    },
    /// The live broker under each goal and policy of moves, beside EASY and conservative backfilling
    LiveBroker {
        #[command(flatten)]
        live: LiveArgs,
        #[command(flatten)]
        common: Common,
    },
    /// Every claim of the five papers with its verdict: all studies in their full sizes, as Markdown
    Verdicts {
        /// Rerun these studies alone; of the others the pages in the directory of --out stay and are counted
        #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "out",
              value_parser = ["iccs2011", "window2018", "garg2009", "yadav", "multi-s-grid"])]
        only: Vec<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Strategies of a provider on failing grids (Raeisi Gahrouei, Ghatee)
    MultiSGrid {
        /// Draws of grid, users and jobs: the ten grids of Table 1 in turn, each with both groups of Table 2
        #[arg(long, default_value_t = 100)]
        seeds: u64,
        /// Time slices of a run, one second each; jobs arrive in the first two thirds
        #[arg(long, default_value_t = 150)]
        slices: u32,
        #[command(flatten)]
        common: Common,
    },
}

/// What all studies take.
#[derive(Debug, Clone, clap::Args)]
struct Common {
    /// Seed: the same seed gives the same bytes, whatever the number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Worker threads [default: one for each core]
    #[arg(long)]
    threads: Option<usize>,
    /// Directory for report.md, tables (CSV) and charts (SVG); made if missing
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
    /// Compute only part I of N and keep it in the directory of --out, for `econsched merge`
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Shard>,
    #[command(flatten)]
    engine: Engine,
}

impl Which {
    /// All that the results depend on, as arguments.
    fn arguments(&self) -> Vec<String> {
        let (name, flags, common): (&str, Vec<(&str, String)>, &Common) = match self {
            Self::Iccs2011 { cycles, explore, common } => {
                let mut flags = vec![("--cycles", cycles.to_string())];
                if *explore {
                    flags.push(("--explore", String::new()));
                }
                ("iccs2011", flags, common)
            }
            Self::Left2011 { cycles, common } => {
                ("left-2011", vec![("--cycles", cycles.to_string())], common)
            }
            Self::Window2018 { seeds, timings: _, common } => {
                ("window2018", vec![("--seeds", seeds.to_string())], common)
            }
            Self::Garg2009 { seeds, jobs, interval, local_jobs, common } => {
                let flags = vec![
                    ("--seeds", seeds.to_string()),
                    ("--jobs", jobs.to_string()),
                    ("--interval", interval.to_string()),
                    ("--local-jobs", local_jobs.to_string()),
                ];
                ("garg2009", flags, common)
            }
            Self::Yadav { seeds, reading, common } => {
                let mut flags = vec![("--seeds", seeds.to_string())];
                flags.extend(reading.flags());
                ("yadav", flags, common)
            }
            Self::LiveBroker { live, common } => ("live-broker", live.flags(), common),
            Self::Verdicts { only, common } => {
                let only = only.iter().map(|name| ("--only", name.clone())).collect();
                ("verdicts", only, common)
            }
            Self::MultiSGrid { seeds, slices, common } => {
                let flags = vec![("--seeds", seeds.to_string()), ("--slices", slices.to_string())];
                ("multi-s-grid", flags, common)
            }
        };
        let seed = [("--seed", common.seed.to_string())];
        let flags = flags.into_iter().chain(seed).flat_map(|(flag, value)| [flag.to_owned(), value]);
        ["study".to_owned(), name.to_owned()]
            .into_iter()
            .chain(flags.filter(|word| !word.is_empty()))
            .collect()
    }

    /// The studies as the flags say, and the flags that all have.
    ///
    /// # Errors
    /// [`CliError`] for flags out of range, and for a log that cannot be read.
    fn studies(self) -> Result<(Vec<Box<dyn Study>>, Common), CliError> {
        Ok(match self {
            Self::Iccs2011 { cycles, explore, common } => {
                let study = Iccs2011::default().with_cycles(cycles).with_explore(explore);
                (vec![Box::new(study.with_seed(common.seed))], common)
            }
            Self::Left2011 { cycles, common } => {
                (vec![Box::new(Left2011::default().with_cycles(cycles).with_seed(common.seed))], common)
            }
            Self::Window2018 { seeds, timings, common } => {
                let study = Window2018::default().with_seeds(seeds).with_timings(timings);
                (vec![Box::new(study.with_seed(common.seed))], common)
            }
            Self::Garg2009 { seeds, jobs, interval, local_jobs, common } => {
                let study = Garg2009::default().with_seeds(seeds).with_jobs(jobs).with_interval(interval);
                (vec![Box::new(study.with_local_jobs(local_jobs).with_seed(common.seed))], common)
            }
            Self::Yadav { seeds, reading, common } => {
                let study = Yadav::default().with_seeds(seeds).with_config(reading.config()?);
                (vec![Box::new(study.with_seed(common.seed))], common)
            }
            Self::LiveBroker { live, common } => {
                (vec![Box::new(live.study()?.with_seed(common.seed))], common)
            }
            Self::MultiSGrid { seeds, slices, common } => {
                let study = MultiSGrid::default().with_seeds(seeds).with_slices(slices);
                (vec![Box::new(study.with_seed(common.seed))], common)
            }
            Self::Verdicts { only: _, common } => {
                let seed = common.seed;
                let studies: Vec<Box<dyn Study>> = vec![
                    Box::new(Iccs2011::default().with_seed(seed)),
                    Box::new(Window2018::default().with_seed(seed)),
                    Box::new(Garg2009::default().with_seed(seed)),
                    Box::new(Yadav::default().with_seed(seed)),
                    Box::new(MultiSGrid::default().with_seed(seed)),
                ];
                (studies, common)
            }
        })
    }
}

/// The records of a study in a file.
struct Records(Arc<Parts>);

impl Store for Records {
    fn wants(&self, _round: u32, index: u64) -> bool {
        self.0.wants(index)
    }

    fn get(&self, round: u32, index: u64) -> Option<Vec<u8>> {
        self.0.get(round, index)
    }

    fn put(&self, round: u32, index: u64, record: &[u8]) {
        self.0.put(round, index, record);
    }

    fn flush(&self) -> Result<(), Failure> {
        self.0.flush().map_err(Into::into)
    }
}

/// Runs a study, or a share of it.
pub(crate) fn run(args: StudyArgs) -> Result<(), CliError> {
    let arguments = args.study.arguments();
    let only = match &args.study {
        Which::Verdicts { only, .. } => only.clone(),
        _ => Vec::new(),
    };
    // What is kept is known by its arguments; a file may have changed in between.
    let of_a_file = matches!(&args.study, Which::LiveBroker { live, .. } if live.reads_a_file());
    let (studies, common) = args.study.studies()?;
    if of_a_file && (common.shard.is_some() || !common.engine.is_local()) {
        return Err(CliError::usage("--log: runs at once, without --shard and --engine"));
    }
    let [study] = studies.as_slice() else { return judge(&studies, &only, &common) };
    if !common.engine.is_local() {
        return shared_out(study.as_ref(), &common, arguments);
    }
    let Some(shard) = common.shard else {
        let checkpoint = match &common.out {
            Some(out) if !of_a_file => {
                OutDir::open(out)?;
                let place = out.join(format!("study-{}.checkpoint", study.name()));
                Parts::begin(&place, &Header::new(arguments, Shard::WHOLE))?.map(Arc::new)
            }
            _ => None,
        };
        return whole(study.as_ref(), &common, checkpoint);
    };
    let Some(out) = &common.out else {
        return Err(CliError::usage("--shard: say by --out where the part is to be"));
    };
    let place = out.join(parts::name(&format!("study-{}", study.name()), shard));
    let Some(part) = Parts::begin(&place, &Header::new(arguments, shard))?.map(Arc::new) else {
        return terminal::print(&parts::told(&place, shard, true, common.json)?);
    };
    match study.run(&replicates(&common)?.with_store(Box::new(Records(Arc::clone(&part))))) {
        Ok(_) | Err(StudyError::Part { .. }) => part.finish()?,
        Err(error) => return Err(stopped(&part, error)),
    }
    terminal::print(&parts::told(&place, shard, false, common.json)?)
}

/// Lets an engine compute a study in shards, and puts them together.
fn shared_out(study: &dyn Study, common: &Common, arguments: Vec<String>) -> Result<(), CliError> {
    let Some(out) = &common.out else {
        return Err(CliError::usage("--engine: say by --out where the results are to be"));
    };
    OutDir::open(out)?;
    let kind = format!("study-{}", study.name());
    let threads = common.threads.unwrap_or(1).to_string();
    let words = arguments.iter().cloned().chain(["--threads".to_owned(), threads]);
    let shared = Shared { kind: &kind, work: &arguments, arguments: words.collect(), out };
    let (_, parts) = Parts::merge(&common.engine.run(&shared)?)?;
    whole(study, common, Some(Arc::new(parts)))?;
    engine::clear(out, &kind)
}

/// Runs several studies for their verdicts alone: these only, if any are named.
fn judge(studies: &[Box<dyn Study>], only: &[String], common: &Common) -> Result<(), CliError> {
    if common.shard.is_some() || !common.engine.is_local() {
        return Err(CliError::usage("--shard and --engine are for one study at a time"));
    }
    let mut dir = common.out.as_deref().map(OutDir::open).transpose()?;
    let mut judged = Vec::new();
    for study in studies {
        let page = verdicts::page(study.name());
        judged.push(match &common.out {
            Some(out) if !only.is_empty() && !only.iter().any(|name| name == study.name()) => {
                Judged::before(study.name(), &out.join(page))?
            }
            _ => Judged::now(study.as_ref(), study.run(&replicates(common)?).map_err(failed)?),
        });
    }
    publish_verdicts(&judged, dir.as_mut(), common.json)?;
    dir.map_or(Ok(()), OutDir::publish)
}

/// Puts the parts of a study together.
///
/// # Errors
/// As for a study that is run at once; [`CliError::Usage`] for parts of another version of the study.
pub(crate) fn merge(args: StudyArgs, parts: Parts, out: Option<PathBuf>, json: bool) -> Result<(), CliError> {
    let (studies, common) = args.study.studies()?;
    let [study] = studies.as_slice() else { return Err(CliError::usage("parts of several studies")) };
    whole(study.as_ref(), &Common { out, json, ..common }, Some(Arc::new(parts)))
}

/// Runs a study to its report. What was done before is in the checkpoint, and what comes is kept there.
fn whole(study: &dyn Study, common: &Common, checkpoint: Option<Arc<Parts>>) -> Result<(), CliError> {
    let mut dir = common.out.as_deref().map(OutDir::open).transpose()?;
    let mut replicates = replicates(common)?;
    if let Some(checkpoint) = &checkpoint {
        replicates = replicates.with_store(Box::new(Records(Arc::clone(checkpoint))));
    }
    let report = study.run(&replicates).map_err(|error| match &checkpoint {
        Some(checkpoint) => stopped(checkpoint, error),
        None => failed(error),
    })?;
    publish(&report, common.json, dir.as_mut())?;
    if let Some(timings) = study.timings().map_err(failed)? {
        publish(&timings, common.json, dir.as_mut())?;
    }
    dir.map_or(Ok(()), OutDir::publish)?;
    checkpoint.map_or(Ok(()), |checkpoint| checkpoint.discard())
}

fn replicates(common: &Common) -> Result<Replicates, CliError> {
    Ok(Replicates::new(common.threads).map_err(failed)?.with_progress(Box::new(Bar::default())))
}

fn failed(error: StudyError) -> CliError {
    CliError::usage(error)
}

/// A part without a result is not worth keeping.
fn stopped(part: &Parts, error: StudyError) -> CliError {
    if part.is_empty()
        && let Err(error) = part.discard()
    {
        return error;
    }
    failed(error)
}

/// A progress bar on standard error, hidden where that is no terminal.
#[derive(Default)]
struct Bar(Mutex<Option<ProgressBar>>);

impl Progress for Bar {
    fn begin(&self, label: &str, count: u64) {
        if !terminal::shows_progress() {
            return;
        }
        let bar = ProgressBar::new(count).with_message(label.to_owned());
        if let Ok(style) = ProgressStyle::with_template("{msg:<28} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar);
    }

    fn step(&self) {
        if let Some(bar) = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            bar.inc(1);
        }
    }

    fn end(&self) {
        if let Some(bar) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}
