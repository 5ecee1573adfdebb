//! The interrupt line of a probe: who raises it, which device's it is, where its handler and its task run.

use crate::toml_values;
use prazo_core::time::Duration;
use prazo_run::source::{HandlerPlace, InterruptDevice, InterruptSource, TaskSide, Trigger};
use serde::Deserialize;

/// A probe's `interrupt = { ... }`. What is left out is Regnier 2008's first set-up as every machine of the lab has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InterruptLine {
    /// What raises it.
    pub trigger: Trigger,
    /// The processor of a timer that triggers; absent is the measured one.
    pub trigger_cpu: Option<u32>,
    /// The card on which frames trigger.
    pub card: Option<String>,
    /// A timer's period is longer by up to this, evenly and drawn from the repeat's seed; a guest's own frames leave up to this late.
    #[serde(deserialize_with = "toml_values::duration")]
    pub jitter: Duration,
    /// The device behind the line.
    pub device: Device,
    /// Where the handler runs.
    pub handler: HandlerPlace,
    /// Real-time priority of the handler's thread; absent is the kernel's, 50.
    pub thread_priority: Option<u8>,
    /// Where the task lives.
    pub task: TaskSide,
}

/// The devices of virtual machines, whose lines need no wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Device {
    /// QEMU's parallel port.
    ParallelPort,
    /// QEMU's `edu`.
    Edu,
}

impl Default for InterruptLine {
    fn default() -> Self {
        Self {
            trigger: Trigger::Hrtimer,
            trigger_cpu: None,
            card: None,
            jitter: Duration::from_us(500),
            device: Device::ParallelPort,
            handler: HandlerPlace::Kernel,
            thread_priority: None,
            task: TaskSide::Kernel,
        }
    }
}

impl InterruptLine {
    /// The source of a plan that measures on processor `cpu`; a guest sends itself the frames that trigger, elsewhere another
    /// station does, whose jitter is its own.
    pub fn source(&self, cpu: u32, is_in_guest: bool) -> InterruptSource {
        let is_sent_here = is_in_guest || self.trigger != Trigger::Frame;
        InterruptSource {
            trigger: self.trigger,
            trigger_cpu: self.trigger_cpu.unwrap_or(cpu),
            card: self.card.clone(),
            jitter: if is_sent_here { self.jitter } else { Duration::ZERO },
            device: match self.device {
                Device::ParallelPort => InterruptDevice::first_parallel_port(),
                Device::Edu => InterruptDevice::Edu,
            },
            handler: self.handler,
            thread_priority: self.thread_priority,
            task: self.task,
        }
    }

    /// What contradicts itself, if anything does: the problem and its remedy.
    pub fn contradiction(&self) -> Option<(String, String)> {
        let found = |problem: &str, remedy: &str| Some((problem.to_owned(), remedy.to_owned()));
        match (self.trigger, &self.card, self.trigger_cpu) {
            (Trigger::Frame, None, _) => {
                found("trigger = \"frame\" needs a network card", "name the card, as in card = \"eth1\"")
            }
            (Trigger::Hrtimer | Trigger::OtherCpu, Some(_), _) => {
                found("card is only for trigger = \"frame\"", "remove card, or write trigger = \"frame\"")
            }
            (Trigger::OtherCpu, _, None) => found(
                "trigger = \"other-cpu\" needs the number of the other processor",
                "name the processor, as in trigger_cpu = 1",
            ),
            _ => None,
        }
    }
}
