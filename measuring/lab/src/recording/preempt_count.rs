//! The parts of Linux's preempt count (include/linux/preempt.h), as x86-64 has it; the plugin makes the same of that of 64-bit Arm.

/// How often preemption is off.
pub(crate) const PREEMPTION: u32 = 0xff;
/// How often softirqs are off, and whether one is handled.
pub(crate) const SOFTIRQS: u32 = 0xff00;
/// A softirq is handled.
pub(crate) const IN_SOFTIRQ: u32 = 0x100;
/// How many interrupts are handled.
pub(crate) const IN_INTERRUPT: u32 = 0xf_0000;
/// How many interrupts that cannot be turned off are handled.
pub(crate) const IN_NMI: u32 = 0xf0_0000;
/// No other thread has to run: the bit that requests the scheduler is inverted.
pub(crate) const NO_NEED: u32 = 0x8000_0000;
