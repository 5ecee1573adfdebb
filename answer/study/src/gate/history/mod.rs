//! The history of a gate: each figure over the baselines of a folder, in order, with the points at which its level changed.
//!
//! ```text
//! folder ─► HistoryFolder (baselines; what is none, named) ─► Part (points of a cell under equal conditions, in order)
//!        ─► FigureHistory (values of one figure, changes) ─► HistoryResult
//! ```
//! Nothing is measured here. Baselines under different conditions are never joined: the history of a cell has one part for
//! each set of conditions. The rule that decides a change is in [`prazo_stats::change_points`].

mod draw;
mod folder;
mod part;
mod release_order;
mod result;
mod text;

pub use draw::{HistoryQuestion, draw};
pub use folder::{HistoryError, HistoryFolder};
pub use result::{FigureHistory, HistoryChange, HistoryPoint, HistoryResult, LeftOut, NotRead, OrderedBy, PartDiffers};
