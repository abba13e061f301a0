//! The trade-off heuristics, compared with the literal pseudo code and with cases computed by hand.

use crate::definitions;
use econsched::testkit::{Draw, Stopped, Stops, drawn};
use grid_heuristics::{
    Averages, ClusterView, HeuristicError, Reservation, TradeOffHeuristic, TradeOffKind, TradeOffMetric,
    TradeOffProblem,
};
use sched_model::{
    End, EtcMatrix, Job, JobId, Meter, ModelError, Money, Price, Profile, Refusal, ResourceRequest, Schedule,
    Span, Speed, Time, TradeOff,
};
use std::collections::BTreeMap;

fn places(schedule: &Schedule<Reservation>) -> BTreeMap<JobId, Reservation> {
    schedule.placed().map(|(job, place)| (job, *place)).collect()
}

fn t(time: f64) -> Time {
    Time::must(time)
}

fn job(id: u64, cpus: usize) -> Job {
    Job::new(JobId(id), ResourceRequest::must(cpus, 1.0))
}

fn cluster(cpus: u32, price: f64) -> ClusterView {
    let free = Profile::new(cpus, Time::ZERO);
    ClusterView { speed: Speed::ETALON, price: Price::must(price), free }
}

/// Jobs on clusters, with their times.
#[derive(Clone)]
struct Instance {
    jobs: Vec<Job>,
    clusters: Vec<ClusterView>,
    times: EtcMatrix,
}

impl Instance {
    fn new(clusters: &[ClusterView], jobs: Vec<(Job, Vec<f64>)>) -> Self {
        let (jobs, times): (Vec<_>, Vec<_>) = jobs.into_iter().unzip();
        let values = times.concat();
        let times = EtcMatrix::new(jobs.len(), clusters.len(), values).unwrap();
        Self { jobs, clusters: clusters.to_vec(), times }
    }

    fn problem(&self) -> TradeOffProblem<'_> {
        TradeOffProblem::new(&self.jobs, &self.clusters).with_times(&self.times)
    }

    /// The same with one of its clusters alone.
    fn only(&self, at: usize) -> Self {
        let column: Vec<[f64; 1]> = (0..self.jobs.len()).map(|job| [self.times[job][at]]).collect();
        let times = EtcMatrix::new(self.jobs.len(), 1, column.concat()).unwrap();
        Self { clusters: vec![self.clusters[at].clone()], times, ..self.clone() }
    }
}

/// Everyday numbers; or widths, times, prices and instants at the ends of what a quantity may be: averages that vanish
/// beside responses that do not, factors that leave one term a last bit, costs beyond what money holds.
fn instance(draw: &mut Draw) -> (Instance, TradeOffMetric) {
    let everyday = draw.chance(60);
    let extreme = |draw: &mut Draw| draw.of([0.0, -0.0, 5e-324, 1e-300, 1e-60, 0.1, 1.0, 1e30, 1e60]);
    let number = |draw: &mut Draw, bound| if everyday { draw.below(bound) as f64 } else { extreme(draw) };
    let width =
        |draw: &mut Draw| if everyday { draw.between(1, 6) } else { draw.of([1, 2, 3, 4_000_000_000]) };
    let quarters = |draw: &mut Draw| TradeOff::must(draw.below(5) as f64 / 4.0);
    let one = |_| {
        let mut cluster = cluster(width(draw) as u32, number(draw, 4));
        cluster.speed = Speed::must(draw.between(1, 3) as f64);
        for _ in 0..draw.below(6) {
            let start = draw.below(40);
            let end = t((start + draw.between(1, 19)) as f64);
            // Where it does not fit, the cluster stays as it is.
            let _ = cluster.free.reserve(t(start as f64), end, draw.between(1, 3) as u32);
        }
        if draw.chance(50) {
            let steps = cluster.free.steps().filter(|step| step.0 < t(60.0)).chain([(t(60.0), 0)]);
            cluster.free = Profile::from_steps(cluster.free.cpus(), &steps.collect::<Vec<_>>()).unwrap();
        }
        cluster
    };
    let clusters: Vec<ClusterView> = (0..4).map(one).collect();
    let clusters = &clusters[draw.below(4)..];
    let jobs = (0..draw.below(25) as u64).map(|id| {
        let time = |_| match draw.below(15) {
            _ if !everyday => extreme(draw),
            0..9 => draw.between(1, 5) as f64,
            9..14 => 0.1 + 8.9 * draw.unit(),
            _ => 0.0,
        };
        let times = clusters.iter().map(time).collect();
        let limit = |draw: &mut Draw| draw.chance(20).then(|| draw.between(1, 59) as f64);
        let (budget, deadline) = (limit(draw).map(Money::must), limit(draw).map(Time::must));
        let mut job = job(id, width(draw)).with_submit(t(number(draw, 20))).with_trade_off(quarters(draw));
        (job.request.budget, job.request.deadline) = (budget, deadline);
        // Mostly any speed.
        job.request.min_speed = Speed::must([0.5, 0.5, 0.5, 2.0, 3.0, 4.0][draw.below(6)]);
        (job, times)
    });
    let jobs = jobs.collect();
    let (any, whole) = (TradeOff::must(extreme(draw).min(1.0)), quarters(draw));
    let nearly = [0.3, 1.0 - f64::EPSILON].map(TradeOff::must);
    let factor = if everyday { whole } else { draw.of([any, nearly[0], nearly[1]]) };
    let metric = TradeOffMetric::default().with_averages(draw.of([Averages::Fitting, Averages::All]));
    let metric = if everyday && draw.chance(50) { metric } else { metric.with_factor(factor) };
    (Instance::new(clusters, jobs), metric)
}

/// Under any limit of work, and by a signal: the whole schedule or none.
fn stops_where_it_is_told(heuristic: &dyn TradeOffHeuristic, problem: &TradeOffProblem<'_>) {
    let run = |meter: &mut Meter| {
        let schedule = match heuristic.solve(problem, meter) {
            Err(HeuristicError::Stopped(_)) => None,
            schedule => Some(schedule?),
        };
        let (value, end) = (schedule.as_ref().map(|_| 0.0), meter.ended().unwrap_or(End::Done));
        assert_eq!(schedule.is_some(), end == End::Done);
        Ok(Stopped { rank: 0.0, value, bound: None, work: meter.work(), end, answer: schedule })
    };
    let stops = Stops { parts: vec![10_000, 330_000, 700_000], questions: 1, ..Stops::default() };
    let whole = stops.check(u64::MAX, |limit| Stopped::within(limit, run)).unwrap();
    let pairs = problem.jobs.len() * problem.clusters.len();
    assert!(whole.end == End::Done && whole.work >= pairs as u64, "{heuristic:?}: {whole:?}");
}

/// Schedules are those of the pseudo code, whose places are reserved one by one. Greedy and blind Greedy are immediate
/// mode in order of submission, the latter on the cluster that was best before any of these jobs; the metric is a
/// number whatever the averages.
#[test]
fn schedules_follow_their_definition() {
    drawn(800, |draw| {
        let (case, metric) = instance(draw);
        for kind in TradeOffKind::ALL {
            let heuristic = kind.build(metric);
            assert_eq!(heuristic.name(), kind.name());
            stops_where_it_is_told(&*heuristic, &case.problem());
        }
        let solve = |kind: TradeOffKind| kind.build(metric).schedule(&case.problem()).unwrap();
        for (kind, last) in [(TradeOffKind::MinCtt, false), (TradeOffKind::MaxCtt, true)] {
            assert_eq!(places(&solve(kind)), definitions::trade_off(last, &metric, &case.problem()).unwrap());
        }
        let mut order: Vec<usize> = (0..case.jobs.len()).collect();
        order.sort_by_key(|&job| case.jobs[job].submit);
        for kind in [TradeOffKind::Greedy, TradeOffKind::BlindGreedy] {
            let schedule = solve(kind);
            assert_eq!(schedule.len(), case.jobs.len());
            let mut filled = case.clone();
            for &job in &order {
                let before = metric.best(&case.problem(), job);
                assert!(before.is_none_or(|(_, phi)| phi.is_finite()), "{before:?}");
                let place = match (kind, before) {
                    (TradeOffKind::BlindGreedy, Some((Reservation { resource, .. }, _))) => {
                        let place = metric.best(&filled.only(resource).problem(), job);
                        place.map(|(place, _)| Reservation { resource, ..place })
                    }
                    _ => metric.best(&filled.problem(), job).map(|(place, _)| place),
                };
                assert_eq!(schedule.place_of(case.jobs[job].id).copied(), place, "{kind}");
                if let Some(place) = place.filter(|place| place.end > place.start) {
                    let free = &mut filled.clusters[place.resource].free;
                    free.reserve(place.start, place.end, place.cpus).unwrap();
                }
            }
        }
    });
}

#[test]
fn the_best_place_by_hand() {
    let best = |averages, clusters: &[ClusterView], job: Job, times: &[f64]| {
        let case = Instance::new(clusters, vec![(job, times.to_vec())]);
        TradeOffMetric::default().with_averages(averages).best(&case.problem(), 0)
    };
    // Two clusters, one of 4 CPUs for 1, one of 2 CPUs for 3 and twice as fast. By the averages of the paper, those of
    // all clusters: gamma = (24 + 36) / 2, beta = 4.5; the factor is the job's own 0.5.
    let two = [cluster(4, 1.0), cluster(2, 3.0)];
    let (place, phi) = best(Averages::All, &two, job(1, 4), &[6.0, 3.0]).unwrap();
    assert!(place.resource == 0 && (phi - (0.4 + 2.0 / 3.0)).abs() < 1e-12, "{phi}");
    // By those of the clusters that are wide enough it is average.
    assert_eq!(best(Averages::Fitting, &two, job(1, 4), &[6.0, 3.0]).unwrap().1, 1.0);
    // Where all places are free of charge, times alone decide; the average time is 6.
    let free = [cluster(4, 0.0), cluster(4, 0.0), cluster(4, 0.0)];
    let (place, phi) = best(Averages::Fitting, &free, job(1, 2), &[9.0, 3.0, 6.0]).unwrap();
    assert_eq!((place.resource, phi), (1, 0.5 * (3.0 / 6.0)));
    // Six equal charges, whose sum is beyond what a price times a span may be.
    let (place, _) = best(Averages::Fitting, &[cluster(6, 1e30)], job(1, 6), &[1e30]).unwrap();
    assert_eq!(place.cost.get(), 6.0 * (1e30 * 1e30));
    // What meets budget and deadline exactly keeps them; not with a unit in the last place less of either. It costs
    // 0.3 x 2 CPUs x 7, from 5 to 12.
    let within = |budget: f64, deadline: f64| {
        let mut job = job(1, 2).with_submit(t(5.0));
        job.request = job.request.with_budget(Money::must(budget)).with_deadline(t(deadline));
        let found = best(Averages::Fitting, &[cluster(4, 0.3)], job, &[7.0]);
        found.map(|(place, _)| (place.cost.get(), place.end.get()))
    };
    let (cost, end) = (0.3 * 2.0 * 7.0, 12.0_f64);
    assert_eq!(within(cost, end), Some((cost, end)));
    assert_eq!((within(cost.next_down(), end), within(cost, end.next_down())), (None, None));
}

#[test]
fn refusals_say_why() {
    let closing = Profile::from_steps(3, &[(t(0.0), 2), (t(10.0), 0)]).unwrap();
    let fast = ClusterView { speed: Speed::must(2.0), ..cluster(2, 5.0) };
    let clusters = [ClusterView { free: closing, ..cluster(3, 2.0) }, fast];
    let mut case = Instance::new(
        &clusters,
        vec![
            (job(1, 4), vec![1.0, 1.0]),
            (job(2, 2), vec![3.0, 2.0]),
            (job(3, 2), vec![8.0, 7.0]),
            (job(4, 3), vec![4.0, 4.0]),
            (job(5, 3), vec![1.0, 1.0]),
            (job(6, 1), vec![1.0, 1.0]),
        ],
    );
    case.jobs[1].request.budget = Some(Money::must(11.0));
    case.jobs[2].request.deadline = Some(t(6.0));
    case.jobs[4].request.min_speed = Speed::must(1.5);
    case.jobs[5].request.min_speed = Speed::must(2.5);
    for kind in TradeOffKind::ALL {
        let schedule = kind.build(TradeOffMetric::default()).schedule(&case.problem()).unwrap();
        let reasons: Vec<_> = schedule.refused().map(|(id, reason)| (id.0, reason.clone())).collect();
        let expected = [
            (1, Refusal::TooWide { needed: 4, largest: 3 }),
            (2, Refusal::Budget { short_by: Money::must(1.0) }),
            (3, Refusal::Deadline { late_by: Span::must(1.0) }),
            (4, Refusal::Horizon { needed: 3, most: 2 }),
            (5, Refusal::TooWide { needed: 3, largest: 2 }), // the cluster of 3 CPUs is too slow
            (6, Refusal::TooFewNodes { needed: 1, fast_enough: 0 }),
        ];
        assert_eq!(reasons, expected, "{kind}");
    }
}

#[test]
fn bad_input_is_named() {
    let clusters = [cluster(4, 1.0), cluster(2, 3.0)];
    let (one, twins) = ([job(7, 1)], [job(7, 1), job(7, 1)]);
    let too_few = EtcMatrix::from_rows(&[[1.0]]).unwrap();
    for kind in TradeOffKind::ALL {
        let broker = kind.build(TradeOffMetric::default());
        let shape = ModelError::Shape { rows: 1, cols: 2, values: 1 };
        let problem = TradeOffProblem::new(&one, &clusters).with_times(&too_few);
        assert_eq!(broker.schedule(&problem), Err(shape.into()));
        let nowhere = broker.schedule(&TradeOffProblem::new(&one, &[]));
        assert_eq!(nowhere, Err(HeuristicError::NoResource { jobs: 1 }));
        assert!(broker.schedule(&TradeOffProblem::new(&twins, &clusters)).is_err());
        assert!(broker.schedule(&TradeOffProblem::new(&[], &clusters)).unwrap().is_empty());
    }
}
