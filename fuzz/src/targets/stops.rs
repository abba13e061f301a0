//! More searches that are stopped, like those of `limits`: under prices, with demands, fronts, repeated
//! searches, replays of clusters, and on several threads.

use crate::pool;
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, part};
use crate::targets::choice;
use crate::targets::demands::{Asked, Having};
use crate::targets::limits::{Left, Stops};
use crate::targets::window::{NodeCase, Numbers, RequestCase, draw_nodes, slot_list};
use econsched::auction_assign::{Costs, Problem as Assignment, solve_within};
use econsched::batch_dp::{
    Alternatives, BatchError, FRONT_CAP, Front, Problem, Scratch, Service, UserBudgets,
    select_with_user_budgets,
};
use econsched::grid_sim::{LocalJob, PolicyKind, ReplayOptions, replay_within};
use econsched::joint_plan::{Effort, JointGoal, JointPlanner};
use econsched::sched_model::check::{Holding, Rules};
use econsched::sched_model::{
    Batch, End, Job, JobId, Limit, Machine, MachineId, NodeId, Price, Sense, Span, Speed, Time,
};
use econsched::slot_window::priced::{NodeTimePrices, PricedSearch};
use econsched::slot_window::{
    FirstFit, MaxValue, MultipleBest, NodeValues, Objective, Ranking, SearchScratch, WindowQuery,
    WindowSearch,
};
use serde::{Deserialize, Serialize};

pub(crate) struct Searches;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    kind: usize,
    /// The variant of a kind.
    variant: usize,
    batch: choice::Case,
    nodes: Vec<NodeCase>,
    requests: Vec<RequestCase>,
    having: Vec<Having>,
    asked: Asked,
    /// (node, instant, price).
    prices: Vec<(u32, f64, f64)>,
    /// Two limits of work, as parts of a million of the whole.
    parts: (u32, u32),
    /// After how many questions the signal is set.
    questions: u64,
}

const KINDS: [&str; 9] = [
    "priced search",
    "front",
    "front within budgets",
    "multiple best",
    "greatest value with demands",
    "selection within budgets",
    "replay",
    "joint plan on threads",
    "assignment on threads",
];

/// Work of a whole search at most.
const WHOLE: u64 = 400_000;

impl Case {
    fn holding(&self) -> Holding {
        if self.variant.is_multiple_of(2) { Holding::OwnSpan } else { Holding::SlowestSpan }
    }

    fn request(&self) -> Result<&RequestCase, Fault> {
        part(self.requests.first().ok_or(()))
    }

    fn run(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        match self.kind % KINDS.len() {
            0 => self.priced(limit),
            1 | 2 => self.front(limit),
            3 => self.multiple(limit),
            4 => self.valued(limit),
            5 => self.selection(limit),
            6 => self.replay(limit),
            7 => on_threads(self.threads(limit), || self.joint(limit)),
            _ => on_threads(self.threads(limit), || self.assignment(limit)),
        }
    }

    /// Several threads where a signal stops the search, one where a limit does.
    fn threads(&self, limit: &Limit) -> usize {
        if limit.signal.is_some() { 1 + self.variant % 3 } else { 1 }
    }

    /// The sweep over the starts runs to its end; only the choices of nodes are stopped.
    fn priced(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        let slots = Having::listed(&self.having, slot_list(&self.nodes)?)?;
        let eligible = slots.eligible(&self.asked.demands(0.5)?);
        let request = self.request()?.request()?;
        let mut prices = Vec::new();
        for &(node, instant, price) in &self.prices {
            prices.push((NodeId(node), part(Time::new(instant))?, price));
        }
        let prices = part(NodeTimePrices::new(prices))?;
        let rules = Rules::per_window(1.0).with_holding(self.holding());
        let weight = [1.0, -1.0, 0.0][self.variant / 2 % 3];
        let search = part(PricedSearch::new(rules).with_cost_weight(weight))?;
        let search = part(search.with_runtime_weight(1.0))?;
        let query = WindowQuery::new(&slots, &request, Time::ZERO).with_eligible(&eligible);
        let mut meter = limit.meter();
        let answer = search.bounded_within(&query, &prices, f64::INFINITY, &mut meter)?;
        Ok(Some(Left {
            value: answer.best.as_ref().map(|best| best.value),
            bound: Some(answer.bound),
            work: answer.work,
            end: meter.ended().unwrap_or(End::Done),
            answer: format!("{:?}", answer.best),
        }))
    }

    fn users(&self, jobs: usize) -> UserBudgets {
        let budget = self.batch.budget.unwrap_or(f64::INFINITY) / 2.0;
        UserBudgets::new((0..jobs).map(|job| job % 2).collect(), vec![budget; 2])
    }

    fn front(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        let batch = part(Alternatives::new(&self.batch.jobs))?;
        let mut meter = limit.meter();
        let front = if self.kind % KINDS.len() == 1 {
            Front::within(&batch, FRONT_CAP, &mut meter)
        } else {
            Front::within_user_budgets(&batch, &self.users(batch.jobs()), FRONT_CAP, &mut meter)
        };
        let end = match &front {
            Ok(_) => End::Done,
            Err(BatchError::Stopped { end, .. }) => *end,
            // That the front is too large is found out only during the search.
            Err(BatchError::FrontTooLarge { .. }) => return Ok(None),
            Err(error) => return Err(Fault::Wrong(error.to_string())),
        };
        let points = front.ok().flatten().map(|front| front.points().to_vec());
        Ok(Some(Left { value: None, bound: None, work: meter.work(), end, answer: format!("{points:?}") }))
    }

    /// A repeated search counts the work of each after it, so that the last of them may take it beyond the
    /// limit.
    fn multiple(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        let slots = slot_list(&self.nodes)?;
        let request = self.request()?.request()?;
        let query = WindowQuery::new(&slots, &request, Time::ZERO);
        let ranking = Ranking::Objective(Objective::Cost);
        let mut scratch = SearchScratch::new();
        let (outcome, work) = if (self.variant / 2).is_multiple_of(2) {
            let search = MultipleBest::new(FirstFit::new().with_holding(self.holding()), ranking);
            let mut meter = limit.meter();
            (search.find_within(&query, &mut meter, &mut scratch)?, meter.work())
        } else {
            let values = (0..).map(NodeId).zip(self.nodes.iter().map(|node| node.value));
            let search = MaxValue::new(part(NodeValues::new(values))?).with_sense(Sense::Maximise);
            let search = MultipleBest::new(search.with_holding(self.holding()), ranking);
            let mut meter = limit.meter();
            (search.find_within(&query, &mut meter, &mut scratch)?, meter.work())
        };
        Ok(Some(Left { work, ..Left::of(&outcome, 1.0) }))
    }

    fn valued(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        let slots = Having::listed(&self.having, slot_list(&self.nodes)?)?;
        let eligible = slots.eligible(&self.asked.demands(0.5)?);
        let request = self.request()?.request()?;
        let values = (0..).map(NodeId).zip(self.nodes.iter().map(|node| node.value));
        let search = MaxValue::new(part(NodeValues::new(values))?).with_sense(Sense::Maximise);
        let query = WindowQuery::new(&slots, &request, Time::ZERO).with_eligible(&eligible);
        let search = search.with_holding(self.holding());
        let outcome = search.find_within(&query, &mut limit.meter(), &mut SearchScratch::new())?;
        Ok(Some(Left::of(&outcome, -1.0)))
    }

    fn selection(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        let batch = part(Alternatives::new(&self.batch.jobs))?;
        let jobs = batch.jobs();
        let problem = match self.variant / 2 % 2 {
            0 => Problem::MinTime { budget: self.batch.budget.unwrap_or(f64::INFINITY) },
            _ => Problem::MinCost { time_limit: self.batch.time_limit.unwrap_or(f64::INFINITY) },
        };
        let service = match self.variant % 2 {
            0 => Service::MostJobs,
            _ => Service::Penalties((0..jobs).map(|job| (job % 7) as f64 * 1.3).collect()),
        };
        let mut scratch = Scratch::default();
        let users = self.users(jobs);
        let found =
            select_with_user_budgets(&batch, problem, &service, &users, &mut scratch, &mut limit.meter())?;
        Ok(Some(Left::of(&found, 1.0)))
    }

    /// Jobs from the requests and from the alternatives on one cluster.
    fn replay(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        let cpus = 8;
        let machine = part(Machine::new(MachineId(0), cpus, Speed::ETALON, part(Price::new(0.1))?))?;
        let mut jobs = Vec::new();
        let mut at = 0.0;
        for (id, (gap, span)) in (0_u32..).zip(self.batch.jobs.iter().flatten()) {
            at += (gap.abs() % 4.0).floor() / 4.0;
            let (submit, span) = (part(Time::new(at))?, part(Span::new(1.0 + span.abs() % 16.0))?);
            let width = 1 + (id % cpus);
            jobs.push(part(LocalJob::new(JobId(u64::from(id)), submit, width, span, span))?);
        }
        let policy = PolicyKind::ALL[self.variant % PolicyKind::ALL.len()].build();
        let mut meter = limit.meter();
        let run = replay_within(&machine, policy, &jobs, &ReplayOptions::default(), &mut meter)?;
        let end = run.stopped.unwrap_or(End::Done);
        let answer = format!("{:?} {:?} {}", run.report, run.records, run.events);
        Ok(Some(Left { value: None, bound: None, work: meter.work(), end, answer }))
    }

    fn joint(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        let slots = slot_list(&self.nodes)?;
        let mut jobs = Vec::new();
        for (id, request) in (0..).zip(&self.requests) {
            jobs.push(Job::new(JobId(id), request.request()?));
        }
        let batch = part(Batch::new(jobs))?;
        let goal = match self.variant / 4 % 2 {
            0 => JointGoal::MinTime { budget: f64::INFINITY },
            _ => JointGoal::MinCost { time_limit: f64::INFINITY },
        };
        let planner = JointPlanner::new(Rules::per_window(1.0))
            .with_effort([Effort::Quick, Effort::Normal, Effort::Hard][self.variant / 8 % 3])
            .with_limit(limit.clone());
        let plan = planner.plan(&slots, &batch, Time::ZERO, goal)?;
        let left_out = batch.len() - plan.schedule.placed().count();
        // One more placed job counts more than any objective, so only plans that place equally many are
        // compared.
        let value = (left_out == 0).then_some(plan.objective);
        let answer = format!("{:?} {:?} {:?}", plan.schedule, plan.objective, plan.bound);
        Ok(Some(Left { value, bound: None, work: plan.work, end: plan.end, answer }))
    }

    fn assignment(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        let all: Vec<f64> = self.batch.jobs.iter().flatten().map(|pair| pair.0).collect();
        // At most as many rows as columns.
        let columns = (1..).take_while(|side| side * side <= all.len()).last().unwrap_or(1);
        let rows = (all.len() / columns).min(columns);
        let costs = part(Costs::dense(rows, columns, part(all.get(..rows * columns).ok_or(()))?))?;
        let found = solve_within(&Assignment::new(costs), &mut limit.meter())?;
        Ok(Some(Left::of(&found.outcome, 1.0)))
    }
}

fn on_threads(
    threads: usize,
    run: impl Fn() -> Result<Option<Left>, Fault> + Sync,
) -> Result<Option<Left>, Fault> {
    let pool = pool::of(threads)?;
    pool.install(&run)
}

impl Target for Searches {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let kind = rng.below(KINDS.len());
        let (jobs, most) = match kind {
            1 | 2 | 5 => *rng.pick(&[(3, 5), (6, 4), (12, 8)]),
            6 => *rng.pick(&[(3, 5), (20, 10), (60, 20)]),
            8 => *rng.pick(&[(5, 5), (30, 30), (80, 80)]),
            _ => (1, 1),
        };
        let batch = choice::draw(rng, jobs, most);
        let numbers = if rng.percent(50) { Numbers::Exact } else { Numbers::Hostile };
        let (nodes, requests) = match kind {
            0 => (*rng.pick(&[5, 12, 30]), 1),
            3 | 4 => (*rng.pick(&[6, 30, 100]), 1),
            7 => (*rng.pick(&[3, 8]), *rng.pick(&[2, 6, 30])),
            _ => (1, 1),
        };
        let nodes = draw_nodes(rng, nodes, numbers);
        let requests = (0..requests).map(|_| {
            let n = rng.range(1, 4).min(nodes.len());
            RequestCase::draw(rng, &nodes, n, numbers)
        });
        let requests = requests.collect();
        let demanding = rng.percent(50);
        let share = |rng: &mut Rng| {
            let share = rng.unit();
            // Small ones are as likely as great ones.
            (1e6 * if rng.percent(50) { share * share * share } else { share }) as u32
        };
        Case {
            kind,
            variant: rng.below(48),
            batch,
            requests,
            having: if demanding { Having::draw(rng, nodes.len()) } else { Vec::new() },
            asked: if demanding { Asked::draw(rng, nodes.len(), 30) } else { Asked::default() },
            prices: (0..rng.below(9))
                .map(|_| {
                    (rng.below(nodes.len()) as u32, rng.below(40) as f64 / 2.0, rng.below(60) as f64 / 10.0)
                })
                .collect(),
            parts: (share(rng), share(rng)),
            questions: rng.below(30) as u64,
            nodes,
        }
    }

    fn judge(case: &Case) -> Verdict {
        let kind = case.kind % KINDS.len();
        let stops = Stops {
            what: KINDS[kind],
            ranked: kind == 5 && case.variant.is_multiple_of(2),
            parts: case.parts,
            questions: case.questions,
            whole: WHOLE,
        };
        stops.judge(&|limit| case.run(limit))
    }
}
