//! Samples as Arrow: cpu, quantity, warm_up, activation, due_ns, latency_ns; one row for each served activation.

use crate::error::failed;
use crate::interrupt::awaited;
use crate::table::CAPSULE;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchReader, StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use prazo_run::store::{self, Sample, SampleReader};
use prazo_run::{Plan, Run};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Samples of a run file, read while they are consumed; each stream reads the file anew. Equal ones are of one file.
#[pyclass(frozen, eq, hash, module = "prazo._prazo")]
pub(crate) struct Samples {
    path: PathBuf,
    of: Arc<Described>,
    count: OnceLock<usize>,
}

/// The run of a file.
pub(crate) fn opened(python: Python<'_>, path: &Path) -> PyResult<Run> {
    let file = path.to_owned();
    awaited(python, move || store::open(&file))?.map_err(failed)
}

impl PartialEq for Samples {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl Hash for Samples {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.path.hash(state);
    }
}

/// What all samples of a series share.
struct Described {
    /// Processor and quantity of each series.
    series: Vec<(Option<u32>, &'static str)>,
    warm_up_ns: i64,
    schema: SchemaRef,
}

fn schema() -> Schema {
    Schema::new(vec![
        Field::new("cpu", DataType::UInt32, true),
        Field::new("quantity", DataType::Utf8, false),
        Field::new("warm_up", DataType::Boolean, false),
        Field::new("activation", DataType::UInt64, false),
        Field::new("due_ns", DataType::Int64, false),
        Field::new("latency_ns", DataType::Int64, false),
    ])
}

impl Samples {
    /// The samples of a file; none where it keeps histograms alone.
    pub(crate) fn new(path: &Path, run: &Run) -> Self {
        let warm_up = run.plan.as_ref().map(Plan::warm_up_kept_apart).unwrap_or_default();
        let of = Described {
            series: run.series.iter().map(|series| (series.cpu, series.quantity.name())).collect(),
            warm_up_ns: i64::try_from(warm_up.as_ns()).unwrap_or(i64::MAX),
            schema: Arc::new(schema()),
        };
        Self { path: path.to_owned(), of: Arc::new(of), count: OnceLock::new() }
    }
}

impl Described {
    fn batch(&self, series: usize, samples: &[Sample]) -> Result<RecordBatch, ArrowError> {
        let (cpu, quantity) = self.series[series];
        let columns: Vec<ArrayRef> = vec![
            Arc::new(UInt32Array::from(vec![cpu; samples.len()])),
            Arc::new(StringArray::from(vec![quantity; samples.len()])),
            Arc::new(samples.iter().map(|sample| Some(sample.due_ns < self.warm_up_ns)).collect::<BooleanArray>()),
            Arc::new(samples.iter().map(|sample| sample.activation).collect::<UInt64Array>()),
            Arc::new(samples.iter().map(|sample| sample.due_ns).collect::<Int64Array>()),
            Arc::new(samples.iter().map(|sample| sample.latency_ns).collect::<Int64Array>()),
        ];
        RecordBatch::try_new(self.schema.clone(), columns)
    }
}

/// Batches that are read as they are asked for.
struct Reading {
    of: Arc<Described>,
    /// `None` once it has ended or failed.
    samples: Option<SampleReader>,
}

impl Iterator for Reading {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.samples.as_mut()?.next_second();
        if !matches!(found, Ok(Some(_))) {
            self.samples = None;
        }
        let batch = |(series, samples): (usize, Vec<Sample>)| self.of.batch(series, &samples);
        match found {
            Ok(found) => found.map(batch),
            Err(error) => Some(Err(ArrowError::ExternalError(Box::new(error)))),
        }
    }
}

impl RecordBatchReader for Reading {
    fn schema(&self) -> SchemaRef {
        self.of.schema.clone()
    }
}

#[pymethods]
impl Samples {
    /// Rows of the whole stream; the first call reads the file through.
    fn __len__(&self, python: Python<'_>) -> PyResult<usize> {
        if let Some(count) = self.count.get() {
            return Ok(*count);
        }
        let path = self.path.clone();
        let counted = awaited(python, move || {
            let mut count = 0;
            store::samples(&path, |_, samples| count += samples.len()).map(|()| count)
        })?;
        let count = counted.map_err(failed)?;
        Ok(*self.count.get_or_init(|| count))
    }

    fn __repr__(&self) -> String {
        format!("<Samples of '{}'>", self.path.display())
    }

    /// How a notebook shows them.
    fn _repr_html_(&self, python: Python<'_>) -> PyResult<String> {
        let names: Vec<&str> = self.of.schema.fields().iter().map(|field| field.name().as_str()).collect();
        Ok(format!("<p>{} samples: {}</p>", self.__len__(python)?, names.join(", ")))
    }

    /// How they are pickled: by the path of their file.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (PathBuf,))> {
        Ok((slf.get_type().getattr("_of")?, (slf.get().path.clone(),)))
    }

    /// Those of the file that was pickled.
    #[staticmethod]
    fn _of(python: Python<'_>, path: PathBuf) -> PyResult<Self> {
        opened(python, &path).map(|run| Self::new(&path, &run))
    }

    /// The samples as an Arrow C stream, which is read from the file as it is consumed.
    ///
    /// Opening checks the whole file.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        python: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may ask for another schema; a producer may ignore that (the Arrow PyCapsule interface).
        drop(requested_schema);
        let path = self.path.clone();
        let samples = awaited(python, move || SampleReader::open(&path))?.map_err(failed)?;
        let reading = Reading { of: self.of.clone(), samples: Some(samples) };
        PyCapsule::new_with_value(python, FFI_ArrowArrayStream::new(Box::new(reading)), CAPSULE)
    }
}
