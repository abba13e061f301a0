//! Searches on a list that changes: after every few changes they find what they find on a new list of the
//! same slots.

use crate::number::Family;
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use crate::targets::window::TariffCase;
use econsched::sched_model::check::{Checker, Holding, Rules};
use econsched::sched_model::{
    Batch, Demands, Features, Job, JobId, Limit, Money, Node, NodeId, Price, ResourceRequest, Slot, SlotList,
    Span, Spans, Speed, Time, Window, Work,
};
use econsched::slot_window::priced::{NodeTimePrices, PricedSearch};
use econsched::slot_window::{AlternativesSearch, SearchKind, SearchOptions, SearchScratch, WindowQuery};
use serde::{Deserialize, Serialize};

pub(crate) struct Living;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    nodes: Vec<NodeCase>,
    tariff: Option<TariffCase>,
    rounds: Vec<Round>,
}

#[derive(Serialize, Deserialize)]
struct NodeCase {
    id: u32,
    speed: f64,
    price: f64,
    free: Vec<(f64, f64)>,
    features: FeatureCase,
}

/// Labels `gpu`, `rack=..`, `zone=..` and an amount of memory.
#[derive(Serialize, Deserialize, Clone, Default)]
struct FeatureCase {
    gpu: bool,
    rack: Option<u32>,
    zone: Option<u32>,
    memory: Option<f64>,
}

#[derive(Serialize, Deserialize)]
enum Change {
    Cut { at: usize, from: f64, spans: Vec<f64> },
    GiveBackRest(usize, f64),
    Lengthen(usize, f64),
    Block(u32, f64, f64),
    Free(u32, f64, f64),
    Remove(u32),
    Reprice(u32, f64, f64),
    Advance(f64),
    Extend(Vec<u32>, f64, f64),
    Features(u32, FeatureCase),
    OrderFirst,
}

fn instant(rng: &mut Rng, unit: f64) -> f64 {
    rng.below(60) as f64 * unit
}

impl Change {
    fn draw(rng: &mut Rng, id: u32, ids: &[u32], (unit, price, many): (f64, Family, bool)) -> Self {
        match rng.below(14) {
            0..=3 => Self::Cut {
                at: rng.below(1000),
                from: instant(rng, unit),
                spans: (0..rng.range(1, 4)).map(|_| rng.range(1, 9) as f64 * unit).collect(),
            },
            4 => Self::GiveBackRest(rng.below(50), instant(rng, unit)),
            5 => Self::Lengthen(rng.below(50), unit * rng.range(1, 6) as f64),
            6 => Self::Block(id, instant(rng, unit), instant(rng, unit)),
            7 => Self::Free(id, instant(rng, unit), instant(rng, unit)),
            8 => Self::Remove(id),
            9 => Self::Reprice(id, price.draw(rng).min(1e60), instant(rng, unit)),
            10 => Self::Advance(rng.below(12) as f64 * unit),
            11 => Self::Extend(
                (0..rng.range(1, 3)).map(|_| *rng.pick(ids)).collect(),
                instant(rng, unit),
                instant(rng, unit) + 10.0,
            ),
            12 => Self::Features(id, FeatureCase::draw(rng, many)),
            _ => Self::OrderFirst,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Round {
    changes: Vec<Change>,
    n: usize,
    work: f64,
    budget: Option<f64>,
    price_limit: Option<f64>,
    min_speed: Option<f64>,
    deadline: Option<f64>,
    from: f64,
    demands: Option<DemandCase>,
    /// (node, instant, price).
    prices: Vec<(u32, f64, f64)>,
}

#[derive(Serialize, Deserialize)]
struct DemandCase {
    gpu: Option<bool>,
    memory: Option<f64>,
    pack: Option<bool>,
    spread: Option<(bool, usize)>,
    not_before: Option<f64>,
    start: Option<f64>,
    spans: Vec<(u32, f64)>,
}

fn label(is_rack: bool) -> &'static str {
    if is_rack { "rack" } else { "zone" }
}

impl FeatureCase {
    fn features(&self) -> Result<Features, Fault> {
        let mut features = Features::new();
        if self.gpu {
            features = features.with_label("gpu");
        }
        if let Some(rack) = self.rack {
            features = features.with_label(format!("rack={rack}"));
        }
        if let Some(zone) = self.zone {
            features = features.with_label(format!("zone={zone}"));
        }
        match self.memory {
            Some(memory) => part(features.with_amount("memory", memory)),
            None => Ok(features),
        }
    }

    fn draw(rng: &mut Rng, many: bool) -> Self {
        Self {
            gpu: rng.percent(50),
            rack: rng.percent(80).then(|| rng.below(if many { 70 } else { 3 }) as u32),
            zone: rng.percent(80).then(|| rng.below(3) as u32),
            memory: rng.percent(60).then(|| Family::Tenths.draw(rng)),
        }
    }
}

impl DemandCase {
    fn draw(rng: &mut Rng, ids: &[u32], unit: f64) -> Self {
        Self {
            gpu: rng.percent(25).then(|| rng.percent(50)),
            memory: rng.percent(25).then(|| Family::Tenths.draw(rng)),
            pack: rng.percent(40).then(|| rng.percent(50)),
            spread: rng.percent(40).then(|| (rng.percent(50), rng.range(1, 2))),
            not_before: rng.percent(15).then(|| instant(rng, unit)),
            start: rng.percent(15).then(|| instant(rng, unit)),
            spans: if rng.percent(30) {
                let mut known: Vec<u32> = ids.iter().copied().filter(|_| rng.percent(50)).collect();
                known.sort_unstable();
                known.iter().map(|&id| (id, rng.range(1, 9) as f64 * unit)).collect()
            } else {
                Vec::new()
            },
        }
    }

    fn demands(&self) -> Result<Demands, Fault> {
        let mut demands = match self.gpu {
            Some(true) => Demands::new().with_label("gpu"),
            Some(false) => Demands::new().without_label("gpu"),
            None => Demands::new(),
        };
        if let Some(memory) = self.memory {
            demands = part(demands.with_at_least("memory", memory))?;
        }
        if let Some(is_rack) = self.pack {
            demands = demands.with_pack(label(is_rack));
        }
        if let Some((is_rack, most)) = self.spread {
            demands = part(demands.with_spread(label(is_rack), most))?;
        }
        if let Some(not_before) = self.not_before {
            demands = demands.with_not_before(part(Time::new(not_before))?);
        }
        if let Some(start) = self.start {
            demands = demands.with_start(part(Time::new(start))?);
        }
        let mut spans = Vec::new();
        for &(node, span) in &self.spans {
            spans.push((NodeId(node), part(Span::new(span))?));
        }
        Ok(demands.with_spans(part(Spans::new(spans))?))
    }
}

impl Case {
    fn node(&self, id: u32) -> Option<Result<Node, Fault>> {
        let case = self.nodes.iter().find(|node| node.id == id)?;
        let of = || Ok(Node::new(NodeId(id), part(Speed::new(case.speed))?, part(Price::new(case.price))?));
        Some(of())
    }

    fn apply(&self, list: &mut SlotList, taken: &mut Vec<Window>, change: &Change) -> Result<(), Fault> {
        let time = |at: f64| part(Time::new(at));
        // That errors leave the list unchanged is judged by another target.
        match change {
            Change::Cut { at, from, spans } => {
                let Some(first) = list.iter().nth(at % list.len().max(1)).copied() else { return Ok(()) };
                let start = first.start().max(time(*from)?);
                let mut placements = Vec::new();
                let others: Vec<Slot> =
                    list.iter().filter(|slot| slot.start() <= start && start < slot.end()).copied().collect();
                for (slot, &span) in others.iter().zip(spans) {
                    let span = part(Span::new(span))?.min(slot.end() - start);
                    placements.push(list.placement(slot, start, span));
                }
                let Ok(window) = Window::new(start, placements) else { return Ok(()) };
                if list.cut(&window).is_ok() {
                    taken.push(window);
                }
            }
            Change::GiveBackRest(which, now) => {
                if !taken.is_empty() {
                    let window = taken.swap_remove(which % taken.len());
                    let _ = list.give_back_rest(&window, time(*now)?);
                }
            }
            Change::Lengthen(which, more) => {
                if !taken.is_empty() {
                    let which = which % taken.len();
                    let placement = taken[which].placements()[0];
                    let until = placement.end + part(Span::new(*more))?;
                    if let Ok(longer) = list.lengthen(&taken[which], placement.node, until) {
                        taken[which] = longer;
                    }
                }
            }
            Change::Block(id, from, to) => drop(list.block(NodeId(*id), time(*from)?, time(*to)?)),
            Change::Free(id, from, to) => {
                if let Some(node) = self.node(*id) {
                    let _ = list.free(node?, time(*from)?, time(*to)?);
                }
            }
            Change::Remove(id) => drop(list.remove_node(NodeId(*id))),
            Change::Reprice(id, price, from) => {
                list.reprice(NodeId(*id), part(Price::new(*price))?, time(*from)?);
            }
            Change::Advance(now) => list.advance(time(*now)?),
            Change::Extend(ids, from, to) => {
                let mut nodes = Vec::new();
                for &id in ids {
                    if let Some(node) = self.node(id) {
                        nodes.push(node?);
                    }
                }
                let _ = list.extend(&nodes, time(*from)?, time(*to)?);
            }
            Change::Features(id, features) => list.set_features(NodeId(*id), features.features()?),
            Change::OrderFirst => list.order_first_group(),
        }
        Ok(())
    }
}

impl Target for Living {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let many = rng.percent(8);
        let count = if many { rng.range(60, 160) } else { rng.range(1, 7) };
        let price = Family::any(rng);
        let tenths = rng.percent(40);
        let unit = if tenths { 0.1 } else { 0.5 };
        let great = rng.percent(10);
        let equal_starts = rng.percent(40);
        let ids: Vec<u32> =
            (0..count).map(|at| if great { u32::MAX - 7 * at as u32 } else { at as u32 * 2 + 1 }).collect();
        let nodes: Vec<NodeCase> = ids
            .iter()
            .map(|&id| {
                let mut at = if equal_starts { 0 } else { rng.below(6) };
                let free = (0..rng.range(0, if many { 9 } else { 4 }))
                    .map(|_| {
                        let start = at;
                        let end = start + rng.range(1, 16);
                        at = end + rng.below(3);
                        (start as f64 * unit, end as f64 * unit)
                    })
                    .collect();
                NodeCase {
                    id,
                    speed: *rng.pick(&[1.0, 1.0, 2.0, 0.5, 3.0]),
                    price: price.draw(rng).min(1e60),
                    free,
                    features: FeatureCase::draw(rng, many),
                }
            })
            .collect();
        let at = |rng: &mut Rng| instant(rng, unit);
        let rounds = (0..rng.range(1, 4))
            .map(|_| {
                let changes = (0..rng.below(if many { 40 } else { 8 }))
                    .map(|_| {
                        let id = *rng.pick(&ids);
                        Change::draw(rng, id, &ids, (unit, price, many))
                    })
                    .collect();
                let n = rng.range(1, if many { 12 } else { 4 });
                let work = rng.range(1, 12) as f64 * unit;
                let chosen: Vec<f64> =
                    (0..n).map(|_| rng.pick(&nodes)).map(|node| node.price * work / node.speed).collect();
                let cost = crate::exact::rounded_sum(chosen.iter().copied());
                Round {
                    changes,
                    n,
                    work,
                    budget: rng.percent(60).then(|| crate::number::limit_near(rng, cost).min(1e60)),
                    price_limit: rng.percent(25).then(|| rng.pick(&nodes).price),
                    min_speed: rng.percent(20).then(|| *rng.pick(&[1.0, 2.0])),
                    deadline: rng.percent(25).then(|| at(rng)),
                    from: if rng.percent(60) { 0.0 } else { at(rng) },
                    demands: rng.percent(60).then(|| DemandCase::draw(rng, &ids, unit)),
                    prices: (0..rng.below(5))
                        .map(|_| (*rng.pick(&ids), at(rng), price.draw(rng).min(1e60)))
                        .collect(),
                }
            })
            .collect();
        Case { tariff: rng.percent(40).then(|| TariffCase::draw(rng)), nodes, rounds }
    }

    fn judge(case: &Case) -> Verdict {
        let mut slots = Vec::new();
        let mut features = Vec::new();
        for node in &case.nodes {
            let Some(of) = case.node(node.id) else { continue };
            let of = of?;
            for &(start, end) in &node.free {
                slots.push(part(Slot::new(of, part(Time::new(start))?, part(Time::new(end))?))?);
            }
            features.push((of.id, node.features.features()?));
        }
        let tariff = case.tariff.as_ref().map(TariffCase::tariff).transpose()?.unwrap_or_default();
        let list = part(SlotList::new(slots))?.with_tariff(tariff);
        let mut list = part(list.with_features(features.clone()))?;
        let mut known: std::collections::BTreeMap<NodeId, Features> = features.into_iter().collect();
        let mut taken = Vec::new();
        let mut scratch = SearchScratch::new();
        for round in &case.rounds {
            for change in &round.changes {
                case.apply(&mut list, &mut taken, change)?;
                if let Change::Features(id, features) = change {
                    known.insert(NodeId(*id), features.features()?);
                }
            }
            let fresh = SlotList::new(list.iter().copied().collect())?.with_tariff(tariff);
            let fresh = fresh.with_features(known.iter().map(|(&node, of)| (node, of.clone())))?;
            ensure!(list == fresh, "the list is not what its slots are");
            judge_round(round, (&list, &fresh), &mut scratch)?;
        }
        Ok(())
    }
}

fn judge_round(round: &Round, (list, fresh): (&SlotList, &SlotList), scratch: &mut SearchScratch) -> Verdict {
    let mut request = part(ResourceRequest::new(round.n, part(Work::new(round.work))?))?;
    if let Some(budget) = round.budget {
        request = request.with_budget(part(Money::new(budget))?);
    }
    if let Some(limit) = round.price_limit {
        request = request.with_price_limit(part(Price::new(limit))?);
    }
    if let Some(speed) = round.min_speed {
        request = request.with_min_speed(part(Speed::new(speed))?);
    }
    if let Some(deadline) = round.deadline {
        request = request.with_deadline(part(Time::new(deadline))?);
    }
    let demands = round.demands.as_ref().map(DemandCase::demands).transpose()?.unwrap_or_default();
    let from = part(Time::new(round.from))?;
    let limit = Limit::default();
    let eligible = [list.eligible(&demands), fresh.eligible(&demands)];
    let queries = [
        WindowQuery::new(list, &request, from).with_eligible(&eligible[0]),
        WindowQuery::new(fresh, &request, from).with_eligible(&eligible[1]),
    ];
    ensure!(
        list.missing(&demands, round.n) == fresh.missing(&demands, round.n),
        "what is missing differs: {:?}",
        list.missing(&demands, round.n)
    );
    for &kind in SearchKind::ALL {
        let search = kind.build_with(&SearchOptions::new())?;
        let mut found = Vec::new();
        for query in &queries {
            found.push(search.find_within(query, &mut limit.meter(), scratch));
        }
        let (own, anew) = (&found[0], &found[1]);
        match (own, anew) {
            (Ok(own), Ok(anew)) => {
                ensure!(
                    own.incumbent == anew.incumbent,
                    "{kind}: {:?}, anew {:?}",
                    own.incumbent,
                    anew.incumbent
                );
                ensure!(own.end == anew.end, "{kind}: ends {}, anew {}", own.end, anew.end);
                if let Some(window) = &own.incumbent {
                    let wrong = Checker::new(fresh, search.rules()).demanded(window, &request, &demands);
                    ensure!(wrong.is_empty(), "{kind}: the checker says {}", wrong[0]);
                    ensure!(window.start() >= from, "{kind}: starts at {}", window.start());
                } else {
                    let refusals =
                        [search.refusal(&queries[0], scratch), search.refusal(&queries[1], scratch)];
                    let [own, anew] = refusals.map(|refusal| format!("{refusal:?}"));
                    ensure!(own == anew, "{kind}: refused {own}, anew {anew}");
                }
            }
            (own, anew) => {
                let [own, anew] =
                    [own, anew].map(|one| one.as_ref().map(|_| ()).map_err(ToString::to_string));
                ensure!(own == anew, "{kind}: {own:?}, anew {anew:?}");
            }
        }
    }
    judge_others(round, &queries, (list, fresh), &demands)
}

/// Searches under prices, and alternatives.
fn judge_others(
    round: &Round,
    queries: &[WindowQuery<'_>; 2],
    (list, fresh): (&SlotList, &SlotList),
    demands: &Demands,
) -> Verdict {
    let (request, from, limit) = (*queries[0].request, queries[0].from, Limit::default());
    let mut prices = Vec::new();
    for &(node, instant, price) in &round.prices {
        prices.push((NodeId(node), part(Time::new(instant))?, price));
    }
    let prices = part(NodeTimePrices::new(prices))?;
    for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
        let search = PricedSearch::new(Rules::per_window(1.0).with_holding(holding));
        let mut found = Vec::new();
        for query in queries {
            let answer = search.bounded_within(query, &prices, f64::INFINITY, &mut limit.meter());
            found.push(format!("{answer:?}"));
        }
        ensure!(found[0] == found[1], "priced {holding:?}: {}, anew {}", found[0], found[1]);
    }
    let jobs = vec![Job::new(JobId(1), request), Job::new(JobId(2), request)];
    let batch = part(Batch::new(jobs))?;
    for kind in [SearchKind::Amp, SearchKind::MinCost, SearchKind::MinFinish] {
        let all = [list, fresh].map(|slots| {
            let search = kind.build_with(&SearchOptions::new()).ok()?;
            let search = AlternativesSearch::new(search).with_demands([(JobId(1), demands.clone())]);
            let found = search.with_max_per_job(20).find(slots, &batch, from).ok()?;
            let rest: Vec<Slot> = found.rest().iter().copied().collect();
            Some((found.of(0).to_vec(), found.of(1).to_vec(), rest))
        });
        ensure!(all[0] == all[1], "{kind}: alternatives differ");
    }
    Ok(())
}
