//! Windows: single searches against all windows that exist, and whole batches by the checker.

mod case;

use crate::exact::rounded_sum;
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use crate::targets::subset::subsets;
pub(crate) use case::{NodeCase, Numbers, RequestCase, TariffCase, draw_nodes, slot_list};
use econsched::batch_dp::{Goal, plan};
use econsched::sched_model::check::{Checker, Holding};
use econsched::sched_model::{
    Batch, Job, JobId, NodeId, Price, ResourceRequest, Sense, SlotList, Span, Tariff, Time, Window,
};
use econsched::slot_window::{
    AlternativesSearch, NodeValues, SearchKind, SearchOptions, SearchScratch, WindowQuery, WindowSearch,
};
use serde::{Deserialize, Serialize};

pub(crate) struct Windows;

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

/// A window of the oracle.
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
        // A single charge is taken from the tariff, which the target `tariff` attacks.
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

    /// The oracle's form of a window that a search found, with the same start, cost and value.
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

/// What a kind promises: the value that it minimises before the start, or the start alone.
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
            let search = part(kind.build_with(&options))?;
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
        let search = kind.build();
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
        // Free time and windows together are the original free time.
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
