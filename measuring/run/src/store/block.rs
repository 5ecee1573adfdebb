//! Coarse histograms of blocks of time: small enough to keep a thousand of them for each series.
//!
//! A latency is rounded toward zero to 1/128 of its size, so that a block of any length has at most a few hundred cells.
//! The packed form is lossless for whatever cells it is given.

use super::varint::{push, push_signed, take, take_signed};
use crate::Histogram;

/// How many blocks a planned duration is cut into at most.
const BLOCKS_MAX: u64 = 1_000;

/// Length of the blocks of a run that is planned to take this many seconds; at least one second.
pub(super) fn length_s(planned_s: u64) -> u32 {
    u32::try_from(planned_s.div_ceil(BLOCKS_MAX).max(1)).unwrap_or(u32::MAX)
}

/// The latency rounded toward zero, so that at most 1/128 of it is cut.
pub(super) fn coarse(latency_ns: i64) -> i64 {
    let size = latency_ns.unsigned_abs();
    let shift = (u64::BITS - size.leading_zeros()).saturating_sub(8);
    // Only i64::MIN has a size of 2^63, and it comes back as itself.
    ((size >> shift << shift) as i64).wrapping_mul(latency_ns.signum())
}

/// The cells of a histogram as bytes; the overflow is stored beside them.
pub(super) fn pack(histogram: &Histogram) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(histogram.distinct() * 4);
    let mut last = 0i64;
    for (latency_ns, count) in histogram.cells() {
        push_signed(&mut bytes, latency_ns.wrapping_sub(last));
        push(&mut bytes, count);
        last = latency_ns;
    }
    bytes
}

/// The histogram of a block; `None` where the bytes are cut short, out of order or add up to more than 63 bits hold.
pub(super) fn unpack(mut bytes: &[u8], overflow: u64) -> Option<Histogram> {
    let mut histogram = Histogram::new();
    let mut total = overflow;
    let mut last = None::<i64>;
    while !bytes.is_empty() {
        let latency_ns = last.unwrap_or(0).wrapping_add(take_signed(&mut bytes)?);
        let count = take(&mut bytes)?;
        total = total.checked_add(count).filter(|total| *total <= i64::MAX as u64)?;
        if count == 0 || last.is_some_and(|last| last >= latency_ns) {
            return None;
        }
        histogram.add(latency_ns, count);
        last = Some(latency_ns);
    }
    histogram.add_overflow(overflow);
    Some(histogram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rounding_cuts_at_most_a_128th_and_keeps_the_sign(latency_ns in any::<i64>()) {
            let rounded = coarse(latency_ns);
            let cut = latency_ns.unsigned_abs() - rounded.unsigned_abs();
            prop_assert!(cut <= latency_ns.unsigned_abs() / 128);
            prop_assert_eq!(rounded.signum(), latency_ns.signum());
            prop_assert_eq!(coarse(rounded), rounded);
        }

        #[test]
        fn any_cells_survive(
            cells in prop::collection::btree_map(any::<i64>(), 1u64..1_000_000, 0..50),
            overflow in 0u64..1_000,
        ) {
            let mut histogram = Histogram::new();
            cells.iter().for_each(|(latency_ns, count)| histogram.add(*latency_ns, *count));
            histogram.add_overflow(overflow);
            prop_assert_eq!(unpack(&pack(&histogram), overflow), Some(histogram));
        }

        #[test]
        fn hostile_bytes_are_refused_or_read_but_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack(&bytes, 1);
        }
    }

    #[test]
    fn counts_that_do_not_add_up_in_63_bits_are_refused() {
        let mut bytes = Vec::new();
        for _ in 0..2 {
            push_signed(&mut bytes, 5);
            push(&mut bytes, u64::MAX / 2);
        }
        assert_eq!(unpack(&bytes, 0), None);
    }

    #[test]
    fn a_day_has_blocks_of_87_seconds_and_a_short_run_of_one() {
        assert_eq!([length_s(0), length_s(30), length_s(1_000), length_s(1_001), length_s(86_400)], [1, 1, 1, 2, 87]);
    }
}
