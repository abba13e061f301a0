//! The registries: every heuristic by name.

use crate::etc::max_first::{Value, max_first};
use crate::etc::min_min::{duplex, min_min};
use crate::etc::rules::{Mct, Met, Olb, fpltf, sufferage_passes};
use crate::trade_off::heuristics::{blind_greedy, greedy, max_ctt, min_ctt};
use crate::trade_off::market::Market;
use crate::{
    HeuristicError, ImmediateHeuristic, Kpb, Mapping, MappingHeuristic, Reservation, Switching,
    TradeOffHeuristic, TradeOffMetric, TradeOffProblem,
};
use sched_model::{EtcMatrix, Meter, Schedule, registry};

registry! {
    /// The mapping heuristics. Each variant implements [`MappingHeuristic`] itself, with its default settings.
    ///
    /// ```
    /// use grid_heuristics::{MappingKind, MappingHeuristic};
    /// use sched_model::EtcMatrix;
    /// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
    /// let kind: MappingKind = "max-min".parse()?;
    /// assert_eq!(kind.map(&etc)?.resources, [1, 0, 0]);
    /// assert!("best".parse::<MappingKind>().is_err());
    /// # Ok::<(), grid_heuristics::HeuristicError>(())
    /// ```
    pub enum MappingKind: "mapping heuristic" => dyn MappingHeuristic {
        /// Opportunistic load balancing: maps each task, in order, to the resource that is ready first, however slow
        /// that resource is.
        ///
        /// T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
        /// onto heterogeneous distributed computing systems", 2001. Prefer [`Mct`](Self::Mct) where the times of the
        /// tasks are known.
        ///
        /// O(n m) for n tasks on m resources. Heuristic. Ties go to the lowest resource.
        ///
        /// ```
        /// use grid_heuristics::{MappingHeuristic, MappingKind};
        /// use sched_model::EtcMatrix;
        /// let etc = EtcMatrix::from_rows(&[[5.0, 1.0], [4.0, 2.0], [3.0, 9.0]])?;
        /// assert_eq!(MappingKind::Olb.map(&etc)?.resources, [0, 1, 1]); // ready at (0, 0), (5, 0), (5, 2)
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        Olb = "olb" => Self::Olb,
        /// Minimum execution time: maps each task to the resource on which its execution time is minimum, however
        /// loaded that resource is.
        ///
        /// T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
        /// onto heterogeneous distributed computing systems", 2001. On a consistent matrix (resources rank the
        /// same for every task) it maps all tasks to one resource: prefer [`Kpb`](crate::Kpb) or
        /// [`Switching`](crate::Switching).
        ///
        /// O(n m) for n tasks on m resources. Heuristic. Ties go to the lowest resource.
        ///
        /// ```
        /// use grid_heuristics::{MappingHeuristic, MappingKind};
        /// use sched_model::EtcMatrix;
        /// let etc = EtcMatrix::from_rows(&[[5.0, 1.0], [4.0, 2.0], [3.0, 9.0]])?;
        /// assert_eq!(MappingKind::Met.map(&etc)?.resources, [1, 1, 0]);
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        Met = "met" => Self::Met,
        /// Minimum completion time: maps each task, in order, to the resource that completes it first.
        ///
        /// T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
        /// onto heterogeneous distributed computing systems", 2001. The usual choice when tasks are considered one at
        /// a time; [`MinMin`](Self::MinMin) and [`Sufferage`](Self::Sufferage) compare all tasks.
        ///
        /// O(n m) for n tasks on m resources. Heuristic. Ties go to the lowest resource.
        ///
        /// ```
        /// use grid_heuristics::{MappingHeuristic, MappingKind};
        /// use sched_model::{EtcMatrix, Time};
        /// let etc = EtcMatrix::from_rows(&[[5.0, 1.0], [4.0, 4.0], [3.0, 2.0]])?;
        /// let mapping = MappingKind::Mct.map(&etc)?; // ready at (0, 0), (0, 1), (4, 1)
        /// assert_eq!(mapping.resources, [1, 0, 1]);
        /// assert_eq!(mapping.makespan(), Some(Time::must(4.0)));
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        Mct = "mct" => Self::Mct,
        /// [`Kpb`](crate::Kpb) with its default settings.
        Kpb = "kpb" => Self::Kpb,
        /// [`Switching`](crate::Switching) with its default settings.
        Switching = "switching" => Self::Switching,
        /// Fastest processor to largest task first: maps the tasks in descending order of size, each to the resource
        /// that completes it first.
        ///
        /// Source, as A. Raeisi Gahrouei and M. Ghatee cite it: D. Saha, D. Menasce, S. Porto, *Static and dynamic
        /// processor scheduling disciplines in heterogeneous parallel architectures*, 1995.
        ///
        /// The original uses the sizes of tasks and the speeds of resources. A matrix has neither, so here the size of
        /// a task is the sum of its times, added in doubles from resource to resource, and the resource is that of
        /// minimum completion time. Where each time is size / speed, this is the original. On consistent matrices its
        /// makespans are nearly as good as those of [`MaxMin`](Self::MaxMin), in the time of one sort.
        ///
        /// O(n m + n log n) for n tasks on m resources. Heuristic. Ties go to the lowest task and resource.
        ///
        /// ```
        /// use grid_heuristics::{MappingHeuristic, MappingKind};
        /// use sched_model::EtcMatrix;
        /// let etc = EtcMatrix::from_rows(&[[1.0, 2.0], [4.0, 8.0], [3.0, 6.0]])?;
        /// let mapping = MappingKind::Fpltf.map(&etc)?; // ready at (0, 0), (4, 0), (4, 6)
        /// assert_eq!((mapping.order, mapping.resources), (vec![1, 2, 0], vec![0, 0, 1]));
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        Fpltf = "fpltf" => Self::Fpltf,
        /// Min-min: repeatedly maps the task with the minimum earliest completion time, to the resource that completes
        /// it first.
        ///
        /// O. H. Ibarra, C. E. Kim, "Heuristic algorithms for scheduling independent tasks on nonidentical
        /// processors", 1977; the mapping is that of the literal pseudo code (`tests/all/definitions.rs`), ties
        /// included. In this implementation each resource holds the tasks sorted by their time on it, so the earliest
        /// completion of all tasks is the minimum of m sums.
        ///
        /// Good where many short tasks fill the resources; where a few long ones determine the makespan,
        /// [`MaxMin`](Self::MaxMin) is better, and [`Duplex`](Self::Duplex) takes the better of the two.
        ///
        /// O(n m log n) time, 4 n m bytes, for n tasks on m resources. Heuristic. Ties go to the lowest task, then to
        /// the lowest resource.
        ///
        /// ```
        /// use grid_heuristics::{MappingHeuristic, MappingKind};
        /// use sched_model::{EtcMatrix, Meter, Time};
        /// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
        /// // Task 2 ends at 1 on resource 1; task 1 at 2 on resource 0; task 0 at 9 on resource 1 (or at 11).
        /// let mapping = MappingKind::MinMin.map(&etc)?;
        /// assert_eq!(mapping.makespan(), Some(Time::must(9.0)));
        /// assert_eq!((mapping.order, mapping.resources), (vec![2, 1, 0], vec![1, 0, 1]));
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        MinMin = "min-min" => Self::MinMin,
        /// Max-min: repeatedly maps the task with the maximum earliest completion time, to the resource that completes
        /// it first.
        ///
        /// O. H. Ibarra, C. E. Kim, "Heuristic algorithms for scheduling independent tasks on nonidentical
        /// processors", 1977; the mapping is that of the literal pseudo code (`tests/all/definitions.rs`), ties
        /// included. In this implementation each task is stored at a resource on which it would end before the chosen
        /// task, and is examined again only once the ready time of that resource has grown so much that this no longer
        /// holds. Tasks of similar size are stored together, in packs.
        ///
        /// Good where a few long tasks determine the makespan; otherwise prefer [`MinMin`](Self::MinMin).
        ///
        /// O(n m + n log n + a m) time for n tasks on m resources, where a is the number of examinations of a task or
        /// pack: at most 2 n^2 / 3; on range-based matrices of 10^4 tasks on 100 resources 60 to 66 per mapped task,
        /// which is 1.5 to 1.6 times as many as with 5,000 tasks. O(n m) space: less than six bytes for each cell.
        /// Heuristic. Ties go to the lowest task, then to the lowest resource.
        ///
        /// ```
        /// use grid_heuristics::{MappingHeuristic, MappingKind};
        /// use sched_model::{EtcMatrix, Meter, Time};
        /// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
        /// // Task 0 ends at 8 on resource 1; task 1 at 2, task 2 then at 4 on resource 0.
        /// let mapping = MappingKind::MaxMin.map(&etc)?;
        /// assert_eq!(mapping.makespan(), Some(Time::must(8.0)));
        /// assert_eq!((mapping.order, mapping.resources), (vec![0, 1, 2], vec![1, 0, 0]));
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        MaxMin = "max-min" => Self::MaxMin,
        /// Duplex: runs [`MinMin`](Self::MinMin) and [`MaxMin`](Self::MaxMin) and returns the mapping with the lower
        /// makespan; that of Min-min if they are equal.
        ///
        /// T. D. Braun et al., "A comparison of eleven static heuristics for mapping a class of independent tasks
        /// onto heterogeneous distributed computing systems", 2001. Time and space of both together. Heuristic. If a
        /// limit ends Max-min, the mapping of Min-min is returned, and [`Meter::ended`] says which limit it was.
        ///
        /// ```
        /// use grid_heuristics::{MappingHeuristic, MappingKind};
        /// use sched_model::{EtcMatrix, Meter, Time};
        /// let etc = EtcMatrix::from_rows(&[[9.0, 8.0], [2.0, 3.0], [2.0, 1.0]])?;
        /// assert_eq!(MappingKind::Duplex.map(&etc)?.makespan(), Some(Time::must(8.0))); // Min-min has 9, Max-min 8
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        Duplex = "duplex" => Self::Duplex,
        /// Sufferage: repeatedly maps the task that would lose most time if it did not get its best resource.
        ///
        /// The sufferage of a task is its second earliest completion time less its earliest. This is the common
        /// variant, which maps one task and then computes all sufferages anew;
        /// [`SufferagePasses`](Self::SufferagePasses) is the variant of the first paper. The mapping is
        /// that of the literal pseudo code (`tests/all/definitions.rs`), ties included. In this implementation each
        /// task is stored at its two best resources, and is examined again only once the ready time of one of them has
        /// grown so much that the sufferage of the task may reach that of the chosen task.
        ///
        /// On inconsistent matrices it is usually the best of the classical heuristics.
        ///
        /// O(n m + n log n + a m) time for n tasks on m resources, where a is the number of examinations of a task: at
        /// most n^2 / 2; on range-based matrices of 10^4 tasks on 100 resources 60 per mapped task
        /// (inconsistent), 150 (semi-consistent) or 800 (consistent, where all ready times grow by a whole sufferage
        /// within some twenty mapped tasks). O(n) space. Heuristic. Ties go to the lowest task, then to the lowest
        /// resource. On one resource every sufferage is 0.
        ///
        /// ```
        /// use grid_heuristics::{MappingHeuristic, MappingKind};
        /// use sched_model::EtcMatrix;
        /// // Sufferages 1, 6, 5: task 1 first. Then 2 (5 against 7) and 8 (3 against 11): task 2. Then task 0:
        /// // 7 against 8.
        /// let etc = EtcMatrix::from_rows(&[[4.0, 5.0], [3.0, 9.0], [8.0, 3.0]])?;
        /// let mapping = MappingKind::Sufferage.map(&etc)?;
        /// assert_eq!((mapping.order, mapping.resources), (vec![1, 2, 0], vec![0, 0, 1]));
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        Sufferage = "sufferage" => Self::Sufferage,
        /// Sufferage in passes: in each pass every resource takes at most one task, the one of maximum sufferage among
        /// the tasks whose best resource it is.
        ///
        /// M. Maheswaran et al., "Dynamic mapping of a class of independent tasks onto heterogeneous computing
        /// systems", 1999. In a pass each task, in order, claims its best resource. If another task holds it already,
        /// the one of greater sufferage (second earliest completion time less the earliest) keeps it, in ties the
        /// earlier one; the other waits for the next pass. Ready times change at the end of a pass. The results are
        /// usually close to those of [`Sufferage`](Self::Sufferage), but not the same.
        ///
        /// A task is examined again only after a pass in which one of its two best resources took a task, and tasks
        /// with equal times are examined as one. O(n m + p c m) time in the worst case for n tasks with c distinct
        /// rows of times, on m resources in p passes, n/m <= p <= n; O(n) space. Heuristic. Ties go to the lowest task
        /// and resource.
        ///
        /// ```
        /// use grid_heuristics::{MappingHeuristic, MappingKind};
        /// use sched_model::EtcMatrix;
        /// // Sufferages 1, 6, 5: task 1 takes resource 0 from task 0, task 2 takes resource 1. Then task 0: 7
        /// // against 8.
        /// let etc = EtcMatrix::from_rows(&[[4.0, 5.0], [3.0, 9.0], [8.0, 3.0]])?;
        /// let mapping = MappingKind::SufferagePasses.map(&etc)?;
        /// assert_eq!((mapping.order, mapping.resources), (vec![1, 2, 0], vec![0, 0, 1]));
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        SufferagePasses = "sufferage-passes" => Self::SufferagePasses,
    }
}

impl MappingHeuristic for MappingKind {
    fn name(&self) -> &str {
        Self::name(*self)
    }

    fn solve(&self, etc: &EtcMatrix, meter: &mut Meter) -> Result<Mapping, HeuristicError> {
        match self {
            Self::Olb => Olb.solve(etc, meter),
            Self::Met => Met.solve(etc, meter),
            Self::Mct => Mct.solve(etc, meter),
            Self::Kpb => Kpb::default().solve(etc, meter),
            Self::Switching => Switching::default().solve(etc, meter),
            Self::Fpltf => fpltf(etc, meter),
            Self::MinMin => min_min(etc, meter),
            Self::MaxMin => max_first(etc, Value::Completion, meter),
            Self::Duplex => duplex(etc, meter),
            Self::Sufferage => max_first(etc, Value::Sufferage, meter),
            Self::SufferagePasses => sufferage_passes(etc, meter),
        }
    }
}

impl MappingKind {
    /// Returns the heuristic for tasks that arrive one by one (immediate mode); `None` if it needs all tasks at once.
    pub fn build_immediate(self) -> Option<Box<dyn ImmediateHeuristic>> {
        match self {
            Self::Olb => Some(Box::new(Olb)),
            Self::Met => Some(Box::new(Met)),
            Self::Mct => Some(Box::new(Mct)),
            Self::Kpb => Some(Box::new(Kpb::default())),
            Self::Switching => Some(Box::new(Switching::default())),
            _ => None,
        }
    }
}

registry! {
    /// The trade-off heuristics of the meta-broker.
    pub enum TradeOffKind: "trade-off heuristic" {
        /// MinCTT: repeatedly places the job of minimum metric, at its place of minimum metric.
        ///
        /// S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids: time and cost
        /// trade-off management", 2009, algorithm 1; the schedule is that of the literal pseudo code
        /// (`tests/all/definitions.rs`), ties included. The metric of a job only grows while clusters fill up, so an
        /// earlier value is a lower bound, and a job is examined again only when its bound is the minimum of all.
        ///
        /// Its makespans are short. Prefer [`MaxCtt`](Self::MaxCtt) where wide and long jobs should not come last.
        ///
        /// O(n m (f + log n)) to examine each of n jobs on m clusters once, with f the time of an earliest fit
        /// ([`Profile`](sched_model::Profile)); then O(m + f + log n) for each further examination of a job.
        /// Heuristic. Ties go to the first job, then to the lowest cluster.
        ///
        /// ```
        /// use grid_heuristics::{ClusterView, TradeOffHeuristic, TradeOffKind, TradeOffMetric, TradeOffProblem};
        /// use sched_model::{EtcMatrix, Job, JobId, Price, Profile, ResourceRequest, Speed, Time, TradeOff};
        /// let free = Profile::new(2, Time::ZERO);
        /// let cluster =
        ///     |price| ClusterView { speed: Speed::ETALON, price: Price::must(price), free: free.clone() };
        /// let clusters = [cluster(1.0), cluster(2.0)];
        /// let jobs = [1, 2].map(|id| Job::new(JobId(id), ResourceRequest::must(2, 1.0)));
        /// let times = EtcMatrix::from_rows(&[[8.0, 8.0], [4.0, 12.0]])?;
        /// let problem = TradeOffProblem::new(&jobs, &clusters).with_times(&times);
        /// // All time. Job 1: 8/8 and 8/8; job 2: 4/8 on cluster 0. Job 2 comes first, then job 1 has 12/8 and 8/8.
        /// let metric = TradeOffMetric::default().with_factor(TradeOff::must(0.0));
        /// let schedule = TradeOffKind::MinCtt.build(metric).schedule(&problem)?;
        /// let place = |id| schedule.place_of(JobId(id)).map(|p| (p.resource, p.start.get(), p.cost.get()));
        /// assert_eq!(place(2), Some((0, 0.0, 8.0)));
        /// assert_eq!(place(1), Some((1, 0.0, 32.0)));
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        MinCtt = "min-ctt",
        /// MaxCTT: repeatedly places the job of maximum metric, at its place of minimum metric. The metric of a job is
        /// that of its best place.
        ///
        /// S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids: time and cost
        /// trade-off management", 2009, algorithm 2; the schedule is that of the literal pseudo code
        /// (`tests/all/definitions.rs`), ties included. After a reservation only the jobs whose best place was on that
        /// cluster are examined again.
        ///
        /// Its schedules are less fragmented than those of [`MinCtt`](Self::MinCtt): jobs that are hard to place are
        /// placed first.
        ///
        /// O(n m (f + log n)) to examine each of n jobs on m clusters once, with f the time of an earliest fit
        /// ([`Profile`](sched_model::Profile)); then O(m + f + log n) for each further examination of a job, n/m of
        /// them after each placement if the jobs spread evenly over the clusters. Heuristic. Ties go to the first job,
        /// then to the lowest cluster.
        ///
        /// ```
        /// use grid_heuristics::{ClusterView, TradeOffHeuristic, TradeOffKind, TradeOffMetric, TradeOffProblem};
        /// use sched_model::{EtcMatrix, Job, JobId, Price, Profile, ResourceRequest, Speed, Time, TradeOff};
        /// let free = Profile::new(2, Time::ZERO);
        /// let cluster =
        ///     |price| ClusterView { speed: Speed::ETALON, price: Price::must(price), free: free.clone() };
        /// let clusters = [cluster(1.0), cluster(2.0)];
        /// let jobs = [1, 2].map(|id| Job::new(JobId(id), ResourceRequest::must(2, 1.0)));
        /// let times = EtcMatrix::from_rows(&[[8.0, 8.0], [4.0, 12.0]])?;
        /// let problem = TradeOffProblem::new(&jobs, &clusters).with_times(&times);
        /// // All time. Job 1: 8/8 and 8/8; job 2: 4/8. Job 1 comes first, on cluster 0; then job 2 has 12/8 on both.
        /// let metric = TradeOffMetric::default().with_factor(TradeOff::must(0.0));
        /// let schedule = TradeOffKind::MaxCtt.build(metric).schedule(&problem)?;
        /// let place = |id| schedule.place_of(JobId(id)).map(|p| (p.resource, p.start.get()));
        /// assert_eq!((place(1), place(2)), (Some((0, 0.0)), Some((0, 8.0))));
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        MaxCtt = "max-ctt",
        /// Greedy: places the jobs in order of arrival, each at its place of minimum metric.
        ///
        /// The baseline of S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids:
        /// time and cost trade-off management", 2009, after D. Abramson, R. Buyya, J. Giddy, "A computational economy
        /// for grid computing and its implementation in the Nimrod-G resource broker", 2002. Jobs with equal submit
        /// times keep their order. To place one job at a time see
        /// [`TradeOffMetric::best`](crate::TradeOffMetric::best).
        ///
        /// O(n m f + n log n) for n jobs on m clusters, with f the time of an earliest fit
        /// ([`Profile`](sched_model::Profile)). Heuristic. Ties go to the lowest cluster.
        ///
        /// ```
        /// use grid_heuristics::{ClusterView, TradeOffHeuristic, TradeOffKind, TradeOffMetric, TradeOffProblem};
        /// use sched_model::{Job, JobId, Price, Profile, ResourceRequest, Speed, Time};
        /// let free = Profile::new(2, Time::ZERO);
        /// let clusters = [ClusterView { speed: Speed::ETALON, price: Price::must(1.0), free }];
        /// let job =
        ///     |id, submit| Job::new(JobId(id), ResourceRequest::must(2, 4.0)).with_submit(Time::must(submit));
        /// let jobs = [job(1, 3.0), job(2, 1.0)];
        /// let schedule = TradeOffKind::Greedy.build(TradeOffMetric::default())
        ///     .schedule(&TradeOffProblem::new(&jobs, &clusters))?;
        /// let start = |id| schedule.place_of(JobId(id)).map(|p| p.start.get());
        /// assert_eq!((start(1), start(2)), (Some(5.0), Some(1.0)));
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        Greedy = "greedy",
        /// Blind Greedy: places the jobs in order of arrival, each on the cluster that would have the minimum metric if
        /// none of these jobs had been placed; the job starts there as early as the jobs placed before it allow.
        ///
        /// S. K. Garg, R. Buyya, H. J. Siegel, "Scheduling parallel applications on utility grids: time and cost
        /// trade-off management", 2009, say of Greedy that it does not consider the other applications of an
        /// interval. This is the literal reading; [`Greedy`](Self::Greedy) chooses the cluster with all jobs in mind
        /// that it has placed. Jobs with equal submit times keep their order.
        ///
        /// O(n (m f + log n)) time for n jobs on m clusters, with f the time of an earliest fit
        /// ([`Profile`](sched_model::Profile)); O(n m) space. Heuristic. Ties go to the lowest cluster. A job that
        /// has to wait beyond its deadline or the end of its cluster's free time is refused, even if another cluster
        /// has a place.
        ///
        /// ```
        /// use grid_heuristics::{ClusterView, TradeOffHeuristic, TradeOffKind, TradeOffMetric, TradeOffProblem};
        /// use sched_model::{Job, JobId, Price, Profile, ResourceRequest, Speed, Time, TradeOff};
        /// let free = Profile::new(2, Time::ZERO);
        /// let cluster =
        ///     |speed| ClusterView { speed: Speed::must(speed), price: Price::must(1.0), free: free.clone() };
        /// let jobs = [1, 2].map(|id| Job::new(JobId(id), ResourceRequest::must(2, 4.0)));
        /// let metric = TradeOffMetric::default().with_factor(TradeOff::must(0.0));
        /// let clusters = [cluster(1.0), cluster(0.8)];
        /// let problem = TradeOffProblem::new(&jobs, &clusters);
        /// let schedule = TradeOffKind::BlindGreedy.build(metric).schedule(&problem)?;
        /// let place = |id| schedule.place_of(JobId(id)).map(|p| (p.resource, p.start.get()));
        /// // For both, cluster 0 counts as free; the second waits there, though it would end at 5 on cluster 1.
        /// assert_eq!((place(1), place(2)), (Some((0, 0.0)), Some((0, 4.0))));
        /// # Ok::<(), grid_heuristics::HeuristicError>(())
        /// ```
        BlindGreedy = "blind-greedy",
    }
}

impl TradeOffKind {
    /// Returns the heuristic that compares places by `metric`.
    pub fn build(self, metric: TradeOffMetric) -> Box<dyn TradeOffHeuristic> {
        Box::new(Measured { kind: self, metric })
    }
}

/// A trade-off heuristic with the metric by which it compares places.
#[derive(Debug)]
struct Measured {
    kind: TradeOffKind,
    metric: TradeOffMetric,
}

impl TradeOffHeuristic for Measured {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn solve(
        &self,
        problem: &TradeOffProblem<'_>,
        meter: &mut Meter,
    ) -> Result<Schedule<Reservation>, HeuristicError> {
        let market = Market::new(&self.metric, problem, meter)?;
        match self.kind {
            TradeOffKind::MinCtt => min_ctt(market, problem, meter),
            TradeOffKind::MaxCtt => max_ctt(market, problem, meter),
            TradeOffKind::Greedy => greedy(market, problem, meter),
            TradeOffKind::BlindGreedy => blind_greedy(market, problem),
        }
    }
}
