//! Sections that delay a thread which became ready: what was seen of them, and the bound that follows.
//!
//! ```text
//! steps of a window ─► timeline ─► Sections: the longest of each kind by place, interrupts with their arrivals ─► Bound
//! ```
//! The bound is in the manner of de Oliveira, Casini, de Oliveira, Cucinotta: Demystifying the Real-Time Linux Scheduling Latency
//! (ECRTS 2020): sections that block a thread once, and interrupts that interfere with it while it waits. It holds for every
//! combination of the sections that were seen. Of sections that were not seen, it says nothing.

mod arrivals;
mod bound;
mod kind;
mod seen;
mod timeline;

pub use bound::{Bound, Interference, Term};
pub use kind::SectionKind;
pub use seen::{Interrupts, Longest, SOFTIRQS, SectionEnds, Sections};
pub use timeline::{lateness_ns, sections};
