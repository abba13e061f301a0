//! The exact search and the published scheme on inputs that the slides do not have: what is said of them on
//! the slides' environments is no promise for others.

use super::algorithms::{max_q, measure, request, table};
use super::{COST, Q};
use crate::data::Data;
use crate::report::{Cell, StudyReport, Table};
use crate::stats::share;
use crate::{Failure, Replicates, StudyError};
use econsched::sched_model::{Limit, Money, ResourceRequest, SlotList, Window};
use econsched::slot_window::{FirstFit, Objective, Optimal, WindowQuery, WindowSearch};
use econsched::workload_gen::environment::{Environment, EnvironmentGenerator};
use econsched::workload_gen::sample::stream;

/// 100 nodes of the slides, and what is changed.
const INPUTS: [&str; 4] = [
    "as in the slides",
    "q is the price of the node",
    "q is 5 on every node",
    "the budget is the cost of the cheapest window",
];
const SLIDES: usize = 0;
const PRICED: usize = 1;
const ALIKE: usize = 2;
const TIGHT: usize = 3;

/// On one input: steps of First Fit, of the exact search and of the published scheme, then Q of the last two,
/// NaN where there is no window.
const Q_BEST: usize = 3;
const Q_CHOSEN: usize = 4;
const WIDTH: usize = 5;

/// Changes an environment and its request as the input says.
fn change(
    input: usize,
    environment: &mut Environment,
    slots: &SlotList,
    request: ResourceRequest,
) -> Result<ResourceRequest, Failure> {
    match input {
        PRICED => environment.values = environment.nodes.iter().map(|node| node.price.get()).collect(),
        ALIKE => environment.values.fill(5.0),
        TIGHT => {
            let cheapest = Optimal::new(Objective::Cost);
            if let Some(window) = cheapest.find(&WindowQuery::new(slots, &request))?.best {
                let cost = measure(&window, &environment.values)[COST];
                return Ok(request.with_budget(Money::new(cost)?));
            }
        }
        _ => debug_assert_eq!(input, SLIDES),
    }
    Ok(request)
}

fn see(input: usize, seed: u64, replicate: u64) -> Result<[f64; WIDTH], Failure> {
    let mut environment = EnvironmentGenerator::default().generate(&mut stream(seed, replicate))?;
    let slots = environment.slots()?;
    let request = change(input, &mut environment, &slots, request(7)?)?;
    let found = |search: &dyn WindowSearch| -> Result<(f64, Option<Window>), Failure> {
        let query = WindowQuery::new(&slots, &request);
        let outcome = search.solve(&query, &mut Limit::none().meter())?;
        Ok((outcome.work as f64, outcome.best))
    };
    let (first, _) = found(&FirstFit::new())?;
    let (exact, best) = found(&max_q(&environment)?)?;
    let (cells, chosen) = found(&table(&environment)?)?;
    let q =
        |window: &Option<Window>| window.as_ref().map_or(f64::NAN, |at| measure(at, &environment.values)[Q]);
    Ok([first, exact, cells, q(&best), q(&chosen)])
}

/// Over the environments, each input in turn.
pub(super) struct Others(Data);

impl Others {
    /// On as many of the first environments as steps are counted on.
    pub(super) fn run(seed: u64, count: u64, replicates: &Replicates) -> Result<Self, StudyError> {
        let one = |replicate| {
            let seen = (0..INPUTS.len()).map(|input| see(input, seed, replicate));
            Ok(seen.collect::<Result<Vec<_>, Failure>>()?.concat())
        };
        replicates.run("other inputs", count, INPUTS.len() * WIDTH, one).map(Self)
    }

    pub(super) fn describe(&self, report: &mut StudyReport) {
        let mut table = Table::new(
            "other_inputs",
            "Other inputs, 100 nodes: steps, and how often the published scheme finds a window as good as the exact search",
            &[
                "input",
                "First Fit",
                "Max Q, exact",
                "Max Q, table",
                "exact over First Fit",
                "table over First Fit",
                "a window exists, %",
                "table finds one, % of these",
                "table as good, % of these",
            ],
        );
        for (input, name) in INPUTS.into_iter().enumerate() {
            let at = |column: usize| input * WIDTH + column;
            let mean = |column: usize| Cell::Number(self.0.moments(at(column)).mean(), 0);
            let over_first = |column: usize| self.0.ratio(at(column), at(0)).estimate();
            let count = |is_so: &dyn Fn(f64, f64) -> bool| {
                self.0.count(|row| Some(is_so(row[at(Q_BEST)], row[at(Q_CHOSEN)])))
            };
            let (exist, all) = count(&|best, _| best.is_finite());
            let (found, _) = count(&|_, chosen| chosen.is_finite());
            let (good, _) = count(&is_as_good);
            table.push(vec![
                name.into(),
                mean(0),
                mean(1),
                mean(2),
                Cell::Estimate(over_first(1), 1),
                Cell::Estimate(over_first(2), 0),
                Cell::Number(100.0 * exist as f64 / all as f64, 0),
                Cell::Estimate(share(found, exist), 0),
                Cell::Estimate(share(good, exist), 0),
            ]);
        }
        report.table(table);
    }
}

/// Whether a scheme that chose a window of this Q, NaN for none, did as well as the best. Sums of the same
/// values in another order differ by rounding.
pub(super) fn is_as_good(best: f64, chosen: f64) -> bool {
    chosen >= best - 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is exact is no worse on any input, and a window that the table misses is not as good.
    #[test]
    fn the_exact_search_is_best_on_every_input() {
        let mut missed = 0;
        for replicate in 0..2 {
            for input in [SLIDES, PRICED, ALIKE, TIGHT] {
                let row @ [.., best, chosen] = see(input, 7, replicate).unwrap();
                assert!(row[..Q_BEST].iter().all(|&steps| steps > 0.0), "{row:?}");
                assert!(best.is_finite(), "{input}: no window");
                assert!(!(chosen > best + 1e-9), "{input}: {chosen} above {best}");
                missed += u64::from(input == TIGHT && chosen.is_nan());
            }
        }
        assert!(missed > 0, "costs rounded up are above a budget that is met to the last bit");
        assert!(!is_as_good(1.0, f64::NAN) && is_as_good(1.0, 1.0) && !is_as_good(1.0, 0.9));
    }
}
