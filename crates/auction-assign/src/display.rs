//! Answers as text, in one line each.

use crate::strategy::SitePlan;
use crate::{Answer, Bounded};
use std::fmt::{Display, Formatter, Result};

impl Display for Answer {
    /// The assignment and what is proven of it, or why there is none.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Assigned(assigned) => write!(f, "{assigned}"),
            Self::Infeasible(shortage) => write!(f, "no assignment: {shortage}"),
        }
    }
}

impl Display for Bounded {
    /// The outcome; where it is proven that there is no assignment, also the shortage.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}", self.outcome)?;
        self.shortage.as_ref().map_or(Ok(()), |shortage| write!(f, ": {shortage}"))
    }
}

impl Display for SitePlan {
    /// How many jobs were sent to sites, and the assignment with its proof.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let sent = self.sites.iter().flatten().count();
        write!(f, "{sent} of {} jobs sent to {} sites; {}", self.sites.len(), self.ready.len(), self.outcome)
    }
}
