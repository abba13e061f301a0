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

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Rounding = Rounding { unit: 0.0, core_p: 0.0, core_w: 0.0, fuzz_p: 0.0, fuzz_w: 0.0 };

    /// 10 of weight are left, the incumbent gains 5 with all of it.
    fn completion(rest: Rest) -> Completion {
        Completion::new(&Aim { slack: 10.0, better_p: -5.0, tie_p: -5.0, better_w: 10.0 }, &rest, &NONE)
    }

    #[test]
    fn room_is_filled_at_the_best_rate_and_no_more_is_gained_than_is_there() {
        let rest = completion(Rest { up: 2.0, down: 3.0, gain: 8.0, shed: 4.0 });
        // 1 left: at most 2 more are gained.
        assert!(rest.holds(-3.0, 9.0) && !rest.holds(-2.75, 9.0));
        assert_eq!(rest.bound(0.0, 9.0), -2.0);
        // 8 left, which would gain 16: there are 8 only.
        assert!(rest.holds(3.0, 2.0) && !rest.holds(3.25, 2.0));
        assert_eq!(rest.bound(0.0, 2.0), -8.0);
        // Nothing left is within the limit.
        assert!(rest.holds(-5.0, 10.0) && !rest.holds(-4.75, 10.0));
        assert_eq!(rest.bound(1.0, 10.0), 1.0);
    }

    #[test]
    fn what_is_beyond_the_limit_pays_the_best_rate_and_sheds_what_it_can() {
        let rest = completion(Rest { up: 2.0, down: 3.0, gain: 8.0, shed: 4.0 });
        assert!(rest.holds(-8.0, 11.0) && !rest.holds(-7.75, 11.0));
        assert_eq!(rest.bound(0.0, 11.0), 3.0);
        assert!(rest.holds(-17.0, 14.0) && !rest.holds(-100.0, 14.5));
        // Without downgrades nothing beyond the limit comes back.
        let rest = completion(Rest { up: 2.0, down: f64::INFINITY, gain: 8.0, shed: 0.0 });
        assert!(!rest.holds(-100.0, 10.5) && rest.holds(-100.0, 10.0));
    }

    #[test]
    fn a_lighter_incumbent_leaves_room_that_costs_the_rate() {
        let aim = Aim { slack: 10.0, better_p: -6.0, tie_p: -5.0, better_w: 7.0 };
        // Ties of 5 with at most 7: 3 are left, worth 0.75 at a rate of 0.25.
        let rest = Completion::new(&aim, &Rest { up: 0.25, down: 3.0, gain: 8.0, shed: 4.0 }, &NONE);
        assert!(rest.holds(-5.25, 8.0) && !rest.holds(-5.125, 8.0));
        // At a rate of 2 they are worth more than what is better by itself.
        let rest = Completion::new(&aim, &Rest { up: 2.0, down: 3.0, gain: 8.0, shed: 4.0 }, &NONE);
        assert!(rest.holds(-2.0, 8.0) && !rest.holds(-1.75, 8.0));
    }

    /// A downgrade that sheds 1 costs 3, and an upgrade for 1 gains 4: rates of a base that rounding alone
    /// has chosen.
    #[test]
    fn downgrades_may_pay_for_upgrades() {
        let rest = completion(Rest { up: 4.0, down: 3.0, gain: 20.0, shed: 4.0 });
        // 4 are shed for 12 and gain 16: 4 more than the room of 1 gains.
        assert!(rest.holds(3.0, 9.0) && !rest.holds(3.25, 9.0));
        assert_eq!(rest.bound(0.0, 9.0), -8.0);
        // Beyond the limit all that is to be gained may be.
        assert!(rest.holds(12.0, 11.0) && !rest.holds(12.25, 11.0));
        assert_eq!(rest.bound(0.0, 11.0), -17.0);
        // Rates that are equal do not pay.
        let rest = completion(Rest { up: 3.0, down: 3.0, gain: 20.0, shed: 4.0 });
        assert!(rest.holds(-2.0, 9.0) && !rest.holds(-1.75, 9.0));
        assert!(rest.holds(-8.0, 11.0) && !rest.holds(-7.75, 11.0));
    }

    #[test]
    fn a_rate_beyond_all_products_bounds_nothing_but_the_gain_does() {
        let rest = completion(Rest { up: 2.0 * GREATEST, down: f64::INFINITY, gain: 8.0, shed: 0.0 });
        assert!(rest.holds(3.0, 9.0) && !rest.holds(3.25, 9.0));
        assert_eq!(rest.bound(0.0, 9.0), -8.0);
        let rest = completion(Rest { up: GREATEST, down: f64::INFINITY, gain: 8.0, shed: 0.0 });
        assert!(!rest.holds(-4.75, 10.0), "no room, no gain");
        let rest = completion(Rest { up: 2.0, down: GREATEST, gain: 8.0, shed: 4.0 });
        assert!(!rest.holds(-1e100, 11.0), "a downgrade that costs more than all");
    }

    #[test]
    fn margins_grow_with_jobs_and_magnitudes() {
        // 16 jobs as counted: 32 units in the last place of what is summed, and twice 16 times the fuzz.
        let rounding = Rounding::new(8, (3.0, 5.0), (0.25, 0.5));
        assert_eq!(rounding.margin(2.0, -7.0, -11.0), 40.0 + 32.0 * 42.0 * f64::EPSILON);
        assert_eq!(rounding.weight_margin(-11.0), 16.0 + 32.0 * 16.0 * f64::EPSILON);
        // Of losses that sum to 3, each with an error of 0.125, at a price of 2: twice the rounding of 42, 32
        // times the error, and the fuzz of the weight.
        let margin = rounding.loss_margin((3.0, -7.0), (2.0, -11.0), 0.125);
        assert_eq!(margin, 36.0 + 64.0 * 42.0 * f64::EPSILON);
        let nothing = Rounding::new(0, (0.0, 0.0), (0.0, 0.0));
        assert_eq!(nothing.loss_margin((0.0, 0.0), (0.0, 0.0), 0.0), f64::MIN_POSITIVE);
        assert_eq!(
            (nothing.margin(0.0, 0.0, 0.0), nothing.weight_margin(0.0)),
            (f64::MIN_POSITIVE, f64::MIN_POSITIVE)
        );
        // The doubt of a bound is the margin at the greater rate.
        let aim = Aim { slack: -11.0, better_p: -8.0, tie_p: -7.0, better_w: -11.0 };
        for (up, down) in [(2.0, 1.0), (1.0, 2.0)] {
            let rest = Completion::new(&aim, &Rest { up, down, gain: 0.0, shed: 0.0 }, &rounding);
            assert_eq!(rest.doubt(&aim, &rounding), rounding.margin(2.0, -7.0, -11.0));
        }
        // Rounding widens each comparison: the gain by 8 and a little, the weight by 16 and a little.
        let rest =
            Completion::new(&aim, &Rest { up: 0.0, down: f64::INFINITY, gain: 0.0, shed: 0.0 }, &rounding);
        assert!(rest.holds(1.0, -11.0) && !rest.holds(1.0 + 1e-9, -11.0));
        assert!(rest.holds(-100.0, 5.0) && !rest.holds(-100.0, 5.0 + 1e-9));
    }
}
