//! Profiles of CPUs, memory and GPUs against a table of what is free at each second.

use crate::testkit::{Draw, drawn};
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

fn amounts(draw: &mut Draw) -> Amounts {
    let [cpus, memory, gpus] = [7, 12, 4].map(|most| draw.below(most) as u32);
    Amounts { cpus, memory, gpus }
}

fn time(second: usize) -> Time {
    Time::must(second as f64)
}

#[test]
fn agree_with_a_table() {
    drawn(256, |draw| {
        let (memory, gpus) = (draw.chance(50), draw.chance(50));
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
        for _ in 0..draw.between(1, 200) {
            let (at, span, amounts) = (draw.below(300), draw.between(1, 39), amounts(draw));
            match draw.below(15) {
                0..6 => {
                    let done = profiles.reserve(time(at), time(at + span), amounts);
                    let fits = amounts.cpus > 0 && table.holds(amounts, at, at + span);
                    assert_eq!(done.is_ok(), fits, "{:?}", done);
                    if fits {
                        for free in &mut table.free[at..at + span] {
                            *free = [0, 1, 2].map(|part| free[part] - parts(amounts)[part]);
                        }
                        held.push((at, at + span, amounts));
                    }
                }
                6 | 7 if !held.is_empty() => {
                    let (start, end, amounts) = held.swap_remove(draw.below(held.len()));
                    // Of one part more than is taken: nothing is given back.
                    let more = amounts.with_memory(amounts.memory + 11);
                    assert_eq!(
                        profiles.release(time(start), time(end), more).is_err(),
                        memory && end > table.start
                    );
                    if !memory && end > table.start {
                        profiles.reserve(time(start.max(table.start)), time(end), amounts).unwrap();
                    }
                    profiles.release(time(start), time(end), amounts).unwrap();
                    for free in &mut table.free[start..end] {
                        *free = [0, 1, 2].map(|part| free[part] + parts(amounts)[part]);
                    }
                }
                6 | 7 => {}
                8..14 => {
                    let (length, until) = (Span::must(span as f64), draw.below(300));
                    let found = profiles.earliest_fit(amounts, length, time(at));
                    let expected = table.earliest(amounts, span, at, usize::MAX);
                    // The table knows of no start that is never.
                    let possible = parts(amounts).iter().zip(total).all(|(asked, total)| *asked <= total);
                    assert_eq!(found, expected.filter(|_| possible).map(time));
                    let found = profiles.earliest_fit_until(amounts, length, time(at), time(until));
                    let expected = table.earliest(amounts, span, at, until).unwrap_or(END);
                    assert_eq!(found, time(expected));
                    if at >= table.start {
                        let holds = profiles.holds(amounts, time(at), time(at + span));
                        assert_eq!(holds, table.holds(amounts, at, at + span));
                    }
                }
                _ => {
                    table.start = (table.start + draw.below(12)).min(350);
                    profiles.advance(time(table.start));
                }
            }
            for second in (table.start..END).step_by(7) {
                let [cpus, of_memory, of_gpus] = table.at(second);
                assert_eq!(profiles.cpus().free_at(time(second)), cpus);
                assert_eq!(
                    profiles.memory().map(|free| free.free_at(time(second))),
                    memory.then_some(of_memory)
                );
                assert_eq!(profiles.gpus().map(|free| free.free_at(time(second))), gpus.then_some(of_gpus));
            }
        }
    });
}
