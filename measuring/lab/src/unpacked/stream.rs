//! The packed bytes inside an image.

use std::io::Read;

/// A kernel is a few times ten megabytes; a damaged image must not fill the memory.
pub(super) const KERNEL_MAX: u64 = 1 << 30;

/// The 32-bit number at this place.
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// What was packed by one of the methods that distributions use. The kernel's build puts the unpacked size behind the packed bytes, which
/// a reader of one stream does not look at. `None` if it has more than `most` bytes.
pub(super) fn unpack_one(packed: &[u8], most: u64) -> Option<Vec<u8>> {
    match packed {
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => all_of(lzma_rust2::XzReader::new(packed, false), most),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => all_of(ruzstd::decoding::StreamingDecoder::new(packed).ok()?, most),
        [0x1f, 0x8b, ..] => all_of(flate2::read::GzDecoder::new(packed), most),
        _ => None,
    }
}

fn all_of(reader: impl Read, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = reader.take(most.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    (length as u64 <= most).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::repeat;

    #[test]
    fn what_is_larger_than_allowed_is_not_unpacked() {
        assert_eq!(all_of(repeat(7).take(9), 9), Some(vec![7; 9]));
        assert_eq!(all_of(repeat(7), 9), None);
    }
}
