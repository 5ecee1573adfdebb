//! The checksum of a table: CRC-32 as Ethernet has it, bit by bit, since a table is a few thousand bytes and read once.
//!
//! It finds every change of up to 32 neighbouring bits, and of any one or two bits in a table of this size.

/// IEEE 802.3's polynomial, lowest bit first.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// The checksum of `bytes`.
pub(super) fn of(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| with_byte(sum, *byte))
}

fn with_byte(sum: u32, byte: u8) -> u32 {
    (0..8).fold(sum ^ u32::from(byte), |sum, _| sum >> 1 ^ if sum & 1 == 1 { POLYNOMIAL } else { 0 })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_published_check_value() {
        assert_eq!(super::of(b"123456789"), 0xcbf4_3926);
    }
}
