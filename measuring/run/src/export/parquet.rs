//! Parquet: the rows of a table, one row group for each series, uncompressed.
//!
//! The columns are those of the CSV export; a null latency counts the samples above the histogram's bound.

use super::{ExportError, Table};
use crate::{Histogram, Run, Series};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::io::Write;
use std::sync::Arc;

const HISTOGRAM: &str = "message histogram {
    optional int32 cpu;
    required binary quantity (UTF8);
    required boolean warm_up;
    optional int64 latency_ns;
    required int64 count;
}";

const TIMELINE: &str = "message timeline {
    optional int32 cpu;
    required binary quantity (UTF8);
    required int64 at_s;
    required boolean warm_up;
    required int64 count;
    required int64 skipped;
    required int64 missed;
    required int64 lost;
    optional int64 min_ns;
    optional int64 max_ns;
    required int64 sum_ns;
}";

/// Writes the rows of one table.
pub(super) fn write(run: &Run, table: Table, out: &mut dyn Write) -> std::result::Result<(), ExportError> {
    let bytes = bytes(run, table).map_err(std::io::Error::other)?;
    Ok(out.write_all(&bytes)?)
}

fn bytes(run: &Run, table: Table) -> Result<Vec<u8>> {
    let schema = match table {
        Table::Histogram => HISTOGRAM,
        Table::Timeline => TIMELINE,
    };
    let schema = Arc::new(parse_message_type(schema)?);
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::new()))?;
    for series in &run.series {
        let mut group = Group(file.next_row_group()?);
        match table {
            Table::Histogram => histogram(&mut group, series)?,
            Table::Timeline => timeline(&mut group, series)?,
        }
        group.0.close()?;
    }
    file.into_inner()
}

fn histogram(group: &mut Group, of: &Series) -> Result<()> {
    let rows: Vec<_> = rows(false, &of.histogram).chain(rows(true, &of.warm_up)).collect();
    group.head(of, rows.len())?;
    group.required::<BoolType>(rows.iter().map(|row| row.0))?;
    group.optional::<Int64Type>(rows.iter().map(|row| row.1))?;
    group.required::<Int64Type>(rows.iter().map(|row| row.2 as i64))
}

/// Warm-up, latency and count; the overflow last, without a latency.
fn rows(warm_up: bool, of: &Histogram) -> impl Iterator<Item = (bool, Option<i64>, u64)> + '_ {
    let cells = of.cells().map(move |(latency_ns, count)| (warm_up, Some(latency_ns), count));
    cells.chain((of.overflow() > 0).then_some((warm_up, None, of.overflow())))
}

fn timeline(group: &mut Group, of: &Series) -> Result<()> {
    let seconds = &of.timeline;
    group.head(of, seconds.len())?;
    group.required::<Int64Type>(seconds.iter().map(|second| i64::from(second.at_s)))?;
    group.required::<BoolType>(seconds.iter().map(|second| second.warm_up))?;
    group.required::<Int64Type>(seconds.iter().map(|second| second.count as i64))?;
    group.required::<Int64Type>(seconds.iter().map(|second| second.skipped as i64))?;
    group.required::<Int64Type>(seconds.iter().map(|second| second.missed as i64))?;
    group.required::<Int64Type>(seconds.iter().map(|second| second.lost as i64))?;
    group.optional::<Int64Type>(seconds.iter().map(|second| second.min_ns))?;
    group.optional::<Int64Type>(seconds.iter().map(|second| second.max_ns))?;
    group.required::<Int64Type>(seconds.iter().map(|second| second.sum_ns))
}

/// A row group, filled column after column.
struct Group<'a>(SerializedRowGroupWriter<'a, Vec<u8>>);

impl Group<'_> {
    /// The columns that both tables begin with.
    fn head(&mut self, of: &Series, rows: usize) -> Result<()> {
        let cpu = of.cpu.and_then(|cpu| i32::try_from(cpu).ok());
        self.optional::<Int32Type>(std::iter::repeat_n(cpu, rows))?;
        self.required::<ByteArrayType>(std::iter::repeat_n(ByteArray::from(of.quantity.name()), rows))
    }

    fn required<T: DataType>(&mut self, values: impl Iterator<Item = T::T>) -> Result<()> {
        self.column::<T>(&values.collect::<Vec<_>>(), None)
    }

    fn optional<T: DataType>(&mut self, values: impl Iterator<Item = Option<T::T>>) -> Result<()> {
        let values: Vec<Option<T::T>> = values.collect();
        let is_there: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
        self.column::<T>(&values.into_iter().flatten().collect::<Vec<_>>(), Some(&is_there))
    }

    fn column<T: DataType>(&mut self, values: &[T::T], is_there: Option<&[i16]>) -> Result<()> {
        let missing = || ParquetError::General("the Parquet schema has fewer columns than the rows".into());
        let mut column = self.0.next_column()?.ok_or_else(missing)?;
        column.typed::<T>().write_batch(values, is_there, None)?;
        column.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Second;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    fn run() -> Run {
        let mut histogram = Histogram::new();
        histogram.add(-5, 2);
        histogram.add(7, 3);
        histogram.add_overflow(4);
        let timeline = vec![Second { at_s: 9, count: 5, min_ns: Some(-5), ..Second::default() }];
        Run { series: vec![Series { histogram, timeline, ..Series::default() }], ..Run::default() }
    }

    fn read(table: Table) -> SerializedFileReader<std::fs::File> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes(&run(), table).unwrap()).unwrap();
        SerializedFileReader::new(file).unwrap()
    }

    #[test]
    fn rows_are_read_back_by_parquets_own_reader() {
        let rows: Vec<_> = read(Table::Histogram).get_row_iter(None).unwrap().map(|row| row.unwrap()).collect();
        let row = |row: &parquet::record::Row| (row.get_long(3).ok(), row.get_long(4).unwrap());
        assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), [(Some(-5), 2), (Some(7), 3), (None, 4)]);
        assert_eq!(rows[0].get_string(1).unwrap(), "response-latency");
    }

    #[test]
    fn a_timeline_has_its_unknown_figures_as_null() {
        let row = read(Table::Timeline).get_row_iter(None).unwrap().next().unwrap().unwrap();
        assert_eq!((row.get_long(2).unwrap(), row.get_long(8).unwrap()), (9, -5));
        assert!(row.get_long(9).is_err());
    }
}
