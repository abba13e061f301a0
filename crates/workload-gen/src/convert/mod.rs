//! Conversion of logs in other formats to records of the [Standard Workload Format](crate::swf), and back.
//!
//! | you have | use |
//! |---|---|
//! | a table with named columns | [`Format::Csv`] |
//! | the output of Slurm's `sacct`, `squeue`, as a table or as JSON | [`Format::Sacct`], [`Format::Squeue`]; [`Format::command`] prints it |
//! | the output of `sinfo`, as a table or as JSON | [`read_sinfo`], which returns nodes; [`SINFO_COMMAND`] prints the table |
//! | Google's cluster traces of 2019 | [`Format::Google2019`] |
//! | tables of Alibaba's cluster trace of 2018, of Azure's machines | [`Format::Alibaba2018`], [`Format::Azure`] |
//! | a workload of Batsim | [`Format::Batsim`], [`write_batsim`] |
//! | a platform of Batsim | [`read_batsim_platform`], [`write_batsim_platform`] |
//! | a log of jobs that ran, to be drawn by Evalys | [`write_jobs_csv`] |
//!
//! All functions convert between text and values; none opens a file. Readers report what they drop, as [`crate::swf`]
//! does: a line without job number or submit time is dropped as a whole; any other value that cannot be read is
//! dropped alone.
//!
//! If a log contains dates, or if all its submit times are above 10^8 (seconds since 1970, in the year 1973 or later),
//! the times of the converted log count from the first submit, rounded down to a second, and its comment
//! `UnixStartTime` states that instant.

mod batsim;
mod clouds;
mod delimited;
mod draft;
mod hosts;
mod jobs_csv;
mod slurm;
mod times;

use crate::WorkloadError;
use crate::swf::{SwfLog, SwfReport};
#[doc(hidden)]
pub use batsim::batsim_job;
pub use batsim::{BatsimHost, read_batsim_platform, write_batsim, write_batsim_platform};
#[doc(hidden)]
pub use delimited::csv_columns;
#[doc(hidden)]
pub use jobs_csv::lowest_free;
pub use jobs_csv::write_jobs_csv;
use sched_model::internal::counted;
use serde_json::Value;
pub use slurm::{SINFO_COMMAND, SlurmNode, read_sinfo};

/// A format of logs. The documentation of each variant says which errors [`read`](Self::read) returns for it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Format<'a> {
    /// Plain CSV with named columns, separated by `,`, `;`, tab or `|`, whichever is most frequent in the first
    /// line that is not blank.
    ///
    /// Columns are called job, submit, wait, start, end, runtime, allocated, cpu time, memory, processors, requested
    /// time, requested memory, status, ending (as in a simulation's table of jobs), user, group, executable, queue,
    /// partition, preceding, think time, in upper or lower case, with `_`, `-` or blanks between words; some have
    /// further names, such as walltime for requested time. Each pair of the argument gives a column of the text, by its
    /// name there, the meaning of one of these names. Columns with other names are ignored.
    ///
    /// Instants are seconds or `YYYY-MM-DDTHH:MM:SS`; durations are seconds or `[days-]hours:minutes:seconds`. Users,
    /// groups, executables, queues and partitions may be names: unless all values of the column are whole numbers, they
    /// are numbered in the order of their first use, and the comments of the log list them. Run time and wait follow
    /// from start and end if they are not given. A column `requested` states times beside a column `ending`, as in a
    /// simulation's table of jobs; in other tables it is ignored.
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
    /// [`WorkloadError::Table`] if the column for job or submit time is missing, two columns have the same meaning,
    /// a pair has a name that the text or the list above does not have, or the text cannot be split into rows.
    Csv(&'a [(&'a str, &'a str)]),
    /// The output of Slurm's `sacct`: a table (see [`command`](Self::command) for the columns, which may be in any
    /// order; others are ignored), or what `sacct --json` of Slurm 22.05, 23.11 or 24.05 prints. These versions have
    /// different layouts; the output of any other plugin is refused, because its numbers might have another meaning.
    ///
    /// Lines of job steps (`12.batch`, `12.0`) are skipped and counted. `TimelimitRaw` is in minutes; `Elapsed` and
    /// `Timelimit` (`[days-]hours:minutes:seconds`) are also read. Dates have no time zone, and none is applied. A job
    /// that has not ended has no status, and a job that has not started has no wait.
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
    /// [`WorkloadError::Table`] if the column for job or submit time is missing, two columns have the same meaning, or
    /// the text cannot be split into rows; [`WorkloadError::Json`] for invalid JSON, and for JSON that has no list of
    /// jobs or comes from an unknown plugin.
    Sacct,
    /// The output of Slurm's `squeue`: a table (see [`command`](Self::command) for the columns, which may be in any
    /// order; others are ignored), or what `squeue --json` of the versions of [`Sacct`](Self::Sacct) prints.
    ///
    /// The start of a waiting job and the end of a running one are only expected, so they are ignored; so is the run
    /// time of a waiting job. In a table the memory of a job is that of `TRES_ALLOC`, unless `MIN_MEMORY` is 0: then
    /// the job requested no memory.
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
    /// and as exported by BigQuery; numbers may be quoted. The argument is the number of processors of the largest
    /// machine.
    ///
    /// Each instance of a collection is a record, numbered from 1 in the order of the text, in which events may stand
    /// in any order. An instance is submitted at its first SUBMIT, starts at its first SCHEDULE, and ends at its last
    /// EVICT, FAIL, FINISH, KILL or LOST, which also gives its status; it has not ended if a SUBMIT or SCHEDULE is
    /// later than that. Times are in microseconds, and the trace begins at 600 seconds. Events before the beginning
    /// (time 0) or after the end of the trace have no known time, and an instance without a submit time is dropped.
    /// CPUs are fractions of the largest machine; the first fraction in the text counts, and the number of processors
    /// is rounded up. The collection becomes the executable, the scheduling class the queue. Other events (QUEUE,
    /// ENABLE, UPDATE) are skipped and counted.
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
    /// [`WorkloadError::Parameter`] if the argument is 0. A line that is not JSON is dropped.
    Google2019(u32),
    /// `batch_task.csv` of Alibaba's cluster trace v2018: task, instances, job, type, status, start, end, CPU
    /// (100 is one core), memory.
    ///
    /// Each task is a record, numbered from 1 in the order of the table; its processors are the sum over its
    /// instances, rounded up. The trace does not state when tasks were submitted, so the start is used instead, and no
    /// wait is known. The job becomes the executable, the type the queue. A time of 0 is outside the trace: a task that
    /// starts at 0 is dropped, and one that ends at 0 has no run time. A task that ends before it starts is dropped.
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
    /// Each virtual machine is a record, numbered from 1 in the order of the table: submitted and started when it was
    /// created, ended when it was deleted. The subscription becomes the user, the deployment the group, the category
    /// the queue. Buckets such as `>24` count as their bound.
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
    /// time, so their run times are reported as lost. The name of its workload may precede a job number (`w0!7`).
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
    /// [`WorkloadError::Json`] for a text that is not JSON or has no list of jobs.
    Batsim,
}

impl Format<'_> {
    /// The command of Slurm that prints the table in this format, with columns separated by `|`; `None` for formats
    /// of other programs.
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
    /// See the variant of the format.
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
    /// The lines and values that were dropped. Lines are those of the text; for one JSON text, positions in its list of
    /// jobs, from 1.
    pub report: SwfReport,
    /// The number of lines that the rules of the format skip, such as job steps.
    pub skipped: u64,
    /// The names of the nodes that the job of each record holds; empty if the text does not name them.
    pub held: Vec<Vec<String>>,
}

impl std::fmt::Display for Conversion {
    /// One line: `12 records; 1 line lost, 2 values lost; 3 lines skipped`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (records, skipped) = (counted(self.log.records.len(), "record"), counted(self.skipped, "line"));
        write!(f, "{records}; {}; {skipped} skipped", self.report)
    }
}

/// Whether a text of Slurm is JSON, not a table.
fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '['])
}

/// Parses a JSON text with at most 128 levels of nesting.
fn parse_json(text: &str) -> Result<Value, WorkloadError> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error: serde_json::Error| {
        // The library appends the place to its message.
        let mut why = error.to_string();
        why.truncate(why.rfind(" at line ").unwrap_or(why.len()));
        WorkloadError::Json { place: format!("line {}, column {}", error.line(), error.column()), why }
    })
}

/// Returns the member `name` of an object, which must be a list.
fn list<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>, WorkloadError> {
    let missing = || WorkloadError::Json { place: name.to_owned(), why: "no list".to_owned() };
    value[name].as_array().ok_or_else(missing)
}
