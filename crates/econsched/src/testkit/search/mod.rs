//! Window searches, compared with every window that exists.

mod case;

pub use case::{SearchCase, all_windows};

use super::former::Draw;
use super::{Broken, Cases, Made, Passed, guarded, run_counted};
use sched_model::check::{Checker, Violation};
use sched_model::{Batch, Job, JobId, Limit, SlotList, Time, Window};
use slot_window::{AlternativesSearch, Anew, SearchScratch, WindowError, WindowQuery, WindowSearch};

/// What is wrong with a search.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchFault {
    /// It panicked, with this message.
    #[error("panics: {0}")]
    Panic(String),
    /// It has no name.
    #[error("has no name")]
    NoName,
    /// It gave an error on well-formed input.
    #[error("gives an error on well-formed input: {0}")]
    Error(WindowError),
    /// Its window breaks its own rules.
    #[error("a window breaks the rules of the search: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Violations(Vec<Violation>),
    /// Its window starts before it may.
    #[error("a window starts at {start}, before {from}")]
    TooEarly {
        /// The earliest start.
        from: Time,
        /// The start.
        start: Time,
    },
    /// A second call, or one with memory that another search has used, gave another window.
    #[error("the same search gives {first:?}, then {second:?}")]
    Unsteady {
        /// The first window.
        first: Option<Window>,
        /// The second.
        second: Option<Window>,
    },
    /// [`find_within`](WindowSearch::find_within) gave another window than [`find`](WindowSearch::find).
    #[error("find gives {find:?}, find_within {within:?}")]
    Within {
        /// That of `find`.
        find: Option<Window>,
        /// That of `find_within`.
        within: Option<Window>,
    },
    /// It found no window in any case, and in this one there is one.
    #[error("finds no window in any case, though in this one there is {0}")]
    FindsNothing(Window),
    /// It found nothing though a window exists.
    #[error("finds nothing, though there is {0}")]
    Missed(Window),
    /// A window of lesser value exists.
    #[error("finds {found}, of value {found_value}, though {best} has {best_value}")]
    NotBest {
        /// The window that it found.
        found: Window,
        /// Its value.
        found_value: f64,
        /// The better window.
        best: Window,
        /// Its value.
        best_value: f64,
    },
    /// It claims that its starts are monotone, but an earlier start exists, or it found no window.
    #[error("says that its starts are monotone, and starts at {found:?} where {earliest:?} is possible")]
    NotEarliest {
        /// Its start.
        found: Option<Time>,
        /// The earliest of all windows.
        earliest: Option<Time>,
    },
    /// The alternatives search, which resumes where starts are monotone, gives another result than one that
    /// starts from the beginning each time.
    #[error("the alternatives of a batch differ when the search is resumed")]
    Resuming,
}

type Value<'a> = &'a dyn Fn(&Window, &SlotList) -> f64;

/// Checks a [`WindowSearch`]: that its windows keep to its [`rules`](WindowSearch::rules) and start in time;
/// that it gives the same window with any memory, and with and without a limit; that its starts are the
/// earliest if it claims that they are monotone; that it finds a window in some case, if there is one in any;
/// and, if required, that it misses no window, and none of less value.
///
/// ```
/// use econsched::slot_window::{Objective, Optimal};
/// use econsched::testkit::{Cases, SearchCheck, SearchFault};
/// let cheapest = Optimal::new(Objective::Cost);
/// let check = SearchCheck::new(&cheapest).with_completeness();
/// check.with_value(&|window, _| window.cost().get()).run(&Cases::new(50))?;
/// // But its windows are not those of least finish.
/// let broken = check.with_value(&|window, _| window.finish().get()).run(&Cases::new(200));
/// assert!(matches!(broken.map_err(|broken| broken.fault), Err(SearchFault::NotBest { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct SearchCheck<'a> {
    search: &'a dyn WindowSearch,
    complete: bool,
    value: Option<Value<'a>>,
}

impl std::fmt::Debug for SearchCheck<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("SearchCheck");
        debug.field("search", &self.search).field("complete", &self.complete).finish_non_exhaustive()
    }
}

impl<'a> SearchCheck<'a> {
    /// The check that every search must pass.
    pub fn new(search: &'a dyn WindowSearch) -> Self {
        Self { search, complete: false, value: None }
    }

    /// Checks also that it finds a window wherever its rules allow one.
    pub fn with_completeness(self) -> Self {
        Self { complete: true, ..self }
    }

    /// Checks also that the window found has the least value of all windows that start where a slot does, or
    /// at `from`.
    pub fn with_value(self, value: Value<'a>) -> Self {
        Self { value: Some(value), ..self }
    }

    /// Runs all cases, up to the first fault.
    ///
    /// # Errors
    /// The first fault, with its case.
    pub fn run(&self, cases: &Cases) -> Result<Passed, Box<Broken<SearchCase, SearchFault>>> {
        let passed = run_counted(cases, SearchCase::draw, |case| self.judge(case))?;
        if passed.found > 0 {
            return Ok(passed);
        }
        let drawn = (0..cases.count).map(|number| SearchCase::draw(&mut Draw::of_case(cases.seed, number)));
        let missed = drawn.enumerate().find_map(|(number, case)| {
            let window = all_windows(&case, self.search.rules()).into_iter().next()?;
            let searched = self.judge(&case) == Ok(Made::NotFound);
            searched.then_some(Broken { number, case, fault: SearchFault::FindsNothing(window) })
        });
        missed.map_or(Ok(passed), |missed| Err(Box::new(missed)))
    }

    /// Checks one case. Returns whether the search gave an answer: one that stops at its own default limit is
    /// skipped.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, case: &SearchCase) -> Result<bool, SearchFault> {
        self.judge(case).map(|made| made != Made::Nothing)
    }

    fn judge(&self, case: &SearchCase) -> Result<Made, SearchFault> {
        guarded(|| self.answers(case)).map_err(SearchFault::Panic)?
    }

    fn answers(&self, case: &SearchCase) -> Result<Made, SearchFault> {
        let SearchCase { slots, request, from } = case;
        let search = self.search;
        if search.name().is_empty() {
            return Err(SearchFault::NoName);
        }
        let mut scratch = SearchScratch::new();
        let first = match search.find(slots, request, *from, &mut scratch) {
            Err(WindowError::Stopped { .. }) => return Ok(Made::Nothing),
            first => first.map_err(SearchFault::Error)?,
        };
        if let Some(window) = &first {
            let violations = Checker::new(slots, search.rules()).window(window, request);
            if !violations.is_empty() {
                return Err(SearchFault::Violations(violations));
            }
            if window.start() < *from {
                return Err(SearchFault::TooEarly { from: *from, start: window.start() });
            }
        } else {
            search
                .refusal(&WindowQuery::new(slots, request, *from), &mut scratch)
                .map_err(SearchFault::Error)?;
        }
        for memory in [&mut scratch, &mut SearchScratch::new()] {
            let second = search.find(slots, request, *from, memory).map_err(SearchFault::Error)?;
            if second != first {
                return Err(SearchFault::Unsteady { first, second });
            }
        }
        let within = search
            .find_within(
                &WindowQuery::new(slots, request, *from),
                &mut Limit::default().meter(),
                &mut scratch,
            )
            .map_err(SearchFault::Error)?
            .incumbent;
        if within != first {
            return Err(SearchFault::Within { find: first, within });
        }
        let made = if first.is_some() { Made::Found } else { Made::NotFound };
        self.against_all(case, first)?;
        if search.starts_are_monotone() {
            self.resumes(case)?;
        }
        Ok(made)
    }

    fn against_all(&self, case: &SearchCase, found: Option<Window>) -> Result<(), SearchFault> {
        let all = all_windows(case, self.search.rules());
        if self.search.starts_are_monotone() {
            let earliest = all.iter().map(Window::start).min();
            let start = found.as_ref().map(Window::start);
            if start != earliest {
                return Err(SearchFault::NotEarliest { found: start, earliest });
            }
        }
        let Some(found) = found else {
            return match all.into_iter().next() {
                Some(window) if self.complete => Err(SearchFault::Missed(window)),
                _ => Ok(()),
            };
        };
        let Some(value) = self.value else { return Ok(()) };
        let value = |window: &Window| value(window, &case.slots);
        match all.into_iter().min_by(|a, b| value(a).total_cmp(&value(b))) {
            Some(best) if value(&best) < value(&found) => {
                let (best_value, found_value) = (value(&best), value(&found));
                Err(SearchFault::NotBest { found, found_value, best, best_value })
            }
            _ => Ok(()),
        }
    }

    /// All alternatives of a batch of two such jobs, resumed and anew.
    fn resumes(&self, case: &SearchCase) -> Result<(), SearchFault> {
        const MOST: usize = 8;
        let jobs = [1, 2].map(|id| Job::new(JobId(id), case.request)).to_vec();
        let Ok(batch) = Batch::new(jobs) else { return Ok(()) };
        let error = SearchFault::Error;
        // A cap on the alternatives, so that the limit never stops a search whose work is proportional to the
        // list.
        let resumed = AlternativesSearch::new(self.search).with_max_per_job(MOST);
        let resumed = resumed.find(&case.slots, &batch, case.from).map_err(error)?;
        let anew = AlternativesSearch::new(Anew(self.search)).with_max_per_job(MOST);
        let anew = anew.find(&case.slots, &batch, case.from).map_err(error)?;
        let same = resumed.rest() == anew.rest() && resumed.jobs().eq(anew.jobs());
        if same { Ok(()) } else { Err(SearchFault::Resuming) }
    }
}
