//! Times one problem by the methods named, and prints `method milliseconds total` a line.
//!
//! Usage: `assignment-peers SIZE NUMBER REPEATS METHOD...`, a method being one of auction-assign's registry,
//! `lapjv`, or `pass` (one pass over the costs: column minima). `assignment-peers zoo SIZE` lists the
//! problems of the zoo, `assignment-peers make SIZE NUMBER FILE` writes one for other programs. SIZE is the number of
//! jobs, about, or `large` for a list of large problems.
//!
//! FILE, little-endian: five u64 (1 if sparse, rows, columns, entries, 1 if every job must be placed), then
//! for a dense matrix its f64 row by row, for a sparse one the row offsets as u64, columns as u32, values as
//! f64; capacities as u32.

use auction_assign::{AssignerKind, AssignmentProblem, Coverage};
use cpu_time::ProcessTime;
use econsched::testkit::Draw;
use econsched::testkit::zoo::{AssignmentGenerator, AssignmentInstance, CostStructure, Places, zoo};

type Error = Box<dyn std::error::Error>;

/// Seconds of processor time of the solver itself, and the total it found.
type Timed = Result<(f64, f64), Error>;

/// The minimum sum by a method of auction-assign, its checks of the input included; `every` job is placed, or most.
fn ours(instance: &AssignmentInstance, every: bool, kind: AssignerKind) -> Timed {
    let start = ProcessTime::now();
    let coverage = if every { Coverage::EveryJob } else { Coverage::MostJobs };
    let mut problem = AssignmentProblem::new(instance.costs()?).with_coverage(coverage);
    if instance.capacities.iter().any(|&capacity| capacity != 1) {
        problem = problem.with_capacities(&instance.capacities);
    }
    let answer = kind.build().assign(&problem)?;
    Ok((start.elapsed().as_secs_f64(), answer.value.unwrap_or(f64::NAN)))
}

fn lapjv(instance: &AssignmentInstance) -> Timed {
    let matrix =
        ndarray::Array2::from_shape_vec((instance.jobs, instance.resources), instance.values.clone())?;
    let start = ProcessTime::now();
    let (rows, _) = lapjv::lapjv(&matrix).map_err(|_| "lapjv fails")?;
    let seconds = start.elapsed().as_secs_f64();
    Ok((seconds, rows.iter().enumerate().map(|(i, &r)| instance.values[i * instance.resources + r]).sum()))
}

fn pass(instance: &AssignmentInstance) -> Timed {
    let start = ProcessTime::now();
    let mut least = vec![f64::INFINITY; instance.resources];
    for row in instance.values.chunks_exact(instance.resources.max(1)) {
        for (least, &cost) in least.iter_mut().zip(row) {
            *least = if cost < *least { cost } else { *least };
        }
    }
    let total = least.iter().sum();
    Ok((start.elapsed().as_secs_f64(), total))
}

/// The problems of this size: those of the zoo, or large ones of transfer and computing times.
fn problems(size: &str) -> Result<Vec<AssignmentGenerator>, Error> {
    if size != "large" {
        return Ok(zoo(size.parse()?));
    }
    let grid_time = |jobs, resources| AssignmentGenerator::new(jobs, resources, CostStructure::GridTime);
    let places = [Places::Short, Places::Tight, Places::Slack];
    let mut found = Vec::new();
    for (jobs, resources) in [(10_000, 20), (100_000, 50), (10_000, 300), (10_000, 1000)] {
        found.extend(places.map(|places| grid_time(jobs, resources).with_places(places)));
    }
    for (jobs, resources) in [(20_000, 1000), (100_000, 5000)] {
        found.extend(places.map(|places| grid_time(jobs, resources).with_places(places).with_admissible(50)));
    }
    found.push(grid_time(500, 20_000));
    Ok(found)
}

/// The problem of this number in its list, and whether every job must be placed.
fn drawn(size: &str, number: &str) -> Result<(AssignmentInstance, bool), Error> {
    let (problems, number) = (problems(size)?, number.parse::<usize>()?);
    let generator = problems.get(number).ok_or("no such problem")?;
    let instance = generator.generate(&mut Draw::new(0, number));
    let places: u64 = instance.capacities.iter().map(|&places| u64::from(places)).sum();
    let every = places >= instance.jobs as u64 && generator.admissible.is_none();
    Ok((instance, every))
}

fn make((instance, every): &(AssignmentInstance, bool), path: &str) -> Result<(), Error> {
    let AssignmentInstance { jobs, resources, offsets, columns, values, capacities, .. } = instance;
    let header = [usize::from(instance.is_sparse()), *jobs, *resources, values.len(), usize::from(*every)];
    let numbers = header.iter().chain(offsets).flat_map(|&number| (number as u64).to_le_bytes());
    let mut bytes: Vec<u8> = numbers.collect();
    bytes.extend(columns.iter().flat_map(|column| column.to_le_bytes()));
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes.extend(capacities.iter().flat_map(|places| places.to_le_bytes()));
    Ok(std::fs::write(path, bytes)?)
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["zoo", size] => {
            for (number, of) in problems(size)?.iter().enumerate() {
                println!("{number}\t{}\t{}\t{}", of.name(), of.jobs, of.resources);
            }
        }
        ["make", size, number, path] => make(&drawn(size, number)?, path)?,
        [size, number, repeats, ref methods @ ..] => {
            let ((instance, every), repeats) = (drawn(size, number)?, repeats.parse::<usize>()?);
            for &method in methods {
                let (mut best, mut total) = (f64::INFINITY, f64::NAN);
                for _ in 0..repeats {
                    let (seconds, value) = match method {
                        "pass" => pass(&instance)?,
                        "lapjv" => lapjv(&instance)?,
                        kind => ours(&instance, every, kind.parse()?)?,
                    };
                    (best, total) = (best.min(seconds * 1e3), value);
                    if seconds > 2.0 {
                        break;
                    }
                }
                println!("{method} {best} {total}");
            }
        }
        _ => return Err("usage: assignment-peers SIZE NUMBER REPEATS METHOD...".into()),
    }
    Ok(())
}
