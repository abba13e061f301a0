//! Random grids: what is charged is what was used, what users pay is what sites earn, and no CPU is held
//! twice.

use crate::common::{machine, most_busy, span};
use econsched::testkit;
use grid_heuristics::{TradeOffKind, TradeOffMetric};
use grid_sim::*;
use proptest::prelude::*;
use sched_model::*;
use slot_window::SearchKind;

/// Spreads each job over as many resources as `spread` says, where it starts first.
#[derive(Debug)]
struct Spreading {
    spread: usize,
}

impl BatchScheduler for Spreading {
    fn name(&self) -> &str {
        "spreading"
    }

    fn schedule(
        &mut self,
        now: Time,
        jobs: &[&GridJob],
        offers: &[Offer<'_>],
    ) -> Result<Schedule<GridPlace>, SimError> {
        let mut free: Vec<Profile> = offers.iter().map(|offer| offer.free.clone()).collect();
        let mut schedule = Schedule::default();
        for job in jobs {
            let parts = |count: usize, first: usize| -> Vec<PlacePart> {
                (0..count)
                    .map(|at| {
                        let resource = (first + at) % offers.len();
                        let count = count as u32;
                        let cpus = job.cpus() / count + u32::from((at as u32) < job.cpus() % count);
                        let span = job.time_on(resource, offers[resource].machine);
                        PlacePart { resource, cpus, span }
                    })
                    .collect()
            };
            let count = self.spread.min(offers.len()).min(job.cpus() as usize);
            // A start for all parts: the latest of their earliest ones, again until they agree.
            let common = |parts: &[PlacePart], free: &[Profile]| {
                let mut start = now;
                loop {
                    let mut next = start;
                    for part in parts {
                        next = next.max(free[part.resource].earliest_fit(part.cpus, part.span, start)?);
                    }
                    if next == start {
                        return Some(start);
                    }
                    start = next;
                }
            };
            let choice = (0..offers.len())
                .filter_map(|first| Some((common(&parts(count, first), &free)?, first)))
                .min();
            match choice {
                Some((start, first)) => {
                    let parts = parts(count, first);
                    for part in &parts {
                        free[part.resource].reserve(start, start + part.span, part.cpus)?;
                    }
                    schedule.place(job.job.id, GridPlace { start, parts })?;
                }
                // Odd jobs are put off, even ones refused.
                None if job.job.id.0 % 2 == 1 => {}
                None => schedule.refuse(job.job.id, Refusal::NoCapacity)?,
            }
        }
        Ok(schedule)
    }
}

#[derive(Debug, Clone)]
struct Setup {
    cpus: Vec<u32>,
    local: Vec<Vec<LocalJob>>,
    jobs: Vec<GridJob>,
    spread: usize,
    interval: f64,
    policy: PolicyKind,
    extend: bool,
}

fn setup() -> impl Strategy<Value = Setup> {
    let shape = (prop::collection::vec(1u32..8, 1..4), 1usize..3, 0u32..30, 0usize..3, any::<bool>());
    shape.prop_flat_map(|(cpus, spread, interval, policy, extend)| {
        let sites = cpus.len();
        let local = prop::collection::vec((0..sites, 0u32..200, 1u32..9, 1u32..20, 0u32..25), 0..30);
        let times = prop::collection::vec(1u32..20, sites);
        let jobs = prop::collection::vec((0u32..200, 1usize..10, 0u32..4, times, 0u32..3), 0..30);
        (Just(cpus), local, jobs).prop_map(move |(cpus, local, jobs)| {
            let mut by_site = vec![Vec::new(); sites];
            for (index, (site, submit, cpus, requested, actual)) in local.into_iter().enumerate() {
                let submit = Time::must(f64::from(submit));
                let job = LocalJob::new(JobId(index as u64), submit, cpus, span(requested), span(actual));
                by_site[site].push(job.unwrap());
            }
            let jobs = jobs.into_iter().enumerate().map(|(index, (submit, nodes, halves, times, user))| {
                let request = ResourceRequest::new(nodes, Work::must(1.0)).unwrap();
                let job = Job::new(JobId(index as u64), request)
                    .with_submit(Time::must(f64::from(submit)))
                    .with_user(UserId(user));
                let times = times.into_iter().map(span).collect();
                GridJob::new(job)
                    .with_times(times)
                    .and_then(|job| job.with_actual_share(f64::from(halves) / 2.0))
                    .unwrap()
            });
            Setup {
                cpus,
                local: by_site,
                jobs: jobs.collect(),
                spread,
                interval: f64::from(interval),
                policy: PolicyKind::ALL[policy],
                extend,
            }
        })
    })
}

fn machines(setup: &Setup) -> Vec<Machine> {
    (0..).zip(&setup.cpus).map(|(at, &cpus)| machine(at, cpus, 1, 1 + at)).collect()
}

fn simulate(setup: &Setup) -> GridOutcome {
    let resources =
        machines(setup).into_iter().zip(&setup.local).enumerate().map(|(at, (machine, local))| {
            Resource::new(SiteId(at as u32), format!("site {at}"), machine)
                .with_policy(setup.policy.build())
                .with_local_jobs(local.clone())
        });
    let overrun = if setup.extend { Overrun::Extend(span(3)) } else { Overrun::Kill };
    Grid::new(resources.collect())
        .with_interval(Span::must(setup.interval))
        .with_patience(5)
        .with_overrun(overrun)
        .run(&setup.jobs, &mut Spreading { spread: setup.spread })
        .unwrap()
}

proptest! {
    #[test]
    fn nothing_is_lost_and_nothing_is_held_twice(setup in setup()) {
        let outcome = simulate(&setup);
        let held = |record: &JobRecord, part: &Part| (part.end - record.start.unwrap()).get() * f64::from(part.cpus);
        for (at, resource) in outcome.resources.iter().enumerate() {
            let (mut charged, mut earned) = (0.0, 0.0);
            for record in outcome.records.iter().chain(&resource.local) {
                for part in record.parts.iter().filter(|part| part.site == resource.site) {
                    charged += held(record, part);
                    earned += part.cost.get();
                }
            }
            prop_assert_eq!(charged, resource.used.get(), "CPU time charged is CPU time used");
            prop_assert_eq!(earned, resource.earned.get());
            prop_assert_eq!(earned, outcome.report.sites[at].earned.get());
            let all = outcome.records.iter().chain(&resource.local);
            let busy = most_busy(resource.site, all, std::iter::empty());
            prop_assert!(busy <= i64::from(setup.cpus[at]));
            for (record, job) in resource.local.iter().zip(&setup.local[at]) {
                prop_assert_eq!(record.start.is_some(), job.cpus() <= setup.cpus[at]);
                prop_assert_eq!(record.cost(), Money::ZERO);
            }
        }
        // No broker is below the bounds of the jobs that ran to their end.
        let done = outcome.records.iter().zip(&setup.jobs).filter(|(record, _)| record.ending == Ending::Done);
        let (records, jobs): (Vec<JobRecord>, Vec<&GridJob>) = done.map(|(record, job)| (record.clone(), job)).unzip();
        let done_jobs = jobs.clone();
        let bounds = lower_bounds(&machines(&setup), jobs);
        let reached = Report::new(&records, &[], Span::ZERO);
        prop_assert!(bounds.cost.get() <= reached.cost.get() * (1.0 + 1e-12), "{:?} {}", bounds, reached.cost);
        prop_assert!(bounds.makespan.get() <= reached.makespan.get() * (1.0 + 1e-12), "{:?}", bounds);
        if setup.spread == 1 {
            let unsplit = lower_bounds_unsplit(&machines(&setup), done_jobs);
            prop_assert!(bounds.cost <= unsplit.cost);
            prop_assert!(unsplit.cost.get() <= reached.cost.get() * (1.0 + 1e-12), "{:?}", unsplit);
            prop_assert!(unsplit.makespan.get() <= reached.makespan.get() * (1.0 + 1e-12), "{:?}", unsplit);
        }
        let paid: f64 = outcome.report.users.iter().map(|user| user.paid.get()).sum();
        let earned: f64 = outcome.resources.iter().map(|resource| resource.earned.get()).sum();
        prop_assert_eq!(paid, earned, "money paid by users is money earned by sites");
        for (record, job) in outcome.records.iter().zip(&setup.jobs) {
            match &record.ending {
                Ending::Done | Ending::Killed => {
                    let start = record.start.unwrap();
                    prop_assert!(start >= job.job.submit);
                    prop_assert_eq!(record.parts.iter().map(|part| part.cpus).sum::<u32>(), job.cpus());
                    let fair = record.parts.iter().all(|part| {
                        let asked = job.times().unwrap()[part.site.0 as usize].get();
                        let took = (part.end - start).get();
                        took <= asked * job.actual_share() && (setup.extend || took <= asked)
                    });
                    prop_assert!(fair);
                    if job.actual_share() <= 1.0 {
                        prop_assert_eq!(&record.ending, &Ending::Done);
                    } else if !setup.extend {
                        prop_assert_eq!(&record.ending, &Ending::Killed);
                    }
                }
                Ending::Refused(_) => prop_assert!(record.start.is_none() && record.parts.is_empty()),
                other => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert_eq!(simulate(&setup), outcome, "the same course on every run");
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
        for goal in [batch_dp::Goal::MinCost { time_limit: None }, batch_dp::Goal::MinTime { budget: None }] {
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
    let error = grid.run(&[short], &mut Spreading { spread: 1 }).unwrap_err();
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
