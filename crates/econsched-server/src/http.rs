//! HTTP/1.1 with one request per connection. Clients wait for each other only in the broker's queue: each connection
//! has its deadlines, and the number of connections is limited.

use crate::api::{self, Answer, Ask};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderMap, HeaderName};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use tokio::io::{AsyncWriteExt as _, copy, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{sleep, timeout};

/// Maximum length of the head and of the body of a request, in bytes.
const MOST_HEAD: usize = 16 << 10;
const MOST_BODY: usize = 4 << 20;
/// Maximum number of simultaneous connections.
pub(crate) const CONNECTIONS: u32 = 256;
/// Deadlines of a connection: for the head of the request, for its body, and for everything including the answer.
const HEAD: Duration = Duration::from_secs(5);
const BODY: Duration = Duration::from_secs(10);
const WHOLE: Duration = Duration::from_secs(60);
/// Time for which the rest of a refused request is read, because closing at once would discard the answer.
const REST: Duration = Duration::from_secs(2);
/// The answer beyond that number.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n";

/// A request for the broker's thread, with the channel for its answer.
pub(crate) type Question = (Ask, oneshot::Sender<Answer>);

/// Accepts connections forever.
pub(crate) async fn serve(listener: TcpListener, permits: Arc<Semaphore>, broker: Sender<Question>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, for example: a connection has to end first.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        match Arc::clone(&permits).try_acquire_owned() {
            Ok(permit) => {
                let broker = broker.clone();
                drop(tokio::spawn(async move {
                    serve_connection(stream, broker).await;
                    drop(permit);
                }));
            }
            Err(_) => drop(stream.try_write(BUSY)),
        }
    }
}

/// Serves one connection within its deadlines.
async fn serve_connection(stream: TcpStream, broker: Sender<Question>) {
    let service = service_fn(|request| Box::pin(respond(request, broker.clone())));
    let mut http = http1::Builder::new();
    http.half_close(true)
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_header_size(MOST_HEAD)
        .keep_alive(false);
    let mut connection = http.serve_connection(TokioIo::new(stream), service);
    let whole = poll_fn(|context| connection.poll_without_shutdown(context));
    let ended = timeout(WHOLE, whole).await;
    let mut stream = connection.into_parts().io.into_inner();
    if ended.is_ok() && stream.shutdown().await.is_ok() {
        drop(timeout(REST, copy(&mut stream, &mut sink())).await);
    }
}

/// Reads a request and answers it.
async fn respond(
    request: Request<Incoming>,
    broker: Sender<Question>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let method = method(request.uri().path());
    let Answer { status, kind, body } = match read(request).await {
        Ok(ask) => ask_broker(ask, &broker).await,
        Err(refusal) => refusal,
    };
    let mut response = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, kind)
        .header(CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'");
    if status == 405 {
        response = response.header(ALLOW, method.as_str());
    }
    Ok(response.body(Full::from(body)).unwrap_or_default())
}

/// Passes a request to the broker's thread, and waits for the answer.
async fn ask_broker(ask: Ask, broker: &Sender<Question>) -> Answer {
    let (sender, answer) = oneshot::channel();
    // If the broker's thread has ended, this drops the sender, and the receiver gets an error.
    drop(broker.send((ask, sender)));
    let ended = |_| Answer::refuse(503, "the server ends: ask again with the same request");
    answer.await.unwrap_or_else(ended)
}

/// Returns the method that a path takes.
fn method(path: &str) -> Method {
    if path == "/inputs" { Method::POST } else { Method::GET }
}

/// Reads what a request asks for; if the request is invalid, the error is the answer.
async fn read(request: Request<Incoming>) -> Result<Ask, Answer> {
    let refuse = |status, why: &str| Err(Answer::refuse(status, why));
    let (head, body) = request.into_parts();
    // A page of another origin in a browser on this machine must not reach the broker, neither by another host
    // name nor by a form.
    let host = header(&head.headers, HOST);
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if !["127.0.0.1", "localhost"].contains(&name) {
        return refuse(403, "host: expected 127.0.0.1 or localhost");
    }
    let path = head.uri.path();
    if !["/", "/plan", "/decisions", "/inputs"].contains(&path) {
        return refuse(404, "there are POST /inputs, GET /decisions, GET /plan and GET /");
    }
    let method = method(path);
    if head.method != method {
        return refuse(405, &format!("{path} takes {method} alone"));
    }
    match (path, head.uri.query()) {
        ("/plan", None) => Ok(api::plan()),
        ("/inputs", None) => inputs(&head.headers, body).await,
        ("/decisions", query) => match query.unwrap_or("from=0").strip_prefix("from=").map(str::parse) {
            Some(Ok(from)) => Ok(api::decisions(from)),
            _ => refuse(400, "the one parameter is from, a number: /decisions?from=0"),
        },
        (_, Some(_)) => refuse(400, &format!("{path} takes no parameters")),
        (_, None) => Ok(api::page()),
    }
}

/// Reads the body of `POST /inputs`.
async fn inputs(headers: &HeaderMap, body: Incoming) -> Result<Ask, Answer> {
    let kind = header(headers, CONTENT_TYPE).split(';').next().unwrap_or_default();
    if !kind.trim().eq_ignore_ascii_case("application/json") {
        return Err(Answer::refuse(415, "content-type: expected application/json"));
    }
    let long = || Answer::refuse(413, &format!("the body is longer than {MOST_BODY} bytes"));
    if body.size_hint().lower() > MOST_BODY as u64 {
        return Err(long());
    }
    match timeout(BODY, Limited::new(body, MOST_BODY).collect()).await {
        Ok(Ok(body)) => api::inputs(&body.to_bytes()),
        Ok(Err(why)) if why.is::<LengthLimitError>() => Err(long()),
        Ok(Err(_)) => Err(Answer::refuse(400, "the body did not arrive as its head says")),
        Err(_) => Err(Answer::refuse(408, "the body did not arrive in time")),
    }
}

/// Returns the only value of a header; empty if there is none, or several.
fn header(headers: &HeaderMap, name: HeaderName) -> &str {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().unwrap_or_default(),
        _ => "",
    }
}
