//! Samples in a few bytes each, as the run file holds them until they are folded, and for ever with `--raw`.
//!
//! Each sample is three zigzag varints: its activation's number minus the last one's; its due instant minus the last one's
//! plus that many periods (0 on a regular grid); its latency. The first sample of a blob follows activation 0 at 0 ns.
//! On a grid a sample takes four to five bytes. All differences wrap, so that any numbers can be packed.

use super::varint::{push_signed, take_signed};

/// One served activation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The activation's number on its grid.
    pub activation: u64,
    /// When it was due, in nanoseconds since the run's first due activation.
    pub due_ns: i64,
    /// Its latency in nanoseconds.
    pub latency_ns: i64,
}

/// At most this many samples share one blob, so that no row grows without bound (30 bytes a sample at most).
pub(super) const SAMPLES_MAX: usize = 65_536;

/// Packs up to [`SAMPLES_MAX`] samples of a series with this period (0 without one).
pub(super) fn pack(samples: &[Sample], period_ns: i64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(samples.len() * 5 + 20);
    let mut last = Sample::default();
    for sample in samples {
        let step = sample.activation.wrapping_sub(last.activation) as i64;
        push_signed(&mut bytes, step);
        push_signed(&mut bytes, sample.due_ns.wrapping_sub(expected_due(last, step, period_ns)));
        push_signed(&mut bytes, sample.latency_ns);
        last = *sample;
    }
    bytes
}

/// Unpacks what [`pack`] packed; `None` where a blob ends inside a sample or holds too many.
pub(super) fn unpack(mut bytes: &[u8], period_ns: i64) -> Option<Vec<Sample>> {
    let mut samples = Vec::with_capacity((bytes.len() / 3).min(SAMPLES_MAX));
    let mut last = Sample::default();
    while !bytes.is_empty() {
        let step = take_signed(&mut bytes)?;
        let off_grid = take_signed(&mut bytes)?;
        last = Sample {
            activation: last.activation.wrapping_add(step as u64),
            due_ns: expected_due(last, step, period_ns).wrapping_add(off_grid),
            latency_ns: take_signed(&mut bytes)?,
        };
        samples.push(last);
        if samples.len() > SAMPLES_MAX {
            return None;
        }
    }
    Some(samples)
}

fn expected_due(last: Sample, step: i64, period_ns: i64) -> i64 {
    last.due_ns.wrapping_add(step.wrapping_mul(period_ns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_sample() -> impl Strategy<Value = Sample> {
        (any::<u64>(), any::<i64>(), any::<i64>()).prop_map(|(activation, due_ns, latency_ns)| Sample {
            activation,
            due_ns,
            latency_ns,
        })
    }

    proptest! {
        #[test]
        fn any_samples_survive(samples in prop::collection::vec(any_sample(), 0..50), period_ns in any::<i64>()) {
            prop_assert_eq!(unpack(&pack(&samples, period_ns), period_ns), Some(samples));
        }

        #[test]
        fn hostile_bytes_are_refused_or_read_but_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack(&bytes, 1_000_000);
        }
    }

    #[test]
    fn a_sample_on_its_grid_takes_five_bytes() {
        let grid = |activation: u64| Sample { activation, due_ns: activation as i64 * 1_000_000, latency_ns: 20_000 };
        let samples: Vec<Sample> = (1..=1_000).map(grid).collect();
        assert_eq!(pack(&samples, 1_000_000).len(), 5_000);
    }

    #[test]
    fn a_blob_cut_inside_a_sample_is_refused() {
        let bytes = pack(&[Sample { activation: 1, due_ns: 0, latency_ns: 20_000 }], 0);
        assert_eq!(unpack(&bytes[..bytes.len() - 1], 0), None);
        assert_eq!(unpack(&vec![0; 3 * (SAMPLES_MAX + 1)], 0), None);
    }
}
