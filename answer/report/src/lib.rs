//! The answer as terminal text, HTML, Markdown and JSON.
//!
//! Data flows platform, probe, run, statistics, verdict, **report**: everything here is pure, from [`ReportContent`] to text.
//! [`view`] decides what is said and in which order, and [`chart`] what is drawn. The sinks are
//! [`html`], [`markdown`], [`terminal`], [`json`], and [`svg`] for pictures that stand alone. Experiments come as an
//! [`acceptance::Figure`] instead, to the same page; schedules as core's events, to a [`gantt`] chart or a [`trace`] file; calls of a guest as [`Calls`]. Whatever else has a
//! page is a [`view::Document`]: a task set's answer, a simulated schedule, the gate's answer.
#![forbid(unsafe_code)]

pub mod acceptance;
mod calls;
pub mod chart;
pub mod content;
pub mod cost;
pub mod gantt;
pub mod gate;
pub mod history;
pub mod html;
pub mod json;
pub mod markdown;
pub mod schedulability;
pub mod simulation;
pub mod svg;
pub mod terminal;
pub mod trace;
pub mod view;
pub mod words;

pub use calls::{AllCalls, Calls};
pub use content::{Moments, ReportContent, RunEvidence, SpreadRow, StatedAndMeasured};
