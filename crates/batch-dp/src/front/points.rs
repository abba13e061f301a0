//! The points of a front, the choice at each, and the best of them.

use super::{Front, WHOLE};
use crate::{BatchError, Choice, Preference, VectorCriterion};

/// A point of a front: the cost and the time of a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Point {
    /// Total cost.
    pub cost: f64,
    /// Total time.
    pub time: f64,
}

impl std::fmt::Display for Point {
    /// `cost 15, time 9`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cost {}, time {}", self.cost, self.time)
    }
}

impl Front {
    /// The points, in ascending order of cost and descending order of time.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The alternative picked for each job at a point.
    ///
    /// # Panics
    /// If `point >= points().len()`, as indexing a slice does.
    #[must_use]
    pub fn picks(&self, point: usize) -> Vec<usize> {
        let mut picks = vec![0; self.jobs];
        for (job, pick) in self.history.steps(self.links[point]) {
            if job == WHOLE as usize {
                self.history.steps(pick).for_each(|(job, pick)| picks[job] = pick as usize);
            } else {
                picks[job] = pick as usize;
            }
        }
        picks
    }

    /// The choice at a point.
    ///
    /// # Panics
    /// As for [`picks`](Self::picks).
    pub fn choice(&self, point: usize) -> Choice {
        let Point { cost, time } = self.points[point];
        Choice { picks: self.picks(point).into_iter().map(Some).collect(), cost, time, left_out: 0.0 }
    }

    /// The best choice by a [`Preference`] among those with cost at most `budget` and time at most
    /// `time_limit`; `None` if there is none.
    ///
    /// # Errors
    /// [`BatchError::Weight`] and [`BatchError::NoCriterion`] for a preference with a wrong weight or without
    /// a criterion.
    pub fn best(
        &self,
        budget: f64,
        time_limit: f64,
        preference: &Preference,
    ) -> Result<Option<Choice>, BatchError> {
        preference.check()?;
        let mut allowed = (0..self.points.len())
            .filter(|&at| self.points[at].cost <= budget && self.points[at].time <= time_limit);
        // On a front cost ascends and time descends, so that of several criteria in order the first decides:
        // the best point is one of the ends.
        let best = match preference {
            Preference::Lexicographic(order) => match order.first() {
                Some(VectorCriterion::Time | VectorCriterion::TimeLeft) => allowed.next_back(),
                _ => allowed.next(),
            },
            Preference::Weighted(weights) => {
                let (by_cost, by_time) = weights.of_cost_and_time();
                let score = |at: usize| by_cost * self.points[at].cost + by_time * self.points[at].time;
                allowed.min_by(|&a, &b| score(a).total_cmp(&score(b)))
            }
        };
        Ok(best.map(|at| self.choice(at)))
    }
}

/// Fronts are equal if they have the same points, and the same choices at them.
impl PartialEq for Front {
    fn eq(&self, other: &Self) -> bool {
        self.jobs == other.jobs
            && self.points == other.points
            && (0..self.points.len()).all(|point| self.picks(point) == other.picks(point))
    }
}

/// Written as the choices at its points, in their order.
#[cfg(feature = "serde")]
impl serde::Serialize for Front {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.points.len()).map(|point| self.choice(point)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Alternatives;

    #[test]
    fn fronts_are_equal_by_points_and_choices() {
        let front = |rows: [[(f64, f64); 2]; 2]| {
            let batch = Alternatives::new(&rows).unwrap();
            let problem = crate::ChoiceProblem::new(&batch, crate::Goal::MinTime { budget: None });
            Front::of(&problem, &mut sched_model::Limit::default().meter()).unwrap().unwrap()
        };
        let one = front([[(4.0, 6.0), (8.0, 3.0)], [(5.0, 4.0), (7.0, 3.0)]]);
        assert_eq!(one, one.clone());
        // The same points by alternatives in another order, and other points.
        assert_ne!(one, front([[(8.0, 3.0), (4.0, 6.0)], [(5.0, 4.0), (7.0, 3.0)]]));
        assert_ne!(one, front([[(4.0, 6.0), (8.0, 2.0)], [(5.0, 4.0), (7.0, 3.0)]]));
    }
}
