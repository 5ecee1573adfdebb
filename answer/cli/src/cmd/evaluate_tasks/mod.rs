//! `prazo evaluate --tasks`: does this task set meet its deadlines on this machine, and in which shape?
//!
//! ```text
//! overheads measured ─► ways this machine can be set to ─► each judged ─► the roomiest ─► run under load ─► bound beside observed
//! ```

pub mod ways;
