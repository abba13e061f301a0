//! Reservations that move, and the log of what comes free, under jobs that look again for earlier starts.

use proptest::prelude::*;
use sched_model::{Openings, Profile, Span, Time};

/// A job that holds its CPUs, and how much had come free when it was looked at last.
#[derive(Debug, Clone, Copy)]
struct Held {
    start: Time,
    span: Span,
    cpus: u32,
    seen: u64,
}

impl Held {
    /// Its earliest start, as far as the log tells it.
    fn told(&self, profile: &Profile, openings: &Openings) -> Option<Time> {
        let room = openings.may_fit(self.cpus, self.span, self.start, self.seen);
        (!room).then(|| profile.free_from(self.cpus, self.start, Time::ZERO))
    }
}

/// What a move from one start to another leaves free.
fn left(from: Time, to: Time, span: Span) -> (Time, Time) {
    if to <= from { (from.max(to + span), from + span) } else { (from, (from + span).min(to)) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// For jobs in any order: the answer without a search is that of the search.
    #[test]
    fn earlier_starts_are_told(
        cpus in prop::sample::select(vec![1u32, 5, 8, 128, u32::MAX]),
        unit in prop::sample::select(vec![1.0, 0.1, 1e-3, 1e15]),
        jobs in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 1..250),
        script in prop::collection::vec((any::<prop::sample::Index>(), 0.0..1.0f64, 0u8..8), 1..160),
    ) {
        let mut profile = Profile::new(cpus, Time::ZERO).unwrap();
        let mut openings = Openings::default();
        let mut held: Vec<Held> = Vec::new();
        for (wide, long) in jobs {
            let cpus = 1 + (wide.powi(3) * f64::from(cpus - 1)) as u32;
            let span = Span::must((1.0 + (long.powi(4) * 90.0).round()) * unit);
            let start = profile.earliest_fit(cpus, span, Time::ZERO).unwrap();
            profile.reserve(start, start + span, cpus).unwrap();
            held.push(Held { start, span, cpus, seen: openings.len() });
        }
        for (place, share, what) in script {
            if held.is_empty() {
                break;
            }
            let place = place.index(held.len());
            match what {
                // One ends before its time.
                0 => {
                    openings.turn();
                    let Held { start, span, cpus, .. } = held.remove(place);
                    let end = start + span;
                    let over = start + Span::must((share * span.get() / unit).floor() * unit);
                    if over < end {
                        profile.release(over, end, cpus).unwrap();
                        openings.note(&profile, over, end);
                    }
                }
                1 => profile.advance(profile.start() + Span::must((share * 3.0).floor() * unit)),
                // Some are looked at in order, as in a pass.
                _ => for job in held.iter_mut().skip(place).take(40) {
                    let Held { start, span, cpus, .. } = *job;
                    if start <= profile.start() {
                        continue; // it has begun
                    }
                    let best = profile.earliest_fit_until(cpus, span, Time::ZERO, start);
                    if let Some(told) = job.told(&profile, &openings) {
                        prop_assert_eq!(told, best, "{:?} in {}", job, profile);
                    }
                    if best < start {
                        let mut other = profile.clone();
                        other.release(start, start + span, cpus).unwrap();
                        other.reserve(best, best + span, cpus).unwrap();
                        profile.move_reservation(start, best, span, cpus).unwrap();
                        prop_assert_eq!(&profile, &other);
                        let (from, until) = left(start, best, span);
                        if from < until {
                            openings.note(&profile, from, until);
                        }
                        job.start = best;
                    }
                    job.seen = openings.len();
                },
            }
        }
    }

    /// In any direction, and where it cannot be; against giving back and taking anew.
    #[test]
    fn a_reservation_moves_as_if_taken_anew(
        moves in prop::collection::vec((0u32..60, 0u32..60, 1u32..30, 1u32..4), 1..40),
        taken in prop::collection::vec((0u32..60, 1u32..20, 1u32..3), 0..12),
        from in 0u32..10,
    ) {
        let time = |at: u32| Time::must(f64::from(at));
        let mut profile = Profile::new(4, Time::ZERO).unwrap();
        for (start, length, cpus) in taken {
            let _ = profile.reserve(time(start), time(start + length), cpus);
        }
        for (start, to, length, cpus) in moves {
            let span = Span::must(f64::from(length));
            let here = profile.reserve(time(start), time(start + length), cpus).is_ok();
            profile.advance(time(from));
            let mut other = profile.clone();
            let expected = other
                .release(time(start), time(start) + span, cpus)
                .and_then(|()| other.reserve(time(to), time(to) + span, cpus));
            let before = profile.clone();
            let moved = profile.move_reservation(time(start), time(to), span, cpus);
            prop_assert_eq!(moved.is_ok(), expected.is_ok(), "{:?} {:?} {}", moved, expected, here);
            prop_assert_eq!(&profile, if expected.is_ok() { &other } else { &before });
        }
    }
}
