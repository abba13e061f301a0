//! The completion bound: a lower bound of the objective of a state together with the best choices of the
//! remaining jobs.
//!
//! | word | meaning |
//! |---|---|
//! | state | sums of objective and weight of some jobs of the core, as differences from the base |
//! | completion | a choice for the jobs that are not yet in the state |
//! | slack | weight that the limit leaves to the base; negative where the base passes the limit |
//! | room | weight that the limit leaves to a state |
//! | up | the greatest objective gained per unit of weight by an upgrade of a job to come |
//! | down | the least objective lost per unit of weight by a downgrade of a job to come |
//! | gain, shed | the most objective, and the most weight, that the jobs to come can take off together |
//! | margin | how much rounding can change the comparison of a bound with the incumbent |

use super::relaxation::GREATEST;

/// The rounding errors of bounds: all sums are exact, so that only doubles near them and their products are
/// rounded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rounding {
    /// Relative rounding over the additions of the core.
    unit: f64,
    /// Sums over the core of the largest steps.
    core_p: f64,
    core_w: f64,
    /// The errors of doubles near the numbers of the core.
    fuzz_p: f64,
    fuzz_w: f64,
}

impl Rounding {
    /// For a core of so many jobs, the sums over it of the largest magnitudes, and the fuzz of one number.
    pub(crate) fn new(jobs: usize, core: (f64, f64), fuzz: (f64, f64)) -> Self {
        let count = jobs as f64 + 8.0;
        Self {
            unit: 2.0 * f64::EPSILON * count,
            core_p: core.0,
            core_w: core.1,
            fuzz_p: 2.0 * count * fuzz.0,
            fuzz_w: 2.0 * count * fuzz.1,
        }
    }

    /// A margin for `p + rate * w` of any state against the incumbent's `gap`.
    pub(crate) fn margin(&self, rate: f64, gap: f64, slack: f64) -> f64 {
        self.unit * (self.core_p + gap.abs() + rate * (self.core_w + slack.abs()))
            + self.fuzz_p
            + rate * self.fuzz_w
            + f64::MIN_POSITIVE
    }

    /// A margin for `loss + price * w` of any state against the incumbent's, where the losses of the core sum
    /// to at most `core` and have an error of at most `fuzz` each.
    pub(crate) fn loss_margin(&self, (core, loss): (f64, f64), (price, slack): (f64, f64), fuzz: f64) -> f64 {
        let count = self.unit / (2.0 * f64::EPSILON);
        2.0 * self.unit * (core + loss.abs() + price * (self.core_w + slack.abs()))
            + 2.0 * count * fuzz
            + price * self.fuzz_w
            + f64::MIN_POSITIVE
    }

    /// A margin for sums of weights.
    fn weight_margin(&self, slack: f64) -> f64 {
        self.unit * (self.core_w + slack.abs()) + self.fuzz_w + f64::MIN_POSITIVE
    }
}

/// The incumbent as the bounds see it: doubles near its thresholds, as differences from the base.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim {
    /// The limit less the weight of the base.
    pub(crate) slack: f64,
    /// A better choice has at most this objective ...
    pub(crate) better_p: f64,
    /// ... or this one with at most that weight.
    pub(crate) tie_p: f64,
    pub(crate) better_w: f64,
}

/// The best steps of the remaining jobs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rest {
    /// Their best upgrade rate; 0 without upgrades.
    pub(crate) up: f64,
    /// Their best downgrade rate; infinite without downgrades.
    pub(crate) down: f64,
    /// The most objective that they gain together.
    pub(crate) gain: f64,
    /// The most weight by which they become lighter together.
    pub(crate) shed: f64,
}

/// Whether the best completion of a state could beat the incumbent.
///
/// A state with room left can at best fill it at the best upgrade rate of the remaining jobs; a state beyond
/// the limit must at least pay their best downgrade rate. Neither can gain more objective, or lose more
/// weight, than those jobs offer.
///
/// This holds where no upgrade has a better rate than a downgrade, as for a base that is least at a
/// multiplier. Where the base is least only because of rounding, a downgrade may pay for an upgrade: the
/// bound allows for all that could be gained so.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Completion {
    slack: f64,
    up: f64,
    down: f64,
    gain: f64,
    /// Above this weight not even all downgrades of the remaining jobs reach the limit.
    heaviest: f64,
    most_within: f64,
    most_beyond: f64,
    most_gain: f64,
    /// The most that remaining downgrades could gain at the upgrade rate, and upgrades at the downgrade rate.
    crossed_up: f64,
    crossed_down: f64,
}

impl Completion {
    pub(crate) fn new(aim: &Aim, rest: &Rest, rounding: &Rounding) -> Self {
        // A rate whose products could overflow bounds nothing; the gain still does.
        let bounded = rest.up <= GREATEST;
        let up = if bounded { rest.up } else { 0.0 };
        // Without downgrades `heaviest` excludes every state beyond the limit.
        let down = if rest.down <= GREATEST { rest.down.max(0.0) } else { 0.0 };
        let is_crossed = rest.up > rest.down;
        let crossed_up = if is_crossed { rest.shed * (up - rest.down) } else { 0.0 };
        let crossed_down = if is_crossed { rest.gain } else { 0.0 };
        // A lighter choice of equal objective leaves room unused, and each unit of it costs at least the
        // rate.
        let lighter = aim.slack - aim.better_w;
        let most = |rate: f64| {
            aim.better_p.max(aim.tie_p - rate * lighter) + rounding.margin(rate, aim.tie_p, aim.slack)
        };
        Self {
            slack: aim.slack,
            up,
            down,
            gain: rest.gain,
            heaviest: aim.slack + rest.shed + rounding.weight_margin(aim.slack),
            most_within: if bounded { most(up) + crossed_up } else { f64::INFINITY },
            most_beyond: most(down) + crossed_down,
            most_gain: aim.tie_p + rounding.margin(0.0, aim.tie_p, 0.0),
            crossed_up,
            crossed_down,
        }
    }

    #[inline(always)]
    pub(crate) fn holds(&self, p: f64, w: f64) -> bool {
        let room = self.slack - w;
        if room >= 0.0 {
            (p - self.up * room <= self.most_within) & (p - self.gain <= self.most_gain)
        } else {
            (p - self.down * room <= self.most_beyond) & (w <= self.heaviest)
        }
    }

    /// The least objective of any completion, except for rounding by [`doubt`](Self::doubt).
    #[inline(always)]
    pub(crate) fn bound(&self, p: f64, w: f64) -> f64 {
        let room = self.slack - w;
        if room >= 0.0 {
            let is_bounded = self.most_within < f64::INFINITY;
            let filled = if is_bounded { p - self.up * room - self.crossed_up } else { f64::NEG_INFINITY };
            filled.max(p - self.gain)
        } else {
            p - self.down * room - self.crossed_down
        }
    }

    /// By how much rounding may raise [`bound`](Self::bound).
    pub(crate) fn doubt(&self, aim: &Aim, rounding: &Rounding) -> f64 {
        rounding.margin(self.up.max(self.down), aim.tie_p, aim.slack)
    }
}
