//! How long a resource works on a group, and the granularity time that keeps the overhead small.

use crate::HeuristicError;
use sched_model::{Span, Speed, Work};

sched_model::registry! {
    /// How long a resource works on jobs of a total length.
    #[derive(Default)]
    pub enum ServiceRule: "rule of service" {
        /// Work / speed.
        #[default]
        Exact = "exact",
        /// floor(max(1, work / speed)) + 1: whole seconds and at least two, as GridSim's space-shared
        /// resources count (R. Buyya, M. Murshed, "GridSim: a toolkit for the modeling and simulation of
        /// distributed resource management and scheduling for Grid computing", 2002). The unit of time is
        /// then the second.
        WholeSeconds = "whole-seconds",
    }
}

impl ServiceRule {
    /// How long it works.
    ///
    /// ```
    /// use grid_heuristics::ServiceRule;
    /// use sched_model::{Span, Speed, Work};
    /// let speed = Speed::must(100.0);
    /// let whole = |work| ServiceRule::WholeSeconds.span(Work::must(work), speed);
    /// assert_eq!([whole(30.0), whole(150.0), whole(200.0)], [2.0, 2.0, 3.0].map(Span::must));
    /// assert_eq!(ServiceRule::Exact.span(Work::must(150.0), speed), Span::must(1.5));
    /// ```
    pub fn span(self, work: Work, speed: Speed) -> Span {
        let exact = work / speed;
        match self {
            Self::Exact => exact,
            // Beyond the range of a span the exact time is used.
            Self::WholeSeconds => Span::new(exact.get().max(1.0).floor() + 1.0).unwrap_or(exact),
        }
    }
}

/// The granularity time at which overhead is at most `share` of the time of a full group.
///
/// A group is closed when the next job does not fit, so it works for more than the granularity time less the
/// time of the longest job: `overhead * (1 - share) / share + longest`. With jobs much shorter than the
/// groups, pass a `longest` of zero. The last group, or one closed by a cap on its jobs, may be shorter.
///
/// # Errors
/// [`HeuristicError::Setting`] unless `0 < share < 1`; [`HeuristicError::Model`] if the result is no longer a
/// span.
///
/// ```
/// use grid_heuristics::granularity_for;
/// use sched_model::Span;
/// // 10 s of overhead in 10 + 190 s is a twentieth.
/// assert_eq!(granularity_for(Span::must(10.0), 0.05, Span::ZERO)?, Span::must(190.0));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
pub fn granularity_for(overhead: Span, share: f64, longest: Span) -> Result<Span, HeuristicError> {
    if !(share > 0.0 && share < 1.0) {
        return Err(HeuristicError::Setting {
            what: "the share of overhead",
            expected: "(0, 1)",
            value: share,
        });
    }
    Ok(Span::new(overhead.get() * (1.0 - share) / share + longest.get())?)
}
