//! Mapping heuristics against their definitions, followed step by step; grouping of small jobs by its rules.

use crate::number::Family;
use crate::rng::Rng;
use crate::target::{Target, Verdict, ensure, part};
use econsched::grid_heuristics::{
    GroupResource, JobGrouping, JobOrder, MappingKind, ResourceOrder, SmallJob,
};
use econsched::sched_model::{EtcMatrix, JobId, Price, Span, Speed, Time, Work};
use serde::{Deserialize, Serialize};

pub(crate) struct Mappings;

#[derive(Serialize, Deserialize)]
pub(crate) struct Case {
    times: Vec<Vec<f64>>,
    ready: Vec<f64>,
}

/// Task and resource of each step.
type Steps = Vec<(usize, usize)>;

/// Least value, lowest index.
fn least(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::INFINITY);
    for (at, value) in values.enumerate() {
        if value < best.1 {
            best = (at, value);
        }
    }
    best.0
}

impl Case {
    /// The greatest number over the least that is not 0.
    fn spread(&self) -> f64 {
        let all = || self.times.iter().flatten().chain(&self.ready).map(|number| number.abs());
        let least = all().filter(|&number| number > 0.0).fold(f64::INFINITY, f64::min);
        all().fold(0.0, f64::max) / least
    }

    fn earliest(&self, task: usize, ready: &[f64]) -> usize {
        least(self.times[task].iter().zip(ready).map(|(time, ready)| ready + time))
    }

    /// Tasks in turn, each to a resource.
    fn one_by_one(
        &self,
        tasks: impl Iterator<Item = usize>,
        mut to: impl FnMut(usize, &[f64]) -> usize,
    ) -> Steps {
        let mut ready = self.ready.clone();
        let mut steps = Vec::new();
        for task in tasks {
            let resource = to(task, &ready);
            ready[resource] += self.times[task][resource];
            steps.push((task, resource));
        }
        steps
    }

    /// Always the open task of greatest rank, of equal ones the lowest.
    fn by_rank(&self, rank: impl Fn(&Self, usize, &[f64]) -> f64) -> Steps {
        let mut open: Vec<usize> = (0..self.times.len()).collect();
        let mut ready = self.ready.clone();
        let mut steps = Vec::new();
        while !open.is_empty() {
            let at = least(open.iter().map(|&task| -rank(self, task, &ready)));
            let task = open.remove(at);
            let resource = self.earliest(task, &ready);
            ready[resource] += self.times[task][resource];
            steps.push((task, resource));
        }
        steps
    }

    fn finish(&self, task: usize, ready: &[f64]) -> f64 {
        let resource = self.earliest(task, ready);
        ready[resource] + self.times[task][resource]
    }

    fn sufferage(&self, task: usize, ready: &[f64]) -> f64 {
        let mut ends: Vec<f64> =
            self.times[task].iter().zip(ready).map(|(time, ready)| ready + time).collect();
        ends.sort_by(f64::total_cmp);
        if ends.len() > 1 { ends[1] - ends[0] } else { 0.0 }
    }

    fn makespan(&self, steps: &Steps) -> f64 {
        let mut ready = self.ready.clone();
        for &(task, resource) in steps {
            ready[resource] += self.times[task][resource];
        }
        ready.into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    fn passes(&self) -> Steps {
        let mut open: Vec<usize> = (0..self.times.len()).collect();
        let mut ready = self.ready.clone();
        let mut steps = Vec::new();
        while !open.is_empty() {
            let mut holder: Vec<Option<usize>> = vec![None; ready.len()];
            for &task in &open {
                let resource = self.earliest(task, &ready);
                let gives_way = holder[resource]
                    .is_none_or(|other| self.sufferage(other, &ready) < self.sufferage(task, &ready));
                if gives_way {
                    holder[resource] = Some(task);
                }
            }
            for (resource, task) in holder.iter().enumerate() {
                if let Some(task) = *task {
                    ready[resource] += self.times[task][resource];
                    steps.push((task, resource));
                }
            }
            open.retain(|task| !holder.contains(&Some(*task)));
        }
        steps
    }

    /// The result by the definition of a kind; `None` where the definition is not implemented here.
    fn expected(&self, kind: MappingKind) -> Option<Steps> {
        let all = 0..self.times.len();
        Some(match kind.name() {
            "olb" => self.one_by_one(all, |_, ready| least(ready.iter().copied())),
            "met" => self.one_by_one(all, |task, _| least(self.times[task].iter().copied())),
            "mct" => self.one_by_one(all, |task, ready| self.earliest(task, ready)),
            "kpb" => self.one_by_one(all, |task, ready| {
                let m = ready.len();
                let mut fastest: Vec<usize> = (0..m).collect();
                fastest.sort_by(|&a, &b| self.times[task][a].total_cmp(&self.times[task][b]).then(a.cmp(&b)));
                fastest.truncate((m * 20 / 100).max(1));
                fastest.sort_unstable();
                fastest[least(fastest.iter().map(|&resource| ready[resource] + self.times[task][resource]))]
            }),
            "min-min" => self.by_rank(|case, task, ready| -case.finish(task, ready)),
            "max-min" => self.by_rank(|case, task, ready| case.finish(task, ready)),
            "sufferage" => self.by_rank(|case, task, ready| case.sufferage(task, ready)),
            "duplex" => {
                let short = self.by_rank(|case, task, ready| -case.finish(task, ready));
                let long = self.by_rank(|case, task, ready| case.finish(task, ready));
                if self.makespan(&long) < self.makespan(&short) { long } else { short }
            }
            "sufferage-passes" => self.passes(),
            _ => return None,
        })
    }
}

impl Target for Mappings {
    type Case = Case;

    fn generate(rng: &mut Rng) -> Case {
        let (tasks, resources) = (rng.size(14), rng.size(9));
        let family = Family::any(rng);
        let shape = rng.below(5);
        let minus_zero = rng.percent(10);
        let size: Vec<f64> = (0..tasks).map(|_| family.draw(rng)).collect();
        let pace: Vec<f64> = (0..resources).map(|_| Family::Tenths.positive(rng)).collect();
        let mut times: Vec<Vec<f64>> = (0..tasks)
            .map(|task| {
                (0..resources)
                    .map(|resource| match shape {
                        0 => (size[task] * pace[resource]).min(1e60),
                        1 => size[task],
                        2 => 1.0 + rng.unit(),
                        _ => family.draw(rng),
                    })
                    .map(|time| if minus_zero && time == 0.0 { -0.0 } else { time })
                    .collect()
            })
            .collect();
        if rng.percent(25) {
            let copied = times[0].clone();
            for row in times.iter_mut().skip(1) {
                if rng.percent(60) {
                    row.clone_from(&copied);
                }
            }
        }
        let ready = (0..resources)
            .map(|_| if rng.percent(30) { family.draw(rng) - f64::from(rng.percent(20)) } else { 0.0 })
            .collect();
        Case { times, ready }
    }

    fn judge(case: &Case) -> Verdict {
        let resources = case.ready.len();
        if case.times.is_empty() || resources == 0 || case.times.iter().any(|row| row.len() != resources) {
            return Ok(());
        }
        let Ok(etc) = EtcMatrix::from_rows(&case.times) else { return Ok(()) };
        // As the library's constructor has it: no minus zero.
        let plain = Case {
            times: case.times.iter().map(|row| row.iter().map(|time| time + 0.0).collect()).collect(),
            ready: case.ready.iter().map(|ready| ready + 0.0).collect(),
        };
        let mut ready = Vec::new();
        for &instant in &case.ready {
            ready.push(part(Time::new(instant))?);
        }
        for &kind in MappingKind::ALL {
            let mapping = kind.build().map_from(&etc, &ready)?;
            let mut seen = vec![false; case.times.len()];
            let mut at = plain.ready.clone();
            ensure!(mapping.order().len() == seen.len(), "{kind}: maps {} tasks", mapping.order().len());
            for &task in mapping.order() {
                ensure!(!std::mem::replace(&mut seen[task], true), "{kind}: maps task {task} twice");
                let resource = mapping.resources()[task];
                at[resource] += plain.times[task][resource];
                ensure!(mapping.finishes()[task].get() == at[resource], "{kind}: task {task} ends otherwise");
            }
            let loads: Vec<f64> = mapping.loads().iter().map(|load| load.get()).collect();
            ensure!(loads == at, "{kind}: loads {loads:?}, are {at:?}");
            // Known deviation: beyond this spread Sufferage and its definition round sums differently.
            if kind.name() == "sufferage" && plain.spread() > 1e12 {
                continue;
            }
            let Some(expected) = plain.expected(kind) else { continue };
            let resource_of = |steps: &Steps| {
                let mut out = vec![usize::MAX; case.times.len()];
                for &(task, resource) in steps {
                    out[task] = resource;
                }
                out
            };
            ensure!(
                mapping.resources() == resource_of(&expected),
                "{kind}: not by the definition: {:?}, but {:?}",
                mapping.resources(),
                resource_of(&expected)
            );
            // Within a pass the definition states no order.
            let order: Vec<usize> = expected.iter().map(|step| step.0).collect();
            ensure!(
                kind.name() == "sufferage-passes" || mapping.order() == order,
                "{kind}: the order is not that of the definition: {:?}, but {order:?}",
                mapping.order()
            );
        }
        Ok(())
    }
}

pub(crate) struct Groupings;

#[derive(Serialize, Deserialize)]
pub(crate) struct GroupCase {
    work: Vec<f64>,
    /// Speed and price.
    resources: Vec<(f64, f64)>,
    granularity: f64,
    max_jobs: Option<usize>,
    by_priority: bool,
    by_cost: u8,
}

impl Target for Groupings {
    type Case = GroupCase;

    fn generate(rng: &mut Rng) -> GroupCase {
        let family = Family::any(rng);
        let work = (0..rng.range(0, 20)).map(|_| family.draw(rng)).collect();
        let resources = (0..rng.range(0, 5))
            .map(|_| (Family::exact(rng).positive(rng), Family::any(rng).draw(rng)))
            .collect();
        GroupCase {
            work,
            resources,
            granularity: family.draw(rng) * rng.range(1, 4) as f64,
            max_jobs: rng.percent(30).then(|| rng.range(1, 5)),
            by_priority: rng.percent(50),
            by_cost: rng.below(3) as u8,
        }
    }

    fn judge(case: &GroupCase) -> Verdict {
        let mut jobs = Vec::new();
        for (id, &work) in (0..).zip(&case.work) {
            let Ok(work) = Work::new(work) else { return Ok(()) };
            jobs.push(SmallJob::new(JobId(id), work));
        }
        let mut resources = Vec::new();
        for &(speed, price) in &case.resources {
            let (Ok(speed), Ok(price)) = (Speed::new(speed), Price::new(price)) else { return Ok(()) };
            resources.push(GroupResource::new(speed, price));
        }
        let Ok(granularity) = Span::new(case.granularity) else { return Ok(()) };
        let mut grouping = JobGrouping::new(granularity)
            .with_job_order(if case.by_priority { JobOrder::Priority } else { JobOrder::Arrival })
            .with_resource_order(match case.by_cost {
                0 => ResourceOrder::Given,
                1 => ResourceOrder::CostPerTime,
                _ => ResourceOrder::CostPerWork,
            });
        if let Some(most) = case.max_jobs {
            grouping = grouping.with_max_jobs(most.max(1));
        }
        let groups = grouping.group(&jobs, &resources)?;
        let mut seen = vec![0; jobs.len()];
        for group in groups.groups() {
            let members = groups.jobs_of(group);
            ensure!(!members.is_empty(), "a group of no job");
            ensure!(
                case.max_jobs.is_none_or(|most| members.len() <= most.max(1)),
                "{} jobs in a group",
                members.len()
            );
            let length: f64 = members.iter().map(|&job| case.work[job as usize] + 0.0).sum();
            let capacity = case.resources[group.resource].0 * case.granularity;
            // Lengths are added in the order of the group.
            ensure!(length <= capacity, "a group of {length:?} on a resource of {capacity:?}");
            for &job in members {
                seen[job as usize] += 1;
            }
        }
        for (job, _) in groups.refused() {
            seen[job] += 1;
            let fits = case.resources.iter().any(|resource| case.work[job] <= resource.0 * case.granularity);
            ensure!(!fits, "job {job} fits and is refused");
        }
        ensure!(seen.iter().all(|&times| times == 1), "a job is in no group or in two: {seen:?}");
        Ok(())
    }
}
