//! Reservations that move, and the log of what comes free, under jobs that look again for earlier starts.

use crate::testkit::drawn;
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

/// For jobs in any order: the answer without a search is that of the search.
#[test]
fn earlier_starts_are_told() {
    drawn(96, |draw| {
        let (cpus, unit) = (draw.of([1, 5, 8, 128, u32::MAX]), draw.of([1.0, 0.1, 1e-3, 1e15]));
        let mut profile = Profile::new(cpus, Time::ZERO).unwrap();
        let mut openings = Openings::default();
        let mut held: Vec<Held> = Vec::new();
        for _ in 0..draw.between(1, 250) {
            let (wide, long) = (draw.unit(), draw.unit());
            let cpus = 1 + (wide.powi(3) * f64::from(cpus - 1)) as u32;
            let span = Span::must((1.0 + (long.powi(4) * 90.0).round()) * unit);
            let start = profile.earliest_fit(cpus, span, Time::ZERO).unwrap();
            profile.reserve(start, start + span, cpus).unwrap();
            held.push(Held { start, span, cpus, seen: openings.len() });
        }
        for _ in 0..draw.between(1, 160) {
            if held.is_empty() {
                break;
            }
            let (place, share) = (draw.below(held.len()), draw.unit());
            match draw.below(8) {
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
                _ => {
                    for job in held.iter_mut().skip(place).take(40) {
                        let Held { start, span, cpus, .. } = *job;
                        if start <= profile.start() {
                            continue; // it has begun
                        }
                        let best = profile.earliest_fit_until(cpus, span, Time::ZERO, start);
                        if let Some(told) = job.told(&profile, &openings) {
                            assert_eq!(told, best, "{:?} in {}", job, profile);
                        }
                        if best < start {
                            let mut other = profile.clone();
                            other.release(start, start + span, cpus).unwrap();
                            other.reserve(best, best + span, cpus).unwrap();
                            profile.move_reservation(start, best, span, cpus).unwrap();
                            assert_eq!(&profile, &other);
                            let (from, until) = left(start, best, span);
                            if from < until {
                                openings.note(&profile, from, until);
                            }
                            job.start = best;
                        }
                        job.seen = openings.len();
                    }
                }
            }
        }
    });
}
