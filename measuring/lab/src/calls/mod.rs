//! What was executed in a window, as functions that call each other.
//!
//! ```text
//! Window, blocks ─► Span: from due to running, in instructions
//!                ─► CallTree: threads, interrupts, system calls, functions, each with its instructions
//!                ─► Profile: the functions by their instructions
//! ```

mod build;
mod frame;
mod profile;
mod span;
mod tree;

pub use build::call_tree;
pub use profile::{FunctionShare, profile};
pub use span::{Span, span};
pub use tree::{CallTree, How, Node, Slice};
