//! Goals of a plan beside the criterion: the makespan first, vectors of criteria, budgets of users.

use super::{code, econsched, err, out, scratch};
use serde_json::Value;

fn plan(args: &[&str], input: &str) -> Value {
    let output = econsched(&[&["plan", "--no-files", "--json"], args].concat(), input);
    assert_eq!(code(&output), 0, "{args:?}: {}", err(&output));
    serde_json::from_str(&out(&output)).expect("JSON")
}

fn number(plan: &Value, key: &str) -> f64 {
    plan[key].as_f64().expect("a number")
}

/// The last finish of all placed jobs.
fn makespan(plan: &Value) -> f64 {
    let windows = plan["jobs"].as_array().expect("jobs").iter().map(|job| &job["fate"]["placed"]);
    let finishes = windows.flat_map(|window| window["placements"].as_array().into_iter().flatten());
    finishes.map(|placement| placement["end"].as_f64().expect("an end")).fold(0.0, f64::max)
}

#[test]
fn vectors_agree_with_the_criteria_that_they_hold() {
    let unlimited = ["--method", "cycle", "--limit", "1e9"];
    let with = |args: &[&str]| plan(&[&unlimited, args].concat(), "");
    let (quick, cheap) = (with(&[]), with(&["--criterion", "min-cost"]));
    for (goal, best, key) in [
        ("T,C", &quick, "total_runtime"),
        ("T=1", &quick, "total_runtime"),
        ("C,T", &cheap, "total_cost"),
        ("cost=1", &cheap, "total_cost"),
    ] {
        assert_eq!(number(&with(&["--goal", goal]), key), number(best, key), "{goal}");
    }
    // Between the ends: no worse than either by its own measure.
    let score = |plan: &Value| number(plan, "total_cost") + 20.0 * number(plan, "total_runtime");
    let weighed = with(&["--goal", "C=1,T=20"]);
    assert!(score(&weighed) <= score(&quick) && score(&weighed) <= score(&cheap));
    // Weights count by their ratio, however great they are.
    for goal in ["C=1,T=1e308", "C=1e6,T=1e308,I=1.7e308"] {
        assert_eq!(
            number(&with(&["--goal", goal]), "total_runtime"),
            number(&quick, "total_runtime"),
            "{goal}"
        );
    }
    for (goal, part) in [("X", "expected makespan"), ("C=-1", "at least 0"), ("C=1,cost=2", "twice")] {
        let output = econsched(&["plan", "--goal", goal, "--no-files"], "");
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains(part), "{}", err(&output));
    }
}

#[test]
fn greater_efforts_keep_to_the_goal_and_are_never_worse() {
    let score = |plan: &Value| (number(plan, "total_runtime"), number(plan, "total_cost"));
    for criterion in ["min-time", "min-cost"] {
        let with = |effort: &str, goal: &str| {
            plan(&["--criterion", criterion, "--limit", "5000", "--effort", effort, "--goal", goal], "")
        };
        for effort in ["normal", "hard"] {
            let (before, after) = (with("quick", "makespan"), with(effort, "makespan"));
            assert!(makespan(&after) <= makespan(&before), "{criterion} {effort}");
            let (before, after) = (with("quick", "T,C"), with(effort, "T,C"));
            assert!(score(&after) <= score(&before), "{criterion} {effort}");
            assert_ne!(after["proof"], "exact");
        }
    }
    // The best of several searches is at least as good as the one that fits the goal.
    let best = plan(&["--search", "best", "--goal", "T,C"], "");
    assert_eq!(best["effort"], "normal");
    // What users may spend is kept at every effort.
    let budgets = CHOICE.replace("\"jobs\"", "\"users\": [{\"user\": 7, \"budget\": 49}], \"jobs\"");
    for effort in ["quick", "normal", "hard"] {
        for goal in [&[][..], &["--goal", "makespan"]] {
            let args = [&["-", "--limit", "1000", "--effort", effort][..], goal].concat();
            let cost = number(&plan(&args, &budgets), "total_cost");
            assert_eq!(cost, 10.0, "{effort} {goal:?}");
        }
    }
}

/// Three jobs of cost 40 and time 10 each, on nodes that are alike.
fn three(service: &str) -> String {
    let slot = |node: u32| format!(r#"{{"node": {node}, "speed": 1, "price": 4, "start": 0, "end": 10}}"#);
    let job = |id: u32| format!(r#"{{"id": {id}, "request": {{"nodes": 1, "work": 10}}}}"#);
    format!(
        r#"{{"slots": [{}, {}, {}], "service": [{service}], "jobs": [{}, {}, {}]}}"#,
        slot(1),
        slot(2),
        slot(3),
        job(1),
        job(2),
        job(3)
    )
}

/// The jobs that have a place.
fn placed(plan: &Value) -> Vec<u64> {
    let jobs = plan["jobs"].as_array().expect("jobs").iter();
    let placed = jobs.filter(|job| job["fate"].get("placed").is_some());
    placed.map(|job| job["job"]["id"].as_u64().expect("an id")).collect()
}

#[test]
fn jobs_are_left_out_as_it_is_asked() {
    let weights = three(r#"{"job": 3, "weight": 5}, {"job": 2, "weight": 2}"#);
    let penalties = |of: f64| {
        let one = |job: u32| format!(r#"{{"job": {job}, "penalty": {of}}}"#);
        three(&[one(1), one(2), one(3)].join(", "))
    };
    let args = |serve: &'static str| ["-", "--limit", "100", "--serve", serve];
    // A budget of 100 is enough for two of them.
    let output = econsched(&[&["plan", "--no-files"], &args("all")[..]].concat(), &weights);
    assert_eq!(code(&output), 1);
    assert_eq!(placed(&plan(&args("most-jobs"), &weights)).len(), 2);
    assert_eq!(placed(&plan(&args("greatest-weight"), &weights)), [2, 3]);
    // A job takes 10: leaving it out for 50 is dearer, for 5 it is not.
    assert_eq!(placed(&plan(&args("penalties"), &penalties(50.0))).len(), 2);
    let output = econsched(&[&["plan", "--no-files"], &args("penalties")[..]].concat(), &penalties(5.0));
    assert_eq!(code(&output), 1, "{}", out(&output));
    // What was left out says what it lacks: two cost 80, a third 40 more.
    let output = econsched(&[&["plan", "--no-files"], &args("most-jobs")[..]].concat(), &weights);
    assert!(out(&output).contains("exceeds its limit by 20"), "{}", out(&output));
    for effort in ["normal", "hard"] {
        for serve in ["most-jobs", "greatest-weight"] {
            for goal in [&[][..], &["--goal", "makespan"]] {
                let more = ["--effort", effort];
                let plan = plan(&[&args(serve)[..], &more, goal].concat(), &weights);
                assert_eq!(placed(&plan).len(), 2, "{effort} {serve} {goal:?}");
                if serve == "greatest-weight" {
                    assert_eq!(placed(&plan), [2, 3], "{effort} {goal:?}");
                }
            }
        }
    }
    for (serve, input, part) in [
        ("penalties", &weights, "no penalty for job 1"),
        ("greatest-weight", &three(r#"{"job": 9, "weight": 1}"#), "service[0]: no job 9"),
        ("greatest-weight", &three(r#"{"job": 1, "weight": -1}"#), "service[0]: weight -1"),
        ("penalties", &three(r#"{"job": 1, "penalty": 1}, {"job": 1}"#), "service[1]: job 1 is given twice"),
    ] {
        let output = econsched(&[&["plan", "--no-files"], &args(serve)[..]].concat(), input);
        assert!(code(&output) == 2 && err(&output).contains(part), "{}", err(&output));
    }
    for args in [
        &["--serve", "most-jobs", "--goal", "T,C"][..],
        &["--serve", "penalties", "--goal", "makespan"],
        &["--serve", "most-jobs", "--front"],
    ] {
        let output = econsched(&[&["plan", "--no-files"], args].concat(), "");
        assert!(code(&output) == 2 && err(&output).contains("--serve"), "{args:?} {}", err(&output));
    }
}

#[test]
fn the_least_makespan_of_the_most_jobs_is_found() {
    // Two of three jobs can be paid; by 10 only one can be done, by 30 the second, and a third later and
    // dearer.
    let slot = |node: u32, price: u32, start: u32| {
        let end = start + 10;
        format!(r#"{{"node": {node}, "speed": 1, "price": {price}, "start": {start}, "end": {end}}}"#)
    };
    let jobs = (1..=3).map(|id| format!(r#"{{"id": {id}, "request": {{"nodes": 1, "work": 10}}}}"#));
    let jobs: Vec<String> = jobs.collect();
    let input = format!(
        r#"{{"slots": [{}, {}, {}, {}], "jobs": [{}]}}"#,
        slot(1, 4, 0),
        slot(2, 5, 20),
        slot(3, 4, 50),
        slot(4, 9, 60),
        jobs.join(", ")
    );
    let args = ["-", "--limit", "95", "--serve", "most-jobs", "--goal", "makespan"];
    for effort in ["quick", "normal", "hard"] {
        let plan = plan(&[&args[..], &["--effort", effort]].concat(), &input);
        assert_eq!((placed(&plan).len(), makespan(&plan)), (2, 30.0), "{effort}");
    }
}

/// One job may be cheap and late or dear and early, the other has one window each on nodes of its own.
const CHOICE: &str = r#"{"slots": [
    {"node": 1, "speed": 1, "price": 5, "start": 0, "end": 10},
    {"node": 3, "speed": 1, "price": 1, "start": 2, "end": 12},
    {"node": 2, "speed": 1, "price": 1, "start": 20, "end": 30}],
  "jobs": [{"id": 1, "user": 7, "request": {"nodes": 1, "work": 10}}]}"#;

#[test]
fn the_makespan_comes_first_within_the_limit() {
    let args = |limit: &str| {
        plan(
            &["-", "--criterion", "min-time", "--search", "amp", "--limit", limit, "--goal", "makespan"],
            CHOICE,
        )
    };
    assert_eq!((makespan(&args("100")), number(&args("100"), "total_cost")), (10.0, 50.0));
    // What is too dear is left: then the next earliest finish.
    assert_eq!((makespan(&args("49")), number(&args("49"), "total_cost")), (12.0, 10.0));
    let free = plan(&["--criterion", "min-cost", "--limit", "1e9"], "");
    let first = plan(&["--criterion", "min-cost", "--limit", "1e9", "--goal", "makespan"], "");
    assert!(makespan(&first) <= makespan(&free));
    assert!(number(&first, "total_cost") >= number(&free, "total_cost"));
}

#[test]
fn users_pay_no_more_than_they_have() {
    let with = |budget: &str| {
        CHOICE.replace("\"jobs\"", &format!("\"users\": [{{\"user\": 7, \"budget\": {budget}}}], \"jobs\""))
    };
    let args = ["-", "--criterion", "max-income", "--limit", "1000"];
    assert_eq!(number(&plan(&args, &with("60")), "total_cost"), 50.0);
    assert_eq!(number(&plan(&args, &with("49")), "total_cost"), 10.0);
    // So do weights, orders and the whole front: on node 1 the job takes 5 and costs 25, on the others 10
    // and 10.
    let fast = |budget: &str| with(budget).replace("\"node\": 1, \"speed\": 1", "\"node\": 1, \"speed\": 2");
    for goal in ["T,C", "T=1"] {
        let args = ["-", "--limit", "1000", "--goal", goal];
        assert_eq!(number(&plan(&args, &fast("60")), "total_cost"), 25.0);
        assert_eq!(number(&plan(&args, &fast("24")), "total_cost"), 10.0);
    }
    let front = |budget: &str| {
        let found = plan(&["-", "--limit", "1000", "--front"], &fast(budget));
        let points = found["front"].as_array().expect("a front").iter();
        points.map(|point| number(point, "cost")).collect::<Vec<_>>()
    };
    assert_eq!((front("60"), front("24")), (vec![10.0, 25.0], vec![10.0]));
    let output = econsched(&[&["plan", "--no-files"], &args[..]].concat(), &with("9"));
    assert_eq!(code(&output), 1, "{}", out(&output));
    assert!(out(&output).contains("costs 1 more than the budget"), "{}", out(&output));
    let twice = with("9").replace(
        "{\"user\": 7, \"budget\": 9}",
        "{\"user\": 7, \"budget\": 9}, {\"user\": 7, \"budget\": 8}",
    );
    let output = econsched(&["plan", "-", "--no-files"], &twice);
    assert!(code(&output) == 2 && err(&output).contains("users[1]"), "{}", err(&output));
}

#[test]
fn a_plan_may_start_from_an_earlier_one() {
    let dir = scratch("warm");
    let place = dir.display().to_string();
    let limit = ["--criterion", "min-cost", "--limit", "900"];
    let first = econsched(&[&["plan", "--out", &place], &limit[..]].concat(), "");
    assert_eq!(code(&first), 0, "{}", err(&first));
    let earlier = dir.join("plan.json").display().to_string();
    for more in [
        &limit[..],
        &["--criterion", "min-cost", "--limit", "1000"],
        &["--limit", "1500", "--serve", "most-jobs"],
    ] {
        let (cold, warm) = (plan(more, ""), plan(&[more, &["--warm", &earlier]].concat(), ""));
        assert_eq!(warm["total_cost"], cold["total_cost"], "{more:?}");
        assert_eq!(warm["total_runtime"], cold["total_runtime"], "{more:?}");
    }
    let output = econsched(&["plan", "--no-files", "--warm", "/nowhere"], "");
    assert_eq!(code(&output), 2, "{}", out(&output));
    let table = dir.join("jobs.csv").display().to_string();
    let output = econsched(&["plan", "--no-files", "--warm", &table], "");
    assert_eq!(code(&output), 2, "{}", out(&output));
}

#[test]
fn a_search_that_is_not_named_is_the_papers_for_quick_plans_and_else_the_one_that_fits() {
    for (args, search) in [
        (&["--method", "cycle"][..], "amp"),
        (&["--goal", "makespan"], "amp"),
        (&["--criterion", "min-cost", "--effort", "quick"], "amp"),
        (&["--effort", "normal"], "min-runtime-rough"),
        (&["--criterion", "min-cost", "--effort", "hard"], "min-cost-rough"),
        (&["--criterion", "max-income", "--effort", "normal"], "amp"),
        (&["--goal", "mean-finish", "--effort", "normal"], "min-finish-rough"),
        (&["--goal", "C,T", "--effort", "normal"], "min-cost-rough"),
        (&["--search", "fit", "--goal", "T=1"], "min-runtime-rough"),
        (&["--search", "alp", "--effort", "normal"], "alp"),
    ] {
        assert_eq!(plan(args, "")["search"], search, "{args:?}");
    }
}

/// A scenario of few nodes and many jobs from a seed: cycles leave some of the jobs out.
fn crowded(seed: u64) -> String {
    let mut state = seed.wrapping_mul(7919) ^ 0x5eed;
    // Knuth's MMIX constants: instances for tests alone.
    let mut draw = |least: u64, most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + (state >> 33) % (most - least + 1)
    };
    draw(0, 1);
    let (mut nodes, mut jobs) = (Vec::new(), Vec::new());
    for id in 0..draw(4, 8) {
        let (speed, price) = (draw(1, 3), draw(5, 40));
        nodes.push(format!(r#"{{"id":{id},"speed":{speed},"price":{}.{}}}"#, price / 10, price % 10));
    }
    for id in 0..draw(8, 16) {
        let (width, work, limit) = (draw(1, 3), draw(20, 120), draw(10, 45));
        jobs.push(format!(
            r#"{{"id":{id},"request":{{"nodes":{width},"work":{work},"price_limit":{}.{}}}}}"#,
            limit / 10,
            limit % 10
        ));
    }
    format!(r#"{{"nodes":[{}],"horizon":150,"jobs":[{}]}}"#, nodes.join(","), jobs.join(","))
}

#[test]
fn more_effort_is_never_worse_than_the_quick_plan_under_a_derived_limit() {
    let mut better = 0;
    // Where each search derives its own limit, greater efforts place fewer jobs by least run time with
    // seed 1.
    for seed in 0..4 {
        let scenario = crowded(seed);
        for goal in [&[][..], &["--criterion", "min-cost"], &["--criterion", "max-income"]] {
            let at = |effort: &str| {
                plan(&[&["-", "--work-limit", "300000", "--effort", effort], goal].concat(), &scenario)
            };
            let quick = at("quick");
            for effort in ["normal", "hard"] {
                let other = at(effort);
                assert_eq!(other["choice"], quick["choice"], "seed {seed}, {goal:?}, {effort}");
                let measure = |plan: &Value| {
                    let distance = &plan["distance"];
                    (-number(distance, "placed"), number(distance, "objective"))
                };
                let (less, more) = (measure(&quick), measure(&other));
                assert!(more <= less, "seed {seed}, {goal:?}, {effort}: {more:?} after {less:?}");
                better += usize::from(more < less);
            }
        }
    }
    assert!(better > 0);
}

/// Finishes of all placed jobs together.
fn finishes(plan: &Value) -> f64 {
    let windows = plan["jobs"].as_array().expect("jobs").iter().map(|job| &job["fate"]["placed"]);
    let ends = windows.filter_map(|window| {
        let ends = window["placements"].as_array()?.iter().filter_map(|placement| placement["end"].as_f64());
        Some(ends.fold(0.0, f64::max))
    });
    ends.sum()
}

#[test]
fn the_mean_finish_is_the_least_of_all_plans_at_the_greatest_effort() {
    // Six jobs on a cheap node of speed 1 and a dear one of speed 2: of all ways to divide them within the
    // budget the least sum of finishes.
    let works = [6.0, 2.0, 8.0, 4.0, 10.0, 12.0];
    let jobs: Vec<String> = (works.iter().enumerate())
        .map(|(id, work)| format!(r#"{{"id":{id},"request":{{"nodes":1,"work":{work}}}}}"#))
        .collect();
    let scenario = format!(
        r#"{{"nodes":[{{"id":1,"speed":1,"price":1}},{{"id":2,"speed":2,"price":6}}],"horizon":60,"jobs":[{}]}}"#,
        jobs.join(",")
    );
    // On each node the shortest first: the sum of finishes of a set of works.
    let of = |set: u32, on: bool, speed: f64| -> (f64, f64) {
        let mut spans: Vec<f64> = (0..works.len())
            .filter(|job| (set >> job & 1 == 1) == on)
            .map(|job| works[job] / speed)
            .collect();
        spans.sort_by(f64::total_cmp);
        let sum = spans.iter().fold((0.0, 0.0), |(sum, at), span| (sum + at + span, at + span));
        (sum.0, spans.iter().sum())
    };
    for budget in [60.0, 90.0, 200.0] {
        let least = (0..1_u32 << works.len()).filter_map(|set| {
            let ((slow, time), (fast, fast_time)) = (of(set, false, 1.0), of(set, true, 2.0));
            (time + 6.0 * fast_time <= budget).then_some(slow + fast)
        });
        let least = least.fold(f64::INFINITY, f64::min);
        let limit = budget.to_string();
        let with = |effort: &str| {
            plan(&["-", "--goal", "mean-finish", "--limit", &limit, "--effort", effort], &scenario)
        };
        let (quick, normal, hard) = (with("quick"), with("normal"), with("hard"));
        assert_eq!(finishes(&hard), least, "budget {budget}");
        assert!(finishes(&normal) >= least && finishes(&quick) >= finishes(&normal), "budget {budget}");
        assert!(number(&hard["distance"], "bound") <= least, "{}", hard["distance"]);
        assert_eq!(number(&hard["distance"], "objective"), least);
    }
    let output = econsched(&["plan", "--goal", "mean-finish", "--criterion", "min-cost", "--no-files"], "");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("min-time"), "{}", err(&output));
    let output = econsched(&["plan", "--goal", "mean-finish", "--no-files"], "");
    assert!(out(&output).contains("mean finish"), "{}", out(&output));
}

/// The default is the least mean finish of all jobs together: nothing waits without need, and no other plan of
/// the program ends earlier on average.
#[test]
fn the_default_plans_all_jobs_together_by_the_least_mean_finish() {
    let mean = |args: &[&str]| {
        let plan = plan(args, "");
        let jobs = plan["jobs"].as_array().expect("jobs").clone();
        let places = jobs.iter().map(|job| job["fate"]["placed"].clone());
        let finish = |place: &Value| {
            let ends = place["placements"].as_array().expect("placements").iter();
            ends.map(|placement| placement["end"].as_f64().expect("an end")).fold(0.0, f64::max)
        };
        let starts = places.clone().map(|place| place["start"].as_f64().expect("a start"));
        (
            starts.fold(f64::INFINITY, f64::min),
            places.map(|place| finish(&place)).sum::<f64>() / jobs.len() as f64,
            plan,
        )
    };
    let (first, least, plan) = mean(&[]);
    assert_eq!(first, 0.0);
    assert_eq!(plan["violations"].as_array().map(Vec::len), Some(0));
    assert_eq!(mean(&["--method", "joint"]).1, least);
    for others in [
        &["--method", "cycle"][..],
        &["--goal", "mean-finish"],
        &["--goal", "mean-finish", "--effort", "hard"],
    ] {
        assert!(least <= mean(others).1, "{others:?}");
    }
    let text = out(&econsched(&["plan", "--no-files"], ""));
    assert!(text.contains("least mean finish") && text.contains("this one is within"), "{text}");
    let within = out(&econsched(&["plan", "--no-files", "--limit", "3000"], ""));
    assert!(within.contains("least mean finish within a budget of 3000"), "{within}");
    let output = econsched(&["plan", "--method", "joint", "--search", "amp", "--no-files"], "");
    assert_eq!(code(&output), 2);
}

/// A job too short to be timed is refused, and the other one is placed.
#[test]
fn a_job_too_short_to_be_timed_does_not_kill_the_plan() {
    let scenario = r#"{"nodes": [{"id": 1, "speed": 1, "price": 1}, {"id": 2, "speed": 1, "price": 1}],
        "from": 1700000000, "horizon": 1700000060, "jobs": [{"id": 1, "request": {"nodes": 1, "work": 30}},
        {"id": 2, "request": {"nodes": 1, "work": 1e-8}}]}"#;
    for args in [&[][..], &["--method", "cycle"], &["--criterion", "min-cost", "--effort", "hard"]] {
        let output = econsched(&[&["plan", "-", "--no-files"], args].concat(), scenario);
        assert_eq!(code(&output), 0, "{args:?}");
        assert!(out(&output).contains("1 of 2 jobs placed"), "{args:?}: {}", out(&output));
    }
}
