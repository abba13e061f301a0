//! A server that is killed under load loses nothing and decides the same, byte by byte.

#![allow(clippy::disallowed_types)] // it waits for servers

use crate::common::{Dice, Server, directory};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// A world around a server that is left alone: nodes that fail, jobs that come, end early and late, and are
/// cancelled. The requests that were sent.
fn history(server: &Server, requests: u64) -> Vec<String> {
    let mut dice = Dice(7);
    let nodes = (0..12).map(|id| json!({"node_added": {"id": id, "speed": 1 + id % 3, "price": 1 + id % 2}}));
    let mut inputs: Vec<Value> = nodes.collect();
    let (mut now, mut next_job) = (0.0, 0);
    let mut running: Vec<(f64, u64)> = Vec::new();
    let mut sent = Vec::new();
    for number in 0..requests {
        for _ in 0..dice.below(4) {
            next_job += 1;
            let request = json!({"nodes": 1 + dice.below(5), "work": 10 + dice.below(300)});
            inputs.push(json!({"submit": {"id": next_job, "request": request}}));
        }
        if dice.below(9) == 0 {
            inputs.push(json!({"cancel": 1 + dice.below(next_job + 2)})); // perhaps over, perhaps never submitted
        }
        if dice.below(12) == 0 {
            let node = dice.below(12);
            inputs.push(json!({"node_down": {"node": node, "until": now + 50.0}}));
        } else if dice.below(6) == 0 {
            inputs.push(json!({"node_up": dice.below(12)}));
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
                running.push((now + 20.0 + dice.below(250) as f64, job));
            } else if kind == "stop" {
                inputs.push(json!({"ended": job}));
                running.retain(|run| run.1 != job);
            }
        }
        now += 0.5 + dice.below(20) as f64;
    }
    sent
}

/// What a server has left behind: every decision, and the state at the last snapshot.
fn left(dir: &Path) -> [Vec<u8>; 2] {
    ["decisions.jsonl", "snapshot.json"].map(|name| fs::read(dir.join(name)).expect("written"))
}

fn killed_under_load(name: &str, requests: u64, kills: u64) {
    let (calm, hunted) = (directory(&format!("{name}-calm")), directory(&format!("{name}-hunted")));
    let server = Server::in_given_time(&calm);
    let sent = history(&server, requests);
    let plan = server.ask("GET", "/plan", "").expect("nobody kills it");
    drop(server);

    let mut dice = Dice(11);
    let mut server = Server::in_given_time(&hunted);
    let (mut killed, mut unanswered, mut repeated) = (0, 0, 0);
    for (at, body) in (0_u64..).zip(&sent) {
        // So many kills are still to come for this request.
        let mut hunt = kills * (at + 1) / requests - kills * at / requests;
        loop {
            let hunter = (hunt > 0).then(|| {
                let (child, wait) = (Arc::clone(&server.child), Duration::from_micros(dice.below(6_000)));
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
            match answer {
                Some(answer) => {
                    repeated += u64::from(answer["repeated"] == json!(true));
                    break;
                }
                None => unanswered += 1,
            }
        }
    }
    assert_eq!(server.ask("GET", "/plan", ""), Some(plan));
    drop(server);
    println!("{requests} requests, killed {killed} times: {unanswered} unanswered, {repeated} of them taken");
    assert!(unanswered > 0, "no kill came in time");
    assert_eq!(left(&hunted), left(&calm));
    let [decisions, _] = left(&calm);
    assert!(decisions.iter().filter(|byte| **byte == b'\n').count() as u64 > requests);
}

#[test]
fn killed_and_restarted_it_decides_the_same() {
    killed_under_load("some", 120, 40);
}

#[test]
#[ignore = "a minute or more"]
fn killed_a_thousand_times_it_decides_the_same() {
    killed_under_load("many", 1_000, 1_000);
}

#[test]
fn half_a_line_is_a_request_that_was_never_answered() {
    let dir = directory("torn");
    let server = Server::in_given_time(&dir);
    history(&server, 10);
    let plan = server.ask("GET", "/plan", "");
    drop(server);
    for name in ["journal-7.jsonl", "decisions.jsonl"] {
        let mut file = fs::OpenOptions::new().append(true).open(dir.join(name)).expect("there");
        file.write_all(b"[{\"number\":12").expect("written");
    }
    // A snapshot that did not take its place, and a journal that the last one replaced.
    fs::write(dir.join("snapshot.json.new"), "{\"requests\":9").expect("written");
    fs::write(dir.join("journal-0.jsonl"), "[]\n").expect("written");
    let server = Server::in_given_time(&dir);
    assert_eq!(server.ask("GET", "/plan", ""), plan);
    assert!(!dir.join("journal-0.jsonl").exists());
    // It goes on where it was.
    let again =
        server.ask("POST", "/inputs", r#"{"request": 9, "now": 0, "inputs": []}"#).expect("an answer");
    assert_eq!(again["repeated"], json!(true));
    let next =
        server.ask("POST", "/inputs", r#"{"request": 10, "now": 1e4, "inputs": []}"#).expect("an answer");
    assert_eq!(next["requests"], json!(11));
    assert_eq!(next["refused"], json!([]));
    // Nobody else may have its directory.
    let second = Command::new(env!("CARGO_BIN_EXE_econsched-server")).arg(&dir).output().expect("it starts");
    assert!(!second.status.success());
}

/// Decisions that follow from the journal are made again; missing decisions that do not are an error; a file
/// that is not a journal is refused.
#[test]
fn what_a_directory_lacks_is_made_again_or_told() {
    let dir = directory("lacks");
    let server = Server::in_given_time(&dir);
    history(&server, 12);
    let (plan, all) = (server.ask("GET", "/plan", ""), server.ask("GET", "/decisions?from=0", ""));
    drop(server);
    let file = |name: &str| dir.join(name);
    let decisions = fs::read_to_string(file("decisions.jsonl")).expect("written");
    let snapshot = fs::read_to_string(file("snapshot.json")).expect("written");
    let saved: Value = serde_json::from_str(&snapshot).expect("JSON");
    assert_eq!(saved["requests"], json!(7));
    let before = saved["decided"].as_u64().expect("a number") as usize;
    let lines: Vec<&str> = decisions.split_inclusive('\n').collect();
    assert!(before > 0 && before < lines.len());
    // Decisions since the snapshot, and half a line of the last one before.
    fs::write(file("decisions.jsonl"), lines[..before].concat() + &lines[before][..5]).expect("written");
    let server = Server::in_given_time(&dir);
    assert_eq!((server.ask("GET", "/plan", ""), server.ask("GET", "/decisions?from=0", "")), (plan, all));
    drop(server);
    assert_eq!(fs::read_to_string(file("decisions.jsonl")).expect("written"), decisions);
    let refuses = |why: &str| {
        let server =
            Command::new(env!("CARGO_BIN_EXE_econsched-server")).arg(&dir).arg("--given-time").output();
        let output = server.expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{why}: {said}");
    };
    // One of those before the snapshot: nothing makes it again.
    fs::write(file("decisions.jsonl"), lines[..before - 1].concat()).expect("written");
    refuses("lacks decisions");
    // The journal of another history.
    fs::write(
        file("decisions.jsonl"),
        decisions.replacen("\"start\"", "\"stop\"", 1).replace("\"at\":", "\"at\": "),
    )
    .expect("written");
    refuses("was told");
    fs::write(file("decisions.jsonl"), &decisions).expect("written");
    // A journal out of turn, and one that is none.
    let journal = fs::read_to_string(file("journal-7.jsonl")).expect("written");
    let (first, rest) = journal.split_once('\n').expect("lines");
    fs::write(file("journal-7.jsonl"), format!("{rest}{first}\n")).expect("written");
    refuses("of the journal where");
    fs::write(file("journal-7.jsonl"), format!("{journal}nothing\n")).expect("written");
    refuses("expected");
    fs::write(file("journal-7.jsonl"), &journal).expect("written");
    fs::write(file("snapshot.json"), &snapshot[..snapshot.len() / 2]).expect("written");
    refuses("EOF");
}

#[test]
fn what_is_no_request_is_refused() {
    let dir = directory("refused");
    let server = Server::in_given_time(&dir);
    let raw = |text: &str| {
        let mut stream = TcpStream::connect(&server.at).expect("it listens");
        stream.write_all(text.as_bytes()).expect("it reads");
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer.split_whitespace().nth(1).expect("a number").to_owned()
    };
    let json = "host: localhost\r\ncontent-type: application/json\r\n";
    let post =
        |body: &str| format!("POST /inputs HTTP/1.1\r\n{json}content-length: {}\r\n\r\n{body}", body.len());
    for (text, status) in [
        ("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".to_owned(), "200"),
        ("GET /decisions?from=0 HTTP/1.1\r\nhost: 127.0.0.1:80\r\n\r\n".to_owned(), "200"),
        ("GET /decisions?from=x HTTP/1.1\r\nhost: localhost\r\n\r\n".to_owned(), "400"),
        ("GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n".to_owned(), "404"),
        ("GET /plan HTTP/1.1\r\nhost: example.org\r\n\r\n".to_owned(), "403"),
        ("GET /plan HTTP/1.1\r\nhost: localh".to_owned(), "408"),
        ("no request at all\r\n\r\n".to_owned(), "400"),
        (format!("GET / HTTP/1.1\r\nx: {}\r\n", "x".repeat(20_000)), "431"),
        ("POST /inputs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}".to_owned(), "415"),
        (format!("POST /inputs HTTP/1.1\r\n{json}content-length: 99999999999\r\n\r\n"), "413"),
        (format!("POST /inputs HTTP/1.1\r\n{json}transfer-encoding: chunked\r\n\r\n0\r\n\r\n"), "411"),
        (post("{\"inputs\": [}"), "400"),
        (post("{\"inputs\": []}"), "400"), // when?
        (post("{\"inputs\": [], \"now\": 1, \"request\": 5}"), "409"),
        (post("{\"inputs\": [{\"cancel\": 1}], \"now\": 1, \"request\": 0}"), "200"),
    ] {
        assert_eq!(raw(&text), status, "{}", &text[..text.len().min(200)]);
    }
    // A wrong fact is reported, and changes only the number of requests.
    let answer =
        server.ask("POST", "/inputs", r#"{"now": 1, "inputs": [{"cancel": 1}]}"#).expect("an answer");
    assert_eq!(answer["refused"][0], json!({"input": 0, "why": "unknown job 1"}), "{answer}");
    assert_eq!(answer["requests"], json!(2));
}
