//! `econsched window`: one request, one window.

use crate::error::CliError;
use crate::files;
use crate::scenario::Scenario;
use crate::terminal::{self, Columns, counted, number};
use econsched::sched_model::check::Checker;
use econsched::sched_model::{JobId, ResourceRequest, Time, Window};
use econsched::slot_window::{SearchScratch, WindowQuery, WindowSearch};
use std::path::PathBuf;

/// Search one window for one request
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct WindowArgs {
    /// Slots (or nodes) with a `request`, or with jobs of which --job names one; JSON, `-` is standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// How windows are searched
    #[arg(long, value_name = "NAME", default_value = "amp",
          value_parser = clap::builder::PossibleValuesParser::new(crate::search::names()))]
    search: String,
    /// Share of C * t * N (price limit, time on a node of speed 1, nodes) that is the budget of a request without one
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    rho: f64,
    /// The job whose request is meant, by id
    #[arg(long, value_name = "ID")]
    job: Option<u64>,
    /// No window starts before this instant (default: the start of the slots)
    #[arg(long, value_name = "TIME")]
    from: Option<f64>,
    /// JSON instead of a table
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  echo '{\"slots\": [{\"node\": 1, \"speed\": 1, \"price\": 2, \"start\": 0, \"end\": 90},
                   {\"node\": 2, \"speed\": 2, \"price\": 5, \"start\": 20, \"end\": 90}],
         \"request\": {\"nodes\": 2, \"work\": 60, \"budget\": 300}}' | econsched window -
  econsched window scenario.json --job 3 --search min-cost --json

Exit code 0: there is a window. 1: there is none, and the reason is told. 2: bad input or usage.";

/// Runs the command.
pub(crate) fn run(args: &WindowArgs) -> Result<(), CliError> {
    let scenario = Scenario::from_json(&files::read(&args.input)?, &args.input)?;
    let (request, submit) = request(&scenario, args)?;
    let from = match args.from {
        Some(from) => Time::new(from).map_err(|error| CliError::usage(format!("--from: {error}")))?,
        None => scenario.from.max(submit.unwrap_or(scenario.from)),
    };
    let search = crate::search::build(&args.search, args.rho, &scenario)?;
    let mut scratch = SearchScratch::new();
    let wrong = |error| CliError::input(args.input.as_path(), error);
    match search.find(&scenario.slots, &request, from, &mut scratch).map_err(wrong)? {
        Some(window) => {
            let violations = Checker::new(&scenario.slots, search.rules()).window(&window, &request);
            terminal::print(&if args.json {
                scenario.json(&window, false)?
            } else {
                table(&scenario, &window)
            })?;
            match violations.first() {
                None => Ok(()),
                Some(violation) => Err(CliError::fault(format!("the checker objects: {violation}"))),
            }
        }
        None => {
            let reason = search
                .refusal(&WindowQuery::new(&scenario.slots, &request, from), &mut scratch)
                .map_err(wrong)?;
            if args.json {
                terminal::print(&scenario.json(&reason, false)?)?;
            }
            Err(CliError::NoPlan(format!("no window: {}", scenario.in_decimals(&reason, false))))
        }
    }
}

fn request(scenario: &Scenario, args: &WindowArgs) -> Result<(ResourceRequest, Option<Time>), CliError> {
    let wrong = |message: String| CliError::input(args.input.as_path(), message);
    match (args.job, &scenario.request) {
        (Some(id), _) => {
            let job = scenario.batch.iter().find(|job| job.id == JobId(id));
            let job = job.ok_or_else(|| wrong(format!("--job {id}: no such job")))?;
            Ok((job.request, Some(job.submit)))
        }
        (None, Some(request)) => Ok((*request, None)),
        (None, None) => match scenario.batch.jobs() {
            [job] => Ok((job.request, Some(job.submit))),
            jobs => {
                Err(wrong(format!("no `request`, and {}: choose one by --job", counted(jobs.len(), "job"))))
            }
        },
    }
}

fn table(scenario: &Scenario, window: &Window) -> String {
    let mut table = Columns::new(&["node", "speed", "price", "start", "end", "cost"]);
    for placement in window.placements() {
        table.row([
            placement.node.to_string(),
            number(placement.speed.get()),
            number(scenario.money(placement.price.get())),
            number(window.start().get()),
            number(placement.end.get()),
            number(scenario.money(placement.cost.get())),
        ]);
    }
    format!(
        "{}\nstart {}, finish {}, runtime {}, cost {}\n",
        table.render(),
        number(window.start().get()),
        number(window.finish().get()),
        number(window.runtime().get()),
        number(scenario.money(window.cost().get()))
    )
}
