//! The first Rust on each processor: the first one prepares the machine and starts the others.

use super::boot::START_PAGE;
use super::{PROCESSORS_MAX, apic, clock, interrupt, loader, memory, processor, segment, serial, stack};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Nobody new for so long means that all have come, in microseconds.
const QUIET_US: u64 = 20_000;

static ARRIVED: AtomicUsize = AtomicUsize::new(1);
static APICS: [AtomicU32; PROCESSORS_MAX] = [const { AtomicU32::new(0) }; PROCESSORS_MAX];
/// How many processors there are, once they are numbered; 0 before.
static NUMBERED: AtomicUsize = AtomicUsize::new(0);

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
    let number = number_of(ticket as usize);
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
    let count = wait_for_all().min(PROCESSORS_MAX);
    processor::become_number(number_among(0, count), apic::id());
    processor::set_processors(count);
    NUMBERED.store(count, Ordering::Release);
}

fn wait_for_all() -> usize {
    let mut before = 0;
    loop {
        let arrived = ARRIVED.load(Ordering::Acquire);
        if arrived == before {
            return arrived;
        }
        before = arrived;
        clock::wait_us(QUIET_US);
    }
}

fn number_of(ticket: usize) -> usize {
    number_among(ticket, NUMBERED.load(Ordering::Acquire))
}

fn number_among(ticket: usize, count: usize) -> usize {
    let apic = |ticket: usize| APICS[ticket].load(Ordering::Relaxed);
    (0..count).filter(|other| apic(*other) < apic(ticket)).count()
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
