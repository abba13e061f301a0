//! Window searches, compared with every window that exists.

use super::oracle;
use super::{Check, Draw, Family, Fault, SearchCase, Seen, Stopped, ensure};
use sched_model::check::{Checker, Rules};
use sched_model::{
    Batch, End, Job, JobId, Limit, Meter, Outcome, Refusal, ResourceRequest, SlotList, Time, Window,
};
use slot_window::{AlternativesSearch, WindowError, WindowQuery, WindowSearch};
use std::fmt;

/// The value of a window; less is better.
type Value<'a> = Box<dyn Fn(&Window, &SlotList) -> f64 + 'a>;

/// A window search, with its promises: see [`search`].
#[must_use]
pub struct Searches<'a> {
    search: &'a dyn WindowSearch,
    complete: bool,
    value: Option<Value<'a>>,
    earliest: bool,
}

impl fmt::Debug for Searches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Searches");
        debug.field("search", &self.search).field("complete", &self.complete).finish_non_exhaustive()
    }
}

/// Checks a [`WindowSearch`]. Kinds of faults: `no name`; `error`; `rules` (a window breaks the rules of the
/// search), `too early`, `too late`; `no reason` (neither a window nor a
/// reason, or both); `unsteady` (another window, value, bound or work with a used meter than with a new one or with
/// the demands compiled before; another window by `find`); `ignores the limit` (it finds a window without work);
/// `observer` (the best values or bounds that it receives do not improve, or the last value is another than the
/// answer's); `not earliest` and `resuming` (the alternatives of a batch differ when each search resumes at an earlier
/// start) if the search states that its starts are monotone; `missed`, `not best` and `bound` if completeness or a
/// value is promised; and those of [limits](super::Stops).
///
/// ```
/// use econsched::slot_window::{Objective, Optimal};
/// use econsched::testkit;
/// let cheapest = Optimal::new(Objective::Cost);
/// let check = testkit::search(&cheapest).with_completeness();
/// check.with_value(|window, _| window.cost().get()).run(50)?;
/// // But its windows are not those that end first, nor do they end earlier with more work.
/// let fault = testkit::search(&cheapest).with_value(|window, _| window.finish().get()).run(200).unwrap_err();
/// assert!(["not best", "worse with more"].contains(&fault.kind));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn search(search: &dyn WindowSearch) -> Check<Searches<'_>> {
    Check::new(Searches { search, complete: false, value: None, earliest: false })
}

impl<'a> Check<Searches<'a>> {
    /// The search finds a window whenever its rules allow one.
    pub fn with_completeness(mut self) -> Self {
        self.family.complete = true;
        self
    }

    /// Among the windows of minimum value, the search finds one that starts first.
    pub fn with_earliest_start(mut self) -> Self {
        self.family.earliest = true;
        self
    }

    /// The window found has the minimum value of all windows that start where a slot does, or at the earliest start.
    pub fn with_value(mut self, value: impl Fn(&Window, &SlotList) -> f64 + 'a) -> Self {
        self.family.value = Some(Box::new(value));
        self
    }
}

/// No whole search does more work than this.
const MOST: u64 = 400_000;

/// With at most this many nodes, every window is tried.
const FEW: usize = 8;

impl Family for Searches<'_> {
    type Case = SearchCase;

    fn draw(draw: &mut Draw) -> SearchCase {
        SearchCase::draw(draw)
    }

    fn judge(&self, case: &SearchCase) -> Result<Seen, Fault> {
        let (slots, request, from) = (case.slots()?, &case.request, case.from);
        ensure(!self.search.name().is_empty(), "no name", || "the name is empty")?;
        let eligible = slots.eligible(request.demands());
        let query = WindowQuery::new(&slots, request).with_from(from);
        let all =
            (case.nodes.len() <= FEW).then(|| oracle::windows(&slots, request, from, self.search.rules()));
        let within = |query: &WindowQuery<'_>| self.run(query, &mut Limit::default().with_work(MOST).meter());
        let whole = within(&query)?;
        if whole.end != End::Done {
            return Ok(Seen::skipped());
        }
        let found = &whole.answer;
        let best = match &all {
            Some(all) => self.against(&slots, all, found.as_ref())?,
            None => None,
        };
        let lent = within(&query.with_eligible(&eligible))?;
        let unsteady = || format!("{found:?}, and with demands compiled before {:?}", lent.answer);
        ensure(lent == whole, "unsteady", unsteady)?;
        case.stops.check(MOST, |limit| {
            let stopped = Stopped::within(limit, |meter| self.run(&query, meter))?;
            if let (Some(bound), Some(best)) = (stopped.bound, best) {
                ensure(bound <= best, "bound", || format!("the bound is {bound}, and {best} is possible"))?;
            }
            Ok(stopped)
        })?;
        if let Some(window) = found {
            let before = window.start();
            let sooner = within(&query.with_start_before(before))?.answer;
            let missed = self.complete
                && sooner.is_none()
                && all.iter().flatten().any(|window| window.start() < before);
            ensure(!missed, "missed", || format!("there is a window before {before}"))?;
        }
        let again = self.search.find(&query)?;
        let reason = again.refusal.is_some() == found.is_none();
        ensure(reason, "no reason", || format!("{:?} as the reason", again.refusal))?;
        let again = again.best;
        ensure(again == *found, "unsteady", || format!("{found:?} by solve, {again:?} by find"))?;
        if request.demands().is_empty() && self.search.starts_are_monotone() {
            self.resumes(&slots, request, from)?;
        }
        let solvable = all.is_some_and(|all| !all.is_empty());
        Ok(if found.is_some() { Seen::solved() } else { Seen::unsolved(solvable) })
    }
}

impl Searches<'_> {
    /// Searches once, and judges the window on its own.
    fn run(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Stopped<Option<Window>>, Fault> {
        let outcome = Outcome::on(meter, |meter| self.search.solve(query, meter))?;
        let work = meter.work();
        if let Some(window) = &outcome.best {
            ensure(work > 0, "ignores the limit", || format!("finds {window} without work"))?;
            let wrong = Checker::new(query.slots, self.search.rules()).window(window, query.request);
            ensure(wrong.is_empty(), "rules", || {
                wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
            })?;
            let (start, from) = (window.start(), query.from);
            ensure(start >= from, "too early", || format!("a window starts at {start}, before {from}"))?;
            if let Some(before) = query.before {
                ensure(start < before, "too late", || {
                    format!("a window starts at {start}, not before {before}")
                })?;
            }
        }
        let value = outcome.best.as_ref().and_then(|window| Some(self.value.as_ref()?(window, query.slots)));
        let counts = |sign: f64| value.is_some() && outcome.value.map(|own| sign * own) == value;
        Ok(Stopped {
            rank: 0.0,
            value,
            // Only if the search counts in the promised value, or in its negative. A value of 0 may be either, so
            // both readings must hold.
            bound: match (counts(1.0), counts(-1.0)) {
                (true, true) => outcome.bound.map(|bound| -bound.abs()),
                (true, _) => outcome.bound,
                (_, true) => outcome.bound.map(|bound| -bound),
                _ => None,
            },
            work,
            end: outcome.end,
            answer: outcome.best,
        })
    }

    /// Compares the window found with all windows. Returns the minimum value of any.
    fn against(
        &self,
        slots: &SlotList,
        all: &[Window],
        found: Option<&Window>,
    ) -> Result<Option<f64>, Fault> {
        if self.search.starts_are_monotone() {
            let (start, earliest) = (found.map(Window::start), all.iter().map(Window::start).min());
            ensure(start == earliest, "not earliest", || {
                format!("starts are said to be monotone: {start:?}, and {earliest:?} is possible")
            })?;
        }
        let measure = |window: &Window| self.value.as_ref().map(|value| value(window, slots));
        let best = all.iter().filter_map(measure).min_by(f64::total_cmp);
        let Some(found) = found else {
            let missed = all.first().filter(|_| self.complete);
            return missed.map_or(Ok(best), |window| {
                Err(Fault::new("missed", format!("finds nothing, and there is {window}")))
            });
        };
        let (Some(value), Some(least)) = (measure(found), best) else { return Ok(best) };
        ensure(value <= least, "not best", || {
            format!("{found} has the value {value}, and {least} is possible")
        })?;
        let first = all.iter().filter(|window| measure(window) <= best).map(Window::start).min();
        ensure(!self.earliest || Some(found.start()) == first, "not earliest", || {
            format!("{found}, and a window of the value {least} starts at {first:?}")
        })?;
        Ok(best)
    }

    /// If starts are monotone, the alternatives of a batch of two such jobs are the same when each search resumes at an
    /// earlier start. The cap keeps the limit from stopping a search whose work is proportional to the list.
    fn resumes(&self, slots: &SlotList, request: &ResourceRequest, from: Time) -> Result<(), Fault> {
        let jobs = [1, 2].map(|id| Job::new(JobId(id), request.clone())).to_vec();
        let batch = Batch::new(jobs)?;
        let find = |search: &dyn WindowSearch| {
            let search = AlternativesSearch::new(search).with_max_per_job(8);
            let found = search.find(slots, &batch, from)?;
            Ok::<_, Fault>((found.rest, found.jobs))
        };
        let same = find(self.search)? == find(&Anew(self.search))?;
        ensure(same, "resuming", || "the alternatives of a batch differ when the search is resumed")
    }
}

/// The same search, except that [`starts_are_monotone`](WindowSearch::starts_are_monotone) is false: callers
/// search from the beginning instead of resuming at an earlier start. The windows are the same, with more work, so
/// comparing both tests whether the search's statement is true.
///
/// ```
/// use econsched::sched_model::*;
/// use econsched::slot_window::{AlternativesSearch, Amp};
/// use econsched::testkit::Anew;
/// let node = Node::must(1, 1.0, 1.0);
/// let slots = SlotList::from_nodes(&[node], &[], Time::ZERO, Time::must(50.0))?;
/// let batch = Batch::new(vec![Job::new(JobId(1), ResourceRequest::new(1, Work::must(20.0))?)])?;
/// let found = AlternativesSearch::new(Amp::new()).find(&slots, &batch, Time::ZERO)?;
/// let anew = AlternativesSearch::new(Anew(Amp::new())).find(&slots, &batch, Time::ZERO)?;
/// assert!(found.jobs == anew.jobs);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Anew<S>(pub S);

impl<S: WindowSearch> WindowSearch for Anew<S> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn rules(&self) -> Rules {
        self.0.rules()
    }

    fn solve(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Outcome<Window>, WindowError> {
        self.0.solve(query, meter)
    }

    fn refusal(&self, query: &WindowQuery<'_>, meter: &mut Meter) -> Result<Refusal, WindowError> {
        self.0.refusal(query, meter)
    }
}
