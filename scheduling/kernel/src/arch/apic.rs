//! The local APIC: end of interrupt, the timer of this processor, interrupts to others.

use super::interrupt::{RESCHEDULE, STOP, TIMER};
use super::{clock, processor};
use prazo_core::time::{Duration, Instant};

const BASE: usize = 0xfee0_0000;
const ID: usize = 0x20;
const TASK_PRIORITY: usize = 0x80;
const END: usize = 0xb0;
const SPURIOUS: usize = 0xf0;
const COMMAND_LOW: usize = 0x300;
const COMMAND_HIGH: usize = 0x310;
const TIMER_ENTRY: usize = 0x320;
const TIMER_COUNT: usize = 0x380;
const TIMER_LEFT: usize = 0x390;
const TIMER_DIVISOR: usize = 0x3e0;

const DIVIDE_BY_1: u32 = 0b1011;
const MASKED: u32 = 1 << 16;
const PERIODIC: u32 = 1 << 17;
const PENDING: u32 = 1 << 12;
const ALL_BUT_SELF: u32 = 0b11 << 18;
const INIT: u32 = 0x4500;
const STARTUP: u32 = 0x4600;

fn read(register: usize) -> u32 {
    // SAFETY: a 32-bit register of the local APIC, mapped uncached at boot.
    unsafe { core::ptr::with_exposed_provenance::<u32>(BASE + register).read_volatile() }
}

fn write(register: usize, value: u32) {
    // SAFETY: as in `read`; the values written below only raise interrupts that have handlers, or start processors at
    // the page that `start` has filled.
    unsafe { core::ptr::with_exposed_provenance_mut::<u32>(BASE + register).write_volatile(value) };
}

/// This processor's APIC number.
pub fn id() -> u32 {
    read(ID) >> 24
}

/// Accepts interrupts on this processor; its timer stays silent until it is armed.
pub fn enable() {
    write(TASK_PRIORITY, 0);
    write(SPURIOUS, 0x1ff);
    write(TIMER_DIVISOR, DIVIDE_BY_1);
    write(TIMER_ENTRY, u32::from(TIMER));
}

/// The interrupt being served has been taken notice of.
#[inline]
pub fn end_of_interrupt() {
    write(END, 0);
}

/// One interrupt of this processor's timer at `instant`, or at once if that is past; a later call replaces it.
///
/// A distance beyond the counter's 32 bits is cut short: the handler finds nothing due and arms again.
#[inline]
pub fn arm(now: Instant, instant: Instant) {
    let distance = Duration::from_ns(instant.as_ns().saturating_sub(now.as_ns()));
    let counts = clock::to_timer_counts(distance).clamp(1, u64::from(u32::MAX));
    write(TIMER_COUNT, counts as u32);
}

/// An interrupt of this processor's timer every `period`, from now on.
pub fn arm_periodic(period: Duration) {
    write(TIMER_ENTRY, u32::from(TIMER) | PERIODIC);
    write(TIMER_COUNT, clock::to_timer_counts(period).clamp(1, u64::from(u32::MAX)) as u32);
}

/// Lets the masked timer count down and says how far it has come when `wait` is over.
pub fn count_during(wait: impl FnOnce()) -> u32 {
    write(TIMER_DIVISOR, DIVIDE_BY_1);
    write(TIMER_ENTRY, u32::from(TIMER) | MASKED);
    write(TIMER_COUNT, u32::MAX);
    wait();
    let counted = u32::MAX - read(TIMER_LEFT);
    write(TIMER_COUNT, 0);
    counted
}

fn command(destination: u32, what: u32) {
    while read(COMMAND_LOW) & PENDING != 0 {
        core::hint::spin_loop();
    }
    write(COMMAND_HIGH, destination << 24);
    write(COMMAND_LOW, what);
}

/// Asks processor `number` to look at its queue.
#[inline]
pub fn interrupt_processor(number: usize) {
    command(processor::apic_of(number), 0x4000 | u32::from(RESCHEDULE));
}

/// Stops all other processors for good.
pub fn stop_others() {
    command(0, ALL_BUT_SELF | 0x4000 | u32::from(STOP));
}

/// INIT, then twice the start-up interrupt with the page to begin at, to all other processors.
pub fn start_others(page: usize, wait_us: impl Fn(u64)) {
    command(0, ALL_BUT_SELF | INIT);
    wait_us(10_000);
    for _ in 0..2 {
        command(0, ALL_BUT_SELF | STARTUP | (page >> 12) as u32);
        wait_us(200);
    }
}
