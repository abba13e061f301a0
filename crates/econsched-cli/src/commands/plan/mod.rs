//! `econsched plan`: one scheduling cycle, from slots and jobs to a checked schedule.

mod cycle;
mod distance;
mod drawn;
mod goal;
pub(crate) mod log;
mod planned;
mod slurm;

use super::limits::{Bounds, Shown};
use super::window::Explanation;
use crate::commands::prelude::*;
use crate::draw::gantt::Gantt;
use crate::flags::{gap, names_and, number};
use crate::output::files::Content;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use econsched::batch_dp::{Preference, VectorCriterion};
use econsched::joint_plan::{Effort, GOOD_ENOUGH, PlannerKind};
use econsched::live_broker::Prefer;
use econsched::workload_gen::swf::SwfReader;
use goal::Serve;
pub(crate) use goal::{CriterionName, parse_goal};
use log::LogArgs;
use planned::Plan;
use serde::de::IntoDeserializer;
use serde::de::value::Error as Wrong;

flags! {
    /// Plan a batch of jobs: search windows, collect alternatives, choose the best combination, check it
    #[command(after_long_help = include_str!("../../help/plan.txt"), allow_negative_numbers = true)]
    pub(crate) struct PlanArgs {
        /// Workload log (SWF) or scenario (JSON), plain or gzip; `-` is standard input. Without it, a small
        /// built-in scenario is planned
        operand input: Option<PathBuf> as "LOG",
        /// Plan the queue of the Slurm on this machine, as `squeue` and `sinfo` print it: running jobs are the
        /// local load, waiting jobs are the batch
        slurm: bool [conflicts_with_all = ["input", "at", "nodes", "strict"]],
        /// `joint` plans all jobs together by the least mean finish. `cycle` is the published scheme: the
        /// alternatives of each job, found one after the other, then the best combination of them [default:
        /// joint; cycle where a flag of it is given: --search, --criterion, --goal, --serve, --rho, --alternatives,
        /// --effort, --front, --warm]
        method: Option<PlannerKind> => names::<PlannerKind>(),
        /// Window search. `fit` takes the search that fits the goal
        /// or criterion (min-runtime-rough, min-cost-rough, min-finish-rough; amp for the greatest income), and
        /// other searches if that one serves fewer jobs than can be served. `amp` is the search of the published
        /// cycle. `best` tries several searches and job orders, and takes the plan with the most jobs; among
        /// these, the best by the criterion [default: amp with --effort quick; fit with greater efforts, which
        /// keep the limit derived from the plan by amp, and take that plan if it is better]
        search: Option<String> as "NAME" => names_and::<SearchKind>(&[FIT, BEST]),
        /// Criterion by which the combination of alternatives is chosen
        criterion: CriterionName = "min-time",
        /// `makespan` (least last finish) decides before the criterion. `mean-finish` (within the budget of
        /// min-time) decides instead of it; so do weights (C=1,T=2) or an order (T,C), among all undominated
        /// combinations within its limit; C is cost, D budget left, T time, I time left
        goal: Option<Prefer> as "GOAL" => parse_goal,
        /// Which jobs may be left out
        serve: Serve = "all",
        /// Budget of the batch (joint, min-time), or limit on its total run time (min-cost, max-income)
        /// [default: none for joint; for the cycle derived from the alternatives of --search; where none is
        /// named, of amp, whatever the effort]
        limit: Option<f64> as "VALUE" => number(0.0..=f64::MAX, "a number of at least 0"),
        /// A job without a budget has the budget FACTOR * C * t * N (price limit, time on a node of speed 1,
        /// nodes)
        rho: f64 as "FACTOR" = "1",
        /// Maximum number of alternatives for each job
        alternatives: usize as "COUNT" = "50" => count::<usize>(1, 1_000_000),
        /// How much is searched beyond the cycle of --search, under the same limit of the batch. The plan is
        /// printed with a bound on all plans, and with its maximum distance from the best plan. `quick`: that cycle
        /// only, and a bound from each job alone. `normal`: the best of several searches and job orders, and one
        /// choice among all their windows, so that none overlap. `hard`: in addition, prices of node-time by dual
        /// ascent, and large neighbourhood search
        effort: Effort [conflicts_with = "front"] = "quick" => effort(),
        /// For each refused job: why it has no window beside this plan, the least change of each single limit (or
        /// number of nodes more) that would give it one, and when it could start
        explain: bool,
        /// Also show every combination that no other beats in both cost and run time
        front: bool,
        /// Start the choice from an earlier plan of these jobs (its plan.json): where its windows are found again
        /// and keep the limit, the plan is never worse, and takes less work. Budgets of users and weights or
        /// orders of --goal begin anew
        warm: Option<PathBuf> as "FILE",
        [flatten] bounds: Bounds,
        /// Stop at a choice that is proven to be within this share of the best
        gap: Option<f64> as "SHARE" => gap,
        [flatten] log: LogArgs,
        /// Refuse a log at the first line or value that cannot be read
        strict: bool,
        [flatten] pub(crate) shown: Shown,
    }
}

/// A parser of efforts.
fn effort() -> impl TypedValueParser<Value = Effort> {
    let names = PossibleValuesParser::new(["quick", "normal", "hard"]);
    names.try_map(|name| Effort::deserialize(name.into_deserializer()).map_err(|error: Wrong| error))
}

/// The flags of the cycle.
const CYCLE_FLAGS: &str = "search criterion goal serve rho alternatives effort front warm";

/// The scenario to plan.
fn load(args: &PlanArgs, given: Given<'_>) -> Result<Scenario, CliError> {
    let Some(path) = &args.input else {
        if args.slurm {
            given.refuse("seed", "no random numbers are used: all CPUs have the same speed and price")?;
            return slurm::scenario(&args.log);
        }
        given.refuse(LOG_FLAGS, "is for logs; no log is given")?;
        return Scenario::built_in();
    };
    let bytes = files::read(path)?;
    let wrong = |message: &str| Err(CliError::input(path.as_path(), message));
    match Content::of(&bytes) {
        Content::Scenario => {
            given.refuse(LOG_FLAGS, "is for logs; a scenario has its own jobs and horizon")?;
            Scenario::from_json(&bytes, path)
        }
        Content::Log => {
            let wrong = |error| CliError::input(path.as_path(), error);
            let mut reader = SwfReader::new(bytes.as_slice()).map_err(wrong)?;
            reader.strict = args.strict;
            let (log, losses) = reader.into_log().map_err(wrong)?;
            log::scenario(&log, &losses, path, &args.log)
        }
        Content::OtherJson => wrong("a scenario is a JSON object: `{\"nodes\": .., \"jobs\": ..}`"),
        Content::Unknown => wrong(
            "neither a log nor a scenario: expected a workload log in the Standard Workload Format (SWF: lines of \
             numbers, comments after `;`) or a scenario in JSON (`{\"nodes\": .., \"jobs\": ..}`), plain or gzip; \
             `econsched convert` reads other formats",
        ),
    }
}

impl Command for PlanArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let mut scenario = load(self, context.given)?;
        if self.shown.times() == Times::Plain {
            scenario.times = Times::Plain;
        }
        let limit = self.bounds.start_search(self.gap, !context.sweep);
        let plan = self.plan(&scenario, context.given, &limit)?;
        let chart = drawn::chart(&plan);
        let mut text =
            format!("{}\n{}{}", plan.text(), drawn::text(&chart), terminal::notes(&scenario.notes));
        let mut explanations = None;
        if self.explain {
            let search = scenario.search(self.searched().1.parse()?, self.rho)?;
            let refused = Explanation::of_refused(&scenario, &plan.schedule, &*search)?;
            text.extend(refused.iter().map(|why| why.text(&scenario, plan.limits_money)));
            explanations = Some(refused);
        }
        text.extend(plan.front.iter().map(|points| plan.front_text(points)));
        let mut answer = Report::of(text, scenario.json(&plan.json(explanations), plan.limits_money)?);
        if context.files {
            answer = self.with_files(answer, &plan, chart)?;
        }
        let verdict = plan.check();
        Ok(answer.with_figures(plan.figures()).with_end(|| verdict))
    }
}

impl PlanArgs {
    fn with_files(&self, answer: Report, plan: &Plan<'_>, chart: Gantt) -> Result<Report, CliError> {
        let page = drawn::page(plan, &chart)?;
        let mut answer = answer
            .with_json("plan.json")
            .with_file("jobs.csv", plan.jobs_csv()?)
            .with_file("placements.csv", plan.placements_csv()?)
            .with_file("report.html", page);
        let mut others = "plan.json, jobs.csv and placements.csv".to_owned();
        if let Some(points) = &plan.front {
            let [csv, svg] = plan.front_files(points)?;
            answer = answer.with_file("front.csv", csv).with_file("front.svg", svg);
            others.push_str(", front.csv and front.svg");
        }
        Ok(answer.with_first("chart", "report.html", &format!(" (beside it {others})")))
    }

    /// The plan by the method that is asked for.
    ///
    /// # Errors
    /// [`CliError`] for malformed input.
    fn plan<'a>(
        &self,
        scenario: &'a Scenario,
        given: Given<'_>,
        limit: &Limit,
    ) -> Result<Plan<'a>, CliError> {
        match self.method {
            Some(PlannerKind::Joint) => given.refuse(CYCLE_FLAGS, "is of --method cycle")?,
            None if !given.any(CYCLE_FLAGS) => {}
            _ => return self.cycle(scenario, limit),
        }
        let gap = limit.relative_gap.max(GOOD_ENOUGH);
        self.joint(scenario, &limit.clone().with_relative_gap(gap))
    }

    /// The search whose windows fit the goal and the criterion.
    fn fitting(&self) -> &'static str {
        // Whether it is the cost that counts, where the goal says so.
        let costs = match &self.goal {
            Some(Prefer::Makespan | Prefer::MeanFinish) => return "min-finish-rough",
            Some(Prefer::Vector(Preference::Lexicographic(order))) => {
                Some(matches!(order.first(), Some(VectorCriterion::Cost | VectorCriterion::BudgetLeft)))
            }
            Some(Prefer::Vector(Preference::Weighted(weights))) => {
                let of_cost = weights.cost.max(weights.budget_left) > 0.0;
                let of_time = weights.time.max(weights.time_left) > 0.0;
                (of_cost != of_time).then_some(of_cost)
            }
            _ => None,
        };
        match (costs, self.criterion) {
            (Some(true), _) | (None, CriterionName::MinCost) => "min-cost-rough",
            (None, CriterionName::MaxIncome) => PAPER,
            _ => "min-runtime-rough",
        }
    }

    /// The name of the search that is asked for, and the search: where none is named, the paper's for a quick plan,
    /// else the one that fits.
    fn searched(&self) -> (&str, &str) {
        let usual = if self.effort == Effort::Quick { PAPER } else { FIT };
        let name = self.search.as_deref().unwrap_or(usual);
        (name, if name == BEST || name == FIT { self.fitting() } else { name })
    }
}

/// The name of the portfolio among the searches.
const BEST: &str = "best";

/// The name of the search of the published cycle.
const PAPER: &str = "amp";

/// The name of the search that fits the criterion.
const FIT: &str = "fit";

/// The flags that apply to logs only.
pub(crate) const LOG_FLAGS: &str = "at jobs nodes horizon price_limit seed strict";
