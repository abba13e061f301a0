//! Choosers, assigners and mapping heuristics that are broken on purpose.

use super::{Own, found};
use econsched::auction_assign::{
    AssignError, Assigner, AssignerKind, Assignment, AssignmentProblem, Coverage, Shortage,
};
use econsched::batch_dp::{
    Alternatives, BatchError, Choice, ChoiceProblem, ChoiceRefusal, Chooser, ExpandingCore,
};
use econsched::grid_heuristics::{HeuristicError, Mapping, MappingHeuristic, MappingKind};
use econsched::sched_model::{End, EtcMatrix, Goal, Meter, Outcome, Time};
use econsched::testkit;

type Chosen = Outcome<Choice, ChoiceRefusal>;
type Solve = fn(&ChoiceProblem<'_>, &mut Meter) -> Result<Chosen, BatchError>;

impl Chooser for Own<Solve> {
    fn name(&self) -> &'static str {
        "own"
    }
    fn solve(&self, problem: &ChoiceProblem<'_>, meter: &mut Meter) -> Result<Chosen, BatchError> {
        (self.0)(problem, meter)
    }
}

fn right(problem: &ChoiceProblem<'_>, meter: &mut Meter) -> Result<Chosen, BatchError> {
    ExpandingCore.solve(problem, meter)
}

#[test]
fn choosers() {
    let broken = |kind, solve: Solve| found(testkit::chooser(&Own(solve)).run(300), kind);
    broken("sums", |problem, meter| {
        let mut outcome = right(problem, meter)?;
        if let Some(choice) = &mut outcome.best {
            let picked = choice.picks.iter().enumerate();
            let cost = |(job, pick): (usize, &Option<usize>)| problem.alternatives.of_job(job).nth((*pick)?);
            choice.cost = picked.filter_map(cost).map(|pair| pair.0).sum();
        }
        Ok(outcome)
    });
    broken("over the limit", |problem, meter| {
        right(&ChoiceProblem::new(problem.alternatives, problem.goal.with_limit(None)), meter)
    });
    broken("not best", |problem, meter| {
        let Goal::MinTime { budget } = problem.goal else { return right(problem, meter) };
        right(&ChoiceProblem::new(problem.alternatives, Goal::MaxTime { budget }), meter)
    });
    broken("refusal", |_, _| {
        let refusal = ChoiceRefusal::OutOfReach { least: 1.0, limit: 0.0 };
        Ok(Outcome::infeasible(0).with_refusal(Some(refusal)))
    });
    broken("bound", |problem, meter| {
        let mut outcome = right(problem, meter)?;
        if outcome.best.is_some() {
            outcome.end = End::Work;
            outcome.bound = outcome.value.map(|value| value - problem.goal.sense().sign());
        }
        Ok(outcome)
    });
    broken("memory", |problem, meter| {
        let outcome = right(problem, meter);
        let _ = meter.reserve(64);
        outcome
    });
}

type Assigned = Outcome<Assignment, Shortage>;
type Assign = fn(&AssignmentProblem<'_>, &mut Meter) -> Result<Assigned, AssignError>;

impl Assigner for Own<Assign> {
    fn name(&self) -> &'static str {
        "own"
    }
    fn solve(&self, problem: &AssignmentProblem<'_>, meter: &mut Meter) -> Result<Assigned, AssignError> {
        (self.0)(problem, meter)
    }
}

#[test]
fn assigners() {
    let broken = |kind, assign: Assign| found(testkit::assigner(&Own(assign)).run(400), kind);
    broken("not best", |problem, meter| {
        let mut outcome = AssignerKind::Greedy.solve(problem, meter)?;
        outcome.bound = outcome.value;
        Ok(outcome)
    });
    broken("bound", |problem, meter| {
        let mut outcome = AssignerKind::Automatic.solve(problem, meter)?;
        outcome.bound = outcome.bound.map(|bound| bound - problem.sense.sign());
        Ok(outcome)
    });
    // All on the resource of the first.
    broken("rules", |problem, meter| {
        let mut outcome = AssignerKind::Automatic.solve(problem, meter)?;
        if let Some(assignment) = &mut outcome.best
            && let Some(first) = assignment.resources.first().copied().flatten()
        {
            assignment.resources.fill(Some(first));
        }
        Ok(outcome)
    });
    broken("shortage", |problem, meter| {
        if problem.coverage != Coverage::EveryJob {
            return AssignerKind::Automatic.solve(problem, meter);
        }
        let jobs = (0..problem.costs.rows() as u32).collect();
        let shortage = Shortage { jobs, resources: vec![], capacity: 0 };
        Ok(Outcome::infeasible(1).with_refusal(Some(shortage)))
    });
    broken("error", |_, _| Ok(Outcome::stopped(None, None, 1, End::Work).with_refusal(None)));
    broken("takes nothing", |_, _| Err(AssignError::Unsupported { method: "own", reason: "nothing is" }));
    let bare: Own<Assign> = Own(|problem, meter| {
        let mut outcome = AssignerKind::Automatic.solve(problem, meter)?;
        outcome.best.iter_mut().for_each(|assignment| assignment.duals = None);
        Ok(outcome)
    });
    assert!(testkit::assigner(&bare).run(100).is_ok());
    found(testkit::assigner(&bare).with_duals().run(100), "no duals");
}

type Map = fn(&EtcMatrix, &mut Meter) -> Result<Mapping, HeuristicError>;

impl MappingHeuristic for Own<Map> {
    fn name(&self) -> &str {
        "own"
    }
    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
        (self.0)(etc, meter)
    }
}

fn all_on_the_first(etc: &EtcMatrix) -> Result<Mapping, HeuristicError> {
    Mapping::from_order(etc, (0..etc.rows()).map(|task| (task, 0)))
}

#[test]
fn mappings() {
    let broken = |kind, map: Map| found(testkit::mapping(&Own(map)).run(300), kind);
    broken("mapping", |etc, meter| {
        let at_once = vec![Time::ZERO; etc.ready().len()];
        MappingKind::MinMin.solve(&etc.clone().with_ready(at_once), meter)
    });
    broken("ready times", |etc, meter| {
        meter.spend(1)?;
        let mut ready: Vec<Time> = etc.ready().collect();
        ready.resize(etc.cols(), Time::ZERO);
        all_on_the_first(&etc.clone().with_ready(ready))
    });
    broken("ignores the limit", |etc, _| all_on_the_first(etc));
    let reversed: Own<Map> = Own(|etc, meter| {
        meter.spend(1)?;
        Mapping::from_order(etc, (0..etc.rows()).rev().map(|task| (task, 0)))
    });
    testkit::mapping(&reversed).run(300).unwrap();
    // The minimum makespan of what was tried so far, but with more work the greater.
    broken("worse with more", |etc, meter| {
        meter.spend(1)?;
        let kind = if meter.spend(1).is_ok() { MappingKind::Olb } else { MappingKind::MinMin };
        kind.map(etc)
    });
}

#[test]
fn mappings_are_made_of_decisions_in_any_order() {
    use econsched::sched_model::ModelError;
    let etc = EtcMatrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]]).unwrap();
    let of = |decisions: &[(usize, usize)]| Mapping::from_order(&etc, decisions.iter().copied());
    assert_eq!(of(&[(1, 0), (0, 0)]).unwrap().finishes, [Time::must(4.0), Time::must(3.0)]);
    assert_eq!(of(&[(1, 0)]), Err(HeuristicError::Incomplete { mapped: 1, tasks: 2 }));
    let model = |error: ModelError| Err(HeuristicError::Model(error));
    assert_eq!(of(&[(1, 0), (1, 1)]), model(ModelError::RepeatedId { what: "task", id: 1 }));
    assert_eq!(of(&[(2, 0)]), model(ModelError::UnknownId { what: "task", id: 2 }));
    assert_eq!(of(&[(0, 2)]), model(ModelError::UnknownId { what: "resource", id: 2 }));
}

#[test]
fn a_chooser_that_ends_by_its_meter_before_it_holds_anything_passes() {
    let careful: Own<Solve> = Own(|problem, meter| {
        meter.spend(problem.alternatives.jobs() as u64)?;
        right(problem, meter)
    });
    testkit::chooser(&careful).run(100).unwrap();
    let alternatives = Alternatives::new(&[vec![(1.0, 1.0)]]).unwrap();
    let problem = ChoiceProblem::new(&alternatives, Goal::MinCost { time_limit: None });
    let never: Own<Solve> = Own(|_, _| Err(End::Work.into()));
    let outcome = never.choose(&problem).unwrap();
    assert_eq!((outcome.best, outcome.end), (None, End::Work));
}
