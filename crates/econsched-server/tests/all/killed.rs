//! A server that is killed under load loses no input, takes none twice, and decides the same.

use crate::common::{self, Server, directory};
use econsched::testkit::Draw;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{scope, sleep};
use std::time::Duration;

fn node(node: Value) -> Value {
    json!({"node_added": {"node": node}})
}

/// Drives a server that is not killed, with nodes that fail, and jobs that arrive, end early or late, and are
/// cancelled. Returns the requests.
pub(crate) fn history(server: &Server, requests: u64) -> Vec<String> {
    let draw = &mut Draw::new(7, 0);
    let nodes = (0..12).map(|id| node(json!({"id": id, "speed": 1 + id % 3, "price": 1 + id % 2})));
    let mut inputs: Vec<Value> = nodes.collect();
    let (mut now, mut next_job) = (0.0, 0);
    let mut running: Vec<(f64, u64)> = Vec::new();
    let mut sent = Vec::new();
    for number in 0..requests {
        for _ in 0..draw.below(4) {
            next_job += 1;
            let request = json!({"nodes": 1 + draw.below(5), "work": 10 + draw.below(300)});
            inputs.push(json!({"submit": {"job": {"id": next_job, "request": request}}}));
        }
        if draw.below(9) == 0 {
            inputs.push(json!({"cancel": 1 + draw.below(next_job + 2)})); // perhaps over, perhaps never submitted
        }
        if draw.below(12) == 0 {
            let node = draw.below(12);
            inputs.push(json!({"node_down": {"node": node, "until": now + 50.0}}));
        } else if draw.below(6) == 0 {
            inputs.push(json!({"node_up": draw.below(12)}));
        }
        for (_, job) in running.extract_if(.., |run| run.0 <= now) {
            inputs.push(json!({"ended": job}));
        }
        let body = json!({"request": number, "now": now, "inputs": inputs}).to_string();
        let answer = server.ask("POST", "/inputs", &body).expect("nobody kills it");
        sent.push(body);
        inputs.clear();
        for decision in answer["decisions"].as_array().expect("a list") {
            let act = decision["act"].as_object().expect("an act");
            let (kind, of) = act.iter().next().expect("one");
            let job = of["job"].as_u64().expect("a job");
            if kind == "start" {
                inputs.push(json!({"started": job}));
                running.push((now + 20.0 + draw.below(250) as f64, job));
            } else if kind == "stop" {
                inputs.push(json!({"ended": job}));
                running.retain(|run| run.1 != job);
            }
        }
        now += 0.5 + draw.below(20) as f64;
    }
    sent
}

#[test]
fn killed_and_restarted_it_decides_the_same() {
    let (requests, kills) = (120, 40);
    let (calm, hunted) = (directory("calm"), directory("hunted"));
    let server = Server::in_given_time(&calm);
    let sent = history(&server, requests);
    let state = server.state();
    drop(server);

    let draw = &mut Draw::new(11, 0);
    let mut server = Server::in_given_time(&hunted);
    let (mut killed, mut unanswered) = (0, 0);
    for (at, body) in (0_u64..).zip(&sent) {
        // The number of kills during this request.
        let mut hunt = kills * (at + 1) / requests - kills * at / requests;
        loop {
            let hunter = (hunt > 0).then(|| {
                let (child, wait) =
                    (Arc::clone(&server.child), Duration::from_micros(draw.below(6_000) as u64));
                std::thread::spawn(move || {
                    std::thread::sleep(wait);
                    child.lock().unwrap().kill()
                })
            });
            let answer = server.ask("POST", "/inputs", body);
            if let Some(hunter) = hunter {
                hunter.join().unwrap().expect("it can be killed");
                (hunt, killed) = (hunt - 1, killed + 1);
                server.kill();
                server = Server::in_given_time(&hunted);
            }
            if answer.is_some() {
                break;
            }
            unanswered += 1;
        }
    }
    assert_eq!(server.state(), state);
    println!("{requests} requests, killed {killed} times: {unanswered} unanswered");
    assert!(unanswered > 0, "no kill came in time");
    let told = state[1].as_ref().expect("decisions")["decisions"].as_array().map_or(0, Vec::len);
    assert!(told as u64 > requests);
}

/// Repeats a submit until it is answered, and returns the answer.
fn submit(at: &Mutex<String>, client: u64, job: u64) -> Value {
    let asked = json!({"id": job, "request": {"nodes": 1 + job % 3, "work": 5 + job % 90}});
    let inputs = json!([{"submit": {"job": asked}}]);
    let body = json!({"request": format!("{client}-{job}"), "inputs": inputs}).to_string();
    loop {
        let at = at.lock().unwrap().clone();
        let answer = common::ask(&at, "POST", "/inputs", &body);
        let answer = answer.as_deref().and_then(|answer| answer.split_once("\r\n\r\n"));
        match answer.and_then(|(head, body)| Some((head, serde_json::from_str(body).ok()?))) {
            Some((head, value)) if head.starts_with("HTTP/1.1 200 ") => return value,
            _ => sleep(Duration::from_millis(2)),
        }
    }
}

/// Eight clients submit jobs while the server is killed repeatedly: each submit is taken exactly once, every
/// answered submit is in the state, and no batch is given to two submits.
#[test]
fn eight_clients_lose_nothing_and_get_nothing_twice() {
    let (submits, kills) = (25, 12);
    let dir = directory("eight");
    let server = Server::start(&dir, &[]);
    let nodes = (0..8).map(|id| node(json!({"id": id, "speed": 1 + id % 2, "price": 1})));
    server.post(&nodes.collect()).expect("nobody kills it yet");
    let (at, busy) = (Mutex::new(server.at.clone()), AtomicBool::new(true));
    let mut answers: Vec<(u64, Value)> = Vec::new();
    let mut killed = 0;
    let server = scope(|scope| {
        let at = &at;
        let clients = (0..8).map(|client| {
            let jobs = client * submits..(client + 1) * submits;
            scope.spawn(move || jobs.map(|job| (job, submit(at, client, job))).collect::<Vec<_>>())
        });
        let clients: Vec<_> = clients.collect();
        let (dir, busy, killed) = (&dir, &busy, &mut killed);
        let hunter = scope.spawn(move || {
            let (mut draw, mut server) = (Draw::new(3, 0), server);
            while busy.load(Ordering::Relaxed) && *killed < kills {
                sleep(Duration::from_micros(20_000 + draw.below(80_000) as u64));
                server.kill();
                server = Server::start(dir, &[]);
                at.lock().unwrap().clone_from(&server.at);
                *killed += 1;
            }
            server
        });
        answers.extend(clients.into_iter().flat_map(|client| client.join().unwrap()));
        busy.store(false, Ordering::Relaxed);
        hunter.join().unwrap()
    });
    println!("{} submits by eight clients, {killed} kills", answers.len());
    assert!(killed > 3);
    let all = server.decisions();
    let mut batches: Vec<u64> = Vec::new();
    for (job, answer) in &answers {
        // A job that was taken twice would be refused as repeated.
        assert_eq!(answer["refused"], json!([]), "job {job}");
        batches.push(answer["batch"].as_u64().expect("a number"));
        for decision in answer["decisions"].as_array().expect("a list") {
            assert_eq!(all.get(decision["id"].as_u64().expect("a number") as usize), Some(decision));
        }
    }
    batches.sort_unstable();
    assert!(batches.windows(2).all(|pair| pair[0] < pair[1]), "a batch of two requests");
    let plan = server.ask("GET", "/plan", "").expect("an answer");
    let mut ends: BTreeMap<u64, u32> = BTreeMap::new();
    let open =
        plan["jobs"].as_array().expect("a list").iter().filter_map(|entry| entry["job"]["id"].as_u64());
    let over = all.iter().flat_map(|made| ["close", "refuse"].map(|kind| made["act"][kind]["job"].as_u64()));
    for job in open.chain(over.flatten()) {
        *ends.entry(job).or_default() += 1;
    }
    assert_eq!(ends, (0..8 * submits).map(|job| (job, 1)).collect());
}
