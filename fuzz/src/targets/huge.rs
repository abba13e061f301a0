//! Inputs of 10^5 jobs, slots or tasks: made from a few numbers, so that a case stays small.

use crate::exact::rounded_sum;
use crate::rng::Rng;
use crate::target::{Fault, Target, Verdict, ensure, part};
use econsched::auction_assign::{Costs, Coverage, Problem, Sense, solve, verify};
use econsched::batch_dp::{
    Alternatives, BatchDecision, Chooser, ExpandingCore, Problem as Choosing, Scratch,
};
use econsched::grid_heuristics::MappingKind;
use econsched::sched_model::check::Checker;
use econsched::sched_model::{
    EtcMatrix, Limit, Money, Node, NodeId, Price, Proof, ResourceRequest, Slot, SlotList, Speed, Time, Work,
};
use econsched::slot_window::{SearchKind, SearchScratch};
use serde::{Deserialize, Serialize};

pub(crate) struct Huge;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    kind: usize,
    size: usize,
    seed: u64,
}

/// Tenths, of which many are equal.
fn tenths(rng: &mut Rng, most: usize) -> f64 {
    rng.below(most) as f64 / 10.0
}

impl Case {
    fn rng(&self) -> Rng {
        Rng::new(self.seed)
    }

    /// Jobs with few entries each, one of them in a diagonal, so that all can be placed.
    fn sparse(&self) -> Verdict {
        let (mut rng, n) = (self.rng(), self.size);
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for job in 0..n {
            let mut own: Vec<u32> = vec![job as u32, rng.below(n) as u32, rng.below(n.min(50)) as u32];
            own.sort_unstable();
            own.dedup();
            values.extend(own.iter().map(|_| tenths(&mut rng, 1000)));
            columns.extend(own);
            offsets.push(values.len());
        }
        self.proven(&Problem::new(Costs::sparse(n, n, &offsets, &columns, &values)?))
    }

    /// Many jobs on few resources, by a function; some pairs are forbidden, and some jobs must be left out.
    fn few_resources(&self) -> Verdict {
        let (mut rng, n) = (self.rng(), self.size);
        let room: Vec<u32> = (0..6).map(|_| (rng.below(n / 4 + 1)) as u32).collect();
        let table: Vec<f64> =
            (0..997).map(|_| if rng.percent(5) { f64::INFINITY } else { tenths(&mut rng, 200) }).collect();
        let cost = |job: usize, on: usize| table[(job * 31 + on * 7919) % 997];
        let problem = Problem::new(Costs::function(n, 6, &cost)?).with_capacities(&room)?;
        let sense = if rng.percent(50) { Sense::Minimise } else { Sense::Maximise };
        // The greatest is wanted of what is finite.
        let coverage =
            if rng.percent(50) { Coverage::MostJobs } else { Coverage::Optional { unplaced: 9.9 } };
        self.proven(&problem.with_sense(sense).with_coverage(coverage))
    }

    fn proven(&self, problem: &Problem<'_>) -> Verdict {
        let answer = solve(problem)?;
        let Some(assignment) = answer.assignment() else {
            ensure!(false, "no assignment, where there is one");
            return Ok(());
        };
        let gap = verify(problem, assignment, 0.0).map(|certificate| certificate.gap);
        ensure!(matches!(gap, Ok(0.0)), "gap {gap:?}");
        Ok(())
    }

    /// Windows by the checker; the list after they were cut out and given back.
    fn windows(&self) -> Verdict {
        let mut rng = self.rng();
        let mut slots = Vec::new();
        for id in 0..self.size as u32 {
            let speed = part(Speed::new(*rng.pick(&[1.0, 1.5, 2.0, 3.0])))?;
            let node = Node::new(NodeId(id), speed, part(Price::new(1.0 + tenths(&mut rng, 90)))?);
            let start = tenths(&mut rng, 5000);
            let end = start + 1.0 + tenths(&mut rng, 900);
            slots.push(part(Slot::new(node, part(Time::new(start))?, part(Time::new(end))?))?);
        }
        let mut list = part(SlotList::new(slots))?;
        let whole = list.clone();
        let (n, work) = (rng.range(1, 40), part(Work::new(1.0 + tenths(&mut rng, 600)))?);
        let budget = part(Money::new(n as f64 * work.get() * (1.0 + tenths(&mut rng, 60))))?;
        let request = part(ResourceRequest::new(n, work))?.with_budget(budget);
        let mut scratch = SearchScratch::new();
        let mut taken = Vec::new();
        let kinds = [SearchKind::Amp, SearchKind::FirstFit, SearchKind::MinCost, SearchKind::MinFinishRough];
        let mut least: Option<f64> = None;
        for kind in kinds.into_iter().cycle().take(12) {
            let search = kind.build();
            let Some(window) = search.find(&list, &request, Time::ZERO, &mut scratch)? else { break };
            let wrong = Checker::new(&list, search.rules()).window(&window, &request);
            ensure!(wrong.is_empty(), "{kind}: {}", wrong[0]);
            if kind == SearchKind::MinCost {
                let cost = window.cost().get();
                ensure!(least.is_none_or(|least| cost >= least), "{kind}: cheaper in what is left");
                least = Some(cost);
            }
            list.cut(&window)?;
            taken.push(window);
        }
        while let Some(window) = taken.pop() {
            list.give_back(&window)?;
        }
        ensure!(list == whole, "given back, the list is another");
        Ok(())
    }

    /// A choice of ten alternatives for each job, within half of what the quickest cost.
    fn choice(&self) -> Verdict {
        let mut rng = self.rng();
        let jobs: Vec<Vec<(f64, f64)>> = (0..self.size / 10)
            .map(|_| (0..10).map(|_| (1.0 + tenths(&mut rng, 500), 1.0 + tenths(&mut rng, 500))).collect())
            .collect();
        let batch = part(Alternatives::new(&jobs))?;
        let least = |job: &Vec<(f64, f64)>| job.iter().map(|pair| pair.0).fold(f64::INFINITY, f64::min);
        let budget = rounded_sum(jobs.iter().map(least)) * (1.0 + rng.unit());
        let (problem, limit) = (Choosing::MinTime { budget }, Limit::default());
        let decision = ExpandingCore.choose(&batch, problem, &mut Scratch::default(), &mut limit.meter())?;
        let BatchDecision::Chosen(outcome) = &decision else {
            ensure!(false, "{decision}");
            return Ok(());
        };
        let Some(choice) = &outcome.incumbent else { return Ok(()) };
        let chosen = || jobs.iter().zip(&choice.picks).map(|(job, &pick)| job[pick]);
        let (cost, time) =
            (rounded_sum(chosen().map(|pair| pair.0)), rounded_sum(chosen().map(|pair| pair.1)));
        ensure!(cost <= budget && (cost, time) == (choice.cost, choice.time), "{cost} of {budget}, {time}");
        ensure!(outcome.bound.is_none_or(|bound| bound <= time), "a bound of {:?} at {time}", outcome.bound);
        // No choice within the budget takes less than by the Lagrangian relaxation, at any multiplier.
        for multiplier in [0.0, 0.1, 0.5, 1.0, 3.0] {
            let of_job = |job: &Vec<(f64, f64)>| {
                job.iter().map(|pair| pair.1 + multiplier * pair.0).fold(f64::INFINITY, f64::min)
            };
            let bound = jobs.iter().map(of_job).sum::<f64>() - multiplier * budget;
            ensure!(time >= bound - 1e-9 * bound.abs(), "{time} below {bound}");
            let is_exact = outcome.proof() == Proof::Exact;
            ensure!(!is_exact || outcome.value == Some(time), "{:?}", outcome.value);
        }
        Ok(())
    }

    /// Heuristics that take tasks one by one, by their definitions.
    fn mapping(&self) -> Verdict {
        let mut rng = self.rng();
        let rows: Vec<Vec<f64>> =
            (0..self.size).map(|_| (0..5).map(|_| 0.1 + tenths(&mut rng, 400)).collect()).collect();
        let etc = part(EtcMatrix::from_rows(&rows))?;
        let ready: Vec<Time> =
            (0..5).map(|_| part(Time::new(tenths(&mut rng, 50)))).collect::<Result<_, Fault>>()?;
        for &kind in MappingKind::ALL {
            let of = |row: &[f64], at: &[f64], on: usize| match kind.name() {
                "olb" => Some(at[on]),
                "met" => Some(row[on]),
                "mct" => Some(at[on] + row[on]),
                _ => None,
            };
            let mut at: Vec<f64> = ready.iter().map(|instant| instant.get()).collect();
            if of(&rows[0], &at, 0).is_none() {
                continue;
            }
            let mapping = kind.build().map_from(&etc, &ready)?;
            for (task, row) in rows.iter().enumerate() {
                let best =
                    (0..5).reduce(|best, on| if of(row, &at, on) < of(row, &at, best) { on } else { best });
                let best = best.unwrap_or_default();
                at[best] += row[best];
                ensure!(mapping.resources()[task] == best, "{kind}: task {task} not on {best}");
                ensure!(mapping.finishes()[task].get() == at[best], "{kind}: task {task} ends otherwise");
            }
        }
        Ok(())
    }
}

impl Target for Huge {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        // Mostly a hundredth, so that the short run stays short.
        let size = if rng.percent(10) { 100_000 } else { 1_000 };
        Case { kind: rng.below(5), size, seed: rng.next() >> 1 }
    }

    fn judge(case: &Case) -> Verdict {
        if case.size == 0 || case.size > 1_000_000 {
            return Ok(());
        }
        match case.kind % 5 {
            0 => case.sparse(),
            1 => case.few_resources(),
            2 => case.windows(),
            3 => case.choice(),
            _ => case.mapping(),
        }
    }
}
