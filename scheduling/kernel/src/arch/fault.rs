//! The end: exceptions told in words, other processors stopped, the machine left with a code.

use super::{apic, interrupt, port, processor, stack};
use core::arch::asm;

const EXIT_PORT: u16 = 0xf4;

const NAMES: [&str; 32] = [
    "division error",
    "debug",
    "non-maskable interrupt",
    "breakpoint",
    "overflow",
    "bound range",
    "invalid instruction",
    "no coprocessor",
    "double fault",
    "coprocessor overrun",
    "invalid task state",
    "segment not present",
    "stack segment",
    "general protection",
    "page fault",
    "reserved",
    "floating point",
    "alignment",
    "machine check",
    "vector floating point",
    "virtualization",
    "control protection",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "reserved",
    "hypervisor injection",
    "communication",
    "security",
    "reserved",
];

/// Ends in a panic that says what happened, where, and, for a guard page, whose stack was too short.
///
/// # Safety
/// `frame` is what the processor has laid on the fault stack for exception `vector`.
pub unsafe fn exception(vector: usize, frame: *const u64) -> ! {
    let has_code = matches!(vector, 8 | 10..=14 | 17 | 21 | 29 | 30);
    // SAFETY: the caller's promise: at least five words, six with a code.
    let (code, address) = unsafe { if has_code { (*frame, *frame.add(1)) } else { (0, *frame) } };
    let fault_address: usize;
    // SAFETY: reads the register that names the address of the last page fault.
    unsafe { asm!("mov {}, cr2", out(reg) fault_address, options(nomem, nostack, preserves_flags)) };
    if let (8 | 14, Some(stack)) = (vector, stack::overflowed(fault_address)) {
        panic!("stack {stack} is too short: {} at {address:#x}", NAMES[vector]);
    }
    panic!("{} at {address:#x}, code {code:#x}, address {fault_address:#x}", NAMES[vector]);
}

/// Stops the other processors and turns interrupts off here, so that the last words are not interrupted.
pub fn stop_everyone_else() {
    interrupt::turn_off();
    if processor::processors() > 1 {
        apic::stop_others();
    }
}

/// Leaves an emulated machine, whose emulator then ends with status `2 * code + 1`; stops for ever on a real one.
pub fn exit(code: u8) -> ! {
    stop_everyone_else();
    // SAFETY: the port ends the emulator, or nothing listens there.
    unsafe { port::write_u32(EXIT_PORT, u32::from(code)) };
    loop {
        park();
    }
}

/// Stops this processor with interrupts off, which nothing ends.
pub fn park() {
    // SAFETY: touches no memory.
    unsafe { asm!("cli", "hlt", options(nomem, nostack)) };
}
