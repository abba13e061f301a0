//! `econsched map`: maps tasks to machines by their expected times.

use super::prelude::*;
use crate::commands::limits::{self, LimitFlags};
use crate::input::matrix::{Matrix, Reading};
use crate::output::terminal::thousandths;
use econsched::grid_heuristics::HeuristicError;

flags! {
    /// Map tasks to machines by a matrix of expected times to compute (ETC)
    #[command(after_long_help = include_str!("../help/map.txt"), allow_negative_numbers = true)]
    pub(crate) struct MapArgs {
        /// The matrix, tasks x machines, plain or gzip; `-` is standard input
        operand input: PathBuf as "MATRIX",
        /// Heuristic [default: all]
        heuristic: Option<MappingKind> as "NAME" => names::<MappingKind>(),
        [flatten] reading: Reading,
        [flatten] limits: LimitFlags,
        [flatten] pub(crate) destination: Destination,
    }
}

impl Command for MapArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let path = self.input.as_path();
        let matrix = Matrix::read(path, self.reading)?;
        let (tasks, machines) = (matrix.rows.clone(), matrix.cols.clone());
        let etc = matrix.into_etc(path)?;
        let (limit, all) = (self.limits.start(!context.sweep), self.heuristic.is_none());
        let (mut mappings, mut notes) = (Vec::new(), Vec::new());
        for kind in MappingKind::ALL.iter().filter(|kind| self.heuristic.is_none_or(|one| one == **kind)) {
            let mut meter = limit.meter();
            let (mapping, end) = match kind.solve(&etc, &mut meter) {
                Err(HeuristicError::Stopped(end)) => (None, Some(end)),
                mapping => (Some(mapping.map_err(|error| CliError::input(path, error))?), meter.ended()),
            };
            let left = if mapping.is_some() { "the best so far" } else { "no mapping" };
            let ended = end.and_then(|end| limits::stop_note(kind, end, meter.work()));
            notes.extend(ended.map(|ended| format!("{ended}: {left}")));
            mappings.extend(mapping.map(|mapping| (*kind, mapping)));
        }
        if mappings.is_empty() {
            return Err(CliError::NoPlan(notes.join("; ")));
        }
        let entries = mappings.iter().map(|(kind, mapping)| {
            // The machine of each task, and the time at which each machine is done.
            let of_tasks: Vec<_> = mapping.resources.iter().map(|&at| &machines[at]).collect();
            let loads: Vec<f64> = mapping.loads.iter().map(|load| load.get()).collect();
            object! { heuristic: kind.name(), makespan: makespan(mapping), machines: of_tasks, loads: loads }
        });
        let entries: Vec<_> = entries.collect();
        let size = format!("{} x {}", counted(etc.rows(), "task"), counted(etc.cols(), "machine"));
        let mut text = format!("{}: {size}\n\n{}", Place::file(path), overview(&etc, &mappings).render());
        notes.iter().for_each(|note| text += &format!("{note}\n"));
        if let [(_, mapping)] = mappings.as_slice() {
            text += &format!("\n{}", loads(mapping, &machines).render());
        }
        let figures = mappings.iter().map(|(kind, mapping)| {
            (if all { format!("makespan {kind}") } else { "makespan".to_owned() }, makespan(mapping))
        });
        let places = mappings.iter().flat_map(|(kind, mapping)| {
            let rows = mapping.resources.iter().zip(&mapping.finishes).zip(&tasks);
            rows.map(|((&machine, finish), task)| {
                [kind.to_string(), task.clone(), machines[machine].clone(), finish.to_string()]
            })
        });
        Ok(Report::new(text, &entries)?
            .with_json("map.json")
            .with_file("mapping.csv", files::csv(&["heuristic", "task", "machine", "finish"], places)?)
            .with_figures(figures))
    }
}

fn makespan(mapping: &Mapping) -> f64 {
    mapping.makespan().map_or(0.0, Time::get)
}

/// Returns a row for each heuristic, with the makespan also as a multiple of a lower bound.
fn overview(etc: &EtcMatrix, mappings: &[(MappingKind, Mapping)]) -> Columns {
    let bound = lower_bound(etc);
    let rows = mappings.iter().map(|(kind, mapping)| {
        let loads = &mapping.loads;
        let least = loads.iter().min().map_or(0.0, |load| load.get());
        let mean = loads.iter().map(|load| load.get()).sum::<f64>() / loads.len().max(1) as f64;
        let span = makespan(mapping);
        let ratio = if bound > 0.0 { format!("{:.3}", span / bound) } else { "-".to_owned() };
        [kind.name().to_owned(), thousandths(span), ratio, thousandths(least), thousandths(mean)]
    });
    Columns::with(&["heuristic", "makespan", "x lower bound", "least load", "mean load"], rows)
}

/// Returns a lower bound on the makespan from the minimum time of each task: the longest of these, or their sum
/// divided by the number of machines.
fn lower_bound(etc: &EtcMatrix) -> f64 {
    let least = |row: usize| etc[row].iter().copied().fold(f64::INFINITY, f64::min);
    let (sum, most) = (0..etc.rows()).map(least).fold((0.0, 0.0f64), |(sum, most), t| (sum + t, most.max(t)));
    most.max(sum / etc.cols().max(1) as f64)
}

fn loads(mapping: &Mapping, names: &[String]) -> Columns {
    let mut counts = vec![0usize; mapping.loads.len()];
    mapping.resources.iter().for_each(|&machine| counts[machine] += 1);
    let rows = mapping.loads.iter().zip(counts).zip(names);
    let rows = rows.map(|((load, count), name)| [name.clone(), count.to_string(), thousandths(load.get())]);
    Columns::with(&["machine", "tasks", "load"], rows)
}
