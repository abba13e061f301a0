//! A scheduler core for a running system: jobs arrive, end early and overrun, nodes fail and return, prices and
//! the horizon change.
//!
//! The core holds two things: the free time, and the window of each job. Every event is a few calls.

use econsched::prelude::*;
use econsched::slot_window::WindowError;
use std::collections::BTreeMap;

/// A window, or the reason why there is none.
type Got = Result<Window, Refusal>;

struct Core {
    free: SlotList,
    held: BTreeMap<JobId, (ResourceRequest, Window)>,
}

impl Core {
    /// Finds a window for a job and takes it, or says why there is none.
    fn submit(&mut self, now: Time, job: JobId, request: ResourceRequest) -> Result<Got, WindowError> {
        let search = Amp::new();
        let found = search.find(&WindowQuery::new(&self.free, &request).with_from(now))?;
        let Some(window) = found.best else { return Ok(Err(found.refusal.unwrap_or(Refusal::Stopped))) };
        self.free.cut(&window)?;
        self.held.insert(job, (request, window.clone()));
        Ok(Ok(window))
    }

    /// A job has ended, at its planned end or before: the rest of its window is free again.
    fn ended(&mut self, now: Time, job: JobId) -> Result<(), ModelError> {
        match self.held.remove(&job) {
            Some((_, window)) => self.free.give_back(&window, now),
            None => Ok(()),
        }
    }

    /// A job needs one of its nodes for longer. Returns whether it can keep the node.
    fn overruns(&mut self, job: JobId, node: NodeId, until: Time) -> bool {
        let Some((_, window)) = self.held.get_mut(&job) else { return false };
        match self.free.lengthen(window, node, until) {
            Ok(longer) => {
                *window = longer;
                true
            }
            Err(_) => false,
        }
    }

    /// A node is down for some time: jobs that hold it in that time lose their windows and get others, if there
    /// are any.
    fn fails(&mut self, now: Time, node: NodeId, until: Time) -> Result<Vec<(JobId, Got)>, WindowError> {
        let hit: Vec<(JobId, ResourceRequest)> = self
            .held
            .iter()
            .filter(|(_, (_, window))| window.takes(node, now, until))
            .map(|(&job, (request, _))| (job, request.clone()))
            .collect();
        for &(job, _) in &hit {
            self.ended(now, job)?;
        }
        // The node is not free until then.
        self.free.block(node, now..until);
        hit.into_iter().map(|(job, request)| Ok((job, self.submit(now, job, request)?))).collect()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let nodes = [(1, 1.0, 1.0), (2, 1.0, 1.0), (3, 2.0, 3.0), (4, 2.0, 3.0)];
    let nodes = nodes.map(|(id, speed, price)| Node::must(id, speed, price));
    let at = Time::must;
    let free = SlotList::from_nodes(&nodes, &[], at(0.0), at(100.0))?;
    let mut core = Core { free, held: BTreeMap::new() };
    let two = ResourceRequest::must(2, 40.0).with_budget(Money::must(130.0));
    let say = |now: f64, job: JobId, got: &Got| match got {
        Ok(window) => println!("{now:>4}  job {job}: {window}"),
        Err(reason) => println!("{now:>4}  job {job}: {reason}"),
    };

    for id in 1..=3 {
        say(0.0, JobId(id), &core.submit(at(0.0), JobId(id), two.clone())?);
    }

    // Job 1 ends early, and another job takes the rest of its window.
    core.free.advance(at(15.0));
    core.ended(at(15.0), JobId(1))?;
    say(15.0, JobId(4), &core.submit(at(15.0), JobId(4), two)?);

    // Node 4 is down for 30: jobs that hold it move to other nodes.
    for (job, got) in core.fails(at(18.0), NodeId(4), at(48.0))? {
        say(18.0, job, &got);
    }

    // The price of the fast nodes rises from 60 on: windows that were given before keep their price.
    for node in [NodeId(3), NodeId(4)] {
        core.free.reprice(node, Price::must(5.0), at(60.0));
    }
    // A job asks for more time on a node; if another job has that time, the job must end.
    let (job, node, until) = (JobId(4), NodeId(2), at(60.0));
    let granted = core.overruns(job, node, until);
    println!("  18  job {job} wants node {node} until {until}: {granted}");

    // The horizon moves on by another 100.
    core.free.extend(&nodes, at(100.0), at(200.0))?;
    say(20.0, JobId(5), &core.submit(at(20.0), JobId(5), ResourceRequest::must(4, 100.0))?);

    assert_eq!(core.held.len(), 4);
    Ok(())
}
