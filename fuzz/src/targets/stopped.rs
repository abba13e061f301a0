//! Every registered search for a window, stopped: under tariffs and demands, on lists of several runs.

use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use crate::targets::demands::{Asked, Having};
use crate::targets::limits::{Left, Stops};
use crate::targets::window::{NodeCase, Numbers, RequestCase, TariffCase, draw_nodes, slot_list};
use econsched::sched_model::check::Checker;
use econsched::sched_model::{End, Limit, NodeId, Sense, Time, Window};
use econsched::slot_window::{NodeValues, Objective, SearchKind, SearchOptions, SearchScratch, WindowQuery};
use serde::{Deserialize, Serialize};

pub(crate) struct Stopped;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    search: usize,
    nodes: Vec<NodeCase>,
    having: Vec<Having>,
    asked: Asked,
    tariff: Option<TariffCase>,
    request: RequestCase,
    from: f64,
    /// Two limits of work, as parts of a million of the whole.
    parts: (u32, u32),
    /// Limits of work that are tried beside these.
    works: Vec<u64>,
    /// The number of checks of the signal after which it is set.
    questions: u64,
}

/// Work of a whole search at most.
const WHOLE: u64 = 2_000_000;

impl Case {
    fn kind(&self) -> SearchKind {
        SearchKind::ALL[self.search % SearchKind::ALL.len()]
    }

    /// The window within a limit, and that it keeps all rules.
    fn run(&self, limit: &Limit) -> Result<Option<Left>, Fault> {
        let kind = self.kind();
        let tariff = self.tariff.as_ref().map(TariffCase::tariff).transpose()?.unwrap_or_default();
        let slots = Having::listed(&self.having, slot_list(&self.nodes)?.with_tariff(tariff))?;
        let demands = self.asked.demands(0.5)?;
        let eligible = slots.eligible(&demands);
        let request = self.request.request()?;
        let from = part(Time::new(self.from))?;
        let values = part(NodeValues::new((0..).map(NodeId).zip(self.nodes.iter().map(|node| node.value))))?;
        let options =
            SearchOptions::new().with_criterion(values, Sense::Maximise).with_objective(Objective::Cost);
        let search = part(kind.build_with(&options))?;
        let query = WindowQuery::new(&slots, &request, from).with_eligible(&eligible);
        let mut meter = limit.meter();
        // The published table needs units of money, and says so where there are too many.
        let outcome = match search.find_within(&query, &mut meter, &mut SearchScratch::new()) {
            Err(_) if kind == SearchKind::MaxValueTable => return Ok(None),
            outcome => outcome?,
        };
        ensure!(outcome.work == meter.work(), "{kind}: {} units of {}", outcome.work, meter.work());
        if let Some(window) = &outcome.incumbent {
            let wrong = Checker::new(&slots, search.rules()).demanded(window, &request, &demands);
            ensure!(wrong.is_empty(), "{kind}: the checker says {} of {window:?}", wrong[0]);
            ensure!(window.start() >= from, "{kind}: starts at {} before {from}", window.start());
        }
        let of_window = |window: &Window| value(kind, window);
        let value = outcome.incumbent.as_ref().and_then(of_window).or(outcome.value.map(|value| -value));
        let bound = outcome.bound.map(|bound| -bound);
        Ok(Some(Left {
            value,
            bound: bound.filter(|_| value.is_some() || outcome.end != End::Done),
            work: outcome.work,
            end: outcome.end,
            answer: format!("{:?}", outcome.incumbent),
        }))
    }
}

/// What the search minimises; of those by value the outcome says it.
fn value(kind: SearchKind, window: &Window) -> Option<f64> {
    let name = kind.name();
    Some(match name.split("-rough").next().unwrap_or(name) {
        "alp" | "first-fit" | "min-start" | "amp" => window.start().get(),
        "min-finish" => window.finish().get(),
        "min-runtime" => window.runtime().get(),
        "min-cost" | "multiple-best" => window.cost().get(),
        _ => return None,
    })
}

impl Target for Stopped {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let numbers = if rng.percent(60) { Numbers::Exact } else { Numbers::Hostile };
        let most = *rng.pick(&[3, 8, 30, 120, 400]);
        let nodes = draw_nodes(rng, most, numbers);
        let n = rng.range(1, 6).min(nodes.len());
        let demanding = rng.percent(60);
        let share = |rng: &mut Rng| {
            let share = rng.unit();
            (1e6 * if rng.percent(50) { share * share * share } else { share }) as u32
        };
        Case {
            search: rng.below(SearchKind::ALL.len()),
            having: if demanding { Having::draw(rng, nodes.len()) } else { Vec::new() },
            asked: if demanding { Asked::draw(rng, nodes.len(), 30) } else { Asked::default() },
            tariff: rng.percent(30).then(|| TariffCase::draw(rng)),
            request: RequestCase::draw(rng, &nodes, n, numbers),
            from: *rng.pick(&[0.0, 0.0, 1.0, 2.5]),
            parts: (share(rng), share(rng)),
            works: (0..rng.below(6)).map(|_| rng.below(700) as u64).collect(),
            questions: rng.below(20) as u64,
            nodes,
        }
    }

    fn judge(case: &Case) -> Verdict {
        let kind = case.kind();
        let stops = Stops {
            what: kind.name(),
            ranked: false,
            parts: case.parts,
            questions: case.questions,
            whole: WHOLE,
        };
        stops.judge(&|limit| case.run(limit))?;
        // By small limits, in order: nothing gets worse.
        let mut works = case.works.clone();
        works.sort_unstable();
        let mut last: Option<Left> = None;
        for work in works {
            let Some(now) = case.run(&Limit::default().with_work(work))? else { continue };
            ensure!(now.work <= work, "{}: {} units of work, allowed {work}", kind.name(), now.work);
            if let Some(last) = &last {
                stops.no_worse(last, &now)?;
            }
            last = Some(now);
        }
        Ok(())
    }
}
