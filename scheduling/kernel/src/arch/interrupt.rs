//! Interrupts: the table, the entries that save registers, and turning them off and on.
//!
//! An interrupt runs on the stack of the thread it meets and may switch away from it: the thread continues here when it is
//! chosen again. Exceptions are errors of the kernel and end in [`fault`](super::fault), on a stack of their own where
//! the thread's may be the cause.

use super::clock::Stamp;
use super::{apic, fault, segment};
use crate::dispatcher;
use core::arch::{asm, global_asm};
use core::cell::UnsafeCell;
use core::marker::PhantomData;

/// The local timer's vector.
pub const TIMER: u8 = 0x20;
/// Another processor asks this one to look at its queue again.
pub const RESCHEDULE: u8 = 0x21;
/// Another processor panicked: stop.
pub const STOP: u8 = 0x22;
const SPURIOUS: u8 = 0xff;

const INTERRUPTS_ON: u64 = 1 << 9;
const GATE_PRESENT_INTERRUPT: u64 = 0x8e;
const EXCEPTIONS: usize = 32;
/// Bytes between two entries of the exceptions, in the assembly below.
const STRIDE: usize = 16;

global_asm!(
    r#"
    .section .text
    .balign 16
exception_entries:
    .rept 32
    .balign 16
    call exception_common
    .endr
exception_common:
    pop rdi
    mov rsi, rsp
    and rsp, -16
    call {exception}

    .macro interrupt_entry name, handler
    .balign 16
\name:
    push rax
    push rdx
    rdtsc                           # the first stamp: two instructions after the entry
    push rcx
    push rsi
    push rdi
    push r8
    push r9
    push r10
    push r11
    shl rdx, 32
    or rax, rdx
    mov rdi, rax
    cld
    call \handler
    pop r11
    pop r10
    pop r9
    pop r8
    pop rdi
    pop rsi
    pop rcx
    pop rdx
    pop rax
    iretq
    .endm
    interrupt_entry timer_entry, {timer}
    interrupt_entry reschedule_entry, {reschedule}
stop_entry:
    cli
    hlt
    jmp stop_entry
spurious_entry:
    iretq
"#,
    exception = sym exception,
    timer = sym timer,
    reschedule = sym reschedule,
);

// SAFETY: the assembly above defines these; only their addresses are taken.
unsafe extern "C" {
    static exception_entries: [u8; STRIDE * EXCEPTIONS];
    fn timer_entry();
    fn reschedule_entry();
    fn stop_entry();
    fn spurious_entry();
}

extern "C" fn timer(entry: u64) {
    apic::end_of_interrupt();
    dispatcher::timer_interrupt(Stamp(entry), &Uninterrupted(PhantomData));
}

extern "C" fn reschedule(entry: u64) {
    apic::end_of_interrupt();
    dispatcher::reschedule_interrupt(Stamp(entry), &Uninterrupted(PhantomData));
}

extern "C" fn exception(return_address: usize, frame: *const u64) -> ! {
    let first = (&raw const exception_entries) as usize;
    // SAFETY: the entries alone call this, with the stack pointer as the processor left it behind its frame.
    unsafe { fault::exception((return_address - first) / STRIDE, frame) }
}

#[repr(C, align(16))]
struct Table(UnsafeCell<[[u64; 2]; 256]>);

// SAFETY: written once by the first processor before any other runs or interrupts are on; then only read, by processors.
unsafe impl Sync for Table {}

static TABLE: Table = Table(UnsafeCell::new([[0; 2]; 256]));

fn gate(address: usize, stack: u64) -> [u64; 2] {
    let address = address as u64;
    let low = address & 0xffff | u64::from(segment::CODE) << 16 | stack << 32 | GATE_PRESENT_INTERRUPT << 40;
    [low | (address >> 16 & 0xffff) << 48, address >> 32]
}

/// Fills the table; once, on the first processor.
pub fn initialize() {
    // SAFETY: see `Table`: nobody else is there yet.
    let table = unsafe { &mut *TABLE.0.get() };
    let first = (&raw const exception_entries) as usize;
    for (vector, entry) in table.iter_mut().take(EXCEPTIONS).enumerate() {
        *entry = gate(first + STRIDE * vector, segment::FAULT_STACK);
    }
    table[usize::from(TIMER)] = gate(timer_entry as *const () as usize, 0);
    table[usize::from(RESCHEDULE)] = gate(reschedule_entry as *const () as usize, 0);
    table[usize::from(STOP)] = gate(stop_entry as *const () as usize, 0);
    table[usize::from(SPURIOUS)] = gate(spurious_entry as *const () as usize, 0);
}

/// Makes the table this processor's.
pub fn load() {
    let pointer = segment::TablePointer::new(TABLE.0.get() as usize, size_of::<Table>());
    // SAFETY: the table is static and filled.
    unsafe { asm!("lidt [{}]", in(reg) &raw const pointer, options(readonly, nostack, preserves_flags)) };
}

/// Turns interrupts off; says whether they were on.
#[inline]
pub fn turn_off() -> bool {
    let flags: u64;
    // SAFETY: reads the flags through the stack and clears one of them. Not `nomem`: no access may move across.
    unsafe { asm!("pushfq", "pop {}", "cli", out(reg) flags) };
    flags & INTERRUPTS_ON != 0
}

/// Turns interrupts on.
#[inline]
pub fn turn_on() {
    // SAFETY: handlers are in place from `load` on, before anyone calls this.
    unsafe { asm!("sti", options(nostack)) };
}

/// The knowledge that interrupts are off on this processor, for who is told so; it cannot be kept beyond that.
pub struct Uninterrupted(PhantomData<*const ()>);

/// Runs `body` with interrupts off.
#[inline]
pub fn uninterrupted<T>(body: impl FnOnce(&Uninterrupted) -> T) -> T {
    let were_on = turn_off();
    let value = body(&Uninterrupted(PhantomData));
    if were_on {
        turn_on();
    }
    value
}

/// Stops this processor until an interrupt has been served; interrupts are on thereafter.
#[inline]
pub fn idle_until_interrupt() {
    // SAFETY: `sti` takes effect after the next instruction, so that no interrupt can slip in before the stop.
    unsafe { asm!("sti", "hlt", options(nostack)) };
}
