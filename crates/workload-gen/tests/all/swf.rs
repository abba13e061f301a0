//! Standard Workload Format: hand-made fixtures, drawn logs, and a real log if it is there.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use workload_gen::WorkloadError;
use workload_gen::swf::{
    DropReason, Dropped, Lost, MAX_LINE, SwfField, SwfHeader, SwfLog, SwfOptions, SwfReader, SwfRecord,
    SwfReport, SwfStatus, SwfSummary,
};

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    fs::read(path).expect("fixture")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn written(log: &SwfLog) -> Vec<u8> {
    let mut out = Vec::new();
    log.write(&mut out).expect("memory");
    out
}

#[test]
fn a_messy_log_is_kept_whole() {
    let (log, report) = SwfLog::read(&fixture("messy.swf")[..]).unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(log.header.max_procs(), Some(128));
    assert_eq!(log.header.number("maxnodes"), Some(64));
    assert_eq!(log.header.unix_start_time(), Some(843_480_031));
    assert_eq!(log.header.get_all("Queue").collect::<Vec<_>>(), ["0 interactive", "1 batch"]);
    assert_eq!(log.header.get("Empty"), Some(""));
    assert_eq!(log.header.lines()[3], "              http://example.org/two");
    assert_eq!(log.records.len(), 5);
    assert_eq!(
        log.records[1],
        SwfRecord {
            job: Some(2),
            submit: Some(100.0),
            wait: None,
            runtime: Some(3600.0),
            allocated: Some(8),
            cpu_time: Some(12.25),
            memory: Some(2048.0),
            requested_processors: Some(8),
            requested_time: Some(1800.0),
            status: Some(SwfStatus::FAILED),
            user: Some(7),
            group: Some(7),
            queue: Some(1),
            ..SwfRecord::default()
        }
    );
    assert_eq!(log.records[2].preceding, Some(1));
    assert_eq!(log.records[2].think_time, Some(30.0));
    assert_eq!(log.records[2].end(), Some(55.5));
    assert_eq!(log.records[3].extra, ["nodeA", "17.5"]);
    assert_eq!(log.records[4].status, Some(SwfStatus::CANCELLED));
    assert_eq!(log.records[4].processors(), Some(2));
    assert_eq!(log.records[4].end(), None);
    let mut expected = SwfSummary::default();
    expected.records = 5;
    expected.unsorted = 2;
    expected.overrun = 1;
    expected.other_allocation = 2;
    expected.without_runtime = 1;
    assert_eq!(log.summary(), expected);
}

#[test]
fn each_loss_is_reported_with_line_field_and_reason() {
    let (log, report) = SwfLog::read(&fixture("broken.swf")[..]).unwrap();
    let dropped = |line, field, lost, reason| Dropped { line, field, column: None, lost, reason };
    let text = |text: &str| text.to_owned();
    assert_eq!(
        report.dropped,
        [
            dropped(2, None, Lost::Line, DropReason::TooFewFields { found: 4 }),
            dropped(3, Some(SwfField::Job), Lost::Line, DropReason::NotANumber { text: text("abc") }),
            dropped(4, Some(SwfField::Submit), Lost::Line, DropReason::Negative { text: text("-10") }),
            dropped(5, Some(SwfField::Wait), Lost::Value, DropReason::Negative { text: text("-2.5") }),
            dropped(6, Some(SwfField::Runtime), Lost::Value, DropReason::NotANumber { text: text("nan") }),
            dropped(6, Some(SwfField::Allocated), Lost::Value, DropReason::NotWhole { text: text("2.5") }),
            dropped(
                7,
                Some(SwfField::RequestedProcessors),
                Lost::Value,
                DropReason::TooLarge { text: text("99999999999999999999") }
            ),
        ]
    );
    assert_eq!((report.lost_lines, report.lost_values), (3, 4));
    assert_eq!(log.records.iter().map(|r| r.job).collect::<Vec<_>>(), [1, 5, 6, 7, 8].map(Some));
    let last = &log.records[4];
    assert_eq!((last.submit, last.wait, last.allocated), (Some(10.5), None, Some(4)));
    assert_eq!(last.requested_time, Some(1000.0));
}

#[test]
fn strict_refuses_at_the_first_loss() {
    let strict = SwfOptions::default().with_strict(true);
    let error = SwfLog::read_with(&fixture("broken.swf")[..], strict.clone()).unwrap_err();
    assert_eq!(error.to_string(), "log refused: line 2: 4 fields where 18 are needed; line dropped");
    assert!(SwfLog::read_with(&fixture("messy.swf")[..], strict.clone()).is_ok());
    // After the refusal, the reader ends.
    let bytes = fixture("broken.swf");
    let mut reader = SwfReader::new(&bytes[..]).with_options(strict);
    assert!(reader.next().unwrap().is_ok());
    assert!(reader.next().unwrap().is_err());
    assert!(reader.next().is_none());
}

#[test]
fn gzip_is_told_by_its_bytes() {
    let plain = fixture("messy.swf");
    let expected = SwfLog::read(&plain[..]).unwrap();
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
    let dos: Vec<u8> =
        unix.iter().flat_map(|&b| if b == b'\n' { vec![b'\r', b'\n'] } else { vec![b] }).collect();
    assert_eq!(SwfLog::read(&dos[..]).unwrap(), SwfLog::read(&unix[..]).unwrap());
    let mut marked = b"\xef\xbb\xbf".to_vec();
    marked.extend(&unix);
    assert_eq!(SwfLog::read(&marked[..]).unwrap(), SwfLog::read(&unix[..]).unwrap());

    let latin = b"; Installation: Universit\xe9\n; Note: \xc3\xa9\n";
    let (log, report) = SwfLog::read(&latin[..]).unwrap();
    assert!(report.is_clean());
    assert_eq!(log.header.get("Installation"), Some("Universit\u{e9}"));
    assert_eq!(log.header.get("Note"), Some("\u{e9}"));
    assert_eq!(SwfLog::read(&written(&log)[..]).unwrap().0, log);
}

#[test]
fn comments_between_records_are_kept() {
    let record = "1 0 0 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n";
    let text = format!("{record}; Note: two logs joined\n\n   ; indented\n{record}");
    let (log, report) = SwfLog::read(text.as_bytes()).unwrap();
    assert!(report.is_clean());
    assert_eq!(log.records.len(), 2);
    assert_eq!(log.header.get("Note"), Some("two logs joined"));
    assert_eq!(log.header.lines()[1], " indented");
}

#[test]
fn an_endless_line_is_dropped_and_the_next_one_read() {
    let record = "1 0 0 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n";
    for (length, fits) in
        [(MAX_LINE - 1, true), (MAX_LINE, true), (MAX_LINE + 1, false), (3 * MAX_LINE, false)]
    {
        let text = format!("{}{}\n{record}", ";", "x".repeat(length - 1));
        let (log, report) = SwfLog::read(text.as_bytes()).unwrap();
        assert_eq!(log.records.len(), 1);
        assert_eq!(report.lost_lines, u64::from(!fits), "{length}");
        assert_eq!(log.header.lines().len(), usize::from(fits), "{length}");
    }
}

#[test]
fn the_report_stays_small() {
    let text = "rubbish\n".repeat(SwfReport::KEPT + 5);
    let (_, report) = SwfLog::read(text.as_bytes()).unwrap();
    assert_eq!(report.dropped.len(), SwfReport::KEPT);
    assert_eq!(report.lost_lines, SwfReport::KEPT as u64 + 5);
}

#[test]
fn the_writer_refuses_what_could_not_be_read_back() {
    let refused = |record: SwfRecord| {
        let log = SwfLog { header: SwfHeader::default(), records: vec![record] };
        log.write(&mut Vec::new()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(SwfRecord { runtime: Some(f64::NAN), ..SwfRecord::default() }),
        "run time is NaN; it must be a finite number, not negative"
    );
    refused(SwfRecord { wait: Some(-1.0), ..SwfRecord::default() });
    refused(SwfRecord { extra: vec!["a b".into()], ..SwfRecord::default() });
    refused(SwfRecord { extra: vec![String::new()], ..SwfRecord::default() });
}

/// A header line pushed by hand cannot contain a second line.
#[test]
fn header_text_stays_on_its_line() {
    let mut header = SwfHeader::default();
    header.push("Note: one\n1 2 3");
    let log = SwfLog { header, records: Vec::new() };
    assert_eq!(String::from_utf8(written(&log)).unwrap(), ";Note: one 1 2 3\n");
}

#[test]
fn records_become_jobs() {
    let record = SwfRecord {
        job: Some(9),
        submit: Some(5.5),
        runtime: Some(40.0),
        allocated: Some(3),
        ..SwfRecord::default()
    };
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
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../../../shared/data/traces/KTH-SP2-1996-2.1-cln.swf.gz"]
            .iter()
            .collect();
    let Ok(packed) = fs::read(&path) else {
        println!("skipped: {} is absent", path.display());
        return;
    };
    let (log, report) = SwfLog::read(&packed[..]).unwrap();
    assert!(report.is_clean(), "{report:?}");
    // The header still states the number of records before cleaning.
    assert_eq!(log.records.len(), 27_992);
    assert_eq!(log.header.number("MaxRecords"), Some(28_476));
    assert_eq!(log.header.max_procs(), Some(100));
    let jobs: Vec<_> = log.records.iter().filter_map(|record| record.to_job().unwrap()).collect();
    assert_eq!(jobs.len(), log.records.len());
    assert!(jobs.iter().all(|job| (1..=100).contains(&job.request.nodes())));
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(&packed[..]), &mut text).unwrap();
    let ours = written(&log);
    assert!(ours == text, "other bytes than were read");
}

/// A compressed log of this size, which repeats one line.
fn packed(line: &[u8], bytes: usize) -> Vec<u8> {
    gzip(&line.repeat(bytes / line.len()))
}

/// A small file that expands to a very large text is refused at the limit, for any content.
#[test]
fn large_logs_are_refused_at_the_limit() {
    let record: &[u8] = b"1 0 0 9 1 -1 -1 1 9 -1 1 1 1 1 1 1 -1 -1\n";
    let wide = [&record[..record.len() - 1], &b" 7"[..].repeat(1000), b"\n"].concat();
    let lines: [&[u8]; 6] = [b"0", b"\n", b"; comment\n", b";\n", record, &wide];
    for line in lines {
        let bomb = packed(line, 2 << 20);
        let shown = String::from_utf8_lossy(&line[..line.len().min(50)]).into_owned();
        let text = SwfOptions::default().with_max_text(1 << 20);
        match SwfLog::read_with(&bomb[..], text) {
            Err(WorkloadError::TooLarge { what: "text", limit: 0x10_0000, .. }) => {}
            other => panic!("{shown}: {:?}", other.map(|(log, _)| log.records.len())),
        }
        let memory = SwfOptions::default().with_max_memory(1 << 20);
        match SwfLog::read_with(&bomb[..], memory) {
            Err(WorkloadError::TooLarge { what: "memory", .. }) => assert!(line.len() > 1, "{shown}"),
            Ok((log, _)) => assert!(line.len() == 1 && log.records.is_empty(), "{shown}"),
            Err(error) => panic!("{shown}: {error}"),
        }
    }
    // A log of exactly the greatest size is read.
    let exact = SwfOptions::default().with_max_text(2 * record.len() as u64);
    assert_eq!(SwfLog::read_with(&record.repeat(2)[..], exact.clone()).unwrap().0.records.len(), 2);
    let error = SwfLog::read_with(&record.repeat(3)[..], exact).unwrap_err();
    assert_eq!(error.to_string(), "line 3: more than 82 bytes of text");
}
