//! Results of the libraries print in a form that a person can read.
#![cfg(all(feature = "full", feature = "serde"))]

use econsched::{auction_assign, batch_dp, grid_heuristics, grid_sim, joint_plan, live_broker, sched_model};

#[test]
fn answers_are_printed_in_a_line() -> Result<(), Box<dyn std::error::Error>> {
    use grid_heuristics::MappingHeuristic;
    use sched_model::{
        Batch, EtcMatrix, Job, JobId, Node, Price, ResourceRequest, SlotList, Span, Speed, Time, Work,
    };
    let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
    assert_eq!(
        grid_heuristics::MappingKind::MinMin.map(&etc)?.to_string(),
        "3 tasks on 2 resources, makespan 9"
    );

    let hours = [4.0, 1.0, 2.0, 3.0, 5.0, 2.0];
    let costs = auction_assign::Costs::dense(3, 2, &hours)?;
    let problem = auction_assign::AssignmentProblem::new(costs).with_capacities(&[1, 2]);
    let assignment = auction_assign::assign(&problem)?.solution()?;
    assert_eq!(assignment.to_string(), "3 of 3 jobs placed, total 5");
    let certificate = auction_assign::verify(&problem, &assignment)?;
    assert_eq!(certificate.to_string(), "total 5, bound 5, gap 0");

    let batch = batch_dp::Alternatives::new(&[vec![(10.0, 4.0), (6.0, 7.0)], vec![(5.0, 2.0), (3.0, 3.0)]])?;
    let chosen = |budget| {
        use batch_dp::{ChoiceProblem, Chooser, ExpandingCore};
        use sched_model::Goal;
        ExpandingCore.choose(&ChoiceProblem::new(&batch, Goal::MinTime { budget: Some(budget) }))
    };
    let refused = chosen(8.0)?.to_string();
    assert!(refused.starts_with("no solution: every choice uses at least 9, the limit is 8"), "{refused}");
    assert!(chosen(13.0)?.to_string().starts_with("value 7"), "{}", chosen(13.0)?);
    assert_eq!(chosen(13.0)?.solution()?.to_string(), "cost 13, time 7; alternatives 0, 1");

    let node = Node::must(1, 1.0, 2.0);
    let slots = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(100.0))?;
    let job = Job::new(JobId(1), ResourceRequest::new(1, Work::must(30.0))?);
    let batch = Batch::new(vec![job.clone()])?;
    let problem = joint_plan::PlanProblem::new(&slots, &batch, sched_model::Goal::MinFinish { budget: None });
    let outcome = joint_plan::plan(&problem)?;
    assert!(outcome.to_string().starts_with("value 30, gap "), "{outcome}");
    assert_eq!(outcome.solution()?.to_string().trim(), "job 1: [0, 30) for 60 on node 1");

    let mut broker = live_broker::Broker::new(live_broker::Config::new(Span::must(100.0)))?;
    for input in
        [live_broker::Input::from(node), live_broker::Input::from(job.clone()), live_broker::Input::Wake]
    {
        broker.handle(Time::ZERO, input)?;
    }
    let first = broker.poll().ok_or("no decision")?;
    assert_eq!(first.to_string(), "#0 at 0: promise job 1 [0, 30) for 60 on node 1");
    let quotes = broker.quote(&job, 1, &sched_model::Limit::default())?.to_string();
    assert!(quotes.starts_with("1 window; ") && quotes.ends_with("\n[30, 60) for 60 on node 1"), "{quotes}");
    let explanation = broker.explain(JobId(1))?.to_string();
    assert!(explanation.contains("; 1 of 1 nodes usable"), "{explanation}");

    let machine = sched_model::Machine::new(sched_model::MachineId(0), 2, Speed::ETALON, Price::must(2.0))?;
    let local = grid_sim::LocalJob::new(JobId(1), Time::ZERO, 1, Span::must(10.0), Span::must(10.0))?;
    let run = grid_sim::easy(&machine, &[local])?.to_string();
    assert!(run.contains(" events\n1 job: 1 done\nmakespan 10, cost 20, utilisation 0.500\n"), "{run}");
    Ok(())
}
