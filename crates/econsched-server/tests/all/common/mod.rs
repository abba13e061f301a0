//! A server in a process of its own, and a client.
#![allow(dead_code)] // each test takes what it needs

use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// A server on a directory.
pub struct Server {
    pub child: Arc<Mutex<Child>>,
    pub at: String,
}

impl Server {
    /// Requests say what time it is.
    pub fn in_given_time(dir: &Path) -> Self {
        Self::start(dir, &["--given-time"])
    }

    pub fn start(dir: &Path, flags: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_econsched-server"))
            .arg(dir)
            .args(["--horizon", "2000", "--snapshot-every", "7"])
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let at = line.trim().strip_prefix("http://").expect("it says where it listens").to_owned();
        Self { child: Arc::new(Mutex::new(child)), at }
    }

    /// What it answers, from the first byte to the last, if there is an answer.
    pub fn text(&self, method: &str, path: &str, body: &str) -> Option<String> {
        let mut stream = TcpStream::connect(&self.at).ok()?;
        let (at, length) = (&self.at, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {at}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer)
    }

    /// The answer, if there is one.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> Option<Value> {
        let answer = self.text(method, path, body)?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        // An answer that is cut off counts as none.
        let value = serde_json::from_str(body).ok()?;
        assert!(head.starts_with("HTTP/1.1 200 "), "{answer}");
        Some(value)
    }

    /// SIGKILL, at once.
    pub fn kill(&self) {
        let mut child = self.child.lock().unwrap();
        let _ = child.kill();
        child.wait().expect("it was a process");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Numbers that look random and are the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

pub fn directory(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    dir
}
