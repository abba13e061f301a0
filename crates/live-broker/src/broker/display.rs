//! Explanations and quotes as text.

use super::{JobExplanation, JobNodeCounts, NodeExplanation, Quotes, Why, WhyNot};
use std::fmt::{Display, Formatter, Result};

impl Display for Why {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Over => write!(f, "it is over"),
            Self::Started => write!(f, "it was started"),
            Self::Promised => write!(f, "it is promised a window"),
            Self::Fits => write!(f, "there is a window, and the next cycle decides"),
            Self::None(refusal) => write!(f, "{refusal}"),
        }
    }
}

impl Display for WhyNot {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::IsThere => write!(f, "it is on this node"),
            Self::Leaving => write!(f, "the node leaves"),
            Self::Down => write!(f, "the node is down"),
            Self::Resting(until) => write!(f, "the node has failed and is not used until {until}"),
            Self::Avoided => write!(f, "the node has refused the job"),
            Self::Alone(refusal) => write!(f, "the node does not suit: {refusal}"),
            Self::Fits => write!(f, "it would be there as things are now"),
            Self::TooFewBeside => write!(f, "too few other nodes suit at the same time"),
            Self::NotPreferred => write!(f, "the search prefers other nodes"),
        }
    }
}

impl Display for JobNodeCounts {
    /// The usable nodes, and those that are not, by cause: `4 of 7 nodes usable; 2 down, 1 too slow`.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { all, leaving, down, resting, avoided, missing, slow, over_price, usable } = *self;
        write!(f, "{usable} of {all} nodes usable")?;
        let causes = [
            (leaving, "leaving"),
            (down, "down"),
            (resting, "resting"),
            (avoided, "that refused the job"),
            (missing, "without what it demands"),
            (slow, "too slow"),
            (over_price, "too expensive"),
        ];
        for (at, (count, cause)) in causes.into_iter().filter(|&(count, _)| count > 0).enumerate() {
            write!(f, "{} {count} {cause}", if at == 0 { ";" } else { "," })?;
        }
        Ok(())
    }
}

impl Display for JobExplanation {
    /// The reason and the nodes on the first line; then the suggestions and the estimated start, where there
    /// are any.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}; {}", self.why, self.nodes)?;
        for suggestion in &self.suggestions {
            write!(f, "\nwould have a window with {suggestion}")?;
        }
        self.estimated_start.map_or(Ok(()), |start| write!(f, "\nestimated start {start}"))
    }
}

impl Display for NodeExplanation {
    /// The reason; then a line for each suggestion.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}", self.why)?;
        for suggestion in &self.suggestions {
            write!(f, "\nwould be there with {suggestion}")?;
        }
        Ok(())
    }
}

impl Display for Quotes {
    /// One line for each window, and one for the window for which running jobs would be stopped.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let several = if self.windows.len() == 1 { "" } else { "s" };
        write!(f, "{} window{several}; {} after {} units of work", self.windows.len(), self.end, self.work)?;
        for window in &self.windows {
            write!(f, "\n{window}")?;
        }
        if let Some(displacing) = &self.displacing {
            write!(f, "\n{} if jobs", displacing.window)?;
            for (at, victim) in displacing.victims.iter().enumerate() {
                write!(f, "{} {victim}", if at == 0 { "" } else { "," })?;
            }
            write!(f, " were stopped")?;
        }
        Ok(())
    }
}
