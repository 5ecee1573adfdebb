//! Events of a schedule, calls of a guest and activations of a watched program for other programs, written as they come, one file a format.

mod calls;
mod chrome;
mod csv;
mod json;
mod watched;

pub use calls::calls;
pub use chrome::Chrome;
pub use csv::Csv;
pub use watched::{TraceActivation, TraceSlice, TraceTrack, watched};
