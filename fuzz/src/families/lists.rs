//! After every few changes of a list searches find on it what they find on a new list of the same slots.

use super::living::{Case, Round};
use crate::judge::{Verdict, ensure, family, part};
use econsched::sched_model::check::{Checker, Holding, Rules};
use econsched::sched_model::{Batch, Demands, Job, JobId, Limit, Slot, SlotList};
use econsched::slot_window::priced::{NodeTimePrices, PricedQuery};
use econsched::slot_window::{AlternativesSearch, SearchKind, SearchOptions, WindowError, WindowQuery};

family!(Lists: Case, Case::draw, |case: &Case| case.judge(&mut searches));

fn searches(round: &Round, lists: [&SlotList; 2]) -> Verdict {
    let mut meter = Limit::default().meter();
    let (request, from) = (&round.request, round.from);
    let plain = request.clone().with_demands(Demands::default());
    let queries = lists.map(|slots| WindowQuery::new(slots, request).with_from(from));
    let missing = lists.map(|slots| slots.missing(request.demands(), request.nodes()));
    ensure!(missing[0] == missing[1], "missing {missing:?}");
    for &kind in SearchKind::ALL {
        let search = kind.build_with(&SearchOptions::default())?;
        let [own, anew] = queries.each_ref().map(|query| {
            meter.restart();
            let found = search.solve(query, &mut meter);
            let found = found.map(|found| (found.best, found.end));
            let none = !matches!(found, Ok((Some(_), _)));
            let refusal = none.then(|| search.refusal(query, &mut Limit::none().meter()));
            (format!("{found:?} {refusal:?}"), found.ok().and_then(|found| found.0))
        });
        ensure!(own.0 == anew.0, "{kind}: {}, anew {}", own.0, anew.0);
        if let Some(window) = own.1 {
            let wrong = Checker::new(lists[1], search.rules()).window(&window, request);
            ensure!(wrong.is_empty() && window.start() >= from, "{kind}: {window}: {wrong:?}");
        }
    }
    let prices = part(NodeTimePrices::new(round.prices.iter().copied()))?;
    for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
        let rules = Rules::per_window(1.0).with_holding(holding);
        let [own, anew] = queries.each_ref().map(|query| {
            let query = PricedQuery::new(rules, query)?;
            let answer = query.best([0.0; 3], &prices, f64::INFINITY, &mut Limit::default().meter())?;
            Ok::<_, WindowError>(format!("{answer:?}"))
        });
        ensure!(own == anew, "priced: {own:?}, anew {anew:?}");
    }
    let batch = Batch::new(vec![Job::new(JobId(1), request.clone()), Job::new(JobId(2), plain)])?;
    for kind in [SearchKind::Amp, SearchKind::MinCost, SearchKind::MinFinish] {
        let search = AlternativesSearch::new(kind.build()).with_max_per_job(20);
        let [own, anew] = lists.map(|slots| {
            let found = search.find(slots, &batch, from).ok()?;
            let rest: Vec<Slot> = found.rest.iter().copied().collect();
            Some((found.jobs[0].windows.to_vec(), found.jobs[1].windows.to_vec(), rest))
        });
        ensure!(own == anew, "{kind}: alternatives {own:?}, anew {anew:?}");
    }
    Ok(())
}
