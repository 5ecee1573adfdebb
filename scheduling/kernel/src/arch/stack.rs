//! Stacks, each with an unmapped page below it, so that one that grows too long faults instead of writing elsewhere.
//!
//! The first [`PROCESSORS_MAX`] belong to the processors (boot, then idle), the others to threads.

use super::PROCESSORS_MAX;

/// Threads beside the idle ones.
pub const THREADS_MAX: usize = 192;
/// All stacks there are.
pub const STACKS: usize = PROCESSORS_MAX + THREADS_MAX;
/// One stack with its guard page.
pub const STACK_SIZE: usize = 16 * 1024;
const GUARD: usize = 4096;

// SAFETY: `boot` reserves as many stacks of this size; only their addresses are taken.
unsafe extern "C" {
    static stacks: [[u8; STACK_SIZE]; STACKS];
}

fn base(stack: usize) -> usize {
    assert!(stack < STACKS, "there are {STACKS} stacks");
    (&raw const stacks) as usize + stack * STACK_SIZE
}

/// The first address above stack `stack`, a multiple of 16.
pub fn top(stack: usize) -> usize {
    base(stack) + STACK_SIZE
}

/// The page below every stack.
pub fn guard_pages() -> impl Iterator<Item = usize> {
    (0..STACKS).map(base)
}

/// The stack whose guard page holds `address`.
pub fn overflowed(address: usize) -> Option<usize> {
    let offset = address.checked_sub(base(0))?;
    (offset < STACKS * STACK_SIZE && offset % STACK_SIZE < GUARD).then_some(offset / STACK_SIZE)
}
