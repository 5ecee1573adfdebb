//! Input and output ports.

use core::arch::asm;

/// Writes `value` to port `port`.
///
/// # Safety
/// The device behind the port must not be able to break memory safety by it.
pub unsafe fn write_u8(port: u16, value: u8) {
    // SAFETY: the instruction touches no memory; the device is the caller's promise.
    unsafe { asm!("out dx, al", in("dx") port, in("al") value, options(nomem, nostack, preserves_flags)) };
}

/// Writes a double word, for the device that ends an emulated machine.
///
/// # Safety
/// As [`write_u8`].
pub unsafe fn write_u32(port: u16, value: u32) {
    // SAFETY: as in `write_u8`.
    unsafe { asm!("out dx, eax", in("dx") port, in("eax") value, options(nomem, nostack, preserves_flags)) };
}

/// Reads port `port`.
///
/// # Safety
/// As [`write_u8`]: reading can change a device's state.
pub unsafe fn read_u8(port: u16) -> u8 {
    let value;
    // SAFETY: as in `write_u8`.
    unsafe { asm!("in al, dx", in("dx") port, out("al") value, options(nomem, nostack, preserves_flags)) };
    value
}
