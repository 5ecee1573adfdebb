//! Why an interrupt could not be measured: what was asked, what came back, what to do.

use super::setting::Setting;
use prazo_abi::irqlat::{self, Ready};
use std::io;

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum InterruptError {
    /// A setting that cannot be: a usage error.
    #[error("{0}")]
    Setting(String),
    /// The module is not loaded.
    #[error(
        "/dev/irqlat does not exist, because the module irqlat is not loaded; give \
         --module with the file irqlat.ko, or with the source folder kmod/irqlat, from which prazo builds and loads it"
    )]
    NoModule,
    /// The device is root's.
    #[error("permission to open /dev/irqlat was denied; run as root")]
    NotAllowed,
    /// Somebody else measures.
    #[error(
        "/dev/irqlat is in use; the module supports one measurement at a time: wait for the other measurement or end \
         it"
    )]
    Busy,
    /// The module came from another version.
    #[error(
        "the loaded module irqlat does not have interface version {}, which this prazo needs; remove it (rmmod irqlat) \
         and load the module of this prazo",
        irqlat::ABI
    )]
    OtherVersion,
    /// The module could not do what was asked.
    #[error("cannot measure with {requested}: the module returned {source} when it {step}; {remedy}")]
    Refused {
        /// The requested setting.
        requested: String,
        /// Where it came to.
        step: &'static str,
        /// What came back.
        source: io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// Another call on the device failed.
    #[error("the module irqlat could not {what}: {source}; the kernel's messages (dmesg) may name the cause")]
    Device {
        /// The request that failed.
        what: &'static str,
        /// What came back.
        source: io::Error,
    },
    /// The task never came to its first wait.
    #[error(
        "no trigger was sent, because the measured task was not ready within a second; look for a thread with a higher \
         priority that never sleeps"
    )]
    TaskNeverWaited,
    /// The reader could not be placed.
    #[error(
        "cannot read the list of usable processors: {0}; this kernel or container may forbid a system call that every \
         run needs"
    )]
    Place(#[source] io::Error),
    /// The reader's process could not be prepared.
    #[error(transparent)]
    Process(prazo_engine::ProbeError),
    /// The user task failed.
    #[error("the measurement failed, because the thread of the measured task failed: {0}")]
    Task(#[source] io::Error),
    /// A priority was refused.
    #[error("cannot give {who} (thread {pid}) SCHED_FIFO {priority}: {source}; run as root or with CAP_SYS_NICE")]
    Priority {
        /// The thread.
        who: &'static str,
        /// Its thread.
        pid: i32,
        /// What was asked.
        priority: u8,
        /// What came back.
        source: io::Error,
    },
    /// A priority was accepted, and another one was read back.
    #[error(
        "requested SCHED_FIFO {priority} for {who} (thread {pid}), read back {}; another program changes the policy of \
         this thread: stop that program and measure again",
        effective.map_or("no real-time priority".into(), |priority| format!("priority {priority}"))
    )]
    PriorityNotEffective {
        /// The thread.
        who: &'static str,
        /// Its thread.
        pid: i32,
        /// What was asked.
        priority: u8,
        /// What was read back.
        effective: Option<u8>,
    },
    /// A priority could not be read.
    #[error(
        "cannot read the priority of {who} (thread {pid}): {source}; nothing was measured, because its priority is \
         unknown"
    )]
    PriorityUnread {
        /// The thread.
        who: &'static str,
        /// Its thread.
        pid: i32,
        /// What came back.
        source: io::Error,
    },
    /// This machine's own sender of the frames that trigger failed.
    #[error(
        "cannot send the triggering frames: {0}; prazo needs two network cards that a cable connects, and root or \
         CAP_NET_RAW"
    )]
    OwnFrames(#[source] io::Error),
    /// The samples could not be handed on.
    #[error("the run was stopped because its samples could not be stored: {0}")]
    Sink(#[source] prazo_engine::SinkError),
}

impl InterruptError {
    /// The module refused to prepare: where, and what that means here.
    pub(super) fn refused(setting: &Setting, ready: &Ready, source: io::Error) -> Self {
        if source.raw_os_error() == Some(libc::EPROTO) || source.raw_os_error() == Some(libc::ENOTTY) {
            return Self::OtherVersion;
        }
        let requested = match ready.step {
            irqlat::STEP_TRIGGER => format!("triggers from {}", setting.trigger()),
            _ => setting.source.device.to_string(),
        };
        let (step, remedy) = explanation(ready.step, source.raw_os_error().unwrap_or_default());
        Self::Refused { requested, step, source, remedy }
    }

    /// True where other flags would help.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Setting(_))
    }
}

/// What the module was doing, and what to do about it.
fn explanation(step: u32, errno: i32) -> (&'static str, &'static str) {
    match (step, errno) {
        (irqlat::STEP_PLAN, libc::ENXIO) => {
            ("read the plan", "the measured processor is not online: bring it online, or give another --cpu")
        }
        (irqlat::STEP_PLAN, libc::EOPNOTSUPP) => {
            ("read the plan", "this architecture has no such interrupt line; choose another --device")
        }
        (irqlat::STEP_PLAN, _) => (
            "read the plan",
            "give at least one trigger (--count, --duration), and a --handler and a --task that `prazo measure interrupt --help` lists",
        ),
        (irqlat::STEP_MEMORY, _) => ("allocated memory for the samples", "free some memory and measure again"),
        (irqlat::STEP_SOURCE, libc::EBUSY) => (
            "claimed the device",
            "another driver uses the device; unload that driver (for a parallel port: lp, ppdev, parport_pc) and measure again",
        ),
        (irqlat::STEP_SOURCE, libc::EOPNOTSUPP) => (
            "claimed the device",
            "this kernel has no gpiochips, or access to this gpiochip can sleep; use a line of another gpiochip",
        ),
        (irqlat::STEP_SOURCE, _) => (
            "looked for the device",
            "this machine has no such device; choose another --device, or add the device to the virtual machine",
        ),
        (irqlat::STEP_LINE, libc::EBUSY) => (
            "requested the interrupt line",
            "another driver uses the interrupt line and does not share it; unload that driver",
        ),
        (irqlat::STEP_LINE, _) => (
            "requested the interrupt line",
            "the number of the interrupt line (--irq) may be wrong; see /proc/interrupts",
        ),
        (irqlat::STEP_AFFINE, _) => (
            "moved the interrupt line to the measured processor",
            "the interrupt controller cannot move the line to another processor; measure on the processor that handles \
             the line now",
        ),
        (irqlat::STEP_SILENT, _) => (
            "raised the interrupt line for a test",
            "no interrupt arrived: check the line number and the wiring; the devices parallel-port and edu work in \
             QEMU only",
        ),
        (irqlat::STEP_TRIGGER, libc::ENODEV) => {
            ("looked for the network card", "choose a network card that `ip link` lists")
        }
        (irqlat::STEP_TRIGGER, libc::ENETDOWN) => {
            ("checked the network card", "the card is down; run `ip link set NAME up`")
        }
        (irqlat::STEP_TRIGGER, libc::ENXIO) => (
            "looked for the triggering processor",
            "the triggering processor is not online: bring it online, or give another --trigger-cpu",
        ),
        (irqlat::STEP_TRIGGER, _) => (
            "checked the trigger",
            "give a --period above 0; --period and --jitter can be at most an hour; with --trigger other-cpu the triggering processor \
             must differ from the measured processor",
        ),
        (irqlat::STEP_TASK, _) => {
            ("started the task", "free memory or raise the limit on the number of processes, and measure again")
        }
        _ => ("prepared the measurement", "the kernel's messages (dmesg) may name the cause"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_priority_that_did_not_take_effect_is_named_or_said_to_be_none() {
        let told = |effective| {
            let error = InterruptError::PriorityNotEffective { who: "the task", pid: 7, priority: 80, effective };
            error.to_string()
        };
        assert!(told(Some(50)).starts_with("requested SCHED_FIFO 80 for the task (thread 7), read back priority 50;"));
        assert!(told(None).contains("read back no real-time priority;"), "{}", told(None));
    }
}
