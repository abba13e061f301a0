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

/// A property file: its name, and its keys as they are printed and written.
struct File {
    name: &'static str,
    keys: &'static [&'static str],
}

impl File {
    fn wrong(&self, line: usize, why: String) -> WorkloadError {
        WorkloadError::Property { file: self.name, line, why }
    }

    /// The place of a key, in its printed or its regular spelling.
    fn place(&self, name: &str) -> Option<usize> {
        let regular = |key: &str| key.strip_prefix("max_") == name.strip_prefix("maximum_");
        self.keys.iter().position(|&key| key == name || (key.starts_with("max_") && regular(key)))
    }

    /// The values of the keys, in their order.
    fn read(&self, text: &str) -> Result<Vec<f64>, WorkloadError> {
        let mut values: Vec<Option<(usize, f64)>> = vec![None; self.keys.len()];
        for (line, number) in text.lines().zip(1..) {
            let wrong = |why: String| self.wrong(number, why);
            let line = line.trim_start_matches('\u{feff}').trim();
            let line = line.strip_suffix(',').unwrap_or(line).trim_end();
            if line.is_empty() {
                continue;
            }
            let (name, value) = line.split_once('=').ok_or_else(|| wrong(format!("no `=` in {line:?}")))?;
            let (name, value) = (name.trim(), value.trim());
            let Some(at) = self.place(name) else {
                return Err(wrong(format!("unknown key {name:?}; {}", self.nearest(name))));
            };
            if let Some((first, _)) = values[at] {
                return Err(wrong(format!("key {name:?} stands on line {first} already")));
            }
            let (expected, fits): (&str, fn(&f64) -> bool) = match self.keys[at].contains("number_of") {
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
        let missing = |key: &&str| self.wrong(0, format!("key {key:?} is missing"));
        let given = values.iter().zip(self.keys);
        given.map(|(value, key)| value.map(|(_, value)| value).ok_or_else(|| missing(key))).collect()
    }

    /// The known key that shares most words with `name`, of equal ones the first.
    fn nearest(&self, name: &str) -> String {
        let shared =
            |key: &&&str| name.split('_').filter(|word| key.split('_').any(|known| known == *word)).count();
        match self.keys.iter().rev().max_by_key(shared).filter(|key| shared(key) > 0) {
            Some(key) => format!("did you mean {key:?}?"),
            None => format!("the first of the file is {:?}", self.keys[0]),
        }
    }

    /// The range whose minimum is the value at `at`; its maximum follows.
    fn range(&self, values: &[f64], at: usize) -> Result<RangeInclusive<f64>, WorkloadError> {
        let (min, max) = (values[at], values[at + 1]);
        if min > max {
            let why = format!("{}={min} is above {}={max}", self.keys[at], self.keys[at + 1]);
            return Err(self.wrong(0, why));
        }
        Ok(min..=max)
    }

    /// A range of counts: they are whole and at most 10^6.
    fn counts(&self, values: &[f64], at: usize) -> Result<RangeInclusive<u32>, WorkloadError> {
        let range = self.range(values, at)?;
        Ok(*range.start() as u32..=*range.end() as u32)
    }

    fn write(&self, values: impl IntoIterator<Item = f64>) -> String {
        let lines: Vec<String> =
            self.keys.iter().zip(values).map(|(key, value)| format!("{key}={value}")).collect();
        lines.join(",\n") + "\n"
    }
}

fn both_ends(range: &RangeInclusive<f64>) -> [f64; 2] {
    [*range.start(), *range.end()]
}

fn counts(range: &RangeInclusive<u32>) -> [f64; 2] {
    [f64::from(*range.start()), f64::from(*range.end())]
}

const GRID: File = File {
    name: "grid_properties.txt",
    keys: &[
        "number_of_resources",
        "minimum_resource_bandwidth",
        "maximum_resource_bandwidth",
        "minimum_resource_bandwidth_fail_rate",
        "max_resource_bandwidth_fail_rate",
        "minimum_number_of_machines_in_each_resource",
        "maximum_number_of_machines_in_each_resource",
        "minimum_machine_fail_rate",
        "maximum_machine_fail_rate",
        "minimum_processor_speed",
        "maximum_processor_speed",
        "minimum_number_of_processors_in_each_machine",
        "maximum_number_of_processors_in_each_machine",
    ],
};

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
    let values = GRID.read(text)?;
    let range = |at| GRID.range(&values, at);
    Ok(GridProperties::default()
        .with_sites(values[0] as u32)
        .with_bandwidth(range(1)?)
        .with_link_mean_time_to_failure(range(3)?)
        .with_machines(GRID.counts(&values, 5)?)
        .with_machine_mean_time_to_failure(range(7)?)
        .with_speed(range(9)?)
        .with_cpus(GRID.counts(&values, 11)?))
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
    GRID.write([f64::from(grid.sites)].into_iter().chain(ranges.into_iter().flatten()))
}

const USERS: File = File {
    name: "user_properties.txt",
    keys: &[
        "number_of_users",
        "minimum_user_bandwidth_fail_rate",
        "maximum_user_bandwidth_fail_rate",
        "minimum_user_bandwidth",
        "maximum_user_bandwidth",
        "minimum_user_quality_of_service",
        "max_user_quality_of_service",
    ],
};

/// Reads `user_properties.txt` (figure 5).
///
/// # Errors
/// As for [`read_grid`].
pub fn read_users(text: &str) -> Result<UserProperties, WorkloadError> {
    let values = USERS.read(text)?;
    let range = |at| USERS.range(&values, at);
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
    USERS.write([f64::from(users.users)].into_iter().chain(ranges.into_iter().flatten()))
}

const JOBS: File = File {
    name: "job_properties",
    keys: &[
        "minimum_job_length",
        "maximum_job_length",
        "minimum_job_input_volume",
        "maximum_job_input_volume",
    ],
};

/// Reads `job_properties` (figure 6). Values that the file does not have (number of jobs, arrivals,
/// priorities) keep their defaults.
///
/// # Errors
/// As for [`read_grid`].
pub fn read_jobs(text: &str) -> Result<JobProperties, WorkloadError> {
    let values = JOBS.read(text)?;
    let range = |at| JOBS.range(&values, at);
    Ok(JobProperties::default().with_length(range(0)?).with_input(range(2)?))
}

/// Writes `job_properties` (figure 6): lengths and volumes.
#[must_use]
pub fn write_jobs(jobs: &JobProperties) -> String {
    JOBS.write([both_ends(&jobs.length), both_ends(&jobs.input)].into_iter().flatten())
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
