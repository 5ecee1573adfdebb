//! An Arrow table for Python: whatever reads Arrow's C stream takes it without a copy.

use crate::error::failed;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The name that the Arrow C stream interface gives its capsules.
pub(crate) const CAPSULE: &std::ffi::CStr = c"arrow_array_stream";

/// Rows that a notebook shows.
const SHOWN: usize = 50;

/// Name, type, whether values may be missing, and the values.
type PickledColumn<'py> = (String, String, bool, Vec<Bound<'py, PyAny>>);

/// Text as HTML shows it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Rows with named columns. It does not change.
#[pyclass(frozen, eq, module = "prazo._prazo")]
#[derive(PartialEq)]
pub(crate) struct Table {
    batch: RecordBatch,
}

impl Table {
    /// From columns of one length.
    pub(crate) fn new(columns: Vec<(Field, ArrayRef)>) -> PyResult<Self> {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(failed)?;
        Ok(Self { batch })
    }

    fn values<'py>(&self, python: Python<'py>, column: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let array = self.batch.column(column).as_ref();
        (0..array.len()).map(|row| value(python, array, row)).collect()
    }
}

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The values of one column.
    fn __getitem__<'py>(&self, python: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let schema = self.batch.schema();
        let column = schema.index_of(name).map_err(|_| {
            PyKeyError::new_err(format!("no column '{name}'; choose one of {}", self.columns().join(", ")))
        })?;
        PyList::new(python, self.values(python, column)?)
    }

    /// The rows as dicts.
    fn rows<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let names = self.columns();
        let columns = (0..names.len()).map(|column| self.values(python, column)).collect::<PyResult<Vec<_>>>()?;
        let row = |row: usize| {
            let made = PyDict::new(python);
            names.iter().zip(&columns).try_for_each(|(name, column)| made.set_item(name, &column[row]))?;
            Ok(made)
        };
        PyList::new(python, (0..self.batch.num_rows()).map(row).collect::<PyResult<Vec<_>>>()?)
    }

    fn __iter__<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.rows(python)?.try_iter()
    }

    /// Equal tables have equal names and lengths.
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.columns(), self.batch.num_rows()).hash(&mut hasher);
        hasher.finish()
    }

    /// The first rows, as a notebook shows them.
    fn _repr_html_(&self, python: Python<'_>) -> PyResult<String> {
        let names = self.columns();
        let count = self.batch.num_rows().min(SHOWN);
        let head: String = names.iter().map(|name| format!("<th>{}</th>", escaped(name))).collect();
        let mut rows = String::new();
        for row in 0..count {
            rows.push_str("<tr>");
            for column in self.batch.columns() {
                let cell = value(python, column.as_ref(), row)?;
                let text = if cell.is_none() { String::new() } else { cell.str()?.to_string() };
                rows.push_str(&format!("<td>{}</td>", escaped(&text)));
            }
            rows.push_str("</tr>");
        }
        let more = match self.batch.num_rows() - count {
            0 => String::new(),
            more => format!("<p>and {more} more</p>"),
        };
        Ok(format!("<table><tr>{head}</tr>{rows}</table>{more}"))
    }

    /// How a table is pickled: names, types and values of its columns.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Vec<PickledColumn<'py>>,))> {
        let (python, table) = (slf.py(), slf.get());
        let schema = table.batch.schema();
        let column = |(place, field): (usize, &Arc<Field>)| {
            let values = table.values(python, place)?;
            Ok((field.name().clone(), field.data_type().to_string(), field.is_nullable(), values))
        };
        let columns = schema.fields().iter().enumerate().map(column).collect::<PyResult<_>>()?;
        Ok((slf.get_type().getattr("_of")?, (columns,)))
    }

    /// The table that was pickled as these columns.
    #[staticmethod]
    fn _of(columns: Vec<PickledColumn<'_>>) -> PyResult<Self> {
        fn all<'py, T: FromPyObjectOwned<'py, Error: Into<PyErr>>>(
            values: &[Bound<'py, PyAny>],
        ) -> PyResult<Vec<Option<T>>> {
            values.iter().map(|one| one.extract().map_err(Into::into)).collect()
        }
        let column = |(name, type_, is_nullable, values): PickledColumn<'_>| {
            let (type_, array): (DataType, ArrayRef) = match type_.as_str() {
                "Int64" => (DataType::Int64, Arc::new(Int64Array::from(all(&values)?))),
                "UInt64" => (DataType::UInt64, Arc::new(UInt64Array::from(all(&values)?))),
                "UInt32" => (DataType::UInt32, Arc::new(UInt32Array::from(all(&values)?))),
                "Float64" => (DataType::Float64, Arc::new(Float64Array::from(all(&values)?))),
                _ => (DataType::Utf8, Arc::new(StringArray::from(all::<String>(&values)?))),
            };
            Ok((Field::new(name, type_, is_nullable), array))
        };
        Self::new(columns.into_iter().map(column).collect::<PyResult<_>>()?)
    }

    fn __repr__(&self) -> String {
        format!("<Table of {} rows: {}>", self.batch.num_rows(), self.columns().join(", "))
    }

    /// The table as an Arrow C stream, which shares its memory.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        python: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may ask for another schema; a producer may ignore that (the Arrow PyCapsule interface).
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(python, FFI_ArrowArrayStream::new(Box::new(batches)), CAPSULE)
    }
}

/// A cell as Python has it; the types are those that tables of this module have.
fn value<'py>(python: Python<'py>, array: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(python.None().into_bound(python));
    }
    let value = match array.data_type() {
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into_pyobject(python)?.into_any(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).into_pyobject(python)?.into_any(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into_pyobject(python)?.into_any(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).into_pyobject(python)?.into_any(),
        _ => array.as_string::<i32>().value(row).into_pyobject(python)?.into_any(),
    };
    Ok(value)
}
