//! What the searches of a cycle tell each other saves work and changes nothing.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test stops at the first surprise

use live_broker::*;
use sched_model::check::Rules;
use sched_model::*;
use slot_window::*;
use std::sync::Arc;

/// A search that does not say that its starts are monotone, so that nothing is concluded from them.
#[derive(Debug)]
struct Silent(Arc<dyn WindowSearch>);

impl WindowSearch for Silent {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn rules(&self) -> Rules {
        self.0.rules()
    }

    fn find_within(
        &self,
        query: &WindowQuery<'_>,
        meter: &mut Meter<'_>,
        scratch: &mut SearchScratch,
    ) -> Result<Outcome<Window>, WindowError> {
        self.0.find_within(query, meter, scratch)
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn real(&mut self, below: u64) -> f64 {
        self.below(below) as f64
    }
}

fn request(dice: &mut Dice) -> ResourceRequest {
    let mut request =
        ResourceRequest::new(1 + dice.below(4) as usize, Work::must(1.0 + dice.real(30))).unwrap();
    if dice.below(3) == 0 {
        request = request.with_budget(Money::must(20.0 + dice.real(200)));
    }
    if dice.below(4) == 0 {
        request = request.with_deadline(Time::must(20.0 + dice.real(150)));
    }
    if dice.below(4) == 0 {
        request = request.with_price_limit(Price::must(1.0 + dice.real(4)));
    }
    if dice.below(4) == 0 {
        request = request.with_min_speed(Speed::must(1.0 + dice.real(2)));
    }
    request
}

fn demands(dice: &mut Dice) -> Demands {
    let none = Demands::new();
    match dice.below(8) {
        0 => none.with_label("gpu"),
        1 => none.with_pack("rack"),
        2 => none.with_spread("rack", 1).unwrap(),
        3 => none.with_not_before(Time::must(dice.real(60))),
        4 => none.with_start(Time::must(dice.real(60))),
        5 => none.with_spans(Spans::new([(NodeId(dice.below(5) as u32), Span::must(2.0))]).unwrap()),
        _ => none,
    }
}

/// Nodes of which time is taken here and there, and jobs; then one cycle.
fn cycle(seed: u64, search: Arc<dyn WindowSearch>, alternatives: usize) -> (Vec<Decision>, CycleNote) {
    let mut dice = Dice(seed);
    let mut config = Config::new(Span::must(200.0));
    config.max_alternatives = alternatives;
    let mut broker = Broker::new(config).unwrap().with_search(search);
    let mut tell = |input| broker.handle(Time::ZERO, input).unwrap();
    let nodes = 3 + dice.below(4) as u32;
    for id in 0..nodes {
        let node =
            Node::new(NodeId(id), Speed::must(1.0 + dice.real(3) / 2.0), Price::must(1.0 + dice.real(4)));
        let features = Features::new().with_label(format!("rack={}", dice.below(2)));
        let features = if dice.below(2) == 0 { features.with_label("gpu") } else { features };
        tell(Input::NodeAddedWithFeatures { node, features });
        for _ in 0..dice.below(4) {
            let from = dice.real(90);
            let until = from + 1.0 + dice.real(40);
            tell(Input::Blocked { node: NodeId(id), from: Time::must(from), until: Time::must(until) });
        }
    }
    for id in 0..25 {
        let request = request(&mut dice);
        let job = Job::new(JobId(id), request).with_submit(Time::must(dice.real(3) * 10.0));
        let demands = demands(&mut dice);
        let speeds = match dice.below(9) {
            0 => vec![SpeedOn { first: NodeId(0), last: NodeId(2), speed: Speed::must(1.5) }],
            _ => Vec::new(),
        };
        tell(Input::SubmitWithDemands { job, demands, speeds });
    }
    for id in 25..28 {
        let job = Job::new(JobId(id), request(&mut dice));
        tell(Input::Submit(job));
    }
    tell(Input::Wake);
    let note = broker.last_cycle().unwrap().clone();
    (std::iter::from_fn(|| broker.poll()).collect(), note)
}

#[test]
fn searches_that_share_what_they_know_decide_as_each_alone() {
    let searches: [Arc<dyn WindowSearch>; 4] = [
        Arc::new(Amp::new()),
        Arc::new(Alp::new()),
        Arc::new(FirstFit::new()),
        Arc::new(Optimal::new(Objective::Start)),
    ];
    for search in searches {
        let mut work = [0, 0];
        for seed in 0..1500 {
            let alternatives = 1 + seed as usize % 3;
            let (decisions, note) = cycle(seed, Arc::clone(&search), alternatives);
            let (alone, of_alone) = cycle(seed, Arc::new(Silent(Arc::clone(&search))), alternatives);
            assert_eq!(decisions, alone, "{} {seed}", search.name());
            assert_eq!((&note.placed, &note.looked), (&of_alone.placed, &of_alone.looked));
            work[0] += note.work;
            work[1] += of_alone.work;
        }
        assert!(work[0] < work[1], "{}: {work:?}", search.name());
        println!("{}: {work:?}", search.name());
    }
}
