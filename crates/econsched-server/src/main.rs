#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_types)] // it has a clock

mod api;
mod error;
mod http;
mod page;
mod store;

use clap::Parser as _;
use econsched::live_broker::Config;
use econsched::sched_model::Span;
use error::{ServerError, short};
use http::{CONNECTIONS, Question};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use store::Store;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, Semaphore};

/// Time for which the server waits at its end for open connections.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

#[derive(clap::Parser)]
struct Args {
    /// Where the database is; made if missing or empty. An existing state continues with its own settings
    dir: PathBuf,
    /// Begin anew if the database is missing, though its directory is not empty
    #[arg(long)]
    create: bool,
    /// Port on 127.0.0.1; 0: any that is free, which is printed
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// How far ahead to plan
    #[arg(long, default_value = "86400", value_parser = span)]
    horizon: Span,
    /// Batches of inputs between two snapshots
    #[arg(long, default_value_t = 1000)]
    snapshot_every: u64,
    /// Each request states the time as `now`, for simulations; without this flag the clock of the machine counts
    #[arg(long)]
    given_time: bool,
}

fn span(text: &str) -> Result<Span, Box<dyn Error + Send + Sync>> {
    Ok(Span::try_from(text.parse::<f64>()?)?)
}

fn main() -> ExitCode {
    let Err(why) = run(&Args::parse()) else { return ExitCode::SUCCESS };
    eprintln!("econsched-server: {}", short(&why.to_string()));
    ExitCode::FAILURE
}

fn run(args: &Args) -> Result<(), ServerError> {
    let config = Config::new(args.horizon);
    let store = Store::open(&args.dir, config, args.snapshot_every, args.create, args.given_time)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", args.port)))?;
    let (stop, (questions, asked)) = (Arc::new(Notify::new()), channel());
    // One thread owns the broker; this thread reads requests and writes answers.
    let ended = Arc::clone(&stop);
    let broker = std::thread::spawn(move || {
        let result = serve(store, &asked);
        ended.notify_one();
        result
    });
    runtime.block_on(network(listener, questions, stop))?;
    // Ends the connections that are still open, and with them their questions to the broker.
    drop(runtime);
    broker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Serves until a signal or the broker stops it, then lets open connections end.
async fn network(
    listener: TcpListener,
    questions: Sender<Question>,
    stop: Arc<Notify>,
) -> std::io::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
        let (mut signal, stop) = (signal(kind)?, Arc::clone(&stop));
        drop(tokio::spawn(async move {
            signal.recv().await;
            stop.notify_one();
        }));
    }
    let (at, permits) = (listener.local_addr()?, Arc::new(Semaphore::new(CONNECTIONS as usize)));
    let accepting = tokio::spawn(http::serve(listener, Arc::clone(&permits), questions));
    println!("http://{at}");
    stop.notified().await;
    accepting.abort();
    drop(tokio::time::timeout(SHUTDOWN_GRACE, permits.acquire_many(CONNECTIONS)).await);
    Ok(())
}

/// Answers questions and wakes the broker in time, until no one can ask any more.
fn serve(mut store: Store, asked: &Receiver<Question>) -> Result<(), ServerError> {
    loop {
        let wakeup = store.live.broker.next_wakeup().filter(|_| !store.given_time);
        let patience = wakeup.map_or(Duration::MAX, |at| {
            Duration::from_secs_f64((at - api::clock(&store)).get().clamp(0.0, 3600.0))
        });
        match asked.recv_timeout(patience) {
            // If the client has gone, it asks again.
            Ok((ask, sender)) => drop(sender.send(ask(&mut store)?)),
            Err(RecvTimeoutError::Timeout) => drop(store.take(api::clock(&store), Vec::new(), None)?),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
