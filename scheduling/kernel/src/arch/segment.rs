//! Segments of one processor: flat code and data, and the task state that names the stack for faults.

use super::PROCESSORS_MAX;
use core::arch::asm;
use core::cell::UnsafeCell;

/// The 64-bit code segment.
pub const CODE: u16 = 0x08;
const DATA: u16 = 0x10;
const TASK_STATE: u16 = 0x18;
/// Number of the fault stack in the task state.
pub const FAULT_STACK: u64 = 1;
const FAULT_STACK_SIZE: usize = 8 * 1024;

/// What `lgdt` and `lidt` read: the last byte's offset and the address.
#[repr(C, packed)]
pub struct TablePointer {
    limit: u16,
    address: usize,
}

impl TablePointer {
    /// Points to `size` bytes at `address`.
    pub const fn new(address: usize, size: usize) -> Self {
        Self { limit: (size - 1) as u16, address }
    }
}

/// Pairs of half words, since the 64-bit fields lie on odd multiples of four.
#[repr(C, align(16))]
struct TaskState([u32; 26]);

#[repr(C, align(16))]
struct Segments {
    descriptors: [u64; 5],
    task_state: TaskState,
    fault_stack: [u8; FAULT_STACK_SIZE],
}

#[repr(transparent)]
struct Owned(UnsafeCell<Segments>);

// SAFETY: processor n alone touches element n. The first processor, which is number 0 until all are numbered, leaves element 0
// before another one learns that it is number 0.
unsafe impl Sync for Owned {}

static SEGMENTS: [Owned; PROCESSORS_MAX] = [const {
    Owned(UnsafeCell::new(Segments {
        descriptors: [0, 0x00af_9a00_0000_ffff, 0x00cf_9200_0000_ffff, 0, 0],
        task_state: TaskState([0; 26]),
        fault_stack: [0; FAULT_STACK_SIZE],
    }))
}; PROCESSORS_MAX];

/// Gives the calling processor, number `processor`, its segments.
pub fn load(processor: usize) {
    // SAFETY: the caller is processor `processor`, which alone touches its element.
    let segments = unsafe { &mut *SEGMENTS[processor].0.get() };
    let top = (&raw const segments.fault_stack) as usize + FAULT_STACK_SIZE;
    let fault_stack = (top & !15) as u64;
    segments.task_state.0[9] = fault_stack as u32;
    segments.task_state.0[10] = (fault_stack >> 32) as u32;
    segments.task_state.0[25] = (size_of::<TaskState>() as u32) << 16;
    let state = (&raw const segments.task_state) as u64;
    let limit = 26 * 4 - 1;
    segments.descriptors[3] = limit | (state & 0xff_ffff) << 16 | 0x89 << 40 | (state >> 24 & 0xff) << 56;
    segments.descriptors[4] = state >> 32;
    let pointer = TablePointer::new((&raw const segments.descriptors) as usize, 5 * 8);
    // SAFETY: the table is static; code and data segments in it are flat, as those in force.
    unsafe { reload(&pointer) };
}

/// # Safety
/// The table holds flat segments at `CODE` and `DATA` and a task state at `TASK_STATE`, for as long as the machine runs.
unsafe fn reload(pointer: &TablePointer) {
    // SAFETY: the caller's promise. The far return goes to the next instruction with the new code segment.
    unsafe {
        asm!(
            "lgdt [{pointer}]",
            "push {code}",
            "lea {scratch}, [rip + 2f]",
            "push {scratch}",
            "retfq",
            "2:",
            "mov ds, {data:e}",
            "mov es, {data:e}",
            "mov ss, {data:e}",
            "ltr {task:x}",
            pointer = in(reg) pointer,
            code = in(reg) u64::from(CODE),
            data = in(reg) u32::from(DATA),
            task = in(reg) TASK_STATE,
            scratch = out(reg) _,
        );
    }
}
