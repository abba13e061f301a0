//! Runs cases in a process of its own, so that neither memory without bound nor a loop without end stops the
//! driver.
//!
//! Lines on the output: `at INDEX` before a stretch of cases (before each case where asked),
//! `fault INDEX MESSAGE` for the first of each kind, `malformed COUNT`, `slow INDEX` and the end of the
//! process where a case takes more than its time.

use crate::judge;
use crate::target::{Entry, Fault, class};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Cases between two marks.
const STRETCH: u64 = 200;

pub(crate) struct Order {
    pub(crate) seed: u64,
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// Marks each case.
    pub(crate) careful: bool,
    /// Processor seconds that one case may take.
    pub(crate) seconds: f64,
    /// Stops after this number of kinds of fault.
    pub(crate) faults: u64,
}

pub(crate) fn work(entry: &Entry, order: &Order) {
    judge::catch_panics();
    let current = Arc::new(AtomicU64::new(order.from));
    watch(Arc::clone(&current), order.seconds);
    let (mut kinds, mut malformed) = (BTreeSet::new(), 0);
    for index in order.from..order.to {
        current.store(index, Ordering::Relaxed);
        if order.careful || (index - order.from).is_multiple_of(STRETCH) {
            say(&format!("at {index}"));
        }
        match judge::run(entry, order.seed, index) {
            Ok(()) => {}
            Err(Fault::Malformed) => malformed += 1,
            // The first of each kind.
            Err(Fault::Wrong(message)) => {
                if kinds.insert(class(&message).to_owned()) {
                    say(&format!("fault {index} {}", message.replace('\n', " ")));
                }
                if kinds.len() as u64 >= order.faults {
                    say(&format!("at {}", index + 1));
                    return;
                }
            }
        }
    }
    say(&format!("malformed {malformed}"));
    say(&format!("at {}", order.to));
}

/// Ends the process when one case lasts too long.
fn watch(current: Arc<AtomicU64>, seconds: f64) {
    std::thread::spawn(move || {
        let mut last = (u64::MAX, 0.0);
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let index = current.load(Ordering::Relaxed);
            let now = processor_seconds();
            if index != last.0 {
                last = (index, now);
            } else if now - last.1 > seconds {
                say(&format!("slow {index}"));
                std::process::exit(0);
            }
        }
    });
}

/// Processor time of this process: a busy machine must not make cases look slow.
fn processor_seconds() -> f64 {
    let ticks = std::fs::read_to_string("/proc/self/stat").ok().and_then(|text| {
        let fields = text.rsplit(')').next()?;
        let mut fields = fields.split_whitespace().skip(11);
        let own: f64 = fields.next()?.parse().ok()?;
        let system: f64 = fields.next()?.parse().ok()?;
        Some((own + system) / 100.0)
    });
    ticks.unwrap_or_else(|| {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0.0, |since| since.as_secs_f64())
    })
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}
