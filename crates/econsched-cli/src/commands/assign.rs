//! `econsched assign`: jobs to resources at the least sum of costs, with a proof.

use super::limits;
use super::limits::Bounds;
use super::prelude::*;
use crate::flags::gap;
use crate::input::matrix::{Matrix, Reading};
use crate::output::terminal::exact;
use econsched::auction_assign::{
    AssignError, AssignerKind, Assignment, AssignmentProblem, Coverage, MAX_COST, Sense, Shortage, verify,
};
use econsched::sched_model::Outcome;

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
        /// Number of jobs that each resource can hold: one number for all, or one for each resource [default: 1,
        /// or the demands of a DIMACS flow problem]
        capacities: Vec<u32> as "COUNTS" [value_delimiter = ','],
        /// Place as many jobs as possible if not all can be placed
        most_jobs: bool [conflicts_with = "unplaced"],
        /// Allow jobs to be left out: each job left out adds this cost to the sum
        unplaced: Option<f64> as "COST",
        [flatten] bounds: Bounds,
        /// Stop at an assignment that is proven to be within this share of the best
        gap: Option<f64> as "SHARE" => gap,
        [flatten] pub(crate) destination: Destination,
    }
}

/// The answer as it is written.
#[derive(Debug, Serialize)]
struct AnswerFile {
    method: &'static str,
    sense: Sense,
    total: f64,
    proof: Proof,
    /// The bound that the duals prove: no assignment has a better sum.
    bound: Option<f64>,
    gap: Option<f64>,
    /// The limit that stopped the search, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
    jobs: Vec<JobEntry>,
    resources: Vec<ResourceEntry>,
}

#[derive(Debug, Serialize)]
struct JobEntry {
    job: String,
    resource: Option<String>,
    cost: Option<f64>,
    profit: Option<f64>,
}

const JOBS: [&str; 4] = ["job", "resource", "cost", "profit"];

impl JobEntry {
    fn cells(&self, show: impl Fn(Option<f64>) -> String) -> [String; 4] {
        let resource = self.resource.clone().unwrap_or_else(|| show(None));
        [self.job.clone(), resource, show(self.cost), show(self.profit)]
    }
}

#[derive(Debug, Serialize)]
struct ResourceEntry {
    resource: String,
    capacity: u32,
    load: u32,
    price: Option<f64>,
}

const RESOURCES: [&str; 4] = ["resource", "capacity", "load", "price"];

impl ResourceEntry {
    fn cells(&self, show: impl Fn(Option<f64>) -> String) -> [String; 4] {
        [self.resource.clone(), self.capacity.to_string(), self.load.to_string(), show(self.price)]
    }
}

impl Command for AssignArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let path = self.input.as_path();
        let matrix = Matrix::parse(&files::read_text(path)?, path, self.reading)?;
        let limit = self.bounds.start(!context.sweep);
        let limit = self.gap.into_iter().fold(limit, Limit::with_relative_gap);
        let answer = solve(self, &matrix, limit)?;
        let placed = answer.jobs.iter().filter(|job| job.resource.is_some()).count();
        let figures = [
            ("total", Some(answer.total)),
            ("placed", Some(placed as f64)),
            ("bound", answer.bound),
            ("gap", answer.gap),
        ];
        let figures = figures.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let exactly = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let jobs = answer.jobs.iter().map(|entry| entry.cells(exactly));
        let prices = answer.resources.iter().map(|entry| entry.cells(exactly));
        Ok(Report::new(answer.text(), &answer)?
            .with_json("assign.json")
            .with_file("assignment.csv", files::csv(&JOBS, jobs)?)
            .with_file("prices.csv", files::csv(&RESOURCES, prices)?)
            .with_figures(figures))
    }
}

/// Solves the problem that a matrix and the flags make.
fn solve(args: &AssignArgs, matrix: &Matrix, limit: Limit) -> Result<AnswerFile, CliError> {
    let path = args.input.as_path();
    let capacities = capacities(args, matrix)?;
    let wrong = |error: AssignError| CliError::input(path, named(&error, matrix));
    let coverage = match args.unplaced {
        Some(unplaced) => Coverage::Penalty(unplaced),
        None if args.most_jobs => Coverage::MostJobs,
        None => Coverage::EveryJob,
    };
    let sense = if args.maximise { Sense::Maximise } else { Sense::Minimise };
    let problem =
        AssignmentProblem::new(matrix.costs().map_err(wrong)?).with_sense(sense).with_coverage(coverage);
    let problem = capacities.iter().fold(problem, |problem, capacities| problem.with_capacities(capacities));
    let kind = args.method;
    if kind != AssignerKind::Automatic && (args.bounds.are_given() || args.gap.is_some()) {
        return Err(CliError::usage(format!("--method {kind} takes no limit; --method automatic does")));
    }
    let mut meter = match kind {
        AssignerKind::Automatic => limit.meter().with_observer(limits::observing("assignment")),
        _ => Limit::none().meter(),
    };
    let outcome = kind.build().solve(&problem, &mut meter).map_err(wrong)?;
    let stopped = stopped(&outcome);
    if let Some(shortage) = outcome.refusal {
        return Err(infeasible(&problem, &shortage, matrix));
    }
    let proof = outcome.proof();
    let Some(assignment) = outcome.best else {
        return Err(CliError::NoPlan(stopped.unwrap_or_else(|| "no assignment".to_owned())));
    };
    Ok(AnswerFile { stopped, ..answer(kind, &problem, &assignment, proof, matrix)? })
}

/// The limit that stopped the search, in words.
fn stopped(outcome: &Outcome<Assignment, Shortage>) -> Option<String> {
    let limit = match outcome.end {
        End::Gap => "a gap that is good enough",
        end => limits::why(end)?,
    };
    let left = if outcome.best.is_some() { "the best so far" } else { "no assignment was found by then" };
    Some(format!("{limit} ended the search after {} of work: {left}", counted(outcome.work, "unit")))
}

fn capacities(args: &AssignArgs, matrix: &Matrix) -> Result<Option<Vec<u32>>, CliError> {
    let cols = matrix.cols.len();
    match args.capacities.as_slice() {
        [] => Ok(matrix.capacities.clone()),
        [one] => Ok(Some(vec![*one; cols])),
        several if several.len() == cols => Ok(Some(several.to_vec())),
        several => {
            Err(CliError::usage(format!("--capacities: {} numbers for {cols} resources", several.len())))
        }
    }
}

/// The error, with jobs and resources by their names in the file.
fn named(error: &AssignError, matrix: &Matrix) -> String {
    let AssignError::Cost { job, resource, value } = error else { return error.to_string() };
    let (job, resource, value) = (&matrix.rows[*job], &matrix.cols[*resource], exact(*value));
    format!(
        "job {job}, resource {resource}: cost {value}: expected a magnitude of at most {MAX_COST:e}, or infinity for a \
         forbidden pair"
    )
}

/// Why not every job can be placed, in the names of the file.
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

fn answer(
    kind: AssignerKind,
    problem: &AssignmentProblem<'_>,
    assignment: &Assignment,
    proof: Proof,
    matrix: &Matrix,
) -> Result<AnswerFile, CliError> {
    let verified = assignment.duals.as_ref().map(|_| verify(problem, assignment)).transpose();
    let certificate = verified.map_err(|flaw| CliError::fault(format!("the checker objects: {flaw}")))?;
    let duals = assignment.duals.as_ref();
    let mut loads = vec![0u32; problem.resources()];
    for resource in assignment.resources.iter().flatten() {
        loads[*resource as usize] += 1;
    }
    let jobs = assignment.resources.iter().enumerate().map(|(job, resource)| JobEntry {
        job: matrix.rows[job].clone(),
        resource: resource.map(|resource| matrix.cols[resource as usize].clone()),
        cost: resource.and_then(|resource| problem.costs.get(job, resource as usize)),
        profit: duals.and_then(|duals| duals.profits.get(job).copied()),
    });
    let resources = loads.iter().enumerate().map(|(resource, load)| ResourceEntry {
        resource: matrix.cols[resource].clone(),
        capacity: problem.capacity(resource),
        load: *load,
        price: duals.and_then(|duals| duals.prices.get(resource).copied()),
    });
    Ok(AnswerFile {
        method: kind.name(),
        sense: problem.sense,
        total: assignment.total,
        proof,
        bound: certificate.as_ref().map(|certificate| certificate.bound),
        gap: certificate.as_ref().map(|certificate| certificate.gap),
        stopped: None,
        jobs: jobs.collect(),
        resources: resources.collect(),
    })
}

/// The greatest number of rows of a table on the terminal.
const ROWS: usize = 40;

impl AnswerFile {
    fn text(&self) -> String {
        let short = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
        let jobs = self.jobs.iter().take(ROWS).map(|entry| entry.cells(short));
        let resources = self.resources.iter().take(ROWS).map(|entry| entry.cells(short));
        let more =
            |rows: usize| if rows > ROWS { format!("... {} more\n", rows - ROWS) } else { String::new() };
        let proven = match (self.bound, self.gap) {
            (Some(bound), Some(gap)) => {
                let (bound, gap) = (exact(bound), exact(gap));
                format!("duals prove that no sum is better than {bound}: at most {gap} is left")
            }
            _ => "nothing is proven".to_owned(),
        };
        let stopped = self.stopped.iter().map(|stopped| format!("{stopped}\n")).collect::<String>();
        format!(
            "{}{}\n{}{}\ntotal {} by {}; proof {}; {proven}\n{stopped}",
            Columns::with(&JOBS, jobs).render(),
            more(self.jobs.len()),
            Columns::with(&RESOURCES, resources).render(),
            more(self.resources.len()),
            exact(self.total),
            self.method,
            self.proof,
        )
    }
}
