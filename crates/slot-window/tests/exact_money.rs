//! Budgets met to the last bit: subsets and windows against brute force in integer arithmetic.
//!
//! The cost of a choice is the exact sum of its charges, rounded once; so is its value. The oracle adds multiples of
//! 2^-80 as integers and shares nothing with the searches but the charge of one placement.

#![allow(clippy::unwrap_used)]

use sched_model::check::Holding;
use sched_model::*;
use slot_window::subset::{ExactSubset, ExhaustiveSubset, SubsetProblem, SubsetScratch, SubsetSolver};
use slot_window::{
    Alp, Amp, FirstFit, MaxValue, NodeValues, Objective, Optimal, SearchScratch, WindowSearch,
};

/// A double as a multiple of 2^-80.
fn scaled(number: f64) -> i128 {
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i128;
    let (significand, exponent) =
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let shift = exponent + 80;
    let magnitude = if shift >= 0 {
        assert!(shift < 70, "{number} is too large for the oracle");
        significand << shift
    } else {
        assert!(
            significand == 0 || (shift > -53 && significand % (1 << -shift) == 0),
            "{number} is too fine"
        );
        if significand == 0 { 0 } else { significand >> -shift }
    };
    if number < 0.0 { -magnitude } else { magnitude }
}

/// The double nearest to a multiple of 2^-80, ties to even.
fn rounded(sum: i128) -> f64 {
    sum as f64 / 2_f64.powi(80)
}

fn total(terms: impl IntoIterator<Item = f64>) -> i128 {
    terms.into_iter().map(scaled).sum()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What amounts of money look like.
#[derive(Debug, Clone, Copy)]
enum Style {
    Tenths,
    Hundredths,
    /// Three amounts only.
    Ties,
    /// Tenths and the doubles beside them.
    Beside,
    /// Whole numbers.
    Whole,
    /// Any double in [0, 1).
    Real,
    /// Tenths, some of them with a million added.
    Uneven,
}

const STYLES: [Style; 7] =
    [Style::Tenths, Style::Hundredths, Style::Ties, Style::Beside, Style::Whole, Style::Real, Style::Uneven];

impl Style {
    fn amount(self, random: &mut Random) -> f64 {
        match self {
            Self::Tenths => random.below(12) as f64 / 10.0,
            Self::Hundredths => random.below(300) as f64 / 100.0,
            Self::Ties => [0.1, 0.2, 0.3][random.below(3)],
            Self::Beside => beside(1.0 + random.below(12) as f64, random) / 10.0,
            Self::Whole => random.below(9) as f64,
            Self::Real => (random.next() >> 11) as f64 / 2_f64.powi(53),
            Self::Uneven => random.below(9) as f64 / 10.0 + if random.chance(30) { 1e6 } else { 0.0 },
        }
    }
}

/// The number itself or one or two doubles beside it.
fn beside(number: f64, random: &mut Random) -> f64 {
    match random.below(6) {
        0 => number.next_up(),
        1 => number.next_down(),
        2 => number.next_up().next_up(),
        _ => number,
    }
}

/// A budget that some choice of `n` costs is likely to meet: added in some order, or a decimal near to it.
fn budget(costs: &[f64], n: usize, random: &mut Random) -> f64 {
    let mut chosen: Vec<f64> = Vec::new();
    let mut rest = costs.to_vec();
    if random.chance(30) {
        rest.sort_unstable_by(f64::total_cmp);
        chosen.extend(rest.iter().take(n));
    } else {
        while chosen.len() < n && !rest.is_empty() {
            let at = random.below(rest.len());
            chosen.push(rest.swap_remove(at));
        }
    }
    let sum: f64 = chosen.iter().sum();
    let sum = match random.below(4) {
        0 => (sum * 10.0).round() / 10.0,
        1 => rounded(total(chosen)),
        _ => sum,
    };
    beside(sum, random).max(0.0)
}

/// Price x span half of the time; else whole units, billing increments, least charges and fees.
fn tariff(random: &mut Random) -> Tariff {
    let mut tariff = Tariff::default();
    if random.chance(50) {
        return tariff;
    }
    if random.chance(70) {
        let rounding = if random.chance(50) { Rounding::Up } else { Rounding::Nearest };
        tariff = tariff.with_digits(random.below(3) as u8, rounding);
    }
    if random.chance(30) {
        tariff = tariff.with_increment(Span::must([0.25, 0.3, 1.0][random.below(3)])).unwrap();
    }
    if random.chance(30) {
        tariff = tariff.with_entry_fee(Money::must([1.0, 0.1][random.below(2)])).unwrap();
    }
    if random.chance(30) {
        tariff = tariff.with_least_charge(Money::must([2.0, 0.7][random.below(2)])).unwrap();
    }
    tariff
}

/// Calls `visit` with every subset of `n` of `k`, in lexicographic order.
fn subsets(k: usize, n: usize, mut visit: impl FnMut(&[usize])) {
    if n > k {
        return;
    }
    let mut chosen: Vec<usize> = (0..n).collect();
    loop {
        visit(&chosen);
        let Some(at) = (0..n).rev().find(|&at| chosen[at] < k - n + at) else { return };
        let first = chosen[at] + 1;
        for (item, next) in chosen[at..].iter_mut().zip(first..) {
            *item = next;
        }
    }
}

#[derive(Debug)]
struct Choice {
    values: Vec<f64>,
    costs: Vec<f64>,
    n: usize,
    budget: f64,
}

impl Choice {
    fn random(random: &mut Random) -> Self {
        let k = 1 + random.below(9);
        let n = random.below(k.min(5) + 1);
        let style = STYLES[random.below(STYLES.len())];
        let worth = STYLES[random.below(STYLES.len())];
        let costs: Vec<f64> = (0..k).map(|_| style.amount(random)).collect();
        let following = random.chance(25);
        let values = costs
            .iter()
            .map(|&cost| if following { cost } else { worth.amount(random) - random.below(2) as f64 })
            .collect();
        let budget = budget(&costs, n, random);
        Self { values, costs, n, budget }
    }

    /// The best by definition: the greatest exact value, the least exact cost, the first in lexicographic order.
    fn best(&self) -> Option<Vec<usize>> {
        let (values, costs): (Vec<i128>, Vec<i128>) = (
            self.values.iter().map(|&v| scaled(v)).collect(),
            self.costs.iter().map(|&c| scaled(c)).collect(),
        );
        let mut best: Option<(i128, i128, Vec<usize>)> = None;
        subsets(values.len(), self.n, |chosen| {
            let value: i128 = chosen.iter().map(|&i| values[i]).sum();
            let cost: i128 = chosen.iter().map(|&i| costs[i]).sum();
            let better = best.as_ref().is_none_or(|best| (value, -cost) > (best.0, -best.1));
            if better && rounded(cost) <= self.budget {
                best = Some((value, cost, chosen.to_vec()));
            }
        });
        best.map(|best| best.2)
    }

    fn check(&self, scratch: &mut SubsetScratch) {
        let problem = SubsetProblem::new(&self.values, &self.costs, self.n, self.budget).unwrap();
        let best = self.best();
        let solvers: [&dyn SubsetSolver; 3] =
            [&ExactSubset::new(), &ExactSubset::new().with_max_steps(0), &ExhaustiveSubset];
        for solver in solvers {
            let found = solver.solve(&problem, &Limit::default(), scratch);
            assert_eq!(found.proof(), Proof::Exact);
            if let Some(subset) = &found.incumbent {
                let indices = subset.indices();
                assert_eq!(subset.cost(), rounded(total(indices.iter().map(|&i| self.costs[i]))));
                assert_eq!(subset.value(), rounded(total(indices.iter().map(|&i| self.values[i]))));
            }
            let found = found.incumbent.map(|subset| subset.indices().to_vec());
            assert_eq!(found, best, "{}: {self:?}", solver.name());
        }
    }
}

fn choices(cases: usize, seed: u64) {
    let mut random = Random(seed);
    let mut scratch = SubsetScratch::new();
    for _ in 0..cases {
        Choice::random(&mut random).check(&mut scratch);
    }
}

#[derive(Debug)]
struct Case {
    slots: SlotList,
    request: ResourceRequest,
    values: Vec<f64>,
    from: Time,
}

impl Case {
    fn random(random: &mut Random) -> Self {
        let nodes = 1 + random.below(6);
        let n = 1 + random.below(nodes.min(4));
        let style = STYLES[random.below(STYLES.len())];
        let worth = STYLES[random.below(STYLES.len())];
        let speeds: &[f64] = [&[1.0][..], &[1.0, 2.0], &[1.0, 2.0, 4.0]][random.below(3)];
        let work = [1.0, 1.0, 2.0, 0.5][random.below(4)];
        let following = random.chance(25);
        let (mut slots, mut values, mut charges) = (Vec::new(), Vec::new(), Vec::new());
        for id in 0..nodes {
            let price = style.amount(random);
            let speed = speeds[random.below(speeds.len())];
            let node = Node::new(NodeId(id as u32), Speed::must(speed), Price::must(price));
            values.push(if following { price } else { worth.amount(random) });
            charges.push(price * (work / speed));
            let mut end = 0;
            for _ in 0..1 + random.below(2) {
                let start = end + random.below(2);
                end = start + 1 + random.below(3);
                slots.push(Slot::new(node, Time::must(start as f64), Time::must(end as f64)).unwrap());
            }
        }
        let tariff = tariff(random);
        if !tariff.is_plain() {
            // Charges as they are on the own speed of each node.
            let charge = |slot: &Slot| tariff.charge(slot.price(), Work::must(work) / slot.speed()).get();
            charges = slots.iter().map(charge).collect();
        }
        let budget = budget(&charges, n, random);
        let request = ResourceRequest::new(n, Work::must(work)).unwrap().with_budget(Money::must(budget));
        let from = Time::must(random.below(2) as f64 * 0.5);
        Self { slots: SlotList::new(slots).unwrap().with_tariff(tariff), request, values, from }
    }

    /// Every window that keeps to the request, with the exact sum of its charges.
    fn windows(&self, holding: Holding) -> Vec<(Window, i128)> {
        let slots: Vec<Slot> = self.slots.iter().copied().collect();
        let mut starts: Vec<Time> =
            slots.iter().map(Slot::start).filter(|&start| start > self.from).collect();
        starts.push(self.from);
        starts.sort_unstable();
        starts.dedup();
        let budget = self.request.budget().unwrap().get();
        let mut windows = Vec::new();
        for start in starts {
            let free: Vec<&Slot> =
                slots.iter().filter(|slot| slot.start() <= start && start < slot.end()).collect();
            subsets(free.len(), self.request.nodes(), |chosen| {
                let slowest = chosen.iter().map(|&i| free[i].speed()).min().unwrap();
                let placements: Vec<Placement> = chosen
                    .iter()
                    .map(|&i| {
                        let held = if holding == Holding::OwnSpan { free[i].speed() } else { slowest };
                        self.slots.placement(free[i], start, self.request.work() / held)
                    })
                    .collect();
                if chosen.iter().zip(&placements).any(|(&i, placement)| placement.end > free[i].end()) {
                    return;
                }
                let cost = total(placements.iter().map(|placement| placement.cost.get()));
                if rounded(cost) <= budget {
                    windows.push((Window::new(start, placements).unwrap(), cost));
                }
            });
        }
        windows
    }

    fn find(&self, search: &dyn WindowSearch, scratch: &mut SearchScratch) -> Option<Window> {
        let found = search.find(&self.slots, &self.request, self.from, scratch).unwrap();
        if let Some(window) = &found {
            let cost = total(window.placements().iter().map(|placement| placement.cost.get()));
            assert_eq!(window.cost().get(), rounded(cost), "{self:?}");
            assert!(window.cost() <= self.request.budget().unwrap(), "{}: {self:?}", search.name());
        }
        found
    }

    fn check(&self, by_span: bool, sense: Sense, scratch: &mut SearchScratch) {
        for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
            let windows = self.windows(holding);
            let earliest = windows.iter().map(|window| window.0.start()).min();
            let first_fit = FirstFit::new().with_holding(holding);
            let (alp, amp) = (Alp::new(), Amp::new());
            let by_start: &[&dyn WindowSearch] =
                if holding == Holding::OwnSpan { &[&first_fit, &alp, &amp] } else { &[&first_fit] };
            for search in by_start {
                let found = self.find(search, scratch).map(|window| window.start());
                assert_eq!(found, earliest, "{}: {self:?}", search.name());
            }
            for &objective in Objective::ALL {
                let search = Optimal::new(objective).with_holding(holding);
                let key = |window: &Window, cost: i128| match objective {
                    Objective::Cost => (rounded(cost), window.start()),
                    _ => (objective.of(window), window.start()),
                };
                let best = windows
                    .iter()
                    .map(|(window, cost)| key(window, *cost))
                    .min_by(|a, b| a.partial_cmp(b).unwrap());
                let found = self.find(&search, scratch);
                let found = found.map(|window| {
                    key(&window, total(window.placements().iter().map(|placement| placement.cost.get())))
                });
                assert_eq!(found, best, "{}: {self:?}", search.name());
            }
            self.check_value(&windows, holding, by_span, sense, scratch);
        }
    }

    fn check_value(
        &self,
        windows: &[(Window, i128)],
        holding: Holding,
        by_span: bool,
        sense: Sense,
        scratch: &mut SearchScratch,
    ) {
        let values = self.values.clone();
        let worth = move |node: NodeId, span: Span| {
            let value = values[node.0 as usize];
            if by_span { value * span.get() } else { value }
        };
        let search = if by_span {
            let worth = worth.clone();
            MaxValue::new(move |slot: &Slot, span: Span| worth(slot.node(), span))
        } else {
            MaxValue::new(NodeValues::new((0..).map(NodeId).zip(self.values.iter().copied())).unwrap())
        };
        let search = search.with_holding(holding).with_sense(sense);
        let sign = if sense == Sense::Maximise { -1 } else { 1 };
        let value = |window: &Window| {
            sign * total(
                window
                    .placements()
                    .iter()
                    .map(|placement| worth(placement.node, placement.end - window.start())),
            )
        };
        let key = |window: &Window, cost: i128| {
            let mut nodes: Vec<NodeId> = window.placements().iter().map(|placement| placement.node).collect();
            nodes.sort_unstable();
            let exact = value(window);
            (rounded(exact), window.start(), exact, cost, nodes)
        };
        let found = self.find(&search, scratch);
        if let Some(window) = &found {
            assert_eq!(search.value_of(window, &self.slots), Some(rounded(sign * value(window))), "{self:?}");
        }
        let found = found.map(|window| {
            key(&window, total(window.placements().iter().map(|placement| placement.cost.get())))
        });
        let best =
            windows.iter().map(|(window, cost)| key(window, *cost)).min_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(
            found.as_ref().map(|found| (found.0, found.1)),
            best.as_ref().map(|best| (best.0, best.1)),
            "{sense:?} by span {by_span}: {self:?}"
        );
        if holding == Holding::OwnSpan {
            assert_eq!(found, best, "{sense:?} by span {by_span}: {self:?}");
        }
    }
}

fn windows(cases: usize, seed: u64) {
    let mut random = Random(seed);
    let mut scratch = SearchScratch::new();
    for _ in 0..cases {
        let sense = if random.chance(70) { Sense::Maximise } else { Sense::Minimise };
        let by_span = random.chance(40);
        Case::random(&mut random).check(by_span, sense, &mut scratch);
    }
}

#[test]
fn subsets_against_integers() {
    choices(30_000, 1);
}

#[test]
fn windows_against_integers() {
    windows(10_000, 2);
}

/// By hand: `cargo test --release -p slot-window --test exact_money -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn a_million_subsets() {
    choices(1_000_000, 3);
}

/// By hand, as above.
#[test]
#[ignore = "takes minutes"]
fn a_million_windows() {
    windows(1_000_000, 4);
}

/// One slot of length 1 per price, all nodes of speed 1, and a request for so many for work 1.
fn market(prices: &[f64], n: usize, budget: f64) -> (SlotList, ResourceRequest) {
    let slot = |(id, &price): (u32, &f64)| {
        let node = Node::new(NodeId(id), Speed::ETALON, Price::must(price));
        Slot::new(node, Time::ZERO, Time::must(1.0)).unwrap()
    };
    let slots = SlotList::new((1..).zip(prices).map(slot).collect()).unwrap();
    (slots, ResourceRequest::new(n, Work::must(1.0)).unwrap().with_budget(Money::must(budget)))
}

fn nodes(window: &Window) -> Vec<u32> {
    window.placements().iter().map(|placement| placement.node.0).collect()
}

fn most_valuable(values: &[f64], prices: &[f64], n: usize, budget: f64) -> Option<Vec<u32>> {
    let (slots, request) = market(prices, n, budget);
    let values = NodeValues::new((1..).map(NodeId).zip(values.iter().copied())).unwrap();
    let found = [Holding::OwnSpan, Holding::SlowestSpan].map(|holding| {
        let search = MaxValue::new(values.clone()).with_holding(holding);
        search.find(&slots, &request, Time::ZERO, &mut SearchScratch::new()).unwrap()
    });
    assert_eq!(found[0], found[1]);
    found[0].as_ref().map(nodes)
}

#[test]
fn a_match_just_too_dear_displaces_none_that_is_affordable() {
    let (values, prices) = ([8.0, 5.0, 9.0], [0.2, 0.1, 0.4]);
    // 0.2 + 0.4 rounds to 0.6000000000000001; 0.1 + 0.4 is 0.5.
    assert_eq!(most_valuable(&values, &prices, 2, 0.6), Some(vec![2, 3]));
    let problem = SubsetProblem::new(&values, &prices, 2, 0.6).unwrap();
    let best = ExactSubset::new().solve(&problem, &Limit::default(), &mut SubsetScratch::new());
    let best = best.incumbent.unwrap();
    assert_eq!((best.indices(), best.value()), (&[1, 2][..], 14.0));

    let (values, costs) = ([6.0, 1.0, 4.0, 9.0], [0.7, 0.1, 0.4, 0.8]);
    let problem = SubsetProblem::new(&values, &costs, 3, 1.9).unwrap();
    let best = ExactSubset::new().solve(&problem, &Limit::default(), &mut SubsetScratch::new());
    let best = best.incumbent.unwrap();
    assert_eq!(best.value(), rounded(total(best.indices().iter().map(|&i| values[i]))));
    // 0.7 + 0.4 + 0.8 is affordable within 1.9 and worth 19 only if its exact sum rounds to 1.9.
    let all = rounded(total([0.7, 0.4, 0.8])) <= 1.9;
    assert_eq!(best.value(), if all { 19.0 } else { 16.0 });
}

#[test]
fn what_the_order_of_a_sum_makes_too_dear_is_affordable() {
    // 0.2 + 0.3 + 0.1 is 0.6 in one order of addition and 0.6 + 2^-53 in another; the exact sum rounds to 0.6.
    assert_eq!(most_valuable(&[6.0, 0.0, 9.0, 0.0], &[0.2, 0.3, 0.1, 0.4], 3, 0.6), Some(vec![1, 2, 3]));
    let (slots, request) = market(&[0.4, 0.2, 0.3, 0.4, 0.1, 0.2], 5, 1.2);
    let mut scratch = SearchScratch::new();
    let searches: [&dyn WindowSearch; 4] = [
        &Amp::new(),
        &Optimal::new(Objective::Cost),
        &Optimal::new(Objective::Finish).with_holding(Holding::OwnSpan),
        &MaxValue::new(NodeValues::default()),
    ];
    for search in searches {
        let window = search.find(&slots, &request, Time::ZERO, &mut scratch).unwrap();
        assert_eq!(window.map(|window| window.cost()), Some(Money::must(1.2)), "{}", search.name());
    }
}

#[test]
fn a_budget_met_exactly_by_values_that_fall_with_the_span() {
    // The slow node must be in, so that the others share what it leaves of the budget: 0.3 - 0.1 rounds.
    let (slots, request) = market(&[0.1, 0.2], 2, rounded(total([0.1, 0.2])));
    let search = MaxValue::new(|_: &Slot, span: Span| 1.0 - span.get());
    assert!(search.find(&slots, &request, Time::ZERO, &mut SearchScratch::new()).unwrap().is_some());
    let (slots, request) = market(&[0.7, 0.1, 0.3], 3, rounded(total([0.7, 0.1, 0.3])));
    assert!(search.find(&slots, &request, Time::ZERO, &mut SearchScratch::new()).unwrap().is_some());
}
