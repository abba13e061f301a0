//! Misleading input: it is refused with its place, and never gets an accidental answer.

use super::{KTH, code, data, econsched, err, out, scratch};
use std::fs;

/// Refused as bad input or usage, with these words.
fn refused(args: &[&str], input: &str, words: &[&str]) {
    let output = econsched(args, input);
    assert_eq!(code(&output), 2, "{args:?}: {} {}", out(&output), err(&output));
    for word in words {
        assert!(err(&output).contains(word), "{args:?} should name {word}: {}", err(&output));
    }
    assert!(!err(&output).contains("panicked"), "{args:?}");
}

const ONE_NODE: &str = r#"{"nodes":[{"id":1,"speed":1,"price":2}],"horizon":90,
"jobs":[{"id":1,"request":{"nodes":1,"work":60}}]}"#;

const LOG: &str = "; MaxProcs: 8\n1 0 0 100 4 -1 -1 4 200 -1 1 3 1 -1 1 -1 -1 -1\n\
2 10 0 50 8 -1 -1 8 60 -1 1 4 1 -1 1 -1 -1 -1\n3 900 0 50 8 -1 -1 8 60 -1 1 4 1 -1 1 -1 -1 -1\n";

#[test]
fn a_letter_for_a_digit_loses_no_column() {
    let matrix = "9,1,3\nO,0,5\n3,2,2\n";
    refused(&["assign", "-"], matrix, &["<stdin>:2", "column 1", "`O`", "--names"]);
    refused(&["map", "-"], matrix, &["<stdin>:2", "column 1", "`O`"]);
    refused(&["map", "-"], "1 2\n3 4", &["<stdin>:1", "--format"]);
    let output = econsched(&["assign", "-", "--format", "table", "--json"], "1 2\n3 4");
    assert!(out(&output).contains("\"total\": 5.0"), "{}", out(&output));
    let output = econsched(&["map", "-", "--names", "first-column"], "a,1\nb,2\n");
    assert!(out(&output).contains("2 tasks x 1 machine"), "{} {}", out(&output), err(&output));
}

#[test]
fn a_row_of_empty_cells_is_a_job_that_has_no_place() {
    let matrix = "1,2,9\n,,\n3,4,9\n";
    let output = econsched(&["assign", "-", "--json"], matrix);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    let output = econsched(&["assign", "-", "--most-jobs", "--json"], matrix);
    assert_eq!(out(&output).matches("\"job\":").count(), 3, "{}", out(&output));
}

#[test]
fn minus_infinity_is_no_cost() {
    for flags in [["--maximise"].as_slice(), &["--most-jobs"], &["--maximise", "--most-jobs"], &[]] {
        let args = [&["assign", "-"], flags].concat();
        refused(&args, "-inf,-inf\n2,3\n", &["<stdin>:1", "column 1", "`-inf`"]);
    }
    refused(&["map", "-"], "1,1e999\n2,3\n", &["<stdin>:1", "column 2", "`1e999`"]);
}

#[test]
fn unknown_fields_are_refused_wherever_they_stand() {
    for (from, to, place) in [
        ("\"price\":2", "\"price\":2,\"colour\":1", "nodes[0]"),
        ("\"work\":60", "\"work\":60,\"colour\":1", "jobs[0].request"),
        ("\"horizon\"", "\"colour\":1,\"horizon\"", "colour"),
        (
            "\"horizon\"",
            "\"occupied\":[{\"node\":1,\"start\":0,\"end\":5,\"colour\":1}],\"horizon\"",
            "occupied[0]",
        ),
        ("\"horizon\"", "\"values\":[{\"node\":1,\"value\":0,\"colour\":1}],\"horizon\"", "values[0]"),
    ] {
        assert!(ONE_NODE.contains(from));
        refused(&["plan", "-", "--no-files"], &ONE_NODE.replacen(from, to, 1), &[place, "colour"]);
    }
}

#[test]
fn flags_that_would_do_nothing_are_refused() {
    for (args, input, flag) in [
        (vec!["simulate", "-", "--workload", "hiuc"], LOG, "--workload"),
        (vec!["simulate", "-", "--trade-off", "0.5"], LOG, "--trade-off"),
        (vec!["simulate", "-", "--interval", "9"], LOG, "--interval"),
        (vec!["simulate", "-", "--search", "alp"], LOG, "--search"),
        (vec!["simulate", "-", "--horizon", "9"], LOG, "--horizon"),
        (vec!["simulate", "-", "--local-overestimate", "2"], LOG, "--local-overestimate"),
        (vec!["simulate", "-", "--scheduler", "min-ctt", "--search", "alp"], LOG, "--search"),
        (vec!["simulate", "-", "--scheduler", "two-phase", "--trade-off", "0.5"], LOG, "--trade-off"),
        (vec!["simulate", "-", "--scheduler", "greedy", "--criterion", "min-time"], LOG, "--criterion"),
        (vec!["simulate", "-", "--scheduler", "live", "--goal", "makespan"], LOG, "--goal"),
        (vec!["plan", "-", "--jobs", "3"], ONE_NODE, "--jobs"),
        (vec!["plan", "-", "--jobs", "0"], ONE_NODE, "--jobs"),
        (vec!["plan", "-", "--seed", "3"], ONE_NODE, "--seed"),
        (vec!["plan", "-", "--price-limit", "3"], ONE_NODE, "--price-limit"),
        (vec!["plan", "-", "--strict"], ONE_NODE, "--strict"),
        (vec!["plan", "--at", "3"], "", "--at"),
        (vec!["plan", "--jobs", "3"], "", "--jobs"),
        (vec!["plan", "-", "--jobs", "0"], LOG, "--jobs"),
        (vec!["simulate", "--jobs", "0"], "", "--jobs"),
        (vec!["plan", "--limit", "-5"], "", "--limit"),
        (vec!["plan", "--limit", "nan"], "", "--limit"),
        (vec!["plan", "--criterion", "min-cost", "--limit", "-5"], "", "--limit"),
    ] {
        refused(&[args.as_slice(), &["--no-files"]].concat(), input, &[flag]);
    }
}

#[test]
fn a_byte_order_mark_is_no_content() {
    for (args, text) in [
        (vec!["plan", "-", "--no-files"], ONE_NODE),
        (vec!["window", "-"], ONE_NODE),
        (vec!["simulate", "-", "--no-files"], LOG),
        (vec!["assign", "-"], "4,1,3\n2,0,5\n3,2,2\n"),
    ] {
        let (bare, marked) = (econsched(&args, text), econsched(&args, &format!("\u{feff}{text}")));
        assert_eq!(code(&marked), 0, "{args:?}: {}", err(&marked));
        assert_eq!(out(&bare), out(&marked), "{args:?}");
    }
    let dir = scratch("utf16");
    let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(ONE_NODE.bytes().flat_map(|byte| [byte, 0])).collect();
    fs::write(dir.join("wide.json"), wide).expect("written");
    refused(&["plan", &dir.join("wide.json").display().to_string()], "", &["wide.json", "UTF-16"]);
}

#[test]
fn a_json_list_is_no_log() {
    for text in ["[]", " [{\"id\": 1}]", "\"words\""] {
        refused(&["plan", "-", "--no-files"], text, &["<stdin>", "JSON", "object"]);
        refused(&["simulate", "-", "--no-files"], text, &["<stdin>", "JSON", "log"]);
    }
    refused(&["simulate", "-", "--no-files"], ONE_NODE, &["<stdin>", "JSON", "log"]);
}

#[test]
fn an_instant_after_the_last_job_is_no_plan() {
    let output = econsched(&["plan", "-", "--at", "5000", "--no-files"], LOG);
    assert_eq!(code(&output), 1, "{}", out(&output));
    for word in ["5000", "no job", "900"] {
        assert!(err(&output).contains(word), "{word}: {}", err(&output));
    }
    let Some(path) = data(KTH) else { return };
    let output = econsched(&["plan", &path, "--at", "1e9", "--no-files"], "");
    assert_eq!(code(&output), 1, "{}", out(&output));
}

#[test]
fn sizes_beyond_all_measure_are_refused_at_once() {
    for (args, flag) in [
        (vec!["simulate", "--jobs", "100000000", "--no-files"], "--jobs"),
        (vec!["generate", "log", "--jobs", "100000000"], "--jobs"),
        (vec!["generate", "slots", "--count", "4000000000"], "--count"),
        (vec!["generate", "jobs", "--count", "4000000000"], "--count"),
        (vec!["generate", "cycle", "--slots", "4000000000"], "--slots"),
        (vec!["generate", "cycle", "--jobs", "4000000000"], "--jobs"),
        (vec!["generate", "environment", "--nodes", "4000000000"], "--nodes"),
        (vec!["generate", "environment", "--jobs", "4000000000"], "--jobs"),
        (vec!["generate", "etc", "--tasks", "100000", "--machines", "1000000"], "--tasks"),
        (vec!["multi-s-grid", "--slices", "4294967295", "--no-files"], "--slices"),
        (vec!["multi-s-grid", "--jobs", "4294967295", "--no-files"], "--jobs"),
        (vec!["multi-s-grid", "--gap", "1e12", "--no-files"], "--gap"),
        (vec!["multi-s-grid", "--gap", "inf", "--no-files"], "--gap"),
        (vec!["multi-s-grid", "--seeds", "100000000000", "--no-files"], "--seeds"),
        (vec!["simulate", "--seeds", "100000000000", "--no-files"], "--seeds"),
        (
            vec!["simulate", "--workload", "hiuc", "--scheduler", "greedy", "--local-jobs", "100000000"],
            "--local-jobs",
        ),
        (vec!["plan", "--alternatives", "99999999999"], "--alternatives"),
    ] {
        refused(&args, "", &[flag]);
    }
}

#[test]
fn a_machine_of_four_billion_cpus_is_drawn_or_refused() {
    let log = LOG
        .replace("MaxProcs: 8", "MaxProcs: 4294967295")
        .replace(" 8 -1 -1 8 ", " 4294967295 -1 -1 4294967295 ");
    let dir = scratch("wide");
    let output = econsched(&["simulate", "-", "--out", &dir.display().to_string()], &log);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let size = fs::metadata(dir.join("gantt.svg")).expect("a chart").len();
    assert!(size < 1_000_000, "{size} bytes");
}

#[test]
fn what_unpacks_to_a_thousand_times_its_size_is_refused() {
    use std::io::Write as _;
    let dir = scratch("bomb");
    let path = dir.join("bomb.swf.gz");
    let mut packed =
        flate2::write::GzEncoder::new(fs::File::create(&path).expect("a file"), flate2::Compression::best());
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..160 {
        packed.write_all(&zeros).expect("written");
    }
    packed.finish().expect("written");
    refused(&["simulate", &path.display().to_string(), "--no-files"], "", &["bomb.swf.gz", "times its size"]);
}
