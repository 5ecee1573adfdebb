//! What all measuring threads have in common, whoever starts them.

/// The stack of a measuring thread. Locked memory is touched memory: a small stack is enough for the loop.
pub const STACK_BYTES: usize = 256 * 1024;

/// From the last setting to the common start: time for every thread to arm its timer or to sleep, on a busy machine too.
pub const LEAD_NS: u64 = 250_000_000;
