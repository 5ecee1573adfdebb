//! Plans, a sink in memory, and skips for the tests of whole runs.
#![allow(dead_code, unused_imports)] // Each test program uses its part.

mod plans;

pub(crate) use plans::plan;

use prazo_probe::timer::{Measured, ProbeError, SetupError, Sink, SinkError, StopFlag, Unobserved, measure};
use prazo_run::Plan;
use prazo_run::store::SeriesSecond;
use prazo_testing::{Need, Skipped, skipped};

/// A sink that keeps everything.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Number and latency, by series.
    pub samples: Vec<Vec<(u64, i64)>>,
    /// Whether each second of series 0 was warm-up.
    pub warm_up_seconds: Vec<bool>,
}

impl Sink for Kept {
    fn second(&mut self, batch: &SeriesSecond) -> Result<(), SinkError> {
        while self.samples.len() <= batch.series {
            self.samples.push(Vec::new());
        }
        self.samples[batch.series].extend(batch.samples.iter().map(|sample| (sample.activation, sample.latency_ns)));
        if batch.series == 0 {
            self.warm_up_seconds.push(batch.warm_up);
        }
        Ok(())
    }
}

/// One run into memory.
pub(crate) fn probe(plan: &Plan) -> Result<(Measured, Kept), ProbeError> {
    let mut kept = Kept::default();
    let stop = StopFlag::new().expect("a file descriptor is left");
    let measured = measure(plan, &mut kept, &mut Unobserved, &stop)?;
    Ok((measured, kept))
}

/// What was measured; a skip where this user may not have real-time policies.
pub(crate) fn in_real_time<T>(measured: Result<T, ProbeError>) -> Result<T, Skipped> {
    match measured {
        Err(error @ ProbeError::Setup(SetupError::Policy { .. })) => Err(skipped(Need::RealTime, error)),
        measured => Ok(measured.unwrap()),
    }
}

/// A skip on a machine with one processor.
pub(crate) fn two_processors() -> Result<(), Skipped> {
    if has_two_processors() { Ok(()) } else { Err(skipped(Need::TwoProcessors, "available_parallelism(3) is 1")) }
}

pub(crate) fn has_two_processors() -> bool {
    std::thread::available_parallelism().is_ok_and(|number| number.get() >= 2)
}
