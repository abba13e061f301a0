//! Charts of plans and simulations, and the load as an axis of sweeps.

use super::{code, econsched, err, out, scratch};
use std::fs;

#[test]
fn charts_that_are_not_written_have_no_extent() {
    for command in ["plan", "simulate", "multi-s-grid"] {
        for flag in ["--from", "--until"] {
            let output = econsched(&[command, "--no-files", flag, "5"], "");
            assert_eq!(code(&output), 2, "{command} {flag}");
            assert!(err(&output).contains(&format!("{flag}: no chart is written")), "{}", err(&output));
        }
    }
}

#[test]
fn charts_show_the_time_that_is_asked_for() {
    let dir = scratch("extent");
    let place = dir.display().to_string();
    let simulate = |more: &[&str]| {
        let args = [&["simulate", "--jobs", "200", "--out", &place], more].concat();
        let output = econsched(&args, "");
        assert_eq!(code(&output), 0, "{args:?}: {}", err(&output));
        fs::read_to_string(dir.join("gantt.svg")).expect("a chart")
    };
    let jobs = |svg: &str| svg.matches("<title>job ").count();
    let all = simulate(&[]);
    let rows = fs::read_to_string(dir.join("jobs.csv")).expect("jobs");
    let mut reader = csv::Reader::from_reader(rows.as_bytes());
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    let at = |row: &std::collections::BTreeMap<String, String>, key: &str| {
        row[key].parse::<f64>().expect("a time")
    };
    let (from, until) = (at(&rows[50], "start"), at(&rows[100], "start"));
    let part = simulate(&["--from", &from.to_string(), "--until", &until.to_string()]);
    let shown = rows.iter().filter(|row| at(row, "end") > from && at(row, "start") < until).count();
    assert!(
        shown < 200 && part.contains(&format!("{shown} of 200 placements, in the given time")),
        "{shown}"
    );
    assert!(0 < jobs(&part) && jobs(&part) < jobs(&all));
    assert!(fs::read_to_string(dir.join("utilisation.svg")).expect("a chart").contains("% busy from"));
    let output = econsched(&["simulate", "--from", "5", "--until", "5", "--out", &place], "");
    assert!(
        code(&output) == 2 && err(&output).contains("expected --from before --until"),
        "{}",
        err(&output)
    );

    let output = econsched(&["plan", "--front", "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let front = fs::read_to_string(dir.join("front.svg")).expect("a chart");
    assert!(front.contains("<title>costs together") && !front.contains("polyline"));
}

/// One job for each node, at prices whose sum depends on the order of adding: 0.1 + 0.2 + 0.3 in doubles is
/// 0.6000000000000001, and 0.6 once rounded.
#[test]
fn the_choice_is_marked_on_the_front_where_tenths_are_added() {
    let scenario = r#"{"slots": [{"node": 1, "speed": 1, "price": 0.1, "start": 0, "end": 1},
        {"node": 2, "speed": 1, "price": 0.2, "start": 0, "end": 1},
        {"node": 3, "speed": 1, "price": 0.3, "start": 0, "end": 1}],
        "jobs": [{"id": 1, "request": {"nodes": 1, "work": 1}}, {"id": 2, "request": {"nodes": 1, "work": 1}},
        {"id": 3, "request": {"nodes": 1, "work": 1}}]}"#;
    let dir = scratch("tenths");
    let place = dir.display().to_string();
    for criterion in ["min-cost", "min-time"] {
        let output =
            econsched(&["plan", "-", "--criterion", criterion, "--front", "--out", &place], scenario);
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert_eq!(
            fs::read_to_string(dir.join("front.csv")).expect("a front"),
            "cost,runtime,chosen\n0.6,3,1\n"
        );
        assert_eq!(out(&output).matches("chosen").count(), 1, "{}", out(&output));
    }
}

#[test]
fn load_is_an_axis_of_sweeps() {
    let dir = scratch("load");
    let file = dir.join("load.toml");
    fs::write(
        &file,
        "command = \"simulate\"\nseeds = \"1..4\"\n[fixed]\njobs = 150\n[axes]\nload = [0.5, 1.0, 2.0]\n",
    )
    .expect("written");
    let place = dir.join("out").display().to_string();
    let output = econsched(&["sweep", &file.display().to_string(), "--out", &place], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let means = fs::read_to_string(dir.join("out/means.csv")).expect("means");
    let mut reader = csv::Reader::from_reader(means.as_bytes());
    let rows: Vec<std::collections::BTreeMap<String, f64>> =
        reader.deserialize().map(|row| row.expect("a row")).collect();
    let of = |name: &str| rows.iter().map(|row| row[name]).collect::<Vec<f64>>();
    // The faster they come, the longer they wait, and the same work is done.
    assert!(of("mean wait").is_sorted() && of("mean wait")[0] < of("mean wait")[2], "{means}");
    assert!(of("CPU time").windows(2).all(|pair| pair[0] == pair[1]), "{means}");
    let output = econsched(&["simulate", "--load", "0", "--no-files"], "");
    assert!(code(&output) == 2 && err(&output).contains("--load"), "{}", err(&output));
}
