//! The switch from one thread to another: six registers and the stack pointer.
//!
//! An interrupt's entry has saved the registers that a call may change; what remains is what a call must keep. The switch
//! is a function that another thread returns from, so the compiler has saved the rest.

use super::lock::{Guard, Lock};
use super::{PROCESSORS_MAX, stack};
use core::arch::naked_asm;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Stack pointers of the threads that do not run; by stack, 0 for one that runs and for one that was never prepared.
static STACK_POINTERS: [AtomicUsize; stack::STACKS] = [const { AtomicUsize::new(0) }; stack::STACKS];

/// Saves what a call must keep, changes the stack, and returns as the other thread.
///
/// # Safety
/// `to` is a stack pointer that this function or [`prepare`] saved, of a thread that runs nowhere and that nobody else takes.
// SAFETY: naked: it keeps what a call must keep, on the stack that it leaves.
#[unsafe(naked)]
unsafe extern "C" fn exchange(save: *const AtomicUsize, to: usize) {
    naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
    )
}

/// Leaves the thread with stack `from` for that with stack `to`. Panics if that runs somewhere, or was never prepared.
///
/// The lock of `guard` is held all along, so that nobody takes the thread before it has been left; the thread that
/// resumes lets go of it.
#[inline]
pub fn switch<T>(_guard: &mut Guard<'_, T>, from: usize, to: usize) {
    // ORDERING: pairs with the stores of `prepare` and `exchange`; who takes a stack pointer sees that stack.
    let pointer = STACK_POINTERS[to].swap(0, Ordering::Acquire);
    assert!(pointer != 0, "the thread with stack {to} runs already, or never began");
    // SAFETY: the pointer was saved by a thread that has left its stack, and the exchange has left none for another to take.
    unsafe { exchange(&raw const STACK_POINTERS[from], pointer) };
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

/// Stacks that a thread has begun on, or is to begin on.
static IS_TAKEN: [AtomicBool; stack::STACKS] = [const { AtomicBool::new(false) }; stack::STACKS];

/// Lays the first frame on stack `stack`, so that a switch to it begins `B::run(thread)` with interrupts on. Panics for the
/// stack of a processor, and for one that was prepared before.
pub fn prepare<B: Birth>(stack_index: usize, thread: usize) {
    assert!(stack_index >= PROCESSORS_MAX, "a processor idles on stack {stack_index}");
    assert!(!IS_TAKEN[stack_index].swap(true, Ordering::Relaxed), "stack {stack_index} has a thread already");
    let frame = [thread as u64, 0, 0, 0, 0, 0, begin as *const () as u64, enter::<B> as *const () as u64];
    // r15 r14 r13 r12 rbp rbx return; `begin` finds the thread in r15 and the function above it.
    let bottom = stack::top(stack_index) - 72;
    let slots = core::ptr::with_exposed_provenance_mut::<[u64; 8]>(bottom);
    // SAFETY: the stack is no processor's, and none has begun on it.
    unsafe { slots.write(frame) };
    STACK_POINTERS[stack_index].store(bottom, Ordering::Release);
}

/// The first step of a new thread: calls what its first frame names.
///
/// # Safety
/// Reached by the return of [`exchange`] alone, with the thread in `r15` and the function's address on the stack.
// SAFETY: naked: it has no frame, and touches what the calling convention leaves to it.
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!("mov rdi, r15", "ret")
}

extern "C" fn enter<B: Birth>(thread: usize) -> ! {
    // SAFETY: the switch that began this thread was made under this lock, and this is its first instant.
    drop(unsafe { B::lock(thread).adopt() });
    B::run(thread)
}
