//! Judging with panics caught, and making failing cases small.

use crate::rng::Rng;
use crate::target::{Entry, Fault, Verdict, class};
use serde_json::Value;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

thread_local! {
    /// Where the last panic of this thread was.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps the message of a panic instead of printing it.
pub(crate) fn catch_panics() {
    std::panic::set_hook(Box::new(|info| {
        let text = info.to_string().replace('\n', ": ");
        PANIC.with(|slot| *slot.borrow_mut() = text);
    }));
}

fn guarded(work: impl FnOnce() -> Verdict) -> Verdict {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Fault::Wrong(PANIC.with(|slot| slot.borrow().clone()))))
}

pub(crate) fn run(entry: &Entry, seed: u64, index: u64) -> Verdict {
    guarded(|| (entry.run)(&mut Rng::of_case(seed, index)))
}

/// The verdict on a case of the corpus; an error if it is no case of this target.
pub(crate) fn replay(entry: &Entry, case: &Value) -> Result<Verdict, String> {
    let mut unreadable = None;
    let verdict = guarded(|| match (entry.judge)(case) {
        Ok(verdict) => verdict,
        Err(message) => {
            unreadable = Some(message);
            Ok(())
        }
    });
    unreadable.map_or(Ok(verdict), Err)
}

/// What is wrong with a case, if anything is.
pub(crate) fn message(entry: &Entry, case: &Value) -> Option<String> {
    match replay(entry, case) {
        Ok(Err(Fault::Wrong(message))) => Some(message),
        _ => None,
    }
}

/// A smaller case that fails in the same way, found by leaving parts out and simplifying numbers until
/// neither helps or the time is over.
pub(crate) fn shrink(entry: &Entry, case: Value, budget: Duration) -> Value {
    let Some(class) = message(entry, &case).map(|message| class(&message).to_owned()) else { return case };
    let end = Instant::now() + budget;
    let mut best = case;
    loop {
        let mut smaller = None;
        for candidate in Candidates::of(&best) {
            if Instant::now() > end {
                return best;
            }
            if message(entry, &candidate).is_some_and(|message| self::class(&message) == class) {
                smaller = Some(candidate);
                break;
            }
        }
        match smaller {
            Some(candidate) => best = candidate,
            None => return best,
        }
    }
}

/// Every way to make one place of a value simpler; the greatest steps first.
struct Candidates(std::vec::IntoIter<Value>);

impl Candidates {
    fn of(value: &Value) -> Self {
        let mut out = Vec::new();
        simpler(value, &mut |candidate| out.push(candidate));
        out.sort_by_key(size);
        let own = size(value);
        out.retain(|candidate| size(candidate) < own);
        Self(out.into_iter())
    }
}

impl Iterator for Candidates {
    type Item = Value;
    fn next(&mut self) -> Option<Value> {
        self.0.next()
    }
}

/// Elements first, then letters of numbers.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 100 + items.iter().map(size).sum::<usize>(),
        Value::Object(fields) => fields.values().map(size).sum(),
        Value::Number(number) => 20 + number.to_string().len(),
        Value::String(text) => 40 + 10 * text.len(),
        Value::Null => 1,
        Value::Bool(true) => 3,
        Value::Bool(false) => 2,
    }
}

fn simpler(value: &Value, emit: &mut dyn FnMut(Value)) {
    match value {
        Value::Array(items) => {
            let mut piece = items.len();
            while piece > 0 {
                for from in (0..items.len()).step_by(piece) {
                    let mut rest = items.clone();
                    rest.drain(from..(from + piece).min(items.len()));
                    emit(Value::Array(rest));
                }
                piece /= 2;
            }
            for (at, item) in items.iter().enumerate() {
                simpler(item, &mut |candidate| {
                    let mut copy = items.clone();
                    copy[at] = candidate;
                    emit(Value::Array(copy));
                });
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                simpler(field, &mut |candidate| {
                    let mut copy = fields.clone();
                    copy.insert(name.clone(), candidate);
                    emit(Value::Object(copy));
                });
            }
        }
        Value::Number(number) => {
            emit(Value::Null);
            for plain in [0u64, 1, 2, 3] {
                emit(Value::from(plain));
            }
            if let Some(whole) = number.as_u64() {
                emit(Value::from(whole / 2));
                emit(Value::from(whole.saturating_sub(1)));
            } else if let Some(real) = number.as_f64() {
                for plain in [0.5, 0.1, 0.2, real.trunc(), (real * 10.0).round() / 10.0] {
                    emit(Value::from(plain));
                }
            }
        }
        Value::String(text) => {
            let letters: Vec<char> = text.chars().collect();
            let mut piece = letters.len();
            while piece > 0 {
                for from in (0..letters.len()).step_by(piece) {
                    let rest = letters[..from].iter().chain(&letters[(from + piece).min(letters.len())..]);
                    emit(Value::String(rest.collect()));
                }
                piece /= 2;
            }
        }
        Value::Bool(true) => emit(Value::Bool(false)),
        Value::Bool(false) | Value::Null => {}
    }
}
