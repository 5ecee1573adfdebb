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
        "/dev/irqlat is not there, so the module irqlat is not loaded; give it with --module irqlat.ko (kmod/irqlat says how to build it)"
    )]
    NoModule,
    /// The device is root's.
    #[error("/dev/irqlat may not be opened; the module's device is root's")]
    NotAllowed,
    /// Somebody else measures.
    #[error("/dev/irqlat is in use; the module makes one measurement at a time, so wait for the other or end it")]
    Busy,
    /// The module came from another version.
    #[error(
        "the loaded module irqlat speaks another version than {}; remove it (rmmod irqlat) and load this version's",
        irqlat::ABI
    )]
    OtherVersion,
    /// The module could not do what was asked.
    #[error("asked for {requested}; the module answered {source} while it {step}; {remedy}")]
    Refused {
        /// What.
        requested: String,
        /// Where it came to.
        step: &'static str,
        /// What came back.
        source: io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// Another call on the device failed.
    #[error("the module irqlat could not be asked to {what}: {source}; its kernel's messages (dmesg) may say why")]
    Device {
        /// What was asked.
        what: &'static str,
        /// What came back.
        source: io::Error,
    },
    /// The task never came to its first wait.
    #[error(
        "the measured task did not come to wait within a second, so no trigger was sent; is something above its priority running all the time?"
    )]
    TaskNeverWaited,
    /// The reader could not be placed.
    #[error("asking for the usable processors failed: {0}; this kernel or container forbids what every run needs")]
    Place(#[source] io::Error),
    /// The reader's process could not be prepared.
    #[error(transparent)]
    Process(prazo_engine::ProbeError),
    /// The user task failed.
    #[error("the measured task's thread failed: {0}; nothing was measured")]
    Task(#[source] io::Error),
    /// A priority was refused.
    #[error(
        "asked for SCHED_FIFO {priority} for {who} (thread {pid}), and got {source}; it takes root or CAP_SYS_NICE"
    )]
    Priority {
        /// Whose.
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
        "asked for SCHED_FIFO {priority} for {who} (thread {pid}), and read back {effective:?}; something else sets it"
    )]
    PriorityNotEffective {
        /// Whose.
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
        "the priority of {who} (thread {pid}) could not be read: {source}; nothing is measured at a priority that is not known"
    )]
    PriorityUnread {
        /// Whose.
        who: &'static str,
        /// Its thread.
        pid: i32,
        /// What came back.
        source: io::Error,
    },
    /// This machine's own sender of the frames that trigger failed.
    #[error(
        "the sender of the frames that trigger failed: {0}; it takes two network cards on one wire, and root or CAP_NET_RAW"
    )]
    OwnFrames(#[source] io::Error),
    /// The samples could not be handed on.
    #[error("the samples could not be stored, so measuring was stopped: {0}")]
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
        (irqlat::STEP_PLAN, libc::ENXIO) => ("read the plan", "the measured processor is not online"),
        (irqlat::STEP_PLAN, libc::EOPNOTSUPP) => {
            ("read the plan", "this architecture has no such line; use another device")
        }
        (irqlat::STEP_PLAN, _) => ("read the plan", "a field cannot be; see docs/interrupt-module.md for its limits"),
        (irqlat::STEP_MEMORY, _) => ("made room for the samples", "free memory, or ask for fewer samples at once"),
        (irqlat::STEP_SOURCE, libc::EBUSY) => {
            ("claimed the device", "another driver has it; unload that one (lp, ppdev, parport_pc) and try again")
        }
        (irqlat::STEP_SOURCE, libc::EOPNOTSUPP) => {
            ("claimed the device", "this kernel has no gpiochips, or this one sleeps; use another line")
        }
        (irqlat::STEP_SOURCE, _) => (
            "looked for the device",
            "it is not in this machine; name another (--device), or give a virtual machine one",
        ),
        (irqlat::STEP_LINE, libc::EBUSY) => {
            ("asked for the line", "another driver has it and does not share it; unload that one")
        }
        (irqlat::STEP_LINE, _) => {
            ("asked for the line", "the line's number may be wrong (--irq), see /proc/interrupts")
        }
        (irqlat::STEP_AFFINE, _) => {
            ("moved the line", "its controller cannot move it; measure on the processor that it is on")
        }
        (irqlat::STEP_SILENT, _) => {
            ("raised the line to try it", "nothing came: wrong line number, no wire, or a device that is not QEMU's")
        }
        (irqlat::STEP_TRIGGER, libc::ENODEV) => ("looked for the card", "name one of `ip link`"),
        (irqlat::STEP_TRIGGER, libc::ENETDOWN) => ("looked at the card", "it is down: `ip link set NAME up`"),
        (irqlat::STEP_TRIGGER, libc::ENXIO) => ("looked for the processor", "it is not online"),
        (irqlat::STEP_TRIGGER, _) => (
            "looked at the trigger",
            "a period is at most an hour and not 0, and another processor is not the measured one",
        ),
        (irqlat::STEP_TASK, _) => ("made the task", "free memory or processes, and try again"),
        _ => ("prepared", "its kernel's messages (dmesg) may say why"),
    }
}
