//! Every registered algorithm on one input of its family, to compare quality and time.
//!
//! [`variants`] lists them: each can be [run](Variant::run) and always gives the same figures. The caller
//! measures the time, as the bench `variants` does. A new entry of a registry is in it.
//!
//! ```
//! let all = econsched_studies::variants::variants()?;
//! let min_min = all.iter().find(|variant| (variant.family, variant.name.as_str()) == ("mapping", "min-min"));
//! let figures = min_min.ok_or("listed")?.run()?;
//! assert_eq!(figures.len(), min_min.ok_or("listed")?.figures.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod tasks;
mod windows;

use crate::{Failure, StudyError};
use econsched::sched_model::internal::Registry;
use std::sync::Arc;

type Run = Box<dyn Fn() -> Result<Vec<f64>, Failure> + Send + Sync>;

/// An algorithm with its input.
#[non_exhaustive]
pub struct Variant {
    /// Its family. The variants of a family have the same input and the same figures.
    pub family: &'static str,
    /// Its name, that of its registry where it has one.
    pub name: String,
    /// The names of its figures.
    pub figures: &'static [&'static str],
    run: Run,
}

impl std::fmt::Debug for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.family, self.name)
    }
}

impl Variant {
    /// Runs it once: its figures, in the order of their names; NaN for one that it does not have.
    ///
    /// # Errors
    /// The error of the algorithm.
    pub fn run(&self) -> Result<Vec<f64>, StudyError> {
        (self.run)().map_err(StudyError::Timing)
    }
}

/// The variants of a family: all of a registry on the same input.
fn family<I, R>(
    family: &'static str,
    figures: &'static [&'static str],
    input: I,
    run: fn(&I, &R) -> Result<Vec<f64>, Failure>,
) -> Vec<Variant>
where
    I: Send + Sync + 'static,
    R: Registry + Send + Sync + 'static,
{
    let kinds = R::ALL.iter().map(|&kind| (kind.name(), kind));
    named(family, figures, input, kinds, run)
}

/// The same of these algorithms, each with its name.
fn named<I, A>(
    family: &'static str,
    figures: &'static [&'static str],
    input: I,
    algorithms: impl IntoIterator<Item = (&'static str, A)>,
    run: fn(&I, &A) -> Result<Vec<f64>, Failure>,
) -> Vec<Variant>
where
    I: Send + Sync + 'static,
    A: Send + Sync + 'static,
{
    let input = Arc::new(input);
    let variant = |(name, algorithm): (&str, A)| {
        let (input, name) = (Arc::clone(&input), name.to_owned());
        Variant { family, name, figures, run: Box::new(move || run(&input, &algorithm)) }
    };
    algorithms.into_iter().map(variant).collect()
}

/// Every registered variant, family by family. Inputs are drawn when this is called, each from a stream of
/// its own.
///
/// # Errors
/// [`StudyError::Timing`] if an input cannot be made.
pub fn variants() -> Result<Vec<Variant>, StudyError> {
    let made = || {
        let mut families = windows::families()?;
        families.extend(tasks::families()?);
        Ok(families.into_iter().flatten().collect())
    };
    made().map_err(StudyError::Timing)
}

/// The sum over the count; NaN of nothing.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn each_family_compares_and_each_name_stands_once() {
        let all = variants().unwrap();
        let mut families: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for variant in &all {
            families.entry(variant.family).or_default().push(&variant.name);
        }
        assert!(families.len() >= 8, "{families:?}");
        for (family, names) in &mut families {
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert!(count == names.len() && count > 1, "{family}: {names:?}");
        }
    }

    #[test]
    fn figures_are_those_that_are_kept() {
        let kept = "choice/expanding-core: 1759 6720 0
choice/backward-run: 1759 6720 0
trade-off/min-ctt: 300 6531.605196855781 75472.94580036185
trade-off/max-ctt: 300 5120.870423615353 80186.47588198949
trade-off/greedy: 300 5838.597721749552 77002.44170249613
trade-off/blind-greedy: 300 8270.857524965919 67425.1842835883
assignment/automatic: 16526 400089
assignment/auction: 16526 400089
assignment/shortest-paths: 16526 400089
assignment/transport: 16526 400089
assignment/sorted: NaN NaN
assignment/greedy: 57282 564407";
        let told = |variant: &Variant| {
            let figures: Vec<String> = variant.run().unwrap().iter().map(f64::to_string).collect();
            format!("{variant:?}: {}", figures.join(" "))
        };
        let families = ["choice", "trade-off", "assignment"];
        let all = variants().unwrap();
        let some = all.iter().filter(|variant| families.contains(&variant.family));
        assert_eq!(some.map(told).collect::<Vec<_>>().join("\n"), kept);
    }

    #[test]
    fn figures_are_the_same_every_time() {
        for variant in variants().unwrap() {
            // Two of each family are enough, and the table of values takes long.
            if ["amp", "min-cost", "min-min", "greedy", "easy"].contains(&variant.name.as_str()) {
                let (one, two) = (variant.run().unwrap(), variant.run().unwrap());
                assert_eq!(one.len(), variant.figures.len());
                assert!(one.iter().zip(&two).all(|(a, b)| a.to_bits() == b.to_bits()), "{variant:?}");
            }
        }
    }
}
