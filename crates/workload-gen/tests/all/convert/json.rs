//! JSON formats.

use super::*;
use workload_gen::WorkloadError;
use workload_gen::convert::{Format, read_sinfo, write_batsim};

/// The three layouts contain the same jobs.
#[test]
fn slurm_by_plugin_version() {
    let logs: Vec<Conversion> = ["sacct-22.05.json", "sacct-23.11.json", "sacct-24.05.json"]
        .map(|name| Format::Sacct.read(&slurm(name)).unwrap())
        .into();
    assert!(logs.iter().all(|conversion| conversion.report.is_clean()));
    let rows = |[first, second, third]: [i32; 3]| {
        vec![
            format!("300 0 60 120 16 -1 -1 16 3600 {first} 1 1 1 -1 -1 1 -1 -1"),
            format!("301 30 270 600 4 -1 -1 4 600 {second} 0 2 1 -1 -1 1 -1 -1"),
            format!("302 40 -1 -1 -1 -1 -1 8 86400 {third} -1 1 1 -1 -1 1 -1 -1"),
        ]
    };
    // The oldest layout does not state the memory.
    assert_eq!(jobs(&logs[0]), rows([-1; 3]));
    assert_eq!(jobs(&logs[1]), rows([2_048_000, 1_024_000, 1_024_000]));
    assert_eq!(logs[1], logs[2]);
    let text = slurm("sacct-24.05.json");
    let error = Format::Sacct.read(&text.replace("v0.0.41", "v0.0.42")).unwrap_err().to_string();
    assert!(
        error.starts_with("meta.plugin: written by plugin \"data_parser/v0.0.42\"; known: openapi/dbv0.0.38"),
        "{error}"
    );
    assert!(matches!(Format::Sacct.read("{\"jobs\": []}"), Err(WorkloadError::Json { .. })));
    assert!(matches!(Format::Sacct.read(&"[".repeat(100_000)), Err(WorkloadError::Json { .. })));
    let wrong = Format::Sacct.read(&text.replace("\"elapsed\": 120", "\"elapsed\": -5")).unwrap();
    assert_eq!(told(&wrong), ["line 1, field 4 (run time): `-5` is not a whole number; value dropped"]);
}

/// The layouts of the queue contain the same jobs; the one of 22.05 was printed by a real Slurm.
#[test]
fn queue_and_nodes_by_plugin_version() {
    for version in ["22.05", "23.11", "24.05"] {
        let text = slurm(&format!("squeue-{version}.json"));
        let conversion = Format::Squeue.read(&text).unwrap();
        assert!(conversion.report.is_clean(), "{version}: {:?}", told(&conversion));
        // 30 MB on the one node of two CPUs; 20 MB for each CPU.
        assert_eq!(
            jobs(&conversion),
            [
                "1 0 1 20 -1 -1 -1 2 300 -1 1 1 1 -1 -1 1 -1 -1",
                "3 0 22 -1 -1 -1 -1 2 300 15360 -1 1 1 -1 -1 1 -1 -1",
                "8 33 -1 -1 -1 -1 -1 2 300 -1 -1 2 1 -1 -1 1 -1 -1",
                "9 33 -1 -1 -1 -1 -1 4 259200 20480 -1 2 1 -1 -1 1 -1 -1",
                "10 33 -1 -1 -1 -1 -1 1 -1 -1 -1 3 1 -1 -1 1 -1 -1"
            ],
            "{version}"
        );
        assert_eq!(conversion.held[1..3], [vec!["n1".to_owned()], vec![]], "{version}");
        let text = slurm(&format!("sinfo-{version}.json"));
        let nodes = read_sinfo(&text).unwrap();
        let seen: Vec<_> = nodes
            .iter()
            .map(|node| (node.name.as_str(), node.cpus, node.memory, node.state.as_str()))
            .collect();
        assert_eq!(seen, [("n1", 2, Some(100), "allocated"), ("n2", 2, Some(100), "down")], "{version}");
        assert_eq!(nodes[0].partitions, ["main"]);
        let other = text.replace("v0.0.4", "v0.0.5").replace("v0.0.38", "v0.0.37");
        assert!(read_sinfo(&other).unwrap_err().to_string().contains("v0.0."), "{version}");
        assert!(Format::Squeue.read(&other).is_err());
    }
    // If the state is unknown, the start may only be an expected one.
    let unknown = slurm("squeue-24.05.json").replace("RUNNING", "DREAMING");
    let unknown = Format::Squeue.read(&unknown).unwrap();
    assert_eq!(
        (unknown.log.records[1].wait, unknown.held[1].len(), unknown.report.lost_values),
        (None, 0, 1)
    );
    let uneven = slurm("sinfo-24.05.json").replacen("\"minimum\": 2", "\"minimum\": 1", 1);
    assert!(read_sinfo(&uneven).unwrap_err().to_string().starts_with("sinfo[0]: nodes with differing"));
}

#[test]
fn google() {
    let event = |time: u64, kind: u8, index: u8| {
        format!(
            r#"{{"time":{time},"type":"{kind}","collection_id":"9","instance_index":{index},"resource_request":{{"cpus":0.03}}}}"#
        )
    };
    let lines = [
        event(700_000_000, 0, 0),
        event(0, 0, 1),
        event(710_000_000, 3, 0),
        event(711_000_000, 1, 0),
        event(720_000_000, 4, 0),
        event(730_000_000, 3, 0),
        event(760_500_000, 6, 0),
        "no JSON".to_owned(),
        "{\"time\": 1}".to_owned(),
    ];
    let conversion = Format::Google2019(100).read(&lines.join("\n")).unwrap();
    assert_eq!(
        (jobs(&conversion), conversion.skipped),
        (vec!["1 700 10 50.5 3 -1 -1 -1 -1 -1 1 -1 -1 9 -1 -1 -1 -1".to_owned()], 1)
    );
    assert_eq!(
        told(&conversion),
        [
            "line 8: `no JSON` is not a JSON object; line dropped",
            "line 9, field 11 (status): missing; line dropped",
            "line 2, field 2 (submit time): missing; line dropped",
        ]
    );
    assert!(Format::Google2019(0).read("").is_err());
}

#[test]
fn batsim() {
    let text = r#"{"nb_res": 4, "jobs": [
        {"id": 1, "subtime": 0, "res": 2, "profile": "d"},
        {"id": "w!2", "subtime": 1.5, "res": 1, "walltime": -1, "profile": "p"},
        {"id": "x", "subtime": 1, "res": 1, "profile": "d"},
        {"id": 4, "subtime": "soon", "res": 1, "profile": "d"},
        {"id": 5, "subtime": -2, "res": 1, "profile": "d"}],
        "profiles": {"d": {"type": "delay", "delay": 20.25}, "p": {"type": "parallel", "cpu": [1]}}}"#;
    let conversion = Format::Batsim.read(text).unwrap();
    assert_eq!(
        jobs(&conversion),
        [
            "1 0 -1 20.25 -1 -1 -1 2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1",
            "2 1.5 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1"
        ]
    );
    assert_eq!(
        told(&conversion),
        [
            "line 2, field 4 (run time): `\"parallel\"` is not a profile of type delay; value dropped",
            "line 3, field 1 (job number): `\"x\"` is not a job number; line dropped",
            "line 4, field 2 (submit time): `\"soon\"` is not a number; line dropped",
            "line 5, field 2 (submit time): `-2` is negative; line dropped",
        ]
    );
    // Complete records survive writing and reading.
    let again = Format::Batsim.read(&write_batsim(&conversion.log).unwrap()).unwrap();
    assert_eq!(again.log.records, conversion.log.records[..1]);
    assert_eq!(again.log.header.max_procs(), Some(4));
}
