//! The first Rust on each processor: the first one prepares the machine and starts the others.

use super::boot::START_PAGE;
use super::{PROCESSORS_MAX, acpi, apic, clock, fault, interrupt, loader, memory, processor, segment, serial, stack};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use prazo_core::time::Duration;

/// Nobody new for so long means that all have come, in microseconds, where their number is not known.
const QUIET_US: u64 = 20_000;
/// A processor that is known and has not come after so long will not: an emulator's host may be busy with something else.
const PATIENCE_US: u64 = 10_000_000;

static ARRIVED: AtomicUsize = AtomicUsize::new(1);
/// By ticket: the local APIC of who has come, and its number once that is given; [`ABSENT`] before.
static APICS: [AtomicU32; PROCESSORS_MAX] = [const { AtomicU32::new(ABSENT) }; PROCESSORS_MAX];
static NUMBERS: [AtomicU32; PROCESSORS_MAX] = [const { AtomicU32::new(ABSENT) }; PROCESSORS_MAX];
const ABSENT: u32 = u32::MAX;
/// How many processors there are, once they are numbered; 0 before.
static NUMBERED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: `boot` defines both around the start-up code; only their addresses are taken.
unsafe extern "C" {
    static processor_start: u8;
    static processor_start_end: u8;
}

/// The first processor's way: from here on the kernel proper decides.
pub extern "C" fn boot_processor(loader: u32, information: u32) -> ! {
    serial::initialize();
    loader::listen(loader, information);
    processor::become_number(0, apic::id());
    segment::load(0);
    interrupt::initialize();
    interrupt::load();
    memory::unmap(stack::guard_pages().chain([0]));
    silence_old_controller();
    apic::enable();
    clock::calibrate();
    apic::enable();
    start_others();
    crate::main_processor(0)
}

/// Every other processor's way, with the ticket that is its stack.
pub extern "C" fn other_processor(ticket: u32) -> ! {
    APICS[ticket as usize].store(apic::id(), Ordering::Relaxed);
    // ORDERING: pairs with the load in `start_others`: who sees the count sees the APIC numbers.
    ARRIVED.fetch_add(1, Ordering::Release);
    // ORDERING: pairs with the store in `start_others`.
    while NUMBERED.load(Ordering::Acquire) == 0 {
        clock::pass_time();
    }
    let number = NUMBERS[ticket as usize].load(Ordering::Relaxed);
    if number == ABSENT {
        // Too late: the others are numbered without this one.
        loop {
            fault::park();
        }
    }
    let number = number as usize;
    processor::become_number(number, apic::id());
    segment::load(number);
    interrupt::load();
    apic::enable();
    crate::other_processor(ticket as usize)
}

/// Wakes the others and numbers all by their APICs, so that numbers do not depend on who came first.
fn start_others() {
    APICS[0].store(apic::id(), Ordering::Relaxed);
    copy_start_code();
    apic::start_others(START_PAGE, clock::wait_us);
    wait_for_all();
    let count = number_all();
    processor::become_number(NUMBERS[0].load(Ordering::Relaxed) as usize, apic::id());
    processor::set_processors(count);
    // ORDERING: pairs with the loads in `other_processor`: who sees that all are numbered sees its number.
    NUMBERED.store(count, Ordering::Release);
}

/// Numbers those that have come, in the order of their APICs; how many. Who comes during this is in or out, never half.
fn number_all() -> usize {
    let apics = APICS.each_ref().map(|apic| apic.load(Ordering::Relaxed));
    for (number, apic) in NUMBERS.iter().zip(apics).filter(|(_, apic)| *apic != ABSENT) {
        let before = apics.iter().filter(|other| **other < apic).count();
        number.store(before as u32, Ordering::Relaxed);
    }
    apics.iter().filter(|apic| **apic != ABSENT).count()
}

/// Until all have come that the firmware knows; where it does not say, until nobody new has come for a while.
fn wait_for_all() {
    let Some(expected) = acpi::processors() else { return wait_until_quiet() };
    let end = clock::now() + Duration::from_us(PATIENCE_US);
    while ARRIVED.load(Ordering::Acquire) < expected.min(PROCESSORS_MAX) && clock::now() < end {
        clock::pass_time();
    }
}

fn wait_until_quiet() {
    let mut before = 0;
    loop {
        let arrived = ARRIVED.load(Ordering::Acquire);
        if arrived == before {
            return;
        }
        before = arrived;
        clock::wait_us(QUIET_US);
    }
}

fn copy_start_code() {
    let (from, end) = (&raw const processor_start, &raw const processor_start_end);
    let to = core::ptr::with_exposed_provenance_mut::<u8>(START_PAGE);
    // SAFETY: the page is conventional memory that nobody uses, and the code is shorter than a page.
    unsafe { core::ptr::copy_nonoverlapping(from, to, end as usize - from as usize) };
}

/// Masks the two old interrupt controllers: all interrupts come through the local APICs.
fn silence_old_controller() {
    for port in [0x21, 0xa1] {
        // SAFETY: mask registers of the old controllers.
        unsafe { super::port::write_u8(port, 0xff) };
    }
}
