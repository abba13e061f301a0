//! Tables of public clouds, which have no header line.

use super::Conversion;
use super::draft::{Draft, Drafts, Meaning, shown};
use super::table::Rows;
use crate::WorkloadError;
use crate::swf::{DropReason, Lost, SwfField, SwfHeader, SwfStatus};

/// `batch_task.csv` of Alibaba's cluster trace v2018: task, instances, job, type, status, start, end, CPU
/// (100 is one core), memory.
///
/// Each task is a record, numbered from 1 in the order of the table, on as many processors as its instances
/// need together, rounded up. The trace does not state when tasks were submitted: the start is used instead,
/// and no wait is known. The job is kept as the executable, the type as the queue. Tasks that never ran
/// (start or end 0) are dropped.
///
/// ```
/// let text = "M1,2.0,j_1,1,Terminated,87076,87098,50,0.6\nM2_1,1,j_1,1,Terminated,87098,87100,100,0.6\n";
/// let log = workload_gen::convert::read_alibaba_tasks(text)?.log;
/// assert_eq!((log.records[0].submit, log.records[0].runtime), (Some(87_076.0), Some(22.0)));
/// assert_eq!((log.records[0].allocated, log.records[1].executable), (Some(1), Some(1)));
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
///
/// # Errors
/// [`WorkloadError::Table`] for a text that cannot be split into rows.
pub fn read_alibaba_tasks(text: &str) -> Result<Conversion, WorkloadError> {
    read(text, 9, |drafts, draft, cells| {
        let [_, instances, job, kind, status, start, end, cpu, _] = cells else { return Ok(()) };
        let number = |text: &str, field| {
            text.parse::<f64>()
                .ok()
                .filter(|value| value.is_finite() && *value >= 0.0)
                .ok_or_else(|| (field, DropReason::NotANumber { text: shown(text) }))
        };
        let (begin, until) = (number(start, SwfField::Submit)?, number(end, SwfField::Runtime)?);
        if begin == 0.0 || until < begin {
            return Err((SwfField::Submit, DropReason::Missing));
        }
        draft.record.submit = Some(begin);
        draft.record.runtime = Some(until - begin);
        let cores = number(instances, SwfField::Allocated)? * number(cpu, SwfField::Allocated)? / 100.0;
        draft.record.allocated = (cores > 0.0 && cores < 1e9).then(|| cores.ceil() as u64);
        draft.record.status = match status.as_str() {
            "Terminated" => Some(SwfStatus::COMPLETED),
            "Failed" => Some(SwfStatus::FAILED),
            _ => None,
        };
        drafts.name(&mut draft.record, SwfField::Executable, job);
        drafts.name(&mut draft.record, SwfField::Queue, kind);
        Ok(())
    })
}

/// `vmtable.csv` of Azure's public dataset (V1 and V2): machine, subscription, deployment, created, deleted,
/// three figures of CPU, category, cores, memory in GB.
///
/// Each machine is a record, numbered from 1 in the order of the table: submitted when it was created,
/// running at once until it was deleted. The subscription is the user, the deployment the group, the category
/// the queue. Buckets such as `>24` count as their bound.
///
/// ```
/// let text = "x,sub,dep,0,2591700,99.4,3.4,10.1,Delay-insensitive,4,32\n\
///     y,sub,dep2,300,600,9,3,5,Interactive,>24,>64\n";
/// let log = workload_gen::convert::read_azure_machines(text)?.log;
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
pub fn read_azure_machines(text: &str) -> Result<Conversion, WorkloadError> {
    read(text, 11, |drafts, draft, cells| {
        let [_, user, group, created, deleted, _, _, _, category, cores, memory] = cells else {
            return Ok(());
        };
        let bound = |text: &str| text.trim_start_matches('>').to_owned();
        let mut set =
            |meaning, field, text: &str| drafts.set(draft, meaning, text).map_err(|reason| (field, reason));
        set(Meaning::Field(SwfField::Submit), SwfField::Submit, created)?;
        set(Meaning::Start, SwfField::Wait, created)?;
        set(Meaning::End, SwfField::Runtime, deleted)?;
        set(Meaning::Field(SwfField::Allocated), SwfField::Allocated, &bound(cores))?;
        set(Meaning::Field(SwfField::User), SwfField::User, user)?;
        set(Meaning::Field(SwfField::Group), SwfField::Group, group)?;
        set(Meaning::Field(SwfField::Queue), SwfField::Queue, category)?;
        let gigabytes = bound(memory).parse::<f64>().ok().filter(|memory| *memory >= 0.0);
        let cores = draft.record.allocated.filter(|&cores| cores > 0);
        if let (Some(gigabytes), Some(cores)) = (gigabytes, cores) {
            let each = gigabytes * 1024.0 * 1024.0 / cores as f64;
            draft.record.requested_memory = each.is_finite().then_some(each);
        }
        Ok(())
    })
}

/// Reads rows of this number of cells. Where `fill` returns a field and a reason, the line is dropped.
fn read(
    text: &str,
    columns: usize,
    fill: impl Fn(&mut Drafts, &mut Draft, &[String]) -> Result<(), (SwfField, DropReason)>,
) -> Result<Conversion, WorkloadError> {
    let mut drafts = Drafts::default();
    for (number, row) in (1..).zip(Rows::new(text, ',')) {
        let row = row?;
        if row.cells.len() != columns {
            let reason = DropReason::Cells { found: row.cells.len(), expected: columns };
            drafts.lose(row.line, None, Lost::Line, reason);
            continue;
        }
        let mut draft = Draft::default();
        draft.record.job = Some(number);
        match fill(&mut drafts, &mut draft, &row.cells) {
            Ok(()) => drafts.push(row.line, draft),
            Err((field, reason)) => drafts.lose(row.line, Some(field), Lost::Line, reason),
        }
    }
    Ok(drafts.finish(SwfHeader::default()))
}
