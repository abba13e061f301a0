//! Heuristics that map the tasks in a fixed order, each to the resource that a rule prefers; and Sufferage in passes.

use super::classes::Classes;
use super::mapping::{BestTwo, Building, ImmediateHeuristic, Mapping, earliest, first_min};
use crate::HeuristicError;
use sched_model::{EtcMatrix, Meter, Time};

/// See [`MappingKind::Olb`](crate::MappingKind::Olb).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Olb;

impl ImmediateHeuristic for Olb {
    fn name(&self) -> &str {
        "olb"
    }

    fn choose(&mut self, _: &[f64], ready: &[Time]) -> Option<usize> {
        first_min(ready.iter().map(|time| time.get())).map(|(at, _)| at)
    }
}

/// See [`MappingKind::Met`](crate::MappingKind::Met).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Met;

impl ImmediateHeuristic for Met {
    fn name(&self) -> &str {
        "met"
    }

    fn choose(&mut self, times: &[f64], _: &[Time]) -> Option<usize> {
        first_min(times.iter().copied()).map(|(at, _)| at)
    }
}

/// See [`MappingKind::Mct`](crate::MappingKind::Mct).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mct;

impl ImmediateHeuristic for Mct {
    fn name(&self) -> &str {
        "mct"
    }

    fn choose(&mut self, times: &[f64], ready: &[Time]) -> Option<usize> {
        first_min(times.iter().zip(ready).map(|(time, ready)| time + ready.get())).map(|(at, _)| at)
    }
}

/// K-percent best: maps each task to the resource that completes it first, among the k percent of resources that
/// are fastest for it.
///
/// M. Maheswaran et al., "Dynamic mapping of a class of independent tasks onto heterogeneous computing systems",
/// 1999. Of m resources the floor(k m / 100) fastest ones for the task are examined, at least one: k = 100 is
/// [`Mct`](crate::MappingKind::Mct), k = 100/m is [`Met`](crate::MappingKind::Met), and between them a task does not
/// use resources that are slow for it. The default is the usual k = 20.
///
/// O(n m) for n tasks on m resources. Heuristic. Ties, in times and in completion times, go to the lowest
/// resource.
///
/// ```
/// use grid_heuristics::{Kpb, MappingHeuristic};
/// use sched_model::EtcMatrix;
/// // Half of four resources: the two fastest for each task.
/// let etc = EtcMatrix::from_rows(&[[9.0, 1.0, 2.0, 8.0], [3.0, 1.0, 2.0, 0.5], [3.0, 1.0, 2.0, 8.0]])?;
/// assert_eq!(Kpb::new(50.0)?.map(&etc)?.resources, [1, 3, 1]); // the last: 1 + 1 against 0 + 2
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Kpb {
    percent: f64,
    fastest: Vec<usize>,
}

impl Default for Kpb {
    fn default() -> Self {
        Self { percent: 20.0, fastest: vec![] }
    }
}

impl Kpb {
    /// Creates KPB with k = `percent`.
    ///
    /// # Errors
    /// [`HeuristicError::Setting`] unless `0 < percent <= 100`.
    pub fn new(percent: f64) -> Result<Self, HeuristicError> {
        if percent > 0.0 && percent <= 100.0 {
            Ok(Self { percent, fastest: vec![] })
        } else {
            Err(HeuristicError::Setting {
                what: "the percentage of KPB",
                expected: "(0, 100]",
                value: percent,
            })
        }
    }
}

impl ImmediateHeuristic for Kpb {
    fn name(&self) -> &str {
        "kpb"
    }

    fn choose(&mut self, times: &[f64], ready: &[Time]) -> Option<usize> {
        let resources = times.len();
        if resources == 0 {
            return None;
        }
        // The product is at most 100 times a length: the cast is exact.
        let kept = ((self.percent * resources as f64 / 100.0).floor() as usize).clamp(1, resources);
        self.fastest.clear();
        self.fastest.extend(0..resources);
        if kept < resources {
            let order = |&a: &usize, &b: &usize| times[a].total_cmp(&times[b]).then(a.cmp(&b));
            self.fastest.select_nth_unstable_by(kept - 1, order);
            self.fastest.truncate(kept);
            self.fastest.sort_unstable();
        }
        let finishes = self.fastest.iter().map(|&at| times[at] + ready[at].get());
        first_min(finishes).map(|(at, _)| self.fastest[at])
    }
}

/// Switching: [`Mct`](crate::MappingKind::Mct) until the load is balanced, then [`Met`](crate::MappingKind::Met)
/// until it is not.
///
/// M. Maheswaran et al., "Dynamic mapping of a class of independent tasks onto heterogeneous computing
/// systems", 1999. The balance is the ratio of the minimum to the maximum ready time; it counts as 0 if the maximum
/// is not positive. The heuristic begins with MCT, switches to MET when the ratio is at least `high`, and back when
/// it is at most `low`. Defaults: `low` 0.6, `high` 0.9. The ratio is meaningful only if ready times count from the
/// present, so pass them relative to the current time.
///
/// O(n m) for n tasks on m resources. Heuristic. Ties go to the lowest resource.
///
/// ```
/// use grid_heuristics::{MappingHeuristic, Switching};
/// use sched_model::EtcMatrix;
/// let etc = EtcMatrix::from_rows(&[[4.0, 5.0], [4.0, 4.0], [1.0, 2.0], [1.0, 2.0]])?;
/// // MCT: ready (4, 0), (4, 4). Balanced, MET: (5, 4), 0.8, still MET.
/// assert_eq!(Switching::default().map(&etc)?.resources, [0, 1, 0, 0]);
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Switching {
    low: f64,
    high: f64,
    balanced: bool,
}

impl Default for Switching {
    fn default() -> Self {
        Self { low: 0.6, high: 0.9, balanced: false }
    }
}

impl Switching {
    /// Creates the heuristic that switches at these ratios.
    ///
    /// # Errors
    /// [`HeuristicError::Setting`] unless `0 <= low < high <= 1`.
    pub fn new(low: f64, high: f64) -> Result<Self, HeuristicError> {
        if !(0.0..1.0).contains(&low) {
            return Err(HeuristicError::Setting { what: "the low ratio", expected: "[0, 1)", value: low });
        }
        if high > low && high <= 1.0 {
            Ok(Self { low, high, balanced: false })
        } else {
            Err(HeuristicError::Setting { what: "the high ratio", expected: "(low ratio, 1]", value: high })
        }
    }
}

impl ImmediateHeuristic for Switching {
    fn name(&self) -> &str {
        "switching"
    }

    fn choose(&mut self, times: &[f64], ready: &[Time]) -> Option<usize> {
        let min = ready.iter().min()?.get();
        let max = ready.iter().max()?.get();
        let ratio = if max > 0.0 { min / max } else { 0.0 };
        if ratio >= self.high {
            self.balanced = true;
        } else if ratio <= self.low {
            self.balanced = false;
        }
        if self.balanced { Met.choose(times, ready) } else { Mct.choose(times, ready) }
    }
}

/// See [`Fpltf`](crate::MappingKind::Fpltf).
pub(crate) fn fpltf(etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
    let mut building = Building::new(etc)?;
    meter.reserve_items::<(f64, usize)>(etc.rows())?;
    let mut order: Vec<(f64, usize)> = Vec::with_capacity(etc.rows());
    for task in 0..etc.rows() {
        meter.spend(etc.cols() as u64)?;
        order.push((etc[task].iter().sum::<f64>(), task));
    }
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for (_, task) in order {
        meter.spend(etc.cols() as u64)?;
        let (resource, _) = earliest(&etc[task], &building.ready);
        building.commit(task, resource);
    }
    building.mapping()
}

/// See [`SufferagePasses`](crate::MappingKind::SufferagePasses).
pub(crate) fn sufferage_passes(etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
    let mut building = Building::new(etc)?;
    meter.reserve_items::<(u64, u64, BestTwo)>(etc.rows())?;
    let row = |classes: &Classes, class: u32| &etc[classes.lowest(class) as usize];
    let mut classes = Classes::new(etc, meter)?;
    let mut waiting: Vec<(u32, BestTwo)> = Vec::with_capacity(classes.len());
    for class in 0..classes.len() as u32 {
        meter.spend(etc.cols() as u64)?;
        waiting.push((class, BestTwo::of(row(&classes, class), &building.ready)));
    }
    // The holder of each resource: of the tasks whose best it is, the one of maximum sufferage, in ties the lowest. So
    // of a class only its lowest task can hold a resource.
    let mut holder: Vec<Option<(u32, f64)>> = vec![None; etc.cols()];
    while !waiting.is_empty() {
        meter.spend((etc.cols() + waiting.len()) as u64)?;
        for (class, two) in &waiting {
            let (held, suffers) = (&mut holder[two.first], two.sufferage());
            let goes_before = |&(other, others): &(u32, f64)| {
                suffers > others || (suffers == others && classes.lowest(*class) < classes.lowest(other))
            };
            if held.as_ref().is_none_or(goes_before) {
                *held = Some((*class, suffers));
            }
        }
        for (resource, held) in holder.iter().enumerate() {
            if let Some((class, _)) = *held {
                building.commit(classes.lowest(class) as usize, resource);
            }
        }
        let mut spent = Ok(());
        waiting.retain_mut(|(class, two)| {
            let is_holder = |resource: usize| holder[resource].is_some_and(|(other, _)| other == *class);
            let stays = !is_holder(two.first) || classes.take(*class);
            let is_changed = holder[two.first].is_some() || holder[two.second].is_some();
            if stays && is_changed && spent.is_ok() {
                spent = meter.spend(etc.cols() as u64);
                *two = BestTwo::of(row(&classes, *class), &building.ready);
            }
            stays
        });
        holder.fill(None);
        spent?;
    }
    building.mapping()
}
