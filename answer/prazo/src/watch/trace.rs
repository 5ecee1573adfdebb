//! The worst activations of a watch as a trace that Perfetto opens.

use crate::error::Error;
use crate::output;
use crate::progress::{FileKind, Progress, Remark};
use prazo_core::text::grouped;
use prazo_probe::activations::SliceKind;
use prazo_report::trace::{self, TraceActivation, TraceSlice, TraceTrack};
use prazo_run::watched::{SeriesThread, WatchedAccount, WatchedAround, WatchedSlice, WatchedWorst};
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

/// Writes the worst of every thread and section, worst first.
pub(super) fn write(file: &Path, accounts: &[WatchedAccount], progress: &mut dyn Progress) -> Result<(), Error> {
    let all = activations(accounts);
    output::stream(file, |out| trace::watched(&all, out))?;
    progress.remark(&Remark::Written { what: FileKind::Trace, file: file.to_owned() });
    Ok(())
}

/// The worst activations with what happened around them, worst first; those without it are left out.
pub fn activations(accounts: &[WatchedAccount]) -> Vec<TraceActivation> {
    let of_account = |account: &WatchedAccount| -> Vec<(u64, TraceActivation)> {
        let of = |one: &WatchedWorst| Some((one.response_ns, activation(&account.thread, one, one.around.as_ref()?)));
        account.figures.worst.iter().filter_map(of).collect()
    };
    let mut all: Vec<(u64, TraceActivation)> = accounts.iter().flat_map(of_account).collect();
    all.sort_by_key(|(response_ns, _)| std::cmp::Reverse(*response_ns));
    all.into_iter().map(|(_, activation)| activation).collect()
}

fn activation(of: &SeriesThread, worst: &WatchedWorst, around: &WatchedAround) -> TraceActivation {
    let thread = format!("{} (thread {})", of.name, of.thread_id);
    let (what, kind) = match &of.section {
        Some(section) => (format!("{section}, pass {}", grouped(worst.activation)), "section"),
        None => (format!("activation {}", grouped(worst.activation)), "activation"),
    };
    let slice = |name: String, kind, from_ns, to_ns| TraceSlice { name, kind, from_ns, to_ns };
    // A file may have been written by a later prazo.
    let kind_of = |one: &WatchedSlice| one.kind.parse::<SliceKind>().map_or("other", SliceKind::name);
    let of_slices = |slices: &[WatchedSlice]| -> Vec<TraceSlice> {
        slices.iter().map(|one| slice(one.name.clone(), kind_of(one), one.from_ns, one.to_ns)).collect()
    };
    let mut itself = vec![slice(format!("{what}: {}", worst.sentence), kind, around.from_ns, around.to_ns)];
    if around.released_ns > around.from_ns {
        itself.push(slice("latency".into(), "latency", around.from_ns, around.released_ns.min(around.to_ns)));
    }
    let track = |name: String, slices| TraceTrack { name, slices };
    let cpus = around.cpus.iter().map(|one| track(format!("cpu {}", one.cpu), of_slices(&one.slices)));
    let own = [track(what.clone(), itself), track(thread.clone(), of_slices(&around.thread))];
    let us = grouped((worst.response_ns + 500) / 1_000);
    TraceActivation {
        title: format!("{thread}, {what}: {us} µs, {}", worst.cause),
        tracks: own.into_iter().chain(cpus).collect(),
    }
}
