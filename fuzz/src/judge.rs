//! What the judges of families share, here and in the tests of the crates.

#![allow(dead_code, unused_imports, unused_macros)] // each takes its part

pub(crate) use econsched::testkit::part;
use econsched::testkit::{Fault, Seen};
use std::fmt::Display;

pub(crate) type Verdict<T = ()> = Result<T, Fault>;

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

            fn judge(&self, case: &$case) -> crate::judge::Verdict<econsched::testkit::Seen> {
                $judge(case).map(crate::judge::Told::seen)
            }
        }
    };
}
pub(crate) use family;

/// A fault, unless the condition holds: its kind is the text of the message.
macro_rules! ensure {
    ($holds:expr, $message:literal $($rest:tt)*) => {
        if !$holds {
            return Err(econsched::testkit::Fault::new($message, format!($message $($rest)*)));
        }
    };
}
pub(crate) use ensure;

/// A fault of one of several that were judged.
pub(crate) fn of<T>(name: &dyn Display, judged: Verdict<T>) -> Verdict<T> {
    judged.map_err(|mut fault| {
        fault.message = format!("{name}: {}", fault.message);
        fault
    })
}
