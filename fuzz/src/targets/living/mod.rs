//! Searches on a list that changes: after every few changes they find what they find on a new list of the
//! same slots.

mod case;

use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use crate::targets::window::TariffCase;
use case::{Case, Change, DemandCase, Round};
use econsched::sched_model::check::{Checker, Holding, Rules};
use econsched::sched_model::{
    Batch, Demands, Features, Job, JobId, Limit, Money, Node, NodeId, Price, ResourceRequest, Slot, SlotList,
    Span, Speed, Time, Window, Work,
};
use econsched::slot_window::priced::{NodeTimePrices, PricedSearch};
use econsched::slot_window::{AlternativesSearch, SearchKind, SearchOptions, SearchScratch, WindowQuery};

pub(crate) struct Living;

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
        }
        Ok(())
    }
}

impl Target for Living {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        Case::draw(rng)
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
