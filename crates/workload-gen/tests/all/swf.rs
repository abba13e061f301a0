//! The Standard Workload Format: hand-made fixtures, generated logs, and a real log if it is available.

use crate::{fixture, written};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use workload_gen::WorkloadError;
use workload_gen::swf::{SwfHeader, SwfLog, SwfReader, SwfRecord, SwfReport, write};

const RECORD: &str = "1 0 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n";

/// Bytes of a line at most.
const MAX_LINE: usize = 1 << 20;

fn read(name: &str) -> (SwfLog, SwfReport) {
    SwfLog::read(fixture(name).as_bytes()).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// `convert.txt` shows all records, of `broken.swf` too, with what is lost of them.
#[test]
fn fields_and_comments_of_a_messy_log() {
    let (log, _) = read("messy.swf");
    assert_eq!((log.header.max_procs(), log.header.unix_start_time()), (Some(128), Some(843_480_031)));
    assert_eq!(log.header.get_all("maxnodes").next(), Some("64 (2 CPUs each)"));
    assert_eq!(log.header.lines()[3], "              http://example.org/two");
    assert_eq!((log.records[2].start(), log.records[4].processors()), (Some(55.0), Some(2)));
    let (_, report) = read("broken.swf");
    assert_eq!((report.lost_lines, report.lost_values), (3, 4));
}

#[test]
fn strict_refuses_at_the_first_loss() {
    fn strict(text: &str) -> SwfReader<'_> {
        let mut reader = SwfReader::new(text.as_bytes()).unwrap();
        reader.strict = true;
        reader
    }
    let (broken, messy) = (fixture("broken.swf"), fixture("messy.swf"));
    let error = strict(&broken).into_log().unwrap_err();
    assert_eq!(error.to_string(), "log refused: line 2: 4 fields where 18 are needed; line dropped");
    assert!(strict(&messy).into_log().is_ok());
    // After the refusal, the reader ends.
    let mut reader = strict(&broken);
    assert!(reader.next().unwrap().is_ok());
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}

#[test]
fn gzip_is_told_by_its_bytes() {
    let (plain, expected) = (fixture("messy.swf").into_bytes(), read("messy.swf"));
    assert_eq!(SwfLog::read(&gzip(&plain)[..]).unwrap(), expected);
    // Two gzip members, split within a line.
    let mut two = gzip(&plain[..700]);
    two.extend(gzip(&plain[700..]));
    assert_eq!(SwfLog::read(&two[..]).unwrap(), expected);
    // A truncated file is an error, not a short log.
    let whole = gzip(&plain);
    let error = SwfLog::read(&whole[..whole.len() - 20]).unwrap_err();
    assert!(matches!(error, WorkloadError::Io { .. }), "{error}");
    assert!(SwfLog::read(&[0x1f, 0x8b][..]).is_err());
    assert_eq!(SwfLog::read(&[][..]).unwrap().0, SwfLog::default());
    assert_eq!(SwfLog::read(&[0x1f][..]).unwrap().1.lost_lines, 1);
}

#[test]
fn line_ends_marks_and_encodings() {
    let unix = fixture("messy.swf");
    for other in [unix.replace('\n', "\r\n"), format!("\u{feff}{unix}")] {
        assert_eq!(SwfLog::read(other.as_bytes()).unwrap(), read("messy.swf"));
    }

    let latin = b"; Installation: Universit\xe9\n; Note: \xc3\xa9\n";
    let (log, report) = SwfLog::read(&latin[..]).unwrap();
    assert!(report.dropped.is_empty());
    assert_eq!(log.header.get_all("Installation").next(), Some("Universit\u{e9}"));
    assert_eq!(log.header.get_all("Note").next(), Some("\u{e9}"));
    assert_eq!(SwfLog::read(written(&log).as_bytes()).unwrap().0, log);
}

#[test]
fn an_endless_line_is_dropped_and_the_next_one_read() {
    for (length, fits) in
        [(MAX_LINE - 1, true), (MAX_LINE, true), (MAX_LINE + 1, false), (3 * MAX_LINE, false)]
    {
        let text = format!(";{}\n{RECORD}", "x".repeat(length - 1));
        let (log, report) = SwfLog::read(text.as_bytes()).unwrap();
        assert_eq!(log.records.len(), 1);
        assert_eq!(report.lost_lines, u64::from(!fits), "{length}");
        assert_eq!(log.header.lines().len(), usize::from(fits), "{length}");
    }
}

#[test]
fn the_report_stays_small() {
    let text = "rubbish\n".repeat(10_005);
    let (_, report) = SwfLog::read(text.as_bytes()).unwrap();
    assert_eq!(report.dropped.len(), 10_000);
    assert_eq!(report.lost_lines, 10_005);
}

#[test]
fn the_writer_refuses_what_could_not_be_read_back() {
    let none = SwfRecord::default;
    for (record, why) in [
        (
            SwfRecord { runtime: Some(f64::NAN), ..none() },
            "run time is NaN; it must be a finite number, not negative",
        ),
        (SwfRecord { wait: Some(-1.0), ..none() }, "wait time is -1;"),
        (SwfRecord { extra: vec!["a b".into()], ..none() }, "extra"),
        (SwfRecord { extra: vec![String::new()], ..none() }, "extra"),
    ] {
        let log = SwfLog { header: SwfHeader::default(), records: vec![record] };
        let error = write(&mut Vec::new(), &log.header, &log.records).unwrap_err().to_string();
        assert!(error.starts_with(why), "{error}");
    }
    // A header line pushed by hand cannot contain a second line.
    let mut header = SwfHeader::default();
    header.push("MaxProcs: 64");
    header.push("MaxProcs: 128");
    assert_eq!(header.max_procs(), Some(64)); // the first counts
    let mut header = SwfHeader::default();
    header.push("Note: one\n1 2 3");
    assert_eq!(written(&SwfLog { header, records: Vec::new() }), ";Note: one 1 2 3\n");
}

#[test]
fn records_become_jobs() {
    let (job, submit, runtime) = (Some(9), Some(5.5), Some(40.0));
    let record = SwfRecord { job, submit, runtime, allocated: Some(3), ..SwfRecord::default() };
    let job = record.to_job().unwrap().unwrap();
    assert_eq!((job.id.0, job.user.0, job.submit.get()), (9, 0, 5.5));
    assert_eq!((job.request.nodes(), job.request.work().get()), (3, 40.0));
    // The requested number of processors has priority over the allocated one.
    let asked = SwfRecord { requested_processors: Some(4), requested_time: Some(60.0), ..record.clone() };
    let job = asked.to_job().unwrap().unwrap();
    assert_eq!((job.request.nodes(), job.request.work().get()), (4, 60.0));
    for missing in [
        SwfRecord { job: None, ..record.clone() },
        SwfRecord { submit: None, ..record.clone() },
        SwfRecord { runtime: None, ..record.clone() },
        SwfRecord { runtime: Some(0.0), ..record.clone() },
        SwfRecord { allocated: Some(0), ..record.clone() },
    ] {
        assert_eq!(missing.to_job().unwrap(), None);
    }
    assert!(SwfRecord { user: Some(1 << 32), ..record.clone() }.to_job().is_err());
    assert!(SwfRecord { submit: Some(1e300), ..record }.to_job().is_err());
}

/// A real log: nothing is lost, the counts are known, and writing gives the same bytes.
#[test]
fn a_real_log_comes_back_byte_for_byte() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/traces/KTH-SP2-1996-2.1-cln.swf.gz");
    let Ok(packed) = fs::read(path) else { return println!("skipped: {path} is absent") };
    let (log, report) = SwfLog::read(&packed[..]).unwrap();
    assert!(report.dropped.is_empty(), "{report:?}");
    // The header still states the number of records before cleaning.
    assert_eq!(log.records.len(), 27_992);
    assert_eq!(log.header.get_all("MaxRecords").next(), Some("28476"));
    let jobs = log.records.iter().filter_map(|record| record.to_job().unwrap());
    assert_eq!(jobs.filter(|job| (1..=100).contains(&job.request.nodes())).count(), log.records.len());
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&packed[..]), &mut text).unwrap();
    assert!(written(&log).as_bytes() == text, "other bytes than were read");
}

/// A small file that expands to a very large text is refused at the limit, for any content.
#[test]
fn large_logs_are_refused_at_the_limit() {
    let wide = format!("{}{}\n", RECORD.trim(), " 7".repeat(1000));
    for line in ["0", "\n", "; comment\n", ";\n", RECORD, &wide] {
        let bomb = gzip(line.repeat((2 << 20) / line.len()).as_bytes());
        let shown = &line[..line.len().min(50)];
        let read = |max_text, max_memory| {
            let mut reader = SwfReader::new(&bomb[..]).unwrap();
            (reader.max_text, reader.max_memory) = (max_text, max_memory);
            reader.into_log()
        };
        match read(1 << 20, u64::MAX) {
            Err(WorkloadError::TooLarge { what: "text", limit: 0x10_0000, .. }) => {}
            other => panic!("{shown}: {:?}", other.map(|(log, _)| log.records.len())),
        }
        match read(u64::MAX, 1 << 20) {
            Err(WorkloadError::TooLarge { what: "memory", .. }) => assert!(line.len() > 1, "{shown}"),
            Ok((log, _)) => assert!(line.len() == 1 && log.records.is_empty(), "{shown}"),
            Err(error) => panic!("{shown}: {error}"),
        }
    }
    // A log of exactly the maximum size is read.
    let text = RECORD.repeat(3);
    let exact = |records| {
        let mut reader = SwfReader::new(&text.as_bytes()[..records * RECORD.len()]).unwrap();
        reader.max_text = 2 * RECORD.len() as u64;
        reader.into_log()
    };
    assert_eq!(exact(2).unwrap().0.records.len(), 2);
    let error = exact(3).unwrap_err();
    assert_eq!(error.to_string(), "line 3: more than 82 bytes of text");
}
