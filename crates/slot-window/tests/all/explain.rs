//! Explanations: a suggested change gives a window, and one that is a representable step smaller gives none; every
//! change that would help is suggested.

use crate::less::one_step_less;
use crate::session::played;
use crate::slot;
use econsched::testkit::{SearchCase, beside, drawn, oracle};
use sched_model::check::Rules;
use sched_model::internal::{MAX_QUANTITY, MIN_SPEED};
use sched_model::*;
use serde::Deserialize;
use slot_window::explain::{Suggestion, earliest_start, explain};
use slot_window::{SearchKind, WindowError, WindowQuery, WindowSearch};

/// A list of a few nodes, a request and the earliest start; half of the numbers make no sum exact.
fn cases(count: usize, judge: impl Fn(&SlotList, &ResourceRequest, Time)) {
    drawn(count, |draw| {
        let mut case = SearchCase::draw(draw);
        case.nodes.truncate(6);
        let most = case.request.nodes().min(3);
        judge(&case.slots().unwrap(), &case.request.with_nodes(most).unwrap(), case.from);
    });
}

fn is_allowed(slots: &SlotList, request: &ResourceRequest, from: Time, rules: Rules) -> bool {
    !oracle::windows(slots, request, from, rules).is_empty()
}

#[test]
fn each_suggestion_does_and_one_step_less_does_not() {
    cases(500, |slots, request, from| {
        for &kind in SearchKind::ALL {
            let search = kind.build();
            let query = WindowQuery::new(slots, request).with_from(from);
            let all = oracle::windows(slots, request, from, search.rules());
            assert_eq!(earliest_start(&*search, &query), Ok(all.iter().map(Window::start).min()), "{kind}");
            // The table counts money in units, and returns an error if there are too many.
            let (Ok(found), Ok(why)) = (search.find(&query), explain(&*search, &query)) else {
                assert_eq!(kind, SearchKind::MaxValueTable);
                continue;
            };
            assert_eq!(found.best.is_some(), why.is_none(), "{kind}");
            let Some(why) = why else { continue };
            let counts = why.nodes;
            let (of_price, of_time) = (counts.over_price + counts.over_budget, counts.short + counts.late);
            let causes = counts.missing + counts.slow + of_price + of_time + counts.other;
            assert_eq!(causes + counts.usable, counts.all);
            for suggestion in &why.suggestions {
                let finds = |change: &Suggestion| {
                    let (request, slots) = change.apply(request, slots, from).unwrap();
                    search.find(&WindowQuery::new(&slots, &request).with_from(from)).unwrap().best.is_some()
                };
                assert!(finds(suggestion), "{kind}: {suggestion:?}");
                if let Some(less) = one_step_less(suggestion) {
                    assert!(!finds(&less), "{kind}: {less:?}");
                }
            }
            // If there is a window without a limit, the limit is among the suggestions.
            let most = MAX_QUANTITY;
            let rules = search.rules();
            let lifted = [
                (Suggestion::Budget(Money::must(most)), rules.budget(request).is_some()),
                (Suggestion::Deadline(Time::must(most)), request.deadline.is_some()),
                (Suggestion::Nodes(1), request.nodes() > 1),
                (Suggestion::MinSpeed(Speed::must(MIN_SPEED)), true),
                (
                    Suggestion::PriceLimit(Price::must(most)),
                    rules.slot_price && request.price_limit.is_some(),
                ),
            ];
            for (change, is_set) in lifted {
                let is_same =
                    |one: &Suggestion| std::mem::discriminant(one) == std::mem::discriminant(&change);
                let is_listed = why.suggestions.iter().any(is_same);
                let (request, changed) = change.apply(request, slots, from).unwrap();
                let helps = is_set && is_allowed(&changed, &request, from, rules);
                // The table counts charges in whole units, rounded up, and may miss a window.
                let is_missed = kind == SearchKind::MaxValueTable && !is_listed;
                assert!(is_listed == helps || is_missed, "{kind}: {change:?} {is_listed}");
            }
        }
    });
}

/// The reason given for a missing window is true, and so is the amount in it.
#[test]
fn the_reason_is_the_limit_that_stands_in_the_way() {
    cases(2000, |slots, request, from| {
        let request = &request.clone().with_demands(Demands::default());
        for search in [SearchKind::Alp, SearchKind::Amp, SearchKind::MinCost].map(|kind| kind.build()) {
            let (query, rules) = (WindowQuery::new(slots, request).with_from(from), search.rules());
            if search.find(&query).unwrap().best.is_some() {
                continue;
            }
            let exist = |nodes, price_limit, deadline, budget| {
                let mut request = request.clone().with_nodes(nodes).unwrap();
                (request.price_limit, request.deadline, request.budget) = (price_limit, deadline, budget);
                is_allowed(slots, &request, from, rules)
            };
            let (nodes, price) = (request.nodes(), request.price_limit.filter(|_| rules.slot_price));
            match search.refusal(&query, &mut Limit::none().meter()).unwrap() {
                Refusal::TooFewNodes { needed, fast_enough } => {
                    assert!(fast_enough < needed && !exist(nodes, None, None, None));
                }
                Refusal::PriceLimit { needed, affordable } => {
                    assert!(rules.slot_price && affordable < needed && !exist(nodes, price, None, None));
                }
                Refusal::Horizon { needed, most } => {
                    assert!(most < needed && !exist(nodes, price, None, None));
                    assert!(most == 0 || exist(most, price, None, None));
                }
                Refusal::Deadline { late_by } => {
                    // The sum is the earliest finish, except for rounding.
                    let end = (request.deadline.unwrap() + late_by).get();
                    let by = |steps| exist(nodes, price, Some(Time::must(beside(end, steps))), None);
                    assert!(!exist(nodes, price, request.deadline, None) && by(4) && !by(-4));
                }
                Refusal::Budget { short_by } => {
                    let least = (rules.budget(request).unwrap() + short_by).get();
                    let within = |steps| {
                        exist(nodes, price, request.deadline, Some(Money::must(beside(least, steps))))
                    };
                    assert!(least >= MAX_QUANTITY || within(4) && !within(-4));
                }
                other => panic!("{other:?}"),
            }
        }
    });
}

/// The computed end of a task of 3e-43 is its start. If only that prevents a window, it is an error of the request;
/// if there is no window for another reason, asking for the reason is no error.
#[test]
fn why_there_is_no_window_can_be_asked_wherever_there_is_none() {
    let of = |id, speed| slot(id, (speed, 1.0), (2.0, 6.0));
    let fast = SlotList::new(vec![of(1, 1e43)]).unwrap();
    let both = SlotList::new(vec![of(1, 1e43), of(2, 1.0)]).unwrap();
    let request = ResourceRequest::must(1, 3.0);
    let limits = [
        request.clone().with_price_limit(Price::must(0.5)).with_budget(Money::ZERO),
        request.clone().with_budget(Money::ZERO),
        request.clone().with_budget(Money::must(1e-60)),
        request.clone().with_deadline(Time::must(2.0)),
        request.clone().with_deadline(Time::must(2f64.next_up())).with_budget(Money::ZERO),
        request,
    ];
    let mut without = 0;
    for (kind, request) in SearchKind::ALL.iter().flat_map(|kind| limits.clone().map(|limit| (kind, limit))) {
        for slots in [&fast, &both] {
            let search = kind.build();
            let query = WindowQuery::new(slots, &request);
            let found = search.find(&query).map(|found| found.best);
            assert!(matches!(found, Ok(_) | Err(WindowError::Model(_))), "{kind} {request:?}: {found:?}");
            if found == Ok(None) {
                without += 1;
                let refusal = search.refusal(&query, &mut Limit::none().meter());
                let explanation = explain(&*search, &query);
                assert!(refusal.is_ok() && explanation.is_ok(), "{kind} {request:?}: {explanation:?}");
            }
        }
    }
    assert!(without > 20, "{without}");
}

#[derive(Deserialize)]
struct Asked {
    slots: SlotList,
    request: ResourceRequest,
    from: Option<Time>,
}

/// The content of `why.txt`.
#[test]
fn why_there_is_no_window_is_told_as_it_was() {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/why.txt");
    played(place, &['>', '=', '!'], |kinds, text| {
        let Asked { slots, request, from } = serde_json::from_str(text).unwrap();
        let query = WindowQuery::new(&slots, &request);
        let query = from.map_or(query, |from| query.with_from(from));
        let mut told = String::new();
        for kind in kinds.split(' ').skip(1) {
            let search = kind.parse::<SearchKind>().unwrap().build();
            let earliest = earliest_start(&*search, &query).unwrap();
            told += &format!("= {}\n", earliest.map_or("never".to_owned(), |start| start.to_string()));
            let why = explain(&*search, &query).unwrap();
            if let Some(window) = search.find(&query).unwrap().best {
                assert_eq!(why, None);
                told += &format!("> {window}\n");
            } else {
                let why = why.unwrap();
                told.extend(why.to_string().lines().map(|line| format!("! {line}\n")));
                told += &format!("! {:?}\n", why.nodes);
            }
        }
        told
    });
}
