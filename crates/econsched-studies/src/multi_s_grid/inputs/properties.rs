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
use econsched::sched_model::MAX_QUANTITY;
use econsched::workload_gen::WorkloadError;
use std::ops::RangeInclusive;

/// A property of a file: the word before the name of its greatest value, none where it is one number; its name as
/// printed; and its values.
type Property = (&'static str, &'static str, RangeInclusive<f64>);

/// The keys of a file as they are printed and written, each with its value.
fn lines(file: &[Property]) -> Vec<(String, f64)> {
    let of = |(most, name, range): &Property| match *most {
        "" => vec![((*name).to_owned(), *range.start())],
        _ => vec![(format!("minimum_{name}"), *range.start()), (format!("{most}_{name}"), *range.end())],
    };
    file.iter().flat_map(of).collect()
}

/// The values of these properties that a text says.
fn read<const N: usize>(file: [Property; N], text: &str) -> Result<[RangeInclusive<f64>; N], WorkloadError> {
    let keys: Vec<String> = lines(&file).into_iter().map(|(key, _)| key).collect();
    let mut values: Vec<Option<(u64, f64)>> = vec![None; keys.len()];
    for (line, number) in text.lines().zip(1..) {
        let wrong = |why: String| WorkloadError::Table { line: number, why };
        let line = line.trim_start_matches('\u{feff}').trim();
        let line = line.strip_suffix(',').unwrap_or(line).trim_end();
        if line.is_empty() {
            continue;
        }
        let (name, value) = line.split_once('=').ok_or_else(|| wrong(format!("no `=` in {line:?}")))?;
        let (name, value) = (name.trim(), value.trim());
        let Some(at) = place(&keys, name) else {
            return Err(wrong(format!("unknown key {name:?}; {}", nearest(&keys, name))));
        };
        if let Some((first, _)) = values[at] {
            return Err(wrong(format!("key {name:?} stands on line {first} already")));
        }
        let (expected, fits): (&str, fn(&f64) -> bool) = match keys[at].contains("number_of") {
            true => ("a whole number from 1 to 1000000", |number| {
                (1.0..=1e6).contains(number) && number.fract() == 0.0
            }),
            false => ("a number above 0, at most 1e60", |number| *number > 0.0 && *number <= MAX_QUANTITY),
        };
        let parsed = value.parse::<f64>().ok().filter(fits);
        let parsed = parsed.ok_or_else(|| wrong(format!("{name} must be {expected}, got {value:?}")))?;
        values[at] = Some((number, parsed));
    }
    let wrong = |why: String| WorkloadError::Table { line: 0, why };
    let missing = |key: &String| wrong(format!("key {key:?} is missing"));
    let given = values.iter().zip(&keys);
    let given = given.map(|(value, key)| value.map(|(_, value)| value).ok_or_else(|| missing(key)));
    let given = given.collect::<Result<Vec<f64>, _>>()?;
    let mut ends = keys.iter().zip(given);
    let mut ranges = file.each_ref().map(|(.., range)| range.clone());
    for (range, (most, ..)) in ranges.iter_mut().zip(&file) {
        let Some((key, least)) = ends.next() else { continue };
        let (last, greatest) =
            if most.is_empty() { (key, least) } else { ends.next().unwrap_or((key, least)) };
        if least > greatest {
            return Err(wrong(format!("{key}={least} is above {last}={greatest}")));
        }
        *range = least..=greatest;
    }
    Ok(ranges)
}

fn write(file: &[Property]) -> String {
    let lines = lines(file).into_iter().map(|(key, value)| format!("{key}={value}"));
    lines.collect::<Vec<_>>().join(",\n") + "\n"
}

/// Counts, which are whole and at most 10^6, from numbers and back.
fn counts(range: &RangeInclusive<f64>) -> RangeInclusive<u32> {
    *range.start() as u32..=*range.end() as u32
}

fn numbers(range: &RangeInclusive<u32>) -> RangeInclusive<f64> {
    f64::from(*range.start())..=f64::from(*range.end())
}

/// The place of a key, in its printed or its regular spelling.
fn place(keys: &[String], name: &str) -> Option<usize> {
    let regular = |key: &str| key.strip_prefix("max_") == name.strip_prefix("maximum_");
    keys.iter().position(|key| key == name || (key.starts_with("max_") && regular(key)))
}

/// The known key that shares most words with `name`, of equal ones the first.
fn nearest(keys: &[String], name: &str) -> String {
    let shared =
        |key: &&String| name.split('_').filter(|word| key.split('_').any(|known| known == *word)).count();
    match keys.iter().rev().max_by_key(shared).filter(|key| shared(key) > 0) {
        Some(key) => format!("did you mean {key:?}?"),
        None => format!("the first of the file is {:?}", keys[0]),
    }
}

fn grid_file(grid: &GridProperties) -> [Property; 7] {
    [
        ("", "number_of_resources", numbers(&(grid.sites..=grid.sites))),
        ("maximum", "resource_bandwidth", grid.bandwidth.clone()),
        ("max", "resource_bandwidth_fail_rate", grid.link_mean_time_to_failure.clone()),
        ("maximum", "number_of_machines_in_each_resource", numbers(&grid.machines)),
        ("maximum", "machine_fail_rate", grid.machine_mean_time_to_failure.clone()),
        ("maximum", "processor_speed", grid.speed.clone()),
        ("maximum", "number_of_processors_in_each_machine", numbers(&grid.cpus)),
    ]
}

/// Reads `grid_properties.txt` (figure 4).
///
/// # Errors
/// [`WorkloadError::Table`] with the line, the key and the value at fault.
///
/// ```
/// use econsched_studies::multi_s_grid::{GridProperties, read_grid, write_grid};
/// let text = write_grid(&GridProperties::default()); // the figure
/// assert!(text.starts_with("number_of_resources=3,\nminimum_resource_bandwidth=32,\n"));
/// assert_eq!(read_grid(&text)?, GridProperties::default());
/// let error = read_grid(&text.replace("=32", "=fast")).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 2: minimum_resource_bandwidth must be a number above 0, at most 1e60, \
///      got \"fast\""
/// );
/// # Ok::<(), econsched::workload_gen::WorkloadError>(())
/// ```
pub fn read_grid(text: &str) -> Result<GridProperties, WorkloadError> {
    let [sites, bandwidth, link_mean_time_to_failure, machines, machine_mean_time_to_failure, speed, cpus] =
        read(grid_file(&GridProperties::default()), text)?;
    let ((sites, _), machines, cpus) = (counts(&sites).into_inner(), counts(&machines), counts(&cpus));
    Ok(GridProperties {
        sites,
        bandwidth,
        link_mean_time_to_failure,
        machines,
        machine_mean_time_to_failure,
        speed,
        cpus,
    })
}

/// Writes `grid_properties.txt` (figure 4).
#[must_use]
pub fn write_grid(grid: &GridProperties) -> String {
    write(&grid_file(grid))
}

fn user_file(users: &UserProperties) -> [Property; 4] {
    [
        ("", "number_of_users", numbers(&(users.users..=users.users))),
        ("maximum", "user_bandwidth_fail_rate", users.link_mean_time_to_failure.clone()),
        ("maximum", "user_bandwidth", users.bandwidth.clone()),
        ("max", "user_quality_of_service", users.qos.clone()),
    ]
}

/// Reads `user_properties.txt` (figure 5).
///
/// # Errors
/// As for [`read_grid`].
pub fn read_users(text: &str) -> Result<UserProperties, WorkloadError> {
    let [users, link_mean_time_to_failure, bandwidth, qos] =
        read(user_file(&UserProperties::default()), text)?;
    let (users, _) = counts(&users).into_inner();
    Ok(UserProperties { users, bandwidth, link_mean_time_to_failure, qos })
}

/// Writes `user_properties.txt` (figure 5).
#[must_use]
pub fn write_users(users: &UserProperties) -> String {
    write(&user_file(users))
}

fn job_file(jobs: &JobProperties) -> [Property; 2] {
    [("maximum", "job_length", jobs.length.clone()), ("maximum", "job_input_volume", jobs.input.clone())]
}

/// Reads `job_properties` (figure 6). Values that the file does not have (number of jobs, arrivals,
/// priorities) keep their defaults.
///
/// # Errors
/// As for [`read_grid`].
pub fn read_jobs(text: &str) -> Result<JobProperties, WorkloadError> {
    let jobs = JobProperties::default();
    let [length, input] = read(job_file(&jobs), text)?;
    Ok(jobs.with_length(length).with_input(input))
}

/// Writes `job_properties` (figure 6): lengths and volumes.
#[must_use]
pub fn write_jobs(jobs: &JobProperties) -> String {
    write(&job_file(jobs))
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
    fn errors_name_line_key_and_value() {
        let grid = |from: &str, to: &str| read_grid(&GRID_FILE.replace(from, to)).unwrap_err().to_string();
        assert_eq!(
            grid("minimum_processor_speed=1200", "min_processor_speed=1200"),
            "line 10: unknown key \"min_processor_speed\"; \
             did you mean \"minimum_processor_speed\"?"
        );
        assert_eq!(
            grid("number_of_resources=3", "number_of_resources=2.5"),
            "line 1: number_of_resources must be a whole number from 1 to 1000000, got \"2.5\""
        );
        assert_eq!(
            grid("machine_fail_rate=15", "machine_fail_rate=-15"),
            "line 8: minimum_machine_fail_rate must be a number above 0, at most 1e60, \
             got \"-15\""
        );
        assert_eq!(grid("maximum_processor_speed=3600,\n", ""), "key \"maximum_processor_speed\" is missing");
        assert_eq!(
            grid("maximum_processor_speed", "maximum_resource_bandwidth"),
            "line 11: key \"maximum_resource_bandwidth\" stands on line 3 already"
        );
        assert_eq!(
            grid("maximum_processor_speed=3600", "maximum_processor_speed=1000"),
            "minimum_processor_speed=1200 is above maximum_processor_speed=1000"
        );
        assert_eq!(
            read_jobs(&JOB_FILE.replace("=32", " 32")).unwrap_err().to_string(),
            "line 3: no `=` in \"minimum_job_input_volume 32\""
        );
        assert!(read_jobs("zebra=1").unwrap_err().to_string().contains("the first of the file is"));
        assert!(read_users(&USER_FILE.replace("=10\n", "=nan\n")).is_err());
    }
}
