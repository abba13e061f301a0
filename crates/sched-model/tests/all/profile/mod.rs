//! Profiles by hand, and against a plain list of steps.

pub(crate) mod plain;

use crate::judge::family;
use crate::testkit::{Check, Draw, drawn};
use plain::Case;
use sched_model::{ModelError, Profile, Span, Time};

family!(Profiles: Case, Case::draw, Case::judge);

#[test]
fn agree_with_a_plain_list() {
    Check::new(Profiles).run(2000).unwrap();
}

fn time(t: u32) -> Time {
    Time::must(f64::from(t))
}

fn span(d: u32) -> Span {
    Span::must(f64::from(d))
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
fn long_profile(draw: &mut Draw, cpus: u32, unit: f64) -> Vec<(Time, u32)> {
    let (count, stride) = (draw.between(200, 2500), draw.between(1, 40));
    let (mut at, mut free) = (0, cpus / 2);
    let step = |_| {
        at += draw.between(1, 9);
        free = (free + draw.below(2 * stride + 1) as u32).saturating_sub(stride as u32).min(cpus);
        (Time::must(at as f64 * unit), free)
    };
    (0..count).map(step).collect()
}

/// Where there are many blocks, most are passed over: against a walk over the steps.
#[test]
fn long_profiles_are_searched_as_by_a_walk() {
    drawn(48, |draw| {
        let cpus = draw.of([1, 5, 8, 128, 1000, u32::MAX]);
        let unit = draw.of([1.0, 0.1, 1e-3, 1e15]);
        let steps = long_profile(draw, cpus, unit);
        let mut profile = Profile::from_steps(cpus, &steps).unwrap();
        let whole = steps.last().unwrap().0.get();
        for _ in 0..draw.below(60) {
            let (at, share, taken) = (draw.unit(), 0.3 * draw.unit(), draw.between(1, 3) as u32);
            let start = Time::must((at * whole).max(steps[0].0.get()));
            let end = start + Span::must(share * share * whole + unit);
            // What is not free cannot be reserved; what is not taken cannot be released.
            if profile.reserve(start, end, taken).is_err() {
                let _ = profile.release(start, end, taken);
            }
        }
        profile.advance(Time::must(whole / 50.0));
        let steps: Vec<(Time, u32)> = profile.steps().collect();
        for _ in 0..draw.between(1, 40) {
            let [needed, length, from, until] = [0; 4].map(|_| draw.unit());
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
                    let enough =
                        |start: Time| at >= until.map_or(start + span, |until| until.min(start + span));
                    match open {
                        Some(start) if enough(start) && (at > start) => return Some(start),
                        _ if until.is_some_and(|until| at >= until) => return until.max(Some(begin)),
                        _ if free < needed => open = None,
                        _ => open = open.or(Some(at)),
                    }
                }
                open.or(until.map(|until| until.max(begin)))
            };
            assert_eq!(profile.earliest_fit(needed, span, from), walk(None));
            assert_eq!(Some(profile.earliest_fit_until(needed, span, from, until)), walk(Some(until)));
        }
    });
}
