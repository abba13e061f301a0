//! The cycle: alternatives of each job, the best combination of them, the result of the checker.

use super::Offer;
use super::effort::EffortName;
use super::goal::{GoalName, Serve};
use super::settings::{CriterionName, Settings, offers};
use super::whole::{self, Distance};
use crate::error::CliError;
use crate::limits::{self, Observer};
use crate::scenario::Scenario;
use crate::terminal::counted;
use econsched::batch_dp::{self, BatchError, ChoiceRefusal, Goal, Planner, Point};
use econsched::joint_plan::{BestOfCycles, Portfolio};
use econsched::sched_model::Outcome;
use econsched::sched_model::check::{Rules, Violation};
use econsched::sched_model::{End, JobId, Proof, Schedule, Tariff};
use econsched::slot_window::AlternativesSearch;
use std::collections::BTreeMap;
use std::fmt;

/// A batch with the fate of each job.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) search: String,
    pub(crate) choice: Choice,
    pub(crate) proof: Proof,
    /// The effort beyond the cycle, if there was one.
    pub(crate) beyond: Option<EffortName>,
    /// If several searches and orders were tried: the number of cycles of which this plan is the best, and
    /// why the trial ended.
    pub(crate) best_of: Option<(usize, End)>,
    /// How far from the best of all plans.
    pub(crate) distance: Option<Distance>,
    pub(crate) schedule: Schedule,
    pub(crate) violations: Vec<(JobId, Violation)>,
    /// For each job the number of windows of the cycle, if there was one.
    pub(super) alternatives: Option<BTreeMap<JobId, usize>>,
    /// Why the search for alternatives, or the plan without a cycle, ended.
    pub(super) search_end: End,
    pub(super) outcome: Option<Outcome<batch_dp::Choice, ChoiceRefusal>>,
    /// Units of work that the choice took.
    pub(super) work: u64,
    /// Every undominated (cost, time) of the jobs that have windows, if it was asked for.
    pub(crate) front: Option<Vec<Point>>,
}

/// The criterion of the combination, and its limit.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    goal: Option<GoalName>,
    serve: Serve,
    under: Goal,
    derived: bool,
    tariff: Tariff,
    /// Whether there is no criterion beside the goal.
    joint: bool,
}

impl Choice {
    /// The least mean finish of a plan of the whole batch.
    pub(super) fn of_joint(budget: Option<f64>, tariff: Tariff) -> Self {
        let under = Goal::MinTime { budget };
        let (goal, serve) = (Some(GoalName::MeanFinish), Serve::All);
        Self { goal, serve, under, derived: false, tariff, joint: true }
    }

    /// Whether the goal minimises finishes.
    pub(crate) fn counts_finishes(&self) -> bool {
        self.goal == Some(GoalName::MeanFinish)
    }

    /// Whether the limited quantity is money.
    pub(crate) fn limits_money(&self) -> bool {
        self.under.limits_cost()
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = self.under.limit().unwrap_or(f64::INFINITY);
        let (goal, limited, limit) = match self.under {
            Goal::MinTime { .. } => ("least run time", "budget", self.tariff.to_decimal(limit)),
            Goal::MinCost { .. } => ("least cost", "time limit", limit),
            Goal::MaxIncome { .. } => ("greatest income", "time limit", limit),
            other => return write!(f, "{other:?}"),
        };
        if self.joint {
            write!(f, "least mean finish")?;
            let number = crate::terminal::number(limit);
            return if limit < f64::INFINITY { write!(f, " within a budget of {number}") } else { Ok(()) };
        }
        write!(f, "{}", self.serve.words())?;
        if let Some(goal) = &self.goal {
            write!(f, "{goal} ")?;
        }
        let source = if self.derived { "derived" } else { "given" };
        write!(f, "{goal} under a {source} {limited} of {}", crate::terminal::number(limit))
    }
}

impl Plan {
    /// A plan that did not begin with a cycle.
    pub(super) fn without_cycle(schedule: Schedule, end: End, work: u64) -> Self {
        Self {
            search: String::new(),
            choice: Choice::of_joint(None, Tariff::default()),
            proof: Proof::Heuristic,
            beyond: None,
            best_of: None,
            distance: None,
            schedule,
            violations: Vec::new(),
            alternatives: None,
            search_end: end,
            outcome: None,
            work,
            front: None,
        }
    }

    /// Whether the batch was planned as a whole from the beginning.
    pub(crate) fn is_joint(&self) -> bool {
        self.alternatives.is_none()
    }

    /// Windows found for a job by the cycle, if there was one.
    pub(crate) fn alternatives_of(&self, job: JobId) -> Option<usize> {
        Some(self.alternatives.as_ref()?.get(&job).copied().unwrap_or(0))
    }

    /// Total cost and total run time of the chosen windows: exact sums, as in the front.
    pub(crate) fn chosen(&self) -> Point {
        Point { cost: self.schedule.cost().get(), time: self.schedule.total_runtime().get() }
    }

    /// Messages about searches that a limit stopped, with what is still proven.
    pub(crate) fn stopped(&self, scenario: &Scenario) -> Vec<String> {
        let mut lines = Vec::new();
        if self.is_joint() {
            lines.extend(
                limits::why(self.search_end)
                    .map(|limit| format!("{limit} ended the search: the best so far")),
            );
            return lines;
        }
        let of_the_cycle = if self.beyond.is_some() { " in the cycle that the plan began with" } else { "" };
        if let Some((cycles, end)) = self.best_of
            && let Some(limit) = limits::why(end)
        {
            let cycles = counted(cycles, "cycle");
            lines.push(format!("{limit} ended the trial of searches and orders after {cycles}"));
        }
        if let Some(limit) = limits::why(self.search_end) {
            lines.push(format!("{limit} ended the search for alternatives{of_the_cycle}: there may be more"));
        }
        if let Some(outcome) = self.outcome.as_ref().filter(|outcome| outcome.refusal.is_none())
            && let Some(limit) = limits::why(outcome.end)
        {
            let show = |value: f64| {
                // The least time is a time; least cost and greatest income are money.
                crate::terminal::number(if self.choice.limits_money() {
                    value
                } else {
                    scenario.money(value)
                })
            };
            let known = match (outcome.bound, outcome.gap()) {
                (Some(bound), Some(gap)) => {
                    format!("no choice is better than {}: at most {} is left", show(bound), show(gap))
                }
                _ => "nothing is proven".to_owned(),
            };
            let work = counted(self.work as usize, "unit");
            lines.push(format!(
                "{limit} ended the choice{of_the_cycle} after {work} of work: the best so far; {known}"
            ));
        }
        lines
    }

    /// Whether a limit ended the search for alternatives.
    pub(crate) fn was_cut_short(&self) -> bool {
        limits::why(self.search_end).is_some()
    }

    /// Whether no other choice among the windows that were found is better.
    pub(crate) fn chose_the_best(&self) -> bool {
        self.outcome.as_ref().is_none_or(|outcome| outcome.proof() == Proof::Exact)
    }

    /// Windows found for all jobs.
    pub(crate) fn alternatives_in_all(&self) -> usize {
        self.alternatives.iter().flat_map(BTreeMap::values).sum()
    }

    /// Whether it is a plan.
    ///
    /// # Errors
    /// [`CliError::NoPlan`] if no job of a batch has a place, or if the checker objects.
    pub(crate) fn check(&self, scenario: &Scenario) -> Result<(), CliError> {
        if let Some((job, violation)) = self.violations.first() {
            return Err(CliError::fault(format!("the checker objects: job {job}: {violation}")));
        }
        if scenario.batch.is_empty() || self.schedule.placed().next().is_some() {
            return Ok(());
        }
        if let Some(limit) = limits::why(self.search_end) {
            return Err(CliError::NoPlan(format!(
                "{limit} ended the search before any job had a place; --work-limit or --time-limit may allow more"
            )));
        }
        let first = self.schedule.refused().next();
        let reason = first.map_or(String::new(), |(job, why)| {
            format!(": job {job} {}", scenario.in_decimals(why, self.choice.limits_money()))
        });
        Err(CliError::NoPlan(format!("no job has a place{reason}")))
    }
}

/// Plans the batch of a scenario.
///
/// # Errors
/// [`CliError`] for malformed input that only the search can see.
pub(crate) fn plan(scenario: &Scenario, settings: &Settings) -> Result<Plan, CliError> {
    let quick = settings.quick_search.map(|search| -> Result<Plan, CliError> {
        let settings = Settings { search: search.to_owned(), front: false, ..settings.clone() };
        Ok(cycle(scenario, &settings, None)?.plan)
    });
    let quick = quick.transpose()?;
    let under = quick.as_ref().map(|quick| quick.choice.under);
    let Cycle { mut plan, planner, rules } = cycle(scenario, settings, under)?;
    if let Some(quick) = quick {
        let jobs: Vec<JobId> = scenario.batch.iter().map(|job| job.id).collect();
        if planner.prefers(&jobs, &quick.schedule, &plan.schedule) {
            plan.schedule = quick.schedule;
        }
    }
    plan.go_beyond(scenario, settings, rules, planner)?;
    plan.violations = scenario.checker(rules).schedule(&plan.schedule, &scenario.batch);
    Ok(plan)
}

/// The plan of one cycle.
struct Cycle {
    plan: Plan,
    planner: Planner<'static>,
    rules: Rules,
}

/// The alternatives of each job, and the best choice among them; under this goal with its limit, if it is
/// given.
fn cycle(scenario: &Scenario, settings: &Settings, under: Option<Goal>) -> Result<Cycle, CliError> {
    let search = crate::search::build(&settings.search, settings.rho, scenario)?;
    let rules = search.rules();
    let found = AlternativesSearch::new(search)
        .with_max_per_job(settings.alternatives)
        .with_limit(settings.within.clone())
        .with_demands(scenario.demands.clone())
        .find(&scenario.slots, &scenario.batch, scenario.from)
        .map_err(CliError::usage)?;
    let alternatives = Some(found.jobs().map(|(job, windows)| (job, windows.len())).collect());
    let tariff = *scenario.slots.tariff();
    let limit = settings.limit_in_units(&tariff)?;
    let goal = match (under, settings.criterion) {
        (Some(under), _) => under,
        (None, CriterionName::MinTime) => Goal::MinTime { budget: limit },
        (None, CriterionName::MinCost) => Goal::MinCost { time_limit: limit },
        (None, CriterionName::MaxIncome) => Goal::MaxIncome { time_limit: limit },
    };
    refuse_more(scenario, settings)?;
    let mut meter = settings.within.meter().with_observer(Observer::of_search("choice"));
    let offers = offers(&found);
    let planner = settings.choice(scenario, goal, &offers)?;
    let chosen = planner.plan_within(offers.iter().copied(), &mut meter).map_err(|error| match error {
        BatchError::Stopped { .. } => {
            CliError::NoPlan(format!("{error}; --work-limit or --time-limit may allow more"))
        }
        error => CliError::usage(error),
    })?;
    drop(meter);
    // A bound on the criterion does not apply where another goal decides first.
    let joint = settings.joint_goal(chosen.goal).filter(|_| !settings.has_no_bound());
    let distance = match joint {
        Some(goal) => whole::distance(scenario, &chosen.schedule, settings, rules, goal)?,
        None => None,
    };
    // Nothing is proven about windows that were not found.
    let proof = if limits::why(found.end()).is_some() { Proof::LimitReached } else { chosen.proof() };
    let plan = Plan {
        search: settings.name.clone(),
        choice: Choice {
            goal: settings.goal.clone(),
            serve: settings.serve,
            under: chosen.goal,
            derived: limit.is_none(),
            tariff,
            joint: false,
        },
        proof,
        search_end: found.end(),
        outcome: Some(chosen.outcome),
        work: chosen.work,
        schedule: chosen.schedule,
        beyond: None,
        best_of: None,
        distance,
        violations: Vec::new(),
        alternatives,
        front: if settings.front { Some(front(&planner, &offers, settings)?) } else { None },
    };
    Ok(Cycle { plan, planner, rules })
}

impl Plan {
    /// Replaces the plan of the cycle by a better one, as far as the effort goes.
    fn go_beyond(
        &mut self,
        scenario: &Scenario,
        settings: &Settings,
        rules: Rules,
        planner: Planner<'static>,
    ) -> Result<(), CliError> {
        if settings.effort == EffortName::Quick {
            return if settings.win_back { self.win_back(scenario, settings, rules) } else { Ok(()) };
        }
        self.beyond = Some(settings.effort);
        if let Some(joint) = settings.joint_goal(self.choice.under) {
            (self.schedule, self.distance) =
                whole::improve(scenario, &self.schedule, rules, joint, settings)?;
            self.proof = self.distance.map_or(Proof::Heuristic, |distance| distance.proof());
            return Ok(());
        }
        let best = self.best_of_cycles(scenario, settings, rules, planner)?;
        self.schedule = best.schedule;
        // The cycle from which the plan began is one of them.
        self.best_of = Some((best.cycles + 1, best.end));
        self.proof = if limits::why(best.end).is_some() { Proof::LimitReached } else { Proof::Heuristic };
        Ok(())
    }
}

impl Plan {
    /// The best of several searches and orders, for goals that planning the whole batch does not support.
    fn best_of_cycles(
        &self,
        scenario: &Scenario,
        settings: &Settings,
        rules: Rules,
        planner: Planner<'static>,
    ) -> Result<BestOfCycles, CliError> {
        let mut meter = settings.within.meter().with_observer(Observer::of_search("searches and orders"));
        let planner = planner.with_goal(self.choice.under);
        let portfolio = Portfolio::new(rules, planner).map_err(CliError::usage)?;
        portfolio
            .with_alternatives(settings.alternatives)
            .with_demands(scenario.demands.clone())
            .with_known_plan(self.schedule.clone())
            .plan_within(&scenario.slots, &scenario.batch, scenario.from, &mut meter)
            .map_err(CliError::usage)
    }

    /// Where the cycle has found no window for jobs that have some, or none that the limit suffices for,
    /// other searches and orders are tried until all have one.
    fn win_back(&mut self, scenario: &Scenario, settings: &Settings, rules: Rules) -> Result<(), CliError> {
        let lost = self.distance.map_or(0, |distance| distance.left_out());
        let some_placed = self.schedule.placed().next().is_some();
        let Some(goal) = settings.joint_goal(self.choice.under) else { return Ok(()) };
        if lost == 0 || settings.serve != Serve::All || settings.has_no_bound() || self.was_cut_short() {
            return Ok(());
        }
        // All jobs are served that can be, or none.
        let most_lost = if some_placed { lost - 1 } else { 0 };
        let (schedule, distance) = whole::improve(scenario, &self.schedule, rules, goal, settings)?;
        if distance.is_some_and(|distance| distance.left_out() <= most_lost) {
            self.beyond = Some(EffortName::Quick);
            self.proof = distance.map_or(Proof::Heuristic, |distance| distance.proof());
            (self.schedule, self.distance) = (schedule, distance);
        }
        Ok(())
    }
}

/// Refuses combinations of flags that would ignore the goal, the budgets of users or jobs left out.
fn refuse_more(scenario: &Scenario, settings: &Settings) -> Result<(), CliError> {
    let refuse = |what: &str| Err(CliError::usage(what));
    let budgets = !scenario.budgets.is_empty();
    let vector = matches!(settings.goal, Some(GoalName::Vector(_)));
    let serves_all = settings.serve == Serve::All;
    if budgets && !serves_all && settings.goal == Some(GoalName::Makespan) {
        return refuse(
            "--serve: with budgets of users the least makespan is that of all jobs whose users can pay for them",
        );
    }
    if vector && !serves_all {
        return refuse(
            "--serve: weights and orders of --goal are for jobs that are all served; makespan leaves out",
        );
    }
    if settings.front && !serves_all {
        return refuse("--serve: the front is of choices that serve all jobs");
    }
    if settings.goal == Some(GoalName::MeanFinish) && settings.criterion != CriterionName::MinTime {
        return refuse("--goal mean-finish keeps to a budget: it goes with --criterion min-time");
    }
    if settings.serve == Serve::Penalties && settings.goal == Some(GoalName::Makespan) {
        return refuse(
            "--serve penalties: the least makespan is that of no job; most-jobs or greatest-weight come before it",
        );
    }
    Ok(())
}

fn front(planner: &Planner<'_>, offers: &[Offer<'_>], settings: &Settings) -> Result<Vec<Point>, CliError> {
    let front = planner.front(offers.iter().copied(), &mut settings.within.meter());
    let front =
        front.map_err(|error| CliError::usage(format!("{error}; --alternatives makes the front smaller")))?;
    Ok(front.map_or(Vec::new(), |front| front.points().to_vec()))
}
