//! Explains a gate's movement: the worst runs of both sides, compared function by function as `prazo lab explain` does.
//!
//! It begins after the gate has its answer and never changes it: what cannot be explained is a reason in the answer.

use super::gate::{GateOptions, with_kernel};
use crate::error::Error;
use crate::lab::explain::{ExplainRequest, Explained, ExplainedRun, Explanation, LabRun, check, explain_until};
use crate::progress::{Progress, Remark};
use prazo_lab::Platform;
use prazo_run::Run;
use prazo_run::run::Quantity;
use prazo_study::cell::CellSource;
use prazo_study::gate::{Baseline, ExplainedActivation, GateExplanation, GateOutcome};
use prazo_study::runner::Finished;
use prazo_study::{FileStorage, Here, RemoteTarget, Study, matrix};
use std::path::{Path, PathBuf};

/// What the two activations are called in the sentence about them.
const NAMES: [&str; 2] = ["this run", "the baseline"];

/// Facts of a run that tell whether two runs booted the same kernel.
const KERNEL: [&str; 2] = ["lab.kernel_sha256", "lab.modules_sha256"];

/// A finished study with its answer, and where the runs of both sides are.
pub(super) struct Explaining<'a> {
    pub(super) options: &'a GateOptions,
    /// The initramfs for the image of `--kernel`, which the baseline's kernel had too.
    pub(super) initrd: Option<&'a Path>,
    pub(super) study: &'a Study,
    pub(super) here: &'a Here,
    /// The results folder of this run.
    pub(super) folder: &'a Path,
}

/// Why a cell is not explained.
struct Missing {
    reason: String,
    /// True where the cell is at fault, so that another one may be explained.
    is_of_cell: bool,
}

impl Explaining<'_> {
    /// Adds the explanation to the answer, or the reason why it is missing, where a figure moved.
    pub(super) fn add(&self, finished: &mut Finished, progress: &mut dyn Progress) {
        let is_complete = finished.result.complete;
        let moved = finished.result.gate.as_ref().filter(|answer| is_complete && answer.outcome == GateOutcome::Moved);
        let Some((answer, baseline)) = moved.zip(self.options.baseline.as_ref()).filter(|_| self.options.explain)
        else {
            return;
        };
        let cells: Vec<String> = answer.furthest_cells().into_iter().map(str::to_owned).collect();
        let explained = first_of(&cells, |cell| self.one(cell, baseline, finished, progress));
        let Some(answer) = finished.result.gate.as_mut() else { return };
        match explained {
            Ok(explained) => answer.explained = Some(explained),
            Err(reason) => {
                progress.remark(&Remark::Text(format!("the movement is not explained: {reason}")));
                answer.not_explained = Some(reason);
            }
        }
    }

    fn one(
        &self,
        cell: &str,
        baseline: &Path,
        finished: &Finished,
        progress: &mut dyn Progress,
    ) -> Result<GateExplanation, Missing> {
        let of_cell = |reason: String| Missing { reason: format!("{cell}: {reason}"), is_of_cell: true };
        let before = Baseline::runs_of_cell(self.study, baseline, cell, &FileStorage);
        let before = before.map_err(|error| of_cell(error.to_string()))?;
        let [(file, run), (other, before)] = worst_pair(self.runs_of(cell, finished), &before)
            .ok_or_else(|| of_cell("no run of one side lists an activation with a response latency".to_owned()))?;
        let [now, original] = self.platforms(cell);
        let has_same_kernel = self.options.baseline_kernel.is_none() && kernel(run) == kernel(before);
        let original = if has_same_kernel { now.clone() } else { original };
        let pair = [LabRun { file, platform: now }, LabRun { file: other, platform: original }];
        self.compared(cell, &pair, progress).map_err(|error| Missing {
            reason: format!("{cell}: {}", self.reason(&error, &pair)),
            is_of_cell: matches!(error, Error::Refused(_)),
        })
    }

    /// The runs of a cell in this run, each with its file.
    fn runs_of<'f>(&self, cell: &str, finished: &'f Finished) -> Vec<(PathBuf, &'f Run)> {
        let row = finished.result.cells.iter().find(|row| row.id == cell);
        let files = row.into_iter().flat_map(|row| &row.files).map(|file| self.folder.join(file));
        files.zip(finished.runs.get(cell).into_iter().flatten()).collect()
    }

    /// The cell's platform in this run and in the baseline; `None` where it is no guest.
    fn platforms(&self, cell: &str) -> [Option<Platform>; 2] {
        let source = matrix::cells(self.study, self.here).into_iter().find(|one| one.id == cell).map(|one| one.source);
        let Some(CellSource::Measure { platform, on, .. }) = source else { return [None, None] };
        let entry = self.study.platforms.iter().find(|entry| *entry.id.get_ref() == platform);
        let named = entry.and_then(|entry| RemoteTarget::named(entry.on.as_ref()?.get_ref()).ok());
        let [now, named] = [on, named].map(|place| place.and_then(|place| place.guest().cloned()));
        let original = match &self.options.baseline_kernel {
            Some(file) => named.map(|platform| with_kernel(platform, file, self.initrd)),
            None => named,
        };
        [now, original]
    }

    fn compared(
        &self,
        cell: &str,
        [run, against]: &[LabRun; 2],
        progress: &mut dyn Progress,
    ) -> Result<GateExplanation, Error> {
        let files = [run, against].map(|one| one.file.display().to_string());
        let [this, other] = &files;
        progress.remark(&Remark::Text(format!(
            "explaining the movement of {cell}: the guests of {this} and {other} boot again and are recorded"
        )));
        let request = ExplainRequest {
            run: run.clone(),
            against: Some(against.clone()),
            names: Some(NAMES.map(str::to_owned)),
            worst: 1,
            profile: false,
            path_least: None,
            outputs: Vec::new(),
        };
        let stop = progress.stop().map_err(Error::failed)?;
        let explained = explain_until(&request, Some(&stop), progress);
        // A guest that failed leaves its line of progress.
        progress.measured();
        explained.map(|explained| of(cell, files, explained))
    }

    /// The error as a reason, with what the user can do where the baseline's kernel is at fault.
    fn reason(&self, error: &Error, [run, against]: &[LabRun; 2]) -> String {
        let may_be_kernel = !matches!(error, Error::Interrupted) && self.options.baseline_kernel.is_none();
        let is_of_baseline = || check(run).is_ok() && check(against).is_err();
        if may_be_kernel && is_of_baseline() {
            return format!(
                "{error}; if the baseline was measured with --kernel, name that image with --baseline-kernel"
            );
        }
        error.to_string()
    }
}

/// Explains the first of these cells that can be explained; an error is the reason for the first one, or that which stopped it.
fn first_of<T>(cells: &[String], mut explain: impl FnMut(&str) -> Result<T, Missing>) -> Result<T, String> {
    let mut first = None;
    for cell in cells {
        match explain(cell) {
            Ok(explained) => return Ok(explained),
            Err(missing) if missing.is_of_cell => {
                first.get_or_insert(missing.reason);
            }
            Err(missing) => return Err(missing.reason),
        }
    }
    Err(first.unwrap_or_else(|| "no cell moved".to_owned()))
}

fn of(cell: &str, [file, other]: [String; 2], explanation: Explanation) -> GateExplanation {
    let Explained { run, against } = explanation.document;
    let against = against.expect("two runs were compared");
    let activations = [activation(file, &run), activation(other, &against.run)];
    GateExplanation::new(cell.to_owned(), activations, against.sentence, against.difference.functions)
}

fn activation(file: String, run: &ExplainedRun) -> ExplainedActivation {
    let worst = run.worst.first().expect("one activation of each run was explained");
    let (activation, latency_ns, sentence) = (worst.activation, worst.latency_ns, worst.sentence.clone());
    ExplainedActivation { file, activation, latency_ns, sentence }
}

/// The run of each side with the largest latency; `None` where a side has none that can be explained.
fn worst_pair<'a>(now: Vec<(PathBuf, &'a Run)>, before: &'a [(PathBuf, Run)]) -> Option<[(PathBuf, &'a Run); 2]> {
    let before = before.iter().map(|(file, run)| (file.clone(), run));
    Some([worst_of(now)?, worst_of(before)?])
}

/// The run with the largest latency, the first of equal ones. Runs that list no activation cannot be explained.
fn worst_of<'a>(runs: impl IntoIterator<Item = (PathBuf, &'a Run)>) -> Option<(PathBuf, &'a Run)> {
    let latency = |run: &Run| Some(run.of(Quantity::ResponseLatency).next()?.worst.first()?.latency_ns);
    let listed = runs.into_iter().filter_map(|(file, run)| Some((latency(run)?, file, run)));
    let worst = listed.reduce(|worst, next| if next.0 > worst.0 { next } else { worst });
    worst.map(|(_, file, run)| (file, run))
}

/// The checksums of the kernel that a run booted; `None` where a run does not state them.
fn kernel(run: &Run) -> Option<[&str; 2]> {
    let facts = run.platform_before.as_ref()?;
    let [image, modules] = KERNEL.map(|name| facts.get(name));
    Some([image?, modules?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::fingerprint::{Fact, Fingerprint};
    use prazo_run::run::{Series, WorstSample};

    fn run(latencies_ns: &[i64]) -> Run {
        let listed =
            |(at, latency_ns): (usize, &i64)| WorstSample { at_ns: 0, latency_ns: *latency_ns, activation: at as u64 };
        let worst = latencies_ns.iter().enumerate().map(listed).collect();
        let series = Series { quantity: Quantity::ResponseLatency, worst, ..Series::default() };
        Run { series: vec![series], ..Run::default() }
    }

    #[test]
    fn a_cell_that_cannot_be_explained_leaves_the_next_one_and_a_failure_ends_the_search() {
        let cells = ["board", "guest", "other"].map(str::to_owned);
        let of = |refused: &'static [&str], failed: &'static [&str]| {
            first_of(&cells, |cell| match cell {
                cell if refused.contains(&cell) => Err(Missing { reason: format!("{cell} refused"), is_of_cell: true }),
                cell if failed.contains(&cell) => Err(Missing { reason: format!("{cell} failed"), is_of_cell: false }),
                cell => Ok(cell.to_owned()),
            })
        };
        assert_eq!(of(&[], &[]).as_deref(), Ok("board"));
        assert_eq!(of(&["board"], &[]).as_deref(), Ok("guest"));
        assert_eq!(of(&["board", "guest", "other"], &[]), Err("board refused".to_owned()));
        assert_eq!(of(&["board"], &["guest"]), Err("guest failed".to_owned()));
    }

    fn chosen(runs: &[Run]) -> Option<usize> {
        let named = runs.iter().enumerate().map(|(at, run)| (PathBuf::from(at.to_string()), run));
        worst_of(named).map(|(file, _)| file.to_str().unwrap().parse().unwrap())
    }

    #[test]
    fn the_run_with_the_largest_latency_is_chosen_and_the_first_of_equal_ones() {
        assert_eq!(chosen(&[run(&[30, 20]), run(&[50, 10]), run(&[40, 40])]), Some(1));
        assert_eq!(chosen(&[run(&[30]), run(&[50]), run(&[50])]), Some(1));
    }

    #[test]
    fn runs_that_list_no_activation_are_not_chosen() {
        assert_eq!(chosen(&[run(&[]), Run::default(), run(&[7])]), Some(2));
        assert_eq!(chosen(&[run(&[]), Run::default()]), None);
        let (now, before) = (run(&[9]), vec![(PathBuf::from("a"), run(&[]))]);
        assert!(worst_pair(vec![(PathBuf::from("b"), &now)], &before).is_none());
    }

    #[test]
    fn a_kernel_is_the_same_only_with_the_same_modules() {
        let of = |facts: &[(&str, &str)]| {
            let fact = |value: &str| Fact { value: Some(value.to_owned()), source: String::new() };
            let facts = facts.iter().map(|(name, value)| ((*name).to_owned(), fact(value))).collect();
            Run { platform_before: Some(Fingerprint { facts }), ..Run::default() }
        };
        let [image, modules] = KERNEL;
        let [one, other] = ["m", "n"].map(|sum| of(&[(image, "k"), (modules, sum)]));
        assert_eq!(kernel(&one), kernel(&one.clone()));
        assert_ne!(kernel(&one), kernel(&other));
        assert_eq!(kernel(&of(&[(image, "k")])), None);
    }
}
