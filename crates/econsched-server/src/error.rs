//! The errors that end the server.

use econsched::live_broker::BrokerError;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ServerError {
    #[error("{}: another server has this directory", .0.display())]
    Locked(PathBuf),
    #[error(
        "{}: the database is missing, but its directory is not empty: put a backup in its place, or begin anew with \
         --create", .0.display()
    )]
    Missing(PathBuf),
    #[error("{}: the database is damaged: {why}; put a backup in its place", .path.display())]
    Damaged { path: PathBuf, why: String },
    #[error(
        "{}: the database ends after batch {batches}, but batch {seen} was answered: it is an old copy; remove the file \
         `lock` beside it to go on from there", .path.display()
    )]
    Old { path: PathBuf, batches: u64, seen: u64 },
    #[error("{}: {source}", .path.display())]
    Path { path: PathBuf, source: std::io::Error },
    #[error("the database cannot be read or written: {0}")]
    Database(#[from] redb::Error),
    #[error("the settings: {0}")]
    Settings(#[from] BrokerError),
    #[error("the network: {0}")]
    Network(#[from] std::io::Error),
}

/// Returns the beginning of a message, so that the text of a hostile file or request is not repeated in full.
pub(crate) fn short(message: &str) -> String {
    const LONGEST: usize = 300;
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &message[..end]),
        None => message.to_owned(),
    }
}
