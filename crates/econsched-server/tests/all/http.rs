//! Invalid requests, and how they are answered.

use crate::common::{Server, directory, raw};
use serde_json::json;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

#[test]
fn hostile_requests_are_refused_in_words() {
    let server = Server::in_given_time(&directory("hostile"));
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let json = "host: localhost\r\ncontent-type: application/json\r\n";
    let long = |head: &str, body: &str| format!("POST /inputs HTTP/1.1\r\n{json}{head}\r\n\r\n{body}");
    let post = |body: &str| long(&format!("content-length: {}", body.len()), body);
    let deep = format!("{{\"inputs\": {}", "[".repeat(100_000));
    let huge = format!("{{\"inputs\": [{{\"{}\": 1}}]}}", "x".repeat(300_000));
    let cases: Vec<(String, &str)> = vec![
        (get("/"), "200"),
        (get("/plan"), "200"),
        ("GET /decisions?from=0 HTTP/1.1\r\nhost: 127.0.0.1:80\r\n\r\n".to_owned(), "200"),
        (get("/decisions?from=18446744073709551615"), "200"),
        (get("/decisions?from=18446744073709551616"), "400"),
        (get("/decisions?from=x"), "400"),
        (get("/decisions?from=-1"), "400"),
        (get("/decisions?to=1"), "400"),
        (get("/decisions?from=0&from=1"), "400"),
        (get("/decisions?from=0&limit=1"), "400"),
        (get("/plan?from=0"), "400"),
        (get("/?x"), "400"),
        (get("/nothing"), "404"),
        ("POST /nothing HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n".to_owned(), "404"),
        (get("/inputs"), "405"),
        (get("/../plan"), "404"),
        (get("/").replace("GET", "DELETE"), "405"),
        (get("/").replace("GET", "POST"), "405"),
        (get("/plan").replace("localhost", "example.org"), "403"),
        (get("/plan").replace("host: localhost", "x: y"), "403"),
        (get("/plan").replace("localhost", "localhost\r\nhost: localhost"), "403"),
        ("no request at all\r\n\r\n".to_owned(), "400"),
        ("GET /plan HTTP/9.9\r\nhost: localhost\r\n\r\n".to_owned(), "400"),
        ("\0\u{1}\u{2}\r\n\r\n".to_owned(), "400"),
        (format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "x".repeat(900_000)), "431"),
        (format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "x: y\r\n".repeat(200)), "431"),
        ("POST /inputs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}".to_owned(), "415"),
        (long("content-length: 99999999999", ""), "413"),
        (long("content-length: 8000000", &"x".repeat(8_000_000)), "413"),
        (
            long("transfer-encoding: chunked", &format!("800000\r\n{}\r\n0\r\n\r\n", "x".repeat(0x80_0000))),
            "413",
        ),
        (long("content-length: 2\r\ncontent-length: 3", "{}x"), "400"),
        (long("content-length: -1", "{}"), "400"),
        (long("content-length: 50", "{\"inputs\": []"), "400"),
        (post("{\"inputs\": [}"), "400"),
        (post(&deep), "400"),
        (post(&huge), "400"),
        (post("{\"inputs\": []}"), "400"), // when?
        (post("{\"inputs\": [], \"now\": 1, \"requests\": 5}"), "400"),
        (post("{\"inputs\": [], \"now\": 1, \"request\": 1.5}"), "400"),
        (post("{\"inputs\": [], \"now\": 1, \"request\": []}"), "400"),
        (post(&format!("{{\"inputs\": [], \"now\": 1, \"request\": \"{}\"}}", "x".repeat(400))), "400"),
        (post("{\"inputs\": [{\"cancel\": 1}], \"now\": 1, \"request\": 5}"), "200"),
    ];
    for (text, status) in cases {
        let answer = raw(&server.at, text.as_bytes()).expect("an answer");
        let asked: String = text.chars().take(200).collect();
        assert_eq!(answer.split_whitespace().nth(1), Some(status), "{asked}\n{answer}");
        assert!(status == "200" || answer.len() < 1000, "{asked}");
        assert!(answer.contains("allow: ") == (status == "405"), "{asked}\n{answer}");
    }
    // A wrong fact is reported.
    let body = r#"{"now": 1, "inputs": [{"cancel": 1}]}"#;
    let answer = server.ask("POST", "/inputs", body).expect("an answer");
    assert_eq!(answer["refused"], json!([{"input": 0, "why": "unknown job 1"}]), "{answer}");
    assert_eq!(answer["batch"], json!(1));
}

#[test]
fn the_same_request_gets_the_same_answer_and_another_body_none() {
    let dir = directory("repeated");
    let server = Server::in_given_time(&dir);
    let body = |request: &str, job: u64| {
        let submit = json!({"submit": {"job": {"id": job, "request": {"nodes": 1, "work": 9}}}});
        format!("{{\"now\": {job}, {request}, \"inputs\": [{submit}]}}")
    };
    let send = |server: &Server, request: &str, job: u64| {
        let answer = server.text("POST", "/inputs", &body(request, job)).expect("an answer");
        let (head, words) = answer.split_once("\r\n\r\n").expect("an answer");
        (head.split(' ').nth(1).expect("a number").to_owned(), words.to_owned())
    };
    let first = send(&server, "\"request\": 7", 1);
    assert_eq!(first.0, "200");
    assert_eq!(send(&server, "\"request\": 7", 1), first);
    assert_eq!(send(&server, "\"request\": 7", 2).0, "409");
    // Textual ids are different ids.
    for (job, request) in (2..).zip(["\"request\": \"7\"", "\"request\": \"a-7\"", "\"request\": 3"]) {
        let answer = send(&server, request, job);
        assert!(answer.0 == "200" && answer.1.contains("\"refused\": []"), "{answer:?}");
    }
    server.kill();
    let server = Server::in_given_time(&dir);
    assert_eq!(send(&server, "\"request\": 7", 1), first);
    assert_eq!(send(&server, "\"request\": 7", 2).0, "409");
    let batches = &server.ask("GET", "/plan", "").expect("an answer")["batches"];
    assert_eq!(batches, &json!(4));
}

#[test]
fn silent_and_slow_clients_delay_nobody_and_are_cut() {
    let server = Server::in_given_time(&directory("slow"));
    let connect = || TcpStream::connect(&server.at).expect("it listens");
    let mut silent: Vec<TcpStream> = (0..40).map(|_| connect()).collect();
    let mut slow = connect();
    let head = b"POST /inputs HTTP/1.1\r\nhost: localhost\r\n";
    slow.write_all(&head[..10]).expect("it reads");
    for _ in 0..20 {
        server.ask("GET", "/plan", "").expect("an answer");
    }
    // The requests above are answered while these connections are still open.
    for stream in silent.iter_mut().chain([&mut slow]) {
        stream.set_nonblocking(true).expect("a socket");
        let read = stream.read(&mut [0; 100]);
        assert_eq!(read.map_err(|why| why.kind()), Err(ErrorKind::WouldBlock));
        stream.set_nonblocking(false).expect("a socket");
    }
    // Bytes that arrive one by one do not extend the deadline.
    for byte in head.iter().cycle() {
        sleep(Duration::from_millis(200));
        if slow.write_all(&[*byte]).is_err() {
            break;
        }
    }
    for stream in &mut silent {
        let _ = stream.read_to_end(&mut Vec::new());
    }
}

#[test]
fn there_is_a_limit_of_connections() {
    let server = Server::in_given_time(&directory("crowd"));
    let mut crowd: Vec<TcpStream> = Vec::new();
    while server.text("GET", "/plan", "").is_some_and(|answer| answer.starts_with("HTTP/1.1 200 ")) {
        crowd.extend((0..20).map(|_| TcpStream::connect(&server.at).expect("it listens")));
    }
    assert!(crowd.len() > 200);
    drop(crowd);
    while server.text("GET", "/plan", "").is_none_or(|answer| !answer.starts_with("HTTP/1.1 200 ")) {
        sleep(Duration::from_millis(20));
    }
}
