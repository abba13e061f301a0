//! `econsched convert`: converts logs from and to other formats.

use super::prelude::*;
use crate::commands::plan::log::{self as at_instant, LogArgs};
use econsched::workload_gen::WorkloadError;
use econsched::workload_gen::convert::{
    BatsimHost, Conversion, Format, batsim_job, write_batsim, write_batsim_platform, write_jobs_csv,
};
use econsched::workload_gen::swf::{self, SwfHeader, SwfLog, SwfReport};

flags! {
    /// Convert logs of Slurm, clouds and simulators to the Standard Workload Format, scenarios or Batsim, and
    /// back
    #[command(after_long_help = include_str!("../help/convert.txt"), allow_negative_numbers = true)]
    pub(crate) struct ConvertArgs {
        /// File to convert, plain or gzip; `-` is standard input
        operand input: PathBuf as "FILE",
        /// Format of the file
        from: SourceFormat,
        /// Format to convert it to
        to: TargetFormat = "swf",
        /// Columns of the CSV that have other names: theirs=ours, separated by commas
        columns: Vec<String> as "NAME=NAME" [value_delimiter = ','],
        /// Processors of the machine [default: as in the log, else the most that its jobs use at once]. For
        /// google2019: processors of the largest machine; the trace gives shares of it
        cpus: Option<u32> as "COUNT" => count::<u32>(1, u32::MAX.into()),
        /// Output file [default: standard output]
        out: Option<PathBuf> as "FILE",
        /// Write here, as JSON, each value that was lost in the conversion and the reason
        losses: Option<PathBuf> as "FILE",
        [flatten] log: LogArgs,
    }
}

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SourceFormat {
    /// The Standard Workload Format
    Swf,
    /// A table with named columns
    Csv,
    /// Output of `sacct` of Slurm, text or JSON (22.05, 23.11, 24.05)
    Sacct,
    /// Output of `squeue` of Slurm, text or JSON (22.05, 23.11, 24.05)
    Squeue,
    /// instance_events of Google's traces of 2019, one JSON object on each line
    Google2019,
    /// batch_task.csv of Alibaba's trace of 2018
    Alibaba2018,
    /// vmtable.csv of Azure's traces
    Azure,
    /// A workload of Batsim (JSON)
    Batsim,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum TargetFormat {
    /// The Standard Workload Format
    Swf,
    /// A scenario for `plan`: the jobs that wait at an instant, and the CPUs that are free from then on
    /// (--at, --jobs, ...)
    Scenario,
    /// A workload of Batsim (JSON)
    Batsim,
    /// A platform of Batsim with one host for each processor of the machine (XML)
    Platform,
    /// The jobs as they ran, in the format that Batsim writes and Evalys draws (CSV); each job is given the
    /// free CPUs with the lowest numbers
    Evalys,
}

/// Maximum number of hosts of a platform.
const MOST_HOSTS: u64 = 10_000_000;

/// Number of losses that are printed one by one.
const SHOWN_LOSSES: usize = 5;

impl Command for ConvertArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let path = self.input.as_path();
        if self.from != SourceFormat::Csv && !self.columns.is_empty() {
            return Err(CliError::usage("--columns goes with --from csv"));
        }
        if self.to != TargetFormat::Scenario {
            context.given.refuse(crate::commands::plan::LOG_FLAGS, "goes with --to scenario")?;
        }
        let mut conversion = read(self)?;
        if let Some(size) = self.cpus.filter(|_| self.from != SourceFormat::Google2019) {
            // Before the comments of the log, because the first one counts.
            let mut header = SwfHeader::default();
            header.push(&format!(" MaxProcs: {size}"));
            conversion.log.header.lines().iter().for_each(|line| header.push(line));
            conversion.log.header = header;
        }
        let mut remarks = remarks_on(path, &conversion);
        let written = if conversion.log.records.is_empty() {
            Err(CliError::input(path, "no record could be read"))
        } else {
            write(self, &conversion, &mut remarks)
        };
        // Losses are reported and written even if nothing is left.
        let mut report = match written {
            Ok(text) => Report::raw(text, self.out.as_deref()),
            Err(error) => Report::raw(String::new(), None).with_end(|| Err(error)),
        };
        if let Some(place) = &self.losses {
            report = report.with_file_at(place.clone(), files::json(&conversion.report)?);
        }
        Ok(remarks.into_iter().fold(report, Report::with_remark))
    }
}

fn read(args: &ConvertArgs) -> Result<Conversion, CliError> {
    let path = args.input.as_path();
    let wrong = |pair| CliError::usage(format!("--columns {pair}: expected NAME=NAME"));
    let pairs = args.columns.iter().map(|pair| pair.split_once('=').ok_or_else(|| wrong(pair)));
    let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
    let format = match args.from {
        SourceFormat::Swf => {
            let mut conversion = Conversion::default();
            // The comments of a log may be in any encoding.
            let read = SwfLog::read(files::read(path)?.as_slice()).map_err(CliError::of_file(path))?;
            (conversion.log, conversion.report) = read;
            return Ok(conversion);
        }
        SourceFormat::Csv => Format::Csv(&pairs),
        SourceFormat::Sacct => Format::Sacct,
        SourceFormat::Squeue => Format::Squeue,
        SourceFormat::Google2019 => {
            let why =
                "--cpus: the trace gives shares of the largest machine: give the number of its processors";
            Format::Google2019(args.cpus.ok_or_else(|| CliError::usage(why))?)
        }
        SourceFormat::Alibaba2018 => Format::Alibaba2018,
        SourceFormat::Azure => Format::Azure,
        SourceFormat::Batsim => Format::Batsim,
    };
    format.read(&files::read_text(path)?).map_err(CliError::of_file(path))
}

/// Describes what was read, what was lost, and why.
fn remarks_on(path: &Path, Conversion { log, report, skipped, .. }: &Conversion) -> Vec<String> {
    let mut counts = format!("{}: {}", Place::file(path), counted(log.records.len(), "record"));
    if *skipped > 0 {
        counts.push_str(&format!(", {} skipped by the rules of the format", counted(*skipped, "line")));
    }
    if report.dropped.is_empty() {
        return if *skipped > 0 { vec![counts] } else { Vec::new() };
    }
    let (lines, values) = (counted(report.lost_lines, "line"), counted(report.lost_values, "value"));
    let mut remarks = vec![format!("{counts}; {lines} and {values} dropped:")];
    remarks.extend(by_reason(report).into_iter().map(|(reason, count)| format!("  {count} x {reason}")));
    remarks.extend(report.dropped.iter().take(SHOWN_LOSSES).map(|loss| format!("  {loss}")));
    if report.dropped.len() > SHOWN_LOSSES {
        remarks.push("  ...; --losses FILE writes all of them".to_owned());
    }
    remarks
}

/// Counts the losses by column and reason, most frequent first.
fn by_reason(report: &SwfReport) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for loss in &report.dropped {
        *counts.entry(loss.kind()).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

fn write(args: &ConvertArgs, conversion: &Conversion, remarks: &mut Vec<String>) -> Result<String, CliError> {
    let (path, log) = (args.input.as_path(), &conversion.log);
    let wrong = |error: WorkloadError| CliError::input(path, error);
    let mut tell_left_out = |written: usize, without: &str| {
        let left = log.records.len() - written;
        if left > 0 {
            remarks.push(format!("left out: {} without {without}", counted(left, "record")));
        }
    };
    match args.to {
        TargetFormat::Swf => {
            let mut bytes = Vec::new();
            swf::write(&mut bytes, &log.header, &log.records).map_err(wrong)?;
            String::from_utf8(bytes).map_err(CliError::fault)
        }
        TargetFormat::Platform => {
            let why = "the log does not give the size of the machine: give it by --cpus";
            let size = log.header.max_procs().ok_or_else(|| CliError::input(path, why))?;
            if size > MOST_HOSTS {
                return Err(CliError::usage(format!("more than {MOST_HOSTS} hosts")));
            }
            let host = |number| BatsimHost { name: format!("n{number}"), speed: 1e9 };
            let hosts: Vec<BatsimHost> = (0..size).map(host).collect();
            write_batsim_platform(&hosts).map_err(wrong)
        }
        TargetFormat::Batsim => {
            let workload = write_batsim(log).map_err(wrong)?;
            tell_left_out(log.records.iter().filter_map(batsim_job).count(), "run time or processors");
            Ok(workload)
        }
        TargetFormat::Scenario => {
            let scenario = at_instant::scenario(log, &conversion.report, path, &args.log)?;
            files::json(&object! { name: scenario.title, slots: scenario.slots, jobs: scenario.batch })
        }
        TargetFormat::Evalys => {
            let table = write_jobs_csv(log).map_err(wrong)?;
            let written = table.lines().skip(1).count();
            tell_left_out(written, "start, run time or processors");
            if written == 0 {
                return Err(CliError::NoPlan("no job of the log ran: there is nothing to draw".to_owned()));
            }
            Ok(table)
        }
    }
}
