//! Textbook versions of the local policies, which count second by second what is held.

use grid_sim::{LocalJob, PolicyKind};

/// CPUs, memory, GPUs.
pub(crate) type Amounts = [i64; 3];

pub(crate) fn whole(span: f64) -> usize {
    span as usize
}

fn requested(job: &LocalJob) -> usize {
    whole(job.requested.get())
}

fn actual(job: &LocalJob) -> usize {
    requested(job).min(whole(job.actual.get()))
}

fn amounts(job: &LocalJob) -> Amounts {
    [job.cpus, job.memory, job.gpus].map(i64::from)
}

/// Adds what the job takes to these seconds, so many times.
fn hold(seconds: &mut [Amounts], job: &LocalJob, times: i64) {
    for held in seconds.iter_mut().flat_map(|held| held.iter_mut().zip(amounts(job))) {
        *held.0 += times * held.1;
    }
}

/// The starts of jobs in order of arrival, on a machine that has so much. First come, first served, nobody overtakes.
/// By EASY the first that waits is promised its earliest start, and others start where they do not delay it; by
/// conservative backfilling all that wait are promised theirs. Who takes less time than requested gives the rest
/// back: then promises are made anew.
pub(crate) fn textbook(kind: PolicyKind, jobs: &[LocalJob], total: Amounts) -> Vec<usize> {
    let submit = |job: &LocalJob| whole(job.submit.get());
    // What is held in each second by jobs that run, for as long as they requested, and by promises.
    let mut held = vec![[0; 3]; jobs.iter().map(|job| submit(job) + requested(job)).sum()];
    let (mut starts, mut promises) = (vec![None; jobs.len()], vec![None; jobs.len()]);
    let (mut running, mut now) = (Vec::new(), 0);
    while starts.contains(&None) {
        let mut anew = false;
        running.retain(|&(start, job): &(usize, &LocalJob)| {
            let (end, until) = (start + actual(job), start + requested(job));
            if end == now {
                hold(&mut held[end..until], job, -1);
                anew |= end < until;
            }
            end > now
        });
        let mut one_waits = false;
        for (at, job) in jobs.iter().enumerate().filter(|(_, job)| submit(job) <= now) {
            if starts[at].is_some() {
                continue;
            }
            if one_waits && kind == PolicyKind::Fcfs {
                break;
            }
            if let Some(start) = promises[at] {
                if start > now && !anew {
                    one_waits = true;
                    continue;
                }
                hold(&mut held[start..start + requested(job)], job, -1);
            }
            let fits = |start: &usize| {
                let mut seconds = held[*start..*start + requested(job)].iter();
                seconds.all(|held| (0..3).all(|part| held[part] + amounts(job)[part] <= total[part]))
            };
            let backfills = one_waits && kind == PolicyKind::Easy;
            let start = if backfills { Some(now).filter(fits) } else { (now..).find(fits) };
            let Some(start) = start else { continue };
            hold(&mut held[start..start + requested(job)], job, 1);
            if start == now {
                starts[at] = Some(now);
                running.push((now, job));
            } else {
                promises[at] = Some(start);
                one_waits = true;
            }
        }
        // What a job without runtime took is free again at the same instant.
        now += usize::from(running.iter().all(|(start, job)| start + actual(job) > now));
    }
    starts.into_iter().flatten().collect()
}
