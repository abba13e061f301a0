//! The direction of an objective.

/// Whether a value is minimised or maximised.
///
/// ```
/// use sched_model::Sense;
/// assert!(Sense::Minimise.is_better(2.0, 3.0) && Sense::Maximise.is_better(3.0, 2.0));
/// assert!(!Sense::Minimise.is_better(2.0, 2.0));
/// assert_eq!("maximise".parse(), Ok(Sense::Maximise));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sense {
    /// Less is better.
    Minimise,
    /// Greater is better.
    Maximise,
}

impl Sense {
    /// Both.
    pub const ALL: &'static [Self] = &[Self::Minimise, Self::Maximise];

    /// The name by which it is found, printed, and written to files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Minimise => "minimise",
            Self::Maximise => "maximise",
        }
    }

    /// -1 where the value is minimised, 1 where it is maximised: of values times this sign, the greater is
    /// better.
    #[inline]
    pub const fn sign(self) -> f64 {
        match self {
            Self::Minimise => -1.0,
            Self::Maximise => 1.0,
        }
    }

    /// Whether `value` is strictly better than `other`.
    #[inline]
    pub const fn is_better(self, value: f64, other: f64) -> bool {
        match self {
            Self::Minimise => value < other,
            Self::Maximise => value > other,
        }
    }
}

crate::registry!(impl Sense: "sense");
