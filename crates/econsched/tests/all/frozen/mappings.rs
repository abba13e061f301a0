//! The heuristics on matrices of expected times, and those of the meta-broker.

use super::compare;
use super::draw::{Draw, NUMBERS};
use econsched::grid_heuristics::{ClusterView, MappingKind, TradeOffKind, TradeOffMetric, TradeOffProblem};
use econsched::sched_model::{EtcMatrix, Job, JobId, Price, Profile, ResourceRequest, Speed, Time, TradeOff};
use econsched::workload_gen::internal::unit;
use econsched::workload_gen::sample::stream;

#[test]
fn mappings_are_frozen() {
    let mut rows = Vec::new();
    for (size, (tasks, machines)) in [(7, 2), (40, 5), (300, 16)].into_iter().enumerate() {
        for (structure, numbers) in NUMBERS.into_iter().enumerate() {
            for consistent in [false, true] {
                let mut draw = Draw(2000 + 10 * size as u64 + structure as u64);
                let times: Vec<Vec<f64>> = (0..tasks)
                    .map(|_| {
                        let task = draw.number(numbers, 1.0, 300.0);
                        let mut row: Vec<f64> =
                            (0..machines).map(|_| task * draw.number(numbers, 1.0, 9.0)).collect();
                        if consistent {
                            row.sort_by(f64::total_cmp);
                        }
                        row
                    })
                    .collect();
                let etc = EtcMatrix::from_rows(&times).unwrap();
                let mut row = format!("{tasks} x {machines}; {numbers:?}; consistent {consistent}");
                for kind in MappingKind::ALL {
                    let mapping = kind.build().map(&etc).unwrap();
                    // The machines, as a checksum (FNV-1a).
                    let sum = mapping.resources.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, &machine| {
                        (sum ^ machine as u64).wrapping_mul(0x100_0000_01b3)
                    });
                    row +=
                        &format!("; {kind} {:?} {sum:016x}", mapping.makespan().map_or(0.0, |end| end.get()));
                }
                rows.push(row);
            }
        }
    }
    compare("mappings.csv", &rows);
}

/// 300 parallel jobs on eight clusters.
#[test]
fn trade_offs_are_frozen() {
    let mut rng = stream(12, 0);
    let clusters: Vec<ClusterView> = (0..8)
        .map(|_| {
            let free = Profile::new(16 + (unit(&mut rng) * 100.0) as u32, Time::ZERO);
            ClusterView { speed: Speed::ETALON, price: Price::must(0.01 + 0.09 * unit(&mut rng)), free }
        })
        .collect();
    let mut times = Vec::new();
    let jobs: Vec<Job> = (0..300)
        .map(|id| {
            let cpus = 1 << (unit(&mut rng) * 4.9) as u32;
            let mean = 10.0 + 3000.0 * unit(&mut rng);
            times.extend((0..8).map(|_| mean * (0.1 + 2.9 * unit(&mut rng))));
            let job = Job::new(JobId(id), ResourceRequest::must(cpus, mean));
            job.with_trade_off(TradeOff::must(unit(&mut rng)))
        })
        .collect();
    let times = EtcMatrix::new(jobs.len(), clusters.len(), times).unwrap();
    let problem = TradeOffProblem::new(&jobs, &clusters).with_times(&times);
    let row = |kind: &TradeOffKind| {
        let schedule = kind.build(TradeOffMetric::default()).schedule(&problem).unwrap();
        let places = || schedule.placed().map(|(_, place)| place);
        let cost = places().map(|place| {
            f64::from(place.cpus) * (clusters[place.resource].price * (place.end - place.start)).get()
        });
        let last = places().map(|place| place.end.get()).fold(0.0, f64::max);
        format!("{kind}: {} {last} {}", places().count(), cost.sum::<f64>())
    };
    compare("trade_offs.csv", &TradeOffKind::ALL.iter().map(row).collect::<Vec<_>>());
}
