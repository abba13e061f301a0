//! What the judges of families share, here and in the tests of the crates.

#![allow(dead_code, unused_imports, unused_macros)] // each takes its part

use econsched::sched_model::Limit;
use econsched::testkit::{Fault, Seen, Stopped, Stops};
use std::any::Any;
use std::fmt::Display;

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

            fn judge(&self, case: &$case) -> crate::judge::Judged {
                $judge(case).map(crate::judge::Told::seen).map_err(crate::judge::Wrong::into_fault)
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
