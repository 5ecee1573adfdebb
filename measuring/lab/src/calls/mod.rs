//! What was executed in a window, as functions that call each other.
//!
//! ```text
//! Window, blocks ─► Span: from due to running, in instructions
//!                ─► CallTree: threads, interrupts, system calls, functions, each with its instructions
//!                ─► Profile: the functions by their instructions
//!                ─► Overlay: two trees as one, with the time of each call in both
//! ```

mod build;
mod frame;
mod overlay;
mod profile;
mod span;
mod tree;

pub use build::{call_tree, is_kernel};
pub use overlay::{Overlay, OverlayNode, overlay};
pub use profile::{FunctionShare, profile};
pub use span::{Span, TICK_NS, span};
pub use tree::{CallTree, How, Level, Node, Slice};
