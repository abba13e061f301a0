//! The requests of clients, and the answers of the broker.

use crate::error::{ServerError, short};
use crate::page;
use crate::store::{Live, Request, Store};
use econsched::live_broker::{Input, JobView};
use econsched::sched_model::Time;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum number of decisions in an answer.
const MOST_DECISIONS: usize = 10_000;
/// Maximum length of the id of a request, in bytes of JSON: the database keeps it.
const LONGEST_ID: usize = 400;

/// What a client asks for, answered by the thread that owns the broker. An error of the database ends the server, so
/// that its state never differs from that on disk.
pub(crate) type Ask = Box<dyn FnOnce(&mut Store) -> Result<Answer, ServerError> + Send>;

/// The body of `POST /inputs`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    inputs: Vec<Input>,
    now: Option<Time>,
    request: Option<Value>,
}

/// Parses the body of `POST /inputs`; the error is the answer to an invalid body.
pub(crate) fn inputs(body: &[u8]) -> Result<Ask, Answer> {
    let facts: Facts =
        serde_json::from_slice(body).map_err(|why| Answer::refuse(400, &short(&why.to_string())))?;
    let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
    if !facts.request.as_ref().is_none_or(is_id) {
        return Err(Answer::refuse(400, "request: expected a whole number or a text"));
    }
    let request = facts.request.map(|id| Request { id: id.to_string(), hash: hash(body) });
    if request.as_ref().is_some_and(|request| request.id.len() > LONGEST_ID) {
        return Err(Answer::refuse(400, &format!("request: longer than {LONGEST_ID} bytes")));
    }
    Ok(Box::new(move |store| take(facts.inputs, facts.now, request, store)))
}

/// Computes FNV-1a. The hash is stored in the database, so it must not differ between versions of a library.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
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

/// Takes inputs, unless a request with the same id was answered before, which gets its first answer again.
fn take(
    inputs: Vec<Input>,
    now: Option<Time>,
    request: Option<Request>,
    store: &mut Store,
) -> Result<Answer, ServerError> {
    if let Some(Request { id, hash }) = &request
        && let Some((before, answer)) = store.answer(id)?
    {
        return Ok(match *hash == before {
            true => Answer::json(200, answer),
            false => Answer::refuse(409, "request: taken before with another body"),
        });
    }
    let now = match (store.given_time, now) {
        (true, Some(now)) => now,
        (false, None) => clock(store),
        (true, None) => return Ok(Answer::refuse(400, "now: missing, the server has no clock")),
        (false, Some(_)) => return Ok(Answer::refuse(400, "now: the server has a clock")),
    };
    Ok(Answer::json(200, store.take(now, inputs, request.as_ref())?))
}

/// Returns the seconds since 1970, but never before the last input.
pub(crate) fn clock(store: &Store) -> Time {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    Time::try_from(seconds).unwrap_or(Time::ZERO).max(store.live.broker.now())
}

/// Asks for the plan as a page.
pub(crate) fn page() -> Ask {
    let kind = "text/html; charset=utf-8";
    Box::new(move |store| Ok(Answer { status: 200, kind, body: page::page(&store.live) }))
}

/// Asks for the decisions from this number on.
pub(crate) fn decisions(from: u64) -> Ask {
    Box::new(move |store| {
        let decisions = store.decisions(from, MOST_DECISIONS)?;
        let next = from.saturating_add(decisions.len() as u64);
        Ok(Answer::json(200, format!("{{\"decisions\": [{}], \"next\": {next}}}", decisions.join(","))))
    })
}

/// Asks for the plan: the time, the nodes, and the jobs with their windows.
pub(crate) fn plan() -> Ask {
    Box::new(|store| {
        let Live { broker, batches, decided } = &store.live;
        let job =
            |view: JobView<'_>| json!({"job": view.job, "standing": view.standing, "window": view.window});
        let plan = json!({
            "now": broker.now(),
            "next_wakeup": broker.next_wakeup(),
            "batches": batches,
            "decided": decided,
            "nodes": broker.nodes().collect::<Vec<_>>(),
            "jobs": broker.jobs().map(job).collect::<Vec<_>>(),
        });
        Ok(Answer::json(200, plan.to_string()))
    })
}
