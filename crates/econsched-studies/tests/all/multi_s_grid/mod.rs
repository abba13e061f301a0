//! Multi-S-Grid: each job has one ending, no processor is held twice, and failures take effect.

mod cases;
mod inputs;
mod odd;

use econsched::auction_assign::strategy::{Demand, LocalRule, SiteState, Strategy as Provider};
use econsched::grid_sim::internal::MOST_JOBS;
use econsched::grid_sim::{Ending, JobRecord, LogEvent, SimError};
use econsched::sched_model::*;
use econsched::testkit::{Draw, drawn};
use econsched::workload_gen::sample::stream;
use econsched_studies::multi_s_grid::{
    AssignedJob, Config, GlobalScheduler, GridProperties, GridUser, JobProperties, MultiSGrid, Schedulers,
    Site, SystemOutcome, UserProperties,
};
use odd::{failing_at_once, odd_jobs};
use std::cell::Cell;
use std::collections::BTreeMap;

type Setup = (Vec<Site>, Vec<GridUser>, Vec<Job>);

fn setup(seed: u64, sites: u32, jobs: u32, gap: f64) -> Setup {
    let mut rng = stream(seed, 0);
    let sites = GridProperties::default().with_sites(sites).with_cpus(1..=3).generate(&mut rng).unwrap();
    let users = UserProperties::default().with_users(4).generate(&mut rng).unwrap();
    let jobs =
        JobProperties::default().with_jobs(jobs).with_mean_gap(gap).generate(&users, &mut rng).unwrap();
    (sites, users, jobs)
}

fn grid<'a>(sites: &'a [Site], users: &'a [GridUser], config: &Config) -> MultiSGrid<'a> {
    MultiSGrid::new(sites).with_users(users).with_config(config.clone())
}

fn simulate((sites, users, jobs): &Setup, config: &Config, seed: u64) -> SystemOutcome {
    grid(sites, users, config).with_seed(seed).run(jobs).unwrap()
}

/// The outcome of a run, which is the same on every run. Slices in which nothing can happen are skipped without a
/// trace, and nothing else changes.
fn course(setup: &Setup, config: &Config, seed: u64) -> SystemOutcome {
    let outcome = simulate(setup, config, seed);
    check(setup, config, &outcome);
    assert_eq!(&simulate(setup, config, seed), &outcome, "the same course on every run");
    let bare = simulate(setup, &config.clone().with_trace(false), seed);
    assert_eq!(bare.records, outcome.records);
    assert_eq!((bare.starved, bare.mean_cost), (outcome.starved, outcome.mean_cost));
    outcome
}

/// Checks what must hold in any run.
fn check((sites, _, jobs): &Setup, config: &Config, outcome: &SystemOutcome) {
    let most = config.retries as usize + 1;
    assert_eq!(outcome.records.len(), jobs.len());
    assert_eq!(outcome.report.endings.values().sum::<usize>(), jobs.len());
    let cpus: BTreeMap<MachineId, u32> =
        sites.iter().flat_map(|site| site.machines.iter().map(|m| (m.id, m.cpus()))).collect();
    let mut busy: BTreeMap<MachineId, Vec<(Time, i64)>> = BTreeMap::new();
    for assignment in &outcome.assignments {
        assert!(assignment.assigned >= assignment.arrival);
        assert!(assignment.left.unwrap_or(outcome.end) <= assignment.end());
        let changes = busy.entry(assignment.machine).or_default();
        changes.push((assignment.assigned, 1));
        changes.push((assignment.left.unwrap_or(outcome.end), -1));
    }
    for (machine, mut changes) in busy {
        changes.sort();
        let mut held = 0;
        for (_, change) in changes {
            held += change;
            assert!(held <= i64::from(cpus[&machine]), "machine {}", machine);
        }
        assert_eq!(held, 0);
    }
    for record in &outcome.records {
        let of_job = |assignment: &&AssignedJob| assignment.job == record.id;
        let tries: Vec<&AssignedJob> = outcome.assignments.iter().filter(of_job).collect();
        let (count, assignment) = (tries.len(), tries.last());
        assert!(count <= most);
        let left = assignment.and_then(|assignment| assignment.left);
        match record.ending {
            Ending::Done => assert_eq!(left, assignment.map(|assignment| assignment.end())),
            Ending::MachineFailed | Ending::LinkFailed | Ending::UserLinkFailed => {
                assert!(left.unwrap() < assignment.unwrap().end());
                assert!(config.failures && count == most);
            }
            Ending::OwnerGone => assert!(config.owner_lifetime.is_some()),
            Ending::Cancelled => assert!(config.job_lifetime.is_some()),
            Ending::Waiting => {}
            ref other => panic!("{other:?}"),
        }
    }
    let paid: f64 = outcome.records.iter().map(|record| record.cost().get()).sum();
    let earned: f64 = outcome.report.sites.iter().map(|site| site.earned.get()).sum();
    assert!((paid - earned).abs() <= 1e-12 * paid, "{} {}", paid, earned);
    assert!(outcome.records.iter().all(|record| record.start.is_some() || record.parts.is_empty()));
    let held = |record: &JobRecord| -> f64 {
        record.parts.iter().map(|part| (part.end - record.start.unwrap()).get() * f64::from(part.cpus)).sum()
    };
    let held: f64 = outcome.records.iter().map(held).sum();
    assert!((outcome.report.cpu_time.get() - held).abs() <= 1e-6 * held);
    let placed: usize = outcome.slices.iter().map(|slice| slice.assigned).sum();
    assert_eq!(placed, outcome.assignments.len());
    for load in outcome.slices.iter().flat_map(|slice| slice.loads.iter().flatten()) {
        assert!((0.0..=1.0).contains(load));
    }
}

/// Nothing starts on a machine, a site or for a user that is down, and a job that is on it then is lost. A job that is
/// withdrawn is told once, and holds nothing from then on.
fn check_failures(config: &Config, outcome: &SystemOutcome) {
    // A machine (0), the link of a site (1) or of a user (2).
    let mut down: BTreeMap<(usize, u32), Time> = BTreeMap::new();
    let mut spells: Vec<((usize, u32), Time, Time)> = Vec::new();
    for entry in &outcome.log {
        let (key, up) = match (entry.what, entry.site) {
            (LogEvent::MachineFailed(id), _) => ((0, id.0), false),
            (LogEvent::MachineRepaired(id), _) => ((0, id.0), true),
            (LogEvent::LinkFailed, Some(site)) => ((1, site.0), false),
            (LogEvent::LinkRepaired, Some(site)) => ((1, site.0), true),
            (LogEvent::UserLinkFailed(id), _) => ((2, id.0), false),
            (LogEvent::UserLinkRepaired(id), _) => ((2, id.0), true),
            _ => continue,
        };
        if up {
            let from = down.remove(&key).unwrap();
            assert!(((entry.at - from).get() - config.repair.unwrap().get()).abs() < 1e-9);
            spells.push((key, from, entry.at));
        } else {
            assert!(down.insert(key, entry.at).is_none());
        }
    }
    spells.extend(down.into_iter().map(|(key, from)| (key, from, Time::must(1e9))));
    let gone: Vec<(u32, Time)> = outcome
        .log
        .iter()
        .filter_map(|entry| match entry.what {
            LogEvent::UserLeft(user) => Some((user.0, entry.at)),
            _ => None,
        })
        .collect();
    let mut withdrawn = BTreeMap::new();
    for entry in &outcome.log {
        if let LogEvent::Cancelled(job) = entry.what {
            assert_eq!(withdrawn.insert(job, entry.at), None);
        }
    }
    let cancelled = outcome.records.iter().filter(|record| record.ending == Ending::Cancelled);
    assert!(cancelled.map(|record| record.id).eq(withdrawn.keys().copied()));
    for assignment in &outcome.assignments {
        let end = assignment.left.unwrap_or(outcome.end);
        let gone_with = withdrawn.get(&assignment.job).copied();
        assert!(gone_with.is_none_or(|at| end <= at), "{assignment:?}");
        // Whoever left before the end had a reason.
        let left = assignment.left.filter(|&left| left < assignment.end() && Some(left) != gone_with);
        let needed = [assignment.machine.0, assignment.site.0, assignment.user.0];
        let mut caused = left.is_none_or(|left| gone.contains(&(assignment.user.0, left)));
        for &((kind, _), from, to) in spells.iter().filter(|&&((kind, id), ..)| needed[kind] == id) {
            let until = if kind == 2 { end.min(assignment.transferred()) } else { end };
            let inside = from < until && assignment.assigned < to && assignment.assigned > from;
            let through = assignment.assigned < from && from < until;
            assert!(!inside && !through, "{assignment:?} {kind} {from} {to}");
            // The link of the user is needed until all is there.
            caused |= left == Some(from) && (kind < 2 || from < assignment.transferred());
        }
        assert!(caused, "{assignment:?}");
    }
}

#[test]
fn every_job_ends_in_one_way_and_processors_are_conserved() {
    // Jobs that were withdrawn before they started, and after.
    let cancelled = Cell::new([0, 0]);
    drawn(88, |draw| {
        let (seed, sites, jobs) = (draw.below(1000) as u64, draw.between(1, 4), draw.below(80));
        let (gap, odd) = (draw.of([0.0, 0.1, 1.0]), draw.chance(30));
        let mut setup = setup(seed, sites as u32, jobs as u32, gap);
        if odd {
            setup.2 = odd_jobs(draw, &setup.1);
        }
        if odd && draw.chance(50) {
            failing_at_once(&mut setup);
        }
        let (slices, repairs) = match odd {
            true => (60, [None, Some(1e-3), Some(1.0), Some(10.0)]),
            false => (draw.of([5, 100_000]), [Some(10.0); 4]),
        };
        let strategy = Provider::default()
            .with_fail_prevention(2.0 * draw.unit())
            .with_quality_of_service(2.0 * draw.unit())
            .with_starvation_prevention(2.0 * draw.unit())
            .with_balancing(draw.chance(50));
        let span = |seconds: Option<f64>| seconds.map(Span::must);
        let config = Config::default()
            .with_strategy(strategy)
            .with_retries(draw.below(3) as u32)
            .with_owner_lifetime(span(draw.of([None, Some(1e-30), Some(5.0), Some(40.0)])))
            .with_job_lifetime(span(draw.of([None, Some(1e-30), Some(0.5), Some(5.0), Some(1e9)])))
            .with_repair(span(draw.of(repairs)))
            .with_auction(draw.of([None, Some(1.0)]))
            .with_slices(slices)
            .with_trace(true)
            .with_log(true);
        let outcome = course(&setup, &config, seed);
        check_failures(&config, &outcome);
        if slices > 60 {
            assert!(!outcome.report.endings.contains_key("waiting"), "{:?}", outcome.report.endings);
        }
        for record in outcome.records.iter().filter(|record| record.ending == Ending::Cancelled) {
            let mut counts = cancelled.get();
            counts[usize::from(record.start.is_some())] += 1;
            cancelled.set(counts);
        }
    });
    assert!(cancelled.get().iter().all(|&count| count > 0), "{cancelled:?}");
}
