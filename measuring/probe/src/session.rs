//! One run from its plan to its file: platform before, loads, lead-in, measuring, platform after.
//!
//! ```text
//! undo what a killed run left ─► fingerprint ─► file ─► loads ─► lead-in ─► probe ─► loads end ─► fingerprint ─► close
//! ```
//! The order matters: the file exists before the first sample, loads run before the probe is armed and end after it, and the
//! platform is looked at twice, so that a run says what moved meanwhile.

mod core_tool;
mod domain;
mod kernel_trace;
mod lead_in;
pub(crate) mod platform_before;
mod recording;
mod splitting;

use crate::event::Endpoint;
use crate::interrupt::{self, InterruptError};
use crate::noise::Loops;
use crate::timer;
use crate::wakeup::Pairs;
use crate::xenomai::XenomaiError;
use domain::Domain;
use kernel_trace::KernelTrace;
pub use kernel_trace::{TraceError, TraceEvents};
pub use platform_before::PlatformBefore;
use prazo_core::time::Duration;
use prazo_engine::{Measured, Observer, Outlets, ProbeError, StopFlag, Surroundings};
use prazo_load::{self as load, LoadError, Loads, foreign_application};
use prazo_platform::root::Root;
use prazo_run::noise::Observed;
use prazo_run::overheads::Traced;
use prazo_run::run::LoadRecord;
use prazo_run::source::Source;
use prazo_run::split::{SampleExplanation, SplitCounts};
use prazo_run::store::StoreError;
use prazo_run::{Caveat, Plan, Run, store};
use prazo_trace::overheads;
use recording::Recording;
use std::path::{Path, PathBuf};

/// What shall be measured into which file.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The plan.
    pub plan: Plan,
    /// The run file, which must not exist yet.
    pub file: &'a Path,
    /// The run's name.
    pub name: String,
    /// The command line that repeats it.
    pub command: String,
}

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The probe refused or failed.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The module could not be used.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
    /// A Xenomai core's tool could not measure.
    #[error(transparent)]
    Xenomai(#[from] XenomaiError),
    /// The kernel's trace could not be recorded beside it.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A load could not be started.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// There is no application to measure beside.
    #[error(transparent)]
    Application(#[from] foreign_application::ApplicationError),
    /// The run file could not be made, closed or read again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SessionError {
    /// True where the caller asked to stop before anything was measured.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Load(LoadError::Stopped { .. }))
    }

    /// True where the user asked for something that cannot be; otherwise the world refused.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Probe(error) => matches!(error, ProbeError::Plan(_)),
            Self::Interrupt(error) => error.is_usage(),
            Self::Xenomai(error) => error.is_usage(),
            Self::Load(error) => error.is_usage(),
            Self::Application(_) => true,
            Self::Trace(error) => error.is_usage(),
            Self::Store(error) => matches!(error, StoreError::Exists { .. }),
        }
    }
}

/// A run with the file that it is in.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// The run as it is in the file.
    pub run: Run,
    /// The file that holds all of it: the one asked for, or another where that could not be written to its end.
    pub file: PathBuf,
    /// The text file that holds the kernel's events up to the latency that stopped the run.
    pub trace: Option<PathBuf>,
}

/// Measures, and gives the finished run back as it is in its file. After an error that came before the first sample, no file
/// is left.
pub fn execute(
    request: &Request<'_>,
    root: &Root,
    observer: &mut dyn Observer,
    stop: &StopFlag,
) -> Result<RecordedRun, SessionError> {
    execute_at(request, root, &SessionOptions::default(), observer, stop)
}

/// As [`execute`], for threads that wait for the triggers of a station that was met.
pub fn execute_event(
    request: &Request<'_>,
    root: &Root,
    endpoint: &Endpoint,
    observer: &mut dyn Observer,
    stop: &StopFlag,
) -> Result<RecordedRun, SessionError> {
    execute_at(request, root, &SessionOptions { endpoint: Some(endpoint), ..SessionOptions::default() }, observer, stop)
}

/// Where a run happens.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions<'a> {
    /// How and where its loads run; a guest has cards and a disk of its own.
    pub loads: load::Options,
    /// The station that was met, whose triggers are waited for.
    pub endpoint: Option<&'a Endpoint>,
    /// The kernel's events that are recorded beside a run with a threshold; `None` records none, and saves a trace that is
    /// running already.
    pub trace: Option<&'a TraceEvents>,
}

/// Who watches a run, and who may stop it.
struct Outlook<'a> {
    observer: &'a mut dyn Observer,
    stop: &'a StopFlag,
}

/// As [`execute`], at a place of the caller's.
pub fn execute_at(
    request: &Request<'_>,
    root: &Root,
    place: &SessionOptions<'_>,
    observer: &mut dyn Observer,
    stop: &StopFlag,
) -> Result<RecordedRun, SessionError> {
    if let Source::Xenomai(source) = &request.plan.source {
        return core_tool::execute(request, source, root, place, Outlook { observer, stop });
    }
    let around = PlatformBefore::capture(root);
    let mut recording = Recording::open(request, &around, root)?;
    match measure(request, root, &mut recording, place, Outlook { observer, stop }) {
        Ok(done) => {
            let trace = done.trace.clone();
            let file = recording.close(done, &around, root)?;
            Ok(RecordedRun { run: store::open(&file)?, file, trace })
        }
        Err(error) => {
            recording.abandon();
            Err(error)
        }
    }
}

/// What measuring and loading came to.
struct SessionResult {
    measured: Measured,
    loads: Vec<LoadRecord>,
    caveats: Vec<Caveat>,
    splits: Vec<Split>,
    overheads: Option<Traced>,
    noise: Option<Observed>,
    /// Processor time of one activation.
    probe_cost: Option<Duration>,
    trace: Option<PathBuf>,
}

/// What is known of a split when a run ends: its whole series' place, its counts, and the causes of the worst samples.
type Split = (usize, SplitCounts, Vec<SampleExplanation>);

fn measure(
    request: &Request<'_>,
    root: &Root,
    recording: &mut Recording,
    place: &SessionOptions<'_>,
    Outlook { observer, stop }: Outlook<'_>,
) -> Result<SessionResult, SessionError> {
    let plan = &request.plan;
    check(plan)?;
    let application = plan.beside_pid.map(foreign_application::ForeignApplication::find).transpose()?;
    let trace = KernelTrace::begin(plan, place.trace, recording.has_events(), root)?;
    let around = Surroundings::default().marking(trace.as_ref().map(KernelTrace::marked));
    let loads = load::start_unless(&plan.loads, plan.seed, &place.loads, &|| stop.is_set())?;
    lead_in::wait(plan, observer, stop);
    let domain = Domain::for_plan(plan, root);
    let Sourced { mut measured, splits, overheads, noise } =
        measure_source(plan, root, place, &around, Outlets { sink: recording, observer, stop })?;
    let (changed, refused) = domain.release();
    measured.tunables.extend(changed);
    let traced = kernel_trace::saved(trace, &measured.ending, request.file, recording);
    measured.tunables.extend(traced.tunables);
    let (mut records, mut caveats) = ended(loads, &measured);
    caveats.extend(traced.caveat);
    caveats.extend(refused);
    if let Some(application) = application {
        records.push(application.record(measured.start));
        caveats.extend(application.caveats(&plan.policy));
    }
    let probe_cost = measured.probe_cost(plan);
    Ok(SessionResult { measured, loads: records, caveats, splits, overheads, noise, probe_cost, trace: traced.file })
}

/// What is measured decides what a plan must be.
fn check(plan: &Plan) -> Result<(), ProbeError> {
    match &plan.source {
        Source::Overheads(source) => overheads::check(plan, source),
        _ => prazo_engine::check_plan(plan),
    }
}

/// What came of a source.
struct Sourced {
    measured: Measured,
    splits: Vec<Split>,
    overheads: Option<Traced>,
    noise: Option<Observed>,
}

impl From<Measured> for Sourced {
    fn from(measured: Measured) -> Self {
        Self { measured, splits: Vec::new(), overheads: None, noise: None }
    }
}

/// What the plan takes as the event decides who measures.
fn measure_source(
    plan: &Plan,
    root: &Root,
    place: &SessionOptions<'_>,
    around: &Surroundings,
    outlets: Outlets<'_>,
) -> Result<Sourced, SessionError> {
    match (&plan.source, place.endpoint) {
        (Source::Interrupt(source), _) => {
            let outcome = interrupt::run(plan, source, place.loads.cards.as_ref(), outlets)?;
            let splits = vec![(0, outcome.split, Vec::new())];
            Ok(Sourced { splits, ..Sourced::from(outcome.measured) })
        }
        (Source::Overheads(source), _) => {
            let outcome = overheads::measure(plan, source, root, outlets)?;
            Ok(Sourced { overheads: outcome.traced, ..Sourced::from(outcome.measured) })
        }
        (Source::Wakeup(source), _) => {
            let pairs = Pairs::new(source).map_err(|source| ProbeError::System {
                what: "reading the list of usable processors",
                source,
                remedy: "this kernel or container may forbid a system call that every run needs",
            })?;
            Ok(prazo_engine::measure(around, plan, &pairs, outlets)?.into())
        }
        (Source::Noise(source), _) => {
            let cpus: Vec<u32> = plan.threads.iter().map(|thread| thread.cpu).collect();
            let loops = Loops::new(source, &cpus, around);
            let measured = prazo_engine::measure(around, plan, &loops, outlets)?;
            Ok(Sourced { noise: Some(loops.observed()), ..Sourced::from(measured) })
        }
        (_, Some(endpoint)) => Ok(prazo_engine::measure(around, plan, endpoint, outlets)?.into()),
        (_, None) => Ok(timer::measure_in(around, plan, outlets)?.into()),
    }
}

/// Ends the loads; their times count from the run's first due activation.
fn ended(mut loads: Loads, measured: &Measured) -> (Vec<LoadRecord>, Vec<Caveat>) {
    loads.mark_start(measured.start);
    loads.stop()
}
