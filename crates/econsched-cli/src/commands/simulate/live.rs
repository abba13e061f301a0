//! The settings of the live broker in a simulation: how far it may move promises, whose jobs may stop running jobs,
//! and the features of machines and demands of jobs.

use super::SimulateArgs;
use super::report::{Figure, Kind};
use crate::commands::prelude::*;
use crate::commands::settings::Settings;
use econsched::grid_sim::{GridJob, LiveOutcome, Resource};
use econsched::live_broker::{Config, Stability};
use econsched::sched_model::{MachineId, Priority};
use econsched_studies::multi_s_grid::Site;

/// Maximum number of windows of each job among which a criterion chooses.
const ALTERNATIVES: usize = 5;

/// The priority of the jobs of urgent users; that of the others is 1.
const URGENT: f64 = 2.0;

/// The settings of the live broker.
#[derive(Clone)]
pub(super) struct LiveSettings {
    pub(super) config: Config,
    /// Users whose jobs come first and may stop the jobs of others.
    urgent_users: Vec<UserId>,
    demands: Demanded,
}

impl LiveSettings {
    /// Combines the flags with the settings given.
    ///
    /// # Errors
    /// [`CliError`] for settings that do not exist, or would have no effect together with the others.
    pub(super) fn of(args: &SimulateArgs, given: &mut Settings) -> Result<Self, CliError> {
        let usual = Config::new(args.horizon).with_search(args.search).with_interval(args.interval);
        let goals = args.criterion.iter();
        let usual = goals.fold(usual, |usual, one| usual.with_goal(one.goal(), ALTERNATIVES));
        let config: Config = given.take("live").over(usual)?;
        let urgent_users: Vec<UserId> = given.take("urgent_users").over(Vec::new())?;
        let (moves, still) = (&config.stability, Stability::default());
        if moves.policy == still.policy && *moves != still {
            return Err(CliError::usage("--set live.stability: with the policy `never` no promise is moved"));
        }
        if config.preemption.is_some() && urgent_users.is_empty() {
            return Err(CliError::usage("--set live.preemption: it is for the jobs of urgent_users"));
        }
        Ok(Self { config, urgent_users, demands: given.take("demands").over(Demanded::default())? })
    }

    /// Gives the jobs their demands and priorities, and returns the machines with their features.
    ///
    /// # Errors
    /// [`CliError::Wrong`] for machines and jobs that do not exist or are given twice.
    pub(super) fn with_demands(
        &self,
        sites: &[Site],
        resources: impl Iterator<Item = Resource>,
        jobs: &mut [GridJob],
    ) -> Result<Vec<Resource>, CliError> {
        for job in jobs.iter_mut().filter(|job| self.urgent_users.contains(&job.job.user)) {
            job.job.priority = Priority::must(URGENT);
        }
        let mut features = self.demands.place(sites, jobs)?;
        let with = |(at, one): (_, Resource)| one.with_features(features.remove(&at).unwrap_or_default());
        Ok(resources.enumerate().map(with).collect())
    }
}

/// Returns figures beyond those of the report.
pub(super) fn figures(done: &LiveOutcome) -> Vec<Figure> {
    let [later, earlier] = done.moved;
    let figures = [
        ("promises moved later", later),
        ("promises moved earlier", earlier),
        ("promises withdrawn", done.withdrawn),
        ("jobs preempted", done.preempted),
        ("cycles", done.cycles),
    ];
    figures.map(|(name, count)| (name.to_owned(), Kind::Number, count as f64)).to_vec()
}

/// The features of machines and the demands of jobs.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Demanded {
    machines: Vec<OfMachine>,
    jobs: Vec<OfJob>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfMachine {
    /// The site of the machine; `None` stands for every site.
    site: Option<SiteId>,
    machine: MachineId,
    features: Features,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfJob {
    job: JobId,
    demands: Demands,
}

impl Demanded {
    /// Gives the listed jobs their demands, and returns the features of machines by their indices.
    ///
    /// # Errors
    /// [`CliError::Wrong`] for machines and jobs that do not exist or are given twice.
    fn place(&self, sites: &[Site], jobs: &mut [GridJob]) -> Result<BTreeMap<usize, Features>, CliError> {
        let wrong = |list: &str, at: usize, why: String| {
            Err(CliError::input(Place::default().field(format!("demands.{list}[{at}]")), why))
        };
        let mut features = BTreeMap::new();
        for (at, OfMachine { site, machine, features: of }) in self.machines.iter().enumerate() {
            let ids = sites.iter().flat_map(|site| site.machines.iter().map(|one| (site.id, one.id)));
            let is_meant = |of: SiteId, id| id == *machine && site.is_none_or(|site| site == of);
            let places: Vec<usize> =
                ids.zip(0..).filter_map(|((of, id), place)| is_meant(of, id).then_some(place)).collect();
            if places.is_empty() {
                return wrong("machines", at, format!("no machine {machine}"));
            }
            if places.iter().any(|&place| features.insert(place, of.clone()).is_some()) {
                return wrong("machines", at, format!("machine {machine} is given twice"));
            }
        }
        let places: BTreeMap<JobId, usize> = (0..jobs.len()).map(|at| (jobs[at].job.id, at)).collect();
        let mut given = BTreeSet::new();
        for (at, OfJob { job, demands }) in self.jobs.iter().enumerate() {
            if !given.insert(job) {
                return wrong("jobs", at, format!("job {job} is given twice"));
            }
            let Some(&place) = places.get(job) else { return wrong("jobs", at, format!("no job {job}")) };
            let request = &mut jobs[place].job.request;
            *request = request.clone().with_demands(demands.clone());
        }
        Ok(features)
    }
}
