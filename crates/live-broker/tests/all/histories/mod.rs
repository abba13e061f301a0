//! Random histories with faults of every kind: after each input the audit finds nothing, decisions never
//! contradict each other, inputs that are wrong change nothing, and snapshots and journals lead to the same
//! bytes.
#![cfg(feature = "serde")]

mod draw;
mod history;

use crate::common::Books;
use history::History;
use live_broker::*;

fn history(seed: u64, steps: u64, thorough: bool) -> Books {
    play(seed, steps, thorough, None).books
}

fn play(seed: u64, steps: u64, thorough: bool, preempts: Option<bool>) -> History {
    let mut history = History::new(seed, thorough, preempts);
    for _ in 0..1 + history.dice.below(6) {
        let id = history.next_node;
        history.next_node += 1;
        let node = draw::node(&mut history.dice, id);
        let input = history.labelled(Input::NodeAdded(node));
        history.tell(input);
    }
    for _ in 0..steps {
        let input = history.any();
        let accepted = match &input {
            // Others leave for it first.
            Input::Accept { job, victims, .. } if victims.is_empty() => Some(job.id),
            _ => None,
        };
        if history.tell(input)
            && let Some(job) = accepted.filter(|_| history.dice.chance(50))
        {
            history.is_kept(job);
        }
        if history.dice.chance(40) {
            history.pass_time();
            history.tell(Input::Wake);
        }
    }
    history.drain();
    if thorough {
        history.replay();
    }
    history
}

fn histories(seeds: std::ops::Range<u64>, steps: u64, thorough: bool, preempts: Option<bool>) {
    let mut sum = [0u64; 8];
    for seed in seeds.clone() {
        let outcome = std::panic::catch_unwind(|| play(seed, steps, thorough, preempts).books);
        let books = outcome.unwrap_or_else(|panic| {
            eprintln!("history {seed} fails");
            std::panic::resume_unwind(panic)
        });
        let add = [books.decisions, books.starts, books.moves, books.withdrawn, books.closed];
        let add = add.into_iter().chain([books.refused, books.preempted, books.demanded]);
        for (sum, add) in sum.iter_mut().zip(add) {
            *sum += add;
        }
    }
    println!(
        "{seeds:?}: decisions, starts, moves, withdrawn, closed, refused, preempted, promised with demands: {sum:?}"
    );
    assert!(sum.iter().all(|&count| count > 0), "{sum:?}");
}

/// Journal and state of some histories: what the next test compares.
#[test]
#[ignore = "prints what another test compares"]
fn print_a_trace() {
    println!();
    for seed in 500..520 {
        let history = play(seed, 50, true, None);
        println!("{}", serde_json::to_string(&history.journal).unwrap());
        println!("{}", History::bytes(&history.broker));
    }
}

/// Two processes, whose memory lies elsewhere and whose hash seeds differ, give the same bytes.
#[test]
fn two_processes_give_the_same_trace() {
    let run = |language: &str| {
        let mut process = std::process::Command::new(std::env::current_exe().unwrap());
        process.args([
            "--ignored",
            "--exact",
            "histories::print_a_trace",
            "--nocapture",
            "--test-threads",
            "1",
        ]);
        let output = process.env("LANG", language).output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().filter(|line| line.starts_with(['[', '{'])).map(str::to_owned).collect::<Vec<_>>()
    };
    let (one, other) = (run("C"), run("de_DE.UTF-8"));
    assert_eq!(one.len(), 40);
    assert!(one == other, "two processes give different traces");
}

#[test]
fn no_history_breaks_an_invariant() {
    histories(0..300, 60, true, None);
}

/// A job promised a later start could begin now on nodes that are free: others are not stopped for it.
#[test]
fn nobody_is_stopped_where_nodes_are_free() {
    history(770_000_046, 40, true);
}

/// A promise for which another job is to be stopped has its planned end behind it, and a third job starts on
/// its other node.
#[test]
fn a_promise_whose_node_another_job_takes_is_known_to_be_late() {
    play(2_012_414, 25, true, Some(true));
}

#[test]
fn many_short_histories() {
    histories(10_000..11_000, 25, false, None);
}

/// The histories that `HISTORIES` in the environment says, counted from 0, in the ranges in which they are
/// told: 100,000 by default, so many as a number says, or a share such as `5000..10000`.
fn chosen(first: u64) -> impl Iterator<Item = std::ops::Range<u64>> {
    let told = std::env::var("HISTORIES").unwrap_or_default();
    let (from, until) = told.split_once("..").unwrap_or(("0", &told));
    let (from, until) = (from.parse().unwrap_or(0), until.parse().unwrap_or(100_000));
    let share = move |at: u64| first + at..first + until.min(at + 5000);
    (from..until).step_by(5000).map(share)
}

/// By hand, with `HISTORIES=100000` or `HISTORIES=5000..10000` in the environment:
/// `cargo test --release -p live-broker --all-features --test all histories -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn very_many_histories() {
    chosen(1_000_000).for_each(|seeds| histories(seeds, 40, true, None));
}

/// By hand, like the test before: short histories, all with preemption.
#[test]
#[ignore = "takes minutes"]
fn very_many_short_histories_with_preemption() {
    chosen(2_000_000).for_each(|seeds| histories(seeds, 25, true, Some(true)));
}
