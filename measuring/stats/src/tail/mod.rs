//! Extrapolating a tail: the latency that a share *p* of all activations exceeds, where *p* is too small for the samples to show it.
//!
//! ```text
//! samples in order ─► gates ─► law of the largest values ─► quantile with 95 % interval
//!                       └─► refusal that names the gate
//! ```
//! prazo offers no such figure to users. These methods exist to be scored: `cargo xtask tail` asks each of them for a quantile
//! that long runs show, and counts how often the interval holds it (docs/statistics.md, "Extrapolation"). A method never sees a
//! mode of the latency that its samples do not contain, whatever its gates: that is why they are scored on real latencies.
//!
//! Laws: block maxima follow a generalised extreme value law, peaks over a threshold a generalised Pareto law (Coles 2001).

mod answer;
mod gate;
mod lattice;
mod law;
mod method;
mod observed;
mod search;

pub use answer::{Extrapolated, Gate, Refused};
pub use method::{Method, extrapolate};
pub use observed::{Observed, observed};

#[cfg(test)]
mod planted;
