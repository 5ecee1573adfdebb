//! Writers of other formats, one file a format.
//!
//! An export shows what the run holds and never more: where a format has no place for something (an overflow, a negative
//! latency), the export says so, in the file or as an error, instead of dropping it.

mod csv;
mod cyclictest;
mod cyclictest_histogram;
mod cyclictest_json;
mod date;
mod distribution;
mod hgrm;
pub mod json;
mod junit;
pub mod openmetrics;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "parquet_absent.rs"]
mod parquet;
pub mod xml;

use crate::Run;
use prazo_core::time::Duration;
use std::io::{self, Write};

/// A format to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated rows, one a distinct latency.
    Csv,
    /// Comma-separated rows, one a second and series.
    TimelineCsv,
    /// Everything but raw samples, after docs/schema/export-json.json.
    Json,
    /// The rows of `csv` as Parquet; only in builds with the feature `parquet`.
    Parquet,
    /// The rows of `timeline-csv` as Parquet; likewise.
    TimelineParquet,
    /// What `cyclictest --json` writes.
    CyclictestJson,
    /// What `cyclictest -h` prints.
    CyclictestHistogram,
    /// HdrHistogram's percentile text, in microseconds, all processors together.
    Hgrm,
    /// OpenMetrics text, for Prometheus.
    Openmetrics,
    /// JUnit XML: one test case a series, failed where the deadline was missed.
    Junit,
}

prazo_core::words!(Format:
    Csv => "csv",
    TimelineCsv => "timeline-csv",
    Json => "json",
    Parquet => "parquet",
    TimelineParquet => "timeline-parquet",
    CyclictestJson => "cyclictest-json",
    CyclictestHistogram => "cyclictest-histogram",
    Hgrm => "hgrm",
    Openmetrics => "openmetrics",
    Junit => "junit",
);

/// Which rows a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    /// One row a distinct latency.
    Histogram,
    /// One row a second and series.
    Timeline,
}

/// Why a run could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The output refused.
    #[error("cannot write the export: {0}")]
    Io(#[from] io::Error),
    /// The format has no way to say what the run holds.
    #[error("cannot export run '{run}' as {format}: {why}; export it as json or csv")]
    Unfit {
        /// The run's name.
        run: String,
        /// The format's name.
        format: &'static str,
        /// What does not fit.
        why: String,
    },
    /// This build lacks the format.
    #[error(
        "this prazo was built without {0}; export csv or json, or build prazo with `cargo build --release --features \
         {0}`"
    )]
    NotBuilt(&'static str),
}

/// Writes `run` to `out`; a format that judges takes `deadline`, or else the plan's.
pub fn write(run: &Run, format: Format, deadline: Option<Duration>, out: &mut dyn Write) -> Result<(), ExportError> {
    match format {
        Format::Csv => csv::histogram(run, out)?,
        Format::TimelineCsv => csv::timeline(run, out)?,
        Format::Json => json::write(run, out)?,
        Format::Parquet => parquet::write(run, Table::Histogram, out)?,
        Format::TimelineParquet => parquet::write(run, Table::Timeline, out)?,
        Format::CyclictestJson => cyclictest_json::write(run, out)?,
        Format::CyclictestHistogram => cyclictest_histogram::write(run, out)?,
        Format::Hgrm => hgrm::write(run, out)?,
        Format::Openmetrics => openmetrics::write(run, out)?,
        Format::Junit => junit::write(run, deadline, out)?,
    }
    Ok(out.flush()?)
}
