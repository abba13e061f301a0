//! The part of HTTP/1.1 that is needed: one request and one answer for each connection.

use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

const MOST_HEAD: usize = 16 * 1024;
const MOST_BODY: usize = 16 * 1024 * 1024;
/// The connection to a client that is slower than this between two bytes is closed.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Reads a request; for a wrong request the error is the answer to send.
    pub(crate) fn read(stream: &mut TcpStream) -> Result<Self, Answer> {
        let gone = |_| Answer::refuse(408, "the request did not arrive");
        stream.set_read_timeout(Some(PATIENCE)).map_err(gone)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(gone)?;
        let mut bytes = Vec::new();
        loop {
            if let Some((request, length, head)) = Self::head(&bytes)? {
                let mut body = bytes.split_off(head);
                while body.len() < length {
                    more(stream, &mut body)?;
                }
                body.truncate(length);
                return Ok(Self { body, ..request });
            }
            if bytes.len() > MOST_HEAD {
                return Err(Answer::refuse(431, "the head of the request is too long"));
            }
            more(stream, &mut bytes)?;
        }
    }

    /// The request without its body, the length of the body and that of the head; `None` if there is more to
    /// come.
    fn head(bytes: &[u8]) -> Result<Option<(Self, usize, usize)>, Answer> {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut parsed = httparse::Request::new(&mut headers);
        let head = match parsed.parse(bytes) {
            Ok(httparse::Status::Complete(head)) => head,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(error) => return Err(Answer::refuse(400, &error.to_string())),
        };
        let method = parsed.method.unwrap_or_default().to_owned();
        let path = parsed.path.unwrap_or_default().to_owned();
        let header = |name: &str| {
            let found = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
            found.map(|header| String::from_utf8_lossy(header.value).trim().to_ascii_lowercase())
        };
        // A page of another origin in a browser on this machine must not reach the broker, neither by another
        // host name nor by a form.
        let host = header("host").unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host.as_str(), |(name, _)| name);
        if !["127.0.0.1", "localhost"].contains(&name) {
            return Err(Answer::refuse(403, "host: expected 127.0.0.1 or localhost"));
        }
        let json = header("content-type").is_some_and(|kind| kind.starts_with("application/json"));
        if method == "POST" && !json {
            return Err(Answer::refuse(415, "content-type: expected application/json"));
        }
        let length = match header("content-length").map(|length| length.parse::<usize>()) {
            None if header("transfer-encoding").is_some() => {
                return Err(Answer::refuse(411, "content-length: missing"));
            }
            None => 0,
            Some(Ok(length)) if length <= MOST_BODY => length,
            Some(_) => return Err(Answer::refuse(413, "content-length: too long, or no number")),
        };
        Ok(Some((Self { method, path, body: Vec::new() }, length, head)))
    }
}

fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Result<(), Answer> {
    let mut buffer = [0; 8192];
    match stream.read(&mut buffer) {
        Ok(count) if count > 0 => {
            bytes.extend_from_slice(&buffer[..count]);
            Ok(())
        }
        _ => Err(Answer::refuse(408, "the request did not arrive")),
    }
}

pub(crate) struct Answer {
    status: u16,
    kind: &'static str,
    body: String,
}

impl Answer {
    pub(crate) fn json(status: u16, value: &dyn std::fmt::Display) -> Self {
        Self { status, kind: "application/json", body: format!("{value}\n") }
    }

    pub(crate) fn refuse(status: u16, why: &str) -> Self {
        Self::json(status, &json!({"error": why}))
    }

    pub(crate) fn page(html: &str) -> Self {
        Self { status: 200, kind: "text/html; charset=utf-8", body: html.to_owned() }
    }

    pub(crate) fn write(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let Self { status, kind, body } = self;
        let length = body.len();
        // Clients read the number; its words are optional.
        let head = format!(
            "HTTP/1.1 {status} \r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())
    }
}
