
/// Which mutant is awake.
#[doc(hidden)]
pub mod mutation_switch {
    use std::collections::BTreeSet;
    use std::io::Write;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{LazyLock, Mutex};

    const UNREAD: usize = usize::MAX;
    const TRACING: usize = usize::MAX - 1;
    static AWAKE: AtomicUsize = AtomicUsize::new(UNREAD);
    static TRACE: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("MUTANT_TRACE").ok());
    static SEEN: Mutex<BTreeSet<(String, usize)>> = Mutex::new(BTreeSet::new());

    /// Whether this mutant is awake.
    #[inline(always)]
    pub fn on(number: usize) -> bool {
        let awake = AWAKE.load(Ordering::Relaxed);
        if awake < TRACING { awake == number } else { slow(number) }
    }

    #[cold]
    #[inline(never)]
    fn slow(number: usize) -> bool {
        if AWAKE.load(Ordering::Relaxed) == UNREAD {
            let named = std::env::var("MUTANT").ok().and_then(|text| text.parse().ok());
            let awake = named.unwrap_or(if TRACE.is_some() { TRACING } else { 0 });
            AWAKE.store(awake, Ordering::Relaxed);
            return on(number);
        }
        thread_local!(static MINE: std::cell::RefCell<Vec<bool>> = const { std::cell::RefCell::new(Vec::new()) });
        let fresh = MINE.try_with(|mine| {
            let mut mine = mine.borrow_mut();
            if mine.len() <= number {
                mine.resize(number + 1, false);
            }
            !std::mem::replace(&mut mine[number], true)
        });
        if fresh.unwrap_or(true) {
            let name = std::thread::current().name().unwrap_or("?").to_owned();
            let mut seen = SEEN.lock().unwrap_or_else(|error| error.into_inner());
            if seen.insert((name.clone(), number)) {
                if let Some(path) = &*TRACE {
                    if let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path) {
                        let _ = file.write_all(format!("{number}\t{name}\n").as_bytes());
                    }
                }
            }
        }
        false
    }
}
