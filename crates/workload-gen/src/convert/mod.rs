//! Logs in other formats: conversion of text to records of the [Standard Workload Format](crate::swf), and back.
//!
//! | you have | use |
//! |---|---|
//! | a table with named columns | [`Format::Csv`] |
//! | the output of Slurm's `sacct`, `squeue`, as a table or as JSON | [`Format::Sacct`], [`Format::Squeue`]; [`Format::command`] prints it |
//! | the output of `sinfo`, as a table or as JSON | [`read_sinfo`], for nodes; the command is [`SINFO_COMMAND`] |
//! | Google's cluster traces of 2019 | [`Format::Google2019`] |
//! | tables of Alibaba's cluster trace of 2018, of Azure's machines | [`Format::Alibaba2018`], [`Format::Azure`] |
//! | a workload of Batsim | [`Format::Batsim`], [`write_batsim`] |
//! | a platform of Batsim | [`read_batsim_platform`], [`write_batsim_platform`] |
//! | jobs that ran, to be drawn by Evalys | [`write_jobs_csv`] |
//!
//! All functions convert text to values; none opens a file. Readers report what they drop, as [`crate::swf`] does:
//! a line without job number or submit time is dropped as a whole; any other value that cannot be read is dropped
//! alone.
//!
//! If instants are dates or seconds since 1970 (numbers above 10^8, in the year 1973), the log counts from the
//! first submit, and its comment `UnixStartTime` states that instant.

mod batsim;
mod clouds;
mod delimited;
mod draft;
mod hosts;
mod jobs_csv;
mod slurm;

use crate::WorkloadError;
use crate::swf::{SwfLog, SwfReport};
pub use batsim::{BatsimHost, read_batsim_platform, write_batsim, write_batsim_platform};
#[doc(hidden)]
pub use delimited::CSV_COLUMNS;
#[doc(hidden)]
pub use jobs_csv::lowest_free;
pub use jobs_csv::write_jobs_csv;
pub use slurm::{SINFO_COMMAND, SlurmNode, read_sinfo};

/// A format of logs. Each says which errors its texts may have.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Format<'a> {
    /// Plain CSV with named columns, separated by `,`, `;`, tab or `|`, whichever is most frequent in the first
    /// line.
    ///
    /// Columns are called job, submit, wait, start, end, runtime, allocated, cpu time, memory, processors, requested
    /// time, requested memory, status, user, group, executable, queue, partition, preceding, think time, in any case,
    /// with `_`, `-` or blanks between words. The pairs add others: a name in the text and one of the list. Columns
    /// with other names are ignored.
    ///
    /// Instants are seconds or `YYYY-MM-DDTHH:MM:SS`; durations are seconds or `[days-]hours:minutes:seconds`. Users,
    /// groups, executables, queues and partitions are names, which are numbered in the order of their first use; the
    /// comments of the log list them. Run time and wait follow from start and end if they are not given.
    ///
    /// ```
    /// use workload_gen::convert::Format;
    /// let text = "job,arrival,cpus,start,end,user\n1,0,4,10,70,anna\n2,5,two,20,30,bert\n";
    /// let conversion = Format::Csv(&[("arrival", "submit")]).read(text)?;
    /// assert_eq!((conversion.log.records[0].wait, conversion.log.records[0].runtime), (Some(10.0), Some(60.0)));
    /// assert_eq!(conversion.log.header.get_all("User").next(), Some("1 anna"));
    /// assert_eq!(
    ///     conversion.report.dropped[0].to_string(),
    ///     "line 3, column 3 (cpus): `two` is not a number; value dropped"
    /// );
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Table`] if the columns for job and submit time are missing, two columns have the same meaning,
    /// or a pair has a name that the text or the list does not have.
    Csv(&'a [(&'a str, &'a str)]),
    /// The output of Slurm's `sacct`: a table (see [`command`](Self::command) for the columns;
    /// others are ignored, and the order is free), or what `sacct --json` of Slurm 22.05, 23.11 or 24.05 prints. The
    /// versions have different layouts; the output of any other plugin is refused, because its numbers might have
    /// another meaning.
    ///
    /// Lines of job steps (`12.batch`, `12.0`) are skipped and counted. `TimelimitRaw` is in minutes; `Elapsed` and
    /// `Timelimit` (`[days-]hours:minutes:seconds`) are also read. Dates have no time zone and are used as they are. A
    /// job that has not ended has no status, and a job that has not started has no wait.
    ///
    /// ```
    /// use workload_gen::convert::Format;
    /// let text = "JobIDRaw|Submit|Start|End|ElapsedRaw|TimelimitRaw|AllocCPUS|State|User\n\
    ///     7|2024-05-01T08:00:00|2024-05-01T08:01:00|2024-05-01T08:03:00|120|60|16|COMPLETED|anna\n\
    ///     7.batch|2024-05-01T08:01:00|2024-05-01T08:01:00|2024-05-01T08:03:00|120||16|COMPLETED|\n";
    /// let conversion = Format::Sacct.read(text)?;
    /// let job = &conversion.log.records[0];
    /// assert_eq!(
    ///     (job.wait, job.runtime, job.requested_time, job.allocated),
    ///     (Some(60.0), Some(120.0), Some(3600.0), Some(16))
    /// );
    /// assert_eq!((conversion.skipped, conversion.log.header.unix_start_time()), (1, Some(1_714_550_400)));
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Table`] if the columns for job and submit time are missing, or two columns have the same
    /// meaning; [`WorkloadError::Json`] for JSON that has no jobs, or comes from an unknown plugin.
    Sacct,
    /// The output of Slurm's `squeue`: a table (see [`command`](Self::command) for the columns; others are ignored,
    /// and the order is free), or what `squeue --json` prints, of the versions that [`Sacct`](Self::Sacct) knows.
    ///
    /// For a waiting job the start is only expected and is ignored, as is the end of a running one; a waiting job's
    /// run time of 0 counts as absent. In a table a job's memory is that of `TRES_ALLOC`, provided that `MIN_MEMORY`
    /// shows a request for memory.
    ///
    /// ```
    /// use workload_gen::convert::Format;
    /// let text = "JOBID|SUBMIT_TIME|CPUS|STATE|PARTITION|TRES_ALLOC|MIN_MEMORY|NODELIST|\n\
    ///     7|2024-05-01T08:00:00|2|RUNNING|short|cpu=2,mem=4G,node=2|4G|n[1-2]|\n";
    /// let conversion = Format::Squeue.read(text)?;
    /// assert_eq!(conversion.log.records[0].requested_memory, Some(2.0 * 1024.0 * 1024.0)); // of a CPU, in KB
    /// assert_eq!(conversion.held[0], ["n1", "n2"]);
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Sacct`](Self::Sacct).
    Squeue,
    /// The table `instance_events` of Google's cluster traces of 2019: one JSON object per line, as published
    /// and as exported by BigQuery; numbers may be quoted.
    ///
    /// Each instance of a collection is a record; records are numbered from 1 in the order of their first events. An
    /// instance is submitted at its first SUBMIT, starts at its first SCHEDULE, and ends at its last EVICT, FAIL,
    /// FINISH, KILL or LOST, which also gives its status. Times are in microseconds, and the trace begins at 600
    /// seconds. Events before the beginning (time 0) or after the end of the trace have no known time, and an instance
    /// without a submit time is dropped. CPUs are fractions of the largest machine, which has so many processors;
    /// fractions of a processor are rounded up. The collection becomes the executable, the scheduling class the queue.
    /// Other events (QUEUE, ENABLE, UPDATE) are skipped and counted.
    ///
    /// ```
    /// use workload_gen::convert::Format;
    /// let event = |time: u64, kind: u8| {
    ///     format!(
    ///         "{}{}",
    ///         format!(r#"{{"time":"{time}","type":"{kind}","collection_id":"77","instance_index":"0","#),
    ///         r#""scheduling_class":"2","resource_request":{"cpus":0.25,"memory":0.1}}"#
    ///     )
    /// };
    /// let text = [event(700_000_000, 0), event(705_000_000, 3), event(805_000_000, 6)].join("\n");
    /// let log = Format::Google2019(64).read(&text)?.log;
    /// let job = &log.records[0];
    /// assert_eq!(
    ///     (job.submit, job.wait, job.runtime, job.allocated),
    ///     (Some(700.0), Some(5.0), Some(100.0), Some(16))
    /// );
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for no processor. A line that is not JSON is dropped.
    Google2019(u32),
    /// `batch_task.csv` of Alibaba's cluster trace v2018: task, instances, job, type, status, start, end, CPU
    /// (100 is one core), memory.
    ///
    /// Each task is a record, numbered from 1 in the order of the table, on as many processors as its instances need
    /// together, rounded up. The trace does not state when tasks were submitted, so the start is used instead, and no
    /// wait is known. The job becomes the executable, the type the queue. Tasks that never ran (start 0, or an end
    /// before the start) are dropped.
    ///
    /// ```
    /// let text = "M1,2.0,j_1,1,Terminated,87076,87098,50,0.6\nM2_1,1,j_1,1,Terminated,87098,87100,100,0.6\n";
    /// let log = workload_gen::convert::Format::Alibaba2018.read(text)?.log;
    /// assert_eq!((log.records[0].submit, log.records[0].runtime), (Some(87_076.0), Some(22.0)));
    /// assert_eq!((log.records[0].allocated, log.records[1].executable), (Some(1), Some(1)));
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Table`] for a text that cannot be split into rows.
    Alibaba2018,
    /// `vmtable.csv` of Azure's public dataset (V1 and V2): machine, subscription, deployment, created, deleted,
    /// three figures of CPU use, category, cores, memory in GB.
    ///
    /// Each virtual machine is a record, numbered from 1 in the order of the table: submitted when it was created, and
    /// running from then until it was deleted. The subscription becomes the user, the deployment the group, the
    /// category the queue. Buckets such as `>24` count as their bound.
    ///
    /// ```
    /// let text = "x,sub,dep,0,2591700,99.4,3.4,10.1,Delay-insensitive,4,32\n\
    ///     y,sub,dep2,300,600,9,3,5,Interactive,>24,>64\n";
    /// let log = workload_gen::convert::Format::Azure.read(text)?.log;
    /// assert_eq!((log.records[0].runtime, log.records[0].allocated), (Some(2_591_700.0), Some(4)));
    /// assert_eq!(
    ///     (log.records[1].submit, log.records[1].allocated, log.records[1].group),
    ///     (Some(300.0), Some(24), Some(2))
    /// );
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Table`] for a text that cannot be split into rows.
    Azure,
    /// A workload of the Batsim simulator: jobs with `id`, `subtime`, `res`, `walltime` and `profile`; `nb_res`
    /// is the size of the machine.
    ///
    /// Run times are those of profiles of type `delay`. Other profiles state computation and communication, but no
    /// time, so their run times are reported as lost. A job number may follow the name of its workload (`w0!7`).
    ///
    /// ```
    /// use workload_gen::convert::{Format, write_batsim};
    /// let text = r#"{"nb_res": 8,
    ///     "jobs": [{"id": "w0!7", "subtime": 10, "res": 4, "walltime": 100, "profile": "d"}],
    ///     "profiles": {"d": {"type": "delay", "delay": 60}}}"#;
    /// let log = Format::Batsim.read(text)?.log;
    /// assert_eq!(
    ///     (log.records[0].job, log.records[0].runtime, log.header.max_procs()),
    ///     (Some(7), Some(60.0), Some(8))
    /// );
    /// assert_eq!(Format::Batsim.read(&write_batsim(&log)?)?.log, log);
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Json`] for a text that is not JSON or has no jobs.
    Batsim,
}

impl Format<'_> {
    /// The command that prints Slurm's tables, with columns separated by `|`; `None` for other formats.
    pub fn command(self) -> Option<&'static str> {
        match self {
            Self::Sacct => Some(delimited::SACCT_COMMAND),
            Self::Squeue => Some(delimited::SQUEUE_COMMAND),
            _ => None,
        }
    }

    /// Reads a log in this format.
    ///
    /// # Errors
    /// Those of the format.
    pub fn read(self, text: &str) -> Result<Conversion, WorkloadError> {
        match self {
            Self::Csv(renamed) => delimited::read_csv(text, renamed),
            Self::Sacct => slurm::read_sacct(text),
            Self::Squeue => slurm::read_squeue(text),
            Self::Google2019(processors) => clouds::read_google_2019(text, processors),
            Self::Alibaba2018 => clouds::read_alibaba_tasks(text),
            Self::Azure => clouds::read_azure_machines(text),
            Self::Batsim => batsim::read_batsim(text),
        }
    }
}

/// A log read from another format.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Conversion {
    /// The log.
    pub log: SwfLog,
    /// What was dropped, and why. Lines are those of the text; in JSON, positions in the list of jobs, from 1.
    pub report: SwfReport,
    /// Number of lines that the rules of the format skip, such as job steps.
    pub skipped: u64,
    /// The names of the nodes that the job of each record holds; empty if the text does not name them.
    pub held: Vec<Vec<String>>,
}

impl std::fmt::Display for Conversion {
    /// One line: `12 records; 1 line lost, 2 values lost; 3 lines skipped`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let s = |count: u64| if count == 1 { "" } else { "s" };
        let records = self.log.records.len() as u64;
        write!(f, "{records} record{}; {}", s(records), self.report)?;
        write!(f, "; {} line{} skipped", self.skipped, s(self.skipped))
    }
}

/// Whether Slurm printed JSON, not a table.
fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '['])
}

/// Parses a JSON text with at most 128 levels.
fn parse_json(text: &str) -> Result<serde_json::Value, WorkloadError> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error: serde_json::Error| {
        // The library appends the place to its message.
        let mut why = error.to_string();
        why.truncate(why.rfind(" at line ").unwrap_or(why.len()));
        WorkloadError::Json { place: format!("line {}, column {}", error.line(), error.column()), why }
    })
}
