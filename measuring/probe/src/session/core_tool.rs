//! A run whose samples a Xenomai core's own tool takes: the same order of things as any other, with the tool in the probe's place.
//!
//! The tool prints its histogram at its end, so that there is nothing to record before, and the file is written at once.

use super::platform_before::PlatformBefore;
use super::{Outlook, RecordedRun, Request, SessionError, SessionOptions, lead_in};
use crate::xenomai::{self, ToolRun};
use prazo_core::time::Duration;
use prazo_load as load;
use prazo_platform::fingerprint::capture;
use prazo_platform::root::Root;
use prazo_run::source::XenomaiSource;
use prazo_run::store::{self, StoreError};
use prazo_run::{Caveat, Run};
use prazo_sys::clock;

pub(super) fn execute(
    request: &Request<'_>,
    source: &XenomaiSource,
    root: &Root,
    place: &SessionOptions<'_>,
    Outlook { observer, stop }: Outlook<'_>,
) -> Result<RecordedRun, SessionError> {
    let (plan, file) = (&request.plan, request.file.to_owned());
    if file.exists() {
        return Err(StoreError::Exists { path: file }.into());
    }
    let around = PlatformBefore::capture(root);
    let started_at_unix_ns = clock::unix_ns();
    let mut loads = load::start_unless(&plan.loads, plan.seed, &place.loads, &|| stop.is_set())?;
    lead_in::wait(plan, observer, stop);
    let ToolRun { run, start } = xenomai::measure(plan, source, root, observer, stop)?;
    let elapsed = Duration::from_ns(clock::monotonic_ns() - start.as_ns());
    loads.mark_start(start);
    let (loads, of_loads) = loads.stop();
    let after = capture(root);
    let drift = around.drift(&after, &run.caveats);
    let found: Vec<Caveat> = around.caveats.iter().cloned().chain(drift).chain(of_loads).collect();
    let mut before = around.fingerprint;
    // What the tool said of itself stands beside what the platform says.
    before.facts.extend(run.platform_before.unwrap_or_default().facts);
    let run = Run {
        name: request.name.clone(),
        command: request.command.clone(),
        plan: Some(plan.clone()),
        started_at_unix_ns,
        elapsed: run.elapsed.or(Some(elapsed)),
        platform_before: Some(before),
        platform_after: Some(after),
        loads,
        caveats: run.caveats.into_iter().chain(found).collect(),
        ..run
    };
    store::save(&run, &file)?;
    Ok(RecordedRun { run: store::open(&file)?, file, trace: None })
}
