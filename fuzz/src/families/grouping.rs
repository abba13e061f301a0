//! Grouping of small jobs, by its rules.

use crate::family::{Judged, Verdict, ensure, part, seen};
use econsched::grid_heuristics::{GroupResource, JobGrouping, JobOrder, ResourceOrder, SmallJob};
use econsched::sched_model::{JobId, Price, Span, Speed, Work};
use econsched::testkit::{Draw, Family, Numbers};
use serde::{Deserialize, Serialize};

#[derive(Default)]
pub(super) struct Groupings;

#[derive(Serialize, Deserialize)]
pub(super) struct Case {
    work: Vec<f64>,
    /// Speed and price.
    resources: Vec<(f64, f64)>,
    granularity: f64,
    max_jobs: Option<usize>,
    by_priority: bool,
    by_cost: usize,
}

impl Family for Groupings {
    type Case = Case;

    fn draw(draw: &mut Draw) -> Case {
        let (numbers, prices) = (Numbers::any(draw), Numbers::any(draw));
        let speeds = draw.of([Numbers::Whole, Numbers::Dyadic, Numbers::Ties]);
        Case {
            work: (0..draw.below(21)).map(|_| numbers.draw(draw)).collect(),
            resources: (0..draw.below(6)).map(|_| (speeds.positive(draw), prices.draw(draw))).collect(),
            granularity: numbers.draw(draw) * draw.between(1, 4) as f64,
            max_jobs: draw.chance(30).then(|| draw.between(1, 5)),
            by_priority: draw.chance(50),
            by_cost: draw.below(3),
        }
    }

    fn judge(&self, case: &Case) -> Judged {
        seen(judge(case))
    }
}

fn judge(case: &Case) -> Verdict {
    let work = |(id, &work)| Ok(SmallJob::new(JobId(id), Work::new(work)?));
    let jobs = part(
        (0..).zip(&case.work).map(work).collect::<Result<Vec<_>, econsched::sched_model::ModelError>>(),
    )?;
    let resource = |&(speed, price)| Ok(GroupResource::new(Speed::new(speed)?, Price::new(price)?));
    let resources = case.resources.iter().map(resource);
    let resources = part(resources.collect::<Result<Vec<_>, econsched::sched_model::ModelError>>())?;
    let orders = [ResourceOrder::Given, ResourceOrder::CostPerTime, ResourceOrder::CostPerWork];
    let mut grouping = JobGrouping::new(part(Span::new(case.granularity))?)
        .with_job_order(if case.by_priority { JobOrder::Priority } else { JobOrder::Arrival })
        .with_resource_order(orders[case.by_cost % 3]);
    if let Some(most) = case.max_jobs {
        grouping = grouping.with_max_jobs(most.max(1));
    }
    let groups = grouping.group(&jobs, &resources)?;
    let mut found = vec![0; jobs.len()];
    for group in groups.groups() {
        let members = groups.jobs_of(group);
        let most = case.max_jobs.map_or(usize::MAX, |most| most.max(1));
        ensure!((1..=most).contains(&members.len()), "{} jobs in a group", members.len());
        // Lengths are added in the order of the group.
        let length: f64 = members.iter().map(|&job| case.work[job as usize] + 0.0).sum();
        let capacity = case.resources[group.resource].0 * case.granularity;
        ensure!(length <= capacity, "a group of {length:?} on a resource of {capacity:?}");
        members.iter().for_each(|&job| found[job as usize] += 1);
    }
    for (job, _) in groups.refused() {
        found[job] += 1;
        let fits = case.resources.iter().any(|resource| case.work[job] <= resource.0 * case.granularity);
        ensure!(!fits, "job {job} fits and is refused");
    }
    ensure!(found.iter().all(|&times| times == 1), "a job is in no group or in two: {found:?}");
    Ok(())
}
