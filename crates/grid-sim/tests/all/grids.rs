//! Grids by hand, from `tests/data/grids.txt`.
//!
//! A case is one or more brokers (`$`): `two-phase`, `live`, or a trade-off heuristic by its name, with settings of the
//! first two; or local policies. Below it stand the machines (CPUs, speed, price), their labels, the jobs, faults, and
//! the interval of the grid, or the local jobs, memory and GPUs of one machine (`<`), if they are not those of the case
//! before. Then, for each broker, how each job ended, when and on which machines its last run was, and what it costs
//! (`>`), or the error (`!`). `ECONSCHED_FREEZE=write cargo test -p grid-sim --all-features --test all grids` writes
//! the answers again.
#![cfg(feature = "serde")]

use crate::common::{machine, resource, span};
use crate::session::played;
use batch_dp::Goal;
use grid_heuristics::{TradeOffKind, TradeOffMetric};
use grid_sim::*;
use live_broker::Config;
use sched_model::*;
use serde::Deserialize;
use serde_json::{Map, Value};
use slot_window::Objective;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    machines: Vec<(u32, u32, u32)>,
    #[serde(default)]
    labels: Vec<Vec<String>>,
    #[serde(default)]
    jobs: Vec<GridJob>,
    #[serde(default)]
    outages: Vec<Outage>,
    #[serde(default)]
    cancellations: Vec<(Time, JobId)>,
    #[serde(default)]
    interval: u32,
    /// Of the first machine, which policies serve.
    #[serde(default)]
    local: Vec<LocalJob>,
    memory: Option<u32>,
    gpus: Option<u32>,
}

impl Asked {
    fn grid(&self) -> Grid {
        let of = |(id, &(cpus, speed, price)): (u32, &(u32, u32, u32))| {
            let labels = self.labels.get(id as usize).into_iter().flatten().cloned();
            let features = labels.fold(Features::default(), Features::with_label);
            resource(id, cpus, speed, price).with_features(features)
        };
        let (outages, cancellations) = (self.outages.clone(), self.cancellations.clone());
        Grid::new((0..).zip(&self.machines).map(of).collect())
            .with_interval(span(self.interval))
            .with_patience(60)
            .with_faults(Faults { outages, cancellations })
    }

    fn run(&self, broker: &str, settings: &Map<String, Value>) -> Result<Vec<JobRecord>, SimError> {
        let meter = &mut Limit::none().meter();
        if let Ok(policy) = broker.parse::<PolicyKind>() {
            let (cpus, speed, price) = self.machines[0];
            let mut machine = machine(0, cpus, speed, price);
            machine = self.memory.map_or(machine, |memory| machine.with_memory(memory));
            machine = self.gpus.map_or(machine, |gpus| machine.with_gpus(gpus));
            return Ok(Replay::new(&machine, policy.build()).run(&self.local, meter)?.records);
        }
        let with = |config: Config| -> Config {
            let mut config = serde_json::to_value(config).unwrap();
            config.as_object_mut().unwrap().extend(settings.clone());
            serde_json::from_value(config).unwrap()
        };
        if broker == "live" {
            return Ok(self.grid().run_live(&self.jobs, with(Config::new(span(400))), meter)?.records);
        }
        let mut broker: Box<dyn BatchScheduler> = match broker {
            "two-phase" => {
                // The minimum cost under the derived limit of run times.
                let goal = Goal::MinCost { time_limit: None };
                let config = Config::new(span(500)).with_goal(goal, 100).with_time(Objective::Runtime);
                Box::new(TwoPhaseBroker::new(with(config)))
            }
            name => Box::new(name.parse::<TradeOffKind>().unwrap().build(TradeOffMetric::default())),
        };
        Ok(self.grid().run(&self.jobs, &mut *broker, meter)?.records)
    }
}

#[test]
fn grids_are_as_they_were_computed() {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/grids.txt");
    let mut text = String::new();
    played(place, &['>', '!'], |line, input| {
        if !input.is_empty() {
            input.clone_into(&mut text);
        }
        let asked: Asked = serde_json::from_str(&text).unwrap();
        let (brokers, settings) = line.split_at(line.find('{').unwrap_or(line.len()));
        let settings = serde_json::from_str(if settings.is_empty() { "{}" } else { settings }).unwrap();
        let shown = |record: &JobRecord| {
            let sites: Vec<u32> = record.parts.iter().map(|part| part.site.0).collect();
            let run = record.start.zip(record.end()).map_or(String::new(), |(start, end)| {
                format!(", {start} to {end} on {sites:?} for {}", record.cost())
            });
            format!("> job {}: {}{run}\n", record.id, record.ending)
        };
        let told = |broker| match asked.run(broker, &settings) {
            Ok(records) => format!("> {broker}\n{}", records.iter().map(shown).collect::<String>()),
            Err(error) => format!("> {broker}\n! {error}\n"),
        };
        brokers.split_whitespace().skip(1).map(told).collect()
    });
}
