//! Windows of random slots against every window.

use super::*;

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

    fn find(&self, search: &dyn WindowSearch) -> Option<Window> {
        let found =
            search.find(&WindowQuery::new(&self.slots, &self.request).with_from(self.from)).unwrap().best;
        if let Some(window) = &found {
            let cost = total(window.placements().iter().map(|placement| placement.cost.get()));
            assert_eq!(window.cost().get(), rounded(cost), "{self:?}");
            assert!(window.cost() <= self.request.budget().unwrap(), "{}: {self:?}", search.name());
        }
        found
    }

    fn check(&self, by_span: bool, sense: Sense) {
        for holding in [Holding::OwnSpan, Holding::SlowestSpan] {
            let windows = self.windows(holding);
            let earliest = windows.iter().map(|window| window.0.start()).min();
            let first_fit = FirstFit::new().with_holding(holding);
            let (alp, amp) = (Alp::new(), Amp::new());
            let by_start: &[&dyn WindowSearch] =
                if holding == Holding::OwnSpan { &[&first_fit, &alp, &amp] } else { &[&first_fit] };
            for search in by_start {
                let found = self.find(search).map(|window| window.start());
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
                let found = self.find(&search);
                let found = found.map(|window| {
                    key(&window, total(window.placements().iter().map(|placement| placement.cost.get())))
                });
                assert_eq!(found, best, "{}: {self:?}", search.name());
            }
            self.check_value(&windows, holding, by_span, sense);
        }
    }

    fn check_value(&self, windows: &[(Window, i128)], holding: Holding, by_span: bool, sense: Sense) {
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
        let found = self.find(&search);
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
    for _ in 0..cases {
        let sense = if random.chance(70) { Sense::Maximise } else { Sense::Minimise };
        let by_span = random.chance(40);
        Case::random(&mut random).check(by_span, sense);
    }
}

#[test]
fn windows_against_integers() {
    windows(10_000, 2);
}

/// By hand, as `a_million_subsets`.
#[test]
#[ignore = "takes minutes"]
fn a_million_windows() {
    windows(1_000_000, 4);
}
