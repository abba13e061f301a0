//! Lists that change, against plain intervals; after every few changes searches find on them what they find on a
//! new list of the same slots.

use crate::judge::{Verdict, ensure, family, part};
use econsched::sched_model::check::{Checker, Holding, Rules};
use econsched::sched_model::{
    Batch, Features, Job, JobId, Limit, Meter, Node, NodeId, Placement, Price, Slot, SlotList, Span, Speed,
    Time, Window,
};
use econsched::slot_window::priced::{NodeTimePrices, PricedSearch};
use econsched::slot_window::{AlternativesSearch, SearchKind, SearchOptions, WindowQuery};
use econsched::testkit::{DemandsCase, Draw, FeaturesCase, NodeCase, RequestCase, TariffCase};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

family!(Lists: Case, Case::draw, Case::judge);

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    nodes: Vec<NodeCase>,
    having: Vec<FeaturesCase>,
    /// Whether identifiers are great.
    great: bool,
    tariff: Option<TariffCase>,
    rounds: Vec<Round>,
}

#[derive(Serialize, Deserialize)]
enum Change {
    /// A window that is free, from a slot on.
    Cut {
        at: usize,
        from: f64,
        spans: Vec<f64>,
    },
    /// Any window, cut or given back: `before` is subtracted from the start, which no constructor checks; node and
    /// end of each placement.
    Window {
        back: bool,
        before: f64,
        start: f64,
        places: Vec<(usize, f64)>,
    },
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
    let mut instant = || draw.below(60) as f64 * unit;
    let (from, to) = (instant(), instant());
    let at = draw.below(nodes.len());
    match draw.below(15) {
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
        12 => Change::Features(at, FeaturesCase::draw(draw)),
        _ => {
            let (start, before) = if draw.chance(5) { (-1e60, 1e60) } else { (from, 0.0) };
            let place = |_| (draw.below(nodes.len()), from + draw.between(1, 6) as f64 * unit);
            let places = [0; 3].map(place)[..draw.between(1, 3)].to_vec();
            Change::Window { back: draw.chance(40), before, start, places }
        }
    }
}

/// The free time of each node, whatever slots it is in.
#[derive(Clone, Default)]
struct Plain(BTreeMap<NodeId, Vec<(f64, f64)>>);

impl Plain {
    fn of(list: &SlotList) -> Self {
        let mut plain = Self::default();
        list.iter().for_each(|slot| plain.put(slot.node(), slot.start().get(), slot.end().get()));
        plain
    }

    fn take(&mut self, node: NodeId, from: f64, to: f64) {
        let Some(own) = self.0.get_mut(&node).filter(|_| from < to) else { return };
        let rest = |&(start, end): &(f64, f64)| [(start, end.min(from)), (start.max(to), end)];
        *own = own.iter().flat_map(rest).filter(|piece| piece.0 < piece.1).collect();
        if own.is_empty() {
            self.0.remove(&node);
        }
    }

    fn put(&mut self, node: NodeId, mut from: f64, mut to: f64) {
        let own = self.0.entry(node).or_default();
        own.retain(|&(start, end)| {
            let touches = start <= to && from <= end;
            (from, to) = if touches { (from.min(start), to.max(end)) } else { (from, to) };
            !touches
        });
        own.push((from, to));
        own.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// Whether all of this time is free, or none of it.
    fn is(&self, free: bool, node: NodeId, from: f64, to: f64) -> bool {
        let own = self.0.get(&node).into_iter().flatten();
        let mut free_here = own.map(|piece| (piece.0.max(from), piece.1.min(to))).filter(|cut| cut.0 < cut.1);
        if free { free_here.any(|cut| cut == (from, to)) } else { free_here.next().is_none() }
    }
}

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        let (hostile, many) = (draw.chance(40), draw.chance(8));
        let nodes = NodeCase::draw(draw, if many { 160 } else { 7 }, hostile);
        let unit = if hostile { 0.1 } else { 0.5 };
        let count = draw.between(1, 4);
        let round = |_| {
            let n = draw.between(1, if many { 12 } else { 4 }).min(nodes.len());
            let mut instant = |chance: usize| draw.chance(chance).then(|| draw.below(60) as f64 * unit);
            let (from, starts) = (instant(40).unwrap_or(0.0), (instant(10), instant(10)));
            let demanding = draw.chance(60);
            let none = DemandsCase::default();
            let price = |draw: &mut Draw| (draw.below(60) as f64 * unit, draw.below(99) as f64 / 10.0);
            Round {
                changes: (0..draw.below(if many { 40 } else { 8 }))
                    .map(|_| change(draw, &nodes, unit))
                    .collect(),
                request: RequestCase::draw(draw, &nodes, n, hostile),
                from,
                asked: if demanding { DemandsCase::draw(draw, nodes.len(), 30) } else { none },
                starts: if demanding { starts } else { (None, None) },
                prices: (0..draw.below(5))
                    .map(|_| (draw.below(nodes.len()), price(draw)))
                    .map(|(node, (at, price))| (node, at, price))
                    .collect(),
            }
        };
        let rounds = (0..count).map(round).collect();
        let having = nodes.iter().map(|_| FeaturesCase::draw(draw)).collect();
        let tariff = draw.chance(40).then(|| TariffCase::draw(draw));
        Self { having, great: draw.chance(10), tariff, rounds, nodes }
    }

    fn id(&self, at: usize) -> NodeId {
        NodeId(if self.great { u32::MAX - 7 * at as u32 } else { at as u32 })
    }

    fn node(&self, at: usize) -> Verdict<Node> {
        let node = &self.nodes[at % self.nodes.len()];
        Ok(Node::new(self.id(at), part(Speed::new(node.speed))?, part(Price::new(node.price))?))
    }

    /// The window of a change; none where it cannot be made.
    fn window(&self, list: &SlotList, change: &Change) -> Verdict<Option<Window>> {
        let time = |at: f64| part(Time::new(at));
        let (mut placements, start);
        match change {
            Change::Cut { at, from, spans } => {
                let Some(first) = list.iter().nth(at % list.len().max(1)) else { return Ok(None) };
                start = first.start().max(time(*from)?);
                placements = Vec::new();
                let free = list.iter().filter(|slot| slot.start() <= start && start < slot.end());
                for (slot, &span) in free.zip(spans) {
                    let span = part(Span::new(span))?.min(slot.end() - start);
                    placements.push(list.placement(slot, start, span));
                }
            }
            Change::Window { before, start: from, places, .. } => {
                start = time(*from)? - part(Span::new(*before))?;
                placements = Vec::new();
                for &(at, end) in places {
                    let end = time(end)?;
                    let Ok(slot) = Slot::new(self.node(at)?, start, end) else { return Ok(None) };
                    placements.push(Placement::on(&slot, start, end - start));
                }
            }
            _ => return Ok(None),
        }
        Ok(Window::new(start, placements).ok())
    }

    /// Makes a change; the pieces that it took, or put back, if it was allowed.
    fn apply(&self, list: &mut SlotList, taken: &mut Vec<Window>, change: &Change) -> Verdict<Made> {
        let time = |at: f64| part(Time::new(at));
        let of_window = |window: &Window, from: Time| {
            let pieces = window.placements().iter().map(|held| (held.node, from, held.end));
            pieces.filter(|piece| piece.1 < piece.2).collect::<Vec<_>>()
        };
        let of_slots =
            |slots: Vec<Slot>| slots.iter().map(|slot| (slot.node(), slot.start(), slot.end())).collect();
        let (pieces, put, done) = match change {
            Change::Cut { .. } | Change::Window { .. } => {
                let Some(window) = self.window(list, change)? else { return Ok(None) };
                let back = matches!(change, Change::Window { back: true, .. });
                let done = if back { list.give_back(&window) } else { list.cut(&window) }.is_ok();
                let pieces = of_window(&window, window.start());
                if let (Change::Cut { .. }, true) = (change, done) {
                    taken.push(window);
                }
                (pieces, back, done)
            }
            Change::GiveBackRest(which, now) if !taken.is_empty() => {
                let window = taken.swap_remove(which % taken.len());
                let now = time(*now)?;
                let done = list.give_back_rest(&window, now).is_ok();
                (of_window(&window, window.start().max(now)), true, done)
            }
            Change::Lengthen(which, more) if !taken.is_empty() => {
                let which = which % taken.len();
                let held = taken[which].placements()[0];
                let until = held.end + part(Span::new(*more))?;
                let longer = list.lengthen(&taken[which], held.node, until);
                let done = longer.map(|longer| taken[which] = longer).is_ok();
                (vec![(held.node, held.end, until)], false, done)
            }
            Change::GiveBackRest(..) | Change::Lengthen(..) => return Ok(None),
            Change::Block(at, from, to) => {
                (of_slots(list.block(self.id(*at), time(*from)?, time(*to)?)), false, true)
            }
            Change::Free(at, from, to) => {
                let (from, to) = (time(*from)?, time(*to)?);
                let done = list.free(self.node(*at)?, from, to).is_ok();
                (vec![(self.id(*at), from, to)], true, done)
            }
            Change::Remove(at) => (of_slots(list.remove_node(self.id(*at))), false, true),
            Change::Reprice(at, price, from) => {
                list.reprice(self.id(*at), part(Price::new(*price))?, time(*from)?);
                (Vec::new(), false, true)
            }
            Change::Advance(now) => {
                let now = time(*now)?;
                let gone = list.iter().map(|slot| (slot.node(), slot.start(), slot.end().min(now)));
                let gone = gone.filter(|piece| piece.1 < piece.2).collect();
                list.advance(now);
                (gone, false, true)
            }
            Change::Extend(ids, from, to) => {
                let nodes = ids.iter().map(|&at| self.node(at)).collect::<Verdict<Vec<_>>>()?;
                let (from, to) = (time(*from)?, time(*to)?);
                let done = list.extend(&nodes, from, to).is_ok();
                (nodes.iter().map(|node| (node.id, from, to)).collect(), true, done)
            }
            Change::Features(at, features) => {
                list.set_features(self.id(*at), features.features()?);
                (Vec::new(), false, true)
            }
        };
        Ok(done.then_some((pieces, put)))
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
        let listed = |slots: Vec<Slot>, features: &BTreeMap<NodeId, Features>| -> Verdict<SlotList> {
            let features = features.iter().map(|(&node, of)| (node, of.clone()));
            Ok(SlotList::new(slots)?.with_tariff(tariff).with_features(features)?)
        };
        let mut list = listed(slots, &features)?;
        let (mut taken, mut meter, mut plain) = (Vec::new(), Limit::default().meter(), Plain::of(&list));
        for round in &self.rounds {
            for change in &round.changes {
                let before = list.clone();
                match self.apply(&mut list, &mut taken, change)? {
                    None => ensure!(list == before, "a refused change changed the list"),
                    Some((pieces, put)) => {
                        for (node, from, to) in pieces {
                            let (from, to) = (from.get(), to.get());
                            let right = plain.is(!put, node, from, to);
                            ensure!(right, "put {put}: {from} to {to} on node {node}, which is not so");
                            if put { plain.put(node, from, to) } else { plain.take(node, from, to) }
                        }
                    }
                }
                let found = Plain::of(&list).0;
                ensure!(found == plain.0, "free are {found:?}, should be {:?}", plain.0);
                if let Change::Features(at, of) = change {
                    features.insert(self.id(*at), of.features()?);
                }
            }
            let fresh = listed(list.iter().copied().collect(), &features)?;
            ensure!(list == fresh && list.len() == fresh.len(), "the list is not what its slots are");
            self.searches(round, [&list, &fresh], &mut meter)?;
        }
        Ok(())
    }

    fn searches(&self, round: &Round, lists: [&SlotList; 2], meter: &mut Meter) -> Verdict {
        let (request, from) = (round.request.request()?, part(Time::new(round.from))?);
        let mut demands = round.asked.demands(0.5)?;
        if let Some(at) = round.starts.0 {
            demands = demands.with_not_before(part(Time::new(at))?);
        }
        if let Some(at) = round.starts.1 {
            demands = demands.with_start(part(Time::new(at))?);
        }
        let eligible = lists.map(|slots| slots.eligible(&demands));
        let queries = [0, 1]
            .map(|at| WindowQuery::new(lists[at], &request).with_from(from).with_eligible(&eligible[at]));
        let missing = lists.map(|slots| slots.missing(&demands, round.request.n));
        ensure!(missing[0] == missing[1], "missing {missing:?}");
        for &kind in SearchKind::ALL {
            let search = kind.build_with(&SearchOptions::new())?;
            let [own, anew] = queries.each_ref().map(|query| {
                meter.restart();
                let found = search.solve(query, meter);
                let found = found.map(|found| (found.best, found.end));
                let none = !matches!(found, Ok((Some(_), _)));
                let refusal = none.then(|| search.refusal(query, &mut Limit::without_limit().meter()));
                (format!("{found:?} {refusal:?}"), found.ok().and_then(|found| found.0))
            });
            ensure!(own.0 == anew.0, "{kind}: {}, anew {}", own.0, anew.0);
            if let Some(window) = own.1 {
                let wrong = Checker::new(lists[1], search.rules()).demanded(&window, &request, &demands);
                ensure!(wrong.is_empty() && window.start() >= from, "{kind}: {window}: {wrong:?}");
            }
        }
        let mut prices = Vec::new();
        for &(node, at, price) in &round.prices {
            prices.push((self.id(node), part(Time::new(at))?, price));
        }
        let prices = part(NodeTimePrices::new(prices))?;
        for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
            let search = PricedSearch::new(Rules::per_window(1.0).with_holding(holding));
            let [own, anew] = queries.each_ref().map(|query| {
                format!(
                    "{:?}",
                    search.bounded_within(query, &prices, f64::INFINITY, &mut Limit::default().meter())
                )
            });
            ensure!(own == anew, "priced: {own}, anew {anew}");
        }
        let batch = Batch::new([1, 2].map(|id| Job::new(JobId(id), request)).to_vec())?;
        for kind in [SearchKind::Amp, SearchKind::MinCost, SearchKind::MinFinish] {
            let search = AlternativesSearch::new(kind.build()).with_demands([(JobId(1), demands.clone())]);
            let search = search.with_max_per_job(20);
            let [own, anew] = lists.map(|slots| {
                let found = search.find(slots, &batch, from).ok()?;
                let rest: Vec<Slot> = found.rest().iter().copied().collect();
                Some((found.of(0).to_vec(), found.of(1).to_vec(), rest))
            });
            ensure!(own == anew, "{kind}: alternatives {own:?}, anew {anew:?}");
        }
        Ok(())
    }
}

/// What a change took (or put back, if so): node, from, to.
type Made = Option<(Vec<(NodeId, Time, Time)>, bool)>;
