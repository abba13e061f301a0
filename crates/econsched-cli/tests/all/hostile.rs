//! Misleading input: it is refused with its place, and never gets an accidental answer.

use super::{Dir, KTH, data, ends, good, json, number, refused, run};

const ONE_NODE: &str = r#"{"nodes":[{"id":1,"speed":1,"price":2}],"horizon":90,
"jobs":[{"id":1,"user":4,"request":{"nodes":1,"work":60}}]}"#;

/// The start of its second job is no number.
const EARLIER: &str = r#"{"jobs":[{"job":{"id":1},"fate":null},
{"job":{"id":2},"fate":{"placed":{"start":"soon","placements":[]}}}]}"#;

const LOG: &str = "; MaxProcs: 8\n1 0 0 100 4 -1 -1 4 200 -1 1 3 1 -1 1 -1 -1 -1\n\
2 10 0 50 8 -1 -1 8 60 -1 1 4 1 -1 1 -1 -1 -1\n3 900 0 50 8 -1 -1 8 60 -1 1 4 1 -1 1 -1 -1 -1\n";

#[test]
fn bad_input_is_named_by_file_line_and_field() {
    let jobs = "{\"nodes\":[{\"id\":1,\"speed\":1,\"price\":1}],\"horizon\":50,\n\"jobs\":[{\"id\":7,\n\"request\":{\"nodes\":3,\"work\":-10}}]}";
    let strict = "; MaxProcs: 4\n1 0 0 x 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n";
    for (words, input, parts) in [
        ("plan -", jobs, &["<stdin>:3", "jobs[0].request", "-10"][..]),
        ("plan -", "not a log at all", &["<stdin>", "Standard Workload Format", "JSON", "convert"]),
        ("plan -", "", &["<stdin>", "Standard Workload Format"]),
        ("plan -", "\u{7f}ELF\0\u{1}", &["<stdin>", "Standard Workload Format"]),
        ("plan -", "; a log without jobs\n", &["<stdin>", "no usable job"]),
        ("plan - --strict", strict, &["line 2", "run"]),
        ("plan /nowhere/log.swf", "", &["/nowhere/log.swf"]),
        ("plan --no-files --warm /nowhere", "", &["/nowhere"]),
        ("plan --no-files --warm -", EARLIER, &["<stdin>: jobs[1].fate.placed", "window"]),
        ("plan --at soon", "", &["--at", "soon"]),
        ("plan --search bets", "", &["bets", "best", "min-cost"]),
        ("plan --search alp,amp", "", &["--compare"]),
        ("plan --rho -1", "", &["rho"]),
        ("plan - --nodes 0 --no-files", LOG, &["econsched: --nodes: 0 nodes"]),
        ("window -", "{\"slots\": []}", &["request"]),
        ("map -", "2 2 0\n1\n2\n3\nx\n", &["<stdin>:5", "row 2, column 2", "`x`"]),
        ("map - --names none", "9,1\nO,0\n", &["<stdin>:2", "column 1", "`O`"]),
        ("assign - --most-jobs", "-inf,-inf\n2,3\n", &["<stdin>:1", "column 1", "`-inf`"]),
        ("map -", "1,2\n3,-4\n", &["row 2, column 2", "-4"]),
        ("assign -", "p asn 2 1\nn 1\na 1 2\n", &["<stdin>:3", "cost"]),
        ("assign - --capacities 1,2,3", "1,2\n3,4\n", &["--capacities", "3", "2"]),
        ("assign - --format table", "1e200 2\n3 1\n", &["job 0, resource 0: cost 1e200: expected"]),
        ("group -", r#"{"jobs": [], "resources": []} []"#, &["<stdin>:1"]),
        ("group -", r#"{"jobs": [{"work": -1}], "resources": []}"#, &["jobs[0].work"]),
        (
            "group -",
            r#"{"jobs": [{"id": 1, "work": 1}, {"id": 1, "work": 1}], "resources": []}"#,
            &["two jobs have the id 1"],
        ),
        (
            "group -",
            r#"{"jobs": [], "resources": [{"speed": 1, "cpus": 0, "price": 1}]}"#,
            &["resources[0].cpus"],
        ),
        ("group -", r#"{"jobs": [], "resources": [], "more": 1}"#, &["more"]),
        ("simulate -", "rubbish\n", &["<stdin>", "no usable job"]),
        ("simulate - --no-files", &LOG.replace("\n2 10", "\n1 10"), &["job 1 was submitted twice"]),
        ("simulate --scheduler easy --testbed edg", "", &["one machine"]),
        ("simulate --workload hiuc --scheduler fcfs", "", &["broker"]),
        ("simulate --load 0 --no-files", "", &["--load"]),
        ("plan --gap 1", "", &["--gap"]),
        ("plan --gap -0.1", "", &["--gap"]),
        ("plan --gap nan", "", &["--gap"]),
        ("plan --time-limit -1", "", &["--time-limit"]),
        ("plan --time-limit nan", "", &["--time-limit"]),
        ("plan --limit inf", "", &["--limit"]),
        (
            "simulate --scheduler greedy --local-jobs 5 --local-overestimate 0.5",
            "",
            &["overestimate", "[1, 1e6]"],
        ),
        ("simulate --scheduler live --early 1.5", "", &["[0, 1]"]),
        ("simulate --scheduler two-phase --early 0.7 --overrun 0.7", "", &["end early or take longer"]),
        ("simulate --scheduler two-phase --mtbf 0", "", &["mean"]),
        ("simulate --scheduler two-phase --mtbf 1e-9 --mttr 1e-9", "", &["outages"]),
        ("simulate --scheduler two-phase --goal T,T", "", &["--goal"]),
        ("simulate --scheduler two-phase --criterion min-cost --goal mean-finish", "", &["--goal"]),
        ("simulate --scheduler live --moves sometimes", "", &["--moves", "sometimes", "expected never"]),
        ("simulate --scheduler live --moves -5", "", &["--moves"]),
        ("simulate --scheduler live --moves anywhere --move-rate 5", "", &["COUNT/SECONDS"]),
        ("multi-s-grid --auction 0 --no-files", "", &["epsilon"]),
        ("multi-s-grid --repair soon --no-files", "", &["never"]),
        ("multi-s-grid --job-lifetime 0 --no-files", "", &["above 0"]),
        ("multi-s-grid --fp -1 --no-files", "", &["fail prevention"]),
        ("multi-s-grid --gap -1 --no-files", "", &["gap"]),
        ("multi-s-grid --grid G4 --no-files", "", &["G4"]),
        ("generate slots --params /nowhere.json", "", &["/nowhere.json"]),
        ("convert - --from google2019", "{}", &["--cpus"]),
        ("convert - --from csv", "a,b\n1,2\n", &["<stdin>:1"]),
        ("convert - --from azure --columns a=b", "", &["--columns"]),
        ("convert - --from batsim", "{}", &["<stdin>: jobs"]),
        ("convert - --from alibaba2018", "a\n", &["no record"]),
        ("study yadav --lengths=240,160", "", &["240,160"]),
        ("fly", "", &["fly"]),
    ] {
        refused(words, input, parts);
    }
}

#[test]
fn a_scenario_is_blamed_by_the_field_that_is_wrong() {
    let occupied = "\"occupied\":[{\"node\":1,\"start\":0,\"end\":5,\"colour\":1}],\"horizon\"";
    let with = |fields: &'static str| ("\"horizon\"", [fields, ",\"horizon\""].concat());
    let changed = |from: &'static str, to: &str| (from, to.to_owned());
    let demanding = |demands: &str| ("\"work\":60}", format!("\"work\":60}},\"demands\":{demands}"));
    for ((from, to), parts) in [
        (changed("\"price\":2", "\"price\":2,\"colour\":1"), &["nodes[0]", "colour"][..]),
        (changed("\"work\":60", "\"work\":60,\"colour\":1"), &["jobs[0].request", "colour"]),
        (changed("\"work\":60", "\"work\":60,\"budget\":-3"), &["job 1: request.budget", "-3", "at least 0"]),
        (changed("\"price\"", "\"pirce\""), &["did you mean `price`?"]),
        (changed("\"horizon\"", occupied), &["occupied[0]", "colour"]),
        (changed("\"price\":2", "\"price\":2,\"amounts\":{\"memory\":-1}"), &["an amount of a node"]),
        (with("\"colour\":1"), &["colour"]),
        (with("\"values\":[{\"node\":1,\"value\":0,\"colour\":1}]"), &["values[0]", "colour"]),
        (with("\"values\":[{\"node\":2,\"value\":3}]"), &["values[0]", "no node 2"]),
        (with("\"values\":[{\"node\":1,\"value\":3},{\"node\":1,\"value\":4}]"), &["values[1]", "already"]),
        (with("\"users\":[{\"user\":4,\"budget\":-3}]"), &["users[0].budget", "-3", "at least 0"]),
        (with("\"users\":[{\"user\":4,\"budget\":3},{\"user\":4,\"budget\":3}]"), &["users[1]"]),
        (with("\"service\":[{\"job\":9,\"weight\":1}]"), &["service[0]: no job 9"]),
        (with("\"service\":[{\"job\":1,\"weight\":-1}]"), &["service[0]: weight -1"]),
        (with("\"service\":[{\"job\":1,\"penalty\":1},{\"job\":1}]"), &["service[1]: job 1 is given twice"]),
        (with("\"demands\":{}"), &["demands"]),
        (demanding("{\"peck\":\"rack\"}"), &["peck"]),
        (demanding("{\"spread\":{\"label\":\"rack\",\"most\":0}}"), &["most"]),
    ] {
        assert!(ONE_NODE.contains(from));
        refused("plan - --no-files", &ONE_NODE.replacen(from, &to, 1), parts);
    }
    refused("plan - --serve penalties --no-files", ONE_NODE, &["no penalty for job 1"]);
    let users = ONE_NODE.replace("\"horizon\"", "\"users\":[{\"user\":9,\"budget\":3}],\"horizon\"");
    let told = good("plan - --no-files", &users);
    assert!(told.contains("note: user 9 has a budget but no job"), "{told}");
}

#[test]
fn a_scenario_has_nodes_or_slots() {
    let node = r#"{"id":1,"speed":1,"price":2}"#;
    let slot = r#"{"node":1,"speed":1,"price":2,"start":5,"end":9}"#;
    for (text, field) in [
        (format!(r#"{{"nodes":[{node}],"slots":[{slot}],"horizon":9}}"#), "slots"),
        (format!(r#"{{"nodes":[{node}]}}"#), "horizon"),
        (format!(r#"{{"slots":[{slot}],"from":0}}"#), "from"),
        ("{}".to_owned(), "nodes"),
        (r#"{"slotz":[]}"#.to_owned(), "slotz"),
        (format!(r#"{{"nodes":[{node},{node}],"horizon":9}}"#), "node 1"),
    ] {
        refused("plan - --no-files", &text, &[field]);
    }
    let plan = json("plan - --no-files", &format!(r#"{{"slots":[{slot}]}}"#));
    assert_eq!((number(&plan, "from"), number(&plan, "horizon")), (5.0, 9.0));
    assert!(
        good("plan - --no-files", &format!(r#"{{"nodes":[{node}],"horizon":9}}"#)).contains("1 free slot")
    );
    // What is far from all names is not guessed.
    let colour = ONE_NODE.replace("\"price\"", "\"colour\"");
    assert!(!run("plan - --no-files", &colour).err.contains("did you mean"));
}

#[test]
fn a_row_of_empty_cells_is_a_job_that_has_no_place() {
    let matrix = "1,2,9\n,,\n3,4,9\n";
    ends(1, "assign - --json", matrix, &[]);
    let told = good("assign - --most-jobs --json", matrix);
    assert_eq!(told.matches("\"job\":").count(), 3, "{told}");
}

#[test]
fn flags_that_would_do_nothing_are_refused() {
    for (words, input, flag) in [
        ("simulate - --workload hiuc", LOG, "--workload"),
        ("simulate - --trade-off 0.5", LOG, "--trade-off"),
        ("simulate - --interval 9", LOG, "--interval"),
        ("simulate - --search alp", LOG, "--search"),
        ("simulate - --horizon 9", LOG, "--horizon"),
        ("simulate - --local-jobs 5", LOG, "--local-jobs"),
        ("simulate - --local-overestimate 2", LOG, "--local-overestimate"),
        ("simulate - --mtbf 5", LOG, "is for brokers"),
        ("simulate - --moves never", LOG, "--moves: is for the broker live"),
        ("simulate - --checkpoint-every 5", LOG, "no checkpoint is kept"),
        ("simulate - --scheduler min-ctt --search alp", LOG, "--search"),
        ("simulate - --scheduler two-phase --trade-off 0.5", LOG, "--trade-off"),
        ("simulate - --scheduler greedy --criterion min-time", LOG, "--criterion"),
        ("simulate - --scheduler greedy --cpus 4", LOG, "queue of one machine"),
        ("simulate - --scheduler greedy --testbed edg --cpus 4", LOG, "testbed"),
        ("simulate - --scheduler greedy --checkpoint c", LOG, "is for the queue of one machine"),
        ("simulate - --scheduler live --goal makespan", LOG, "--goal"),
        ("simulate - --scheduler live --mttr 5", LOG, "--mtbf"),
        ("simulate - --scheduler live --frozen 5", LOG, "--frozen: without --moves no promise is moved"),
        ("simulate - --scheduler live --preempt-after 5", LOG, "--urgent-users"),
        ("simulate --checkpoint c --seeds 2", "", "a checkpoint holds the run of one seed"),
        ("simulate --from 5", "", "--from: no chart is written"),
        ("multi-s-grid --until 5", "", "--until: no chart is written"),
        ("plan --until 5", "", "--until: no chart is written"),
        ("plan - --jobs 3", ONE_NODE, "--jobs"),
        ("plan - --jobs 0", ONE_NODE, "--jobs"),
        ("plan - --seed 3", ONE_NODE, "--seed"),
        ("plan - --price-limit 3", ONE_NODE, "--price-limit"),
        ("plan - --strict", ONE_NODE, "--strict"),
        ("plan --at 3", "", "--at"),
        ("plan --jobs 3", "", "--jobs"),
        ("plan - --jobs 0", LOG, "--jobs"),
        ("plan --method joint --search amp", "", "--search"),
        ("plan --goal mean-finish --criterion min-cost", "", "min-time"),
        ("plan --goal X", "", "expected makespan"),
        ("plan --goal C=-1", "", "at least 0"),
        ("plan --goal C=1,cost=2", "", "twice"),
        ("plan --goal=", "", "expected makespan"),
        ("plan --goal C=", "", "expected a weight"),
        ("plan --goal C=1,T", "", "expected a weight"),
        ("plan --goal T=inf", "", "expected a weight"),
        ("plan --goal T,C,T", "", "twice"),
        ("plan --goal C=1,", "", "expected makespan"),
        ("plan --serve most-jobs --goal T,C", "", "jobs that are all served"),
        ("plan --serve penalties --goal makespan", "", "--serve"),
        ("plan --serve most-jobs --front", "", "choices that serve all jobs"),
        ("simulate --jobs 0", "", "--jobs"),
        ("plan --limit -5", "", "--limit"),
        ("plan --limit nan", "", "--limit"),
        ("plan --criterion min-cost --limit -5", "", "--limit"),
    ] {
        refused(&format!("{words} --no-files"), input, &[flag]);
    }
    let weights = |goal: &str| good(&format!("plan --no-files --goal {goal}"), "");
    assert_eq!(weights("cost=1,time=2.5"), weights("C=1,T=2.5"));
    for flag in ["--at", "--jobs", "--nodes", "--horizon", "--price-limit", "--seed"] {
        let told = format!("{flag}: goes with --to scenario");
        refused(&format!("convert - --from swf --to batsim {flag} 1"), LOG, &[&told]);
    }
}

#[test]
fn a_byte_order_mark_is_no_content() {
    for (words, text) in [
        ("plan - --no-files", ONE_NODE),
        ("window -", ONE_NODE),
        ("simulate - --no-files", LOG),
        ("assign -", "4,1,3\n2,0,5\n3,2,2\n"),
    ] {
        assert_eq!(good(words, text), good(words, &format!("\u{feff}{text}")), "{words}");
    }
    let dir = Dir::new("utf16");
    let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(ONE_NODE.bytes().flat_map(|byte| [byte, 0])).collect();
    dir.write("wide.json", wide);
    let told = dir.refused("plan wide.json");
    assert!(told.contains("wide.json") && told.contains("UTF-16"), "{told}");
}

#[test]
fn a_json_list_is_no_log() {
    for text in ["[]", " [{\"id\": 1}]", "\"words\""] {
        refused("plan - --no-files", text, &["<stdin>", "JSON", "object"]);
        refused("simulate - --no-files", text, &["<stdin>", "JSON", "log"]);
    }
    refused("simulate - --no-files", ONE_NODE, &["<stdin>", "JSON", "log"]);
}

#[test]
fn an_instant_after_the_last_job_is_no_plan() {
    ends(1, "plan - --at 5000 --no-files", LOG, &["5000", "no job", "900"]);
    let Some(path) = data(KTH) else { return };
    ends(1, &format!("plan {path} --at 1e9 --no-files"), "", &[]);
}

#[test]
fn sizes_beyond_all_measure_are_refused_at_once() {
    for (words, flag) in [
        ("simulate --jobs 100000000 --no-files", "--jobs"),
        ("generate log --jobs 100000000", "--jobs"),
        ("generate slots --count 4000000000", "--count"),
        ("generate jobs --count 4000000000", "--count"),
        ("generate cycle --slots 4000000000", "--slots"),
        ("generate cycle --jobs 4000000000", "--jobs"),
        ("generate environment --nodes 4000000000", "--nodes"),
        ("generate environment --jobs 4000000000", "--jobs"),
        ("generate etc --tasks 100000 --machines 1000000", "--tasks"),
        ("multi-s-grid --slices 4294967295 --no-files", "--slices"),
        ("multi-s-grid --jobs 4294967295 --no-files", "--jobs"),
        ("multi-s-grid --gap 1e12 --no-files", "--gap"),
        ("multi-s-grid --gap inf --no-files", "--gap"),
        ("multi-s-grid --seeds 100000000000 --no-files", "--seeds"),
        ("simulate --seeds 100000000000 --no-files", "--seeds"),
        ("simulate --workload hiuc --scheduler greedy --local-jobs 100000000", "--local-jobs"),
        ("plan --alternatives 99999999999", "--alternatives"),
    ] {
        refused(words, "", &[flag]);
    }
}

#[test]
fn a_machine_of_four_billion_cpus_is_drawn_or_refused() {
    let log = LOG
        .replace("MaxProcs: 8", "MaxProcs: 4294967295")
        .replace(" 8 -1 -1 8 ", " 4294967295 -1 -1 4294967295 ");
    let dir = Dir::new("wide");
    dir.good("simulate - --out .", &log);
    let size = dir.bytes("gantt.svg").len();
    assert!(size < 1_000_000, "{size} bytes");
    // A name that is longer than the picture is wide.
    let name = "n".repeat(2000);
    let site = r#"[{"id": 0, "name": "NAME", "machines": [{"id": 0, "cpus": 8, "speed": 1, "price": 2}]}]"#;
    dir.write("sites.json", site.replace("NAME", &name));
    dir.good("simulate - --testbed sites.json --scheduler greedy --out .", LOG);
    let size = dir.bytes("gantt.svg").len();
    assert!(size < 100_000, "{size} bytes");
}

#[test]
fn what_unpacks_to_a_thousand_times_its_size_is_refused() {
    use std::io::Write as _;
    let dir = Dir::new("bomb");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&vec![b'0'; 65 << 20]).expect("written");
    dir.write("bomb.swf.gz", packed.finish().expect("written"));
    let told = dir.refused("simulate bomb.swf.gz --no-files");
    assert!(told.contains("bomb.swf.gz") && told.contains("times its size"), "{told}");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(LOG.as_bytes()).expect("written");
    let packed = packed.finish().expect("written");
    dir.write("log.swf.gz", &packed);
    dir.write("cut.swf.gz", &packed[..packed.len() - 9]);
    assert_eq!(dir.good("simulate log.swf.gz --no-files", ""), good("simulate - --no-files", LOG));
    assert!(dir.refused("simulate cut.swf.gz --no-files").contains("not a whole gzip file"));
}
