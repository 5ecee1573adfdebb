//! The time-stamp counter as the monotonic clock, calibrated once against the programmable interval timer.
//!
//! Conversions multiply by a fixed-point factor of 32 bits behind the point. A frequency is rounded to 0.1 MHz, which is
//! more than the calibration can tell: counter, timer and thereby all instants stay in one clock, so nothing drifts
//! against itself; against another clock it may by up to 50 parts per million at 1 GHz.

use super::apic;
use super::port::{read_u8, write_u8};
use core::arch::x86_64::_rdtsc;
use core::sync::atomic::{AtomicU64, Ordering};
use prazo_core::time::{Duration, Instant};

/// A reading of this processor's time-stamp counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(pub u64);

const INTERVAL_TIMER_HZ: u64 = 1_193_182;
const CALIBRATION_MS: u64 = 20;
/// Measurements after the first, at most.
const CALIBRATIONS: usize = 7;
const ROUNDING_HZ: u64 = 100_000;

static EPOCH: AtomicU64 = AtomicU64::new(0);
static COUNTER_HZ: AtomicU64 = AtomicU64::new(0);
static NS_PER_COUNT: AtomicU64 = AtomicU64::new(1 << 32);
static TIMER_COUNTS_PER_NS: AtomicU64 = AtomicU64::new(1 << 32);

fn scaled(value: u64, factor: u64) -> u64 {
    ((u128::from(value) * u128::from(factor)) >> 32) as u64
}

/// The counter, without waiting for earlier instructions: as cheap as it gets.
#[inline]
pub fn stamp() -> Stamp {
    // SAFETY: reads a register that every x86-64 processor has.
    Stamp(unsafe { _rdtsc() })
}

/// Nanoseconds since the clock was calibrated.
#[inline]
pub fn now() -> Instant {
    let counts = stamp().0.wrapping_sub(EPOCH.load(Ordering::Relaxed));
    Instant::from_ns(scaled(counts, NS_PER_COUNT.load(Ordering::Relaxed)))
}

/// Counts of [`stamp`] in a second, as calibrated.
pub fn counter_hz() -> u64 {
    COUNTER_HZ.load(Ordering::Relaxed)
}

/// How many counts of the local timer `distance` is, at least as long.
#[inline]
pub fn to_timer_counts(distance: Duration) -> u64 {
    scaled(distance.as_ns(), TIMER_COUNTS_PER_NS.load(Ordering::Relaxed)) + 1
}

/// Both frequencies, in counts a second.
#[derive(Clone, Copy)]
struct Frequencies {
    counter_hz: u64,
    timer_hz: u64,
}

impl Frequencies {
    /// True if they differ by one step of the rounding at most.
    const fn agree_with(self, other: Self) -> bool {
        self.counter_hz.abs_diff(other.counter_hz) <= ROUNDING_HZ
            && self.timer_hz.abs_diff(other.timer_hz) <= ROUNDING_HZ
    }

    fn or_lower(self, other: Self) -> Self {
        Self { counter_hz: self.counter_hz.min(other.counter_hz), timer_hz: self.timer_hz.min(other.timer_hz) }
    }
}

/// Finds both frequencies and begins to count instants; once, on the first processor.
///
/// Measured until two measurements agree. What interrupts one (an emulator's busy host, firmware) makes the frequencies too
/// high, since counts pass while no tick is read: the lower ones are right.
pub fn calibrate() {
    let mut found = frequencies();
    for _ in 0..CALIBRATIONS {
        let again = frequencies();
        let is_same = again.agree_with(found);
        found = found.or_lower(again);
        if is_same {
            break;
        }
    }
    COUNTER_HZ.store(found.counter_hz, Ordering::Relaxed);
    NS_PER_COUNT.store((1_000_000_000 << 32) / found.counter_hz, Ordering::Relaxed);
    TIMER_COUNTS_PER_NS.store(((u128::from(found.timer_hz) << 32) / 1_000_000_000) as u64, Ordering::Relaxed);
    EPOCH.store(stamp().0, Ordering::Relaxed);
}

/// One measurement.
fn frequencies() -> Frequencies {
    let (mut counted, mut ticks) = (0, 0);
    let timer = u64::from(apic::count_during(|| {
        let before = stamp();
        ticks = wait_ticks(INTERVAL_TIMER_HZ * CALIBRATION_MS / 1_000);
        counted = stamp().0 - before.0;
    }));
    Frequencies { counter_hz: per_second(counted, ticks), timer_hz: per_second(timer, ticks) }
}

fn per_second(counts: u64, ticks: u64) -> u64 {
    let hz = counts * INTERVAL_TIMER_HZ / ticks;
    (hz + ROUNDING_HZ / 2) / ROUNDING_HZ * ROUNDING_HZ
}

/// Passes about a microsecond without reading a clock, which an emulator makes expensive.
///
/// The one `pause` lets an emulator that runs processors in turns go on to the next; without it a turn lasts until the
/// next timer, and two processors see each other act milliseconds late.
pub fn pass_time() {
    for turn in 0..300 {
        core::hint::black_box(turn);
    }
    core::hint::spin_loop();
}

/// Waits `us` microseconds or a little longer.
pub fn wait_us(us: u64) {
    let end = now() + Duration::from_us(us);
    while now() < end {
        pass_time();
    }
}

/// Waits at least `ticks` ticks of the interval timer; says how many it were.
fn wait_ticks(ticks: u64) -> u64 {
    // SAFETY: ports of the interval timer and of its gate; neither touches memory. Channel 2 counts down from 65536.
    unsafe {
        write_u8(0x61, read_u8(0x61) & !2 | 1);
        for (port, value) in [(0x43, 0b1011_0100), (0x42, 0), (0x42, 0)] {
            write_u8(port, value);
        }
    }
    let begin = interval_count();
    loop {
        pass_time();
        let passed = u64::from(begin.wrapping_sub(interval_count()));
        if passed >= ticks {
            return passed;
        }
    }
}

/// Channel 2 of the interval timer, latched.
fn interval_count() -> u16 {
    // SAFETY: as in `wait_ticks`.
    unsafe {
        write_u8(0x43, 0b1000_0000);
        u16::from_le_bytes([read_u8(0x42), read_u8(0x42)])
    }
}
