//! The record of a job: 18 optional fields and the text of any further ones.

use crate::WorkloadError;
use sched_model::{Job, JobId, ResourceRequest, Time, UserId, Work};
use std::fmt;

/// Declares the fields of a record as one table: variant of `SwfField`, name in the format, field of `SwfRecord` with
/// its type, and variant of [`Value`].
macro_rules! fields {
    ($($(#[$doc:meta])* $variant:ident $name:literal = $field:ident: $kind:ty => $value:ident,)*) => {
        /// The fields of a record, in their order on a line.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum SwfField {
            $($(#[$doc])* $variant,)*
        }

        impl SwfField {
            /// All fields in their order on a line.
            pub(crate) const ALL: [SwfField; 18] = [$(SwfField::$variant),*];

            /// The position on the line, 1 to 18.
            pub(crate) fn number(self) -> usize {
                self as usize + 1
            }

            /// The name of the field in the format.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(SwfField::$variant => $name,)*
                }
            }
        }

        /// One job of a log. Every field is optional; absent fields are written as `-1`.
        ///
        /// Times are in seconds, memory is in kilobytes per processor. Values from the reader are finite and not
        /// negative; the writer refuses others.
        ///
        /// ```
        /// use workload_gen::swf::SwfRecord;
        /// let job = SwfRecord { submit: Some(100.0), wait: Some(20.0), ..SwfRecord::default() };
        /// assert_eq!(job.start(), Some(120.0));
        /// ```
        #[derive(Debug, Clone, PartialEq, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct SwfRecord {
            $($(#[$doc])* pub $field: Option<$kind>,)*
            /// The text of fields 19 and up.
            pub extra: Vec<String>,
        }

        impl SwfRecord {
            /// The value of a field.
            pub(crate) fn value(&self, field: SwfField) -> Option<Value> {
                match field {
                    $(SwfField::$variant => self.$field.map(Value::$value),)*
                }
            }

            /// A mutable reference to a field.
            pub(crate) fn place(&mut self, field: SwfField) -> Place<'_> {
                match field {
                    $(SwfField::$variant => Place::$value(&mut self.$field),)*
                }
            }
        }
    };
}

fields! {
    /// Job number (field 1).
    Job "job number" = job: u64 => Count,
    /// Submit time in seconds since the start of the log (field 2).
    Submit "submit time" = submit: f64 => Real,
    /// Seconds from submit to start (field 3).
    Wait "wait time" = wait: f64 => Real,
    /// Wall clock seconds that the job ran (field 4).
    Runtime "run time" = runtime: f64 => Real,
    /// Processors allocated to the job (field 5).
    Allocated "allocated processors" = allocated: u64 => Count,
    /// Mean CPU seconds per processor (field 6).
    CpuTime "average CPU time used" = cpu_time: f64 => Real,
    /// Kilobytes used per processor (field 7).
    Memory "used memory" = memory: f64 => Real,
    /// Requested processors (field 8).
    RequestedProcessors "requested processors" = requested_processors: u64 => Count,
    /// Requested run time in seconds: the user's estimate or limit (field 9).
    RequestedTime "requested time" = requested_time: f64 => Real,
    /// Kilobytes requested per processor (field 10).
    RequestedMemory "requested memory" = requested_memory: f64 => Real,
    /// How the job ended (field 11): 0 failed, 1 completed, 5 cancelled before or after its start; for a part of a job
    /// 2 if a later line continues it, 3 or 4 if it is the last part of a job that completed or failed. Codes that the
    /// standard does not define are kept.
    Status "status" = status: u64 => Count,
    /// User (field 12).
    User "user" = user: u64 => Count,
    /// Group (field 13).
    Group "group" = group: u64 => Count,
    /// Executable (field 14).
    Executable "executable" = executable: u64 => Count,
    /// Queue (field 15); by convention 0 is the interactive one.
    Queue "queue" = queue: u64 => Count,
    /// Partition (field 16).
    Partition "partition" = partition: u64 => Count,
    /// Job that had to end before this one was submitted (field 17).
    Preceding "preceding job" = preceding: u64 => Count,
    /// Seconds from the end of the preceding job to the submit of this one (field 18).
    ThinkTime "think time" = think_time: f64 => Real,
}

impl fmt::Display for SwfField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field {} ({})", self.number(), self.name())
    }
}

/// The value of a field.
pub(crate) enum Value {
    Count(u64),
    Real(f64),
}

/// A mutable reference to the field of a record.
pub(crate) enum Place<'a> {
    Count(&'a mut Option<u64>),
    Real(&'a mut Option<f64>),
}

impl SwfRecord {
    /// The number of processors that the job needs: the requested number, otherwise the allocated one; `None` if
    /// both are unknown or zero.
    pub fn processors(&self) -> Option<u64> {
        let known = |p: &u64| *p > 0;
        self.requested_processors.filter(known).or(self.allocated.filter(known))
    }

    /// The run time that a scheduler may assume, in seconds: the requested time, or the actual run time if there is
    /// none.
    pub fn estimate(&self) -> Option<f64> {
        self.requested_time.or(self.runtime)
    }

    /// The approximate number of bytes of memory that the record takes.
    pub(super) fn size(&self) -> usize {
        // Each extra text takes its entry in the list, its bytes, and the overhead of the allocator.
        let extra = self.extra.iter().map(|text| size_of::<String>() + 16 + text.len());
        size_of::<Self>() + extra.sum::<usize>()
    }

    /// The instant at which the job started in the log: submit + wait.
    pub fn start(&self) -> Option<f64> {
        Some(self.submit? + self.wait?)
    }

    /// Converts the record to a job as a scheduler sees it: [`processors`](Self::processors) nodes for the time of the
    /// [`estimate`](Self::estimate) on nodes of speed 1, with job number, user (0 if absent) and submit time, without
    /// price limit, budget or deadline.
    ///
    /// `None` if the job number, the submit time, the processors or a positive estimate is missing, because there
    /// is nothing to schedule. Job numbers may repeat in a log, but not in a [`Batch`](sched_model::Batch).
    ///
    /// ```
    /// use workload_gen::swf::SwfLog;
    /// let (log, _) = SwfLog::read("7 30 -1 50 4 -1 -1 -1 60 -1 1 3 1 1 1 1 -1 -1".as_bytes())?;
    /// let job = log.records[0].to_job()?.unwrap();
    /// assert_eq!((job.id.0, job.user.0, job.submit.get()), (7, 3, 30.0));
    /// assert_eq!((job.request.nodes(), job.request.work().get()), (4, 60.0));
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for a user number or a number of processors that is too large,
    /// [`WorkloadError::Model`] for times that are not quantities.
    pub fn to_job(&self) -> Result<Option<Job>, WorkloadError> {
        let estimate = self.estimate().filter(|&estimate| estimate > 0.0);
        let (Some(id), Some(submit), Some(processors), Some(estimate)) =
            (self.job, self.submit, self.processors(), estimate)
        else {
            return Ok(None);
        };
        let user = self.user.unwrap_or(0);
        let user = u32::try_from(user)
            .map_err(|_| WorkloadError::parameter(SwfField::User.name(), user, "below 2^32"))?;
        let nodes = usize::try_from(processors)
            .map_err(|_| WorkloadError::parameter("processors", processors, "a size that memory can hold"))?;
        let request = ResourceRequest::new(nodes, Work::try_from(estimate)?)?;
        Ok(Some(Job::new(JobId(id), request).with_user(UserId(user)).with_submit(Time::try_from(submit)?)))
    }
}
