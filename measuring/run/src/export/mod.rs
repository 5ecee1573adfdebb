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
mod openmetrics;
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
    /// Comma-separated rows of a table.
    Csv(Table),
    /// Everything but raw samples, after docs/schema/export-json.json.
    Json,
    /// Rows of a table as Parquet; only in builds with the feature `parquet`.
    Parquet(Table),
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

/// Which rows a table format writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
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
        "this prazo was built without {0}; write csv or json, or build it with `cargo build --release --features {0}`"
    )]
    NotBuilt(&'static str),
}

impl Format {
    /// Every format, by the name that flags use.
    pub const ALL: [(&'static str, Format); 10] = [
        ("csv", Format::Csv(Table::Histogram)),
        ("timeline-csv", Format::Csv(Table::Timeline)),
        ("json", Format::Json),
        ("parquet", Format::Parquet(Table::Histogram)),
        ("timeline-parquet", Format::Parquet(Table::Timeline)),
        ("cyclictest-json", Format::CyclictestJson),
        ("cyclictest-histogram", Format::CyclictestHistogram),
        ("hgrm", Format::Hgrm),
        ("openmetrics", Format::Openmetrics),
        ("junit", Format::Junit),
    ];

    /// The format of this name.
    pub fn named(name: &str) -> Option<Format> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }
}

/// Writes `run` to `out`, judged by the plan's deadline where the format judges.
pub fn write(run: &Run, format: Format, out: &mut dyn Write) -> Result<(), ExportError> {
    write_under(run, format, None, out)
}

/// As [`write`], judged by `deadline` where there is one.
pub fn write_under(
    run: &Run,
    format: Format,
    deadline: Option<Duration>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    match format {
        Format::Csv(Table::Histogram) => csv::histogram(run, out)?,
        Format::Csv(Table::Timeline) => csv::timeline(run, out)?,
        Format::Json => json::write(run, out)?,
        Format::Parquet(table) => parquet::write(run, table, out)?,
        Format::CyclictestJson => cyclictest_json::write(run, out)?,
        Format::CyclictestHistogram => cyclictest_histogram::write(run, out)?,
        Format::Hgrm => hgrm::write(run, out)?,
        Format::Openmetrics => openmetrics::write(run, out)?,
        Format::Junit => junit::write(run, deadline, out)?,
    }
    Ok(out.flush()?)
}
