//! The profile of free CPUs, compared with a plain list of steps.

use crate::judge::{Verdict, ensure, part};
use econsched::sched_model::{ModelError, Profile, Span, Time};
use econsched::testkit::Draw;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    cpus: u32,
    start: f64,
    steps: Vec<Step>,
}

#[derive(Serialize, Deserialize)]
enum Step {
    /// Start, end, CPUs.
    Reserve(f64, f64, u32),
    Release(f64, f64, u32),
    Advance(f64),
    /// CPUs, span, earliest start, and a start that is already held.
    Fit(u32, f64, f64, f64),
}

/// The profile as a plain list of steps, which every query reads from the front.
struct Plain {
    cpus: u32,
    steps: Vec<(f64, u32)>,
}

/// CPUs of a change that is refused, those free at the first instant that forbids it, and this instant; `None` for
/// an empty interval.
type Refused = Option<(u32, u32, f64)>;

impl Plain {
    fn free_at(&self, t: f64) -> u32 {
        self.steps.iter().rev().find(|step| step.0 <= t).map_or(0, |step| step.1)
    }

    /// The start, and every step within the interval.
    fn instants(&self, start: f64, end: f64) -> impl Iterator<Item = f64> {
        let within = self.steps.iter().map(|step| step.0).filter(move |&t| start < t && t < end);
        std::iter::once(start).chain(within)
    }

    fn min_free(&self, start: f64, end: f64) -> u32 {
        self.instants(start, end).map(|t| self.free_at(t)).min().unwrap_or(0)
    }

    /// The start of the earliest stretch that is long enough or reaches `until`. The earliest start is `from` or
    /// the start of a step.
    fn earliest_fit(&self, cpus: u32, span: f64, from: f64, until: f64) -> Option<f64> {
        let from = from.max(self.steps[0].0);
        let found = self.instants(from, until).find(|&t| self.min_free(t, until.min(t + span)) >= cpus);
        found.or((until < f64::INFINITY).then(|| until.max(from)))
    }

    /// Makes so many times `cpus` CPUs free during an interval.
    fn change(&mut self, start: f64, end: f64, cpus: u32, times: i64) -> Result<(), Refused> {
        if start >= end {
            return Err(None);
        }
        let changed = |free: u32| i64::from(free) + times * i64::from(cpus);
        let fits = |free: u32| (0..=i64::from(self.cpus)).contains(&changed(free));
        if let Some(at) = self.instants(start, end).find(|&t| !fits(self.free_at(t))) {
            return Err(Some((cpus, self.free_at(at), at)));
        }
        let mut instants: Vec<f64> = self.steps.iter().map(|step| step.0).chain([start, end]).collect();
        instants.sort_by(f64::total_cmp);
        let step = |t: f64| {
            let free = self.free_at(t);
            (t, if start <= t && t < end { changed(free) as u32 } else { free })
        };
        self.steps = instants.into_iter().map(step).collect();
        self.steps.dedup_by_key(|step| step.1);
        Ok(())
    }

    fn advance(&mut self, to: f64) {
        if to > self.steps[0].0 {
            let free = self.free_at(to);
            self.steps.retain(|step| step.0 > to);
            self.steps.insert(0, (to, free));
        }
    }
}

impl Case {
    pub(crate) fn draw(draw: &mut Draw) -> Self {
        // Sometimes enough short intervals to fill several blocks of steps.
        let many = draw.chance(15);
        let kind = if many { 0 } else { draw.below(5) };
        let instant = |draw: &mut Draw| match kind {
            0 if many => draw.below(600) as f64,
            0 | 1 => draw.below(30) as f64,
            2 => draw.below(60) as f64 / 10.0,
            3 => draw.of([0.0, 1e60, -1e60, 5e-324, 1.0, 1e16, 1e16 + 2.0]),
            _ => draw.unit() * 10.0,
        };
        let cpus: u32 = draw.of([1, 2, 4, 8, u32::MAX]);
        let count = if many { 400 } else { draw.between(1, 25) };
        let mut known = vec![(0.0, 1.0, 1)];
        let mut step = |_| {
            let (a, b) = (instant(draw), instant(draw));
            let b = if many && draw.chance(80) { a + draw.between(1, 11) as f64 } else { b };
            let some = (a.min(b), a.max(b), 1 + draw.below(cpus.min(9) as usize) as u32);
            let (start, end, width) = draw.pick(&known).copied().filter(|_| draw.chance(80)).unwrap_or(some);
            match draw.below(16) {
                0..=7 => {
                    known.push(some);
                    Step::Reserve(some.0, some.1, some.2)
                }
                8..=11 => Step::Release(start, end, width),
                12 if draw.chance(30) => Step::Advance(a),
                _ => Step::Fit(some.2 - 1, b.abs(), a, instant(draw)),
            }
        };
        let steps = (0..count).map(&mut step).collect();
        Self { cpus, start: if draw.chance(20) { instant(draw) } else { 0.0 }, steps }
    }

    pub(crate) fn judge(&self) -> Verdict {
        let time = |at: f64| part(Time::try_from(at));
        let mut profile = Profile::new(self.cpus, time(self.start)?);
        let mut plain = Plain { cpus: self.cpus, steps: vec![(self.start + 0.0, self.cpus)] };
        let refused = |error: ModelError| match error {
            ModelError::TooFewFree { needed, free, at } => Some((needed, free, at)),
            ModelError::TooManyFree { released, taken, at } => Some((released, self.cpus - taken, at)),
            _ => None,
        };
        for step in &self.steps {
            match *step {
                Step::Reserve(start, end, cpus) => {
                    let done = profile.reserve(time(start)?, time(end)?, cpus).map_err(refused);
                    same("reserved", done, plain.change(start, end, cpus, -1))?;
                }
                Step::Release(start, end, cpus) => {
                    let (done, first) = (profile.release(time(start)?, time(end)?, cpus), plain.steps[0].0);
                    let is_before = start < end && end <= first;
                    let right = if is_before { Ok(()) } else { plain.change(start.max(first), end, cpus, 1) };
                    same("released", done.map_err(refused), right)?;
                }
                Step::Advance(to) => {
                    profile.advance(time(to)?);
                    plain.advance(to);
                }
                Step::Fit(cpus, span, from, until) => Self::fit(&profile, &plain, cpus, [span, from, until])?,
            }
            let steps: Vec<(f64, u32)> = profile.steps().map(|(start, free)| (start.get(), free)).collect();
            same("steps", &steps, &plain.steps)?;
        }
        let again: Vec<_> = profile.steps().collect();
        same("made of its steps", &Profile::from_steps(self.cpus, &again)?, &profile)
    }

    fn fit(profile: &Profile, plain: &Plain, cpus: u32, [span, from, until]: [f64; 3]) -> Verdict {
        let (long, at) = (part(Span::try_from(span))?, part(Time::try_from(from))?);
        let found = profile.earliest_fit(cpus, long, at).map(Time::get);
        same("the earliest fit", found, plain.earliest_fit(cpus, span, from, f64::INFINITY))?;
        let found = profile.earliest_fit_until(cpus, long, at, part(Time::try_from(until))?).get();
        same("the fit until", Some(found), plain.earliest_fit(cpus, span, from, until))?;
        same("free at", profile.free_at(at), plain.free_at(from))?;
        same("free within", profile.min_free(at, at + long), plain.min_free(from, from + span))
    }
}

fn same<T: PartialEq + Debug>(what: &str, found: T, right: T) -> Verdict {
    ensure!(found == right, "{what} {found:?}, should be {right:?}");
    Ok(())
}
