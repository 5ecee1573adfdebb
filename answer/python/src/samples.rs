//! Samples as Arrow: cpu, quantity, warm_up, activation, due_ns, latency_ns; one row for each served activation.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchIterator, StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use prazo_run::store::{self, Sample};
use prazo_run::{Plan, Run, Series};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::path::Path;
use std::sync::Arc;

/// The name that the Arrow C stream interface gives its capsules.
const CAPSULE: &std::ffi::CStr = c"arrow_array_stream";

/// Samples of a run, in memory.
#[pyclass(frozen, module = "prazo._prazo")]
pub(crate) struct Samples {
    batches: Vec<RecordBatch>,
    schema: Arc<Schema>,
}

fn schema() -> Arc<Schema> {
    Arc::new(Schema::new(vec![
        Field::new("cpu", DataType::UInt32, true),
        Field::new("quantity", DataType::Utf8, false),
        Field::new("warm_up", DataType::Boolean, false),
        Field::new("activation", DataType::UInt64, false),
        Field::new("due_ns", DataType::Int64, false),
        Field::new("latency_ns", DataType::Int64, false),
    ]))
}

impl Samples {
    /// All samples of a file; none where it keeps histograms alone.
    pub(crate) fn read(path: &Path, run: &Run) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let (schema, mut batches, mut wrong) = (schema(), Vec::new(), None);
        let warm_up = run.plan.as_ref().map(Plan::warm_up_kept_apart).unwrap_or_default();
        let warm_up_ns = i64::try_from(warm_up.as_ns()).unwrap_or(i64::MAX);
        store::samples(path, |series, samples| {
            let of = &run.series[series];
            match batch(&schema, of, warm_up_ns, samples) {
                Ok(batch) => batches.push(batch),
                Err(error) => wrong = Some(error),
            }
        })?;
        wrong.map_or(Ok(Self { batches, schema }), |error| Err(error.into()))
    }
}

fn batch(schema: &Arc<Schema>, of: &Series, warm_up_ns: i64, samples: &[Sample]) -> Result<RecordBatch, ArrowError> {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt32Array::from(vec![of.cpu; samples.len()])),
        Arc::new(StringArray::from(vec![of.quantity.name(); samples.len()])),
        Arc::new(samples.iter().map(|sample| Some(sample.due_ns < warm_up_ns)).collect::<BooleanArray>()),
        Arc::new(samples.iter().map(|sample| sample.activation).collect::<UInt64Array>()),
        Arc::new(samples.iter().map(|sample| sample.due_ns).collect::<Int64Array>()),
        Arc::new(samples.iter().map(|sample| sample.latency_ns).collect::<Int64Array>()),
    ];
    RecordBatch::try_new(schema.clone(), columns)
}

#[pymethods]
impl Samples {
    /// Rows of all batches.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The samples as an Arrow C stream, which shares their memory.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        python: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may ask for another schema; a producer may ignore that (the Arrow PyCapsule interface).
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batches, self.schema.clone())));
        PyCapsule::new_with_value(python, stream, CAPSULE)
    }
}
