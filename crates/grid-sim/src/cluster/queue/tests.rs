//! The queue against a plain vector.

use super::*;
use proptest::prelude::*;
use sched_model::JobId;

fn queued(id: u64) -> QueuedJob {
    // Widths and lengths that are often equal; with and without longer jobs being narrower.
    let (cpus, requested) = ((id * 7 % 11) as u32 + 1, Span::must((id * 5 % 13) as f64 + 1.0));
    let job = LocalJob::new(JobId(id), Time::ZERO, cpus, requested, requested).unwrap();
    QueuedJob::new(job)
}

proptest! {
    /// Against a plain vector: jobs are added, taken from anywhere, promised starts, and looked for by size.
    #[test]
    fn reads_as_a_vector(
        more in 1u8..9,
        steps in prop::collection::vec((0u8..12, any::<prop::sample::Index>()), 0..1200),
    ) {
        let (mut queue, mut plain) = (LocalQueue::default(), Vec::<QueuedJob>::new());
        for (number, (what, place)) in (0..).zip(steps) {
            // With `more` from 1 on the queue mostly grows, so that it has many chunks.
            if what < more || plain.is_empty() {
                queue.push(queued(number));
                plain.push(queued(number));
                continue;
            }
            let index = place.index(plain.len());
            let start = Time::must((number % 7) as f64);
            match what % 4 {
                // Mostly from the front.
                1 => {
                    let taken = queue.remove(index / 8);
                    let expected = plain.remove(index / 8);
                    prop_assert_eq!(taken.job, expected.job);
                }
                2 => {
                    queue.withdraw(index);
                    queue.promise(index, start, Look::default());
                    plain[index].promise = Some(start);
                    plain[index].first_promise.get_or_insert(start);
                }
                _ => {
                    prop_assert_eq!(queue.withdraw(index), plain[index].promise.take());
                }
            }
            prop_assert_eq!(&queue.iter().copied().collect::<Vec<_>>(), &plain);
            let space = (what as u32 + number as u32 % 5, Span::must((number % 9) as f64 + 0.5));
            let fits = |size: Size| size.0 <= space.0 && size.1 <= space.1;
            let place = index / 2;
            let expected = (place..plain.len()).find(|&at| fits(plain[at].size()));
            prop_assert_eq!(queue.first_that_fits(place, fits), expected);
            prop_assert_eq!(queue.next_promise(), plain.iter().filter_map(|queued| queued.promise).min());
            prop_assert_eq!(queue.promised(), plain.iter().filter(|queued| queued.promise.is_some()).count());
            let due = |queued: &QueuedJob| queued.promise.is_none_or(|promise| promise <= start);
            let expected = (place..plain.len()).find(|&at| due(&plain[at]));
            prop_assert_eq!(queue.first_due(place, start), expected);
        }
        let leaves = |queued: &QueuedJob| queued.job.id().0.is_multiple_of(3);
        let taken = queue.take_where(leaves).len();
        prop_assert_eq!(taken, plain.iter().filter(|queued| leaves(queued)).count());
        plain.retain(|queued| !leaves(queued));
        prop_assert_eq!(&queue.iter().copied().collect::<Vec<_>>(), &plain);
    }
}
