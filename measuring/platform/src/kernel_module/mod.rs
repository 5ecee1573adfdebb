//! A kernel module: built against a kernel's headers, loaded for as long as a value lives, and removed.
//!
//! Every refusal names what was asked, what came back and what to do: no headers, a compiler's complaint, a kernel that takes
//! signed modules only, a lockdown, a module of another kernel.

mod build;
mod error;
mod loaded;

pub use build::{Build, headers_of_running_kernel};
pub use error::ModuleError;
pub use loaded::{LoadedModule, stated};
