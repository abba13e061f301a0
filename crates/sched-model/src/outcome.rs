//! How much is known of an optimiser's answer.

use std::fmt;

/// What is proven of a solution.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Proof {
    /// No solution is better.
    Exact,
    /// No solution is better by more than this amount.
    WithinEpsilon(f64),
    /// Nothing is claimed.
    Heuristic,
    /// The best found before a limit stopped the search.
    LimitReached,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => write!(f, "exact"),
            Self::WithinEpsilon(epsilon) => write!(f, "within {epsilon}"),
            Self::Heuristic => write!(f, "heuristic"),
            Self::LimitReached => write!(f, "limit reached"),
        }
    }
}

/// A solution and what is proven of it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outcome<T> {
    /// The solution.
    pub solution: T,
    /// What is proven of it.
    pub proof: Proof,
}

impl<T> Outcome<T> {
    /// A solution proven to be the best.
    pub fn exact(solution: T) -> Self {
        Self { solution, proof: Proof::Exact }
    }

    /// A solution of which nothing is claimed.
    pub fn heuristic(solution: T) -> Self {
        Self { solution, proof: Proof::Heuristic }
    }

    /// The same proof of another view of the solution.
    pub fn map<U>(self, view: impl FnOnce(T) -> U) -> Outcome<U> {
        Outcome { solution: view(self.solution), proof: self.proof }
    }
}
