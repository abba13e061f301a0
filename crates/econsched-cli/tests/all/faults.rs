//! Answers that once claimed more than was known, or something else; and input that was once ignored without
//! a message.

use super::{code, econsched, err, out, scratch};
use serde_json::Value;
use std::fs;

fn refused(args: &[&str], input: &str, words: &[&str]) {
    let output = econsched(args, input);
    assert_eq!(code(&output), 2, "{args:?}: {} {}", out(&output), err(&output));
    for word in words {
        assert!(err(&output).contains(word), "{args:?} should name {word}: {}", err(&output));
    }
}

#[test]
fn jobs_that_were_not_searched_for_are_not_refused_for_want_of_room() {
    for work in ["1", "20", "60", "100"] {
        for effort in ["quick", "normal", "hard"] {
            let output = econsched(&["plan", "--no-files", "--work-limit", work, "--effort", effort], "");
            let text = format!("{}{}", out(&output), err(&output));
            assert!(!text.contains("no resource was left"), "{work} {effort}: {text}");
        }
    }
    let output = econsched(&["plan", "--no-files", "--work-limit", "60"], "");
    assert!(out(&output).contains("a limit ended the search before a place was found"), "{}", out(&output));
}

#[test]
fn nothing_is_exact_beside_a_search_that_was_cut_short() {
    let mut cut = 0;
    for work in ["20", "40", "60", "100", "200"] {
        let args = ["plan", "--method", "cycle", "--no-files", "--work-limit", work];
        let output = econsched(&args, "");
        if !out(&output).contains("ended the search for alternatives") || code(&output) != 0 {
            continue;
        }
        cut += 1;
        assert!(!out(&output).contains("exact"), "{}", out(&output));
        assert!(out(&output).contains("choice among the windows found before the limit"), "{}", out(&output));
        let json = econsched(&[&args[..], &["--json"]].concat(), "");
        let plan: Value = serde_json::from_str(&out(&json)).expect("JSON");
        assert_eq!(plan["proof"], "limit_reached", "{work}");
    }
    assert!(cut > 0);
}

#[test]
fn a_limit_of_nothing_is_the_reason_at_every_effort() {
    for effort in ["quick", "normal", "hard"] {
        let output = econsched(&["plan", "--no-files", "--limit", "0", "--effort", effort], "");
        assert_eq!(code(&output), 1, "{effort}");
        for text in [out(&output), err(&output)] {
            assert!(text.contains("the best choice for the batch exceeds its limit by"), "{effort}: {text}");
            assert!(!text.contains("no resource was left"), "{effort}: {text}");
        }
    }
}

#[test]
fn tables_are_blamed_by_their_columns() {
    let table = "id,when,ran,cores\n1,5,x,2\n2,9,7,1\n";
    let columns = ["--columns", "when=submit,ran=runtime,cores=processors"];
    let output = econsched(&[&["convert", "-", "--from", "csv"], &columns[..]].concat(), table);
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(err(&output).contains("line 2, column 3 (ran): `x` is not a number"), "{}", err(&output));
    assert!(err(&output).contains("1 x column 3 (ran): not a number"), "{}", err(&output));
    assert!(err(&output).contains("0 lines and 1 value dropped"), "{}", err(&output));
    let batsim = r#"{"nb_res": 4, "jobs": [{"id": 1, "subtime": -1, "res": 2, "profile": "d"},
        {"id": 2, "subtime": 1, "res": 2, "profile": "d"}], "profiles": {"d": {"type": "delay", "delay": 3}}}"#;
    let output = econsched(&["convert", "-", "--from", "batsim"], batsim);
    assert!(
        err(&output).contains("`-1` is negative") && !err(&output).contains("missing"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_log_in_which_nothing_ran_is_no_picture() {
    let log = "; MaxProcs: 8\n1 0 -1 -1 4 -1 -1 4 200 -1 -1 3 1 -1 1 -1 -1 -1\n";
    let output = econsched(&["convert", "-", "--from", "swf", "--to", "evalys"], log);
    assert_eq!((code(&output), out(&output)), (1, String::new()), "{}", err(&output));
    assert!(err(&output).contains("no job of the log ran"), "{}", err(&output));
}

#[test]
fn what_a_scenario_says_of_nobody_is_told() {
    let with = |field: &str| {
        format!(
            r#"{{{field}, "nodes": [{{"id": 1, "speed": 1, "price": 2}}], "horizon": 90,
            "jobs": [{{"id": 1, "user": 4, "request": {{"nodes": 1, "work": 60}}}}]}}"#
        )
    };
    let plan = ["plan", "-", "--no-files"];
    refused(&plan, &with(r#""values": [{"node": 2, "value": 3}]"#), &["values[0]", "no node 2"]);
    let twice = r#""values": [{"node": 1, "value": 3}, {"node": 1, "value": 4}]"#;
    refused(&plan, &with(twice), &["values[1]", "node 1 has a value already"]);
    let output = econsched(&plan, &with(r#""users": [{"user": 9, "budget": 3}]"#));
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(out(&output).contains("note: user 9 has a budget but no job"), "{}", out(&output));
    let negative = r#""users": [{"user": 4, "budget": -3}]"#;
    refused(&plan, &with(negative), &["users[0].budget", "-3", "at least 0"]);
    let negative = with(r#""from": 0"#).replace("\"work\": 60", "\"work\": 60, \"budget\": -3");
    refused(&plan, &negative, &["job 1: request.budget", "-3", "at least 0"]);
}

#[test]
fn amounts_between_two_units_of_money_are_refused() {
    let with = |budget: &str, billing: &str| {
        format!(
            r#"{{"money": {{"digits": 2}}, "billing": {{"entry_fee": {billing}}}, "users": [{{"user": 0, "budget": {budget}}}],
            "nodes": [{{"id": 1, "speed": 1, "price": 0.002}}], "horizon": 90,
            "jobs": [{{"id": 1, "request": {{"nodes": 1, "work": 60}}}}]}}"#
        )
    };
    let plan = ["plan", "-", "--no-files"];
    refused(&plan, &with("0.295", "0"), &["users[0].budget", "0.295", "2 digits"]);
    refused(&plan, &with("0.29", "0.005"), &["billing.entry_fee", "0.005", "2 digits"]);
    let output = econsched(&plan, &with("0.29", "0.05"));
    assert_eq!(code(&output), 0, "{}", err(&output));
    let limit = ["plan", "-", "--no-files", "--limit", "0.295"];
    refused(&limit, &with("0.29", "0"), &["--limit 0.295", "2 digits"]);
    // A limit on time is no amount of money.
    let args = ["plan", "-", "--no-files", "--limit", "60.295", "--criterion", "min-cost"];
    let output = econsched(&args, &with("0.29", "0"));
    assert_eq!(code(&output), 0, "{}", err(&output));
}

#[test]
fn numbers_are_short_and_things_are_counted() {
    let output = econsched(&["map", "-", "--format", "table"], "1e59 2e59\n3e59 1e59\n");
    let shown = out(&output);
    let numbers = shown.split_whitespace().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    assert_eq!((code(&output), numbers.map(str::len).max()), (0, Some(8)), "{shown}");
    let output = econsched(&["assign", "-", "--format", "table"], "1e59 2e59\n3e59 1e59\n");
    assert!(out(&output).contains("total 2e59 by"), "{} {}", out(&output), err(&output));
    let output = econsched(&["assign", "-", "--format", "table"], "1e200 2\n3 1\n");
    assert!(err(&output).contains("job 0, resource 0: cost 1e200: expected"), "{}", err(&output));
    let output = econsched(&["plan", "--no-files", "--goal", "C=1e308,T=1"], "");
    assert!(out(&output).contains("1e308 C"), "{}", out(&output));
    let log = "; MaxProcs: 1\n1 0 0 100 1 -1 -1 1 200 -1 1 3 1 -1 1 -1 -1 -1\n";
    let output = econsched(&["simulate", "-", "--no-files", "--work-limit", "1"], log);
    for wrong in ["1 events", "1 jobs", "1 CPUs"] {
        assert!(!out(&output).contains(wrong), "{wrong}: {}", out(&output));
    }
}

#[test]
fn flags_are_blamed_themselves_and_do_something() {
    let log = "; MaxProcs: 8\n1 0 0 100 4 -1 -1 4 200 -1 1 3 1 -1 1 -1 -1 -1\n";
    let output = econsched(&["plan", "-", "--nodes", "0", "--no-files"], log);
    assert_eq!(code(&output), 2);
    assert!(err(&output).starts_with("econsched: --nodes: 0 nodes"), "{}", err(&output));
    refused(
        &["simulate", "-", "--testbed", "edg", "--scheduler", "greedy", "--cpus", "4", "--no-files"],
        log,
        &["--cpus", "testbed"],
    );
    for broker in ["greedy", "two-phase", "live"] {
        let args = ["simulate", "-", "--scheduler", broker, "--cpus", "4", "--no-files"];
        refused(&args, log, &["--cpus", "queue of one machine", "--testbed"]);
    }
}

#[test]
fn parts_and_verdicts_are_printed_as_json_too() {
    let dir = scratch("part-json");
    let place = dir.display().to_string();
    let study = ["study", "yadav", "--seeds", "4", "--shard", "1/2", "--out", &place, "--json"];
    for was_there in [false, true] {
        let output = econsched(&study, "");
        let told: Value = serde_json::from_str(&out(&output)).expect("JSON");
        assert_eq!((told["shard"].as_str(), told["was_there"].as_bool()), (Some("1/2"), Some(was_there)));
        assert!(fs::exists(told["part"].as_str().expect("a path")).expect("readable"));
    }
}
