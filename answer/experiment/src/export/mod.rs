//! An experiment's points as rows for other tools, one file a format; JSON is the result itself.

pub mod csv;
#[cfg(feature = "parquet")]
pub mod parquet;
