//! The server as a process: what it answers, and what it keeps when it is killed or its files are damaged.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test stops at the first surprise
#![allow(clippy::disallowed_types)] // it waits for servers

mod clock;
mod common;
mod damaged;
mod http;
mod killed;
