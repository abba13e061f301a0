//! The run of a history: each step is given to the broker, and its answer is judged.

use super::books::Books;
use super::case::Step;
use crate::judge::{Verdict, ensure, part};
use econsched::live_broker::{Broker, Decision, Entry, Input, Standing};
use econsched::sched_model::{Job, JobId, Limit, Time, Work};
use econsched::slot_window::explain::Suggestion;
use econsched::testkit::beside;
use std::sync::atomic::{AtomicU32, Ordering};

/// A history that is being run.
pub(crate) struct Run {
    pub(super) broker: Broker,
    pub(super) books: Books,
    pub(super) now: Time,
    /// What was decided.
    pub(crate) decisions: Vec<Decision>,
    pub(crate) journal: Vec<Entry>,
}

impl Run {
    /// Gives the broker an input. Afterwards the broker must be sound, and unchanged after an error.
    pub(super) fn tell(&mut self, input: Input) -> Verdict<bool> {
        let before = self.broker.clone();
        let taken = match self.broker.handle(self.now, input.clone()) {
            Ok(entry) => {
                self.journal.push(entry);
                self.books.told(&input);
                true
            }
            Err(error) => {
                ensure!(self.broker == before, "changed by an input that is an error: {error}");
                false
            }
        };
        self.look()?;
        Ok(taken)
    }

    fn look(&mut self) -> Verdict {
        let wrong = self.broker.audit();
        ensure!(wrong.is_empty(), "audit: {}", wrong[0]);
        while let Some(decision) = self.broker.poll() {
            self.books.enter(&decision)?;
            self.decisions.push(decision);
        }
        Ok(())
    }

    fn accept(&mut self, job: Job, pick: usize, stale: bool) -> Verdict {
        let known = self.broker.standing(job.id).is_some();
        let Ok(quotes) = self.broker.quote(&job, 3, &Limit::default()) else {
            return Ok(());
        };
        let fresh = self.broker.now() == self.now && !known && !stale;
        let displacing =
            quotes.displacing.filter(|_| pick == 0 && !stale).map(|window| (window, quotes.victims));
        let free = quotes.windows.get(pick % quotes.windows.len().max(1));
        let Some((window, victims)) = displacing.or_else(|| Some((free?.clone(), Vec::new()))) else {
            return Ok(());
        };
        let (displaces, version) = (!victims.is_empty(), quotes.version.wrapping_sub(u64::from(stale)));
        let taken = self.tell(Input::Accept { job: job.clone(), window, version, victims })?;
        ensure!(!(stale && taken), "a stale quote is accepted");
        ensure!(taken || !fresh, "a quote of this instant for job {} is refused", job.id);
        let promised = displaces || self.broker.standing(job.id) == Some(Standing::Promised);
        ensure!(promised || !fresh, "job {} took a quote and has no promise", job.id);
        Ok(())
    }

    pub(super) fn restore(&mut self) -> Verdict {
        let text = serde_json::to_string(&self.broker)?;
        let broker: Broker = match serde_json::from_str(&text) {
            // Charges are products of quantities, and a product out of range is not read back.
            Err(error) if error.to_string().contains("at most 1e60") => return Ok(()),
            read => read?,
        };
        ensure!(serde_json::to_string(&broker)? == text, "read again, a snapshot differs");
        self.broker = broker;
        Ok(())
    }

    /// The journal, taken by a new broker, leads to the same state.
    pub(super) fn replay(&self) -> Verdict {
        let mut again = Broker::new(self.broker.config().clone())?;
        for entry in &self.journal {
            if let Err(error) = again.replay(entry) {
                ensure!(false, "entry {} is not repeated: {error}; {:?}", entry.number, entry.cycle);
            }
            while again.poll().is_some() {}
        }
        ensure!(again == self.broker, "repeated, the journal leads to another state");
        Ok(())
    }

    /// A snapshot with one changed value must give an error, or a broker that is sound and plans.
    fn damage(&self, place: u64) -> Verdict {
        let text = damaged(&serde_json::to_string(&self.broker)?, place);
        let Ok(mut broker) = serde_json::from_str::<Broker>(&text) else { return Ok(()) };
        let wrong = broker.audit();
        ensure!(wrong.is_empty(), "a damaged state is taken: {}", wrong[0]);
        let now = broker.now().max(self.now);
        let _ = broker.handle(now, Input::Wake);
        let wrong = broker.audit();
        ensure!(wrong.is_empty(), "a damaged state is planned on: {}", wrong[0]);
        Ok(())
    }

    fn explain(&self, job: JobId) -> Verdict {
        let before = self.broker.clone();
        let Ok(told) = self.broker.explain(job) else { return Ok(()) };
        ensure!(self.broker == before, "an explanation changes the state");
        let Some(view) = self.broker.job(job) else { return Ok(()) };
        let waits = view.standing == Standing::Waiting;
        ensure!(waits || told.refusal.is_none(), "no window for a job that does not wait");
        for suggestion in &told.suggestions {
            let (changed, _) = suggestion.apply(&view.job.request, &self.broker.free(), Time::ZERO)?;
            ensure!(changed != view.job.request, "{suggestion:?} changes nothing");
            if let (Suggestion::Budget(least), Some(budget)) = (suggestion, view.job.request.budget) {
                ensure!(*least > budget, "a budget of {least} is suggested where there is {budget}");
            }
        }
        Ok(())
    }

    pub(super) fn step(&mut self, step: &Step) -> Verdict {
        match step {
            Step::After(span) => {
                if let Ok(later) = Time::try_from(self.now.get() + span) {
                    self.now = later;
                }
            }
            Step::AtWakeup(steps) => {
                if let Some(wakeup) = self.broker.next_wakeup() {
                    self.now = part(Time::try_from(beside(wakeup.get(), *steps)))?.max(self.now);
                }
            }
            Step::Tell(input) => {
                if let Some(input) = self.later(input.clone()) {
                    self.tell(input)?;
                }
            }
            Step::WakeUntil(answers) => {
                let (answers, asked) = (*answers, AtomicU32::new(0));
                let signal = move || answers >> asked.fetch_add(1, Ordering::Relaxed).min(63) & 1 == 1;
                self.broker = self.broker.clone().with_signal(signal);
                self.tell(Input::Wake)?;
                self.broker = self.broker.clone().with_signal(|| false);
            }
            Step::Accept { job, pick, stale } => {
                if let Some(Input::Submit { job, .. }) = self.later(job.clone().into()) {
                    self.accept(job, *pick, *stale)?;
                }
            }
            Step::StartAll => {
                for job in std::mem::take(&mut self.books.unconfirmed) {
                    self.tell(Input::Started(job))?;
                }
            }
            Step::StopAll(done) => self.stop_all(*done)?,
            Step::Restore => self.restore()?,
            Step::Damage(place) => self.damage(*place)?,
            Step::Explain(id, _) => self.explain(JobId(*id))?,
        }
        Ok(())
    }

    fn stop_all(&mut self, done: f64) -> Verdict {
        for job in self.books.stopping.clone() {
            let left = self.broker.job(job).map_or(0.0, |view| view.job.request.work().get());
            let done = if done < left { done } else { 0.0 };
            if !self.books.unconfirmed.contains(&job) {
                self.tell(Input::Evicted { job, done: part(Work::try_from(done))? })?;
            }
        }
        Ok(())
    }

    /// The input with its instants counted from now; none where that is beyond all instants.
    fn later(&self, mut input: Input) -> Option<Input> {
        let shift = |time: &mut Time| {
            *time = Time::try_from(self.now.get() + time.get()).ok()?;
            Some(())
        };
        let job_later = |job: &mut Job| {
            if let Some(mut deadline) = job.request.deadline {
                shift(&mut deadline)?;
                job.request = job.request.clone().with_deadline(deadline);
            }
            let mut demands = job.request.demands().clone();
            if let Some(mut start) = demands.not_before {
                shift(&mut start)?;
                demands = demands.with_not_before(start);
            }
            if let Some(mut start) = demands.start {
                shift(&mut start)?;
                demands = demands.with_start(start);
            }
            job.request = job.request.clone().with_demands(demands);
            shift(&mut job.submit)
        };
        match &mut input {
            Input::Submit { job, .. } => job_later(job)?,
            Input::NodeDown { until: Some(until), .. } => shift(until)?,
            Input::Blocked { from, until, .. } | Input::Unblocked { from, until, .. } => {
                shift(from)?;
                shift(until)?;
            }
            _ => {}
        }
        Some(input)
    }
}

/// Changes one number, name or bracket of a text.
fn damaged(text: &str, place: u64) -> String {
    const PIECES: [&str; 9] = ["0", "-0.0", "1", "-1", "1e60", "5e-324", "null", "4294967295", "0.1"];
    let numbers: Vec<usize> = text
        .char_indices()
        .zip(text.chars().skip(1))
        .filter(|((_, before), letter)| !before.is_ascii_digit() && letter.is_ascii_digit())
        .map(|((at, before), _)| at + before.len_utf8())
        .collect();
    let Some(&start) = numbers.get(place as usize % numbers.len().max(1)) else { return text.to_owned() };
    let part = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | 'e' | 'E' | '+' | '-');
    let end = text[start..].find(|letter| !part(letter)).map_or(text.len(), |length| start + length);
    let piece = PIECES[(place / 97) as usize % PIECES.len()];
    format!("{}{piece}{}", &text[..start], &text[end..])
}
