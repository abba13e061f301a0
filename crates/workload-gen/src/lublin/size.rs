//! How many processors a job takes.

use super::{LOG_SIZE_OF_TABLE, LublinClass};
use crate::WorkloadError;
use crate::error::require;
use crate::range;
use crate::sample::{Distribution, TwoStageUniform, unit};
use rand::Rng;
use sched_model::elementary::{exp, ln};
use std::f64::consts::LN_2;

pub(super) struct Sizes {
    serial: f64,
    power_of_two: f64,
    log_size: TwoStageUniform,
    system_size: u32,
}

impl Sizes {
    pub(super) fn new(class: &LublinClass, system_size: u32) -> Result<Self, WorkloadError> {
        range::probability("serial", class.serial)?;
        range::probability("power_of_two", class.power_of_two)?;
        range::probability("serial + power_of_two", class.serial + class.power_of_two)?;
        require(system_size > 0, "system_size", system_size, "at least 1")?;
        // The published bounds must hold before the shift; after it, a small system may limit the lower ones.
        let bounds = || format!("{} / {} / {}", class.u_low, class.u_med, class.u_high);
        let bad_bounds =
            || WorkloadError::parameter("u_low / u_med / u_high", bounds(), "in order, each in [0, 32]");
        let in_order = class.u_low >= 0.0
            && class.u_low <= class.u_med
            && class.u_med <= class.u_high
            && class.u_high <= 32.0;
        if !in_order {
            return Err(bad_bounds());
        }
        range::probability("u_prob", class.u_prob)?;
        let shift = ln(f64::from(system_size)) / LN_2 - LOG_SIZE_OF_TABLE;
        let high = (class.u_high + shift).max(0.0);
        let low = class.u_low.min(high);
        let middle = (class.u_med + shift).clamp(low, high);
        let log_size = TwoStageUniform::new(low, middle, high, class.u_prob).map_err(|_| bad_bounds())?;
        Ok(Sizes { serial: class.serial, power_of_two: class.power_of_two, log_size, system_size })
    }

    pub(super) fn sample(&self, rng: &mut dyn Rng) -> u32 {
        // One draw decides both questions: serial, and power of two.
        let u = unit(rng);
        if u <= self.serial {
            return 1;
        }
        let mut log_size = self.log_size.sample(rng);
        if u <= self.serial + self.power_of_two {
            log_size = (log_size + 0.5).floor();
        }
        self.round(log_size)
    }

    fn round(&self, log_size: f64) -> u32 {
        let size = (exp(log_size * LN_2) + 0.5).floor();
        size.clamp(1.0, f64::from(self.system_size)) as u32
    }

    pub(super) fn probabilities(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.system_size as usize + 1];
        shares[1] += self.serial;
        let mut before = 0.0;
        for power in 0..=64 {
            let log_size = f64::from(power);
            let until = self.log_size.cdf(log_size + 0.5);
            shares[self.round(log_size) as usize] += self.power_of_two * (until - before);
            before = until;
        }
        let rest = 1.0 - self.serial - self.power_of_two;
        let mut before = 0.0;
        for size in 1..=self.system_size {
            let last = size == self.system_size;
            let until = if last { 1.0 } else { self.log_size.cdf(ln(f64::from(size) + 0.5) / LN_2) };
            shares[size as usize] += rest * (until - before);
            before = until;
        }
        shares
    }
}
