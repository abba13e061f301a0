//! `econsched window`: one request, one window.

use crate::commands::explain::Explanation;
use crate::commands::limits::{self, Limits, Observer};
use crate::error::CliError;
use crate::input::scenario::Scenario;
use crate::output::files;
use crate::output::terminal::{Columns, counted, number};
use crate::report::{Command, Context, Report};
use econsched::sched_model::check::Checker;
use econsched::sched_model::{Demands, Job, JobId, ResourceRequest, Time, Window};
use econsched::slot_window::{WindowError, WindowQuery, WindowSearch};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Search one window for one request
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = EXAMPLES, allow_negative_numbers = true)]
pub(crate) struct WindowArgs {
    /// Slots (or nodes) with a `request`, or with jobs of which --job names one; JSON, `-` is standard input
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// Window search
    #[arg(long, value_name = "NAME", default_value = "amp",
          value_parser = clap::builder::PossibleValuesParser::new(crate::commands::search::names()))]
    search: String,
    /// A request without a budget has the budget FACTOR * C * t * N (price limit, time on a node of speed 1,
    /// nodes)
    #[arg(long, value_name = "FACTOR", default_value = "1")]
    rho: f64,
    /// Id of the job whose request is searched for
    #[arg(long, value_name = "ID")]
    job: Option<u64>,
    /// No window starts before this instant [default: the start of the slots]
    #[arg(long, value_name = "TIME")]
    from: Option<f64>,
    #[command(flatten)]
    limits: Limits,
    /// If there is no window: the number of nodes that each cause excludes, the smallest change of each single
    /// limit that would give one, and when it could start
    #[arg(long)]
    explain: bool,
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
  econsched window scenario.json --job 3 --explain
  echo '{\"nodes\": [{\"id\": 1, \"speed\": 1, \"price\": 2, \"labels\": [\"rack=a\"]},
                   {\"id\": 2, \"speed\": 1, \"price\": 1, \"labels\": [\"rack=b\"]},
                   {\"id\": 3, \"speed\": 1, \"price\": 3, \"labels\": [\"rack=a\"]}], \"horizon\": 90,
         \"request\": {\"nodes\": 2, \"work\": 60}, \"demands\": {\"pack\": \"rack\"}}' | econsched window -
      both nodes in one rack

A job's `demands`, or those beside `request`: all_of, none_of (labels), at_least (amounts), pack, spread, not_before, \
start, spans. Nodes say their `labels` and `amounts`.

Exit code 0: there is a window. 1: there is none, and the reason is printed. 2: bad input or usage.";

impl Command for WindowArgs {
    fn destination(&self) -> (bool, Option<&Path>) {
        (self.json, None)
    }

    fn report(&self, _: &Context<'_>) -> Result<Report, CliError> {
        let scenario = Scenario::from_json(&files::read(&self.input)?, &self.input)?;
        let (request, demands, submit) = asked(&scenario, self)?;
        let from = match self.from {
            Some(from) => Time::new(from).map_err(|error| CliError::usage(format!("--from: {error}")))?,
            None => scenario.from.max(submit.unwrap_or(scenario.from)),
        };
        let search = crate::commands::search::build(&self.search, self.rho, &scenario)?;
        let wrong = |error| CliError::input(self.input.as_path(), error);
        let eligible = scenario.slots.eligible(&demands);
        let query = WindowQuery::new(&scenario.slots, request).with_from(from).with_eligible(&eligible);
        let limit = self.limits.start(true);
        let mut meter = limit.meter().with_observer(Observer::of_search("search"));
        let found = search.solve(&query, &mut meter).map_err(wrong)?;
        let spent = counted(found.work, "unit");
        let stopped = limits::why(found.end);
        if let Some(window) = found.best {
            let violations =
                Checker::new(&scenario.slots, search.rules()).demanded(&window, request, &demands);
            if let Some(violation) = violations.first() {
                return Err(CliError::fault(format!("the checker objects: {violation}")));
            }
            let report = Report::of(table(&scenario, &window), scenario.json(&window, false)?);
            let Some(limit) = stopped else { return Ok(report) };
            let known = found.bound.map_or_else(
                || "nothing is proven".to_owned(),
                |bound| format!("no window is worth more than {}", number(bound)),
            );
            let remark = format!("{limit} ended the search after {spent} of work: the best so far; {known}");
            return Ok(report.with_remark(remark));
        }
        if let Some(limit) = stopped {
            return Err(CliError::NoPlan(format!(
                "{limit} ended the search after {spent} of work, before a window was found; --work-limit or \
                 --time-limit may allow more"
            )));
        }
        let reason = match search.refusal(&query, &mut meter) {
            Err(WindowError::Stopped(end)) => {
                return Err(CliError::NoPlan(format!(
                    "no window; {} ended the search for the reason after {} of work more",
                    limits::why(end).unwrap_or_default(),
                    counted(meter.work().saturating_sub(found.work), "unit")
                )));
            }
            reason => reason.map_err(wrong)?,
        };
        drop(meter);
        let none = CliError::NoPlan(format!("no window: {}", scenario.in_decimals(&reason, false)));
        let report = if self.explain {
            let why = Explanation::beside(&scenario, &[], &*search, &query, &reason)?;
            Report::of(why.text(&scenario, false), scenario.json(&why, false)?)
        } else {
            Report::of(String::new(), scenario.json(&reason, false)?)
        };
        Ok(report.with_end(|| Err(none)))
    }
}

/// The request for which a window is searched, its demands, and the instant of its submission if it is that of a job.
type Asked<'a> = (&'a ResourceRequest, Cow<'a, Demands>, Option<Time>);

fn asked<'a>(scenario: &'a Scenario, args: &WindowArgs) -> Result<Asked<'a>, CliError> {
    let demands = |demands: Option<&'a Demands>| demands.map_or_else(Default::default, Cow::Borrowed);
    let of_job = |job: &'a Job| (&job.request, demands(scenario.demands.get(&job.id)), Some(job.submit));
    let wrong = |message: String| CliError::input(args.input.as_path(), message);
    match (args.job, &scenario.request, scenario.batch.jobs()) {
        (Some(id), ..) => {
            let job = scenario.batch.iter().find(|job| job.id == JobId(id));
            job.map(of_job).ok_or_else(|| wrong(format!("--job {id}: no such job")))
        }
        (None, Some(request), _) => Ok((request, demands(scenario.request_demands.as_ref()), None)),
        (None, None, [job]) => Ok(of_job(job)),
        (None, None, jobs) => {
            Err(wrong(format!("no `request`, and {}: choose one by --job", counted(jobs.len(), "job"))))
        }
    }
}

fn table(scenario: &Scenario, window: &Window) -> String {
    let table = Columns::of(
        window.placements(),
        &[
            ("node", &|placement| placement.node.to_string()),
            ("speed", &|placement| number(placement.speed.get())),
            ("price", &|placement| number(scenario.money(placement.price.get()))),
            ("start", &|_| number(window.start().get())),
            ("end", &|placement| number(placement.end.get())),
            ("cost", &|placement| number(scenario.money(placement.cost.get()))),
        ],
    );
    format!(
        "{}\nstart {}, finish {}, runtime {}, cost {}\n",
        table.render(),
        number(window.start().get()),
        number(window.finish().get()),
        number(window.runtime().get()),
        number(scenario.money(window.cost().get()))
    )
}
