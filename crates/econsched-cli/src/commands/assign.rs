//! `econsched assign`: assigns jobs to resources at the minimum sum of costs, with a proof.

use super::limits::{self, LimitFlags};
use super::prelude::*;
use crate::draw::page::{all_digits, short};
use crate::input::matrix::{Matrix, Reading};
use crate::output::terminal::exact;
use econsched::auction_assign::{AssignError, Coverage, Sense, Shortage};
use serde_json::{Value, json};

flags! {
    /// Assign jobs to resources at the minimum (or maximum) sum, with duals that prove it
    #[command(after_long_help = include_str!("../help/assign.txt"), allow_negative_numbers = true)]
    pub(crate) struct AssignArgs {
        /// Costs of jobs (rows) on resources (columns), plain or gzip; `-` is standard input
        operand input: PathBuf as "MATRIX",
        [flatten] reading: Reading,
        /// Method
        method: AssignerKind as "NAME" = "automatic" => names::<AssignerKind>(),
        /// Find the maximum sum instead of the minimum
        maximise: bool,
        /// Number of jobs that each resource can hold: one number for all, or one for each resource [default:
        /// 1]
        capacities: Vec<u32> as "COUNTS" [value_delimiter = ','],
        /// Place as many jobs as possible if not all can be placed
        most_jobs: bool [conflicts_with = "unplaced"],
        /// Allow jobs to be left out: each job left out adds this cost to the sum
        unplaced: Option<f64> as "COST",
        [flatten] limits: LimitFlags,
        /// Stop at an assignment that is proven to be within this share of the best
        gap: Option<f64> as "SHARE" => gap,
        [flatten] pub(crate) destination: Destination,
    }
}

const JOBS: [&str; 4] = ["job", "resource", "cost", "profit"];
const RESOURCES: [&str; 4] = ["resource", "capacity", "load", "price"];

impl Command for AssignArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let (path, kind) = (self.input.as_path(), self.method);
        let matrix = Matrix::read(path, self.reading)?;
        let limit = self.limits.start(!context.sweep);
        let limit = self.gap.into_iter().fold(limit, Limit::with_relative_gap);
        let capacities = match self.capacities.as_slice() {
            [] => None,
            [one] => Some(vec![*one; matrix.cols.len()]),
            several => Some(several.to_vec()),
        };
        let wrong = |error: AssignError| CliError::input(path, error);
        let coverage = match self.unplaced {
            Some(unplaced) => Coverage::Penalty(unplaced),
            None if self.most_jobs => Coverage::MostJobs,
            None => Coverage::EveryJob,
        };
        let sense = if self.maximise { Sense::Maximise } else { Sense::Minimise };
        let problem = AssignmentProblem::new(matrix.costs().map_err(wrong)?);
        let problem = problem.with_sense(sense).with_coverage(coverage);
        let problem = capacities.iter().fold(problem, |problem, list| problem.with_capacities(list));
        let mut meter = limit.meter().with_observer(limits::progress_observer("assignment"));
        let outcome = kind.build().solve(&problem, &mut meter).map_err(wrong)?;
        let left = if outcome.best.is_some() { "the best so far" } else { "no assignment was found by then" };
        let stopped = limits::stop_note("the search", outcome.end, outcome.work);
        let (stopped, proof) = (stopped.map(|ended| format!("{ended}: {left}")), outcome.proof());
        if let Some(shortage) = outcome.refusal {
            return Err(infeasible(&problem, &shortage, &matrix));
        }
        let Some(assignment) = outcome.best else {
            return Err(CliError::NoPlan(stopped.unwrap_or_else(|| "no assignment".to_owned())));
        };
        answer(kind, &problem, &assignment, (proof, stopped), &matrix)
    }
}

/// Explains why not every job can be placed, with the names of the file.
fn infeasible(problem: &AssignmentProblem<'_>, shortage: &Shortage, matrix: &Matrix) -> CliError {
    let list = |indices: &[u32], names: &[String]| {
        let shown = indices.iter().take(20).map(|&index| names[index as usize].as_str());
        let shown: Vec<&str> = shown.chain((indices.len() > 20).then_some("...")).collect();
        shown.join(", ")
    };
    let doubt = shortage.verify(problem).err().map(|flaw| format!(" (the checker objects: {flaw})"));
    let doubt = doubt.unwrap_or_default();
    CliError::NoPlan(format!(
        "not every job can be placed: {shortage}{doubt}\n  jobs: {}\n  resources: {}",
        list(&shortage.jobs, &matrix.rows),
        list(&shortage.resources, &matrix.cols),
    ))
}

/// Reports an assignment, after its duals have been checked.
fn answer(
    kind: AssignerKind,
    problem: &AssignmentProblem<'_>,
    assignment: &Assignment,
    (proof, stopped): (Proof, Option<String>),
    matrix: &Matrix,
) -> Result<Report, CliError> {
    let (total, duals) = (assignment.total, assignment.duals.as_ref());
    let certificate = duals.map(|_| verify(problem, assignment)).transpose();
    let certificate = certificate.map_err(|flaw| CliError::fault(format!("the checker objects: {flaw}")))?;
    // The duals prove that no assignment has a better sum than `bound`.
    let (bound, gap) = certificate.map(|certificate| (certificate.bound, certificate.gap)).unzip();
    let mut loads = vec![0_u64; problem.costs.cols()];
    for resource in assignment.resources.iter().flatten() {
        loads[*resource as usize] += 1;
    }
    let jobs = matrix.rows.iter().zip(&assignment.resources).enumerate().map(|(job, (name, resource))| {
        let resource = resource.map(|resource| resource as usize);
        let cost = resource.and_then(|resource| problem.costs.get(job, resource));
        let profit = duals.and_then(|duals| duals.profits.get(job).copied());
        [json!(name), json!(resource.map(|at| &matrix.cols[at])), json!(cost), json!(profit)]
    });
    let resources = matrix.cols.iter().zip(loads).enumerate().map(|(resource, (name, load))| {
        let price = duals.and_then(|duals| duals.prices.get(resource).copied());
        [json!(name), json!(problem.capacities.map_or(1, |all| all[resource])), json!(load), json!(price)]
    });
    let (jobs, resources): (Vec<_>, Vec<_>) = (jobs.collect(), resources.collect());
    let proven = bound.zip(gap).map_or("nothing is proven".to_owned(), |(bound, gap)| {
        let (bound, gap) = (exact(bound), exact(gap));
        format!("duals prove that no sum is better than {bound}: at most {gap} is left")
    });
    let text = format!(
        "{}\n{}\ntotal {} by {}; proof {proof}; {proven}\n{}",
        shown(&JOBS, &jobs),
        shown(&RESOURCES, &resources),
        exact(total),
        kind.name(),
        stopped.iter().map(|stopped| format!("{stopped}\n")).collect::<String>()
    );
    let of_jobs = jobs.iter().map(|[job, resource, cost, profit]| {
        object! { job: job, resource: resource, cost: cost, profit: profit }
    });
    let of_resources = resources.iter().map(|[resource, capacity, load, price]| {
        object! { resource: resource, capacity: capacity, load: load, price: price }
    });
    let json = object! {
        method: kind.name(),
        sense: problem.sense,
        total: total,
        proof: proof,
        bound: bound,
        gap: gap,
        stopped Option<>: stopped,
        jobs: of_jobs.collect::<Vec<_>>(),
        resources: of_resources.collect::<Vec<_>>(),
    };
    let csv =
        |names, rows: &[[Value; 4]]| files::csv(names, rows.iter().map(|row| row.each_ref().map(all_digits)));
    let placed = assignment.resources.iter().flatten().count() as f64;
    let figures = [("total", Some(total)), ("placed", Some(placed)), ("bound", bound), ("gap", gap)];
    Ok(Report::new(text, &json)?
        .with_json("assign.json")
        .with_file("assignment.csv", csv(&JOBS, &jobs)?)
        .with_file("prices.csv", csv(&RESOURCES, &resources)?)
        .with_figures(figures.into_iter().filter_map(|(name, value)| Some((name, value?)))))
}

/// Maximum number of rows of a table on the terminal.
const ROWS: usize = 40;

fn shown(names: &[&str], rows: &[[Value; 4]]) -> String {
    let table = Columns::with(names, rows.iter().take(ROWS).map(|row| row.each_ref().map(short)));
    let more = if rows.len() > ROWS { format!("... {} more\n", rows.len() - ROWS) } else { String::new() };
    table.render() + &more
}
