//! The run of a history: each step is given to the broker, and its answer is judged.

use super::books::Books;
use super::case::Step;
use crate::json::{damaged, read_again};
use crate::judge::{Verdict, ensure, part};
use econsched::live_broker::{Broker, Decision, Entry, Input, Standing};
use econsched::sched_model::{Job, JobId, Limit, Time, Work};
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
        self.broker = read_again(&self.broker)?.unwrap_or_else(|| self.broker.clone());
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

    /// A snapshot of which a part was changed must give an error, or a broker that is sound and plans.
    fn damage(&self, place: u64) -> Verdict {
        let state = damaged(&serde_json::to_value(&self.broker)?, place as usize, (place / 97) as usize);
        let Ok(mut broker) = serde_json::from_str::<Broker>(&state.to_string()) else { return Ok(()) };
        let wrong = broker.audit();
        ensure!(wrong.is_empty(), "a damaged state is taken: {}", wrong[0]);
        let _ = broker.handle(broker.now().max(self.now), Input::Wake);
        let wrong = broker.audit();
        ensure!(wrong.is_empty(), "a damaged state is planned on: {}", wrong[0]);
        Ok(())
    }

    fn explain(&self, job: JobId) -> Verdict {
        let before = self.broker.clone();
        let told = self.broker.explain(job);
        ensure!(self.broker == before, "an explanation changes the state");
        let waits = self.broker.standing(job) == Some(Standing::Waiting);
        let refused = told.is_ok_and(|told| told.refusal.is_some());
        ensure!(waits || !refused, "no window for a job that does not wait");
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
        match &mut input {
            Input::Submit { job: Job { request, submit, .. }, .. } => {
                let mut demands = request.demands().clone();
                let times = [&mut request.deadline, &mut demands.not_before, &mut demands.start];
                times.into_iter().flatten().chain([submit]).try_for_each(shift)?;
                *request = request.clone().with_demands(demands);
            }
            Input::NodeDown { until: Some(until), .. } => shift(until)?,
            Input::Blocked { from, until, .. } | Input::Unblocked { from, until, .. } => {
                [from, until].into_iter().try_for_each(shift)?;
            }
            _ => {}
        }
        Some(input)
    }
}
