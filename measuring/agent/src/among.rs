//! A guest's part among several, as Regnier 2008's second set-up has them: measured and answering, triggering, or flooding.
//!
//! ```text
//! station ── trigger ─► measured (eth0): handler's answer, task's answer ─► station: t1, t2, t3
//! flood ───────────────► measured (eth1)
//! ```

use crate::work::Stop;
use prazo_core::time::Duration;
use prazo_load as load;
use prazo_probe::StopFlag;
use prazo_probe::event::link::{Link, Wire};
use prazo_probe::event::{Answerer, Endpoint};
use prazo_probe::guest_request::{CARD, Flood, PATIENCE};
use prazo_probe::station::{self, SeriesRequest, StationError};
use prazo_run::source::{EventSource, ReceiveStamp, Source, Station};
use prazo_run::{Plan, Run, store};
use std::io;
use std::path::Path;

/// The station whose frames the plan's events are, once it has offered them; `None` for a plan with events of its own.
pub(crate) fn meet(plan: &Plan, stop: &StopFlag) -> Result<Option<Endpoint>, Stop> {
    match &plan.source {
        Source::Event(source) if source.station == Station::Remote => met(source, measured(plan), stop).map(Some),
        _ => Ok(None),
    }
}

/// The processor of the plan's first task.
fn measured(plan: &Plan) -> u32 {
    plan.threads.first().map_or(0, |thread| thread.cpu)
}

/// Each of its triggers is answered twice: in the kernel's receive path, and by the task.
fn met(source: &EventSource, cpu: u32, stop: &StopFlag) -> Result<Endpoint, Stop> {
    let failed = |what: &str| {
        let what = format!("{what} on {}", source.interface);
        move |error: &dyn std::fmt::Display| Stop::Failed(format!("{what}: {error}"))
    };
    let wire = Wire::Ethernet { interface: source.interface.clone() };
    let link = Link::open(&wire).map_err(|error| failed("cannot listen")(&error))?;
    let unanswered = failed("cannot attach the BPF program that answers triggers");
    let answerer = Answerer::attach(&source.interface)
        .map_err(|error| unanswered(&format!("{error} (the program needs Linux 6.6 or newer)")))?;
    let mut endpoint = Endpoint::meet(link, None, PATIENCE, stop)
        .map_err(|error| failed("no triggering station was found")(&error))?;
    if source.stamp == ReceiveStamp::Hardware {
        endpoint.stamp_by_card(cpu).map_err(|error| failed("cannot read the card's time stamps")(&error))?;
    }
    endpoint.answer_delay = Some(source.answer_delay.unwrap_or(Duration::ZERO));
    endpoint.answerer = Some(answerer);
    Ok(endpoint)
}

/// Triggers, and leaves what was seen of the answers as a run.
pub(crate) fn trigger(request: &SeriesRequest, file: &Path, stop: &StopFlag) -> Result<(), Stop> {
    let report = station::run(request, stop).map_err(refused)?;
    let answers = report.answers.unwrap_or_default();
    let (series, caveats) = (station::series(&answers), station::caveats(&answers, None));
    let run = Run { series, caveats, ..Run::default() };
    store::save(&run, file).map_err(|error| Stop::Failed(error.to_string()))
}

fn refused(error: StationError) -> Stop {
    if error.is_usage() { Stop::Refused(error.to_string()) } else { Stop::Failed(error.to_string()) }
}

/// Floods until the guest is ended; comes back only with the reason why it cannot.
pub(crate) fn flood(flood: &Flood) -> io::Error {
    load::flood_another(CARD, flood.to, flood.rate)
}
