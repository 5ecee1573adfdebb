//! A simulated schedule in figures: the document that scripts read, the lines that a person reads, and the page.

mod document;
mod page;
mod text;

pub use document::{EventRow, MissRow, ObservedChainRow, RepeatsRow, ResponseRow, Simulated, TaskRow};
pub use page::page;
pub use text::text;
