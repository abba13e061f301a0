//! Mapping heuristics, checked by the checker of mappings.

use super::former::Draw;
use super::{Broken, Cases, Passed, guarded, run_cases};
use grid_heuristics::{HeuristicError, Mapping, MappingFlaw, MappingHeuristic, check_mapping};
use sched_model::{End, EtcMatrix, Limit, Time};

/// Tasks to be mapped.
#[derive(Debug, Clone, PartialEq)]
pub struct MappingCase {
    /// The time of each task (row) on each resource (column).
    pub etc: EtcMatrix,
    /// When each resource is ready.
    pub ready: Vec<Time>,
}

impl MappingCase {
    /// A random case of up to 24 tasks on up to 7 resources: consistent times and inconsistent ones, tasks
    /// that take no time, equal rows, resources that are ready at different times, before and after 0.
    pub(super) fn draw(draw: &mut Draw) -> Self {
        let (numbers, structure) = (draw.numbers(), draw.below(5));
        let (tasks, resources) = (draw.below(25) as usize, draw.between(1, 7) as usize);
        let sizes: Vec<f64> = (0..tasks + resources).map(|_| draw.amount(numbers, 9)).collect();
        let cell = |task: usize, at: usize, draw: &mut Draw| match structure {
            0 => sizes[task] * sizes[tasks + at],
            1 => sizes[tasks + at],
            2 if draw.chance(30) => 0.0,
            _ => draw.amount(numbers, 30),
        };
        let etc = loop {
            let times = (0..tasks * resources).map(|k| cell(k / resources, k % resources, draw)).collect();
            // Finite and not negative: never refused.
            if let Ok(etc) = EtcMatrix::new(tasks, resources, times) {
                break etc;
            }
        };
        let spread = draw.chance(60);
        let ready = (0..resources)
            .map(|_| if spread { draw.amount(numbers, 40) - 5.0 } else { 0.0 })
            .map(|time| Time::new(time).unwrap_or(Time::ZERO))
            .collect();
        Self { etc, ready }
    }
}

/// What is wrong with a mapping heuristic.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MappingFault {
    /// It panicked, with this message.
    #[error("panics: {0}")]
    Panic(String),
    /// It has no name.
    #[error("has no name")]
    NoName,
    /// It gave an error on well-formed input.
    #[error("gives an error on well-formed input: {0}")]
    Error(HeuristicError),
    /// Its mapping does not agree with the matrix.
    #[error("the mapping is wrong: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Flaws(Vec<MappingFlaw>),
    /// A second call gave another mapping.
    #[error("the same matrix gives two mappings")]
    Unsteady,
    /// It accepted ready times for another number of resources.
    #[error("takes {given} ready times for {resources} resources")]
    TakesReadyTimes {
        /// Columns of the matrix.
        resources: usize,
        /// Ready times given.
        given: usize,
    },
    /// It continued although its meter allowed no work.
    #[error("maps {tasks} tasks where the limit allows no work")]
    IgnoresLimit {
        /// Tasks mapped.
        tasks: usize,
    },
    /// The makespan is greater than that of the heuristic that it is compared with.
    #[error("a makespan of {makespan} beside one of {other}")]
    Makespan {
        /// That of the heuristic.
        makespan: Time,
        /// That of the heuristic that it was to be compared with.
        other: Time,
    },
}

/// Checks a [`MappingHeuristic`]: that its mappings are complete, run every task after those before it and
/// not before its resource is ready, and state the right times; that the same matrix gives the same mapping;
/// that it refuses ready times of the wrong number; and that it stops where its meter allows no work.
///
/// ```
/// use econsched::grid_heuristics::{Duplex, MinMin};
/// use econsched::testkit::{Cases, MappingCheck};
/// // Duplex takes the better of Min-min and Max-min, and so is never behind Min-min.
/// MappingCheck::new(&Duplex).with_makespan_of(&MinMin).run(&Cases::new(100))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct MappingCheck<'a> {
    heuristic: &'a dyn MappingHeuristic,
    other: Option<&'a dyn MappingHeuristic>,
}

impl<'a> MappingCheck<'a> {
    /// The check that every heuristic must pass.
    pub fn new(heuristic: &'a dyn MappingHeuristic) -> Self {
        Self { heuristic, other: None }
    }

    /// Checks also that its makespan is never greater than that of another heuristic.
    pub fn with_makespan_of(self, other: &'a dyn MappingHeuristic) -> Self {
        Self { other: Some(other), ..self }
    }

    /// Runs all cases, up to the first fault.
    ///
    /// # Errors
    /// The first fault, with its case.
    pub fn run(&self, cases: &Cases) -> Result<Passed, Box<Broken<MappingCase, MappingFault>>> {
        run_cases(cases, MappingCase::draw, |case| self.check(case).map(|()| true))
    }

    /// Checks one case, of any size.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, case: &MappingCase) -> Result<(), MappingFault> {
        guarded(|| self.answers(case)).map_err(MappingFault::Panic)?
    }

    fn answers(&self, case: &MappingCase) -> Result<(), MappingFault> {
        if self.heuristic.name().is_empty() {
            return Err(MappingFault::NoName);
        }
        let MappingCase { etc, ready } = case;
        let map = || self.heuristic.map_from(etc, ready).map_err(MappingFault::Error);
        let mapping = map()?;
        let flaws = check_mapping(etc, ready, &mapping);
        if !flaws.is_empty() {
            return Err(MappingFault::Flaws(flaws));
        }
        if map()? != mapping {
            return Err(MappingFault::Unsteady);
        }
        let mut longer = ready.clone();
        longer.push(Time::ZERO);
        if self.heuristic.map_from(etc, &longer).is_ok() {
            return Err(MappingFault::TakesReadyTimes { resources: etc.cols(), given: longer.len() });
        }
        if etc.rows() > 0 {
            let limit = Limit::default().with_work(0);
            let short = self.heuristic.map_within(etc, ready, &limit).map_err(MappingFault::Error)?;
            if short.incumbent.is_some() || short.end == End::Done {
                return Err(MappingFault::IgnoresLimit { tasks: etc.rows() });
            }
        }
        self.compare(case, &mapping)
    }

    fn compare(&self, case: &MappingCase, mapping: &Mapping) -> Result<(), MappingFault> {
        let Some(other) = self.other else { return Ok(()) };
        let other = other.map_from(&case.etc, &case.ready).map_err(MappingFault::Error)?;
        match (mapping.makespan(), other.makespan()) {
            (Some(makespan), Some(other)) if makespan > other => {
                Err(MappingFault::Makespan { makespan, other })
            }
            _ => Ok(()),
        }
    }
}
