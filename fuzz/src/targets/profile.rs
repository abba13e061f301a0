//! Profiles of free CPUs against a list of reservations.

use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use econsched::sched_model::{Profile, Span, Time};
use serde::{Deserialize, Serialize};

pub(crate) struct Profiles;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    cpus: u32,
    start: f64,
    steps: Vec<Step>,
}

#[derive(Serialize, Deserialize)]
enum Step {
    Reserve(f64, f64, u32),
    /// One of the reservations so far.
    Release(usize),
    /// One of the reservations so far, to another start.
    Move(usize, f64),
    Advance(f64),
    /// CPUs, span, not before.
    Fit(u32, f64, f64),
}

/// A plain list of reservations; a CPU is free if no reservation holds it.
struct Plain {
    cpus: u32,
    start: f64,
    held: Vec<(f64, f64, u32)>,
}

impl Plain {
    fn free_at(&self, instant: f64) -> u32 {
        if instant < self.start {
            return 0;
        }
        let held = self.held.iter().filter(|held| held.0 <= instant && instant < held.1);
        self.cpus.saturating_sub(held.map(|held| held.2).sum())
    }

    fn least(&self, start: f64, end: f64) -> u32 {
        let inside = self.instants().into_iter().filter(|&at| start < at && at < end);
        inside.chain([start]).map(|at| self.free_at(at)).min().unwrap_or(0)
    }

    fn instants(&self) -> Vec<f64> {
        let mut instants: Vec<f64> = self.held.iter().flat_map(|held| [held.0, held.1]).collect();
        instants.push(self.start);
        instants.retain(|&at| at >= self.start);
        instants.sort_by(f64::total_cmp);
        instants.dedup();
        instants
    }

    fn earliest(&self, cpus: u32, span: f64, not_before: f64) -> Option<f64> {
        let from = not_before.max(self.start);
        let starts = self.instants().into_iter().filter(|&at| at > from);
        [from].into_iter().chain(starts).find(|&at| self.least(at, at + span) >= cpus)
    }
}

fn instant(rng: &mut Rng, kind: usize) -> f64 {
    match kind {
        0 => rng.below(30) as f64,
        1 => rng.below(60) as f64 / 10.0,
        2 => *rng.pick(&[0.0, 1e60, -1e60, 5e-324, 1.0, 1e16, 1e16 + 2.0]),
        _ => rng.unit() * 10.0,
    }
}

impl Target for Profiles {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let kind = rng.below(4);
        let cpus = *rng.pick(&[1, 2, 4, 8, u32::MAX]);
        // Sometimes enough to fill several blocks of steps.
        let count = if rng.percent(3) { 300 } else { rng.range(1, 25) };
        let steps = (0..count)
            .map(|_| {
                let (a, b) = (instant(rng, kind), instant(rng, kind));
                let width = 1 + rng.below(cpus.min(9) as usize) as u32;
                match rng.below(12) {
                    0..=5 => Step::Reserve(a.min(b), a.max(b), width),
                    6 => Step::Release(rng.below(count)),
                    7 | 8 => Step::Move(rng.below(count), a),
                    9 if rng.percent(30) => Step::Advance(a),
                    _ => Step::Fit(width, b.abs(), a),
                }
            })
            .collect();
        Case { cpus, start: if rng.percent(80) { 0.0 } else { instant(rng, kind) }, steps }
    }

    fn judge(case: &Case) -> Verdict {
        let mut profile = part(Profile::new(case.cpus, part(Time::new(case.start))?))?;
        let mut plain = Plain { cpus: case.cpus, start: case.start + 0.0, held: Vec::new() };
        for step in &case.steps {
            match *step {
                Step::Reserve(start, end, cpus) => {
                    let (Ok(from), Ok(to)) = (Time::new(start), Time::new(end)) else { continue };
                    let fits = start < end && start >= plain.start && plain.least(start, end) >= cpus;
                    let before = profile.to_string();
                    let done = profile.reserve(from, to, cpus).is_ok();
                    ensure!(done == fits, "reserve {start}..{end} x {cpus}: {done}, should be {fits}");
                    ensure!(
                        done || profile.to_string() == before,
                        "a refused reservation changed the profile"
                    );
                    if done {
                        plain.held.push((start, end, cpus));
                    }
                }
                Step::Release(which) => {
                    if which < plain.held.len() {
                        let (start, end, cpus) = plain.held[which];
                        if start >= plain.start {
                            plain.held.remove(which);
                            profile.release(Time::new(start)?, Time::new(end)?, cpus)?;
                        }
                    }
                }
                Step::Move(which, to) => {
                    let Some(&(start, end, cpus)) = plain.held.get(which) else { continue };
                    let (Ok(span), Ok(at)) = (Span::new(end - start), Time::new(to)) else { continue };
                    let until = to + span.get();
                    // A reservation that has begun, or whose span was rounded, is left alone; no end is
                    // beyond the greatest time.
                    if start < plain.start || start + span.get() != end || Time::new(until).is_err() {
                        continue;
                    }
                    plain.held.remove(which);
                    let fits = to < until && to >= plain.start && plain.least(to, until) >= cpus;
                    let before = profile.to_string();
                    let done = profile.move_reservation(Time::new(start)?, at, span, cpus).is_ok();
                    ensure!(done == fits, "move {start}..{end} x {cpus} to {to}: {done}, should be {fits}");
                    ensure!(done || profile.to_string() == before, "a refused move changed the profile");
                    plain.held.push(if done { (to, until, cpus) } else { (start, end, cpus) });
                }
                Step::Advance(to) => {
                    let Ok(at) = Time::new(to) else { continue };
                    profile.advance(at);
                    plain.start = plain.start.max(to);
                }
                Step::Fit(cpus, span, not_before) => {
                    let (Ok(long), Ok(from)) = (Span::new(span), Time::new(not_before)) else { continue };
                    let found = profile.earliest_fit(cpus, long, from).map(Time::get);
                    let expected = plain.earliest(cpus, span, not_before);
                    ensure!(
                        found == expected,
                        "fit of {cpus} for {span} from {not_before}: {found:?}, is {expected:?}"
                    );
                }
            }
            for at in plain.instants() {
                let (found, expected) = (profile.free_at(Time::new(at)?), plain.free_at(at));
                ensure!(found == expected, "{found} free at {at}, are {expected}");
            }
        }
        let steps: Vec<(Time, u32)> = profile.steps().collect();
        ensure!(steps.len() == profile.step_count(), "{} steps, says {}", steps.len(), profile.step_count());
        ensure!(
            steps.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1),
            "steps {profile}"
        );
        Ok(())
    }
}
