//! `econsched plan`: from slots and jobs to a checked schedule.

mod distance;
mod drawn;
mod goal;
pub(crate) mod log;
mod method;
mod planned;
mod slurm;

use super::limits::LimitFlags;
use super::window::Explanation;
use crate::commands::prelude::*;
use econsched::joint_plan::PlannerKind;
use econsched::live_broker::Prefer;
use econsched::workload_gen::swf::SwfReader;
use goal::Serve;
pub(crate) use goal::{CriterionName, parse_goal};
use log::LogArgs;

flags! {
    /// Plan a batch of jobs, all together or by the published scheme, and check the plan
    #[command(after_long_help = include_str!("../../help/plan.txt"), allow_negative_numbers = true)]
    pub(crate) struct PlanArgs {
        /// Workload log (SWF) or scenario (JSON), plain or gzip; `-` is standard input. Without it, a small
        /// built-in scenario is planned
        operand input: Option<PathBuf> as "LOG",
        /// Plan the queue of the Slurm on this machine, as `squeue` and `sinfo` print it: running jobs are the
        /// local load, waiting jobs are the batch
        slurm: bool [conflicts_with_all = ["input", "at", "nodes", "strict"]],
        /// `joint` plans all jobs together, the most jobs first, and bounds how far the plan is from the best one.
        /// `cycle` is the published scheme: the alternatives of each job, found one after the other, then the best
        /// combination of them [default: joint; cycle where a flag of it is given: --search, --serve, --rho,
        /// --alternatives, --front, --warm, or weights or an order as --goal]
        method: Option<PlannerKind> => names::<PlannerKind>(),
        /// Window search of the cycle. `amp` is that of the published scheme; min-runtime-rough, min-cost-rough and
        /// min-finish-rough fit the least run time, cost and mean finish
        search: SearchKind as "NAME" = "amp" => names::<SearchKind>(),
        /// What is least or greatest in total [default: for joint the least mean finish; for the cycle min-time]
        criterion: Option<CriterionName>,
        /// `makespan` (least last finish) decides before the criterion. `mean-finish` (within the budget of
        /// min-time) decides instead of it. In the cycle, so do weights (C=1,T=2) or an order (T,C), among all
        /// undominated combinations within its limit; C is cost, D budget left, T time, I time left
        goal: Option<Prefer> as "GOAL" => parse_goal,
        /// Which jobs may be left out
        serve: Serve = "all",
        /// Budget of the batch, or limit on its total run time (min-cost, max-income)
        /// [default: none for joint; for the cycle derived from the alternatives]
        limit: Option<f64> as "VALUE" => number_in(0.0..=f64::MAX, "a number of at least 0"),
        /// A job without a budget has the budget FACTOR * C * t * N (price limit, time on a node of speed 1,
        /// nodes)
        rho: f64 as "FACTOR" = "1",
        /// Maximum number of alternatives for each job
        alternatives: usize as "COUNT" = "50" => count::<usize>(1, 1_000_000),
        /// For each refused job: why it has no window beside this plan, the least change of each single limit (or
        /// number of nodes more) that would give it one, and when it could start
        explain: bool,
        /// Also show every combination that no other beats in both cost and run time
        front: bool,
        /// Start the choice from an earlier plan of these jobs (its plan.json): where its windows are found again
        /// and keep the limit, the plan is never worse, and takes less work. Budgets of users and weights or
        /// orders of --goal begin anew
        warm: Option<PathBuf> as "FILE",
        [flatten] limits: LimitFlags,
        /// Stop at a plan (a choice of the cycle) that is proven to be within this share of the best
        /// [default: 0.001 for joint]
        gap: Option<f64> as "SHARE" => gap,
        [flatten] log: LogArgs,
        /// Refuse a log at the first line or value that cannot be read
        strict: bool,
        [flatten] pub(crate) destination: Destination,
    }
}

/// Loads the scenario to plan.
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
    if bytes.trim_ascii_start().starts_with(b"{") {
        given.refuse(LOG_FLAGS, "is for logs; a scenario has its own jobs and horizon")?;
        return Scenario::from_json(&bytes, path);
    }
    let wrong = |error| CliError::input(path.as_path(), error);
    let mut reader = SwfReader::new(bytes.as_slice()).map_err(wrong)?;
    reader.strict = args.strict;
    let (log, losses) = reader.into_log().map_err(wrong)?;
    log::scenario(&log, &losses, path, &args.log)
}

impl Command for PlanArgs {
    fn report(&self, context: &Context<'_>) -> Result<Report, CliError> {
        let scenario = load(self, context.given)?;
        let limit = self.limits.start_search(self.gap, !context.sweep);
        let plan = self.plan(&scenario, context.given, &limit)?;
        let chart = drawn::chart(&plan);
        let mut text = format!("{}\n{}{}", plan.text(), chart.text(), terminal::notes(&scenario.notes));
        let mut explanations = None;
        if self.explain {
            let search = scenario.search(self.search, self.rho)?;
            let refused = Explanation::of_refused(&scenario, &plan.schedule, &*search)?;
            text.extend(refused.iter().map(|why| why.text(&scenario, plan.goal.limits_cost())));
            explanations = Some(refused);
        }
        text.extend(plan.front.iter().map(|points| plan.front_text(points)));
        let mut answer = Report::of(text, scenario.json(&plan.json(explanations), plan.goal.limits_cost())?);
        if context.files {
            answer = answer
                .with_json("plan.json")
                .with_file("jobs.csv", plan.jobs_csv()?)
                .with_file("placements.csv", plan.placements_csv()?)
                .with_file("report.html", drawn::page(&plan, chart)?)
                .with_first("chart", "report.html");
            if let Some(points) = &plan.front {
                let [csv, svg] = plan.front_files(points)?;
                answer = answer.with_file("front.csv", csv).with_file("front.svg", svg);
            }
        }
        let verdict = plan.check();
        Ok(answer.with_figures(plan.figures()).with_end(|| verdict))
    }
}

/// The flags that apply to logs only.
pub(crate) const LOG_FLAGS: &str = "at jobs nodes horizon price_limit seed strict";
