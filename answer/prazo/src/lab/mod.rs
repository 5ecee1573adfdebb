//! The lab: virtual machines that repeat themselves, fetched, carried, listed and booted.

mod boot;
mod carry;
mod fetch;
mod list;

pub use boot::{BootRequest, Booted, boot};
pub use carry::{Moved, export, import};
pub use fetch::{FetchRequest, Fetched, fetch};
pub use list::{Listed, list};
