//! From traced runs to what the kernel costs: figures by number of tasks and kind, and the `Overheads` tables of the analysis.
//!
//! Figures are of clean pairs alone; marked ones are counted beside them. Nothing is subtracted: what a stamp costs stands
//! beside each figure, and is in it. A maximum grows with its count, so that maxima are compared over equal counts.

mod figures;
mod table;

pub use figures::{KindFigures, figures_of, figures_of_series};
pub use table::{Origin, Statistic, Uncharged, measured, table, uncharged};
