//! A broker that tests feed by hand, and that is audited after each input.

use econsched::testkit::{Draw, NodeCase, features};
use live_broker::*;
use sched_model::*;

pub fn at(time: f64) -> Time {
    Time::must(time)
}

pub fn request(nodes: usize, work: f64) -> ResourceRequest {
    ResourceRequest::must(nodes, work)
}

pub fn plain() -> Config {
    Config::new(Span::must(1000.0))
}

pub struct Driver(pub Broker);

impl Driver {
    /// Nodes of speed 1 and these prices, numbered from 1.
    pub fn new(config: Config, prices: &[f64]) -> Self {
        let nodes: Vec<(f64, f64)> = prices.iter().map(|price| (1.0, *price)).collect();
        Self::with_nodes(config, &nodes)
    }

    /// Nodes of these speeds and prices, numbered from 1.
    pub fn with_nodes(config: Config, nodes: &[(f64, f64)]) -> Self {
        let mut driver = Self(Broker::new(config).unwrap());
        for (id, &(speed, price)) in (1..).zip(nodes) {
            driver.tell(0.0, Input::from(Node::must(id, speed, price)));
        }
        driver
    }

    pub fn tell(&mut self, now: f64, input: Input) -> Entry {
        let entry = self.0.handle(at(now), input).unwrap();
        assert_eq!(self.0.audit(), Vec::<String>::new());
        entry
    }

    pub fn submit(&mut self, now: f64, id: u64, request: ResourceRequest) {
        self.tell(now, Input::from(Job::new(JobId(id), request)));
    }

    /// What is decided at a wake, nothing being confirmed.
    pub fn decided(&mut self, now: f64) -> Vec<Act> {
        self.tell(now, Input::Wake);
        std::iter::from_fn(|| self.0.poll()).map(|decision| decision.act).collect()
    }

    /// Wakes it once, and confirms each start that it decides then.
    pub fn wake(&mut self, now: f64) -> Vec<Act> {
        let acts = self.decided(now);
        for act in &acts {
            if let Act::Start { job, .. } = act {
                self.tell(now, Input::Started(*job));
            }
        }
        acts
    }
}

pub fn written(broker: &Broker) -> String {
    serde_json::to_string(broker).unwrap()
}

pub fn restored(text: &str) -> Result<Broker, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

pub fn state(broker: &Broker) -> serde_json::Value {
    serde_json::from_str(&written(broker)).unwrap()
}

/// Nodes of which drawn jobs hold some for 5 at least.
pub fn crowded(config: Config, draw: &mut Draw) -> (Driver, Vec<NodeCase>) {
    let (mut driver, nodes) = (Driver::new(config, &[]), NodeCase::draw(draw, 7, false));
    for NodeCase { node, .. } in &nodes {
        driver.tell(0.0, Input::NodeAdded { node: *node, features: features(draw) });
    }
    for id in 1..2 + draw.below(5) as u64 {
        let job = Job::new(JobId(id), request(1 + draw.below(3), 0.1 * draw.between(200, 500) as f64));
        let job = job.with_priority(Priority::must(draw.of([1.0, 1.0, 2.0, 5.0])));
        let submit = at(if draw.chance(30) { 15.0 } else { 0.0 });
        driver.tell(0.0, Input::from(job.with_submit(submit)));
    }
    driver.wake(0.0);
    (driver, nodes)
}
