//! Cells and their values.

use super::*;
use workload_gen::convert::{BatsimHost, read_batsim_platform, write_batsim_platform};

/// The seconds of an instant since 1970, or since the start of the log.
fn instant(text: &str) -> Option<f64> {
    let conversion = Format::Csv(&[]).read(&format!("job;submit\n1;{text}\n")).unwrap();
    let start = conversion.log.header.unix_start_time().unwrap_or(0);
    Some(conversion.log.records.first()?.submit? + start as f64)
}

#[test]
fn instants() {
    assert_eq!(instant("1970-01-01T00:00:00"), Some(0.0));
    assert_eq!(instant("2000-02-29 12:30:05.25Z"), Some(951_827_405.25));
    assert_eq!(instant("2024-05-01T08:00:00"), Some(1_714_550_400.0));
    assert_eq!(instant("1969-12-31T23:59"), Some(-60.0));
    for wrong in
        ["", "2023-02-29T00:00:00", "2024-13-01T00:00:00", "2024-05-01", "2024-05-01T24:00:00", "Unknown"]
    {
        assert_eq!(instant(wrong), None, "{wrong}");
    }
}

/// The value of a cell in this column, or the reason why it cannot be read.
fn cell<T>(column: &str, text: &str, of: impl Fn(&SwfRecord) -> Option<T>) -> Result<Option<T>, DropReason> {
    let mut conversion = Format::Csv(&[]).read(&format!("job;submit;{column}\n1;0;{text}\n")).unwrap();
    match conversion.report.dropped.pop() {
        Some(dropped) => Err(dropped.reason),
        None => Ok(of(&conversion.log.records[0])),
    }
}

#[test]
fn durations() {
    let duration = |text: &str| cell("runtime", text, |record| record.runtime);
    for (text, seconds) in [
        ("1-02:03:04", 93_784.0),
        ("02:03:04", 7384.0),
        ("03:04", 184.0),
        ("2-06", 194_400.0),
        ("1-00:30", 88_200.0),
        ("1-00:00:00", 86_400.0),
        ("00:00.512", 0.512),
        ("5", 5.0),
        ("12.5", 12.5),
        ("1e-3", 1e-3),
    ] {
        assert_eq!(duration(text), Ok(Some(seconds)), "{text}");
    }
    for absent in ["", "-1", "-1.0", "UNLIMITED"] {
        assert_eq!(duration(absent), Ok(None), "{absent}");
    }
    for wrong in ["1:2:3:4", "-1:00:00", "1-", "a:b", "-2"] {
        assert!(duration(wrong).is_err(), "{wrong}");
    }
    // Memory is not a duration.
    assert!(cell("memory", "1:00", |record| record.memory).is_err());
}

#[test]
fn counts() {
    let count = |text: &str| cell("cpus", text, |record| record.requested_processors);
    assert_eq!((count("4.0"), count("4")), (Ok(Some(4)), Ok(Some(4))));
    let text = |text: &str| text.to_owned();
    let large = "99999999999999999999";
    assert_eq!(count(large), Err(DropReason::TooLarge { text: text(large) }));
    assert_eq!(count("1.5"), Err(DropReason::NotWhole { text: text("1.5") }));
    assert_eq!(count("-3"), Err(DropReason::Negative { text: text("-3") }));
    // A message contains no control characters.
    assert_eq!(count("\u{1b}[31m"), Err(DropReason::NotANumber { text: text("[31m") }));
}

#[test]
fn memory_and_states_of_slurm() {
    let memory = |text: &str| {
        let table = format!("JobIDRaw|Submit|AllocCPUS|ReqMem\n1|0|2|{text}\n");
        Format::Sacct.read(&table).unwrap().log.records[0].requested_memory
    };
    assert_eq!((memory("4000Mc"), memory("2G")), (Some(4_096_000.0), Some(1_048_576.0)));
    assert_eq!([memory("2Gn"), memory("2X"), memory("G"), memory("-1G")], [None; 4]);
    let status = |text: &str| {
        let conversion = Format::Sacct.read(&format!("JobIDRaw|Submit|State\n1|0|{text}\n")).unwrap();
        (conversion.log.records[0].status, conversion.report.lost_values)
    };
    assert_eq!(status("CANCELLED by 1000"), (Some(5), 0));
    assert_eq!((status("RUNNING"), status("DANCING")), ((None, 0), (None, 1)));
}

/// The names of users in the comments.
fn users(text: &str) -> Vec<String> {
    let conversion = Format::Csv(&[]).read(&format!("job,user,submit\n{text}")).unwrap();
    conversion.log.header.get_all("User").map(str::to_owned).collect()
}

#[test]
fn quotes_blanks_and_marks() {
    assert_eq!(users("\n1,\"x, \"\"y\"\"\n2\", 3\r\n"), ["1 x, \"y\"2"]);
    assert_eq!(users("1,5\" disk,3"), ["1 5\" disk"]);
    let marked = Format::Csv(&[]).read("\u{feff}job, submit\r\n\n1, 2 \n").unwrap();
    assert_eq!(marked.log.records[0].submit, Some(2.0));
    // The reported line of a row is the one on which the row begins.
    let conversion = Format::Csv(&[]).read("\n\njob,submit,user\n\n1,0,\"a\nb\"\n2,3\n,,\n").unwrap();
    assert_eq!(
        told(&conversion),
        [
            "line 7: 2 cells where there are 3 columns; line dropped",
            "line 8, column 1 (job): missing; line dropped"
        ]
    );
}

#[test]
fn rows_end() {
    let wrong = |text: &str| Format::Csv(&[]).read(text).unwrap_err().to_string();
    assert_eq!(wrong("job,submit\n\"1,2\n"), "line 2: a quoted cell without an end");
    let long = format!("job,submit\n1,{}\n", "x".repeat((1 << 20) + 10));
    assert_eq!(wrong(&long), "line 2: a row of more than 1048576 bytes");
}

#[test]
fn brackets_stand_for_numbers() {
    let names = |list: &str| {
        let table = format!("JOBID|SUBMIT_TIME|NODELIST\n1|0|{list}\n");
        let conversion = Format::Squeue.read(&table).unwrap();
        conversion.report.is_clean().then(|| conversion.held[0].clone())
    };
    assert_eq!(names("n1").unwrap(), ["n1"]);
    assert_eq!(names("n[1-3,7],login").unwrap(), ["n1", "n2", "n3", "n7", "login"]);
    assert_eq!(names("r[1-2]n[08-10]x").unwrap()[..4], ["r1n08x", "r1n09x", "r1n10x", "r2n08x"]);
    assert_eq!(names("").unwrap(), Vec::<String>::new());
    for wrong in ["n[1", "n1]", "n[a-b]", "n[3-1]", "n[1-999999]", "n1,,n2", "n[1-1000]m[1-1000]"] {
        assert_eq!(names(wrong), None, "{wrong}");
    }
}

#[test]
fn hosts_and_their_roles() {
    let text = "<platform>\n<host id='a&amp;b' speed='1f, 2f'><prop id='role' value='>'/><prop id='x' value='master'/></host>\n\
                <host id=\"boss\" speed=\"1Gf\"><prop id=\"role\" value=\"master\"/></host>\n\
                <host id='c' speed='3Mf'/><prop id='role' value='master'/></platform>";
    let hosts = read_batsim_platform(text).unwrap();
    let seen: Vec<_> = hosts.iter().map(|host| (host.name.as_str(), host.speed)).collect();
    assert_eq!(seen, [("a&b", 1.0), ("c", 3e6)]);
    assert_eq!(read_batsim_platform(&write_batsim_platform(&hosts).unwrap()).unwrap(), hosts);
}

#[test]
fn what_is_no_platform_is_told_with_its_line() {
    let wrong = |text: &str| read_batsim_platform(text).unwrap_err().to_string();
    assert_eq!(wrong("<platform/>"), "line 1: a platform without hosts");
    assert_eq!(wrong("\n<host id='a'/>"), "line 2: host without speed");
    assert_eq!(wrong("\n<host id='a' speed='fast'/>"), "line 2: speed \"fast\" is none, such as 2.5Gf");
    assert!(wrong("<host id='a' speed='1f'").starts_with("line 1: "));
    assert!(wrong("<site>\n<host id='a' speed='1f'>\n</site>").starts_with("line 3: "));
    assert!(wrong("<!-- x").starts_with("line 1: "));
    assert!(wrong("\n<host id=a speed='1f'/>").starts_with("line 2: "));
    for radical in ["5-1", "x", "0-99999999999", ""] {
        let text = format!("<cluster prefix='n' radical='{radical}' speed='1f'/>");
        assert!(wrong(&text).starts_with("line 1: "), "{radical}");
    }
    assert!(write_batsim_platform(&[BatsimHost { name: "a".to_owned(), speed: 0.0 }]).is_err());
}
