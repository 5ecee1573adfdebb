//! How large a workload must be to run for about so long, from pilot runs.

use std::time::Duration;

/// A pilot run shorter than this part of the wanted time is mostly start-up.
const PART_MIN: u32 = 5;
/// How much larger the next pilot run may be.
const GROWTH_MAX: u64 = 16;
/// Pilot runs at most.
const PILOTS_MAX: u32 = 12;

/// The size whose run lasts about `wanted`, where `run` runs a size and says how long that took.
pub fn size_for<E>(wanted: Duration, first: u64, mut run: impl FnMut(u64) -> Result<Duration, E>) -> Result<u64, E> {
    let mut size = first.max(1);
    for _ in 0..PILOTS_MAX {
        let took = run(size)?;
        let scaled = scaled(size, took, wanted);
        if took >= wanted / PART_MIN {
            return Ok(scaled);
        }
        size = scaled.min(size.saturating_mul(GROWTH_MAX)).max(size + 1);
    }
    Ok(size)
}

/// The size in proportion, at least 1.
fn scaled(size: u64, took: Duration, wanted: Duration) -> u64 {
    let scaled = u128::from(size) * wanted.as_nanos() / took.as_nanos().max(1);
    u64::try_from(scaled).unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_workload_with_a_start_up_is_sized_within_a_third(start_ms in 0u64..200, us_each in 1u64..5_000, first in 1u64..100) {
            let lasts = |size: u64| Duration::from_millis(start_ms) + Duration::from_micros(us_each * size);
            let wanted = Duration::from_secs(2);
            let size = size_for(wanted, first, |size| Ok::<_, ()>(lasts(size))).unwrap();
            let off = lasts(size).as_secs_f64() / wanted.as_secs_f64();
            prop_assert!(size == 1 || (0.6..1.4).contains(&off), "size {size} lasts {off} times what was wanted");
        }
    }

    #[test]
    fn a_workload_that_takes_no_time_ends_the_search_and_a_failing_one_too() {
        let mut pilots = 0;
        size_for(Duration::from_secs(1), 1, |_| {
            pilots += 1;
            Ok::<_, ()>(Duration::ZERO)
        })
        .unwrap();
        assert_eq!(pilots, PILOTS_MAX);
        assert_eq!(size_for(Duration::from_secs(1), 1, |_| Err("no")), Err("no"));
    }
}
