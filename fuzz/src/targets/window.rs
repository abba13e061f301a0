//! Windows: one search at a time against all windows there are, and whole batches by the checker.

use crate::exact::rounded_sum;
use crate::number::{Family, limit_near};
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use crate::targets::subset::subsets;
use econsched::batch_dp::{Goal, plan};
use econsched::sched_model::check::{Checker, Holding};
use econsched::sched_model::{
    Batch, Job, JobId, Money, Node, NodeId, Price, ResourceRequest, Rounding, Sense, Slot, SlotList, Span,
    Speed, Tariff, Time, Window, Work,
};
use econsched::slot_window::{
    AlternativesSearch, NodeValues, SearchKind, SearchOptions, SearchScratch, WindowQuery, WindowSearch,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct NodeCase {
    pub(crate) speed: f64,
    pub(crate) price: f64,
    pub(crate) value: f64,
    /// Free intervals.
    pub(crate) free: Vec<(f64, f64)>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct RequestCase {
    pub(crate) n: usize,
    pub(crate) work: f64,
    pub(crate) min_speed: Option<f64>,
    pub(crate) price_limit: Option<f64>,
    pub(crate) budget: Option<f64>,
    pub(crate) deadline: Option<f64>,
}

impl RequestCase {
    pub(crate) fn request(&self) -> Result<ResourceRequest, Fault> {
        let mut request = part(ResourceRequest::new(self.n, part(Work::new(self.work))?))?;
        if let Some(speed) = self.min_speed {
            request = request.with_min_speed(part(Speed::new(speed))?);
        }
        if let Some(limit) = self.price_limit {
            request = request.with_price_limit(part(Price::new(limit))?);
        }
        if let Some(budget) = self.budget {
            request = request.with_budget(part(Money::new(budget))?);
        }
        if let Some(deadline) = self.deadline {
            request = request.with_deadline(part(Time::new(deadline))?);
        }
        Ok(request)
    }

    pub(crate) fn draw(rng: &mut Rng, nodes: &[NodeCase], n: usize, kind: Numbers) -> Self {
        let work = kind.work(rng);
        // The cost of some n nodes, each for its own span or all for the longest.
        let some: Vec<&NodeCase> = (0..n).map(|_| rng.pick(nodes)).collect();
        let longest = some.iter().map(|node| work / node.speed).fold(0.0, f64::max);
        let square = rng.percent(50);
        let cost = |node: &&NodeCase| node.price * if square { longest } else { work / node.speed };
        let sum = rounded_sum(some.iter().map(cost));
        let some_slot = nodes.iter().flat_map(|node| &node.free).nth(rng.below(4));
        Self {
            n,
            work,
            min_speed: rng.percent(20).then(|| rng.pick(nodes).speed),
            price_limit: rng.percent(30).then(|| rng.pick(nodes).price),
            budget: rng.percent(75).then(|| limit_near(rng, sum).min(1e60)),
            deadline: match some_slot {
                Some(slot) if rng.percent(25) => Some(slot.1 - f64::from(rng.percent(30))),
                _ => None,
            },
        }
    }
}

/// Whether times are exact in doubles; prices and values never need be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    Exact,
    Hostile,
}

impl Numbers {
    fn work(self, rng: &mut Rng) -> f64 {
        match self {
            Self::Exact => *rng.pick(&[1.0, 2.0, 4.0, 6.0, 8.0]),
            Self::Hostile => *rng.pick(&[0.1, 0.3, 1.0, 1.7, 3.0, 0.9, 7.0 / 3.0]),
        }
    }
}

pub(crate) fn draw_nodes(rng: &mut Rng, most: usize, kind: Numbers) -> Vec<NodeCase> {
    let (price, value) = (Family::any(rng), Family::any(rng));
    let mut prices: Vec<f64> = Vec::new();
    let equal_starts = rng.percent(30);
    let signed = rng.percent(15);
    let speeds: &[f64] = match kind {
        Numbers::Exact => &[1.0, 1.0, 2.0, 4.0, 0.5],
        Numbers::Hostile => &[1.0, 1.5, 3.0, 0.1, 0.7],
    };
    let one_speed = rng.percent(30);
    let alike = rng.percent(15);
    let count = rng.range(1, most);
    (0..count)
        .map(|_| {
            // Repeated prices make ties.
            let price =
                if rng.percent(25) && !prices.is_empty() { *rng.pick(&prices) } else { price.draw(rng) };
            prices.push(price);
            let drawn = if alike { price } else { value.draw(rng) };
            let mut free = Vec::new();
            let mut at = if rng.percent(3) { -1e60 } else { 0.0 };
            for _ in 0..rng.range(1, 3) {
                let (gap, length) = match kind {
                    Numbers::Exact => (rng.below(5) as f64 / 2.0, rng.range(1, 12) as f64),
                    Numbers::Hostile => (rng.below(7) as f64 / 10.0, rng.range(1, 60) as f64 / 10.0),
                };
                let start = if equal_starts { at } else { at + gap };
                let end = start + length;
                if start < end {
                    free.push((start, end));
                }
                at = end + 0.5;
            }
            NodeCase {
                speed: if one_speed { 1.0 } else { *rng.pick(speeds) },
                price,
                value: if signed && rng.percent(50) { -drawn } else { drawn },
                free,
            }
        })
        .collect()
}

pub(crate) fn slot_list(nodes: &[NodeCase]) -> Result<SlotList, Fault> {
    let mut slots = Vec::new();
    for (id, node) in (0..).zip(nodes) {
        let of = Node::new(NodeId(id), part(Speed::new(node.speed))?, part(Price::new(node.price))?);
        for &(start, end) in &node.free {
            slots.push(Slot::new(of, part(Time::new(start))?, part(Time::new(end))?)?);
        }
    }
    part(SlotList::new(slots))
}

pub(crate) struct Windows;

/// How price and span become a charge, as a case has it.
#[derive(Serialize, Deserialize)]
pub(crate) struct TariffCase {
    /// Digits, and whether charges are rounded up.
    digits: Option<(u8, bool)>,
    increment: Option<f64>,
    fee: f64,
    least: f64,
}

impl TariffCase {
    fn draw(rng: &mut Rng) -> Self {
        Self {
            digits: rng.percent(60).then(|| (rng.below(3) as u8, rng.percent(50))),
            increment: rng.percent(60).then(|| *rng.pick(&[1.0, 0.1, 2.0, 0.25, 3.0])),
            fee: if rng.percent(50) { 0.0 } else { rng.below(30) as f64 / 10.0 },
            least: if rng.percent(50) { 0.0 } else { rng.below(50) as f64 / 10.0 },
        }
    }

    fn tariff(&self) -> Result<Tariff, Fault> {
        let mut tariff = Tariff::default();
        if let Some((digits, up)) = self.digits {
            tariff = tariff.with_digits(digits, if up { Rounding::Up } else { Rounding::Nearest });
        }
        if let Some(increment) = self.increment {
            tariff = part(tariff.with_increment(part(Span::new(increment))?))?;
        }
        tariff = part(tariff.with_entry_fee(part(Money::new(self.fee))?))?;
        part(tariff.with_least_charge(part(Money::new(self.least))?))
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    nodes: Vec<NodeCase>,
    /// None: price x span.
    #[serde(default)]
    tariff: Option<TariffCase>,
    request: RequestCase,
    from: f64,
    rho: f64,
    maximise: bool,
}

/// A window as the oracle sees it.
struct Found {
    start: f64,
    finish: f64,
    span: f64,
    cost: f64,
    value: f64,
}

impl Case {
    /// Every window at the start of a slot or at `from`.
    fn all(&self, tariff: &Tariff, holding: Holding, slot_price: bool, budget: f64) -> Vec<Found> {
        // One charge is what the tariff says; the target `tariff` attacks that.
        let charge = |node: &NodeCase, span: f64| match (Price::new(node.price), Span::new(span)) {
            (Ok(price), Ok(span)) => tariff.charge(price, span).get(),
            _ => f64::NAN,
        };
        let request = &self.request;
        let mut starts: Vec<f64> = self.nodes.iter().flat_map(|node| &node.free).map(|slot| slot.0).collect();
        starts.retain(|&start| start > self.from);
        starts.push(self.from);
        starts.sort_by(f64::total_cmp);
        starts.dedup();
        let mut found = Vec::new();
        for start in starts {
            // Node and the end of its slot.
            let live: Vec<(&NodeCase, f64)> = self
                .nodes
                .iter()
                .filter(|node| request.min_speed.is_none_or(|least| node.speed >= least))
                .filter(|node| !slot_price || request.price_limit.is_none_or(|limit| node.price <= limit))
                .filter_map(|node| {
                    let slot = node.free.iter().find(|slot| slot.0 <= start && start < slot.1)?;
                    Some((node, slot.1))
                })
                .collect();
            subsets(live.len(), request.n, &mut |chosen| {
                let members = || chosen.iter().map(|&at| live[at]);
                let longest = members().map(|(node, _)| request.work / node.speed).fold(0.0, f64::max);
                let held = |node: &NodeCase| match holding {
                    Holding::OwnSpan => request.work / node.speed,
                    _ => longest,
                };
                for (node, slot_end) in members() {
                    let last = slot_end.min(request.deadline.unwrap_or(f64::INFINITY));
                    let end = start + held(node);
                    if end > last || end <= start {
                        return;
                    }
                }
                let cost = rounded_sum(members().map(|(node, _)| charge(node, held(node))));
                if cost > budget {
                    return;
                }
                found.push(Found {
                    start,
                    finish: members().map(|(node, _)| start + held(node)).fold(start, f64::max),
                    span: members().map(|(node, _)| held(node)).fold(0.0, f64::max),
                    cost,
                    value: rounded_sum(members().map(|(node, _)| node.value)),
                });
            });
        }
        found
    }

    /// The window of a search among those of the oracle: the same start, the same cost and value.
    fn matching(&self, window: &Window) -> Found {
        let nodes = || window.placements().iter().filter_map(|p| self.nodes.get(p.node.0 as usize));
        Found {
            start: window.start().get(),
            finish: window.finish().get(),
            span: nodes().map(|node| self.request.work / node.speed).fold(0.0, f64::max),
            cost: rounded_sum(window.placements().iter().map(|placement| placement.cost.get())),
            value: rounded_sum(nodes().map(|node| node.value)),
        }
    }
}

/// What a kind promises to be least, before the start; nothing where only the start is promised.
enum Promise {
    Start,
    StartThenCost,
    Finish,
    Span,
    Cost,
    Value,
    /// Only that the window keeps the rules.
    Valid,
}

fn promise(kind: SearchKind) -> Promise {
    let name = kind.name();
    match name.split("-rough").next().unwrap_or(name) {
        "alp" | "first-fit" | "min-start" => Promise::Start,
        "amp" => Promise::StartThenCost,
        "min-finish" => Promise::Finish,
        "min-runtime" => Promise::Span,
        "min-cost" => Promise::Cost,
        "max-value" => Promise::Value,
        _ => Promise::Valid,
    }
}

impl Target for Windows {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let kind = if rng.percent(75) { Numbers::Exact } else { Numbers::Hostile };
        let nodes = draw_nodes(rng, 7, kind);
        let n = rng.range(1, 4).min(nodes.len());
        let request = RequestCase::draw(rng, &nodes, n, kind);
        let from = *rng.pick(&[0.0, 0.0, 1.0, 2.5]);
        let tariff = rng.percent(30).then(|| TariffCase::draw(rng));
        Case {
            nodes,
            tariff,
            request,
            from,
            rho: *rng.pick(&[1.0, 1.0, 0.8, 1.1]),
            maximise: rng.percent(70),
        }
    }

    fn judge(case: &Case) -> Verdict {
        let tariff = case.tariff.as_ref().map_or(Ok(Tariff::default()), TariffCase::tariff)?;
        let slots = slot_list(&case.nodes)?.with_tariff(tariff);
        let request = case.request.request()?;
        let from = part(Time::new(case.from))?;
        let values = part(NodeValues::new((0..).map(NodeId).zip(case.nodes.iter().map(|node| node.value))))?;
        let sense = if case.maximise { Sense::Maximise } else { Sense::Minimise };
        let options = SearchOptions::new().with_rho(case.rho).with_criterion(values, sense);
        let mut scratch = SearchScratch::new();
        // The table needs units of money, and stops where there are too many.
        for &kind in SearchKind::ALL.iter().filter(|&&kind| kind != SearchKind::MaxValueTable) {
            let search = part(kind.build(&options))?;
            judge_search(case, &slots, &request, from, kind, search.as_ref(), &mut scratch)?;
        }
        Ok(())
    }
}

fn judge_search(
    case: &Case,
    slots: &SlotList,
    request: &ResourceRequest,
    from: Time,
    kind: SearchKind,
    search: &dyn WindowSearch,
    scratch: &mut SearchScratch,
) -> Verdict {
    let rules = search.rules();
    // The budget as the papers read it: as given, or rho C t N.
    let derived = || {
        let rho = rules.budget_factor?;
        Some(rho * case.request.price_limit? * case.request.work * case.request.n as f64)
    };
    let budget = case.request.budget.or_else(derived).unwrap_or(f64::INFINITY);
    let all = case.all(slots.tariff(), rules.holding, rules.slot_price, budget);
    let found = search.find(slots, request, from, scratch);
    if found.is_err() && kind.name().contains("table") {
        // The published table is soon too large for the default limit, and says so.
        return Ok(());
    }
    let found = found?;
    let Some(window) = found else {
        let missed = all.first();
        ensure!(
            missed.is_none() || matches!(promise(kind), Promise::Valid),
            "{kind}: no window, though one starts at {:?} for {:?}",
            missed.map(|window| window.start),
            missed.map(|window| window.cost)
        );
        search.refusal(&WindowQuery::new(slots, request, from), scratch)?;
        return Ok(());
    };
    let wrong = Checker::new(slots, rules).window(&window, request);
    ensure!(wrong.is_empty(), "{kind}: the checker says {}", wrong[0]);
    ensure!(window.start() >= from, "{kind}: starts at {} before {from}", window.start());
    let own = case.matching(&window);
    ensure!(
        window.cost().get() == own.cost,
        "{kind}: the cost is not the exact sum: {}, is {:?}",
        window.cost(),
        own.cost
    );
    ensure!(own.cost <= budget, "{kind}: costs {:?} within {budget:?}", own.cost);
    ensure!(
        matches!(promise(kind), Promise::Valid)
            || all.iter().any(|other| other.start == own.start
                && other.cost == own.cost
                && other.finish == own.finish),
        "{kind}: the window at {:?} for {:?} until {:?} is none of those that there are",
        own.start,
        own.cost,
        own.finish
    );
    let sign = if case.maximise { -1.0 } else { 1.0 };
    let key = |window: &Found| match promise(kind) {
        Promise::Start | Promise::Valid => (window.start, 0.0),
        Promise::StartThenCost => (window.start, window.cost),
        Promise::Finish => (window.finish, window.start),
        Promise::Span => (window.span, window.start),
        Promise::Cost => (window.cost, window.start),
        Promise::Value => (sign * window.value, window.start),
    };
    if matches!(promise(kind), Promise::Valid) {
        return Ok(());
    }
    let best = all.iter().map(key).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let Some(best) = best else { return Ok(()) };
    let mine = key(&own);
    ensure!(mine == best, "{kind}: not the best: {mine:?}, best {best:?}");
    Ok(())
}

pub(crate) struct Batches;

#[derive(Serialize, Deserialize)]
pub(crate) struct BatchCase {
    nodes: Vec<NodeCase>,
    jobs: Vec<RequestCase>,
    submit: Vec<f64>,
    search: usize,
    goal: usize,
    limit: Option<f64>,
}

impl Target for Batches {
    type Case = BatchCase;

    fn generate(rng: &mut Rng) -> BatchCase {
        let kind = if rng.percent(60) { Numbers::Exact } else { Numbers::Hostile };
        let nodes = draw_nodes(rng, 10, kind);
        let count = rng.range(1, 5);
        let jobs: Vec<RequestCase> = (0..count)
            .map(|_| {
                let n = rng.range(1, 4).min(nodes.len());
                RequestCase::draw(rng, &nodes, n, kind)
            })
            .collect();
        let submit = (0..count).map(|_| if rng.percent(30) { rng.below(8) as f64 } else { 0.0 }).collect();
        let limit = rng.percent(50).then(|| rng.below(200) as f64 / 10.0);
        BatchCase { nodes, jobs, submit, search: rng.below(100), goal: rng.below(3), limit }
    }

    fn judge(case: &BatchCase) -> Verdict {
        let slots = slot_list(&case.nodes)?;
        let mut jobs = Vec::new();
        for (id, request) in (0..).zip(&case.jobs) {
            let submit = case.submit.get(id as usize).copied().unwrap_or_default();
            jobs.push(Job::new(JobId(id), request.request()?).with_submit(part(Time::new(submit))?));
        }
        let batch = Batch::new(jobs)?;
        let kind = SearchKind::ALL[case.search % SearchKind::ALL.len()];
        let search = kind.build(&SearchOptions::new())?;
        let rules = search.rules();
        let found = AlternativesSearch::new(search).find(&slots, &batch, Time::ZERO);
        if found.is_err() && kind.name().contains("table") {
            return Ok(());
        }
        let found = found?;
        let checker = Checker::new(&slots, rules);
        let mut all: Vec<(usize, &Window)> = Vec::new();
        for (at, job) in batch.iter().enumerate() {
            for window in found.of(at) {
                let wrong = checker.job(window, job);
                ensure!(wrong.is_empty(), "{kind}: an alternative of job {at}: {}", wrong[0]);
                all.push((at, window));
            }
        }
        for (at, (_, one)) in all.iter().enumerate() {
            for (_, other) in &all[..at] {
                ensure!(!one.overlaps(other), "{kind}: two alternatives overlap at {}", one.start());
            }
        }
        // What is left and what was taken make the whole again.
        let mut whole = found.rest().clone();
        for (_, window) in &all {
            whole.give_back(window)?;
        }
        let joined = |list: &SlotList| -> f64 {
            rounded_sum(list.iter().map(|slot| slot.end() - slot.start()).map(f64::from))
        };
        let (before, after) = (joined(&slots), joined(&whole));
        ensure!((before - after).abs() <= before.abs() * 1e-12, "{before} of free time became {after}");
        let goal = match case.goal {
            0 => Goal::MinTime { budget: case.limit },
            1 => Goal::MinCost { time_limit: case.limit },
            _ => Goal::MaxIncome { time_limit: case.limit },
        };
        let plan = plan(found.offers(), goal)?;
        let wrong = checker.schedule(&plan.schedule, &batch);
        ensure!(wrong.is_empty(), "{kind}: plan, job {}: {}", wrong[0].0, wrong[0].1);
        let charges = plan.schedule.placed().map(|(_, window)| window.cost().get());
        let cost = plan.schedule.cost().get();
        let sum = rounded_sum(charges);
        ensure!(cost == sum, "the schedule says {cost:?}, its windows cost {sum:?}");
        Ok(())
    }
}
