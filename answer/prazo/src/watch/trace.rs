//! The worst activations of a watch as a trace that Perfetto opens.

use crate::error::Error;
use crate::output;
use crate::progress::{FileKind, Progress, Remark};
use prazo_core::text::grouped;
use prazo_probe::programs::{Around, SeenThread, SeenWait, Slice, WorstActivation};
use prazo_report::trace::{self, TraceActivation, TraceSlice, TraceTrack};
use std::path::Path;

/// Refuses a file that could not be written at the end.
pub(super) fn check(file: &Path) -> Result<(), Error> {
    match file.extension().is_some_and(|ending| ending == "json") {
        true => output::free(file),
        false => Err(Error::field("trace", "the file's name does not end with .json")
            .with_value(file.display())
            .with_remedy("name a .json file, which Perfetto opens at https://ui.perfetto.dev")),
    }
}

/// Writes the worst of every thread and section, worst first; `began_ns` is when the watch began.
pub(super) fn write(file: &Path, seen: &[SeenThread], began_ns: u64, progress: &mut dyn Progress) -> Result<(), Error> {
    let mut all: Vec<(u64, TraceActivation)> = seen.iter().flat_map(|seen| of_thread(seen, began_ns)).collect();
    all.sort_by_key(|(response_ns, _)| std::cmp::Reverse(*response_ns));
    let all: Vec<TraceActivation> = all.into_iter().map(|(_, activation)| activation).collect();
    output::stream(file, |out| trace::watched(&all, out))?;
    progress.remark(&Remark::Written { what: FileKind::Trace, file: file.to_owned() });
    Ok(())
}

fn of_thread(seen: &SeenThread, began_ns: u64) -> Vec<(u64, TraceActivation)> {
    let of = |section: Option<&str>, wait: &SeenWait| -> Vec<(u64, TraceActivation)> {
        let worst = wait.worst.iter();
        let traced = worst
            .filter_map(|one| Some((one.response_ns, activation(seen, section, one, one.around.as_ref()?, began_ns))));
        traced.collect()
    };
    let sections = seen.sections.iter().flat_map(|section| of(Some(&section.passes.call), &section.passes));
    seen.wait.iter().flat_map(|wait| of(None, wait)).chain(sections).collect()
}

fn activation(
    seen: &SeenThread,
    section: Option<&str>,
    worst: &WorstActivation,
    around: &Around,
    began_ns: u64,
) -> TraceActivation {
    let thread = format!("{} (thread {})", seen.name, seen.thread_id);
    let (what, kind) = match section {
        Some(section) => (format!("{section}, pass {}", grouped(worst.number)), "section"),
        None => (format!("activation {}", grouped(worst.number)), "activation"),
    };
    let cause = worst.culprit.cause.name();
    let slice = |name: String, kind, from_ns: u64, to_ns: u64| TraceSlice {
        name,
        kind,
        from_ns: from_ns.saturating_sub(began_ns),
        to_ns: to_ns.saturating_sub(began_ns),
    };
    let of = |one: &Slice| slice(one.name.clone(), one.kind.name(), one.from_ns, one.to_ns);
    let mut itself = vec![slice(format!("{what}: {}", worst.culprit.sentence), kind, around.from_ns, around.to_ns)];
    if around.released_ns > around.from_ns {
        itself.push(slice("latency".into(), "latency", around.from_ns, around.released_ns.min(around.to_ns)));
    }
    let track = |name: String, slices| TraceTrack { name, slices };
    let cpus = around.cpus.iter().map(|(cpu, slices)| track(format!("cpu {cpu}"), slices.iter().map(of).collect()));
    let own = [track(what.clone(), itself), track(thread.clone(), around.thread.iter().map(of).collect())];
    let us = grouped((worst.response_ns + 500) / 1_000);
    TraceActivation {
        title: format!("{thread}, {what}: {us} µs, {cause}"),
        tracks: own.into_iter().chain(cpus).collect(),
    }
}
