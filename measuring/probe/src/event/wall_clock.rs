//! The wall clock against CLOCK_MONOTONIC, for the stamps that the kernel takes of it.

use super::stamp::{Bracket, Relation};
use prazo_sys::clock;
use prazo_sys::socket as sys;

/// How the wall clock, which software stamps are of, stands to CLOCK_MONOTONIC now.
pub(crate) fn wall_clock() -> Relation {
    const READINGS: usize = 16;
    let read = |_| Bracket {
        before_ns: clock::monotonic_ns(),
        foreign_ns: sys::realtime_ns(),
        after_ns: clock::monotonic_ns(),
    };
    Relation::narrowest((0..READINGS).map(read)).unwrap_or_default()
}
