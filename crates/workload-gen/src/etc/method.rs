//! Generated ETC matrices.

use super::Consistency;
use crate::WorkloadError;
use crate::error::require;
use crate::range::{self, Least};
use crate::sample::{Distribution, Gamma, Uniform};
use rand::Rng;
use sched_model::EtcMatrix;

sched_model::registry! {
    /// Published methods with published parameters, by name.
    pub enum EtcKind: "ETC method" {
        /// Range-based, tasks to 3000, machines to 1000.
        HiHi = "hihi",
        /// Range-based, tasks to 3000, machines to 10.
        HiLo = "hilo",
        /// Range-based, tasks to 100, machines to 1000.
        LoHi = "lohi",
        /// Range-based, tasks to 100, machines to 10.
        LoLo = "lolo",
        /// By coefficient of variation: mean 1000, both coefficients 0.9 (our choice of parameters).
        Cvb = "cvb",
    }
}

impl EtcKind {
    /// The method with its parameters.
    pub fn method(self) -> EtcMethod {
        let range = |task, machine| EtcMethod::Range { task, machine };
        match self {
            EtcKind::HiHi => range(3000.0, 1000.0),
            EtcKind::HiLo => range(3000.0, 10.0),
            EtcKind::LoHi => range(100.0, 1000.0),
            EtcKind::LoLo => range(100.0, 10.0),
            EtcKind::Cvb => {
                EtcMethod::Cvb { mean: 1000.0, task_cov: 0.9, machine_cov: 0.9, by_machine: false }
            }
        }
    }
}

/// How times are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum EtcMethod {
    /// t_i ~ U[1, `task`]; e_ij = t_i * U[1, `machine`]. Mean (1 + task)(1 + machine) / 4.
    Range {
        /// Largest base time of a task.
        task: f64,
        /// Largest factor of a machine.
        machine: f64,
    },
    /// Gammas by coefficient of variation (CVB): task i has a mean q_i of mean `mean` and coefficient
    /// `task_cov`; its times over the machines have mean q_i and coefficient `machine_cov`. For the whole
    /// matrix CV^2 = (1 + task_cov^2)(1 + machine_cov^2) - 1.
    Cvb {
        /// Mean of all times.
        mean: f64,
        /// Coefficient of variation from task to task.
        task_cov: f64,
        /// Coefficient of variation from machine to machine.
        machine_cov: f64,
        /// Draw the means q for machines instead of tasks: the transposed method, for machines that differ
        /// more than tasks do.
        by_machine: bool,
    },
}

/// Generates an ETC matrix.
///
/// O(n m) for n tasks and m machines, and O(n m log m) for sorted rows. Draws row by row: the task's own,
/// then its machines'; with `by_machine` the means of all machines first.
///
/// ```
/// use workload_gen::etc::{Consistency, EtcGenerator, EtcKind};
/// use workload_gen::sample::stream;
///
/// let etc = EtcGenerator::new(512, 16, EtcKind::HiLo.method())
///     .with_consistency(Consistency::Consistent)
///     .generate(&mut stream(1, 0))?;
/// assert_eq!((etc.rows(), etc.cols()), (512, 16));
/// assert!(etc.row(7).is_sorted());
/// # Ok::<(), workload_gen::WorkloadError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
#[must_use]
pub struct EtcGenerator {
    /// Rows.
    pub tasks: usize,
    /// Columns.
    pub machines: usize,
    /// How times are drawn.
    pub method: EtcMethod,
    /// How rows are sorted; along the machines' numbers.
    pub consistency: Consistency,
}

sched_model::setters!(EtcGenerator {
    with_tasks: tasks: usize,
    with_machines: machines: usize,
    with_method: method: EtcMethod,
    with_consistency: consistency: Consistency,
});

impl EtcGenerator {
    /// An inconsistent matrix of the given size.
    pub fn new(tasks: usize, machines: usize, method: EtcMethod) -> Self {
        EtcGenerator { tasks, machines, method, consistency: Consistency::Inconsistent }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range.
    pub fn validate(&self) -> Result<(), WorkloadError> {
        let (tasks, machines) = (self.tasks, self.machines);
        let fits = tasks.checked_mul(machines).is_some_and(|cells| cells <= isize::MAX as usize / 8);
        let size = format_args!("{tasks} x {machines}");
        require(fits, "tasks x machines", size, "a size that memory can hold")?;
        match self.method {
            EtcMethod::Range { task, machine } => {
                for (name, value) in [("task range", task), ("machine range", machine)] {
                    require(value >= 1.0 && value.is_finite(), name, value, "finite, at least 1")?;
                }
            }
            EtcMethod::Cvb { mean, task_cov, machine_cov, .. } => {
                range::number("mean", mean, Least::Positive)?;
                cov_gamma("task_cov", task_cov)?;
                cov_gamma("machine_cov", machine_cov)?;
            }
        }
        Ok(())
    }

    /// Draws a matrix.
    ///
    /// # Errors
    /// As [`EtcGenerator::validate`]; [`WorkloadError::Model`] where a time leaves the range of the model.
    pub fn generate(&self, rng: &mut dyn Rng) -> Result<EtcMatrix, WorkloadError> {
        self.validate()?;
        let (tasks, machines) = (self.tasks, self.machines);
        let etc = match self.method {
            EtcMethod::Range { task, machine } => {
                let (task, machine) = (Uniform::new(1.0, task)?, Uniform::new(1.0, machine)?);
                let mut base = 1.0;
                EtcMatrix::from_fn(tasks, machines, |_, j| {
                    if j == 0 {
                        base = task.sample(rng);
                    }
                    base * machine.sample(rng)
                })?
            }
            EtcMethod::Cvb { mean, task_cov, machine_cov, by_machine } => {
                let task = cov_gamma("task_cov", task_cov)?;
                let machine = cov_gamma("machine_cov", machine_cov)?;
                if by_machine {
                    let means: Vec<f64> = (0..machines).map(|_| mean * machine.sample(rng)).collect();
                    EtcMatrix::from_fn(tasks, machines, |_, j| means[j] * task.sample(rng))?
                } else {
                    let mut base = mean;
                    EtcMatrix::from_fn(tasks, machines, |_, j| {
                        if j == 0 {
                            base = mean * task.sample(rng);
                        }
                        base * machine.sample(rng)
                    })?
                }
            }
        };
        let order: Vec<usize> = (0..machines).collect();
        self.consistency.arrange(&etc, &order)
    }
}

/// The gamma of mean 1 and the given coefficient of variation: shape 1 / cov^2, scale cov^2.
pub(super) fn cov_gamma(name: &'static str, cov: f64) -> Result<Gamma, WorkloadError> {
    Gamma::new(1.0 / (cov * cov), cov * cov)
        .ok()
        .filter(|_| cov > 0.0)
        .ok_or_else(|| WorkloadError::parameter(name, cov, "finite and positive, and so its square"))
}
