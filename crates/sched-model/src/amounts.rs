//! CPUs, memory and GPUs together.

use crate::Machine;
use std::fmt;

/// The CPUs, memory and GPUs that a job takes of a machine together.
///
/// Memory is counted in whole units of the caller's choice, the same for jobs and machines.
///
/// ```
/// use sched_model::*;
/// let machine = Machine::new(MachineId(0), 16, Speed::ETALON, Price::ZERO)?.with_memory(64);
/// let asked = Amounts::of_cpus(8).with_memory(96).with_gpus(2);
/// assert_eq!(asked.to_string(), "8 CPUs, 96 of memory, 2 GPUs");
/// // GPUs are not counted on this machine.
/// assert_eq!(asked.beyond(&machine), Some(("memory", 96, 64)));
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct Amounts {
    /// CPUs.
    pub cpus: u32,
    /// Memory, of all CPUs together.
    #[cfg_attr(feature = "serde", serde(default))]
    pub memory: u32,
    /// GPUs.
    #[cfg_attr(feature = "serde", serde(default))]
    pub gpus: u32,
}

impl Amounts {
    /// So many CPUs, no memory and no GPU.
    pub const fn of_cpus(cpus: u32) -> Self {
        Self { cpus, memory: 0, gpus: 0 }
    }

    /// The same with this amount of memory.
    pub const fn with_memory(self, memory: u32) -> Self {
        Self { memory, ..self }
    }

    /// The same with so many GPUs.
    pub const fn with_gpus(self, gpus: u32) -> Self {
        Self { gpus, ..self }
    }

    /// The first amount of which the machine has too little, if there is one: its name, the amount asked for
    /// and the amount that the machine has. An amount that the machine does not count is always enough.
    pub fn beyond(&self, machine: &Machine) -> Option<(&'static str, u32, u32)> {
        let all = [
            ("CPUs", self.cpus, Some(machine.cpus())),
            ("memory", self.memory, machine.memory()),
            ("GPUs", self.gpus, machine.gpus()),
        ];
        all.into_iter()
            .find_map(|(what, asked, has)| has.filter(|&has| asked > has).map(|has| (what, asked, has)))
    }
}

impl fmt::Display for Amounts {
    /// `8 CPUs, 96 of memory, 2 GPUs`, without amounts of 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let several = |count: u32| if count == 1 { "" } else { "s" };
        let Self { cpus, memory, gpus } = *self;
        write!(f, "{cpus} CPU{}", several(cpus))?;
        if memory > 0 {
            write!(f, ", {memory} of memory")?;
        }
        if gpus > 0 {
            write!(f, ", {gpus} GPU{}", several(gpus))?;
        }
        Ok(())
    }
}
