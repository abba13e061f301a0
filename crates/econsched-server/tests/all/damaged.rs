//! A database that is damaged, truncated, empty, missing or old is refused with a message.

use crate::common::{Server, directory};
use crate::killed::history;
use econsched::testkit::Draw;
use std::fs;
use std::path::Path;

/// Starts a server on these bytes of a database, with this lock file.
fn start(dir: &Path, database: Option<&[u8]>, lock: &[u8]) -> Result<Server, String> {
    let _ = fs::remove_dir_all(dir);
    fs::create_dir_all(dir).expect("a directory");
    fs::write(dir.join("lock"), lock).expect("written");
    if let Some(bytes) = database {
        fs::write(dir.join("broker.redb"), bytes).expect("written");
    }
    Server::attempt(dir, &["--given-time"])
}

/// Zeroes every page that contains this text.
fn blank(bytes: &mut [u8], of: &str) {
    for page in bytes.chunks_mut(4096).skip(1).filter(|page| !places(page, of).is_empty()) {
        page.fill(0);
    }
}

/// The positions of these bytes.
fn places(bytes: &[u8], of: &str) -> Vec<usize> {
    (0..bytes.len()).filter(|&at| bytes[at..].starts_with(of.as_bytes())).collect()
}

#[test]
fn twenty_damages_are_refused() {
    for (end, name) in [("TERM", "ended"), ("KILL", "crashed")] {
        let (dir, hurt) = (directory(name), directory(&format!("{name}-hurt")));
        let server = Server::in_given_time(&dir);
        history(&server, 17);
        let state = server.state();
        server.signal(end);
        server.wait();
        let whole = fs::read(dir.join("broker.redb")).expect("written");
        let lock = fs::read(dir.join("lock")).expect("written");
        let changed = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = whole.clone();
            change(&mut bytes);
            Some(bytes)
        };
        let last = places(&whole, "\"id\":").pop().expect("a decision");
        let flip = |of: &str| {
            changed(&|bytes| places(&whole, of).into_iter().for_each(|at| bytes[at + of.len() - 2] ^= 1))
        };
        let length = whole.len();
        let damages = [
            ("missing", None),
            ("emptied", Some(Vec::new())),
            ("zeroed", changed(&|bytes| bytes.fill(0))),
            ("a byte", changed(&|bytes| bytes.truncate(1))),
            ("a head", changed(&|bytes| bytes.truncate(100))),
            ("one page", changed(&|bytes| bytes.truncate(4096))),
            ("two pages", changed(&|bytes| bytes.truncate(8192))),
            ("a quarter", changed(&|bytes| bytes.truncate(length / 4))),
            ("half", changed(&|bytes| bytes.truncate(length / 2))),
            ("up to the last decision", changed(&|bytes| bytes.truncate(last))),
            ("the head zeroed", changed(&|bytes| bytes[..64].fill(0))),
            ("the first page zeroed", changed(&|bytes| bytes[..4096].fill(0))),
            ("all but the first page zeroed", changed(&|bytes| bytes[4096..].fill(0))),
            ("the front half zeroed", changed(&|bytes| bytes[..length / 2].fill(0))),
            ("another file", Some(b"{\"batches\": 17}".to_vec())),
            ("the magic flipped", changed(&|bytes| bytes[0] ^= 1)),
            ("decisions flipped", flip("\"reserve\"")),
            ("journal flipped", flip("\"number\"")),
            ("snapshot flipped", flip("\"horizon_end\"")),
            ("journal zeroed", changed(&|bytes| blank(bytes, "\"number\""))),
        ];
        for (what, database) in &damages {
            let said = start(&hurt, database.as_deref(), &lock).err();
            let said = said.unwrap_or_else(|| panic!("{name}: {what} is served"));
            assert!(
                said.contains("broker.redb: the database ") && said.lines().count() == 1,
                "{what}: {said}"
            );
            assert!(said.len() < 600, "{what}: {said}");
        }
        // The flipped bit is noticed, or does not belong to the known state. Byte 9 selects the last commit.
        let head = (0..8).map(|bit| (9, bit));
        let draw = &mut Draw::new(23, 0);
        let (mut refused, mut served) = (0, 0);
        let used: Vec<usize> = (0..length).filter(|&at| whole[at] != 0).collect();
        let anywhere = (0..16).map(|_| (used[draw.below(used.len())], draw.below(8)));
        for (at, bit) in head.chain(anywhere) {
            match start(&hurt, changed(&|bytes| bytes[at] ^= 1 << bit).as_deref(), &lock) {
                Err(said) => {
                    refused += 1;
                    assert!(said.contains("broker.redb: the database "), "bit {bit} of byte {at}: {said}");
                }
                Ok(server) => {
                    served += 1;
                    assert_eq!(server.state(), state, "bit {bit} of byte {at}");
                }
            }
        }
        println!("{name}: of 24 flipped bits {refused} refused, {served} harmless");
        assert_eq!(start(&hurt, Some(&whole), &lock).expect("it is whole").state(), state);
    }
}

/// The message with which a server does not start on this directory.
fn refused(dir: &Path) -> String {
    Server::attempt(dir, &["--given-time"]).err().expect("it does not start")
}

fn batches(server: &Server) -> Option<u64> {
    server.ask("GET", "/plan", "").expect("an answer")["batches"].as_u64()
}

#[test]
fn a_missing_database_is_new_only_where_nothing_was_or_the_user_says_so() {
    let dir = directory("missing");
    let server = Server::in_given_time(&dir);
    history(&server, 3);
    assert!(refused(&dir).contains("another server has this directory"));
    drop(server);
    fs::rename(dir.join("broker.redb"), dir.join("backup.redb")).expect("moved");
    fs::remove_file(dir.join("lock")).expect("there");
    let said = refused(&dir);
    assert!(said.contains("the database is missing") && said.contains("--create"), "{said}");
    assert_eq!(batches(&Server::start(&dir, &["--given-time", "--create"])), Some(0));
}

#[test]
fn an_old_copy_is_refused_beside_the_lock_and_served_without_it() {
    let dir = directory("old");
    let mut copies = Vec::new();
    for signal in ["TERM", "INT"] {
        let server = Server::in_given_time(&dir);
        let now = 1e4 * copies.len() as f64;
        server.ask("POST", "/inputs", &format!(r#"{{"now": {now}, "inputs": []}}"#)).expect("an answer");
        server.signal(signal);
        assert!(server.wait().success(), "{signal}");
        copies.push(fs::read(dir.join("broker.redb")).expect("written"));
    }
    fs::write(dir.join("broker.redb"), &copies[0]).expect("written");
    let said = refused(&dir);
    assert!(said.contains("ends after batch 1, but batch 2 was answered"), "{said}");
    fs::remove_file(dir.join("lock")).expect("there");
    assert_eq!(batches(&Server::in_given_time(&dir)), Some(1));
}
