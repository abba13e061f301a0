//! Profiles of free CPUs against a list of reservations.

use crate::judge::{Verdict, ensure, family, part};
use econsched::sched_model::{Profile, Span, Time};
use econsched::testkit::Draw;
use serde::{Deserialize, Serialize};

family!(Profiles: Case, draw, judge);

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

    /// Whether these CPUs are free all the time.
    fn fits(&self, start: f64, end: f64, cpus: u32) -> bool {
        let inside = self.instants().into_iter().filter(|&at| start < at && at < end);
        inside.chain([start]).all(|at| self.free_at(at) >= cpus)
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
        [from].into_iter().chain(starts).find(|&at| self.fits(at, at + span, cpus))
    }
}

fn draw(draw: &mut Draw) -> Case {
    let kind = draw.below(4);
    let instant = |draw: &mut Draw| match kind {
        0 => draw.below(30) as f64,
        1 => draw.below(60) as f64 / 10.0,
        2 => draw.of([0.0, 1e60, -1e60, 5e-324, 1.0, 1e16, 1e16 + 2.0]),
        _ => draw.unit() * 10.0,
    };
    let cpus: u32 = draw.of([1, 2, 4, 8, u32::MAX]);
    // Sometimes enough to fill several blocks of steps.
    let count = if draw.chance(3) { 300 } else { draw.between(1, 25) };
    let mut step = |_| {
        let (a, b) = (instant(draw), instant(draw));
        let width = 1 + draw.below(cpus.min(9) as usize) as u32;
        match draw.below(12) {
            0..=5 => Step::Reserve(a.min(b), a.max(b), width),
            6 => Step::Release(draw.below(count)),
            7 | 8 => Step::Move(draw.below(count), a),
            9 if draw.chance(30) => Step::Advance(a),
            _ => Step::Fit(width, b.abs(), a),
        }
    };
    let steps = (0..count).map(&mut step).collect();
    Case { cpus, start: if draw.chance(20) { instant(draw) } else { 0.0 }, steps }
}

fn judge(case: &Case) -> Verdict {
    let mut profile = part(Profile::new(case.cpus, part(Time::new(case.start))?))?;
    let mut plain = Plain { cpus: case.cpus, start: case.start + 0.0, held: Vec::new() };
    for step in &case.steps {
        let before = profile.to_string();
        match *step {
            Step::Reserve(start, end, cpus) => {
                let fits = start < end && start >= plain.start && plain.fits(start, end, cpus);
                let done = profile.reserve(part(Time::new(start))?, part(Time::new(end))?, cpus).is_ok();
                ensure!(done == fits, "reserve {start}..{end} x {cpus}: {done}, should be {fits}");
                ensure!(done || profile.to_string() == before, "a refused reservation changed the profile");
                plain.held.extend(done.then_some((start, end, cpus)));
            }
            Step::Release(which) => {
                if let Some(&(start, end, cpus)) = plain.held.get(which).filter(|held| held.0 >= plain.start)
                {
                    plain.held.remove(which);
                    profile.release(Time::new(start)?, Time::new(end)?, cpus)?;
                }
            }
            Step::Move(which, to) => {
                let Some(&(start, end, cpus)) = plain.held.get(which) else { continue };
                let Ok(span) = Span::new(end - start) else { continue };
                let (at, until) = (part(Time::new(to))?, to + span.get());
                // A reservation that has begun, or whose span was rounded, is left alone; no end is beyond the
                // greatest time.
                if start < plain.start || start + span.get() != end || Time::new(until).is_err() {
                    continue;
                }
                plain.held.remove(which);
                let fits = to < until && to >= plain.start && plain.fits(to, until, cpus);
                let done = profile.move_reservation(Time::new(start)?, at, span, cpus).is_ok();
                ensure!(done == fits, "move {start}..{end} x {cpus} to {to}: {done}, should be {fits}");
                ensure!(done || profile.to_string() == before, "a refused move changed the profile");
                plain.held.push(if done { (to, until, cpus) } else { (start, end, cpus) });
            }
            Step::Advance(to) => {
                profile.advance(part(Time::new(to))?);
                plain.start = plain.start.max(to);
            }
            Step::Fit(cpus, span, not_before) => {
                let (long, from) = (part(Span::new(span))?, part(Time::new(not_before))?);
                let found = profile.earliest_fit(cpus, long, from).map(Time::get);
                let right = plain.earliest(cpus, span, not_before);
                ensure!(
                    found == right,
                    "fit of {cpus} for {span} from {not_before}: {found:?}, is {right:?}"
                );
            }
        }
        for at in plain.instants() {
            let (found, right) = (profile.free_at(Time::new(at)?), plain.free_at(at));
            ensure!(found == right, "{found} free at {at}, are {right}");
        }
    }
    let steps: Vec<(Time, u32)> = profile.steps().collect();
    ensure!(steps.len() == profile.step_count(), "{} steps, says {}", steps.len(), profile.step_count());
    let rising = steps.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1);
    ensure!(rising, "steps {profile}");
    Ok(())
}
