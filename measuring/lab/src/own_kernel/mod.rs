//! prazo's own kernel in the lab: where its image is, one boot of it with its words, and its console read back.
//!
//! ```text
//! image (built, or named by PRAZO_KERNEL) + words ─► Session ─► Console: costs, counts, events
//! ```

mod console;
mod image;
mod session;

pub use console::{Console, Event};
pub use image::{GIVEN, TARGET, find, place};
pub use session::{Session, machine};
