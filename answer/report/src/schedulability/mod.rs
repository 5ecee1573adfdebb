//! What the analysis answered about a task set, for readers and for scripts.
//!
//! [`answered`] is the document that scripts read, [`sections`] what a person reads, [`page`] the same as a page, [`why`] the sentence that turns a
//! finding into a reason. Analysis has no unit; a [`dossier::Dossier`] brings names and the unit of its scenario with it.

pub mod answered;
pub mod chains;
pub mod dossier;
mod page;
pub mod sections;
pub mod why;

pub use answered::Answered;
pub use dossier::{Dossier, Region};
pub use page::page;
