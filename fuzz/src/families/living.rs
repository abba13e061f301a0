//! Searches on a list that changes: after every few changes they find what they find on a new list of the same
//! slots.

use crate::family::{Judged, Verdict, Wrong, ensure, part, seen};
use econsched::sched_model::check::{Checker, Holding, Rules};
use econsched::sched_model::{
    Batch, Demands, Features, Job, JobId, Limit, Node, NodeId, Price, Slot, SlotList, Span, Speed, Time,
    Window,
};
use econsched::slot_window::priced::{NodeTimePrices, PricedSearch};
use econsched::slot_window::{AlternativesSearch, SearchKind, SearchOptions, SearchScratch, WindowQuery};
use econsched::testkit::{DemandsCase, Draw, Family, FeaturesCase, NodeCase, RequestCase, TariffCase};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct LivingLists;

#[derive(Serialize, Deserialize)]
pub(super) struct Case {
    nodes: Vec<NodeCase>,
    having: Vec<FeaturesCase>,
    /// Whether identifiers are great.
    great: bool,
    tariff: Option<TariffCase>,
    rounds: Vec<Round>,
}

#[derive(Serialize, Deserialize)]
enum Change {
    Cut { at: usize, from: f64, spans: Vec<f64> },
    GiveBackRest(usize, f64),
    Lengthen(usize, f64),
    Block(usize, f64, f64),
    Free(usize, f64, f64),
    Remove(usize),
    Reprice(usize, f64, f64),
    Advance(f64),
    Extend(Vec<usize>, f64, f64),
    Features(usize, FeaturesCase),
}

#[derive(Serialize, Deserialize)]
struct Round {
    changes: Vec<Change>,
    request: RequestCase,
    from: f64,
    asked: DemandsCase,
    /// The earliest start that is demanded, and the only one.
    starts: (Option<f64>, Option<f64>),
    /// (node, instant, price).
    prices: Vec<(usize, f64, f64)>,
}

fn change(draw: &mut Draw, nodes: &[NodeCase], unit: f64) -> Change {
    let (at, from, to) =
        (draw.below(nodes.len()), draw.below(60) as f64 * unit, draw.below(60) as f64 * unit);
    match draw.below(13) {
        0..=3 => {
            let spans = (0..draw.between(1, 4)).map(|_| draw.between(1, 9) as f64 * unit).collect();
            Change::Cut { at: draw.below(1000), from, spans }
        }
        4 => Change::GiveBackRest(draw.below(50), from),
        5 => Change::Lengthen(draw.below(50), unit * draw.between(1, 6) as f64),
        6 => Change::Block(at, from, to),
        7 => Change::Free(at, from, to),
        8 => Change::Remove(at),
        9 => Change::Reprice(at, nodes[draw.below(nodes.len())].price + f64::from(draw.chance(50)), from),
        10 => Change::Advance(draw.below(12) as f64 * unit),
        11 => {
            let ids = (0..draw.between(1, 3)).map(|_| draw.below(nodes.len())).collect();
            Change::Extend(ids, from, to + 10.0)
        }
        _ => Change::Features(at, FeaturesCase::draw(draw)),
    }
}

impl Family for LivingLists {
    type Case = Case;

    fn draw(draw: &mut Draw) -> Case {
        let hostile = draw.chance(40);
        let many = draw.chance(8);
        let nodes = NodeCase::draw(draw, if many { 160 } else { 7 }, hostile);
        let unit = if hostile { 0.1 } else { 0.5 };
        let count = draw.between(1, 4);
        let round = |_| {
            let n = draw.between(1, if many { 12 } else { 4 }).min(nodes.len());
            let mut instant = |chance: usize| draw.chance(chance).then(|| draw.below(60) as f64 * unit);
            let (from, starts) = (instant(40).unwrap_or(0.0), (instant(10), instant(10)));
            let demanding = draw.chance(60);
            Round {
                changes: (0..draw.below(if many { 40 } else { 8 }))
                    .map(|_| change(draw, &nodes, unit))
                    .collect(),
                request: RequestCase::draw(draw, &nodes, n, hostile),
                from,
                asked: if demanding {
                    DemandsCase::draw(draw, nodes.len(), 30)
                } else {
                    DemandsCase::default()
                },
                starts: if demanding { starts } else { (None, None) },
                prices: (0..draw.below(5))
                    .map(|_| {
                        (draw.below(nodes.len()), draw.below(60) as f64 * unit, draw.below(99) as f64 / 10.0)
                    })
                    .collect(),
            }
        };
        let rounds = (0..count).map(round).collect();
        let having = nodes.iter().map(|_| FeaturesCase::draw(draw)).collect();
        let tariff = draw.chance(40).then(|| TariffCase::draw(draw));
        Case { having, great: draw.chance(10), tariff, rounds, nodes }
    }

    fn judge(&self, case: &Case) -> Judged {
        seen(case.judge())
    }
}

impl Case {
    fn id(&self, at: usize) -> NodeId {
        NodeId(if self.great { u32::MAX - 7 * at as u32 } else { at as u32 })
    }

    fn node(&self, at: usize) -> Result<Node, Wrong> {
        let node = &self.nodes[at % self.nodes.len()];
        Ok(Node::new(self.id(at), part(Speed::new(node.speed))?, part(Price::new(node.price))?))
    }

    /// That errors leave the list unchanged is judged by another family.
    fn apply(&self, list: &mut SlotList, taken: &mut Vec<Window>, change: &Change) -> Verdict {
        let time = |at: f64| part(Time::new(at));
        match change {
            Change::Cut { at, from, spans } => {
                let Some(first) = list.iter().nth(at % list.len().max(1)).copied() else { return Ok(()) };
                let start = first.start().max(time(*from)?);
                let mut placements = Vec::new();
                let free = list.iter().filter(|slot| slot.start() <= start && start < slot.end());
                for (slot, &span) in free.zip(spans) {
                    placements.push(list.placement(
                        slot,
                        start,
                        part(Span::new(span))?.min(slot.end() - start),
                    ));
                }
                let window = Window::new(start, placements);
                taken.extend(window.ok().filter(|window| list.cut(window).is_ok()));
            }
            Change::GiveBackRest(which, now) if !taken.is_empty() => {
                let window = taken.swap_remove(which % taken.len());
                let _ = list.give_back_rest(&window, time(*now)?);
            }
            Change::Lengthen(which, more) if !taken.is_empty() => {
                let which = which % taken.len();
                let placement = taken[which].placements()[0];
                let until = placement.end + part(Span::new(*more))?;
                if let Ok(longer) = list.lengthen(&taken[which], placement.node, until) {
                    taken[which] = longer;
                }
            }
            Change::GiveBackRest(..) | Change::Lengthen(..) => {}
            Change::Block(at, from, to) => drop(list.block(self.id(*at), time(*from)?, time(*to)?)),
            Change::Free(at, from, to) => drop(list.free(self.node(*at)?, time(*from)?, time(*to)?)),
            Change::Remove(at) => drop(list.remove_node(self.id(*at))),
            Change::Reprice(at, price, from) => {
                list.reprice(self.id(*at), part(Price::new(*price))?, time(*from)?);
            }
            Change::Advance(now) => list.advance(time(*now)?),
            Change::Extend(ids, from, to) => {
                let nodes = ids.iter().map(|&at| self.node(at)).collect::<Result<Vec<_>, Wrong>>()?;
                let _ = list.extend(&nodes, time(*from)?, time(*to)?);
            }
            Change::Features(at, features) => list.set_features(self.id(*at), features.features()?),
        }
        Ok(())
    }

    fn judge(&self) -> Verdict {
        let (mut slots, mut features) = (Vec::new(), BTreeMap::<NodeId, Features>::new());
        for (at, node) in self.nodes.iter().enumerate() {
            for &(start, end) in &node.free {
                slots.push(part(Slot::new(self.node(at)?, part(Time::new(start))?, part(Time::new(end))?))?);
            }
            features.insert(self.id(at), self.having[at].features()?);
        }
        let tariff = self.tariff.as_ref().map(TariffCase::tariff).transpose()?.unwrap_or_default();
        let listed = |slots: Vec<Slot>, features: &BTreeMap<NodeId, Features>| {
            let features = features.iter().map(|(&node, of)| (node, of.clone()));
            Ok::<_, Wrong>(SlotList::new(slots)?.with_tariff(tariff).with_features(features)?)
        };
        let mut list = listed(slots, &features)?;
        let (mut taken, mut scratch) = (Vec::new(), SearchScratch::new());
        for round in &self.rounds {
            for change in &round.changes {
                self.apply(&mut list, &mut taken, change)?;
                if let Change::Features(at, of) = change {
                    features.insert(self.id(*at), of.features()?);
                }
            }
            let fresh = listed(list.iter().copied().collect(), &features)?;
            ensure!(list == fresh, "the list is not what its slots are");
            self.searches(round, (&list, &fresh), &mut scratch)?;
        }
        Ok(())
    }

    fn searches(
        &self,
        round: &Round,
        (list, fresh): (&SlotList, &SlotList),
        scratch: &mut SearchScratch,
    ) -> Verdict {
        let (request, from) = (round.request.request()?, part(Time::new(round.from))?);
        let mut demands = round.asked.demands(0.5)?;
        for (at, only) in [(round.starts.0, false), (round.starts.1, true)] {
            let Some(at) = at else { continue };
            let at = part(Time::new(at))?;
            demands = if only { demands.with_start(at) } else { demands.with_not_before(at) };
        }
        let limit = Limit::default();
        let eligible = [list.eligible(&demands), fresh.eligible(&demands)];
        let queries = [
            WindowQuery::new(list, &request, from).with_eligible(&eligible[0]),
            WindowQuery::new(fresh, &request, from).with_eligible(&eligible[1]),
        ];
        let missing = [list, fresh].map(|slots| slots.missing(&demands, round.request.n));
        ensure!(missing[0] == missing[1], "missing {missing:?}");
        for &kind in SearchKind::ALL {
            let search = kind.build_with(&SearchOptions::new())?;
            let mut told =
                |query: &WindowQuery<'_>| match search.find_within(query, &mut limit.meter(), scratch) {
                    Ok(found) if found.incumbent.is_some() => {
                        (format!("{:?}, {}", found.incumbent, found.end), found.incumbent)
                    }
                    Ok(_) => (format!("refused {:?}", search.refusal(query, scratch)), None),
                    Err(error) => (error.to_string(), None),
                };
            let [(own, window), (anew, _)] = [told(&queries[0]), told(&queries[1])];
            ensure!(own == anew, "{kind}: {own}, anew {anew}");
            if let Some(window) = window {
                let wrong = Checker::new(fresh, search.rules()).demanded(&window, &request, &demands);
                ensure!(wrong.is_empty() && window.start() >= from, "{kind}: {window}: {wrong:?}");
            }
        }
        let price = |&(node, at, price): &(usize, f64, f64)| {
            Ok::<_, Wrong>((self.id(node), part(Time::new(at))?, price))
        };
        let prices = round.prices.iter().map(price).collect::<Result<Vec<_>, Wrong>>()?;
        let prices = part(NodeTimePrices::new(prices))?;
        for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
            let search = PricedSearch::new(Rules::per_window(1.0).with_holding(holding));
            let [own, anew] = [&queries[0], &queries[1]].map(|query| {
                format!("{:?}", search.bounded_within(query, &prices, f64::INFINITY, &mut limit.meter()))
            });
            ensure!(own == anew, "priced: {own}, anew {anew}");
        }
        let batch = Batch::new([1, 2].map(|id| Job::new(JobId(id), request)).to_vec())?;
        for kind in [SearchKind::Amp, SearchKind::MinCost, SearchKind::MinFinish] {
            let [own, anew] = [list, fresh].map(|slots| alternatives(kind, (slots, &batch, from), &demands));
            ensure!(own == anew, "{kind}: alternatives {own:?}, anew {anew:?}");
        }
        Ok(())
    }
}

/// The windows of two jobs, and what is left.
fn alternatives(
    kind: SearchKind,
    (slots, batch, from): (&SlotList, &Batch, Time),
    demands: &Demands,
) -> Option<(Vec<Window>, Vec<Window>, Vec<Slot>)> {
    let search = kind.build_with(&SearchOptions::new()).ok()?;
    let search = AlternativesSearch::new(search).with_demands([(JobId(1), demands.clone())]);
    let found = search.with_max_per_job(20).find(slots, batch, from).ok()?;
    Some((found.of(0).to_vec(), found.of(1).to_vec(), found.rest().iter().copied().collect()))
}
