//! The live broker behind HTTP and JSON on loopback: jobs in, decisions out, a page that shows the plan.
//!
//! An example to read and to copy from, not a product: one client after another, no users, no encryption.
//! Four files: this one is the interface, `store.rs` loses nothing, `http.rs` reads requests and writes
//! answers, `page.rs` draws the plan.
//!
//! ```text
//! cargo run -p econsched-server -- broker-state --port 8080
//! curl -H 'content-type: application/json' http://127.0.0.1:8080/inputs -d '{"inputs": [
//!     {"node_added": {"id": 1, "speed": 1, "price": 2}},
//!     {"submit": {"id": 1, "request": {"nodes": 1, "work": 30}}}]}'
//! ```
//!
//! Every input of the broker is taken as `serde` writes it: also
//! `{"node_added_with_features": {"node": .., "features": {"labels": ["gpu"]}}}` and
//! `{"submit_with_demands": {"job": .., "demands": {"all_of": ["gpu"]}}}`.
//!
//! * `POST /inputs` with `{"inputs": [..]}`: the facts of this instant, then the broker decides. The answer
//!   holds the decisions, and the inputs that were refused with the reason. It is given when all of it is on
//!   disk. With `"request": n`, the number of requests so far, a client that got no answer may ask again:
//!   nothing is done twice.
//! * `GET /decisions?from=n`: all decisions from that number on.
//! * `GET /plan`: the promised and the running jobs. `GET /`: the same as a page.

#![forbid(unsafe_code)]
#![allow(clippy::disallowed_types)] // it has a clock

mod http;
mod page;
mod store;

use clap::Parser as _;
use econsched::live_broker::{Config, Input};
use econsched::sched_model::{Span, Time};
use http::{Answer, Request};
use serde_json::{Value, json};
use std::error::Error;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use store::Store;

#[derive(clap::Parser)]
struct Args {
    /// Where journal, snapshot and decisions are; made if missing. An existing state continues with its own
    /// settings
    dir: PathBuf,
    /// Port on 127.0.0.1; 0: any that is free, which is printed
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// How far ahead to plan
    #[arg(long, default_value_t = 86_400.0)]
    horizon: f64,
    /// Requests between two snapshots
    #[arg(long, default_value_t = 1000)]
    snapshot_every: u64,
    /// Each request states the time as `now`, for simulations; without this flag the clock of the machine
    /// counts
    #[arg(long)]
    given_time: bool,
}

/// The body of `POST /inputs`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    inputs: Vec<Input>,
    request: Option<u64>,
    now: Option<Time>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let mut store = Store::open(&args.dir, Config::new(Span::new(args.horizon)?), args.snapshot_every)?;
    let listener = TcpListener::bind(("127.0.0.1", args.port))?;
    println!("http://{}", listener.local_addr()?);
    // One thread reads requests, this one has the broker.
    let (sender, requests) = sync_channel(16);
    std::thread::spawn(move || listener.incoming().for_each(|stream| accept(stream, &sender)));
    loop {
        let wakeup = if args.given_time { None } else { store.broker().next_wakeup() };
        let request = match wakeup {
            None => requests.recv()?,
            Some(at) => match requests.recv_timeout(until(at, &store)) {
                Ok(request) => request,
                Err(RecvTimeoutError::Timeout) => {
                    let now = clock(&store);
                    store.take(now, Vec::new())?;
                    continue;
                }
                Err(gone) => return Err(gone.into()),
            },
        };
        let (request, stream): (Request, TcpStream) = request;
        // If writing fails the server stops, so that no state differs from that on disk.
        let answer = answer(&request, &mut store, args.given_time)?;
        let _ = answer.write(stream);
    }
}

fn accept(stream: std::io::Result<TcpStream>, sender: &SyncSender<(Request, TcpStream)>) {
    let Ok(mut stream) = stream else { return };
    match Request::read(&mut stream) {
        Ok(request) => drop(sender.send((request, stream))),
        Err(answer) => drop(answer.write(stream)),
    }
}

/// Seconds since 1970, and never before the last input.
fn clock(store: &Store) -> Time {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    Time::new(seconds).unwrap_or(Time::ZERO).max(store.broker().now())
}

fn until(at: Time, store: &Store) -> Duration {
    Duration::from_secs_f64((at - clock(store)).get().clamp(0.0, 3600.0))
}

fn answer(request: &Request, store: &mut Store, given_time: bool) -> std::io::Result<Answer> {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    Ok(match (request.method.as_str(), path) {
        ("GET", "/") => Answer::page(&page::page(store.broker(), store.requests(), store.decided())),
        ("GET", "/plan") => Answer::json(200, &plan(store)),
        ("GET", "/decisions") => match query.strip_prefix("from=").unwrap_or("0").parse() {
            Ok(from) => Answer::json(200, &format_args!("{{\"decisions\": {}}}", store.decisions(from))),
            Err(_) => Answer::refuse(400, "from: expected a number"),
        },
        ("POST", "/inputs") => match serde_json::from_slice(&request.body) {
            Ok(facts) => take(facts, store, given_time)?,
            Err(error) => Answer::refuse(400, &error.to_string()),
        },
        _ => Answer::refuse(404, "there are POST /inputs, GET /decisions, GET /plan and GET /"),
    })
}

fn take(facts: Facts, store: &mut Store, given_time: bool) -> std::io::Result<Answer> {
    let next = store.requests();
    match facts.request {
        Some(number) if number < next => {
            return Ok(Answer::json(200, &json!({"requests": next, "repeated": true})));
        }
        Some(number) if number > next => {
            return Ok(Answer::refuse(409, &format!("request {number} where {next} follows")));
        }
        _ => {}
    }
    let now = match (given_time, facts.now) {
        (true, Some(now)) => now,
        (false, None) => clock(store),
        (true, None) => return Ok(Answer::refuse(400, "now: missing, the server has no clock")),
        (false, Some(_)) => return Ok(Answer::refuse(400, "now: the server has a clock")),
    };
    let first = store.decided();
    let refused = store.take(now, facts.inputs)?;
    let refused: Vec<Value> =
        refused.iter().map(|(at, why)| json!({"input": at, "why": why.to_string()})).collect();
    let (requests, refused, decisions) = (store.requests(), Value::from(refused), store.decisions(first));
    Ok(Answer::json(
        200,
        &format_args!("{{\"requests\": {requests}, \"refused\": {refused}, \"decisions\": {decisions}}}"),
    ))
}

fn plan(store: &Store) -> Value {
    let broker = store.broker();
    let nodes: Vec<_> = broker.nodes().collect();
    let jobs: Vec<Value> = broker
        .jobs()
        .map(|view| json!({"job": view.job, "standing": view.standing, "window": view.window}))
        .collect();
    json!({
        "now": broker.now(),
        "next_wakeup": broker.next_wakeup(),
        "requests": store.requests(),
        "decided": store.decided(),
        "nodes": nodes,
        "jobs": jobs,
    })
}
