//! Odd input: tasks of almost no length, transfers of whole slices, links and machines that fail at one instant, jobs
//! withdrawn before, during and after their transfer.

use super::*;

/// Jobs of odd lengths, inputs and arrivals: tiny, huge, equal, on the borders of slices.
pub(super) fn odd_jobs(draw: &mut Draw, users: &[GridUser]) -> Vec<Job> {
    let count = draw.below(40) as u64;
    let job = |id| {
        let work = draw.of([1e-300, 1e-9, 1200.0, 3600.0, 1e7]);
        // 512 KB/s is the fastest link: 512 KB move in one slice or in several whole ones.
        let input = draw.of([0.0, 0.0, 512.0, 1024.0, 1e-9, 1e6]);
        let submit = draw.of([0.0, 0.0, 1.0, 1.0 - 1e-12, 2.5, 7.0]);
        let request = ResourceRequest::must(1, work).with_input(DataSize::must(input));
        let owner = users[draw.below(users.len())].id;
        Job::new(JobId(id), request).with_user(owner).with_submit(Time::must(submit))
    };
    (0..count).map(job).collect()
}

/// Means so small that the clock does not move: what is repaired fails at the same instant.
pub(super) fn failing_at_once((sites, users, _): &mut Setup) {
    let at_once = Span::must(1e-30);
    sites.iter_mut().for_each(|site| site.link_mean_time_to_failure = Some(at_once));
    users.iter_mut().for_each(|user| user.link_mean_time_to_failure = at_once);
}

/// What is repaired in no time and fails at once would keep the clock where it is: an error before the run,
/// and no run without end. Where nothing is repaired, the same means are served.
#[test]
fn repairs_in_no_time_of_what_fails_at_once_are_an_error() {
    let mut setup = setup(1, 2, 5, 1.0);
    failing_at_once(&mut setup);
    let run = |setup: &Setup, repair: Option<f64>| {
        let config = Config::default().with_repair(repair.map(Span::must)).with_slices(60);
        grid(&setup.0, &setup.1, &config).run(&setup.2)
    };
    for repair in [0.0, 1e-300, 1e-12] {
        let error = run(&setup, Some(repair)).unwrap_err();
        assert!(error.to_string().contains("failures"), "{repair}: {error}");
    }
    for repair in [None, Some(1.0)] {
        assert!(run(&setup, repair).is_ok());
    }
    setup.0[0].link_mean_time_to_failure = Some(Span::must(1e-320));
    let error = run(&setup, Some(0.0)).unwrap_err().to_string();
    let said = "failures of machines and links in one slice: infinitely many expected, at most";
    assert_eq!(error, format!("{said} {MOST_JOBS} allowed"));
}
