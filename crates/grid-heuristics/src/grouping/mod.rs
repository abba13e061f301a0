//! Job grouping: many small jobs are dispatched in few groups.

mod grouped;

use crate::HeuristicError;
pub use grouped::{DispatchOutcome, Dispatching, Group, Grouping, ServiceRule, Totals, dispatch};
use sched_model::{Bandwidth, DataSize, JobId, Machine, ModelError, Price, Refusal, Span, Speed, Work};

/// A job of one task, too small to be dispatched alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct SmallJob {
    /// Its identifier.
    pub id: JobId,
    /// Its length, in the unit of [`Speed`] times the unit of time (MI, where speeds are MIPS).
    pub work: Work,
    /// Data to be transferred before it starts.
    pub input: DataSize,
}

impl SmallJob {
    /// A job without input.
    pub fn new(id: JobId, work: Work) -> Self {
        Self { id, work, input: DataSize::ZERO }
    }
}

/// A resource that runs one group at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct GroupResource {
    /// Speed of all its CPUs together: the published Resource_MIPS.
    pub speed: Speed,
    /// Money per unit of time of the whole resource.
    pub price: Price,
    /// Rate of its link; `None` where transfers take no time.
    pub bandwidth: Option<Bandwidth>,
}

impl GroupResource {
    /// A resource whose transfers take no time.
    pub fn new(speed: Speed, price: Price) -> Self {
        Self { speed, price, bandwidth: None }
    }

    /// A machine taken as a whole: the speeds and prices of its CPUs together.
    ///
    /// # Errors
    /// [`HeuristicError::Model`] if the product is no longer a speed or a price.
    pub fn of_machine(machine: &Machine) -> Result<Self, HeuristicError> {
        let cpus = f64::from(machine.cpus());
        Ok(Self::new(Speed::new(machine.speed.get() * cpus)?, Price::new(machine.price.get() * cpus)?))
    }

    fn cost_per_work(&self) -> f64 {
        self.price.get() / self.speed.get()
    }
}

sched_model::registry! {
    /// The order in which jobs are grouped.
    #[derive(Default)]
    pub enum JobOrder: "order of jobs" {
        /// As given: first come, first served.
        #[default]
        Arrival = "arrival",
        /// Greatest priority first, equal ones as given. The published priority is what a job costs on a resource:
        /// length / MIPS * rate (S. Yadav, A. Agarwal, R. Rastogi, "Cost-based job grouping and scheduling
        /// algorithm for grid computing environments", equation 1). On any one resource that costs money it is
        /// proportional to the length, so the order is that of descending length on all of them.
        Priority = "priority",
    }
}

sched_model::registry! {
    /// The order in which resources are filled.
    #[derive(Default)]
    pub enum ResourceOrder: "order of resources" {
        /// As given.
        #[default]
        Given = "given",
        /// Least price per unit of time first: the published order.
        CostPerTime = "cost-per-time",
        /// Least price per unit of work first: what the priority of equation 1 measures.
        CostPerWork = "cost-per-work",
    }
}

/// Job grouping by granularity time.
///
/// Resources are filled one after another: jobs join a group while their total length is at most speed *
/// granularity time of its resource; then the next resource is filled. A resource that is too slow for the
/// next job is skipped. After the last resource, the next round begins with the first. With both orders as
/// given this is N. Muthuvelu et al., "A dynamic job grouping-based scheduling for deploying applications
/// with fine-grained tasks on global grids", 2005; with [`JobOrder::Priority`] and
/// [`ResourceOrder::CostPerTime`] it is S. Yadav, A. Agarwal, R. Rastogi, "Cost-based job grouping and
/// scheduling algorithm for grid computing environments". Neither says what happens when all resources are
/// full; here they are used again. [`ResourceOrder::CostPerWork`], the caps on jobs and rounds, overheads and
/// transfers are additions.
///
/// O(n log n + g log m + m log m) for n jobs in g groups on m resources; O(n + m) space. Heuristic: no bin
/// packing is tried, jobs keep their order. Equal jobs and equal resources keep the order given.
///
/// ```
/// use grid_heuristics::{GroupResource, JobGrouping, JobOrder, ResourceOrder, SmallJob};
/// use sched_model::{JobId, Money, Price, Span, Speed, Work};
/// let jobs: Vec<_> = [30.0, 50.0, 20.0, 40.0, 900.0]
///     .iter().zip(1..).map(|(&work, id)| SmallJob::new(JobId(id), Work::must(work))).collect();
/// let resources = [
///     GroupResource::new(Speed::must(20.0), Price::must(4.0)), // groups up to 20 * 5 = 100
///     GroupResource::new(Speed::must(10.0), Price::must(1.0)), // up to 50
/// ];
/// let grouping = JobGrouping::new(Span::must(5.0))
///     .with_job_order(JobOrder::Priority)
///     .with_resource_order(ResourceOrder::CostPerTime)
///     .group(&jobs, &resources)?;
/// // Longest first: 50 fills the cheap resource, 40 + 30 + 20 go to the other. 900 is too long for both.
/// let groups: Vec<_> = grouping.groups.iter()
///     .map(|group| (group.resource, group.length.get(), grouping.jobs_of(group).to_vec())).collect();
/// assert_eq!(groups, [(1, 50.0, vec![1]), (0, 90.0, vec![3, 0, 2])]);
/// assert_eq!(grouping.refused().count(), 1);
/// // 5 at rate 1 and 4.5 at rate 4.
/// assert_eq!(grouping.totals().cost, Money::must(23.0));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct JobGrouping {
    /// How long a group may run on its resource, overhead and transfer not counted. For an overhead of at most a
    /// share s of the time of a full group: overhead * (1 - s) / s, and the time of the longest job, since a group
    /// is closed when the next job does not fit.
    pub granularity: Span,
    /// The order in which jobs are grouped.
    pub job_order: JobOrder,
    /// The order in which resources are filled.
    pub resource_order: ResourceOrder,
    /// The greatest number of jobs in a group; `None` for no limit, 1 for no grouping.
    pub max_jobs: Option<usize>,
    /// The greatest number of rounds over the resources; `None` for as many as needed. Jobs that would need
    /// another round are refused.
    pub max_rounds: Option<usize>,
    /// Time that each dispatch takes beside transfer and work, paid at the same rate.
    pub overhead: Span,
    /// How long a resource works on a group.
    pub service: ServiceRule,
}

impl JobGrouping {
    /// Groups up to speed * `granularity`, in the orders given, without overhead and in exact time.
    pub fn new(granularity: Span) -> Self {
        Self {
            granularity,
            job_order: JobOrder::Arrival,
            resource_order: ResourceOrder::Given,
            max_jobs: None,
            max_rounds: None,
            overhead: Span::ZERO,
            service: ServiceRule::Exact,
        }
    }

    /// The most jobs in a group; at least 1.
    pub fn with_max_jobs(self, max_jobs: usize) -> Self {
        Self { max_jobs: Some(max_jobs), ..self }
    }

    /// The most rounds, and so the most groups of a resource; at least 1.
    pub fn with_max_rounds(self, max_rounds: usize) -> Self {
        Self { max_rounds: Some(max_rounds), ..self }
    }

    /// Groups the jobs.
    ///
    /// A job longer than the capacity of every resource is refused ([`Refusal::TooLong`]), as are all jobs
    /// where there is no resource or the rounds are over ([`Refusal::NoCapacity`]).
    ///
    /// # Errors
    /// [`HeuristicError::Model`] for a cap of no job or of no round, [`HeuristicError::TooMany`] for 2^32
    /// jobs or more.
    pub fn group(&self, jobs: &[SmallJob], resources: &[GroupResource]) -> Result<Grouping, HeuristicError> {
        if self.max_jobs == Some(0) {
            return Err(ModelError::Zero { what: "jobs of a group" }.into());
        }
        if self.max_rounds == Some(0) {
            return Err(ModelError::Zero { what: "rounds over the resources" }.into());
        }
        if jobs.len() > u32::MAX as usize {
            return Err(HeuristicError::TooMany { limit: u32::MAX as usize, given: jobs.len() });
        }
        let fill_order = self.fill_order(resources);
        let capacities = fill_order.iter().map(|&at| (resources[at].speed * self.granularity).get());
        let capacities = Capacities::new(capacities.collect());
        let (order, mut refused) = self.job_order(jobs, resources, capacities.greatest());
        let most = self.max_jobs.unwrap_or(usize::MAX);
        let most_rounds = self.max_rounds.unwrap_or(usize::MAX);

        let mut groups: Vec<Group> = vec![];
        let mut open: Option<Group> = None;
        // The resource that is filled next, as a place in the order of filling.
        let mut turn = 0;
        let mut round = 1;
        let mut capacity = 0.0;
        for (at, &number) in order.iter().enumerate() {
            let job = &jobs[number as usize];
            if let Some(group) = &mut open {
                let length = group.length + job.work;
                if length.get() <= capacity && at - group.first < most {
                    group.length = length;
                    group.input += job.input;
                    group.end = at + 1;
                    continue;
                }
                groups.extend(open.take());
            }
            let need = job.work.get();
            let next = match capacities.next(turn, need) {
                None if round < most_rounds => {
                    round += 1;
                    // It fits on some resource.
                    capacities.next(0, need)
                }
                place => place,
            };
            let Some(place) = next else {
                refused.push((number, Refusal::NoCapacity));
                continue;
            };
            capacity = capacities.of(place);
            turn = place + 1;
            open = Some(Group {
                id: groups.len(),
                resource: fill_order[place],
                round,
                length: job.work,
                input: job.input,
                time: Span::ZERO,
                cost: sched_model::Money::ZERO,
                first: at,
                end: at + 1,
            });
        }
        groups.extend(open);
        for group in &mut groups {
            group.time = self.dispatch_time(&resources[group.resource], group.length, group.input);
            group.cost = resources[group.resource].price * group.time;
        }
        refused.sort_unstable_by_key(|(job, _)| *job);
        Ok(Grouping { order, groups, refused, resources: resources.len() })
    }

    /// The totals of the jobs of a grouping if each is dispatched alone, to the same resource.
    pub fn separately(&self, grouping: &Grouping, jobs: &[SmallJob], resources: &[GroupResource]) -> Totals {
        let alone = grouping.groups.iter().flat_map(|group| {
            let resource = &resources[group.resource];
            grouping.jobs_of(group).iter().map(move |&job| {
                let job = &jobs[job as usize];
                let time = self.dispatch_time(resource, job.work, job.input);
                (group.resource, time, resource.price * time)
            })
        });
        Totals::of(resources.len(), alone)
    }

    /// How long one dispatch holds a resource: overhead, transfer, work.
    pub fn dispatch_time(&self, resource: &GroupResource, work: Work, input: DataSize) -> Span {
        let transfer = resource.bandwidth.map_or(Span::ZERO, |bandwidth| input / bandwidth);
        self.overhead + transfer + self.service.span(work, resource.speed)
    }

    fn fill_order(&self, resources: &[GroupResource]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..resources.len()).collect();
        match self.resource_order {
            ResourceOrder::Given => {}
            ResourceOrder::CostPerTime => order.sort_by_key(|&at| resources[at].price),
            ResourceOrder::CostPerWork => {
                order.sort_by(|&a, &b| resources[a].cost_per_work().total_cmp(&resources[b].cost_per_work()))
            }
        }
        order
    }

    /// The jobs that fit on some resource, in order, and the others with the reason.
    fn job_order(
        &self,
        jobs: &[SmallJob],
        resources: &[GroupResource],
        greatest: Option<f64>,
    ) -> (Vec<u32>, Vec<(u32, Refusal)>) {
        let (mut order, mut refused) = (vec![], vec![]);
        let fastest = resources.iter().map(|resource| resource.speed).max();
        for (at, job) in (0u32..).zip(jobs) {
            match (greatest, fastest) {
                (Some(greatest), _) if job.work.get() <= greatest => order.push(at),
                (Some(_), Some(fastest)) => {
                    let least = job.work / fastest;
                    refused.push((at, Refusal::TooLong { least, limit: self.granularity }));
                }
                _ => refused.push((at, Refusal::NoCapacity)),
            }
        }
        if self.job_order == JobOrder::Priority {
            // Stable: equal priorities keep their order. See `JobOrder::Priority` for why this is the length.
            order.sort_by_key(|&at| std::cmp::Reverse(jobs[at as usize].work));
        }
        (order, refused)
    }
}

sched_model::setters!(JobGrouping {
    /// Jobs in this order.
    with_job_order: job_order: JobOrder,
    /// Resources in this order.
    with_resource_order: resource_order: ResourceOrder,
    /// Each dispatch takes this much longer.
    with_overhead: overhead: Span,
    /// Resources work by this rule.
    with_service: service: ServiceRule,
});

/// Capacities in the order of filling, with a search for the next one that is large enough.
///
/// A tree in an array: node k has the children 2k and 2k + 1 and holds the greater of the two; leaves begin
/// at `leaves`.
struct Capacities {
    tree: Vec<f64>,
    leaves: usize,
    len: usize,
}

impl Capacities {
    fn new(values: Vec<f64>) -> Self {
        let len = values.len();
        let leaves = len.next_power_of_two();
        let mut tree = vec![f64::NEG_INFINITY; leaves];
        tree.extend(values);
        tree.resize(2 * leaves, f64::NEG_INFINITY);
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node].max(tree[2 * node + 1]);
        }
        Self { tree, leaves, len }
    }

    fn of(&self, place: usize) -> f64 {
        self.tree[self.leaves + place]
    }

    fn greatest(&self) -> Option<f64> {
        (self.len > 0).then(|| self.tree[1])
    }

    /// The first place, from `from` on, of at least `need`.
    fn next(&self, from: usize, need: f64) -> Option<usize> {
        if from >= self.len {
            return None;
        }
        let mut node = self.leaves + from;
        while self.tree[node] < need {
            // Up while this is a right child, then over to the right neighbour.
            while node % 2 == 1 {
                node /= 2;
                if node == 0 {
                    return None;
                }
            }
            node += 1;
        }
        while node < self.leaves {
            node = if self.tree[2 * node] >= need { 2 * node } else { 2 * node + 1 };
        }
        Some(node - self.leaves)
    }
}
