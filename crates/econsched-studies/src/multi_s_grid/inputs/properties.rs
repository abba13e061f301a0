//! The three property files of Multi-S-Grid: grids, users and jobs by their ranges.
//!
//! Source: A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling
//! under resource provider strategies", 2014, figures 4, 5 and 6. The files are read as they are printed,
//! with the keys that are spelt `max_` where the others say `maximum_`; the regular spelling is read too.
//! They are written as printed.
//!
//! A line is `key=value`, with or without a comma at its end; blank lines and blanks around keys and values
//! are skipped. Each key must be given exactly once.

use super::{GridProperties, JobProperties, UserProperties};
use econsched::workload_gen::WorkloadError;
use std::ops::RangeInclusive;

/// What values a key takes.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// Whole numbers from 1 on.
    Count,
    /// Numbers above 0.
    Positive,
}

struct Key {
    /// As printed, and as written.
    name: &'static str,
    /// The regular spelling where the printed one differs.
    regular: Option<&'static str>,
    takes: Takes,
}

const fn key(name: &'static str, takes: Takes) -> Key {
    Key { name, regular: None, takes }
}

const fn odd(name: &'static str, regular: &'static str, takes: Takes) -> Key {
    Key { name, regular: Some(regular), takes }
}

/// Reads the values of `keys`, in their order.
fn read(file: &'static str, keys: &[Key], text: &str) -> Result<Vec<f64>, WorkloadError> {
    let mut values: Vec<Option<(usize, f64)>> = vec![None; keys.len()];
    for (number, line) in text.lines().enumerate() {
        let wrong = |why: String| WorkloadError::Property { file, line: number + 1, why };
        let line = line.trim_start_matches('\u{feff}').trim();
        let line = line.strip_suffix(',').unwrap_or(line).trim_end();
        if line.is_empty() {
            continue;
        }
        let (name, value) = line.split_once('=').ok_or_else(|| wrong(format!("no `=` in {line:?}")))?;
        let (name, value) = (name.trim(), value.trim());
        let known = keys.iter().position(|key| key.name == name || key.regular == Some(name));
        let Some(at) = known else {
            return Err(wrong(format!("unknown key {name:?}; {}", nearest(keys, name))));
        };
        if let Some((first, _)) = values[at] {
            return Err(wrong(format!("key {name:?} stands on line {first} already")));
        }
        let takes = keys[at].takes;
        let expected = match takes {
            Takes::Count => "a whole number from 1 to 1000000",
            Takes::Positive => "a number above 0, at most 1e60",
        };
        let fine = |number: &f64| match takes {
            Takes::Count => (1.0..=1e6).contains(number) && number.fract() == 0.0,
            Takes::Positive => *number > 0.0 && *number <= econsched::sched_model::MAX_QUANTITY,
        };
        let parsed = value.parse::<f64>().ok().filter(fine);
        let parsed = parsed.ok_or_else(|| wrong(format!("{name} must be {expected}, got {value:?}")))?;
        values[at] = Some((number + 1, parsed));
    }
    let missing =
        |key: &Key| WorkloadError::Property { file, line: 0, why: format!("key {:?} is missing", key.name) };
    values
        .iter()
        .zip(keys)
        .map(|(value, key)| value.map(|(_, value)| value).ok_or_else(|| missing(key)))
        .collect()
}

/// The known key that shares most words with `name`.
fn nearest(keys: &[Key], name: &str) -> String {
    let shared = |key: &&Key| {
        let words: Vec<&str> = key.name.split('_').collect();
        name.split('_').filter(|word| words.contains(word)).count()
    };
    // The first of the best: `max_by_key` gives the last.
    match keys.iter().rev().max_by_key(shared).filter(|key| shared(key) > 0) {
        Some(key) => format!("did you mean {:?}?", key.name),
        None => format!("the first of the file is {:?}", keys[0].name),
    }
}

/// The range whose minimum is the value at `at`; its maximum follows.
fn bounds(
    file: &'static str,
    keys: &[Key],
    values: &[f64],
    at: usize,
) -> Result<RangeInclusive<f64>, WorkloadError> {
    let (min, max) = (values[at], values[at + 1]);
    if min > max {
        let why = format!("{}={min} is above {}={max}", keys[at].name, keys[at + 1].name);
        return Err(WorkloadError::Property { file, line: 0, why });
    }
    Ok(min..=max)
}

fn write(keys: &[Key], values: impl IntoIterator<Item = f64>) -> String {
    let lines: Vec<String> =
        keys.iter().zip(values).map(|(key, value)| format!("{}={value}", key.name)).collect();
    lines.join(",\n") + "\n"
}

fn both_ends(range: &RangeInclusive<f64>) -> [f64; 2] {
    [*range.start(), *range.end()]
}

fn counts(range: &RangeInclusive<u32>) -> [f64; 2] {
    [f64::from(*range.start()), f64::from(*range.end())]
}

/// Counts are whole and at most 10^6: see [`Takes`].
fn whole(range: RangeInclusive<f64>) -> RangeInclusive<u32> {
    *range.start() as u32..=*range.end() as u32
}

const GRID: &str = "grid_properties.txt";
const GRID_KEYS: &[Key] = &[
    key("number_of_resources", Takes::Count),
    key("minimum_resource_bandwidth", Takes::Positive),
    key("maximum_resource_bandwidth", Takes::Positive),
    key("minimum_resource_bandwidth_fail_rate", Takes::Positive),
    odd("max_resource_bandwidth_fail_rate", "maximum_resource_bandwidth_fail_rate", Takes::Positive),
    key("minimum_number_of_machines_in_each_resource", Takes::Count),
    key("maximum_number_of_machines_in_each_resource", Takes::Count),
    key("minimum_machine_fail_rate", Takes::Positive),
    key("maximum_machine_fail_rate", Takes::Positive),
    key("minimum_processor_speed", Takes::Positive),
    key("maximum_processor_speed", Takes::Positive),
    key("minimum_number_of_processors_in_each_machine", Takes::Count),
    key("maximum_number_of_processors_in_each_machine", Takes::Count),
];

/// Reads `grid_properties.txt` (figure 4).
///
/// # Errors
/// [`WorkloadError::Property`] with the line, the key and the value at fault.
///
/// ```
/// use econsched_studies::multi_s_grid::{GridProperties, read_grid, write_grid};
/// let text = write_grid(&GridProperties::default()); // the figure
/// assert!(text.starts_with("number_of_resources=3,\nminimum_resource_bandwidth=32,\n"));
/// assert_eq!(read_grid(&text)?, GridProperties::default());
/// let error = read_grid(&text.replace("=32", "=fast")).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "grid_properties.txt, line 2: minimum_resource_bandwidth must be a number above 0, at most 1e60, \
///      got \"fast\""
/// );
/// # Ok::<(), econsched::workload_gen::WorkloadError>(())
/// ```
pub fn read_grid(text: &str) -> Result<GridProperties, WorkloadError> {
    let values = read(GRID, GRID_KEYS, text)?;
    let range = |at| bounds(GRID, GRID_KEYS, &values, at);
    Ok(GridProperties::default()
        .with_sites(values[0] as u32)
        .with_bandwidth(range(1)?)
        .with_link_mean_time_to_failure(range(3)?)
        .with_machines(whole(range(5)?))
        .with_machine_mean_time_to_failure(range(7)?)
        .with_speed(range(9)?)
        .with_cpus(whole(range(11)?)))
}

/// Writes `grid_properties.txt` (figure 4).
#[must_use]
pub fn write_grid(grid: &GridProperties) -> String {
    let ranges = [
        both_ends(&grid.bandwidth),
        both_ends(&grid.link_mean_time_to_failure),
        counts(&grid.machines),
        both_ends(&grid.machine_mean_time_to_failure),
        both_ends(&grid.speed),
        counts(&grid.cpus),
    ];
    write(GRID_KEYS, [f64::from(grid.sites)].into_iter().chain(ranges.into_iter().flatten()))
}

const USERS: &str = "user_properties.txt";
const USER_KEYS: &[Key] = &[
    key("number_of_users", Takes::Count),
    key("minimum_user_bandwidth_fail_rate", Takes::Positive),
    key("maximum_user_bandwidth_fail_rate", Takes::Positive),
    key("minimum_user_bandwidth", Takes::Positive),
    key("maximum_user_bandwidth", Takes::Positive),
    key("minimum_user_quality_of_service", Takes::Positive),
    odd("max_user_quality_of_service", "maximum_user_quality_of_service", Takes::Positive),
];

/// Reads `user_properties.txt` (figure 5).
///
/// # Errors
/// As for [`read_grid`].
pub fn read_users(text: &str) -> Result<UserProperties, WorkloadError> {
    let values = read(USERS, USER_KEYS, text)?;
    let range = |at| bounds(USERS, USER_KEYS, &values, at);
    Ok(UserProperties::default()
        .with_users(values[0] as u32)
        .with_link_mean_time_to_failure(range(1)?)
        .with_bandwidth(range(3)?)
        .with_qos(range(5)?))
}

/// Writes `user_properties.txt` (figure 5).
#[must_use]
pub fn write_users(users: &UserProperties) -> String {
    let ranges =
        [both_ends(&users.link_mean_time_to_failure), both_ends(&users.bandwidth), both_ends(&users.qos)];
    write(USER_KEYS, [f64::from(users.users)].into_iter().chain(ranges.into_iter().flatten()))
}

const JOBS: &str = "job_properties";
const JOB_KEYS: &[Key] = &[
    key("minimum_job_length", Takes::Positive),
    key("maximum_job_length", Takes::Positive),
    key("minimum_job_input_volume", Takes::Positive),
    key("maximum_job_input_volume", Takes::Positive),
];

/// Reads `job_properties` (figure 6). Values that the file does not have (number of jobs, arrivals,
/// priorities) keep their defaults.
///
/// # Errors
/// As for [`read_grid`].
pub fn read_jobs(text: &str) -> Result<JobProperties, WorkloadError> {
    let values = read(JOBS, JOB_KEYS, text)?;
    let range = |at| bounds(JOBS, JOB_KEYS, &values, at);
    Ok(JobProperties::default().with_length(range(0)?).with_input(range(2)?))
}

/// Writes `job_properties` (figure 6): lengths and volumes.
#[must_use]
pub fn write_jobs(jobs: &JobProperties) -> String {
    write(JOB_KEYS, [both_ends(&jobs.length), both_ends(&jobs.input)].into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID_FILE: &str = "number_of_resources=3,\nminimum_resource_bandwidth=32,\nmaximum_resource_bandwidth=512,\n\
        minimum_resource_bandwidth_fail_rate=30,\nmax_resource_bandwidth_fail_rate=120,\n\
        minimum_number_of_machines_in_each_resource=1,\nmaximum_number_of_machines_in_each_resource=4,\n\
        minimum_machine_fail_rate=15,\nmaximum_machine_fail_rate=90,\nminimum_processor_speed=1200,\n\
        maximum_processor_speed=3600,\nminimum_number_of_processors_in_each_machine=1,\n\
        maximum_number_of_processors_in_each_machine=8\n";
    const USER_FILE: &str = "number_of_users=10,\nminimum_user_bandwidth_fail_rate=20,\n\
        maximum_user_bandwidth_fail_rate=100,\nminimum_user_bandwidth=16,\nmaximum_user_bandwidth=512,\n\
        minimum_user_quality_of_service=2,\nmax_user_quality_of_service=10\n";
    const JOB_FILE: &str = "minimum_job_length=1200,\nmaximum_job_length=12000,\nminimum_job_input_volume=32,\n\
        maximum_job_input_volume=1024\n";

    #[test]
    fn the_printed_files_are_read_and_written_as_they_stand() {
        let grid = read_grid(GRID_FILE).unwrap();
        assert_eq!(grid, GridProperties::default());
        assert_eq!((grid.sites, grid.machines.clone(), grid.cpus.clone()), (3, 1..=4, 1..=8));
        assert_eq!(grid.link_mean_time_to_failure, 30.0..=120.0);
        assert_eq!(write_grid(&grid), GRID_FILE);
        let users = read_users(USER_FILE).unwrap();
        assert_eq!(users, UserProperties::default());
        assert_eq!((users.users, users.bandwidth.clone(), users.qos.clone()), (10, 16.0..=512.0, 2.0..=10.0));
        assert_eq!(write_users(&users), USER_FILE);
        let jobs = read_jobs(JOB_FILE).unwrap();
        assert_eq!((jobs.length.clone(), jobs.input.clone()), (1200.0..=12000.0, 32.0..=1024.0));
        assert_eq!(write_jobs(&jobs), JOB_FILE);
    }

    #[test]
    fn the_regular_spelling_other_orders_and_blanks_are_read_too() {
        let text = GRID_FILE
            .replace("max_resource", "maximum_resource")
            .replace('=', " = ")
            .replace(",\n", "\r\n\n");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.reverse();
        assert_eq!(read_grid(&lines.join("\n")).unwrap(), GridProperties::default());
    }

    #[test]
    fn errors_name_file_line_key_and_value() {
        let grid = |from: &str, to: &str| read_grid(&GRID_FILE.replace(from, to)).unwrap_err().to_string();
        assert_eq!(
            grid("minimum_processor_speed=1200", "min_processor_speed=1200"),
            "grid_properties.txt, line 10: unknown key \"min_processor_speed\"; \
             did you mean \"minimum_processor_speed\"?"
        );
        assert_eq!(
            grid("number_of_resources=3", "number_of_resources=2.5"),
            "grid_properties.txt, line 1: number_of_resources must be a whole number from 1 to 1000000, got \"2.5\""
        );
        assert_eq!(
            grid("machine_fail_rate=15", "machine_fail_rate=-15"),
            "grid_properties.txt, line 8: minimum_machine_fail_rate must be a number above 0, at most 1e60, \
             got \"-15\""
        );
        assert_eq!(
            grid("maximum_processor_speed=3600,\n", ""),
            "grid_properties.txt: key \"maximum_processor_speed\" is missing"
        );
        assert_eq!(
            grid("maximum_processor_speed", "maximum_resource_bandwidth"),
            "grid_properties.txt, line 11: key \"maximum_resource_bandwidth\" stands on line 3 already"
        );
        assert_eq!(
            grid("maximum_processor_speed=3600", "maximum_processor_speed=1000"),
            "grid_properties.txt: minimum_processor_speed=1200 is above maximum_processor_speed=1000"
        );
        assert_eq!(
            read_jobs(&JOB_FILE.replace("=32", " 32")).unwrap_err().to_string(),
            "job_properties, line 3: no `=` in \"minimum_job_input_volume 32\""
        );
        assert!(read_jobs("zebra=1").unwrap_err().to_string().contains("the first of the file is"));
        assert!(read_users(&USER_FILE.replace("=10\n", "=nan\n")).is_err());
    }
}
