//! What tests need: the reference data of the repository ([`data`]), the commands of its pages ([`documents`]), the
//! layout of C structs ([`layout`]), and skips that are counted ([`skip!`](crate::skip)).
//!
//! A test that cannot run here must not look like one that passed. The harness knows only "ok" and "FAILED", so a test says
//! with [`skip!`](crate::skip) or [`or_skip!`](crate::or_skip) what is missing, and `./test` counts it as skipped.

#![forbid(unsafe_code)]

pub mod data;
pub mod documents;
pub mod layout;
mod skip;

pub use skip::{Need, OrSkipped, Record, SKIPS, Skipped, TestName, program, skipped};
