//! Integers in as few bytes as they need: LEB128 varints, and zigzag for signed ones.
//!
//! Seven bits a byte, least significant first, the top bit set on all bytes but the last; zigzag maps 0, -1, 1, -2 to
//! 0, 1, 2, 3. Reading trusts nothing: a number that ends in the middle or exceeds 64 bits is `None`.

/// Appends `value`, at most ten bytes.
pub(super) fn push(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Appends a signed `value`.
pub(super) fn push_signed(bytes: &mut Vec<u8>, value: i64) {
    push(bytes, ((value << 1) ^ (value >> 63)) as u64);
}

/// Takes a number off the front of `bytes`; `None` if there is no whole one.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Takes a signed number off the front of `bytes`; `None` if there is no whole one.
pub(super) fn take_signed(bytes: &mut &[u8]) -> Option<i64> {
    take(bytes).map(|raw| (raw >> 1) as i64 ^ -((raw & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_pushed_is_taken(values in prop::collection::vec(any::<i64>(), 0..50)) {
            let mut bytes = Vec::new();
            values.iter().for_each(|value| push_signed(&mut bytes, *value));
            let mut rest = bytes.as_slice();
            for value in values {
                prop_assert_eq!(take_signed(&mut rest), Some(value));
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut rest = bytes.as_slice();
            while take(&mut rest).is_some() {}
        }
    }

    #[test]
    fn small_values_take_one_byte_and_the_largest_ten() {
        let length = |value| {
            let mut bytes = Vec::new();
            push_signed(&mut bytes, value);
            bytes.len()
        };
        assert_eq!([length(0), length(-1), length(63), length(64), length(i64::MIN)], [1, 1, 1, 2, 10]);
    }

    #[test]
    fn numbers_beyond_64_bits_or_cut_short_are_refused() {
        assert_eq!(take(&mut [0xff; 9].as_slice()), None);
        assert_eq!(take(&mut [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2].as_slice()), None);
        assert_eq!(take(&mut [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1].as_slice()), Some(u64::MAX));
    }
}
