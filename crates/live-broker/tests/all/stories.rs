//! Stories: the inputs of a broker and its decisions, from `tests/data/stories.txt`.
//!
//! A story begins with `$` and the settings, in addition to a horizon of 1000, which may be refused (`!`). A line is an
//! instant with one of: an input by its name, with one number or with its fields (`node` and `submit` add a node and a
//! job; nodes have speed and price 1 by default); `wake`, after which each start is confirmed, or `decide`, after which
//! none is; `quote`, which asks for two windows, and `accept`, which accepts the last quote, with the stopped jobs if
//! any, or with some fields changed; `explain` or `job`, which ask about a job. The lines below it have the decisions
//! or answers (`>`), the next wakeup (`=`), and errors (`!`). `again` repeats the story under other settings, with
//! words replaced (`old~new`, `+` for a blank); its answers begin at the first difference. `ECONSCHED_FREEZE=write
//! cargo test -p live-broker --all-features --test all stories` writes the answers again.

use crate::common::{Driver, at, plain};
use crate::session::played;
use live_broker::*;
use sched_model::{JobId, Limit};
use serde_json::{Map, Value, json};

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}

/// The fields of words, those of these names apart.
fn fields(words: &[&str], apart: &[&str]) -> [Value; 2] {
    let pairs = words.iter().filter_map(|word| word.split_once('='));
    let (apart, rest): (Map<_, _>, Map<_, _>) = pairs
        .map(|(name, text)| (name.to_owned(), value(text)))
        .partition(|(name, _)| apart.contains(&&**name));
    [apart.into(), rest.into()]
}

fn merge(into: &mut Value, from: &Value) {
    for (name, value) in from.as_object().unwrap() {
        match &mut into[name] {
            old @ Value::Object(_) if ["stability", "job"].contains(&&**name) => merge(old, value),
            old => *old = value.clone(),
        }
    }
}

fn job(words: &[&str]) -> Value {
    let [mut job, request] = fields(words, &["submit", "priority"]);
    merge(&mut job, &json!({"id": value(words[1]), "request": request}));
    job
}

fn input(words: &[&str]) -> Input {
    let told = match words[0] {
        "node" => {
            let ([features, own], mut node) = (
                fields(words, &["labels", "amounts"]),
                json!({"id": value(words[1]), "speed": 1, "price": 1}),
            );
            merge(&mut node, &own);
            json!({"node_added": {"node": node, "features": features}})
        }
        "submit" => {
            let [speeds, _] = fields(words, &["speeds"]);
            let words: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with("speeds")).collect();
            let mut submit = json!({"job": job(&words)});
            merge(&mut submit, &speeds);
            json!({"submit": submit})
        }
        name if words[1].contains('=') => json!({name: fields(words, &[])[1]}),
        name => json!({name: value(words[1])}),
    };
    serde_json::from_value(told).unwrap()
}

struct Story {
    driver: Driver,
    quoted: Option<Input>,
}

impl Story {
    fn new(settings: &str) -> Result<Self, String> {
        let mut config = serde_json::to_value(plain()).unwrap();
        merge(&mut config, &value(if settings.is_empty() { "{}" } else { settings }));
        let broker = Broker::new(serde_json::from_value(config).unwrap());
        Ok(Self { driver: Driver(broker.map_err(|error| format!("! {error}\n"))?), quoted: None })
    }

    /// What was quoted last, with these fields changed.
    fn accepted(&self, words: &[&str]) -> Input {
        let mut told = serde_json::to_value(self.quoted.as_ref().unwrap()).unwrap();
        merge(&mut told["accept"], &fields(words, &[])[1]);
        serde_json::from_value(told).unwrap()
    }

    /// What is said to a line.
    fn told(&mut self, line: &str) -> String {
        let (now, commands) = line.split_once(' ').unwrap();
        commands.split("; ").map(|command| self.command(now.parse().unwrap(), command)).collect()
    }

    fn command(&mut self, now: f64, command: &str) -> String {
        let words: Vec<&str> = command.split(' ').collect();
        let broker = &self.driver.0;
        let id = || JobId(words[1].parse().unwrap());
        let answer = match words[0] {
            "wake" | "decide" => {
                let acts = if words[0] == "wake" { self.driver.wake(now) } else { self.driver.decided(now) };
                let told: String = acts.iter().map(|act| format!("> {act}\n")).collect();
                return told
                    + &self.driver.0.next_wakeup().map_or(String::new(), |next| format!("= {next}\n"));
            }
            "explain" => broker.explain(id()).map(|told| told.to_string()),
            "job" => Ok(broker.job(id()).map_or_else(
                || format!("{:?}", broker.standing(id())),
                |view| {
                    let window = view.window.map_or("no window".to_owned(), ToString::to_string);
                    let (left, reserved) = (view.job.request.work(), view.reservation);
                    format!("{:?}, {window}, {left} to do, {reserved:?}", view.standing)
                },
            )),
            "quote" => {
                let job: sched_model::Job = serde_json::from_value(job(&words)).unwrap();
                let quotes = broker.quote(&job, 2, &Limit::default()).unwrap();
                let told = quotes.to_string().lines().skip(1).map(|line| format!("{line}\n")).collect();
                let (version, victims) = (quotes.version, quotes.victims);
                let window = quotes.displacing.or_else(|| quotes.windows.into_iter().next());
                self.quoted = window.map(|window| Input::Accept { job, window, version, victims });
                Ok(told)
            }
            told => {
                let input = if told == "accept" { self.accepted(&words) } else { input(&words) };
                self.driver.0.handle(at(now), input).map(|_| {
                    assert_eq!(self.driver.0.audit(), [""; 0]);
                    String::new()
                })
            }
        };
        match answer {
            Ok(text) => text.lines().map(|line| format!("> {line}\n")).collect(),
            Err(error) => format!("! {error}\n"),
        }
    }
}

#[test]
fn stories_end_as_they_did() {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/stories.txt");
    let (mut story, mut lines, mut first) = (Story::new("").unwrap(), Vec::new(), String::new());
    played(place, &['>', '=', '!'], |line, _| {
        if let Some(settings) = line.strip_prefix('$') {
            match Story::new(settings.trim_start()) {
                Ok(new) => (story, lines, first) = (new, Vec::new(), String::new()),
                Err(error) => return error,
            }
            return String::new();
        }
        let Some(words) = line.strip_prefix("again ") else {
            lines.push(line.to_owned());
            let told = story.told(line);
            first += &told;
            return told;
        };
        let mut again = lines.join("\n");
        let (settings, changes) = words.split_once(' ').unwrap_or((words, ""));
        for (old, new) in changes.split(' ').filter_map(|change| change.split_once('~')) {
            assert!(again.contains(&old.replace('+', " ")), "there is no {old}");
            again = again.replace(&old.replace('+', " "), &new.replace('+', " "));
        }
        let mut story = Story::new(settings).unwrap();
        let told: String = again.lines().map(|line| story.told(line)).collect();
        let alike = told.lines().zip(first.lines()).take_while(|(told, first)| told == first).count();
        told.lines().skip(alike).map(|line| format!("{line}\n")).collect()
    });
}
