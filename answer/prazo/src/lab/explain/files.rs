//! The activations as files: a trace for Perfetto, a chart.

use super::activation::Activation;
use super::sentence::micros;
use crate::error::Error;
use crate::output;
use crate::progress::{FileKind, Progress, Remark};
use prazo_report::svg::{Setting, icicle};
use prazo_report::{Calls, trace};
use std::path::Path;

/// Refuses a file that cannot be written later.
pub(super) fn check(file: &Path) -> Result<(), Error> {
    match form(file) {
        Some(_) => output::free(file),
        None => Err(Error::field("output", "its ending names no form")
            .with_value(file.display())
            .with_remedy("end it with .json for a trace that Perfetto opens, or with .svg for a chart")),
    }
}

fn form(file: &Path) -> Option<FileKind> {
    match file.extension()?.to_str()? {
        "json" => Some(FileKind::Trace),
        "svg" => Some(FileKind::Picture),
        _ => None,
    }
}

/// Writes one file.
pub(super) fn write(file: &Path, activations: &[Activation], progress: &mut dyn Progress) -> Result<(), Error> {
    let title = |one: &Activation| {
        format!("activation {}: {}", one.sample.activation, micros(one.sample.latency_ns.unsigned_abs()))
    };
    let titles: Vec<_> = activations.iter().map(title).collect();
    let calls = activations.iter().zip(&titles).map(|(one, title)| Calls {
        title,
        tree: &one.tree,
        span: &one.span,
        instruction_ns: one.instruction_ns,
    });
    let calls: Vec<_> = calls.collect();
    let what = form(file).unwrap_or(FileKind::Trace);
    match what {
        FileKind::Picture => output::write(file, icicle(&calls[0], Setting::Alone))?,
        _ => output::stream(file, |out| trace::calls(&calls, out))?,
    }
    progress.remark(&Remark::Written { what, file: file.to_owned() });
    Ok(())
}
