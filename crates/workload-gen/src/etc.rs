//! Matrices of expected times to compute (ETC): tasks by machines.
//!
//! Sources: S. Ali, H. J. Siegel, M. Maheswaran, D. Hensgen, S. Ali, "Representing task and machine
//! heterogeneities for heterogeneous computing systems", 2000 (range-based and by coefficient of variation);
//! T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
//! onto heterogeneous distributed computing systems", 2001 (ranges and consistency of the classical
//! benchmark).
//!
//! # Which to use when
//! - To generate a benchmark: [`EtcGenerator`], with an [`EtcMethod`] and a [`Consistency`].
//! - To draw times on machines from the known mean time of each task: [`Variation`].

use crate::WorkloadError;
use crate::draw::range::{self, Least};
use crate::draw::{Distribution, Gamma, Uniform, unit};
use crate::error::require;
use rand::Rng;
use sched_model::EtcMatrix;

/// The method by which times are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase", deny_unknown_fields))]
#[non_exhaustive]
pub enum EtcMethod {
    /// [`Range`](Self::Range) with `task` 3000 and `machine` 1000.
    HiHi,
    /// [`Range`](Self::Range) with `task` 3000 and `machine` 10.
    HiLo,
    /// [`Range`](Self::Range) with `task` 100 and `machine` 1000.
    LoHi,
    /// [`Range`](Self::Range) with `task` 100 and `machine` 10.
    LoLo,
    /// [`Gamma`](Self::Gamma) by task with mean 1000 and both coefficients 0.9 (our choice of parameters).
    Cvb,
    /// Range-based: e_ij = t_i * U[1, `machine`] with t_i ~ U[1, `task`]. The mean is (1 + task)(1 + machine) / 4.
    Range {
        /// Largest base time of a task.
        task: f64,
        /// Largest factor of a machine.
        machine: f64,
    },
    /// Gamma distributions with given coefficients of variation (CVB): the mean q_i of task i is drawn with mean
    /// `mean` and coefficient `task_cov`; its times on the machines are drawn with mean q_i and coefficient
    /// `machine_cov`. For the whole matrix CV^2 = (1 + task_cov^2)(1 + machine_cov^2) - 1.
    Gamma {
        /// Mean of all times.
        mean: f64,
        /// Coefficient of variation between tasks.
        task_cov: f64,
        /// Coefficient of variation between machines.
        machine_cov: f64,
        /// Whether the means q are drawn for machines instead of tasks: the transposed method, for machines that
        /// differ more than tasks do.
        by_machine: bool,
    },
}

sched_model::settings! {
    /// Generates an ETC matrix.
    ///
    /// O(n m) time for n tasks and m machines, O(n m log m) if rows are sorted. Draws row by row: the value of the
    /// task, then one value for each machine. With `by_machine`, draws the means of all machines first, then row by
    /// row one value for each machine.
    ///
    /// ```
    /// use workload_gen::etc::{Consistency, EtcGenerator, EtcMethod};
    /// use workload_gen::sample::stream;
    ///
    /// let etc = EtcGenerator::new(512, 16, EtcMethod::HiLo)
    ///     .with_consistency(Consistency::Consistent)
    ///     .generate(&mut stream(1, 0))?;
    /// assert_eq!((etc.rows(), etc.cols()), (512, 16));
    /// assert!(etc[7].is_sorted());
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    pub struct EtcGenerator {
        /// Creates a generator of inconsistent matrices of the given size.
        new(tasks: usize, machines: usize, method: EtcMethod);
        /// Number of tasks (rows).
        _: tasks: usize = tasks,
        /// Number of machines (columns).
        _: machines: usize = machines,
        /// The method by which times are drawn.
        _: method: EtcMethod = method,
        /// Whether rows are sorted, with machine 0 as the fastest.
        with_consistency: consistency: Consistency = Consistency::Inconsistent,
    }
}

impl EtcGenerator {
    /// Draws a matrix.
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for the first field that is out of its range, [`WorkloadError::Model`] if
    /// a time leaves the range of the model.
    pub fn generate(&self, rng: &mut dyn Rng) -> Result<EtcMatrix, WorkloadError> {
        let (tasks, machines) = (self.tasks, self.machines);
        let fits = tasks.checked_mul(machines).is_some_and(|cells| cells <= isize::MAX as usize / 8);
        let size = format_args!("{tasks} x {machines}");
        require(fits, "tasks x machines", size, "a size that memory can hold")?;
        if tasks.min(machines) == 0 && tasks.max(machines) > 0 {
            // There is nothing to draw, and the other dimension may be huge. The recursion checks the parameters.
            let empty = Self { tasks: 0, machines: 0, ..self.clone() }.generate(rng)?;
            return Ok(EtcMatrix::new(tasks, machines, empty.values().to_vec())?);
        }
        let etc = match self.method {
            EtcMethod::HiHi => self.range(3000.0, 1000.0, rng),
            EtcMethod::HiLo => self.range(3000.0, 10.0, rng),
            EtcMethod::LoHi => self.range(100.0, 1000.0, rng),
            EtcMethod::LoLo => self.range(100.0, 10.0, rng),
            EtcMethod::Range { task, machine } => self.range(task, machine, rng),
            EtcMethod::Cvb => self.gamma(1000.0, 0.9, 0.9, false, rng),
            EtcMethod::Gamma { mean, task_cov, machine_cov, by_machine } => {
                self.gamma(mean, task_cov, machine_cov, by_machine, rng)
            }
        }?;
        let order: Vec<usize> = (0..machines).collect();
        self.consistency.arrange(&etc, &order)
    }

    fn range(&self, task: f64, machine: f64, rng: &mut dyn Rng) -> Result<EtcMatrix, WorkloadError> {
        for (name, value) in [("task range", task), ("machine range", machine)] {
            require(value >= 1.0 && value.is_finite(), name, value, "finite, at least 1")?;
        }
        let (task, machine) = (Uniform::new(1.0, task)?, Uniform::new(1.0, machine)?);
        self.by_task(rng, |rng| task.sample(rng), machine)
    }

    fn gamma(
        &self,
        mean: f64,
        task_cov: f64,
        machine_cov: f64,
        by_machine: bool,
        rng: &mut dyn Rng,
    ) -> Result<EtcMatrix, WorkloadError> {
        range::number("mean", mean, Least::Positive)?;
        let task = cov_gamma("task_cov", task_cov)?;
        let machine = cov_gamma("machine_cov", machine_cov)?;
        if by_machine {
            let means: Vec<f64> = (0..self.machines).map(|_| mean * machine.sample(rng)).collect();
            let times = (0..self.tasks).flat_map(|_| &means).map(|mean| mean * task.sample(rng)).collect();
            return Ok(EtcMatrix::new(self.tasks, self.machines, times)?);
        }
        self.by_task(rng, |rng| mean * task.sample(rng), machine)
    }

    /// Draws a value for each task, then its times as the product of this value and a `factor` for each machine.
    fn by_task(
        &self,
        rng: &mut dyn Rng,
        task: impl Fn(&mut dyn Rng) -> f64,
        factor: impl Distribution,
    ) -> Result<EtcMatrix, WorkloadError> {
        let mut times = Vec::new();
        for _ in 0..self.tasks {
            let base = task(rng);
            times.extend((0..self.machines).map(|_| base * factor.sample(rng)));
        }
        Ok(EtcMatrix::new(self.tasks, self.machines, times)?)
    }
}

/// Returns the gamma distribution with mean 1 and coefficient of variation `cov`: shape 1 / cov^2, scale cov^2.
pub(super) fn cov_gamma(name: &'static str, cov: f64) -> Result<Gamma, WorkloadError> {
    Gamma::new(1.0 / (cov * cov), cov * cov)
        .ok()
        .filter(|_| cov > 0.0)
        .ok_or_else(|| WorkloadError::parameter(name, cov, "finite and positive, and so its square"))
}

/// Whether a machine that is faster for one task is faster for all tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Consistency {
    /// Every row is sorted in the same order of machines.
    Consistent,
    /// Rows stay as drawn.
    Inconsistent,
    /// Every row is sorted on every second machine of the order, beginning with the first; its other values stay as
    /// drawn.
    SemiConsistent,
}

impl Consistency {
    /// Permutes the values of each row so that they ascend along `order`, a permutation of the machines from the
    /// fastest to the slowest.
    ///
    /// O(n m log m) time for n tasks and m machines.
    pub(crate) fn arrange(self, etc: &EtcMatrix, order: &[usize]) -> Result<EtcMatrix, WorkloadError> {
        let machines = etc.cols();
        let step = match self {
            Consistency::Inconsistent => return Ok(etc.clone()),
            Consistency::Consistent => 1,
            Consistency::SemiConsistent => 2,
        };
        let mut values = etc.values().to_vec();
        let mut picked = Vec::with_capacity(machines);
        // A matrix without machines has no values, but `chunks_exact_mut` allows no width of 0.
        for row in values.chunks_exact_mut(machines.max(1)) {
            let places = || order.iter().step_by(step);
            picked.clear();
            picked.extend(places().map(|&machine| row[machine]));
            picked.sort_unstable_by(f64::total_cmp);
            for (&machine, &value) in places().zip(&picked) {
                row[machine] = value;
            }
        }
        Ok(EtcMatrix::new(etc.rows(), machines, values)?)
    }
}

/// The distribution of the times of a task on different machines, given its mean or minimum time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Variation {
    /// A gamma distribution whose mean is the given time: the second stage of the CVB method. A coefficient of 0.9
    /// gives shape 1.2346 and scale 0.81 * mean.
    Gamma {
        /// The coefficient of variation.
        cov: f64,
    },
    /// The uniform distribution on [time, time + s * sqrt(12)], whose minimum is the given time.
    Uniform {
        /// The standard deviation s, in units of time.
        deviation: f64,
    },
}

impl Variation {
    /// Draws a row of `machines` times for each element of `times`.
    ///
    /// ```
    /// use workload_gen::etc::Variation;
    /// use workload_gen::sample::stream;
    /// let etc = Variation::Uniform { deviation: 20.0 }.etc(&[100.0, 500.0], 3, &mut stream(1, 0))?;
    /// assert!(etc[1].iter().all(|time| (500.0..=569.3).contains(time))); // 20 * sqrt(12) = 69.28
    /// # Ok::<(), workload_gen::WorkloadError>(())
    /// ```
    ///
    /// # Errors
    /// [`WorkloadError::Parameter`] for a parameter or a given time that is out of range, [`WorkloadError::Model`]
    /// for a drawn time that leaves the range of the model.
    pub fn etc(&self, times: &[f64], machines: usize, rng: &mut dyn Rng) -> Result<EtcMatrix, WorkloadError> {
        for &time in times {
            range::number("time of a task", time, Least::Positive)?;
        }
        let each = times.iter().flat_map(|&time| std::iter::repeat_n(time, machines));
        let drawn = match *self {
            Variation::Gamma { cov } => {
                let gamma = cov_gamma("cov", cov)?;
                each.map(|time| time * gamma.sample(rng)).collect()
            }
            Variation::Uniform { deviation } => {
                range::number("deviation", deviation, Least::Zero)?;
                let width = deviation * 12.0_f64.sqrt();
                each.map(|time| time + width * unit(rng)).collect()
            }
        };
        Ok(EtcMatrix::new(times.len(), machines, drawn)?)
    }
}
