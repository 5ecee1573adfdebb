//! A bound on the latency of a lab run, above what was observed: from every section that its boot executed.
//!
//! ```text
//! run ─► boot with clock readings ─► where it was measured ─► boot with steps ─► sections ─┐
//! further runs of the same kernel ──────────────────────────────────────────► sections ─┴► bound
//!                                         the ten sections that carry it ─► boot with their blocks ─► functions by name
//! ```
//! Every boot must repeat its run's samples. A bound below an observed latency is an error, because one of the two is wrong.

mod document;
mod names;
mod seen;
mod text;

pub use document::{
    Bounded, BoundedRun, CoverageDocument, FunctionCoverageDocument, HistogramDocument, InterferenceDocument,
    SectionDocument, SectionName, TermDocument,
};

use super::explain::{LabRun, Subject, awaited, instruction_ns, is_of_tool, no_latency, series};
use crate::error::Error;
use crate::guest::lab_error;
use crate::progress::Progress;
use prazo_lab::Lab;
use prazo_lab::sections::{Bound, Longest, SectionEnds, SectionKind, Sections};
use prazo_run::{Run, store};
use seen::Seen;

/// Sections that are named.
const NAMED: usize = 10;

/// What is bounded.
#[derive(Clone, Debug)]
pub struct BoundRequest {
    /// The runs; all of one kernel with the same words.
    pub runs: Vec<LabRun>,
    /// Whether the sections that carry the bound are recorded block by block, which takes another boot of each run.
    pub names: bool,
}

/// Bounds the latency of runs.
///
/// # Errors
/// A run is not from the lab, the runs are of different kernels, a boot did not repeat its run's samples, or the bound lies below
/// an observed latency.
pub fn bound(request: &BoundRequest, progress: &mut dyn Progress) -> Result<Bounded, Error> {
    let opened = |of: &LabRun| store::open(&of.file).map_err(Error::reading);
    let runs: Vec<Run> = request.runs.iter().map(opened).collect::<Result<_, _>>()?;
    same_kernel(&request.runs, &runs)?;
    let what = |run: &Run| match run {
        run if awaited(run).is_line() => Some("an interrupt line"),
        run if is_of_tool(run) => Some("a task by a core's own tool"),
        _ => None,
    };
    if let Some((run, what)) = runs.iter().find_map(|run| Some((run, what(run)?))) {
        return Err(Error::refused(format!("run '{}' measured {what}; its latency has no bound yet", run.name))
            .with_remedy("use runs of `prazo measure timer --platform lab:NAME`"));
    }
    let lab = Lab::find().map_err(lab_error)?;
    let mut subjects = Vec::new();
    for (of, run) in request.runs.iter().zip(&runs) {
        subjects.push(Subject::of(of, run, listed(run)?, &lab)?);
    }
    let first = subjects.first().ok_or_else(|| Error::refused("no run was named, so there is nothing to bound"))?;
    let watcher = first.watcher(&lab, progress)?;
    let mut seen = Seen::default();
    for (number, subject) in subjects.iter().enumerate() {
        seen.add(subject, number, &watcher, &lab, progress)?;
    }
    progress.measured();
    let instruction_ns = instruction_ns(&first.job);
    let bound = Bound::of(&seen.sections, seen.timer_ns.div_ceil(instruction_ns));
    let carrying = carrying(&seen.sections);
    let names = match request.names {
        true => names::names(&carrying, &subjects, &watcher, &lab, progress)?,
        false => vec![None; carrying.len()],
    };
    let sections = carrying.into_iter().zip(names);
    let document = Bounded::of(&subjects, &seen, bound.as_ref(), sections, watcher.symbols(), instruction_ns);
    match document.bound_ns {
        Some(bound) if bound < document.observed_max_ns.unsigned_abs() => Err(Error::failed(format!(
            "the bound of {bound} ns is below the observed maximum of {} ns, so one of the two is wrong",
            document.observed_max_ns
        ))
        .with_remedy("report this error and attach the run file")),
        _ => Ok(document),
    }
}

/// Runs with other kernels or words have other sections.
fn same_kernel(of: &[LabRun], runs: &[Run]) -> Result<(), Error> {
    let fact = |run: &Run, name: &str| {
        let facts = run.platform_before.as_ref();
        facts.and_then(|facts| facts.facts.get(name)).and_then(|fact| fact.value.clone())
    };
    for name in ["lab.kernel_sha256", "lab.modules_sha256", "lab.command_line", "lab.shift"] {
        if let Some(place) = runs.iter().position(|run| fact(run, name) != fact(&runs[0], name)) {
            let file = of[place].file.display();
            return Err(Error::refused(format!(
                "{file} and {} differ in the kernel, its modules, its command line or the duration of an instruction",
                of[0].file.display()
            ))
            .with_remedy("name runs of one platform at a time"));
        }
    }
    Ok(())
}

/// How many activations the run lists.
fn listed(run: &Run) -> Result<usize, Error> {
    let count = series(run).map_or(0, |series| series.worst.len());
    (count > 0)
        .then_some(count)
        .ok_or_else(|| no_latency(run, "use a run of `prazo measure timer --platform lab:NAME`"))
}

/// The longest sections, by kind in the order of the bound, each kind's longest first: those without which the bound is another come
/// before all others.
fn carrying(sections: &Sections) -> Vec<(SectionKind, SectionEnds, Longest)> {
    let mut all: Vec<_> = sections.places.iter().map(|((kind, place), one)| (*kind, place.clone(), *one)).collect();
    all.sort_by(|a, b| b.2.length.cmp(&a.2.length).then_with(|| (a.0, &a.1).cmp(&(b.0, &b.1))));
    let is_first = |place: usize| all[..place].iter().all(|other| other.0 != all[place].0);
    let (mut first, mut rest): (Vec<_>, Vec<_>) = (0..all.len()).partition(|place| is_first(*place));
    first.append(&mut rest);
    first.into_iter().take(NAMED).map(|place| all[place].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kinds_longest_section_comes_before_all_others() {
        let mut sections = Sections::default();
        let place = |begins: &str| SectionEnds { begins: begins.into(), ends: "e".into() };
        for (kind, begins, length) in [
            (SectionKind::Off, "a", 900),
            (SectionKind::Off, "b", 800),
            (SectionKind::Scheduler, "s", 100),
            (SectionKind::Return, "r", 50),
        ] {
            let longest = Longest { length, ..Longest::default() };
            sections.places.insert((kind, place(begins)), longest);
        }
        let order: Vec<_> = carrying(&sections).into_iter().map(|(_, place, _)| place.begins).collect();
        assert_eq!(order, ["a", "s", "r", "b"]);
    }
}
