//! What is drawn: distributions thinned to common bins, exceedance curves and timelines, small enough for a page.
//!
//! Everything is computed here, in whole counts, so that the page's script and the static pictures only place it.
//! Thinning never loses a sample: counts of bins add up to the counts of cells, and maxima stay maxima.

pub mod axis;
pub mod bins;
mod charts;
pub mod distribution;
pub mod exceedance;
pub mod histogram;
pub mod line;
pub mod timeline;

pub use axis::LatencyAxis;
pub use charts::{CURVES_MAX, Charts};
