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

/// A property that a file states: a number, or a least and a greatest one.
enum Field<'a> {
    Count(&'a mut u32),
    Counts(&'a mut RangeInclusive<u32>),
    Range(&'a mut RangeInclusive<f64>),
}
use Field::{Count, Counts, Range};

/// The properties of a file in order, each with the word before the name of its greatest value, its name as printed,
/// and where it stands.
struct File<'a> {
    fields: Vec<(&'static str, &'static str, Field<'a>)>,
}

impl File<'_> {
    /// The keys as they are printed and written.
    fn keys(&self) -> Vec<String> {
        let keys = |(most, name, field): &(&str, &str, Field<'_>)| match field {
            Count(_) => vec![(*name).to_owned()],
            Counts(_) | Range(_) => vec![format!("minimum_{name}"), format!("{most}_{name}")],
        };
        self.fields.iter().flat_map(keys).collect()
    }

    /// Sets the properties to what a text says.
    fn read(mut self, text: &str) -> Result<(), WorkloadError> {
        let keys = self.keys();
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
                false => {
                    ("a number above 0, at most 1e60", |number| *number > 0.0 && *number <= MAX_QUANTITY)
                }
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
        let range = |at: usize| match (given[at], given[at + 1]) {
            (min, max) if min > max => {
                Err(wrong(format!("{}={min} is above {}={max}", keys[at], keys[at + 1])))
            }
            (min, max) => Ok(min..=max),
        };
        let mut at = 0;
        for (.., field) in &mut self.fields {
            // Counts are whole and at most 10^6.
            match field {
                Count(count) => **count = given[at] as u32,
                Counts(counts) => {
                    let range = range(at)?;
                    **counts = *range.start() as u32..=*range.end() as u32;
                }
                Range(of) => **of = range(at)?,
            }
            at += if matches!(field, Count(_)) { 1 } else { 2 };
        }
        Ok(())
    }

    fn write(self) -> String {
        let values = self.fields.iter().flat_map(|(_, _, field)| match field {
            Count(count) => vec![f64::from(**count)],
            Counts(range) => vec![f64::from(*range.start()), f64::from(*range.end())],
            Range(range) => vec![*range.start(), *range.end()],
        });
        let lines: Vec<String> =
            self.keys().iter().zip(values).map(|(key, value)| format!("{key}={value}")).collect();
        lines.join(",\n") + "\n"
    }
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

fn grid_file(grid: &mut GridProperties) -> File<'_> {
    let fields = vec![
        ("", "number_of_resources", Count(&mut grid.sites)),
        ("maximum", "resource_bandwidth", Range(&mut grid.bandwidth)),
        ("max", "resource_bandwidth_fail_rate", Range(&mut grid.link_mean_time_to_failure)),
        ("maximum", "number_of_machines_in_each_resource", Counts(&mut grid.machines)),
        ("maximum", "machine_fail_rate", Range(&mut grid.machine_mean_time_to_failure)),
        ("maximum", "processor_speed", Range(&mut grid.speed)),
        ("maximum", "number_of_processors_in_each_machine", Counts(&mut grid.cpus)),
    ];
    File { fields }
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
    let mut grid = GridProperties::default();
    grid_file(&mut grid).read(text).map(|()| grid)
}

/// Writes `grid_properties.txt` (figure 4).
#[must_use]
pub fn write_grid(grid: &GridProperties) -> String {
    grid_file(&mut grid.clone()).write()
}

fn user_file(users: &mut UserProperties) -> File<'_> {
    let fields = vec![
        ("", "number_of_users", Count(&mut users.users)),
        ("maximum", "user_bandwidth_fail_rate", Range(&mut users.link_mean_time_to_failure)),
        ("maximum", "user_bandwidth", Range(&mut users.bandwidth)),
        ("max", "user_quality_of_service", Range(&mut users.qos)),
    ];
    File { fields }
}

/// Reads `user_properties.txt` (figure 5).
///
/// # Errors
/// As for [`read_grid`].
pub fn read_users(text: &str) -> Result<UserProperties, WorkloadError> {
    let mut users = UserProperties::default();
    user_file(&mut users).read(text).map(|()| users)
}

/// Writes `user_properties.txt` (figure 5).
#[must_use]
pub fn write_users(users: &UserProperties) -> String {
    user_file(&mut users.clone()).write()
}

fn job_file(jobs: &mut JobProperties) -> File<'_> {
    let fields = vec![
        ("maximum", "job_length", Range(&mut jobs.length)),
        ("maximum", "job_input_volume", Range(&mut jobs.input)),
    ];
    File { fields }
}

/// Reads `job_properties` (figure 6). Values that the file does not have (number of jobs, arrivals,
/// priorities) keep their defaults.
///
/// # Errors
/// As for [`read_grid`].
pub fn read_jobs(text: &str) -> Result<JobProperties, WorkloadError> {
    let mut jobs = JobProperties::default();
    job_file(&mut jobs).read(text).map(|()| jobs)
}

/// Writes `job_properties` (figure 6): lengths and volumes.
#[must_use]
pub fn write_jobs(jobs: &JobProperties) -> String {
    job_file(&mut jobs.clone()).write()
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
