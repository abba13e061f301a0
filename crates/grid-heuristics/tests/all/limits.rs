//! Limits: counted work, memory, signals.

use econsched::testkit::{Draw, Fault, Stopped, Stops};
use grid_heuristics::{ClusterView, HeuristicError, MappingKind, ParallelJob, TradeOffKind};
use sched_model::{End, EtcMatrix, JobId, Limit, Meter, Outcome, Price, Profile, Span, Time};
use std::sync::mpsc;

fn matrix(tasks: usize, resources: usize) -> EtcMatrix {
    let mut draw = Draw::new(1, 0);
    EtcMatrix::from_fn(tasks, resources, |_, _| 1.0 + draw.unit()).unwrap()
}

fn market() -> (Vec<ClusterView>, Vec<ParallelJob>) {
    let cluster = |at: u32| ClusterView {
        price: Price::must(f64::from(1 + at % 3)),
        free: Profile::new(4 + at, Time::ZERO).unwrap(),
    };
    let clusters: Vec<ClusterView> = (0..20).map(cluster).collect();
    let job = |id: u64| {
        let times = (0..20).map(|at| Span::must(1.0 + ((id * 7 + at * 11) % 13) as f64));
        ParallelJob::new(JobId(id), 1 + (id % 4) as u32, times)
    };
    (clusters, (0..300).map(job).collect())
}

/// The one property of limits, the answer of least value being the best.
fn check<T: std::fmt::Debug>(
    name: &str,
    sign: f64,
    run: impl Fn(&Limit) -> Result<Outcome<T>, HeuristicError>,
) {
    let stops = Stops { parts: vec![10, 330_000, 500_000], questions: 1, ..Stops::default() };
    let mut within = |limit: &Limit| {
        let Outcome { incumbent, value, work, end, .. } = run(limit).map_err(Fault::error)?;
        let value = value.map(|value| sign * value);
        Ok(Stopped { rank: 0.0, value, bound: None, work, end, answer: format!("{incumbent:?}") })
    };
    let whole = stops.check(u64::MAX, &mut within).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    assert!(whole.end == End::Done && whole.work > 1 << 15, "{name}: {}", whole.work);
}

#[test]
fn mappings_stop_where_they_are_told() {
    let etc = matrix(700, 60);
    let ready = vec![Time::ZERO; 60];
    for kind in MappingKind::ALL {
        check(kind.name(), 1.0, |limit| kind.build().map_within(&etc, &ready, limit));
    }
}

#[test]
fn schedules_stop_where_they_are_told() {
    let (clusters, jobs) = market();
    for kind in TradeOffKind::ALL {
        // Each job many times over, so that there is work enough.
        let jobs: Vec<ParallelJob> = (0..6u64)
            .flat_map(|round| {
                jobs.iter().map(move |job| ParallelJob { id: JobId(round * 1000 + job.id.0), ..job.clone() })
            })
            .collect();
        check(kind.name(), -1.0, |limit| kind.build().schedule_within(&clusters, &jobs, limit));
    }
}

/// Memory is asked for before it is taken.
#[test]
fn memory_is_limited() {
    let etc = matrix(2000, 60);
    let ready = vec![Time::ZERO; 60];
    for kind in MappingKind::ALL {
        let outcome =
            kind.build().map_within(&etc, &ready, &Limit::without_limit().with_memory(1000)).unwrap();
        // Those that map on arrival remember nothing that grows.
        let end = if kind.build_immediate().is_some() { End::Done } else { End::Memory };
        assert_eq!(outcome.end, end, "{kind}");
        let enough = Limit::without_limit().with_memory(10_000_000);
        assert_eq!(kind.build().map_within(&etc, &ready, &enough).unwrap().end, End::Done, "{kind}");
    }
    // A header without rows may state any number of columns.
    let hollow = EtcMatrix::new(0, 4_294_967_295, vec![]).unwrap();
    for kind in MappingKind::ALL {
        let error = kind.build().map(&hollow).unwrap_err();
        assert_eq!(error, HeuristicError::TooMany { limit: 1 << 24, given: 4_294_967_295 }, "{kind}");
    }
}

#[test]
fn names_are_those_of_the_registry() {
    for kind in MappingKind::ALL {
        assert_eq!(kind.build().name(), kind.name());
        assert!(kind.build_immediate().is_none_or(|heuristic| heuristic.name() == kind.name()));
    }
    for kind in TradeOffKind::ALL {
        assert_eq!(kind.build().name(), kind.name());
        assert_eq!(kind.build_with(Default::default()).name(), kind.name());
    }
}

/// The greatest number of units between two questions, all of them, and how it ended.
fn steps(kind: MappingKind, etc: &EtcMatrix, limit: &Limit) -> (u64, u64, bool) {
    let (tell, told) = mpsc::channel();
    let ready = vec![Time::ZERO; etc.cols()];
    let mut meter = limit.meter().with_observer(move |progress| tell.send(progress.work).unwrap());
    let mapped = kind.build().map_metered(etc, &ready, &mut meter);
    assert!(mapped.is_ok() || mapped == Err(HeuristicError::Stopped(End::Work)), "{kind}: {mapped:?}");
    let work = meter.work();
    (
        told.try_iter()
            .chain([work])
            .fold((0, 0), |(greatest, before), at: u64| (greatest.max(at.saturating_sub(before)), at))
            .0,
        work,
        mapped.is_ok(),
    )
}

/// 10^4 tasks on 10^3 resources: at most so much is done between two questions.
#[test]
fn questions_are_never_far_apart() {
    const GREATEST: u64 = 50_000;
    let etc = matrix(10_000, 1_000);
    for kind in MappingKind::ALL {
        let (greatest, work, _) = steps(*kind, &etc, &Limit::default());
        assert!(work >= 10_000_000, "{kind}: {work}");
        assert!(greatest > Meter::POLL && greatest <= GREATEST, "{kind}: {greatest}");
    }
}

/// Sorts of many tasks are counted, and asked in parts: by a time, by the sum of all, and by whole rows where
/// tasks begin with the same time.
#[test]
fn sorts_of_many_tasks_are_counted() {
    const GREATEST: u64 = 50_000;
    let (rows, cols) = (60_000_usize, 4_usize);
    let alike = EtcMatrix::from_fn(rows, cols, |task, resource| match resource {
        0..3 => 7.0,
        _ => 1.0 + (task * 7919 % 10_007) as f64,
    })
    .unwrap();
    // Each task in its part, and in three merges of two runs.
    let sort = 4 * rows as u64;
    for (kind, least) in [
        (MappingKind::Fpltf, (rows * cols * 2) as u64 + sort),
        (MappingKind::MinMin, (rows * cols) as u64 + sort * cols as u64),
        // By the first time, and by rows: of 2,048 tasks in a part, which are merged five times.
        (MappingKind::SufferagePasses, (rows * cols) as u64 + sort + 6 * (rows * cols) as u64),
    ] {
        let limit = Limit::without_limit().with_work(3 * least);
        let (greatest, work, done) = steps(kind, &alike, &limit);
        assert!(greatest <= GREATEST && (done || work >= least), "{kind}: {greatest} {work}");
        assert!(work >= least, "{kind}: {work} of {least}");
    }
    for kind in [MappingKind::MaxMin, MappingKind::Sufferage] {
        let (greatest, work, _) = steps(kind, &alike, &Limit::without_limit().with_work(4_000_000));
        assert!(greatest <= GREATEST && work >= 2_000_000, "{kind}: {greatest} {work}");
    }
}
