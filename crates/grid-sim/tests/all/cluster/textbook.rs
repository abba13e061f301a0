//! EASY and conservative backfilling as they are usually told, counting by the second what is held.

use grid_sim::LocalJob;

pub(crate) fn parts(job: &LocalJob) -> [u32; 3] {
    let (cpus, memory, gpus) = (job.cpus, job.memory, job.gpus);
    [cpus, memory, gpus]
}

pub(crate) fn within(some: [u32; 3], most: [u32; 3]) -> bool {
    some.iter().zip(most).all(|(some, most)| *some <= most)
}

pub(crate) fn add(all: [u32; 3], one: [u32; 3]) -> [u32; 3] {
    [0, 1, 2].map(|part| all[part] + one[part])
}

pub(crate) fn less(all: [u32; 3], one: [u32; 3]) -> [u32; 3] {
    [0, 1, 2].map(|part| all[part] - one[part])
}

pub(crate) fn whole(span: f64) -> usize {
    span as usize
}

pub(crate) fn requested(job: &LocalJob) -> usize {
    whole(job.requested.get())
}

pub(crate) fn actual(job: &LocalJob) -> usize {
    requested(job).min(whole(job.actual.get()))
}

/// When a job may end at the latest, and what it holds until then.
pub(crate) type Limit = (usize, [u32; 3]);

/// EASY as it is usually told: the shadow time of the head, and what is left beside it then.
pub(crate) fn textbook_easy(jobs: &[LocalJob], total: [u32; 3]) -> Vec<usize> {
    let mut starts = vec![None::<usize>; jobs.len()];
    let mut now = 0;
    while starts.contains(&None) {
        let before = starts.clone();
        let runs = |job: usize, starts: &[Option<usize>]| {
            starts[job].is_some_and(|start| start + actual(&jobs[job]) > now)
        };
        let held: Vec<usize> = (0..jobs.len()).filter(|&job| runs(job, &starts)).collect();
        let mut free = held.iter().fold(total, |free, &job| less(free, parts(&jobs[job])));
        let mut limits: Vec<Limit> = held
            .iter()
            .map(|&job| (starts[job].unwrap() + requested(&jobs[job]), parts(&jobs[job])))
            .collect();
        let waiting: Vec<usize> = (0..jobs.len())
            .filter(|&job| starts[job].is_none() && whole(jobs[job].submit.get()) <= now)
            .collect();
        let mut beside: Option<(usize, [u32; 3])> = None; // the shadow, and what is left then
        for &job in &waiting {
            let takes = parts(&jobs[job]);
            let end = now + requested(&jobs[job]);
            let Some((shadow, extra)) = &mut beside else {
                if within(takes, free) {
                    starts[job] = Some(now);
                    free = less(free, takes);
                    limits.push((end, takes));
                } else {
                    limits.sort_unstable();
                    let mut shadow = (now, free);
                    for &(until, gives) in &limits {
                        if within(takes, shadow.1) && until > shadow.0 {
                            break;
                        }
                        shadow = (until, add(shadow.1, gives));
                    }
                    beside = Some((shadow.0, less(shadow.1, takes)));
                }
                continue;
            };
            if within(takes, free) && (end <= *shadow || within(takes, *extra)) {
                if end > *shadow {
                    *extra = less(*extra, takes);
                }
                starts[job] = Some(now);
                free = less(free, takes);
            }
        }
        // What a job without runtime took is free again at the same instant.
        let again = (0..jobs.len()).any(|job| starts[job] != before[job] && actual(&jobs[job]) == 0);
        now += usize::from(!again);
    }
    starts.into_iter().flatten().collect()
}

/// First come, first served: each starts when the one before has, and all that it takes is free.
pub(crate) fn textbook_fcfs(jobs: &[LocalJob], total: [u32; 3]) -> Vec<usize> {
    let (mut running, mut now): (Vec<Limit>, usize) = (Vec::new(), 0);
    let mut start = |job: &LocalJob| {
        now = now.max(whole(job.submit.get()));
        loop {
            let busy = running.iter().filter(|(end, _)| *end > now).fold([0; 3], |all, one| add(all, one.1));
            let free = less(total, busy);
            if within(parts(job), free) {
                break;
            }
            now += 1;
        }
        running.push((now + actual(job), parts(job)));
        now
    };
    jobs.iter().map(&mut start).collect()
}

/// Conservative backfilling on a table of what is held by the second.
pub(crate) fn textbook_conservative(jobs: &[LocalJob], total: [u32; 3]) -> Vec<usize> {
    let mut starts = vec![None::<usize>; jobs.len()];
    let mut promised = vec![None::<usize>; jobs.len()];
    let mut freed = true;
    for now in 0.. {
        let held = |at: usize, starts: &[Option<usize>], promised: &[Option<usize>]| -> [u32; 3] {
            let holds = |job: &usize| {
                let running = starts[*job].is_some_and(|start| {
                    start + actual(&jobs[*job]) > now && start <= at && at < start + requested(&jobs[*job])
                });
                let waits = starts[*job].is_none()
                    && promised[*job].is_some_and(|start| start <= at && at < start + requested(&jobs[*job]));
                running || waits
            };
            (0..jobs.len()).filter(holds).fold([0; 3], |all, job| add(all, parts(&jobs[job])))
        };
        freed |= (0..jobs.len()).any(|job| {
            let ends = starts[job].is_some_and(|start| start + actual(&jobs[job]) == now);
            ends && actual(&jobs[job]) < requested(&jobs[job])
        });
        let replan = std::mem::take(&mut freed);
        for job in 0..jobs.len() {
            if starts[job].is_some() || whole(jobs[job].submit.get()) > now {
                continue;
            }
            if replan || promised[job].is_none() {
                promised[job] = None;
                let fits = |from: &usize| {
                    (*from..from + requested(&jobs[job]))
                        .all(|at| within(add(held(at, &starts, &promised), parts(&jobs[job])), total))
                };
                promised[job] = (now..).find(fits);
            }
            if promised[job] == Some(now) {
                starts[job] = Some(now);
            }
        }
        if starts.iter().all(Option::is_some) {
            return starts.into_iter().flatten().collect();
        }
    }
    unreachable!()
}
