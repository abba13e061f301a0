//! Plans of a batch under every combination of settings of a planner, complete and stopped, against all
//! choices.

use super::selection::{Purses, ServiceCase, choices};
use crate::exact::{Exact, rounded_sum};
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use econsched::batch_dp::{
    BatchDecision, BatchError, Chooser, ChooserKind, Goal, Plan, Planner, Problem, Service,
};
use econsched::sched_model::{
    JobId, Limit, Node, NodeId, Placement, Price, Proof, Refusal, Schedule, Slot, Span, Speed, Time, UserId,
    Window,
};
use serde::{Deserialize, Serialize};

pub(crate) struct Plans;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    /// Start, span and price of each window of each job; each is on a node of its own.
    jobs: Vec<Vec<(u32, f64, f64)>>,
    goal: usize,
    limit: Option<f64>,
    is_served_in_part: bool,
    asked: ServiceCase,
    has_purses: bool,
    purses: Purses,
    makespan: bool,
    mean_finish: bool,
    known: Option<Vec<Option<usize>>>,
    chooser: usize,
    /// Work of a search that is stopped.
    work: u64,
}

/// The rank of a choice: the loss of service, the last finish if it comes first, the criterion.
type Rank = (f64, f64, f64);

/// Later than every window.
const HORIZON: f64 = 1e59;

impl Case {
    fn windows(&self) -> Result<Vec<Vec<Window>>, Fault> {
        let mut node = 0;
        let mut of = |&(start, span, price): &(u32, f64, f64)| -> Result<Window, Fault> {
            node += 1;
            let node = Node::new(NodeId(node), Speed::ETALON, part(Price::new(price))?);
            let start = part(Time::new(f64::from(start)))?;
            let slot = part(Slot::new(node, Time::ZERO, part(Time::new(HORIZON))?))?;
            part(Window::new(start, vec![Placement::on(&slot, start, part(Span::new(span))?)]))
        };
        self.jobs.iter().map(|job| job.iter().map(&mut of).collect()).collect()
    }

    fn goal(&self) -> Goal {
        match self.goal % 4 {
            0 => Goal::MinTime { budget: self.limit },
            1 => Goal::MaxTime { budget: self.limit },
            2 => Goal::MinCost { time_limit: self.limit },
            _ => Goal::MaxIncome { time_limit: self.limit },
        }
    }

    fn service(&self) -> Option<Service> {
        self.is_served_in_part.then(|| self.asked.service())
    }

    fn is_sound(&self) -> bool {
        let jobs = self.jobs.len();
        let is_pick = |(pick, job): (&Option<usize>, &Vec<_>)| pick.is_none_or(|pick| pick < job.len());
        self.asked.numbers.len() == jobs
            && self.purses.user_of.len() == jobs
            && self.purses.user_of.iter().all(|&user| user < 3)
            && self
                .known
                .as_ref()
                .is_none_or(|known| known.len() == jobs && known.iter().zip(&self.jobs).all(is_pick))
    }

    fn users(&self) -> usize {
        self.purses.user_of.iter().max().map_or(0, |user| user + 1)
    }
}

/// A case with the windows of its jobs.
struct Posed<'a> {
    case: &'a Case,
    windows: Vec<Vec<Window>>,
    /// (cost, runtime) of each.
    pairs: Vec<Vec<(f64, f64)>>,
    ids: Vec<JobId>,
    /// Jobs of users who cannot pay for the jobs that must be served.
    poor: Vec<bool>,
}

impl<'a> Posed<'a> {
    fn new(case: &'a Case) -> Result<Self, Fault> {
        let windows = case.windows()?;
        let pair = |window: &Window| (window.cost().get(), window.runtime().get());
        let pairs: Vec<Vec<(f64, f64)>> = windows.iter().map(|job| job.iter().map(pair).collect()).collect();
        let least = |job: &Vec<(f64, f64)>| job.iter().map(|pair| pair.0).min_by(f64::total_cmp);
        let is_poor = |user: usize| {
            let own = pairs.iter().zip(&case.purses.user_of).filter(|(_, of)| **of == user);
            let least = own.filter_map(|(job, _)| least(job));
            let least = if case.is_served_in_part { 0.0 } else { rounded_sum(least) };
            case.has_purses && least > case.purses.budget(user)
        };
        let poor = case.purses.user_of.iter().map(|&user| is_poor(user)).collect();
        let ids = (0..windows.len() as u64).map(JobId).collect();
        Ok(Self { case, pairs, ids, poor, windows })
    }

    fn planner(&self, limit: Limit, chooser: &'a dyn Chooser) -> Planner<'a> {
        let case = self.case;
        let mut planner = Planner::new(case.goal()).with_chooser(chooser).with_limit(limit);
        if let Some(service) = case.service() {
            planner = planner.with_service(service);
        }
        if case.has_purses {
            let id = |user: usize| UserId(user as u32);
            let budgets = (0..case.users()).map(|user| (id(user), case.purses.budget(user)));
            let user_of = self.ids.iter().zip(&case.purses.user_of).map(|(&job, &user)| (job, id(user)));
            planner = planner.with_user_budgets(budgets, user_of);
        }
        if case.makespan {
            planner = planner.with_makespan_first();
        }
        if case.mean_finish {
            planner = planner.with_mean_finish();
        }
        planner
    }

    fn schedule(&self, picks: &[Option<usize>]) -> Result<Schedule, Fault> {
        let mut schedule = Schedule::default();
        for ((&job, windows), pick) in self.ids.iter().zip(&self.windows).zip(picks) {
            match pick {
                Some(pick) => schedule.place(job, windows[*pick].clone())?,
                None => schedule.refuse(job, Refusal::NoCapacity)?,
            }
        }
        Ok(schedule)
    }

    fn picks(&self, schedule: &Schedule) -> Option<Vec<Option<usize>>> {
        let pick = |(&job, windows): (&JobId, &Vec<Window>)| match schedule.place_of(job) {
            None => Some(None),
            Some(window) => windows.iter().position(|own| own == window).map(Some),
        };
        self.ids.iter().zip(&self.windows).map(pick).collect()
    }

    fn chosen<'p>(&'p self, picks: &'p [Option<usize>]) -> impl Iterator<Item = &'p Window> + Clone {
        self.windows.iter().zip(picks).filter_map(|(windows, pick)| windows.get((*pick)?))
    }

    /// Whether the jobs that must be served are served; other limits are not checked.
    fn serves(&self, picks: &[Option<usize>]) -> bool {
        let mut jobs = picks.iter().zip(&self.windows).zip(&self.poor);
        jobs.all(|((pick, windows), &poor)| match pick {
            Some(_) => !poor,
            None => self.case.is_served_in_part || poor || windows.is_empty(),
        })
    }

    fn keeps(&self, picks: &[Option<usize>], limit: f64) -> bool {
        let by_time = self.case.goal % 4 >= 2;
        let used = self.chosen(picks).map(
            |window| {
                if by_time { window.runtime().get() } else { window.cost().get() }
            },
        );
        rounded_sum(used) <= limit && self.pays(picks)
    }

    fn pays(&self, picks: &[Option<usize>]) -> bool {
        !self.case.has_purses
            || (0..self.case.users()).all(|user| {
                let mut own = picks.iter().zip(&self.case.purses.user_of).filter(|(_, of)| **of == user);
                own.all(|(pick, _)| pick.is_none())
                    || self.case.purses.spent(&self.pairs, picks, user) <= self.case.purses.budget(user)
            })
    }

    fn rank(&self, picks: &[Option<usize>]) -> Rank {
        let case = self.case;
        let with_penalties = case.is_served_in_part && case.asked.kind == 0;
        let of = |window: &Window| match case.goal % 4 {
            0 if case.mean_finish => window.finish().get(),
            0 => window.runtime().get(),
            1 => -window.runtime().get(),
            2 => window.cost().get(),
            _ => -window.cost().get(),
        };
        let penalties = picks.iter().zip(&case.asked.numbers);
        let penalties = penalties.filter(|(pick, _)| with_penalties && pick.is_none()).map(|(_, &of)| of);
        let criterion = Exact::of(self.chosen(picks).map(of).chain(penalties)).rounded();
        let lost = if case.is_served_in_part && !with_penalties { case.asked.lost_of(picks) } else { 0.0 };
        let end = self.chosen(picks).map(|window| window.finish().get()).fold(0.0, f64::max);
        (lost, if case.makespan { end } else { 0.0 }, criterion)
    }

    /// The best rank of all choices within a limit that end as early as possible.
    fn best(&self, limit: f64) -> Option<Rank> {
        let all = choices(&self.pairs, true);
        let allowed = all.iter().filter(|picks| self.serves(picks) && self.keeps(picks, limit));
        let ranks: Vec<Rank> = allowed.map(|picks| self.rank(picks)).collect();
        let order = |a: &&Rank, b: &&Rank| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        let &(lost, end, _) = ranks.iter().min_by(order)?;
        let early = ranks.iter().filter(|rank| rank.0 <= lost && rank.1 <= end);
        Some((lost, end, early.map(|rank| rank.2).min_by(f64::total_cmp)?))
    }

    fn judge(&self, plan: &Plan, whole: bool, how: &str) -> Verdict {
        let case = self.case;
        let limit = match plan.problem {
            Problem::MinTime { budget } | Problem::MaxTime { budget } => budget,
            Problem::MinCost { time_limit } | Problem::MaxIncome { time_limit } => time_limit,
            _ => f64::NAN,
        };
        ensure!(case.limit.is_none_or(|own| own == limit), "{how}: limit {limit:?}, not {:?}", case.limit);
        let Some(picks) = self.picks(&plan.schedule) else {
            ensure!(false, "{how}: a window that was not offered");
            return Ok(());
        };
        ensure!(plan.schedule.len() == self.ids.len(), "{how}: a job is forgotten");
        let is_empty = picks.iter().all(Option::is_none);
        ensure!(is_empty || self.keeps(&picks, limit), "{how}: breaks a limit: {picks:?} {limit:?}");
        let best = self.best(limit);
        let mine = self.rank(&picks);
        let Some(best) = best else {
            ensure!(is_empty, "{how}: {picks:?}, where nothing is within {limit:?}");
            return Ok(());
        };
        ensure!(is_empty || self.serves(&picks), "{how}: leaves out what can be served: {picks:?}");
        let proof = plan.proof();
        ensure!(!whole || proof == Proof::Exact, "{how}: few choices, and {proof}");
        if proof == Proof::Exact {
            let is_best = mine.0 == best.0 && mine.1 <= best.1 && mine.2 == best.2;
            ensure!(is_best, "{how}: not the best: {mine:?}, best {best:?} within {limit:?}");
        } else if mine.0 == best.0 && mine.1 <= best.1 && !is_empty {
            ensure!(mine.2 >= best.2, "{how}: better than all: {mine:?}, best {best:?}");
        }
        if let (BatchDecision::Chosen(outcome), false, false) =
            (&plan.decision, case.is_served_in_part, case.makespan)
            && let Some(bound) = outcome.bound
        {
            let bound = if case.goal % 2 == 1 { -bound } else { bound };
            ensure!(bound <= best.2, "{how}: the bound {bound:?} passes {:?}", best.2);
        }
        Ok(())
    }
}

impl Target for Plans {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let (span, price) = (Family::any(rng), Family::any(rng));
        let count = rng.size(4);
        let jobs: Vec<Vec<(u32, f64, f64)>> = (0..count)
            .map(|_| {
                let windows = if rng.percent(8) { 0 } else { rng.size(4) };
                let of = |rng: &mut Rng| (rng.below(7) as u32, span.positive(rng).min(1e57), price.draw(rng));
                (0..windows).map(|_| of(rng)).collect()
            })
            .collect();
        let picked: Vec<Option<usize>> =
            jobs.iter().map(|job| (!job.is_empty()).then(|| rng.below(job.len()))).collect();
        let pairs: Vec<Vec<(f64, f64)>> = jobs
            .iter()
            .map(|job| job.iter().map(|&(_, span, price)| (span * price, span)).collect())
            .collect();
        let goal = rng.below(4);
        let used = pairs.iter().zip(&picked).filter_map(|(job, pick)| job.get((*pick)?));
        let used = rounded_sum(used.map(|pair| if goal < 2 { pair.0 } else { pair.1 }));
        let share = if rng.percent(30) { rng.unit() } else { 1.0 };
        let mut purses = Purses::draw_users(rng, jobs.len());
        purses.draw_budgets(rng, 80, &pairs, &picked);
        Case {
            goal,
            limit: rng.percent(75).then(|| limit_near(rng, used) * share),
            is_served_in_part: rng.percent(50),
            asked: ServiceCase::draw(rng, jobs.len()),
            has_purses: rng.percent(40),
            purses,
            makespan: rng.percent(30),
            mean_finish: goal == 0 && rng.percent(40),
            known: rng.percent(40).then(|| {
                let pick = |rng: &mut Rng, job: &Vec<_>| {
                    (!job.is_empty() && rng.percent(85)).then(|| rng.below(job.len()))
                };
                jobs.iter().map(|job| pick(rng, job)).collect()
            }),
            chooser: rng.below(ChooserKind::ALL.len()),
            work: rng.below(1500) as u64,
            jobs,
        }
    }

    fn judge(case: &Case) -> Verdict {
        if !case.is_sound() {
            return Ok(());
        }
        let posed = Posed::new(case)?;
        let chooser = ChooserKind::ALL[case.chooser % ChooserKind::ALL.len()];
        let built = chooser.build();
        let offers = || {
            let windows = posed.windows.iter().map(Vec::as_slice);
            posed.ids.iter().zip(windows).map(|(&job, windows)| (job, windows, None))
        };
        for work in [Limit::DEFAULT_WORK, case.work, 0] {
            let mut planner = posed.planner(Limit::default().with_work(work), &*built);
            if let Some(known) = &case.known {
                planner = planner.with_known(posed.schedule(known)?);
            }
            let whole = work == Limit::DEFAULT_WORK;
            let how = format!("{chooser} at {work}");
            let plan = match planner.plan(offers()) {
                Ok(plan) => plan,
                // Settings that cannot be combined, or too little work for a plan.
                Err(BatchError::Together { .. }) => return Ok(()),
                Err(BatchError::Stopped { .. }) if !whole => continue,
                Err(error) => return Err(Fault::from(error)),
            };
            ensure!(plan.work <= work, "{how}: takes {}", plan.work);
            posed.judge(&plan, whole && chooser != ChooserKind::BackwardRun, &how)?;
            ensure!(planner.plan(offers())? == plan, "{how}: the second call says otherwise");
            let Some((known, limit)) = case.known.as_ref().zip(case.limit) else { continue };
            if posed.serves(known) && posed.keeps(known, limit) && !case.makespan {
                let mine = posed.rank(&posed.picks(&plan.schedule).unwrap_or_default());
                let before = posed.rank(known);
                ensure!(mine <= before, "{how}: {mine:?}, though {before:?} is known");
            }
        }
        Ok(())
    }
}
