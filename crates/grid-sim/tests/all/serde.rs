//! Deserialised values pass the same checks as constructed ones, and serialised values are read back unchanged.
#![cfg(feature = "serde")]

use grid_sim::{GridJob, LocalJob};
use sched_model::*;

#[test]
fn jobs_come_back_and_bad_ones_do_not() {
    let job = LocalJob::new(JobId(1), Time::must(2.0), 3, Span::must(4.0), Span::must(5.0)).unwrap();
    let text = serde_json::to_string(&job.with_user(UserId(6))).unwrap();
    assert_eq!(text, r#"{"id":1,"user":6,"submit":2.0,"cpus":3,"requested":4.0,"actual":5.0}"#);
    assert_eq!(serde_json::from_str::<LocalJob>(&text).unwrap(), job.with_user(UserId(6)));
    assert!(serde_json::from_str::<LocalJob>(&text.replace("\"cpus\":3", "\"cpus\":0")).is_err());

    for demands in [Demands::default(), Demands::default().with_label("gpu")] {
        let request = ResourceRequest::must(2, 10.0).with_demands(demands.clone());
        let job = GridJob::from(Job::new(JobId(1), request)).with_times(vec![Span::must(3.0)]);
        let text = serde_json::to_string(&job).unwrap();
        assert_eq!(text.contains("demands"), !demands.is_empty());
        assert_eq!(serde_json::from_str::<GridJob>(&text).unwrap(), job);
        assert!(serde_json::from_str::<GridJob>(&text.replace("[3.0]", "[0.0]")).is_err());
    }
}
