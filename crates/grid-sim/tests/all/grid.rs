//! Random grids: what is charged is what was used, what users pay is what sites earn, and no CPU is held
//! twice.

use crate::common::{machine, most_busy, outages_on, span};
use batch_dp::{Goal, Preference, VectorCriterion};
use econsched::testkit;
use grid_heuristics::{TradeOffKind, TradeOffMetric};
use grid_sim::*;
use live_broker::Prefer;
use proptest::prelude::*;
use sched_model::*;
use slot_window::SearchKind;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// CPUs in use and CPUs that are down are never more than there are, what users pay is what sites earn, and a job
    /// that loses its CPU is tried again.
    #[test]
    fn money_and_time_add_up_under_every_search(
        machines in prop::collection::vec((1u32..5, 1u32..4, 0u32..5), 1..4),
        local in prop::collection::vec((0usize..3, 0u32..100, 1u32..6, 1u32..20, 0u32..25), 0..20),
        jobs in prop::collection::vec((0u32..150, 1usize..6, 1u32..60, 0u32..3, 1u32..4, 1u32..7), 1..15),
        times in prop::option::of(prop::collection::vec(1u32..20, 3)),
        outages in prop::collection::vec((0usize..3, 0u32..4, 0u32..150, 1u32..60, any::<bool>()), 0..8),
        cancelled in prop::collection::vec((0u32..200, 0usize..15), 0..4),
        kind in prop::sample::select(SearchKind::ALL.to_vec()),
        (min_time, prefer, extends) in (any::<bool>(), 0usize..4, any::<bool>()),
        policy in prop::sample::select(PolicyKind::ALL.to_vec()),
        interval in prop::sample::select(vec![0u32, 20]),
    ) {
        let cpus: Vec<u32> = machines.iter().map(|&(cpus, ..)| cpus).collect();
        let machines: Vec<Machine> =
            (0..).zip(&machines).map(|(id, &(cpus, speed, price))| machine(id, cpus, speed, price)).collect();
        let resources = (0..).zip(&machines).map(|(id, machine)| {
            let of = local.iter().filter(|(site, ..)| site % machines.len() == id as usize);
            let local = (0..).zip(of).map(|(job, &(_, submit, wide, asks, takes))| {
                LocalJob::new(JobId(job), Time::must(f64::from(submit)), wide, span(asks), span(takes)).unwrap()
            });
            Resource::new(SiteId(id), "", *machine).with_policy(policy.build()).with_local_jobs(local.collect())
        });
        let made = (0..).zip(&jobs).map(|(id, &(submit, nodes, work, user, priority, quarters))| {
            let request = ResourceRequest::new(nodes, Work::must(f64::from(work))).unwrap();
            let job = Job::new(JobId(id), request.with_price_limit(Price::must(f64::from(2 + user))))
                .with_submit(Time::must(f64::from(submit)))
                .with_user(UserId(user))
                .with_priority(Priority::must(f64::from(priority)));
            let job = GridJob::new(job).with_actual_share(f64::from(quarters) / 4.0).unwrap();
            match &times {
                Some(times) => {
                    job.with_times(times[..machines.len()].iter().map(|&time| span(time)).collect()).unwrap()
                }
                None => job,
            }
        });
        let made: Vec<GridJob> = made.collect();
        // Of each CPU in order, none beginning before the one before has ended.
        let mut outages = outages_on(&cpus, &outages);
        outages.sort_by_key(|outage| (outage.machine, outage.cpu, outage.from));
        outages.dedup_by(|later, before| {
            (later.machine, later.cpu) == (before.machine, before.cpu) && later.from < before.until
        });
        let cancelled = cancelled.iter().filter(|(_, job)| *job < jobs.len());
        let cancelled: Vec<(Time, JobId)> =
            cancelled.map(|&(at, job)| (Time::must(f64::from(at)), JobId(job as u64))).collect();
        let goal = if min_time { Goal::MinTime { budget: None } } else { Goal::MinCost { time_limit: None } };
        let mut broker = TwoPhaseBroker::new(kind.build(), span(500)).with_goal(goal).with_max_alternatives(8);
        let order = Preference::Lexicographic(vec![VectorCriterion::TimeLeft, VectorCriterion::Cost]);
        broker = match prefer {
            1 => broker.with_preference(Prefer::Makespan),
            2 if min_time => broker.with_preference(Prefer::MeanFinish),
            3 => broker.with_preference(Prefer::Vector(order)),
            _ => broker,
        };
        let grid = Grid::new(resources.collect())
            .with_interval(span(interval))
            .with_patience(60)
            .with_outages(outages.clone())
            .with_cancellations(cancelled.clone())
            .with_overrun(if extends { Overrun::Extend(span(3)) } else { Overrun::Kill });
        let outcome = grid.run(&made, &mut broker).unwrap();
        let paid: f64 = outcome.report.users.iter().map(|user| user.paid.get()).sum();
        let earned: f64 = outcome.resources.iter().map(|resource| resource.earned.get()).sum();
        prop_assert!((paid - earned).abs() <= 1e-9 * earned.max(1.0), "{} paid, {} earned", paid, earned);
        for (at, resource) in outcome.resources.iter().enumerate() {
            let records = || outcome.records.iter().chain(&resource.local);
            let down = outages.iter().filter(|outage| outage.machine == at);
            let busy = most_busy(resource.site, records(), down.map(|outage| (outage.from, outage.until)));
            prop_assert!(busy <= i64::from(cpus[at]), "{} of {} CPUs of {}", busy, cpus[at], resource.site);
            let parts = records().flat_map(|record| record.parts.iter().map(move |part| (record, part)));
            let held = parts.filter(|(_, part)| part.site == resource.site);
            let price = machines[at].price();
            let held: f64 =
                held.map(|(record, part)| (part.end - record.start.unwrap()).get() * f64::from(part.cpus)).sum();
            // A run that an outage ended is in no record.
            prop_assert!(resource.used.get() - held >= -1e-6 * held.max(1.0));
            prop_assert!(!outages.is_empty() || resource.used.get() - held <= 1e-6 * held.max(1.0));
            let of_local = resource.local.iter().all(|record| record.cost() == Money::ZERO);
            prop_assert!(of_local && resource.earned == outcome.report.sites[at].earned);
            prop_assert!(resource.earned.get() <= price.get() * held * (1.0 + 1e-9));
        }
        // No broker is below the bounds of the jobs that ran to their end.
        let done = outcome.records.iter().zip(&made).filter(|(record, _)| record.ending == Ending::Done);
        let (records, done): (Vec<JobRecord>, Vec<&GridJob>) = done.map(|(record, job)| (record.clone(), job)).unzip();
        let mut bounds = vec![lower_bounds(&machines, done.iter().copied())];
        if records.iter().all(|record| record.parts.len() == 1) {
            bounds.push(lower_bounds_unsplit(&machines, done));
            prop_assert!(bounds[0].cost <= bounds[1].cost);
        }
        let reached = Report::new(&records, &[], Span::ZERO);
        for bounds in bounds {
            prop_assert!(bounds.cost.get() <= reached.cost.get() * (1.0 + 1e-12), "{:?} {}", bounds, reached.cost);
            prop_assert!(bounds.makespan.get() <= reached.makespan.get() * (1.0 + 1e-12), "{:?}", bounds);
        }
        for (record, job) in outcome.records.iter().zip(&made) {
            let given_up = cancelled.iter().any(|(_, id)| *id == record.id);
            match &record.ending {
                Ending::Done | Ending::Killed => {
                    let (start, share) = (record.start.unwrap(), job.actual_share());
                    // What may go on is stopped only where others are promised its CPUs.
                    let killed = record.ending == Ending::Killed;
                    prop_assert!(if killed { share > 1.0 } else { extends || share <= 1.0 }, "{:?}", record);
                    prop_assert_eq!(record.parts.iter().map(|part| part.cpus).sum::<u32>(), job.cpus());
                    prop_assert!(start >= record.submit);
                    // Some searches hold all parts for as long as the slowest takes.
                    let asked = record.parts.iter().map(|part| part.site.0 as usize);
                    let slowest = asked.map(|at| job.time_on(at, &machines[at]).get()).fold(0.0, f64::max);
                    let most = slowest * if extends { share } else { share.min(1.0) };
                    prop_assert!((record.end().unwrap() - start).get() <= most * (1.0 + 1e-9), "{:?}", record);
                }
                Ending::Cancelled => prop_assert!(given_up && record.cost() == Money::ZERO),
                Ending::Refused(Refusal::TooFewNodes { needed, .. }) => {
                    prop_assert!(*needed > cpus.iter().sum::<u32>() as usize);
                }
                Ending::Refused(_) => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}

#[test]
fn every_broker_passes_the_checks_of_users() {
    for &kind in TradeOffKind::ALL {
        let make = move || Box::new(TradeOffBroker::of_kind(kind, TradeOffMetric::default())) as _;
        let check = testkit::scheduler(make).with_limits_kept();
        check.run(150).unwrap_or_else(|fault| panic!("{kind}: {fault}"));
    }
    for kind in [SearchKind::Amp, SearchKind::MinCostRough, SearchKind::MinFinish] {
        for goal in [Goal::MinCost { time_limit: None }, Goal::MinTime { budget: None }] {
            let make = move || {
                Box::new(TwoPhaseBroker::new(kind.build(), Span::must(1e4)).with_goal(goal))
                    as Box<dyn BatchScheduler>
            };
            testkit::scheduler(make).run(60).unwrap_or_else(|fault| panic!("{kind}: {fault}"));
        }
    }
}

/// Gives one fixed answer to every question.
#[derive(Debug)]
struct Fixed(Schedule<GridPlace>);
impl BatchScheduler for Fixed {
    fn name(&self) -> &str {
        "fixed"
    }
    fn schedule(
        &mut self,
        _now: Time,
        _jobs: &[&GridJob],
        _offers: &[Offer<'_>],
    ) -> Result<Schedule<GridPlace>, SimError> {
        Ok(self.0.clone())
    }
}

#[test]
fn bad_answers_of_a_scheduler_are_errors_that_name_the_job() {
    let job = GridJob::new(Job::new(JobId(5), ResourceRequest::new(2, Work::must(10.0)).unwrap()));
    let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::ZERO).unwrap();
    let answer = |job, resource, cpus, start| {
        let mut schedule = Schedule::default();
        let part = PlacePart { resource, cpus, span: Span::must(10.0) };
        schedule.place(JobId(job), GridPlace { start: Time::must(start), parts: vec![part] }).unwrap();
        Fixed(schedule)
    };
    let message = |mut scheduler: Fixed| {
        let grid = Grid::new(vec![Resource::new(SiteId(0), "one", machine)]);
        let late = job.job.with_submit(Time::must(60.0));
        grid.run(&[GridJob::new(late)], &mut scheduler).unwrap_err().to_string()
    };
    assert_eq!(message(answer(6, 0, 2, 100.0)), "fixed named job 6, which does not wait");
    assert_eq!(message(answer(5, 0, 2, 99.0)), "fixed placed job 5 at 99: it is already 100");
    assert_eq!(message(answer(5, 0, 1, 100.0)), "fixed placed job 5 at 100: 1 CPUs instead of 2");
    assert_eq!(message(answer(5, 1, 2, 100.0)), "fixed placed job 5 at 100: there is no resource 1");

    let grid = Grid::new(vec![Resource::new(SiteId(0), "one", machine)]);
    let short = job.clone().with_times(vec![]).unwrap();
    let error = grid.run(&[short], &mut Fixed(Schedule::default())).unwrap_err();
    assert_eq!(error.to_string(), "the expected times of job 5 must have 1 entries, got 0");
}

#[test]
fn a_job_is_left_waiting_as_often_as_patience_allows() {
    let machine = Machine::new(MachineId(0), 2, Speed::ETALON, Price::ZERO).unwrap();
    let job = GridJob::new(Job::new(JobId(5), ResourceRequest::new(2, Work::must(10.0)).unwrap()));
    let grid = || Grid::new(vec![Resource::new(SiteId(0), "one", machine)]).with_patience(3);
    let idle = || Fixed(Schedule::default());
    let outcome = grid().run(std::slice::from_ref(&job), &mut idle()).unwrap();
    assert_eq!((outcome.cycles, &outcome.records[0].ending), (3, &Ending::Refused(Refusal::NoCapacity)));
    // In immediate mode there is no next interval.
    let outcome = grid().with_interval(Span::ZERO).run(&[job], &mut idle()).unwrap();
    assert_eq!((outcome.cycles, &outcome.records[0].ending), (1, &Ending::Refused(Refusal::NoCapacity)));
}
