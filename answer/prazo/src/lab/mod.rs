//! The lab: virtual machines that repeat themselves, fetched, built, carried, listed, booted, explained, searched and bounded.

mod boot;
pub mod bound;
mod build;
mod carry;
pub mod explain;
mod fetch;
pub mod hunt;
mod list;
mod prune;

pub use boot::{BootRequest, Booted, boot};
pub use build::{BuildRequest, Built, build};
pub use carry::{Moved, export, import};
pub use fetch::{FetchRequest, Fetched, fetch};
pub use list::{CachedSet, Listed, SetState, list};
pub use prune::{Pruned, PrunedEntry, prune};
