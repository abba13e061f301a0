//! Pools of threads that are kept: one that is dropped ends its threads some time later, and on a busy machine
//! those of many cases together would pass the limit of memory.

use crate::target::{Fault, part};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

static POOLS: Mutex<BTreeMap<usize, Arc<ThreadPool>>> = Mutex::new(BTreeMap::new());

/// The pool of so many threads.
pub(crate) fn of(threads: usize) -> Result<Arc<ThreadPool>, Fault> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let pool = Arc::new(part(ThreadPoolBuilder::new().num_threads(threads).build())?);
    pools.insert(threads, Arc::clone(&pool));
    Ok(pool)
}
