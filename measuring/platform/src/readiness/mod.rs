//! Whether a machine is fit for deadlines: every known knob, what it should be, and why.
//!
//! A check reads what is effective, never what was meant, and answers ok, finding, not applicable or unknown. What cannot
//! be read is unknown, never ok by absence: containers hide processes, guests hide hosts. Policies and locks are tried.
//! What shows only while measuring (page faults, interrupts and stolen time during a run) is the run's to say.

mod check;
mod debug;
mod guest;
mod hardware;
mod housekeeping;
mod interrupts;
mod isolation;
mod kernel;
mod machine;
mod memory;
mod network;
mod power;
mod result;
mod throttling;
mod timers;
mod userspace;

pub use result::{Change, CheckOutcome, CheckResult, Scenario};

use crate::root::Root;

/// The themes, in the order in which results are shown.
const THEMES: [&[check::Check]; 13] = [
    kernel::CHECKS,
    timers::CHECKS,
    power::CHECKS,
    isolation::CHECKS,
    interrupts::CHECKS,
    throttling::CHECKS,
    memory::CHECKS,
    housekeeping::CHECKS,
    hardware::CHECKS,
    debug::CHECKS,
    guest::CHECKS,
    userspace::CHECKS,
    network::CHECKS,
];

/// Makes every check. Reads a few thousand files, tries each scheduling policy for a moment in a thread of its own, and
/// changes nothing. Takes tens of milliseconds.
pub fn check(root: &Root, scenario: &Scenario) -> Vec<CheckResult> {
    let machine = machine::Machine::read(root, scenario);
    THEMES.into_iter().flatten().map(|check| check.run(&machine)).collect()
}
