//! Profiles of CPUs, memory and GPUs against a table of what is free at each second.

use proptest::prelude::*;
use sched_model::{Amounts, Machine, MachineId, Price, Profiles, Span, Speed, Time};

const END: usize = 400;

/// Free CPUs, memory and GPUs at each second; all is free from the last on.
struct Table {
    free: Vec<[u32; 3]>,
    start: usize,
}

fn parts(amounts: Amounts) -> [u32; 3] {
    [amounts.cpus, amounts.memory, amounts.gpus]
}

impl Table {
    fn at(&self, second: usize) -> [u32; 3] {
        self.free[second.min(END)]
    }

    fn holds(&self, amounts: Amounts, start: usize, end: usize) -> bool {
        let enough =
            |second: usize| self.at(second).iter().zip(parts(amounts)).all(|(free, taken)| *free >= taken);
        start >= self.start && (start..end.max(start + 1)).all(enough)
    }

    fn earliest(&self, amounts: Amounts, span: usize, from: usize, until: usize) -> Option<usize> {
        let from = from.max(self.start);
        (from..=END).find(|&start| start >= until || self.holds(amounts, start, (start + span).min(until)))
    }
}

#[derive(Debug, Clone)]
enum Step {
    Reserve(usize, usize, Amounts),
    /// One of the reservations so far.
    Release(prop::sample::Index),
    Ask(usize, usize, Amounts, usize),
    Advance(usize),
}

fn amounts() -> impl Strategy<Value = Amounts> {
    (0u32..7, 0u32..12, 0u32..4).prop_map(|(cpus, memory, gpus)| Amounts { cpus, memory, gpus })
}

fn step() -> impl Strategy<Value = Step> {
    let interval = || (0..300usize, 1..40usize);
    prop_oneof![
        6 => (interval(), amounts()).prop_map(|((at, span), amounts)| Step::Reserve(at, span, amounts)),
        2 => any::<prop::sample::Index>().prop_map(Step::Release),
        6 => (interval(), amounts(), 0..300usize).prop_map(|((at, span), amounts, until)| Step::Ask(at, span, amounts, until)),
        1 => (0..12usize).prop_map(Step::Advance),
    ]
}

fn time(second: usize) -> Time {
    Time::must(second as f64)
}

proptest! {
    #[test]
    fn agree_with_a_table(script in prop::collection::vec(step(), 1..200), memory in any::<bool>(), gpus in any::<bool>()) {
        let mut machine = Machine::new(MachineId(0), 6, Speed::ETALON, Price::ZERO).unwrap();
        // What is not counted never runs out.
        let mut total = [6, u32::MAX / 2, u32::MAX / 2];
        if memory {
            (machine, total[1]) = (machine.with_memory(10), 10);
        }
        if gpus {
            (machine, total[2]) = (machine.with_gpus(3), 3);
        }
        let mut profiles = Profiles::of_machine(&machine, Time::ZERO);
        let mut table = Table { free: vec![total; END + 1], start: 0 };
        let mut held: Vec<(usize, usize, Amounts)> = Vec::new();
        for step in script {
            match step {
                Step::Reserve(at, span, amounts) => {
                    let done = profiles.reserve(time(at), time(at + span), amounts);
                    let fits = amounts.cpus > 0 && table.holds(amounts, at, at + span);
                    prop_assert_eq!(done.is_ok(), fits, "{:?}", done);
                    if fits {
                        for free in &mut table.free[at..at + span] {
                            *free = [0, 1, 2].map(|part| free[part] - parts(amounts)[part]);
                        }
                        held.push((at, at + span, amounts));
                    }
                }
                Step::Release(index) if !held.is_empty() => {
                    let (start, end, amounts) = held.swap_remove(index.index(held.len()));
                    // Of one part more than is taken: nothing is given back.
                    let more = amounts.with_memory(amounts.memory + 11);
                    prop_assert_eq!(profiles.release(time(start), time(end), more).is_err(), memory && end > table.start);
                    if !memory && end > table.start {
                        profiles.reserve(time(start.max(table.start)), time(end), amounts).unwrap();
                    }
                    profiles.release(time(start), time(end), amounts).unwrap();
                    for free in &mut table.free[start..end] {
                        *free = [0, 1, 2].map(|part| free[part] + parts(amounts)[part]);
                    }
                }
                Step::Release(_) => {}
                Step::Ask(at, span, amounts, until) => {
                    let length = Span::must(span as f64);
                    let found = profiles.earliest_fit(amounts, length, time(at));
                    let expected = table.earliest(amounts, span, at, usize::MAX);
                    // The table knows of no start that is never.
                    let possible = parts(amounts).iter().zip(total).all(|(asked, total)| *asked <= total);
                    prop_assert_eq!(found, expected.filter(|_| possible).map(time));
                    let found = profiles.earliest_fit_until(amounts, length, time(at), time(until));
                    let expected = table.earliest(amounts, span, at, until).unwrap_or(END);
                    prop_assert_eq!(found, time(expected));
                    if at >= table.start {
                        let holds = profiles.holds(amounts, time(at), time(at + span));
                        prop_assert_eq!(holds, table.holds(amounts, at, at + span));
                    }
                }
                Step::Advance(by) => {
                    table.start = (table.start + by).min(350);
                    profiles.advance(time(table.start));
                }
            }
            for second in (table.start..END).step_by(7) {
                let [cpus, of_memory, of_gpus] = table.at(second);
                prop_assert_eq!(profiles.cpus().free_at(time(second)), cpus);
                prop_assert_eq!(profiles.memory().map(|free| free.free_at(time(second))), memory.then_some(of_memory));
                prop_assert_eq!(profiles.gpus().map(|free| free.free_at(time(second))), gpus.then_some(of_gpus));
            }
        }
    }
}
