//! The event probe: a task that waits for another station's frame and notes when it runs, after the frame's own stamp.
//!
//! ```text
//! station ── trigger ─► card ─► interrupt ─► softirq (software stamp) ─► socket ─► task (t3)
//!                       t1 where the card stamps
//! ```
//! The loop, the ring, the recorder and the caveats are the timer probe's: a receiver is a timer whose instants another station
//! sets. A software stamp comes after most of the interrupt latency, so with it the figure is called `receive_to_task`; a
//! card's stamp comes before the interrupt, so with it the figure is the response latency.

mod caveats;
mod endpoint;
mod error;
mod event_counts;
pub mod frame;
pub mod hardware;
pub mod link;
mod origin;
mod receiver;
mod sequence;
mod stage;
mod stamp;
mod wait;
mod wall_clock;

pub use caveats::caveats;
pub use endpoint::Endpoint;
pub use error::EventError;
pub use event_counts::{EventCounts, StationEnd};
pub use prazo_trace::answerer::Answerer;
pub use stage::{Raised, Stage, StationNetwork};

pub(crate) use wall_clock::wall_clock;
