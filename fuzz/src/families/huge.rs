//! Inputs of 10^5 jobs, slots or tasks: made from a few numbers, so that a case stays small.

use super::definitions;
use crate::judge::{Verdict, ensure, family, part};
use econsched::auction_assign::{AssignmentProblem, Costs, Coverage, Sense, assign, verify};
use econsched::batch_dp::{Alternatives, ChoiceProblem, Chooser, ExpandingCore, Goal};
use econsched::grid_heuristics::{Mapping, MappingKind};
use econsched::sched_model::check::Checker;
use econsched::sched_model::{EtcMatrix, Money, Node, ResourceRequest, SlotList, Time};
use econsched::sched_model::{Slot, Work};
use econsched::slot_window::{SearchKind, WindowQuery};
use econsched::testkit::{Draw, rounded_sum};
use serde::{Deserialize, Serialize};

family!(Huge: Case, draw, judge);

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    kind: usize,
    size: usize,
    seed: u64,
}

/// Tenths, of which many are equal.
fn tenths(draw: &mut Draw, most: usize) -> f64 {
    draw.below(most) as f64 / 10.0
}

fn draw(draw: &mut Draw) -> Case {
    // Mostly a hundredth, so that the short run stays short.
    let size = if draw.chance(10) { 100_000 } else { 1_000 };
    Case { kind: draw.below(5), size, seed: draw.bytes(6) }
}

fn judge(case: &Case) -> Verdict {
    let (mut draw, size) = (Draw::new(case.seed, 0), case.size.clamp(20, 1_000_000));
    match case.kind % 5 {
        0 => sparse(&mut draw, size),
        1 => few_resources(&mut draw, size),
        2 => windows(&mut draw, size),
        3 => choice(&mut draw, size / 10),
        _ => mapping(&mut draw, size),
    }
}

fn proven(problem: &AssignmentProblem<'_>) -> Verdict {
    let answer = assign(problem)?;
    let gap = answer.best.as_ref().map(|assignment| verify(problem, assignment)).transpose()?;
    ensure!(gap.is_some_and(|proof| proof.gap == 0.0), "there is an assignment, and {gap:?}");
    Ok(())
}

/// Jobs with few entries each, one of them in a diagonal, so that all can be placed.
fn sparse(draw: &mut Draw, n: usize) -> Verdict {
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for job in 0..n {
        let mut own: Vec<u32> = vec![job as u32, draw.below(n) as u32, draw.below(n.min(50)) as u32];
        own.sort_unstable();
        own.dedup();
        values.extend(own.iter().map(|_| tenths(draw, 1000)));
        columns.extend(own);
        offsets.push(values.len());
    }
    proven(&AssignmentProblem::new(Costs::sparse(n, n, &offsets, &columns, &values)?))
}

/// Many jobs on few resources, by a function; some pairs are forbidden, and some jobs must be left out.
fn few_resources(draw: &mut Draw, n: usize) -> Verdict {
    let room: Vec<u32> = (0..6).map(|_| (draw.below(n / 4 + 1)) as u32).collect();
    let entry = |_| if draw.chance(5) { f64::INFINITY } else { tenths(draw, 200) };
    let table: Vec<f64> = (0..997).map(entry).collect();
    let cost = |job: usize, on: usize| table[(job * 31 + on * 7919) % 997];
    let problem = AssignmentProblem::new(Costs::function(n, 6, &cost)?).with_capacities(&room);
    let sense = draw.of([Sense::Minimise, Sense::Maximise]);
    let coverage = draw.of([Coverage::MostJobs, Coverage::Penalty(9.9)]);
    proven(&problem.with_sense(sense).with_coverage(coverage))
}

/// Windows by the checker; the list after they were cut out and given back.
fn windows(draw: &mut Draw, size: usize) -> Verdict {
    let mut slots = Vec::new();
    for id in 0..size as u32 {
        let node = Node::must(id, 1.0, 1.0 + tenths(draw, 90));
        let start = tenths(draw, 5000);
        slots.push(Slot::new(node, Time::must(start), Time::must(start + 1.0 + tenths(draw, 900)))?);
    }
    let mut list = part(SlotList::new(slots))?;
    let whole = list.clone();
    let (n, work) = (draw.between(1, 40), 1.0 + tenths(draw, 600));
    let budget = Money::must(n as f64 * work * (1.0 + tenths(draw, 60)));
    let request = ResourceRequest::new(n, Work::must(work))?.with_budget(budget);
    let mut taken = Vec::new();
    let kinds = [SearchKind::Amp, SearchKind::FirstFit, SearchKind::MinCost, SearchKind::MinFinishRough];
    for kind in kinds.into_iter().cycle().take(12) {
        let search = kind.build();
        let Some(window) = search.find(&WindowQuery::new(&list, &request))?.best else { break };
        let wrong = Checker::new(&list, search.rules()).window(&window, &request);
        ensure!(wrong.is_empty(), "{kind}: {wrong:?}");
        list.cut(&window)?;
        taken.push(window);
    }
    taken.iter().rev().try_for_each(|window| list.give_back(window, window.start()))?;
    ensure!(list == whole, "given back, the list is another");
    Ok(())
}

/// A choice of ten alternatives for each job, within up to twice what the cheapest cost.
fn choice(draw: &mut Draw, count: usize) -> Verdict {
    let mut pair = |_| (1.0 + tenths(draw, 500), 1.0 + tenths(draw, 500));
    let jobs: Vec<Vec<(f64, f64)>> = (0..count).map(|_| (0..10).map(&mut pair).collect()).collect();
    let batch = part(Alternatives::new(&jobs))?;
    let least = |job: &Vec<(f64, f64)>| job.iter().map(|pair| pair.0).fold(f64::INFINITY, f64::min);
    let budget = rounded_sum(jobs.iter().map(least)) * (1.0 + draw.unit());
    let goal = Goal::MinTime { budget: Some(budget) };
    let outcome = ExpandingCore.choose(&ChoiceProblem::new(&batch, goal))?;
    ensure!(outcome.refusal.is_none(), "{outcome}");
    let Some(choice) = &outcome.best else { return Ok(()) };
    let chosen = || jobs.iter().zip(&choice.picks).filter_map(|(job, pick)| Some(job[(*pick)?]));
    let (cost, time) = (rounded_sum(chosen().map(|pair| pair.0)), rounded_sum(chosen().map(|pair| pair.1)));
    ensure!(cost <= budget && (cost, time) == (choice.cost, choice.time), "{cost} of {budget}, {time}");
    ensure!(outcome.value == Some(time), "the value {:?} is {time}", outcome.value);
    ensure!(outcome.bound.is_none_or(|bound| bound <= time), "a bound of {:?} at {time}", outcome.bound);
    Ok(())
}

/// Heuristics that take tasks one by one, by their definitions.
fn mapping(draw: &mut Draw, size: usize) -> Verdict {
    let cells = (0..5 * size).map(|_| 0.1 + tenths(draw, 400)).collect();
    let etc = part(EtcMatrix::new(size, 5, cells))?;
    let etc = etc.with_ready([0; 5].map(|_| Time::must(tenths(draw, 50))));
    for kind in [MappingKind::Olb, MappingKind::Met, MappingKind::Mct] {
        let steps = definitions::mapping(kind, &etc).unwrap_or_default();
        let same = kind.build().map(&etc)? == Mapping::from_order(&etc, steps)?;
        ensure!(same, "{kind}: not by its definition");
    }
    Ok(())
}
