//! Job grouping: joins many small jobs into few groups, which are dispatched as one job each.

mod grouped;

use crate::HeuristicError;
pub use grouped::{Dispatching, Group, Grouping, ServiceRule, Totals};
use sched_model::{Bandwidth, DataSize, Job, Machine, ModelError, Price, Refusal, Span, Speed, Work};

/// A machine whose CPUs work together: with the sums of their speeds and of their prices.
struct WholeMachine {
    speed: Speed,
    price: Price,
    bandwidth: Option<Bandwidth>,
}

impl WholeMachine {
    fn of_all(machines: &[Machine]) -> Result<Vec<Self>, HeuristicError> {
        let of = |machine: &Machine| {
            let cpus = f64::from(machine.cpus());
            let speed = Speed::try_from(machine.speed.get() * cpus)?;
            let price = Price::try_from(machine.price.get() * cpus)?;
            Ok(Self { speed, price, bandwidth: machine.bandwidth })
        };
        machines.iter().map(of).collect()
    }

    fn cost_per_work(&self) -> f64 {
        self.price.get() / self.speed.get()
    }
}

sched_model::registry! {
    /// The order in which jobs are grouped.
    #[derive(Default)]
    pub enum JobOrder: setting "order of jobs" {
        /// As given: first come, first served.
        #[default]
        Arrival = "arrival",
        /// In descending order of priority; equal priorities as given. The published priority of a job is its cost on
        /// a resource, length / MIPS * rate (S. Yadav, A. Agarwal, R. Rastogi, "Cost-based job grouping and
        /// scheduling algorithm for grid computing environments", equation 1). On every resource with a positive price
        /// this is proportional to the length, so the order is that of descending length, whatever the resource.
        Priority = "priority",
    }
}

sched_model::registry! {
    /// The order in which resources are filled.
    #[derive(Default)]
    pub enum ResourceOrder: setting "order of resources" {
        /// As given.
        #[default]
        Given = "given",
        /// In ascending order of the price per unit of time: the published order.
        CostPerTime = "cost-per-time",
        /// In ascending order of the price per unit of work, which the priority of equation 1 is based on.
        CostPerWork = "cost-per-work",
    }
}

/// Job grouping by granularity time: joins jobs into groups that each run for at most a given time.
///
/// Resources are filled one after another: jobs join a group while their total length is at most speed *
/// granularity time of its resource; then the next resource is filled. Lengths are added in doubles, job by job. A
/// resource that is too slow for the next job is skipped. After the last resource, the next round begins with the
/// first. With both orders as given this is N. Muthuvelu et al., "A dynamic job grouping-based scheduling for deploying
/// applications with fine-grained tasks on global grids", 2005; with [`JobOrder::Priority`] and
/// [`ResourceOrder::CostPerTime`] it is S. Yadav, A. Agarwal, R. Rastogi, "Cost-based job grouping and scheduling
/// algorithm for grid computing environments". Neither says what happens when all resources are full; here they are
/// used again. [`ResourceOrder::CostPerWork`], the caps on jobs and rounds, overheads and transfers are additions.
///
/// A resource is a machine, all CPUs of which work on one group at a time: its speed (the published Resource_MIPS) and
/// its price are the sums over its CPUs. The work and the input of a job are used, and nothing else of it.
///
/// O(n log n + (g + r) log m + m log m) for n jobs on m resources in g groups, with r jobs refused because the rounds
/// are over; O(n + m) space. Heuristic: no bin packing is tried, jobs keep their order. Equal jobs and equal
/// resources keep the order given.
///
/// ```
/// use grid_heuristics::{JobGrouping, JobOrder, ResourceOrder};
/// use sched_model::{Job, JobId, Machine, MachineId, Money, Price, ResourceRequest, Span, Speed};
/// let jobs: Vec<_> = [30.0, 50.0, 20.0, 40.0, 900.0]
///     .iter().zip(1..).map(|(&work, id)| Job::new(JobId(id), ResourceRequest::must(1, work))).collect();
/// let resources = [
///     Machine::new(MachineId(0), 2, Speed::must(10.0), Price::must(2.0))?, // groups up to 20 * 5 = 100
///     Machine::new(MachineId(1), 1, Speed::must(10.0), Price::must(1.0))?, // up to 50
/// ];
/// let grouping = JobGrouping::new(Span::must(5.0))
///     .with_job_order(JobOrder::Priority)
///     .with_resource_order(ResourceOrder::CostPerTime)
///     .group(&jobs, &resources)?;
/// // Longest first: 50 fills the cheap resource, 40 + 30 + 20 go to the other. 900 is too long for both.
/// let groups: Vec<_> = grouping.groups.iter()
///     .map(|group| (group.resource, group.length.get(), grouping.jobs_of(group).to_vec())).collect();
/// assert_eq!(groups, [(1, 50.0, vec![1]), (0, 90.0, vec![3, 0, 2])]);
/// assert_eq!(grouping.refused.len(), 1);
/// // 5 at rate 1 and 4.5 at rate 4.
/// assert_eq!(grouping.totals().cost, Money::must(23.0));
/// # Ok::<(), grid_heuristics::HeuristicError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[must_use]
pub struct JobGrouping {
    /// The maximum work / speed of a group on its resource, without overhead and transfer. To keep the overhead at most
    /// a share s of the time of each full group, set overhead * (1 - s) / s plus the time of the longest job: a group
    /// is full when the next job does not fit.
    pub granularity: Span,
    /// The order in which jobs are grouped.
    pub job_order: JobOrder,
    /// The order in which resources are filled.
    pub resource_order: ResourceOrder,
    /// The maximum number of jobs in a group; `None` for no limit, 1 for no grouping.
    pub max_jobs: Option<usize>,
    /// The maximum number of rounds over the resources; `None` for as many as needed. Jobs that would need
    /// another round are refused.
    pub max_rounds: Option<usize>,
    /// The time that each dispatch takes in addition to transfer and work, paid at the same rate.
    pub overhead: Span,
    /// The rule for the time that a resource works on a group.
    pub service: ServiceRule,
}

impl JobGrouping {
    /// Creates a grouping with groups of length up to speed * `granularity`, jobs and resources in the order given, no
    /// caps, no overhead, and exact times.
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

    /// Sets the maximum number of jobs in a group, at least 1.
    pub fn with_max_jobs(self, max_jobs: usize) -> Self {
        Self { max_jobs: Some(max_jobs), ..self }
    }

    /// Sets the maximum number of rounds, at least 1. It is also the maximum number of groups on one resource.
    pub fn with_max_rounds(self, max_rounds: usize) -> Self {
        Self { max_rounds: Some(max_rounds), ..self }
    }

    /// Groups `jobs` on `resources`.
    ///
    /// A job longer than the capacity of every resource is refused ([`Refusal::TooLong`]), as are jobs of several
    /// tasks ([`Refusal::TooWide`]), the jobs left when the rounds are over, and all jobs if there is no resource (both
    /// [`Refusal::NoCapacity`]).
    ///
    /// # Errors
    /// [`HeuristicError::Model`] if `max_jobs` or `max_rounds` is 0, or if the total speed or price of the CPUs of a
    /// machine is out of range; [`HeuristicError::TooMany`] for 2^32 jobs or more.
    pub fn group(&self, jobs: &[Job], resources: &[Machine]) -> Result<Grouping, HeuristicError> {
        if self.max_jobs == Some(0) {
            return Err(ModelError::Zero { what: "jobs of a group" }.into());
        }
        if self.max_rounds == Some(0) {
            return Err(ModelError::Zero { what: "rounds over the resources" }.into());
        }
        if jobs.len() > u32::MAX as usize {
            return Err(HeuristicError::TooMany { limit: u32::MAX as usize, given: jobs.len() });
        }
        let resources = &WholeMachine::of_all(resources)?;
        let fill_order = self.fill_order(resources);
        let capacities = fill_order.iter().map(|&at| (resources[at].speed * self.granularity).get());
        let capacities = Capacities::new(capacities.collect());
        let (order, mut refused) = self.job_order(jobs, resources, capacities.max_capacity());
        let mut groups = self.fill(jobs, &order, &fill_order, &capacities, &mut refused);
        for group in &mut groups {
            group.time = self.dispatch_time(&resources[group.resource], group.length, group.input);
            group.cost = resources[group.resource].price * group.time;
        }
        refused.sort_unstable_by_key(|(job, _)| *job);
        Ok(Grouping { order, groups, refused })
    }

    /// Groups the jobs of `order`, each of which fits on some resource, and fills the resources in the order
    /// `fill_order`. Refuses the jobs left when the rounds are over. Times and costs are not set yet.
    fn fill(
        &self,
        jobs: &[Job],
        order: &[u32],
        fill_order: &[usize],
        capacities: &Capacities,
        refused: &mut Vec<(u32, Refusal)>,
    ) -> Vec<Group> {
        let most = self.max_jobs.unwrap_or(usize::MAX);
        let most_rounds = self.max_rounds.unwrap_or(usize::MAX);

        let mut groups: Vec<Group> = vec![];
        let mut open: Option<Group> = None;
        // The resource to be filled next, as a position in `fill_order`.
        let mut turn = 0;
        let mut round = 1;
        let mut capacity = 0.0;
        for (at, &number) in order.iter().enumerate() {
            let request = &jobs[number as usize].request;
            if let Some(group) = &mut open {
                let length = group.length + request.work();
                if length.get() <= capacity && at - group.first < most {
                    group.length = length;
                    group.input += request.input;
                    group.end = at + 1;
                    continue;
                }
                groups.extend(open.take());
            }
            let need = request.work().get();
            let next = match capacities.next(turn, need) {
                None if round < most_rounds => {
                    round += 1;
                    // The job fits on some resource, so there is a place.
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
                length: request.work(),
                input: request.input,
                time: Span::ZERO,
                cost: sched_model::Money::ZERO,
                first: at,
                end: at + 1,
            });
        }
        groups.extend(open);
        groups
    }

    /// Returns the totals if each job of a grouping is dispatched alone, to the resource of its group.
    ///
    /// # Errors
    /// [`HeuristicError::Model`] if the total speed or price of the CPUs of a machine is out of range.
    ///
    /// # Panics
    /// If `jobs` or `resources` are fewer than `grouping` refers to, like the indexing of a slice.
    pub fn separately(
        &self,
        grouping: &Grouping,
        jobs: &[Job],
        resources: &[Machine],
    ) -> Result<Totals, HeuristicError> {
        let resources = &WholeMachine::of_all(resources)?;
        let alone = grouping.groups.iter().flat_map(|group| {
            let resource = &resources[group.resource];
            grouping.jobs_of(group).iter().map(move |&job| {
                let request = &jobs[job as usize].request;
                let time = self.dispatch_time(resource, request.work(), request.input);
                (group.resource, time, resource.price * time)
            })
        });
        Ok(Totals::of(alone))
    }

    /// Returns the time for which one dispatch holds a resource: overhead, transfer and work.
    fn dispatch_time(&self, resource: &WholeMachine, work: Work, input: DataSize) -> Span {
        let transfer = resource.bandwidth.map_or(Span::ZERO, |bandwidth| input / bandwidth);
        self.overhead + transfer + self.service.span(work, resource.speed)
    }

    fn fill_order(&self, resources: &[WholeMachine]) -> Vec<usize> {
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

    /// Returns the jobs that fit on some resource, in the order of grouping, and the others, each with the reason.
    /// `max_capacity` is the maximum capacity of a resource; `None` if there are no resources.
    fn job_order(
        &self,
        jobs: &[Job],
        resources: &[WholeMachine],
        max_capacity: Option<f64>,
    ) -> (Vec<u32>, Vec<(u32, Refusal)>) {
        let (mut order, mut refused) = (vec![], vec![]);
        let fastest = resources.iter().map(|resource| resource.speed).max();
        for (at, job) in (0u32..).zip(jobs) {
            let (needed, work) = (job.request.nodes(), job.request.work());
            match (max_capacity, fastest) {
                (Some(_), _) if needed > 1 => refused.push((at, Refusal::TooWide { needed, largest: 1 })),
                (Some(max_capacity), _) if work.get() <= max_capacity => order.push(at),
                (Some(_), Some(fastest)) => {
                    let least = work / fastest;
                    refused.push((at, Refusal::TooLong { least, limit: self.granularity }));
                }
                _ => refused.push((at, Refusal::NoCapacity)),
            }
        }
        if self.job_order == JobOrder::Priority {
            // Stable: equal priorities keep their order. See `JobOrder::Priority` for why this is the length.
            order.sort_by_key(|&at| std::cmp::Reverse(jobs[at as usize].request.work()));
        }
        (order, refused)
    }
}

sched_model::setters!(JobGrouping {
    /// Sets the order in which jobs are grouped.
    with_job_order: job_order: JobOrder,
    /// Sets the order in which resources are filled.
    with_resource_order: resource_order: ResourceOrder,
    /// Sets the time that each dispatch takes in addition to transfer and work.
    with_overhead: overhead: Span,
    /// Sets the rule for the time that a resource works on a group.
    with_service: service: ServiceRule,
});

/// The capacities of the resources in the order of filling, with a search for the next one that is large enough.
///
/// A maximum segment tree: node k has the children 2k and 2k + 1 and holds their maximum; the leaves begin at `leaves`.
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

    fn max_capacity(&self) -> Option<f64> {
        (self.len > 0).then(|| self.tree[1])
    }

    /// Returns the first place, from `from` on, whose capacity is at least `need`.
    fn next(&self, from: usize, need: f64) -> Option<usize> {
        if from >= self.len {
            return None;
        }
        let mut node = self.leaves + from;
        while self.tree[node] < need {
            // Up while this is a right child, then to the right neighbour.
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
