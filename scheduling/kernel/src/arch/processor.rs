//! Which processor is this, and how many there are.

use super::PROCESSORS_MAX;
use core::arch::asm;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// What a processor finds through its `gs` register.
#[repr(C)]
struct Block {
    number: AtomicU32,
    apic: AtomicU32,
}

static BLOCKS: [Block; PROCESSORS_MAX] =
    [const { Block { number: AtomicU32::new(0), apic: AtomicU32::new(0) } }; PROCESSORS_MAX];
static PROCESSORS: AtomicUsize = AtomicUsize::new(0);

const GS_BASE: u32 = 0xc000_0101;

/// Makes the calling processor number `number`, with local APIC `apic`.
pub fn become_number(number: usize, apic: u32) {
    let block = &BLOCKS[number];
    block.number.store(number as u32, Ordering::Relaxed);
    block.apic.store(apic, Ordering::Release);
    let address = &raw const *block as u64;
    // SAFETY: nothing else uses `gs` in the kernel, and the block is static.
    unsafe {
        asm!("wrmsr", in("ecx") GS_BASE, in("eax") address as u32, in("edx") (address >> 32) as u32,
             options(nostack, preserves_flags));
    }
}

/// The calling processor's number, from 0.
#[inline]
pub fn current() -> usize {
    let number: u32;
    // SAFETY: `become_number` has set `gs` before anyone asks. Not `pure`: a thread may be elsewhere the next time.
    unsafe { asm!("mov {:e}, gs:[0]", out(reg) number, options(nostack, preserves_flags, readonly)) };
    // The remainder changes nothing: it tells the compiler that the number is one of the arrays'.
    number as usize % PROCESSORS_MAX
}

/// The local APIC of processor `number`.
#[inline]
pub fn apic_of(number: usize) -> u32 {
    BLOCKS[number].apic.load(Ordering::Relaxed)
}

/// How many processors run the kernel; final once threads run.
pub fn processors() -> usize {
    PROCESSORS.load(Ordering::Acquire)
}

/// Fixes how many processors there are.
pub fn set_processors(count: usize) {
    PROCESSORS.store(count, Ordering::Release);
}
