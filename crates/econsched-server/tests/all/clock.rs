//! A server that goes by the clock of the machine: it wakes by itself, shows the plan on a page, and loses
//! nothing when it is killed under load.

use crate::common::{Dice, Server, directory};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::{sleep, spawn};
use std::time::Duration;

/// Asks until there is such a decision: the test harness ends a test that waits for ever.
fn wait_for(server: &Server, kind: &str, job: u64) -> Value {
    loop {
        let found =
            server.decisions().into_iter().find(|decision| decision["act"][kind]["job"] == json!(job));
        match found {
            Some(decision) => return decision,
            None => sleep(Duration::from_millis(20)),
        }
    }
}

#[test]
fn it_knows_labels_and_demands() {
    let server = Server::start(&directory("labels"), &[]);
    let plain = json!({"node_added": {"id": 1, "speed": 1, "price": 1}});
    let features = json!({"labels": ["gpu"], "amounts": {"memory": 64}});
    let node = json!({"id": 2, "speed": 1, "price": 9});
    let labelled = json!({"node_added_with_features": {"node": node, "features": features}});
    let job = |id| json!({"id": id, "request": {"nodes": 1, "work": 100}});
    let demand = |id, demands: Value| json!({"submit_with_demands": {"job": job(id), "demands": demands}});
    let few = demand(1, json!({"all_of": ["gpu"], "at_least": {"memory": 32}}));
    let many = demand(2, json!({"at_least": {"memory": 128}}));
    let answer = server.post(&json!([plain, labelled, few, many])).expect("an answer");
    assert_eq!(answer["refused"], json!([]), "{answer}");
    let reserve = &answer["decisions"][0]["act"]["reserve"];
    assert_eq!(
        (&reserve["job"], &reserve["window"]["placements"][0]["node"]),
        (&json!(1), &json!(2)),
        "{answer}"
    );
    let page = server.text("GET", "/", "").expect("a page");
    assert!(page.contains("Waiting: job 2"), "{page}");
}

#[test]
fn it_wakes_by_itself_and_its_page_shows_the_plan() {
    let dir = directory("clock");
    let server = Server::start(&dir, &[]);
    let node = json!({"node_added": {"id": 7, "speed": 1, "price": 2}});
    let answer = server.post(&json!([node])).expect("an answer");
    assert_eq!((&answer["refused"], &answer["batch"]), (&json!([]), &json!(0)));
    let now = server.ask("GET", "/plan", "").expect("an answer")["now"].as_f64().expect("a time");
    assert!(now > 1e9, "seconds since 1970: {now}");
    // It may not begin before: nobody sends anything at that instant.
    let (begins, lasts) = (now + 1.5, 500.0);
    let job = json!({"id": 41, "request": {"nodes": 1, "work": lasts}, "submit": begins});
    let waits = json!({"id": 42, "request": {"nodes": 3, "work": 10}});
    let answer = server.post(&json!([{"submit": job}, {"submit": waits}])).expect("an answer");
    assert_eq!(answer["decisions"][0]["act"]["reserve"]["job"], json!(41), "{answer}");
    let page = server.text("GET", "/", "").expect("a page");
    assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("content-type: text/html"), "{page}");
    for shown in [">node 7<", "title=\"job 41, promised: from ", "Waiting: job 42"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let started = wait_for(&server, "start", 41);
    assert!(started["at"].as_f64().expect("a time") >= begins, "{started}");
    server.post(&json!([{"started": 41}])).expect("an answer");
    let page = server.text("GET", "/", "").expect("a page");
    assert!(page.contains("title=\"job 41, running: from "), "{page}");
    server.post(&json!([{"ended": 41}, {"cancel": 42}])).expect("an answer");
    let page = server.text("GET", "/", "").expect("a page");
    assert!(!page.contains("job 41") && page.contains("Nobody waits"), "{page}");
    // The clock of the machine states the time, so a request must not.
    let told = server.text("POST", "/inputs", "{\"inputs\": [], \"now\": 5}").expect("an answer");
    assert!(told.starts_with("HTTP/1.1 400 ") && told.contains("the server has a clock"), "{told}");
}

/// Killed again and again while it takes jobs: whatever it has answered is there afterwards, in the same
/// words, and no job is decided twice.
#[test]
fn killed_under_load_it_keeps_what_it_has_said() {
    let dir = directory("clock-killed");
    let mut server = Server::start(&dir, &[]);
    let nodes: Vec<Value> =
        (0..6).map(|id| json!({"node_added": {"id": id, "speed": 1 + id % 2, "price": 1}})).collect();
    server.post(&json!(nodes)).expect("nobody kills it yet");
    let mut dice = Dice(5);
    let mut told: BTreeMap<u64, Value> = BTreeMap::new();
    let (mut answered, mut unanswered) = (Vec::new(), 0);
    let mut begun: Vec<u64> = Vec::new();
    let mut next_job = 0;
    for _ in 0..25 {
        let (child, wait) = (Arc::clone(&server.child), Duration::from_micros(3_000 + dice.below(60_000)));
        let hunter = spawn(move || {
            sleep(wait);
            child.lock().unwrap().kill()
        });
        // As fast as the server takes them, until it is killed.
        loop {
            next_job += 1;
            let request = json!({"nodes": 1 + dice.below(4), "work": 0.01 + dice.below(40) as f64 / 100.0});
            let mut inputs = vec![json!({"submit": {"id": next_job, "request": request}})];
            // Of what was started before, half is told to run and to be done; what nobody has heard of is an
            // error value.
            inputs.extend(begun.drain(..).flat_map(|job| [json!({"started": job}), json!({"ended": job})]));
            let Some(answer) = server.post(&json!(inputs)) else {
                unanswered += 1;
                break;
            };
            answered.push(next_job);
            for decision in answer["decisions"].as_array().expect("a list") {
                if let Some(job) = decision["act"]["start"]["job"].as_u64().filter(|job| job % 2 == 0) {
                    begun.push(job);
                }
                let before = told.insert(decision["id"].as_u64().expect("a number"), decision.clone());
                assert!(before.is_none(), "told twice: {decision}");
            }
        }
        hunter.join().unwrap().expect("it can be killed");
        server.kill();
        server = Server::start(&dir, &[]);
        let all = server.decisions();
        for (id, decision) in &told {
            assert_eq!(all.get(*id as usize), Some(decision));
        }
        assert!((0_u64..).zip(&all).all(|(id, decision)| decision["id"] == json!(id)));
    }
    println!("{} answered, {unanswered} not, {} decisions told", answered.len(), told.len());
    assert_eq!(unanswered, 25);
    assert!(answered.len() > 25 && told.len() > answered.len() / 2);
    // Each job that was taken waits, is promised a window, runs, or is over: by one last decision.
    let plan = server.ask("GET", "/plan", "").expect("an answer");
    let open: Vec<u64> = plan["jobs"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["job"]["id"].as_u64())
        .collect();
    let all = server.decisions();
    for job in answered {
        let last = |kind: &str| all.iter().filter(|made| made["act"][kind]["job"] == json!(job)).count();
        assert_eq!(last("close") + last("refuse") + usize::from(open.contains(&job)), 1, "job {job}");
    }
}
