//! Everything that only this processor architecture knows, and all the unsafe code of the kernel: x86-64, local APIC, serial port.
//!
//! What is above this folder sees processors by number, threads by index, instants, locks and a switch between two threads;
//! it cannot reach a register. The target has no vector state (soft floats): a switch saves integer registers only.

mod acpi;
mod apic;
mod boot;
mod clock;
mod fault;
mod interrupt;
mod loader;
mod lock;
mod memory;
mod port;
mod processor;
mod segment;
mod serial;
mod stack;
mod start;
mod switch;

pub use apic::{arm, arm_periodic, interrupt_processor};
pub use clock::{Stamp, counter_hz, now, pass_time, stamp};
pub use fault::{exit, park, stop_everyone_else};
pub use interrupt::{Uninterrupted, idle_until_interrupt, uninterrupted};
pub use loader::{handed_over, words};
pub use lock::{Guard, Lock};
pub use processor::{current as current_processor, processors};
pub use serial::write_byte;
pub use stack::THREADS_MAX;
pub use switch::{Birth, prepare, switch};

/// The most processors that the kernel starts; further ones stay parked.
pub const PROCESSORS_MAX: usize = 32;

#[cfg(any(target_feature = "sse", target_feature = "avx"))]
compile_error!("a context switch saves integer registers only: build for a target without vector state");
