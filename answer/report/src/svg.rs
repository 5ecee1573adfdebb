//! Pictures of a report's charts: each is drawn here and nowhere else, for files of their own and for the page.

mod acceptance;
mod bars;
mod costs;
mod decision;
mod ends;
mod frame;
mod gantt;
mod history;
mod icicle;
mod labels;
mod latency;
mod mark;
mod moments;
mod moved;
mod names;
mod plot;
mod region;
mod scale;
mod scatter;
mod timeline;

pub use acceptance::acceptance;
pub use bars::{Bar, Bars, bars};
pub use costs::costs;
pub use decision::decision;
pub use frame::{COLOURS, Setting};
pub use gantt::{gantt, page as gantt_page};
pub use history::history;
pub use icicle::{icicle, icicles};
pub use latency::{Heights, exceedance, histogram};
pub use moments::moments;
pub use moved::moved;
pub use region::{RegionAxis, RegionChart, region};
pub use scatter::scatters;
pub use timeline::timeline;
