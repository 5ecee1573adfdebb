//! A schedule's events for other programs, written as they come, one file a format.

mod chrome;
mod csv;

pub use chrome::Chrome;
pub use csv::Csv;
