//! The three property files of Multi-S-Grid: grids, users and jobs by their ranges.
//!
//! Source: A. Raeisi Gahrouei, M. Ghatee, "Auction-based approximate algorithm for Grid system scheduling under
//! resource provider strategies", 2014, figures 4, 5 and 6. The files are read as they are printed, with
//! the keys that are spelt `max_` where the others say `maximum_`; the regular spelling is read too. They are written as
//! printed.
//!
//! A line is `key=value`, with or without a comma at its end; blank lines and blanks around keys and values are
//! skipped. Each key stands once; none may be missing.

use crate::SimError;
use std::fmt;
use std::str::FromStr;

/// Lowest and highest value of a property, both possible.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bounds {
    /// The lowest.
    pub min: f64,
    /// The highest.
    pub max: f64,
}

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
fn read(file: &'static str, keys: &[Key], text: &str) -> Result<Vec<f64>, SimError> {
    let mut values: Vec<Option<(usize, f64)>> = vec![None; keys.len()];
    for (number, line) in text.lines().enumerate() {
        let wrong = |why: String| SimError::Property { file, line: number + 1, why };
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
            Takes::Positive => *number > 0.0 && *number <= sched_model::MAX_QUANTITY,
        };
        let parsed = value.parse::<f64>().ok().filter(fine);
        let parsed = parsed.ok_or_else(|| wrong(format!("{name} must be {expected}, got {value:?}")))?;
        values[at] = Some((number + 1, parsed));
    }
    let missing =
        |key: &Key| SimError::Property { file, line: 0, why: format!("key {:?} is missing", key.name) };
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

fn bounds(file: &'static str, keys: &[Key], values: &[f64], at: usize) -> Result<Bounds, SimError> {
    let (min, max) = (values[at], values[at + 1]);
    if min > max {
        let why = format!("{}={min} is above {}={max}", keys[at].name, keys[at + 1].name);
        return Err(SimError::Property { file, line: 0, why });
    }
    Ok(Bounds { min, max })
}

fn write(f: &mut fmt::Formatter<'_>, keys: &[Key], values: &[f64]) -> fmt::Result {
    for (at, (key, value)) in keys.iter().zip(values).enumerate() {
        writeln!(f, "{}={value}{}", key.name, if at + 1 < keys.len() { "," } else { "" })?;
    }
    Ok(())
}

/// A property file: its struct with a count first where there is one, then bounds, in the order of its keys.
macro_rules! property_file {
    (
        $(#[$doc:meta])* $name:ident, $file:literal, $keys:ident = [$($key:expr),* $(,)?];
        $(count $count:ident: $count_doc:literal,)?
        $(bounds $field:ident: $field_doc:literal at $at:literal,)*
    ) => {
        const $keys: &[Key] = &[$($key),*];

        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        pub struct $name {
            $(#[doc = $count_doc] pub $count: u32,)?
            $(#[doc = $field_doc] pub $field: Bounds,)*
        }

        impl FromStr for $name {
            type Err = SimError;
            fn from_str(text: &str) -> Result<Self, SimError> {
                let values = read($file, $keys, text)?;
                Ok(Self {
                    // Counts are whole and at most 10^6.
                    $($count: values[0] as u32,)?
                    $($field: bounds($file, $keys, &values, $at)?,)*
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut values = Vec::new();
                $(values.push(f64::from(self.$count));)?
                $(values.extend([self.$field.min, self.$field.max]);)*
                write(f, $keys, &values)
            }
        }
    };
}

property_file!(
    /// `grid_properties.txt` (figure 4): sites, their links and machines.
    ///
    /// "Fail rates" are mean times to failure in seconds, in spite of the word: larger is better.
    GridFile, "grid_properties.txt", GRID_KEYS = [
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
    count resources: "Number of sites.",
    bounds bandwidth: "Rate of a site's link, KB/s." at 1,
    bounds link_mean_time_to_failure: "Mean time to failure of a site's link, s." at 3,
    bounds machines: "Machines of a site." at 5,
    bounds machine_mean_time_to_failure: "Mean time to failure of a machine, s." at 7,
    bounds speed: "Speed of a processor, MIPS." at 9,
    bounds processors: "Processors of a machine." at 11,
);

property_file!(
    /// `user_properties.txt` (figure 5): users and their links.
    UserFile, "user_properties.txt", USER_KEYS = [
        key("number_of_users", Takes::Count),
        key("minimum_user_bandwidth_fail_rate", Takes::Positive),
        key("maximum_user_bandwidth_fail_rate", Takes::Positive),
        key("minimum_user_bandwidth", Takes::Positive),
        key("maximum_user_bandwidth", Takes::Positive),
        key("minimum_user_quality_of_service", Takes::Positive),
        odd("max_user_quality_of_service", "maximum_user_quality_of_service", Takes::Positive),
    ];
    count users: "Number of users.",
    bounds link_mean_time_to_failure: "Mean time to failure of a user's link, s." at 1,
    bounds bandwidth: "Rate of a user's link, KB/s." at 3,
    bounds qos: "Quality of service of a user." at 5,
);

property_file!(
    /// `job_properties` (figure 6): lengths and volumes of jobs.
    JobFile, "job_properties", JOB_KEYS = [
        key("minimum_job_length", Takes::Positive),
        key("maximum_job_length", Takes::Positive),
        key("minimum_job_input_volume", Takes::Positive),
        key("maximum_job_input_volume", Takes::Positive),
    ];
    bounds length: "Length of a job, MI." at 0,
    bounds volume: "Input of a job, KB." at 2,
);

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: &str = "number_of_resources=3,\nminimum_resource_bandwidth=32,\nmaximum_resource_bandwidth=512,\n\
        minimum_resource_bandwidth_fail_rate=30,\nmax_resource_bandwidth_fail_rate=120,\n\
        minimum_number_of_machines_in_each_resource=1,\nmaximum_number_of_machines_in_each_resource=4,\n\
        minimum_machine_fail_rate=15,\nmaximum_machine_fail_rate=90,\nminimum_processor_speed=1200,\n\
        maximum_processor_speed=3600,\nminimum_number_of_processors_in_each_machine=1,\n\
        maximum_number_of_processors_in_each_machine=8\n";
    const USERS: &str = "number_of_users=10,\nminimum_user_bandwidth_fail_rate=20,\n\
        maximum_user_bandwidth_fail_rate=100,\nminimum_user_bandwidth=16,\nmaximum_user_bandwidth=512,\n\
        minimum_user_quality_of_service=2,\nmax_user_quality_of_service=10\n";
    const JOBS: &str = "minimum_job_length=1200,\nmaximum_job_length=12000,\nminimum_job_input_volume=32,\n\
        maximum_job_input_volume=1024\n";

    #[test]
    fn the_printed_files_are_read_and_written_as_they_stand() {
        let grid: GridFile = GRID.parse().unwrap();
        assert_eq!((grid.resources, grid.speed), (3, Bounds { min: 1200.0, max: 3600.0 }));
        assert_eq!(grid.link_mean_time_to_failure, Bounds { min: 30.0, max: 120.0 });
        assert_eq!(grid.processors, Bounds { min: 1.0, max: 8.0 });
        assert_eq!(grid.to_string(), GRID);
        let users: UserFile = USERS.parse().unwrap();
        assert_eq!((users.users, users.qos), (10, Bounds { min: 2.0, max: 10.0 }));
        assert_eq!(users.bandwidth, Bounds { min: 16.0, max: 512.0 });
        assert_eq!(users.to_string(), USERS);
        let jobs: JobFile = JOBS.parse().unwrap();
        assert_eq!((jobs.length.max, jobs.volume.min), (12000.0, 32.0));
        assert_eq!(jobs.to_string(), JOBS);
    }

    #[test]
    fn the_regular_spelling_other_orders_and_blanks_are_read_too() {
        let grid: GridFile = GRID.parse().unwrap();
        let text =
            GRID.replace("max_resource", "maximum_resource").replace('=', " = ").replace(",\n", "\r\n\n");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.reverse();
        assert_eq!(lines.join("\n").parse::<GridFile>().unwrap(), grid);
    }

    #[test]
    fn errors_name_file_line_key_and_value() {
        let grid = |from: &str, to: &str| GRID.replace(from, to).parse::<GridFile>().unwrap_err().to_string();
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
            JOBS.replace("=32", " 32").parse::<JobFile>().unwrap_err().to_string(),
            "job_properties, line 3: no `=` in \"minimum_job_input_volume 32\""
        );
        assert!("zebra=1".parse::<JobFile>().unwrap_err().to_string().contains("the first of the file is"));
        assert!(USERS.replace("=10\n", "=nan\n").parse::<UserFile>().is_err());
    }
}
