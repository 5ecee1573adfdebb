//! What is deployed, watched job by job beside what is proven of it.

mod document;
mod metrics;
mod text;
mod watched;

pub use document::Watched;
pub use watched::{WatchRequest, watch};
