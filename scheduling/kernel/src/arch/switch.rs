//! The switch from one thread to another: six registers and the stack pointer.
//!
//! An interrupt's entry has saved the registers that a call may change; what remains is what a call must keep. The switch
//! is a function that another thread returns from, so the compiler has saved the rest.

use super::lock::{Guard, Lock};
use super::stack;
use core::arch::naked_asm;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Stack pointers of the threads that do not run; by stack.
static STACK_POINTERS: [AtomicUsize; stack::STACKS] = [const { AtomicUsize::new(0) }; stack::STACKS];

/// Saves what a call must keep, changes the stack, and returns as the other thread.
///
/// # Safety
/// `load` holds a stack pointer that this function or [`prepare`] saved, of a thread that runs nowhere.
#[unsafe(naked)]
unsafe extern "C" fn exchange(save: *const AtomicUsize, load: *const AtomicUsize) {
    naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, [rsi]",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
    )
}

/// Leaves the thread with stack `from` for that with stack `to`, which must have been prepared or left before.
///
/// The lock of `guard` is held all along, so that nobody takes the thread before it has been left; the thread that
/// resumes lets go of it.
#[inline]
pub fn switch<T>(_guard: &mut Guard<'_, T>, from: usize, to: usize) {
    // ORDERING: the lock of `guard` orders both slots; another processor reaches them only with it.
    // SAFETY: a thread that runs nowhere has a valid saved stack pointer; that the queue names each such thread for one
    // processor is what its lock protects.
    unsafe { exchange(&raw const STACK_POINTERS[from], &raw const STACK_POINTERS[to]) };
}

/// What a new thread needs to know about the lock it is born with.
pub trait Birth: Sync + 'static {
    /// What the lock protects.
    type Value: Send;
    /// The lock that is held whenever a switch to thread `thread` occurs.
    fn lock(thread: usize) -> &'static Lock<Self::Value>;
    /// The thread's body; never ends.
    fn run(thread: usize) -> !;
}

/// Lays the first frame on stack `stack`, so that a switch to it begins `B::run(thread)` with interrupts on.
pub fn prepare<B: Birth>(stack_index: usize, thread: usize) {
    let frame = [thread as u64, 0, 0, 0, 0, 0, begin as *const () as u64, enter::<B> as *const () as u64];
    // r15 r14 r13 r12 rbp rbx return; `begin` finds the thread in r15 and the function above it.
    let bottom = stack::top(stack_index) - 72;
    let slots = core::ptr::with_exposed_provenance_mut::<[u64; 8]>(bottom);
    // SAFETY: the stack is not in use: its thread has not begun.
    unsafe { slots.write(frame) };
    STACK_POINTERS[stack_index].store(bottom, Ordering::Release);
}

#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!("mov rdi, r15", "ret")
}

extern "C" fn enter<B: Birth>(thread: usize) -> ! {
    // SAFETY: the switch that began this thread was made under this lock, and this is its first instant.
    drop(unsafe { B::lock(thread).adopt() });
    B::run(thread)
}
