//! Parquet: the rows of the CSV export, one row group for each curve, uncompressed.

use super::csv::decided;
use crate::result::{CurveResult, ExperimentResult, PointResult};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::io::{self, Write};
use std::sync::Arc;

const SCHEMA: &str = "message experiment {
    required binary family (UTF8);
    required binary method (UTF8);
    required binary scheduler (UTF8);
    required binary platform (UTF8);
    required binary utilization (UTF8);
    optional double tasks_mean;
    required int64 sets;
    required int64 accepted;
    required int64 disproven;
    required int64 unknown;
    required int64 budget_spent;
    optional double share;
    optional double share_min;
    optional double share_max;
    required binary decided (UTF8);
    required int64 work;
}";

/// Writes all points.
pub fn write(result: &ExperimentResult, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&bytes(result).map_err(io::Error::other)?)
}

fn bytes(result: &ExperimentResult) -> Result<Vec<u8>> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::new()))?;
    for curve in &result.curves {
        let mut rows = Rows { group: file.next_row_group()?, curve };
        rows.write()?;
        rows.group.close()?;
    }
    file.into_inner()
}

/// A curve's rows, filled column after column.
struct Rows<'a, 'b> {
    group: SerializedRowGroupWriter<'a, Vec<u8>>,
    curve: &'b CurveResult,
}

impl Rows<'_, '_> {
    fn write(&mut self) -> Result<()> {
        let curve = self.curve;
        for name in [&curve.family, &curve.method, &curve.scheduler, &curve.platform] {
            self.text(|_| name.clone())?;
        }
        self.text(|point| point.utilization.clone())?;
        self.figure(|point| point.tasks_mean)?;
        self.count(|point| point.sets)?;
        self.count(|point| point.accepted)?;
        self.count(|point| point.disproven)?;
        self.count(|point| point.unknown)?;
        self.count(|point| point.budget_spent)?;
        self.figure(|point| point.share)?;
        self.figure(|point| point.share_min)?;
        self.figure(|point| point.share_max)?;
        self.text(decided)?;
        self.count(|point| point.work)
    }

    fn text(&mut self, of: impl Fn(&PointResult) -> String) -> Result<()> {
        let values: Vec<ByteArray> =
            self.curve.points.iter().map(|point| ByteArray::from(of(point).as_str())).collect();
        self.column::<ByteArrayType>(&values, None)
    }

    fn count(&mut self, of: impl Fn(&PointResult) -> u64) -> Result<()> {
        let fits = |count| i64::try_from(count).unwrap_or(i64::MAX);
        let values: Vec<i64> = self.curve.points.iter().map(|point| fits(of(point))).collect();
        self.column::<Int64Type>(&values, None)
    }

    fn figure(&mut self, of: impl Fn(&PointResult) -> Option<f64>) -> Result<()> {
        let values: Vec<Option<f64>> = self.curve.points.iter().map(of).collect();
        let is_there: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
        self.column::<DoubleType>(&values.into_iter().flatten().collect::<Vec<_>>(), Some(&is_there))
    }

    fn column<T: DataType>(&mut self, values: &[T::T], is_there: Option<&[i16]>) -> Result<()> {
        let missing = || ParquetError::General("the Parquet schema has fewer columns than the rows".into());
        let mut column = self.group.next_column()?.ok_or_else(missing)?;
        column.typed::<T>().write_batch(values, is_there, None)?;
        column.close()
    }
}
