//! The lab: virtual machines that repeat themselves, fetched, carried, listed, booted and explained.

mod boot;
mod carry;
pub mod explain;
mod fetch;
mod list;

pub use boot::{BootRequest, Booted, boot};
pub use carry::{Moved, export, import};
pub use fetch::{FetchRequest, Fetched, fetch};
pub use list::{CachedSet, Listed, SetState, list};
