//! The profile of free CPUs against a plain list of steps.

mod machine;
mod openings;

use proptest::prelude::*;
use sched_model::{ModelError, Profile, Span, Time};

/// The same function as a list that every question walks over.
#[derive(Debug, Clone)]
struct Plain {
    cpus: u32,
    steps: Vec<(f64, u32)>,
}

impl Plain {
    fn end_of(&self, at: usize) -> f64 {
        self.steps.get(at + 1).map_or(f64::INFINITY, |step| step.0)
    }

    fn free_at(&self, t: f64) -> u32 {
        self.steps.iter().rev().find(|step| step.0 <= t).map_or(0, |step| step.1)
    }

    fn min_free(&self, start: f64, end: f64) -> u32 {
        let within = (0..self.steps.len()).filter(|&at| self.steps[at].0 < end && self.end_of(at) > start);
        within.map(|at| self.steps[at].1).fold(self.free_at(start), u32::min)
    }

    fn fits(&self, cpus: u32, span: f64, t: f64) -> bool {
        t >= self.steps[0].0 && self.min_free(t, t + span) >= cpus
    }

    /// Only `from` itself and the starts of steps can be the earliest.
    fn earliest_fit(&self, cpus: u32, span: f64, from: f64) -> Option<f64> {
        let from = from.max(self.steps[0].0);
        let later = self.steps.iter().map(|step| step.0).filter(|&t| t > from);
        std::iter::once(from).chain(later).find(|&t| self.fits(cpus, span, t))
    }

    fn change(&mut self, start: f64, end: f64, delta: i64) -> bool {
        if start < self.steps[0].0 {
            return false;
        }
        let mut points: Vec<f64> = self.steps.iter().map(|step| step.0).chain([start, end]).collect();
        points.sort_by(f64::total_cmp);
        let mut steps: Vec<(f64, u32)> = vec![];
        for t in points {
            let inside = t >= start && t < end;
            let value = i64::from(self.free_at(t)) + if inside { delta } else { 0 };
            if value < 0 || value > i64::from(self.cpus) {
                return false;
            }
            if steps.last().is_none_or(|last| i64::from(last.1) != value) {
                steps.push((t, value as u32));
            }
        }
        self.steps = steps;
        true
    }

    fn advance(&mut self, to: f64) {
        if to > self.steps[0].0 {
            let free = self.free_at(to);
            self.steps.retain(|step| step.0 > to);
            self.steps.insert(0, (to, free));
        }
    }
}

fn steps(profile: &Profile) -> Vec<(f64, u32)> {
    profile.steps().map(|(start, free)| (start.get(), free)).collect()
}

#[derive(Debug, Clone)]
enum Step {
    Reserve(u32, u32, u32),
    Release(u32, u32, u32),
    Fit(u32, u32, u32),
    Advance(u32),
}

/// Instants up to 600 and short spans: several blocks of steps that often touch.
fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..600u32, 1..12u32, 1..4u32).prop_map(|(t, d, p)| Step::Reserve(t, d, p)),
        2 => (0..600u32, 1..300u32, 1..3u32).prop_map(|(t, d, p)| Step::Reserve(t, d, p)),
        3 => (0..600u32, 1..12u32, 1..4u32).prop_map(|(t, d, p)| Step::Release(t, d, p)),
        1 => (0..600u32, 1..300u32, 1..2u32).prop_map(|(t, d, p)| Step::Release(t, d, p)),
        4 => (0..600u32, 0..60u32, 0..10u32).prop_map(|(t, d, p)| Step::Fit(t, d, p)),
        1 => (0..40u32).prop_map(Step::Advance),
    ]
}

fn time(t: u32) -> Time {
    Time::must(f64::from(t))
}

fn span(d: u32) -> Span {
    Span::must(f64::from(d))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn agrees_with_a_plain_list(script in prop::collection::vec(step(), 1..900)) {
        let mut profile = Profile::new(8, Time::ZERO).unwrap();
        let mut plain = Plain { cpus: 8, steps: vec![(0.0, 8)] };
        for step in script {
            match step {
                Step::Reserve(t, d, p) => {
                    let done = profile.reserve(time(t), time(t + d), p);
                    let expected = plain.change(f64::from(t), f64::from(t + d), -i64::from(p));
                    prop_assert_eq!(done.is_ok(), expected, "{:?}", done);
                    if let Err(ModelError::TooFewFree { needed, free, at }) = done {
                        prop_assert_eq!(needed, p);
                        prop_assert_eq!(free, plain.free_at(at));
                        prop_assert!(free < p && at >= f64::from(t) && at < f64::from(t + d));
                        prop_assert!(at == f64::from(t) || plain.min_free(f64::from(t), at) >= p);
                    }
                }
                Step::Release(t, d, p) => {
                    let done = profile.release(time(t), time(t + d), p);
                    let start = f64::from(t).max(plain.steps[0].0);
                    let expected = start >= f64::from(t + d)
                        || plain.change(start, f64::from(t + d), i64::from(p));
                    prop_assert_eq!(done.is_ok(), expected, "{:?}", done);
                    if let Err(ModelError::TooManyFree { taken, at, .. }) = done {
                        prop_assert_eq!(8 - taken, plain.free_at(at));
                        prop_assert!(taken < p && at >= start && at < f64::from(t + d));
                    }
                }
                Step::Fit(t, d, p) => {
                    let found = profile.earliest_fit(p, span(d), time(t)).map(Time::get);
                    prop_assert_eq!(found, plain.earliest_fit(p, f64::from(d), f64::from(t)));
                    prop_assert_eq!(
                        profile.min_free(time(t), time(t + d)),
                        plain.min_free(f64::from(t), f64::from(t + d))
                    );
                    prop_assert_eq!(profile.free_at(time(t)), plain.free_at(f64::from(t)));
                    let starts: Vec<_> = profile.feasible_starts(p, span(d), time(t)).collect();
                    prop_assert_eq!(starts.first().map(|s| s.first.get()), found);
                    // All instants of the script are whole (except for the start): halves decide every
                    // interval.
                    for half in 2 * t..1900 {
                        let at = f64::from(half) / 2.0;
                        let listed =
                            starts.iter().any(|s| s.first.get() <= at && s.last.is_none_or(|last| at <= last.get()));
                        prop_assert_eq!(listed, plain.fits(p, f64::from(d), at), "{} for {} at {}", p, d, at);
                    }
                }
                Step::Advance(t) => {
                    let to = plain.steps[0].0 + f64::from(t) / 16.0;
                    profile.advance(Time::must(to));
                    plain.advance(to);
                }
            }
            prop_assert_eq!(steps(&profile), plain.steps.clone());
            prop_assert_eq!(profile.step_count(), plain.steps.len());
        }
        let again: Vec<_> = profile.steps().collect();
        prop_assert_eq!(&Profile::from_steps(8, &again).unwrap(), &profile);
    }

    /// What is found can be reserved, with spans that `f64` rounds; given back, all is free again.
    #[test]
    fn what_fits_can_be_reserved(jobs in prop::collection::vec((1..5u32, 0.1..9.7f64, 0.0..50.0f64), 1..300)) {
        let empty = Profile::new(5, Time::must(0.3)).unwrap();
        let mut profile = empty.clone();
        let mut taken = vec![];
        for &(cpus, length, from) in &jobs {
            let span = Span::must(length);
            for starts in profile.feasible_starts(cpus, span, Time::must(from)) {
                for start in [Some(starts.first), starts.last].into_iter().flatten() {
                    prop_assert!(profile.clone().reserve(start, start + span, cpus).is_ok());
                }
            }
            let start = profile.earliest_fit(cpus, span, Time::must(from)).unwrap();
            prop_assert!(profile.reserve(start, start + span, cpus).is_ok());
            taken.push((start, start + span, cpus));
        }
        // Where each would start anew if it gave back what it holds, the others as they are.
        for &(start, end, cpus) in &taken {
            let mut without = profile.clone();
            without.release(start, end, cpus).unwrap();
            let span = end - start;
            // Rounding may have made the interval longer than the span.
            if start + span != end {
                continue;
            }
            for from in [empty.start(), Time::must(start.get() / 2.0), start] {
                let anew = without.earliest_fit(cpus, span, from).unwrap();
                prop_assert_eq!(profile.earliest_fit_until(cpus, span, from, start), anew);
            }
        }
        for (start, end, cpus) in taken {
            profile.release(start, end, cpus).unwrap();
        }
        prop_assert_eq!(profile, empty);
    }
}

#[test]
fn errors_leave_the_profile_as_it_was() {
    let mut profile = Profile::new(4, Time::must(10.0)).unwrap();
    profile.reserve(time(20), time(30), 3).unwrap();
    let before = profile.clone();
    assert_eq!(
        profile.reserve(time(15), time(25), 2),
        Err(ModelError::TooFewFree { needed: 2, free: 1, at: 20.0 })
    );
    assert_eq!(
        profile.reserve(time(5), time(12), 1),
        Err(ModelError::TooFewFree { needed: 1, free: 0, at: 5.0 })
    );
    assert_eq!(
        profile.release(time(20), time(31), 2),
        Err(ModelError::TooManyFree { released: 2, taken: 0, at: 30.0 })
    );
    assert!(matches!(profile.reserve(time(15), time(15), 1), Err(ModelError::EmptyInterval { .. })));
    assert!(matches!(profile.release(time(15), time(16), 0), Err(ModelError::Zero { .. })));
    assert_eq!(profile, before);
    assert!(Profile::new(0, Time::ZERO).is_err());
    assert!(Profile::from_steps(4, &[(time(1), 5)]).is_err());
    assert!(Profile::from_steps(4, &[(time(1), 2), (time(1), 3)]).is_err());
}

#[test]
fn a_machine_that_closes_has_no_late_fit() {
    let profile = Profile::from_steps(4, &[(time(0), 1), (time(5), 4), (time(9), 0)]).unwrap();
    assert_eq!(profile.earliest_fit(2, span(4), time(0)), Some(time(5)));
    assert_eq!(profile.earliest_fit(2, span(5), time(0)), None);
    assert_eq!(profile.earliest_fit(0, span(5), time(0)), Some(time(0)));
    assert_eq!(profile.earliest_fit(1, span(1), time(9)), None);
    assert_eq!(profile.feasible_starts(1, span(2), time(3)).count(), 1);
}

#[cfg(feature = "serde")]
#[test]
fn is_read_through_its_constructor() {
    let mut profile = Profile::new(4, Time::ZERO).unwrap();
    profile.reserve(time(2), time(3), 1).unwrap();
    let text = serde_json::to_string(&profile).unwrap();
    assert_eq!(text, r#"{"cpus":4,"steps":[[0.0,4],[2.0,3],[3.0,4]]}"#);
    assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), profile);
    assert!(serde_json::from_str::<Profile>(r#"{"cpus":4,"steps":[[0.0,5]]}"#).is_err());
}

/// Steps of a long profile, drawn as a walk of `stride` at most up and down.
fn long_profile(seed: u64, count: usize, cpus: u32, stride: u64, unit: f64) -> Vec<(Time, u32)> {
    let mut state = seed | 1;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut at, mut free) = (0, cpus / 2);
    let step = |_| {
        at += 1 + next(9);
        free = (free + next(2 * stride + 1) as u32).saturating_sub(stride as u32).min(cpus);
        (Time::must(at as f64 * unit), free)
    };
    (0..count).map(step).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Where there are many blocks, most are passed over: against a walk over the steps.
    #[test]
    fn long_profiles_are_searched_as_by_a_walk(
        seed in any::<u64>(),
        count in 200usize..2500,
        cpus in prop::sample::select(vec![1u32, 5, 8, 128, 1000, u32::MAX]),
        stride in 1u64..40,
        unit in prop::sample::select(vec![1.0, 0.1, 1e-3, 1e15]),
        changes in prop::collection::vec((0.0..1.0f64, 0.0..0.3f64, 1u32..4), 0..60),
        asked in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64, 0.0..1.0f64, 0.0..1.2f64), 1..40),
    ) {
        let steps = long_profile(seed, count, cpus, stride, unit);
        let mut profile = Profile::from_steps(cpus, &steps).unwrap();
        let whole = steps.last().unwrap().0.get();
        for (at, share, taken) in changes {
            let start = Time::must((at * whole).max(steps[0].0.get()));
            let end = start + Span::must(share * share * whole + unit);
            // What is not free cannot be reserved; what is not taken cannot be released.
            if profile.reserve(start, end, taken).is_err() {
                let _ = profile.release(start, end, taken);
            }
        }
        profile.advance(Time::must(whole / 50.0));
        let steps: Vec<(Time, u32)> = profile.steps().collect();
        for (needed, length, from, until) in asked {
            // Few of many, and short more often than long.
            let needed = (needed * needed * f64::from(cpus)).round() as u32;
            let span = Span::must((length.powi(6) * whole / unit).round() * unit);
            let (from, until) = (Time::must(from * whole), Time::must(until * whole));
            let walk = |until: Option<Time>| {
                let begin = from.max(steps[0].0);
                let mut open = None;
                for (place, &(at, free)) in steps.iter().enumerate() {
                    if steps.get(place + 1).is_some_and(|next| next.0 <= begin) {
                        continue;
                    }
                    let at = at.max(begin);
                    let enough = |start: Time| at >= until.map_or(start + span, |until| until.min(start + span));
                    match open {
                        Some(start) if enough(start) && (at > start) => return Some(start),
                        _ if until.is_some_and(|until| at >= until) => return until.max(Some(begin)),
                        _ if free < needed => open = None,
                        _ => open = open.or(Some(at)),
                    }
                }
                open.or(until.map(|until| until.max(begin)))
            };
            prop_assert_eq!(profile.earliest_fit(needed, span, from), walk(None));
            prop_assert_eq!(Some(profile.earliest_fit_until(needed, span, from, until)), walk(Some(until)));
        }
    }
}
