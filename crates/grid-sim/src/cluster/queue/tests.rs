//! The queue against a plain vector.

use super::*;
use rand::Rng as _;
use sched_model::{JobId, Span};
use workload_gen::sample::stream;

fn queued(id: u64) -> QueuedJob {
    // Widths and lengths that are often equal; with and without longer jobs being narrower.
    let (cpus, requested) = ((id * 7 % 11) as u32 + 1, Span::must((id * 5 % 13) as f64 + 1.0));
    let job = LocalJob::new(JobId(id), Time::ZERO, cpus, requested, requested).unwrap();
    QueuedJob::new(job)
}

/// Against a plain vector: jobs are added, taken from anywhere, promised starts, and looked for by size.
#[test]
fn reads_as_a_vector() {
    for case in 0..200 {
        let mut dice = stream(1, case);
        let mut below = |bound: usize| dice.next_u64() as usize % bound;
        // Some lose most of many jobs, from anywhere, so that chunks are joined.
        let shrinks = case % 20 == 0;
        let (filled, steps) = if shrinks { (1200, 5000) } else { (0, below(1200)) };
        let more = if shrinks { 0 } else { 1 + below(8) };
        let (mut queue, mut plain) = (LocalQueue::default(), Vec::<QueuedJob>::new());
        for id in 0..filled {
            queue.push(queued(id));
            plain.push(queued(id));
        }
        for number in filled..filled + steps as u64 {
            let what = below(12);
            // With `more` from 1 on the queue mostly grows, so that it has many chunks.
            if what < more || plain.is_empty() {
                queue.push(queued(number));
                plain.push(queued(number));
                continue;
            }
            let index = below(plain.len());
            let start = Time::must((number % 7) as f64);
            match what % 4 {
                // Mostly from the beginning.
                1 => {
                    let index = if shrinks { index } else { index / 8 };
                    assert_eq!(queue.withdraw(index), plain[index].promise.take());
                    assert_eq!(queue.remove(index), plain.remove(index));
                }
                2 => {
                    queue.withdraw(index);
                    queue.promise(index, start);
                    plain[index].promise = Some(start);
                    plain[index].first_promise.get_or_insert(start);
                }
                _ => {
                    assert_eq!(queue.withdraw(index), plain[index].promise.take());
                }
            }
            assert_eq!(&queue.iter().copied().collect::<Vec<_>>(), &plain);
            let lens: Vec<usize> = queue.chunks.iter().map(|chunk| chunk.jobs.len()).collect();
            assert!(
                lens.iter().all(|&len| len <= CHUNK)
                    && lens.windows(2).all(|pair| pair[0] + pair[1] > CHUNK / 2)
            );
            let space = (what as u32 + number as u32 % 5, Span::must((number % 9) as f64 + 0.5));
            let fits = |size: Size| size.0 <= space.0 && size.1 <= space.1;
            let place = index / 2;
            let passes = |job: &LocalJob| !job.id.0.is_multiple_of(3);
            let found =
                |queued: &QueuedJob| queued.promise.is_none() && fits(queued.size()) && passes(&queued.job);
            let expected = (place..plain.len()).find(|&at| found(&plain[at]));
            assert_eq!(queue.first_that_fits(place, fits, passes), expected);
            assert_eq!(queue.next_promise(), plain.iter().filter_map(|queued| queued.promise).min());
            let due = |queued: &QueuedJob| {
                queued.promise.is_none_or(|promise| promise <= start).then_some(queued.job.id)
            };
            let expected = (place..plain.len()).find_map(|at| Some((at, due(&plain[at])?)));
            assert_eq!(queue.first_due(place, Some(start), due), expected);
            let any = |queued: &QueuedJob| passes(&queued.job).then_some(());
            let expected = (place..plain.len()).find(|&at| passes(&plain[at].job));
            assert_eq!(queue.first_due(place, None, any), expected.map(|at| (at, ())));
        }
    }
}

/// Where no job fits, a search asks only for the fronts: of the 1,000 jobs here each chunk has one of one CPU and the
/// shortest time, whose size is the whole front. Where each job has a promise, only chunks are read in which a promised
/// start has come.
#[test]
fn jobs_are_read_only_where_one_may_be_found() {
    let mut queue = LocalQueue::default();
    (0..1000).for_each(|id| queue.push(queued(id)));
    queue.promise(0, Time::ZERO);
    let asked = std::cell::Cell::new(0);
    let ask = |is_it: bool| {
        asked.set(asked.get() + 1);
        is_it
    };
    assert_eq!(queue.first_that_fits(1, |_| ask(false), |_| true), None);
    assert_eq!(asked.take(), 4);

    let start = |at: usize| Time::must(at as f64);
    (1..1000).for_each(|at| queue.promise(at, start(at)));
    let due = |queued: &QueuedJob| ask(queued.promise == Some(start(600))).then_some(());
    assert_eq!((queue.first_due(1, Some(start(0)), due), asked.take()), (None, CHUNK - 1));
    assert_eq!((queue.first_due(CHUNK, Some(start(0)), due), asked.take()), (None, 0));
    assert_eq!(queue.first_due(512, Some(start(600)), due), Some((600, ())));
    assert_eq!(asked.take(), 600 - 512 + 1);
    // A job without a promise is read together with the other jobs of its chunk.
    queue.withdraw(999);
    assert_eq!((queue.first_due(CHUNK, Some(start(0)), due), asked.take()), (None, 1000 - 3 * CHUNK));
}
