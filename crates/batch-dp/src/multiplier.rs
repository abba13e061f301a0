//! The Lagrange multiplier of the limit, by secants.
//!
//! For a multiplier x >= 0 each job picks the alternative of least objective + x * weight. The lower bound
//! `L(x) = sum of these minima - x * limit` is concave and piecewise linear. The search keeps two multipliers: under
//! the smaller one the picks weigh too much, under the greater one they fit. The tangents of L at both meet at a
//! multiplier between them, which replaces one of the two. Meanwhile a job's alternatives that are lighter than its pick
//! under the greater or heavier than its pick under the smaller multiplier are out for good.

use crate::problem::View;

/// From so many alternatives on, a sample brackets the multiplier before all of them are read.
const SAMPLE_FROM: usize = 16_384;
/// Alternatives of a sample.
const SAMPLE: usize = 4_096;
/// Secant steps at most; any multiplier gives a valid bound, so stopping early costs strength, not truth.
const STEPS: usize = 80;

/// One alternative of a job that is still open.
#[derive(Debug, Clone, Copy)]
struct Point {
    objective: f64,
    weight: f64,
    at: u32,
}

/// A job that is still open: its points, and its picks at both ends of the bracket.
#[derive(Debug, Clone, Copy)]
struct Open {
    job: u32,
    from: u32,
    to: u32,
    heavy: Point,
    light: Point,
}

#[derive(Debug, Default)]
pub(crate) struct Search {
    points: Vec<Point>,
    open: Vec<Open>,
    trial: Vec<Point>,
    /// The picks at the greater multiplier, by job: they fit.
    pub(crate) light: Vec<u32>,
    /// The picks at the smaller multiplier, by job: they may weigh too much.
    pub(crate) heavy: Vec<u32>,
}

/// What the extremes of each job decide.
pub(crate) enum Start {
    /// The lightest choice of all exceeds the limit.
    OutOfReach,
    /// The choice of least objective (ties: least weight) fits: it stands in `light`.
    Unlimited,
    /// Neither.
    Bracketed,
}

#[derive(Debug, Clone, Copy)]
struct End {
    objective: f64,
    weight: f64,
}

impl Search {
    /// Finds the extremes of each job, and opens those whose lightest is not their best.
    pub(crate) fn start(&mut self, view: &View<'_>) -> Start {
        self.light.clear();
        self.heavy.clear();
        self.points.clear();
        self.open.clear();
        for job in 0..view.jobs() {
            let (light, heavy) = extremes(view.job(job));
            self.light.push(light.at);
            self.heavy.push(heavy.at);
            if light.at != heavy.at {
                self.open.push(Open { job: job as u32, from: 0, to: 0, heavy, light });
            }
        }
        let weight_of = |picks: &[u32]| {
            picks
                .iter()
                .enumerate()
                .map(|(job, &at)| view.weight[view.offsets[job] + at as usize])
                .sum::<f64>()
        };
        if weight_of(&self.heavy) <= view.limit {
            self.light.copy_from_slice(&self.heavy);
            return Start::Unlimited;
        }
        if weight_of(&self.light) > view.limit { Start::OutOfReach } else { Start::Bracketed }
    }

    /// The multiplier, after a [`Start::Bracketed`] of [`start`](Self::start). `light` and `heavy` hold the picks at
    /// the two ends of the last bracket.
    pub(crate) fn run(&mut self, view: &View<'_>) -> f64 {
        let total = view.objective.len();
        let end = |picks: &[u32]| {
            picks.iter().enumerate().fold(End { objective: 0.0, weight: 0.0 }, |end, (job, &at)| {
                let index = view.offsets[job] + at as usize;
                End {
                    objective: end.objective + view.sign * view.objective[index],
                    weight: end.weight + view.weight[index],
                }
            })
        };
        let mut heavy = end(&self.heavy);
        let mut light = end(&self.light);
        if total >= SAMPLE_FROM {
            self.bracket(view, &mut heavy, &mut light);
        }
        self.load(view);
        let mut multiplier = secant(heavy, light);
        for _ in 0..STEPS {
            let fixed = self.fixed(light);
            let trial = self.evaluate(multiplier, fixed);
            let fits = trial.weight <= view.limit;
            let stuck = {
                let near = if fits { light } else { heavy };
                trial.weight == near.weight && trial.objective == near.objective
            };
            for (open, &point) in self.open.iter_mut().zip(&self.trial) {
                if fits {
                    open.light = point;
                } else {
                    open.heavy = point;
                }
            }
            *(if fits { &mut light } else { &mut heavy }) = trial;
            let next = secant(heavy, light);
            if stuck || next == multiplier || !(next.is_finite() && next >= 0.0) {
                break;
            }
            multiplier = next;
        }
        for open in &self.open {
            self.light[open.job as usize] = open.light.at;
            self.heavy[open.job as usize] = open.heavy.at;
        }
        multiplier
    }

    /// What the jobs that are no longer open add, given the sums of all jobs at the light end.
    fn fixed(&self, light: End) -> End {
        self.open.iter().fold(light, |end, open| End {
            objective: end.objective - open.light.objective,
            weight: end.weight - open.light.weight,
        })
    }

    /// The picks of all open jobs under a multiplier (ties: the lighter) into `trial`; drops points outside the
    /// bracket and jobs whose ends have met.
    fn evaluate(&mut self, multiplier: f64, fixed: End) -> End {
        let mut total = fixed;
        self.trial.clear();
        let Self { points, open, trial, light, heavy } = self;
        open.retain_mut(|job| {
            if job.light.at == job.heavy.at {
                // A sample keeps no picks.
                if let (Some(light), Some(heavy)) =
                    (light.get_mut(job.job as usize), heavy.get_mut(job.job as usize))
                {
                    (*light, *heavy) = (job.light.at, job.light.at);
                }
                total.objective += job.light.objective;
                total.weight += job.light.weight;
                return false;
            }
            let (from, to) = (job.from as usize, job.to as usize);
            let mut kept = from;
            let mut best = (f64::INFINITY, job.light);
            for at in from..to {
                let point = points[at];
                if point.weight < job.light.weight || point.weight > job.heavy.weight {
                    continue;
                }
                points[kept] = point;
                kept += 1;
                let value = point.objective + multiplier * point.weight;
                if value < best.0 || value == best.0 && point.weight < best.1.weight {
                    best = (value, point);
                }
            }
            job.to = kept as u32;
            total.objective += best.1.objective;
            total.weight += best.1.weight;
            trial.push(best.1);
            true
        });
        total
    }

    /// Copies the points of the open jobs that lie within their brackets.
    fn load(&mut self, view: &View<'_>) {
        self.points.clear();
        for open in &mut self.open {
            open.from = self.points.len() as u32;
            let (low, high) = (open.light.weight, open.heavy.weight);
            for (at, (objective, weight)) in view.job(open.job as usize).enumerate() {
                if weight >= low && weight <= high {
                    self.points.push(Point { objective, weight, at: at as u32 });
                }
            }
            open.to = self.points.len() as u32;
        }
    }

    /// Narrows the bracket by the multiplier of a sample, tried a little below and a little above.
    fn bracket(&mut self, view: &View<'_>, heavy: &mut End, light: &mut End) {
        let stride = view.objective.len().div_ceil(SAMPLE);
        let average = view.objective.len() / view.jobs();
        // Few jobs of many alternatives: some alternatives of each. Many jobs: all alternatives of some.
        let (job_stride, stride) = if average >= 4 * stride { (1, stride) } else { (stride, 1) };
        let mut sample = Search::default();
        let (mut light_weight, mut heavy_weight) = (0.0, 0.0);
        let mut ends = (End { objective: 0.0, weight: 0.0 }, End { objective: 0.0, weight: 0.0 });
        for open in self.open.iter().step_by(job_stride) {
            let from = sample.points.len() as u32;
            sample.points.push(open.light);
            sample.points.push(open.heavy);
            sample.points.extend(
                view.job(open.job as usize)
                    .enumerate()
                    .step_by(stride)
                    .map(|(at, (objective, weight))| Point { objective, weight, at: at as u32 }),
            );
            sample.open.push(Open { from, to: sample.points.len() as u32, ..*open });
            light_weight += open.light.weight;
            heavy_weight += open.heavy.weight;
            ends.0.objective += open.heavy.objective;
            ends.1.objective += open.light.objective;
        }
        ends.0.weight = heavy_weight;
        ends.1.weight = light_weight;
        let share = (view.limit - light.weight) / (heavy.weight - light.weight);
        let limit = light_weight + share * (heavy_weight - light_weight);
        let (mut sample_heavy, mut sample_light) = ends;
        let mut multiplier = secant(sample_heavy, sample_light);
        for _ in 0..STEPS {
            let fixed = sample.fixed(sample_light);
            let trial = sample.evaluate(multiplier, fixed);
            let fits = trial.weight <= limit;
            for (open, &point) in sample.open.iter_mut().zip(&sample.trial) {
                *(if fits { &mut open.light } else { &mut open.heavy }) = point;
            }
            *(if fits { &mut sample_light } else { &mut sample_heavy }) = trial;
            let next = secant(sample_heavy, sample_light);
            if next == multiplier || !(next.is_finite() && next > 0.0) {
                break;
            }
            multiplier = next;
        }
        for factor in [0.95, 1.05] {
            let x = multiplier * factor;
            if !(x > 0.0 && x.is_finite()) {
                return;
            }
            let mut total = End { objective: 0.0, weight: 0.0 };
            self.trial.clear();
            for open in &self.open {
                let mut best = (f64::INFINITY, open.light);
                for (at, (objective, weight)) in view.job(open.job as usize).enumerate() {
                    let value = objective + x * weight;
                    if value < best.0 || value == best.0 && weight < best.1.weight {
                        best = (value, Point { objective, weight, at: at as u32 });
                    }
                }
                total.objective += best.1.objective;
                total.weight += best.1.weight;
                self.trial.push(best.1);
            }
            let fixed = self.fixed(*light);
            total = End { objective: total.objective + fixed.objective, weight: total.weight + fixed.weight };
            let fits = total.weight <= view.limit;
            if if fits { total.weight <= light.weight } else { total.weight >= heavy.weight } {
                continue;
            }
            for (open, &point) in self.open.iter_mut().zip(&self.trial) {
                *(if fits { &mut open.light } else { &mut open.heavy }) = point;
            }
            *(if fits { &mut *light } else { &mut *heavy }) = total;
        }
    }
}

/// Where the tangents at both ends meet.
fn secant(heavy: End, light: End) -> f64 {
    (light.objective - heavy.objective) / (heavy.weight - light.weight)
}

/// The lightest (ties: least objective) and the best (ties: lightest) alternative of a job that has some.
fn extremes(points: impl Iterator<Item = (f64, f64)>) -> (Point, Point) {
    let none = Point { objective: f64::INFINITY, weight: f64::INFINITY, at: 0 };
    let (mut light, mut best) = (none, none);
    for (at, (objective, weight)) in points.enumerate() {
        let point = Point { objective, weight, at: at as u32 };
        if weight < light.weight || weight == light.weight && objective < light.objective {
            light = point;
        }
        if objective < best.objective || objective == best.objective && weight < best.weight {
            best = point;
        }
    }
    (light, best)
}
