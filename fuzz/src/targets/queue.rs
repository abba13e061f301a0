//! Local policies on random jobs: what every schedule of a cluster must keep to.

use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use econsched::grid_sim::{LocalJob, Overrun, PolicyKind, ReplayOptions, replay};
use econsched::sched_model::{JobId, Machine, MachineId, Price, Span, Speed, Time};
use serde::{Deserialize, Serialize};

pub(crate) struct Queues;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    cpus: u32,
    jobs: Vec<JobCase>,
}

#[derive(Serialize, Deserialize)]
struct JobCase {
    submit: f64,
    cpus: u32,
    requested: f64,
    actual: f64,
}

impl Case {
    pub(crate) fn size(&self) -> usize {
        self.jobs.len()
    }

    /// The machine and its jobs.
    pub(crate) fn parts(&self) -> Result<(Machine, Vec<LocalJob>), Fault> {
        let machine = part(Machine::new(MachineId(0), self.cpus, Speed::ETALON, part(Price::new(0.1))?))?;
        let local = |(id, job): (u64, &JobCase)| {
            let (submit, requested) = (part(Time::new(job.submit))?, part(Span::new(job.requested))?);
            part(LocalJob::new(JobId(id), submit, job.cpus, requested, part(Span::new(job.actual))?))
        };
        let jobs = (0..).zip(&self.jobs).map(local).collect::<Result<_, Fault>>()?;
        Ok((machine, jobs))
    }
}

fn number(rng: &mut Rng, kind: usize) -> f64 {
    match kind {
        0 => rng.below(20) as f64,
        1 => rng.below(100) as f64 / 10.0,
        2 => *rng.pick(&[0.0, 1.0, 1e-9, 1e9, 5e-324, 1e16, 1e30]),
        _ => rng.unit() * 20.0,
    }
}

impl Target for Queues {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let kind = rng.below(4);
        let cpus = *rng.pick(&[1, 3, 8, 8]);
        let count = rng.size(30);
        let alike = rng.percent(15);
        let one = (number(rng, kind), number(rng, kind));
        let mut at = 0.0;
        let jobs = (0..count)
            .map(|_| {
                if rng.percent(70) {
                    at += number(rng, kind) / 4.0;
                }
                let (requested, actual) = if alike { one } else { (number(rng, kind), number(rng, kind)) };
                let widest = cpus as usize + usize::from(rng.percent(3));
                JobCase { submit: at, cpus: rng.range(1, widest) as u32, requested, actual }
            })
            .collect();
        Case { cpus, jobs }
    }

    fn judge(case: &Case) -> Verdict {
        let (machine, jobs) = case.parts()?;
        let late = case.jobs.iter().map(|job| job.submit.abs() + job.requested).sum::<f64>();
        for &kind in PolicyKind::ALL {
            let mut options = ReplayOptions::default();
            options.overrun = Overrun::Kill;
            let run = replay(&machine, kind.build(), &jobs, &options)?;
            ensure!(run.records.len() == jobs.len(), "{kind}: {} records", run.records.len());
            let mut events: Vec<(f64, i64)> = Vec::new();
            let mut previous: Option<(f64, u64)> = None;
            for (record, job) in run.records.iter().zip(&case.jobs) {
                if job.cpus > case.cpus {
                    ensure!(record.start.is_none(), "{kind}: a job too wide starts");
                    continue;
                }
                let Some(start) = record.start.map(Time::get) else {
                    // Refused, if start plus length rounds to the start.
                    if job.requested < 4.0 * (late.next_up() - late) {
                        continue;
                    }
                    ensure!(false, "{kind}: job {} never starts", record.id);
                    continue;
                };
                ensure!(
                    start >= job.submit,
                    "{kind}: job {} starts at {start} before {}",
                    record.id,
                    job.submit
                );
                let end = record.end().map_or(start, Time::get);
                let expected = start + job.actual.min(job.requested);
                ensure!(end == expected, "{kind}: job {} ends at {end}, should at {expected}", record.id);
                events.push((start, i64::from(job.cpus)));
                events.push((end, -i64::from(job.cpus)));
                if kind == PolicyKind::Fcfs {
                    if let Some((before, id)) = previous {
                        ensure!(start >= before, "fcfs: job {} overtakes {id}", record.id);
                    }
                    previous = Some((start, record.id.0));
                }
            }
            // Ends before starts at one instant; jobs of no length hold nothing.
            events.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let mut held = 0;
            let mut now = f64::NEG_INFINITY;
            for (at, change) in events {
                if at > now {
                    ensure!(held <= i64::from(case.cpus), "{kind}: {held} CPUs held before {at}");
                    now = at;
                }
                held += change;
            }
        }
        Ok(())
    }
}
