//! A server with the clock of the machine: it wakes without requests, and shows the plan on a page.

use crate::common::{Server, directory};
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::Duration;

/// Repeats the request until there is a decision of this kind about this job; the test harness ends a test that
/// waits forever.
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
fn it_wakes_by_itself_and_its_page_shows_the_plan() {
    let dir = directory("clock");
    let server = Server::start(&dir, &[]);
    let node = json!({"node_added": {"node": {"id": 7, "speed": 1, "price": 2}}});
    let answer = server.post(&json!([node])).expect("an answer");
    assert_eq!((&answer["refused"], &answer["batch"]), (&json!([]), &json!(0)));
    let now = server.ask("GET", "/plan", "").expect("an answer")["now"].as_f64().expect("a time");
    assert!(now > 1e9, "seconds since 1970: {now}");
    // The job may not begin earlier, and no request arrives at that instant.
    let (begins, lasts) = (now + 1.5, 500.0);
    let job = json!({"id": 41, "request": {"nodes": 1, "work": lasts}, "submit": begins});
    let waits = json!({"id": 42, "request": {"nodes": 3, "work": 10}});
    let answer =
        server.post(&json!([{"submit": {"job": job}}, {"submit": {"job": waits}}])).expect("an answer");
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
