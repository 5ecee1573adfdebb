//! Events of a schedule and calls of a guest for other programs, written as they come, one file a format.

mod calls;
mod chrome;
mod csv;

pub use calls::calls;
pub use chrome::Chrome;
pub use csv::Csv;
