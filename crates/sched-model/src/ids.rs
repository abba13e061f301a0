//! Identifiers: numbers in types of their own, so that a node cannot be mistaken for a job.

use std::fmt;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident($int:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(transparent))]
        pub struct $name(pub $int);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl From<$int> for $name {
            fn from(number: $int) -> Self {
                Self(number)
            }
        }
    )*};
}

id! {
    /// One CPU of the environment: see [`Node`](crate::Node).
    NodeId(u32);
    /// A machine of several CPUs: see [`Machine`](crate::Machine).
    MachineId(u32);
    /// Machines behind one network link: see [`Site`](crate::Site).
    SiteId(u32);
    /// The owner of jobs: see [`User`](crate::User).
    UserId(u32);
    /// A job, unique within its [`Batch`](crate::Batch).
    JobId(u64);
}
