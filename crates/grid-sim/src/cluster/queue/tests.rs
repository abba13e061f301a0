//! The queue against a plain vector.

use super::*;
use rand::Rng as _;
use sched_model::JobId;
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
        let more = 1 + below(8);
        let (mut queue, mut plain) = (LocalQueue::default(), Vec::<QueuedJob>::new());
        for number in 0..below(1200) as u64 {
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
                // Mostly from the front.
                1 => {
                    let taken = queue.remove(index / 8);
                    let expected = plain.remove(index / 8);
                    assert_eq!(taken.job, expected.job);
                }
                2 => {
                    queue.withdraw(index);
                    queue.promise(index, start, Look::default());
                    plain[index].promise = Some(start);
                    plain[index].first_promise.get_or_insert(start);
                }
                _ => {
                    assert_eq!(queue.withdraw(index), plain[index].promise.take());
                }
            }
            assert_eq!(&queue.iter().copied().collect::<Vec<_>>(), &plain);
            let space = (what as u32 + number as u32 % 5, Span::must((number % 9) as f64 + 0.5));
            let fits = |size: Size| size.0 <= space.0 && size.1 <= space.1;
            let place = index / 2;
            let expected = (place..plain.len()).find(|&at| fits(plain[at].size()));
            assert_eq!(queue.first_that_fits(place, fits), expected);
            assert_eq!(queue.next_promise(), plain.iter().filter_map(|queued| queued.promise).min());
            assert_eq!(queue.promised(), plain.iter().filter(|queued| queued.promise.is_some()).count());
            let due = |queued: &QueuedJob| queued.promise.is_none_or(|promise| promise <= start);
            let expected = (place..plain.len()).find(|&at| due(&plain[at]));
            assert_eq!(queue.first_due(place, start), expected);
        }
        let leaves = |queued: &QueuedJob| queued.job.id().0.is_multiple_of(3);
        let taken = queue.take_where(leaves).len();
        assert_eq!(taken, plain.iter().filter(|queued| leaves(queued)).count());
        plain.retain(|queued| !leaves(queued));
        assert_eq!(&queue.iter().copied().collect::<Vec<_>>(), &plain);
    }
}

/// Chunks of 64: the tree has four leaves until 256 jobs fill them, then twice as many as are needed; with
/// few jobs left it has four again.
#[test]
fn the_tree_grows_where_it_is_full_and_shrinks_where_it_is_nearly_empty() {
    let mut queue = LocalQueue::default();
    let mut leaves = Vec::new();
    for id in 0..257 {
        queue.push(queued(id));
        leaves.push(queue.leaves());
    }
    assert!(leaves[..256].iter().all(|&leaves| leaves == 4));
    assert_eq!((leaves[256], queue.chunks.len()), (8, 5));
    // Below 8 x 64 / 8 jobs.
    while queue.len() > 64 {
        queue.remove(0);
        assert_eq!(queue.leaves(), 8);
    }
    queue.remove(0);
    assert_eq!((queue.leaves(), queue.chunks.len()), (4, 1));
    // A small tree is left as it is.
    queue.push(queued(257));
    queue.push(queued(258));
    while queue.len() > 25 {
        queue.remove(0);
    }
    assert_eq!(queue.chunks.iter().map(VecDeque::len).collect::<Vec<_>>(), [24, 1]);
}

/// A front holds no size that is at least as great as another in both parts.
#[test]
fn a_front_has_no_size_to_spare() {
    let size = |cpus: u32, span: f64| (cpus, Span::must(span));
    let mut front = Vec::new();
    let mut put = |cpus, span| {
        let is_new = insert(&mut front, size(cpus, span));
        (is_new, front.clone())
    };
    assert_eq!(put(2, 5.0), (true, vec![size(2, 5.0)]));
    for (cpus, span) in [(2, 5.0), (3, 5.0), (2, 6.0), (3, 6.0)] {
        assert_eq!(put(cpus, span), (false, vec![size(2, 5.0)]));
    }
    assert!(put(1, 9.0).0);
    assert_eq!(put(3, 4.0), (true, vec![size(1, 9.0), size(2, 5.0), size(3, 4.0)]));
    assert_eq!(put(2, 4.0), (true, vec![size(1, 9.0), size(2, 4.0)]));
    assert_eq!(put(1, 4.0), (true, vec![size(1, 4.0)]));
}

/// Up to 256 jobs are looked at one by one; from then on fronts are known, also after the tree has grown, until
/// it shrinks below that.
#[test]
fn fronts_are_known_where_many_wait() {
    let mut queue = LocalQueue::default();
    let mut known = Vec::new();
    for id in 0..513 {
        queue.push(queued(id));
        known.push(queue.fronts);
        assert_eq!(queue.first_that_fits(0, |_| false), None);
    }
    assert!(known[..257].iter().all(|&known| !known) && known[257..].iter().all(|&known| known));
    assert!(queue.leaves() > 8 && queue.fronts);
    while queue.leaves() > 8 {
        queue.remove(0);
    }
    assert!(queue.len() < 256 && !queue.fronts);
}
