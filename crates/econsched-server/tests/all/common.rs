//! A server in its own process, and a client.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

/// A server on a directory.
pub(crate) struct Server {
    pub(crate) child: Arc<Mutex<Child>>,
    pub(crate) at: String,
}

impl Server {
    /// A server that expects the time in each request.
    pub(crate) fn in_given_time(dir: &Path) -> Self {
        Self::start(dir, &["--given-time"])
    }

    pub(crate) fn start(dir: &Path, flags: &[&str]) -> Self {
        Self::attempt(dir, flags).unwrap_or_else(|said| panic!("{said}"))
    }

    /// A running server, or the message with which it refuses to start.
    pub(crate) fn attempt(dir: &Path, flags: &[&str]) -> Result<Self, String> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_econsched-server"))
            .arg(dir)
            .args(["--horizon", "2000", "--snapshot-every", "7"])
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let (mut line, mut said) = (String::new(), String::new());
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let Some(at) = line.trim().strip_prefix("http://") else {
            child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
            assert_eq!(child.wait().expect("it was a process").code(), Some(1), "{said}");
            return Err(said);
        };
        Ok(Self { at: at.to_owned(), child: Arc::new(Mutex::new(child)) })
    }

    /// The whole answer as text, if there is one.
    pub(crate) fn text(&self, method: &str, path: &str, body: &str) -> Option<String> {
        ask(&self.at, method, path, body)
    }

    /// The answer, if there is one.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> Option<Value> {
        let answer = self.text(method, path, body)?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        // An answer that is cut off counts as none.
        let value = serde_json::from_str(body).ok()?;
        assert!(head.starts_with("HTTP/1.1 200 "), "{answer}");
        Some(value)
    }

    /// The answer to inputs.
    pub(crate) fn post(&self, inputs: &Value) -> Option<Value> {
        self.ask("POST", "/inputs", &json!({ "inputs": inputs }).to_string())
    }

    pub(crate) fn decisions(&self) -> Vec<Value> {
        let answer = self.ask("GET", "/decisions", "").expect("an answer");
        answer["decisions"].as_array().expect("a list").clone()
    }

    /// The plan and the decisions.
    pub(crate) fn state(&self) -> [Option<Value>; 2] {
        ["/plan", "/decisions?from=0"].map(|path| self.ask("GET", path, ""))
    }

    /// Sends a signal, given by its name.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.lock().unwrap().id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status().expect("there is kill");
        assert!(status.success());
    }

    pub(crate) fn wait(&self) -> ExitStatus {
        self.child.lock().unwrap().wait().expect("it was a process")
    }

    /// Kills the server at once, with SIGKILL.
    pub(crate) fn kill(&self) {
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

/// The answer to these bytes, if there is one.
pub(crate) fn raw(at: &str, bytes: &[u8]) -> Option<String> {
    let mut stream = TcpStream::connect(at).ok()?;
    // A server that has read enough may close the connection before all bytes are sent.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

pub(crate) fn ask(at: &str, method: &str, path: &str, body: &str) -> Option<String> {
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {at}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    raw(at, format!("{head}{body}").as_bytes())
}

pub(crate) fn directory(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    dir
}
