//! A broker that is killed at random points, and goes on from its snapshot and its journal as if nothing had
//! happened.
//!
//! Two brokers get the same inputs. One is thrown away at random points: its last snapshot is read, and the
//! entries of the journal since then are replayed. At the end both have the same state, byte by byte.
//!
//! `cargo run -p live-broker --all-features --example killed_and_restarted -- 6000`

#[cfg(feature = "serde")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use live_broker::{Act, Broker, Config, Entry, Input, MovePolicy, Stability};
    use sched_model::*;

    let inputs: u64 = std::env::args().nth(1).map_or(Ok(1500), |text| text.parse())?;
    let stability = Stability::new(MovePolicy::NotLater).with_tax(5.0);
    let config = Config::new(Span::must(2000.0)).with_stability(stability).with_tolerance(Span::must(1.0));
    let mut steady = Broker::new(config)?;
    let mut killed = steady.clone();
    let mut written = serde_json::to_string(&killed.snapshot())?;
    let mut journal: Vec<String> = Vec::new();
    let mut kills = 0;

    // The world outside the broker: which jobs run, and how long they really take.
    let mut random = 1_u64;
    let mut dice = move |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let mut running: Vec<(Time, JobId)> = Vec::new();
    let mut now = Time::ZERO;
    let mut waiting = Vec::new();
    for id in 0..40 {
        let node =
            Node::new(NodeId(id), Speed::must(1.0 + f64::from(id % 3)), Price::must(1.0 + f64::from(id % 2)));
        waiting.push(Input::NodeAdded(node));
    }
    let mut next_job = 0;
    for number in 0..inputs {
        let input = match waiting.pop() {
            Some(input) => input,
            None if dice(4) == 0 => {
                next_job += 1;
                let request =
                    ResourceRequest::new(1 + dice(12) as usize, Work::must(10.0 + dice(300) as f64))?;
                waiting.push(Input::Wake);
                Input::Submit(Job::new(JobId(next_job), request))
            }
            None => {
                let next = running.iter().map(|run| run.0).chain(steady.next_wakeup()).min();
                now = next.map_or(now + Span::must(1.0), |next| next.max(now));
                match running.iter().position(|run| run.0 <= now) {
                    Some(at) => Input::Ended(running.swap_remove(at).1),
                    None => Input::Wake,
                }
            }
        };
        let entry = killed.handle_noted(now, input.clone(), None)?;
        journal.push(serde_json::to_string(&entry)?);
        steady.handle(now, input)?;
        while let Some(decision) = steady.poll() {
            assert_eq!(Some(&decision), killed.poll().as_ref());
            if let Act::Start { job, window } = decision.act {
                // Between a third and four thirds of its time.
                let really = window.runtime().get() * (0.33 + dice(100) as f64 / 100.0);
                running.push((now + Span::new(really)?, job));
                waiting.push(Input::Started(job));
            }
        }
        if dice(5) == 0 {
            drop(killed);
            kills += 1;
            killed = Broker::restore(serde_json::from_str(&written)?)?;
            for line in &journal {
                let entry: Entry = serde_json::from_str(line)?;
                killed.replay(&entry)?;
                while killed.poll().is_some() {} // these were carried out before
            }
            if dice(4) == 0 {
                written = serde_json::to_string(&killed.snapshot())?;
                journal.clear();
            }
            assert_eq!(
                serde_json::to_string(&steady.snapshot())?,
                serde_json::to_string(&killed.snapshot())?,
                "{number}"
            );
        }
    }
    println!("{inputs} inputs, {next_job} jobs, killed {kills} times: the same bytes");
    Ok(())
}

#[cfg(not(feature = "serde"))]
fn main() {
    println!("needs the feature serde");
}
