//! CPUs that fail under a scheduler, and jobs that their owners cancel.
//!
//! The CPUs of a resource are alike. So if any CPU is free for as long as the failed one is expected to be down, it
//! takes the place of the failed one. Otherwise the job or reservation with the latest start loses its CPUs. A job of
//! the broker then waits again, pays nothing for what it did, and is placed anew in a later cycle; a local job is
//! lost.

use super::brokered::Brokered;
use crate::SimError;
use crate::cluster::Holder;
use crate::fault_load::Outage;
use crate::log::LogEvent;
use crate::report::{Ending, JobRecord, Part};
use sched_model::{Money, Time};

impl Brokered<'_> {
    /// Takes a CPU down for the outage with index `at`.
    pub(super) fn fail(&mut self, now: Time, at: usize) -> Result<(), SimError> {
        let Outage { machine, cpu, until, announced, .. } = self.grid.faults.outages[at];
        if self.down.contains_key(&(machine, cpu)) {
            return Ok(());
        }
        // Where the return of the CPU is not announced, an instant after everything that is planned.
        let until = if announced { until } else { Time::must(1e59) };
        while let Some(holder) = self.stations[machine].cluster.in_the_way(now, until)? {
            match holder {
                Holder::Local(job) => self.stations[machine].lose_local(now, job, &mut self.log)?,
                Holder::Reserved(job) => {
                    let Some(&index) = self.index.get(&job) else { break };
                    self.lose(now, index)?;
                    // The job waits again as if it had never run.
                    self.records[index] = JobRecord::from(&self.jobs[index].job);
                    self.log.note(now, None, LogEvent::Lost(job));
                    self.pending.push(index);
                    self.request_cycle(now, false)?;
                }
            }
        }
        let station = &mut self.stations[machine];
        station.cluster.take_down(now, until)?;
        self.down.insert((machine, cpu), (until, at));
        station.request_pass(now);
        self.schedule_agenda(machine)
    }

    /// Brings a CPU back at the end of the outage with index `at`, unless another outage has it down.
    pub(super) fn bring_back(&mut self, now: Time, at: usize) -> Result<(), SimError> {
        let Outage { machine, cpu, .. } = self.grid.faults.outages[at];
        let Some((until, _)) = self.down.get(&(machine, cpu)).copied().filter(|(_, of)| *of == at) else {
            return Ok(());
        };
        self.down.remove(&(machine, cpu));
        let station = &mut self.stations[machine];
        station.cluster.bring_back(now, until)?;
        station.request_pass(now);
        self.schedule_agenda(machine)
    }

    /// Cancels a job that waits, runs or has a reservation.
    pub(super) fn cancel(&mut self, now: Time, index: usize) -> Result<(), SimError> {
        let waits = self.pending.contains(&index);
        if !waits && !self.held.contains_key(&index) {
            return Ok(());
        }
        self.pending.retain(|&waiting| waiting != index);
        self.lose(now, index)?;
        self.log.note(now, None, LogEvent::Cancelled(self.records[index].id));
        self.records[index].ending = Ending::Cancelled;
        Ok(())
    }

    /// Removes a job from all resources on which it runs or has a reservation; it pays for none of its parts.
    fn lose(&mut self, now: Time, index: usize) -> Result<(), SimError> {
        let job = self.jobs[index].job.id;
        let held = self.held.remove(&index).unwrap_or_default();
        let mut parts: Vec<Part> =
            held.ended.into_iter().map(|part| Part { cost: Money::ZERO, ..part }).collect();
        for resource in held.on {
            parts.extend(self.stations[resource].lose_reserved(now, job)?);
            self.schedule_agenda(resource)?;
        }
        self.records[index].parts = parts;
        Ok(())
    }
}
