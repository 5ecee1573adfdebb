//! The first serial port, 115200 baud, polled: the kernel's only way to say something.

use super::port::{read_u8, write_u8};

const PORT: u16 = 0x3f8;
const LINE_STATUS: u16 = PORT + 5;
const TRANSMITTER_EMPTY: u8 = 0x20;

/// Sets 115200 baud, eight bits, no parity, no interrupts.
pub fn initialize() {
    for (offset, value) in [(1, 0x00), (3, 0x80), (0, 0x01), (1, 0x00), (3, 0x03), (2, 0xc7), (4, 0x03)] {
        // SAFETY: these are the serial controller's registers; without its interrupts it touches no memory.
        unsafe { write_u8(PORT + offset, value) };
    }
}

/// Sends one byte, waiting until the transmitter takes it.
pub fn write_byte(byte: u8) {
    // SAFETY: reading the line status has no effect that matters; the data register takes any byte.
    unsafe {
        while read_u8(LINE_STATUS) & TRANSMITTER_EMPTY == 0 {
            core::hint::spin_loop();
        }
        write_u8(PORT, byte);
    }
}
