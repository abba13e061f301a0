//! A family of the testkit behind pointers, and what judges share.

use econsched::sched_model::Limit;
use econsched::testkit::{Check, Draw, Family, Fault, Seen, Stopped, Stops, shrink};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub(crate) type Judged = Result<Seen, Fault>;

/// A fault on its way to the judge; any error of a library on a well-formed case is one.
#[derive(Debug)]
pub(crate) struct Wrong(Fault);

pub(crate) type Verdict<T = ()> = Result<T, Wrong>;

impl<E: Display + Any> From<E> for Wrong {
    fn from(error: E) -> Self {
        let fault = (&error as &dyn Any).downcast_ref::<Fault>().cloned();
        Self(fault.unwrap_or_else(|| Fault::error(error)))
    }
}

impl Wrong {
    pub(crate) fn into_fault(self) -> Fault {
        self.0
    }
}

/// What a judge tells of a case without a fault: nothing where it counts as solved.
pub(crate) trait Told {
    fn seen(self) -> Seen;
}

impl Told for () {
    fn seen(self) -> Seen {
        Seen::solved()
    }
}

impl Told for Seen {
    fn seen(self) -> Seen {
        self
    }
}

/// A family by its case, how that is drawn, and how it is judged.
macro_rules! family {
    ($name:ident: $case:ty, $draw:expr, $judge:expr) => {
        #[derive(Default)]
        pub(crate) struct $name;

        impl econsched::testkit::Family for $name {
            type Case = $case;

            fn draw(draw: &mut econsched::testkit::Draw) -> $case {
                $draw(draw)
            }

            fn judge(&self, case: &$case) -> crate::family::Judged {
                $judge(case).map(crate::family::Told::seen).map_err(crate::family::Wrong::into_fault)
            }
        }
    };
}
pub(crate) use family;

/// A fault, unless the condition holds: its kind is the text of the message.
macro_rules! ensure {
    ($holds:expr, $message:literal $($rest:tt)*) => {
        if !$holds {
            return Err(econsched::testkit::Fault::new($message, format!($message $($rest)*)).into());
        }
    };
}
pub(crate) use ensure;

/// A part of a case. If it cannot be made, the case is malformed, which is no fault of the library.
pub(crate) fn part<T, E: Display>(made: Result<T, E>) -> Result<T, Fault> {
    made.map_err(Fault::malformed)
}

/// A fault of one of several that were judged.
pub(crate) fn of<T, E: Into<Wrong>>(name: &dyn Display, judged: Result<T, E>) -> Verdict<T> {
    judged.map_err(|wrong| {
        let Wrong(mut fault) = wrong.into();
        fault.message = format!("{name}: {}", fault.message);
        Wrong(fault)
    })
}

/// The property of limits.
pub(crate) fn stopped(
    stops: &Stops,
    most: u64,
    mut run: impl FnMut(&Limit) -> Verdict<Stopped>,
) -> Verdict<Stopped> {
    Ok(stops.check(most, &mut |limit| run(limit).map_err(Wrong::into_fault))?)
}

/// The pool of so many threads. Pools are kept: one that is dropped ends its threads some time later, and those
/// of many cases together would pass the limit of memory.
pub(crate) fn pool(threads: usize) -> Result<Arc<ThreadPool>, Fault> {
    static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(part(ThreadPoolBuilder::new().num_threads(threads).build())?);
    pools.insert(threads, Arc::clone(&pool));
    Ok(pool)
}

pub(crate) type Attack = fn(u64, usize, &dyn Fn(&Fault)) -> Judged;

#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// What is attacked, and how it is judged.
    pub(crate) about: &'static str,
    /// Cases for every ten asked for: cheap families get more, those of large cases less than one.
    pub(crate) share: usize,
    /// Judges a case under a seed. A fault is told as it is found, and returned made small.
    pub(crate) attack: Attack,
    /// A case under a seed, as it stands in a file.
    pub(crate) show: fn(u64, usize) -> String,
    /// Judges a case of a file.
    pub(crate) replay: fn(&str) -> Judged,
}

impl Entry {
    pub(crate) const fn of<F: Family + Default>(
        name: &'static str,
        share: usize,
        about: &'static str,
    ) -> Self {
        Self {
            name,
            about,
            share,
            attack: attack::<F>,
            show: |seed, number| {
                serde_json::to_string(&F::draw(&mut Draw::new(seed, number))).unwrap_or_default()
            },
            replay: |text| {
                let case = serde_json::from_str(text).map_err(Fault::malformed)?;
                Check::new(F::default()).judge(&case)
            },
        }
    }
}

fn attack<F: Family + Default>(seed: u64, number: usize, tell: &dyn Fn(&Fault)) -> Judged {
    const TRIALS: usize = 5000;
    let (check, mut draw) = (Check::new(F::default()), Draw::new(seed, number));
    let mut fault = match check.judge(&F::draw(&mut draw)) {
        Err(fault) if fault.kind != "malformed" => fault,
        Err(_) => return Ok(Seen::skipped()),
        seen => return seen,
    };
    tell(&fault);
    let end = Instant::now() + Duration::from_secs(5);
    let judged =
        |bytes: &[u8]| if Instant::now() < end { check.judge_bytes(bytes) } else { Ok(Seen::skipped()) };
    shrink(draw.taken(), TRIALS, |bytes| match judged(bytes) {
        Err(smaller) if smaller.kind == fault.kind => {
            fault = smaller;
            true
        }
        _ => false,
    });
    Err(fault)
}
