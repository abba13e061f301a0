//! The requests of clients, and the answers of the broker.

use crate::error::{ServerError, short};
use crate::page;
use crate::store::{Live, Request, Store};
use econsched::live_broker::Input;
use econsched::sched_model::Time;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum number of decisions in an answer.
const MOST_DECISIONS: usize = 10_000;
/// Maximum length of the id of a request with that of its client, in bytes of JSON.
const LONGEST_ID: usize = 400;

/// What a client asks for.
pub(crate) enum Ask {
    Page,
    Plan,
    Decisions { from: u64 },
    Inputs { facts: Facts, request: Option<Request> },
}

/// The body of `POST /inputs`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Facts {
    inputs: Vec<Input>,
    now: Option<Time>,
    client: Option<Id>,
    request: Option<Id>,
}

/// An id that a client chose: a whole number or a text.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(untagged, expecting = "expected a whole number or a text as id")]
enum Id {
    Whole(i64),
    Great(u64),
    Text(String),
}

impl Ask {
    /// Parses the body of `POST /inputs`; the error is the answer to an invalid body.
    pub(crate) fn inputs(body: &[u8]) -> Result<Self, Answer> {
        let facts: Facts =
            serde_json::from_slice(body).map_err(|why| Answer::refuse(400, &short(&why.to_string())))?;
        let request = match (&facts.client, &facts.request) {
            (None, None) => None,
            (_, None) => return Err(Answer::refuse(400, "client: without a request")),
            (client, request) => Some(Request { id: json!([client, request]).to_string(), hash: hash(body) }),
        };
        if request.as_ref().is_some_and(|request| request.id.len() > LONGEST_ID) {
            return Err(Answer::refuse(400, &format!("request: longer than {LONGEST_ID} bytes")));
        }
        Ok(Self::Inputs { facts, request })
    }
}

/// Computes FNV-1a. The hash is stored in the database, so it must not differ between versions of a library.
fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// The answer to a request.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) body: String,
}

impl Answer {
    fn json(status: u16, body: String) -> Self {
        Self { status, kind: "application/json", body: body + "\n" }
    }

    pub(crate) fn refuse(status: u16, why: &str) -> Self {
        Self::json(status, json!({"error": why}).to_string())
    }
}

/// Answers a request.
///
/// # Errors
/// Those of the database. The server then stops, so that its state never differs from that on disk.
pub(crate) fn answer(ask: Ask, store: &mut Store, given_time: bool) -> Result<Answer, ServerError> {
    Ok(match ask {
        Ask::Page => Answer { status: 200, kind: "text/html; charset=utf-8", body: page::page(&store.live) },
        Ask::Plan => Answer::json(200, plan(&store.live).to_string()),
        Ask::Decisions { from } => {
            let decisions = store.decisions(from, MOST_DECISIONS)?;
            let next = from.saturating_add(decisions.len() as u64);
            Answer::json(200, format!("{{\"decisions\": [{}], \"next\": {next}}}", decisions.join(",")))
        }
        Ask::Inputs { facts, request } => take_inputs(facts, request, store, given_time)?,
    })
}

/// Takes inputs, unless a request with the same id was answered before, which gets its first answer again.
fn take_inputs(
    facts: Facts,
    request: Option<Request>,
    store: &mut Store,
    given_time: bool,
) -> Result<Answer, ServerError> {
    if let Some(Request { id, hash }) = &request
        && let Some((before, answer)) = store.answer(id)?
    {
        return Ok(match *hash == before {
            true => Answer::json(200, answer),
            false => Answer::refuse(409, "request: taken before with another body"),
        });
    }
    let now = match (given_time, facts.now) {
        (true, Some(now)) => now,
        (false, None) => clock(store),
        (true, None) => return Ok(Answer::refuse(400, "now: missing, the server has no clock")),
        (false, Some(_)) => return Ok(Answer::refuse(400, "now: the server has a clock")),
    };
    Ok(Answer::json(200, store.take(now, facts.inputs, request.as_ref())?))
}

/// Returns the seconds since 1970, but never before the last input.
pub(crate) fn clock(store: &Store) -> Time {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    Time::try_from(seconds).unwrap_or(Time::ZERO).max(store.live.broker.now())
}

/// Returns the plan: the time, the nodes, and the jobs with their windows.
fn plan(Live { broker, batches, decided }: &Live) -> Value {
    let nodes: Vec<_> = broker.nodes().collect();
    let jobs: Vec<Value> = broker
        .jobs()
        .map(|view| json!({"job": view.job, "standing": view.standing, "window": view.window}))
        .collect();
    json!({
        "now": broker.now(),
        "next_wakeup": broker.next_wakeup(),
        "batches": batches,
        "decided": decided,
        "nodes": nodes,
        "jobs": jobs,
    })
}
