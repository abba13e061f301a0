//! Misleading input that no session can hold: other encodings, and extreme sizes.

use super::{Dir, here};

const ONE_NODE: &str = r#"{"nodes":[{"id":1,"speed":1,"price":2}],"horizon":90,
"jobs":[{"id":1,"user":4,"request":{"nodes":1,"work":60}}]}"#;

const LOG: &str = "; MaxProcs: 8\n1 0 0 100 4 -1 -1 4 200 -1 1 3 1 -1 1 -1 -1 -1\n\
2 10 0 50 8 -1 -1 8 60 -1 1 4 1 -1 1 -1 -1 -1\n3 900 0 50 8 -1 -1 8 60 -1 1 4 1 -1 1 -1 -1 -1\n";

#[test]
fn a_byte_order_mark_is_no_content() {
    for (words, text) in [
        ("plan -", ONE_NODE),
        ("window -", ONE_NODE),
        ("simulate -", LOG),
        ("assign -", "4,1,3\n2,0,5\n3,2,2\n"),
    ] {
        let told = here().good(words, text);
        assert_eq!(told, here().good(words, &format!("\u{feff}{text}")), "{words}");
    }
    let dir = Dir::new("encodings");
    let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(ONE_NODE.bytes().flat_map(|byte| [byte, 0])).collect();
    dir.write("wide.json", wide);
    let told = dir.refused("plan wide.json");
    assert!(told.contains("wide.json") && told.contains("UTF-16"), "{told}");
    dir.write("program", "\u{7f}ELF\0\u{1}");
    assert!(dir.refused("plan program").contains("no usable job: expected a log"));
}

#[test]
fn a_machine_of_four_billion_cpus_is_drawn_or_refused() {
    let log = LOG
        .replace("MaxProcs: 8", "MaxProcs: 4294967295")
        .replace(" 8 -1 -1 8 ", " 4294967295 -1 -1 4294967295 ");
    let dir = Dir::new("wide");
    dir.good("simulate - --out .", &log);
    let size = dir.bytes("report.html").len();
    assert!(size < 1_000_000, "{size} bytes");
    // A name that is longer than any picture is wide.
    let name = "n".repeat(2000);
    let site = r#"[{"id": 0, "name": "NAME", "machines": [{"id": 0, "cpus": 8, "speed": 1, "price": 2}]}]"#;
    dir.write("sites.json", site.replace("NAME", &name));
    dir.good("simulate - --testbed sites.json --scheduler greedy --out .", LOG);
    let size = dir.bytes("report.html").len();
    assert!(size < 100_000, "{size} bytes");
}

#[test]
fn what_unpacks_to_a_thousand_times_its_size_is_refused() {
    use std::io::Write as _;
    let dir = Dir::new("bomb");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&vec![b'0'; 65 << 20]).expect("written");
    dir.write("bomb.swf.gz", packed.finish().expect("written"));
    let told = dir.refused("simulate bomb.swf.gz");
    assert!(told.contains("bomb.swf.gz") && told.contains("times its size"), "{told}");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(LOG.as_bytes()).expect("written");
    // What is small is read, however much smaller it was.
    packed.write_all(&vec![b'\n'; 1 << 20]).expect("written");
    let packed = packed.finish().expect("written");
    dir.write("log.swf.gz", &packed);
    dir.write("cut.swf.gz", &packed[..packed.len() - 9]);
    assert_eq!(dir.good("simulate log.swf.gz", ""), dir.good("simulate -", LOG));
    assert!(dir.refused("simulate cut.swf.gz").contains("not a whole gzip file"));
}

#[test]
fn a_name_of_very_many_dots_is_refused() {
    let name = vec!["a"; 50_000].join(".");
    assert!(here().refused(&format!("generate slots --set {name}=1")).contains("expected NAME=VALUE"));
}
