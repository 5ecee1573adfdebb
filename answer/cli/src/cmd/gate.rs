//! `prazo study run --against`: a study's outcome held against a baseline, as a gate for kernels.

use crate::engine;
use crate::exit::{Exit, Failure};
use crate::flags::gate::{GateFlags, InsteadFlags};
use prazo_lab::Platform;
use prazo_study::gate::{self, Baseline, Different, GateOutcome, GateResult, Question};
use prazo_study::runner::Finished;
use prazo_study::{Here, Study, StudyResult, matrix};
use prazo_verdict::claim::{ClaimOutcome, ClaimResult};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

impl InsteadFlags {
    /// The study with what was put in its platforms' place.
    pub fn apply(&self, study: &mut Study) -> Result<(), Failure> {
        self.keep_only(study)?;
        study.head.seed = self.seed.unwrap_or(study.head.seed);
        if self.kernel.is_none() && self.append.is_none() {
            return Ok(());
        }
        let mut replaced = false;
        for entry in &mut study.platforms {
            if let Some(platform) = entry.in_lab() {
                entry.instead = Some(self.instead_of(platform.map_err(Failure::usage)?)?);
                replaced = true;
            }
        }
        let none = || Failure::usage(format!("--kernel and --append: '{}' has no platform of the lab", study.name()));
        replaced.then_some(()).ok_or_else(none)
    }

    fn keep_only(&self, study: &mut Study) -> Result<(), Failure> {
        let ids: Vec<String> = study.platforms.iter().map(|entry| entry.id.get_ref().clone()).collect();
        if let Some(unknown) = self.only.iter().find(|only| !ids.contains(only)) {
            return Err(Failure::usage(format!("--only {unknown}: choose among {}", ids.join(", "))));
        }
        study.platforms.retain(|entry| self.only.is_empty() || self.only.contains(entry.id.get_ref()));
        Ok(())
    }

    fn instead_of(&self, platform: Platform) -> Result<Platform, Failure> {
        let words = self.append.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned);
        let words = platform.words.iter().cloned().chain(words).collect();
        let kernel = match &self.kernel {
            None => platform.kernel.clone(),
            Some(file) => {
                let unreadable = |error| Failure::usage(format!("--kernel {}: {error}", file.display()));
                std::fs::File::open(file).map_err(unreadable)?;
                Platform::given(file.clone(), self.initrd.clone()).kernel
            }
        };
        Ok(Platform { kernel, words, ..platform })
    }
}

impl GateFlags {
    /// The baseline, read before anything is measured; `None` where none is named.
    pub fn baseline(&self, study: &Study, here: &Here, results: &Path) -> Result<Option<Baseline>, Failure> {
        let Some(path) = &self.against else { return Ok(None) };
        if !path.is_dir() {
            return Baseline::open(path, study.name()).map(Some).map_err(Failure::usage);
        }
        let same = |path: &Path| path.canonicalize().ok();
        if same(path).is_some_and(|path| Some(path) == same(results)) {
            let path = path.display();
            return Err(Failure::usage(format!("--against {path}: results go there too; name another folder with -o")));
        }
        Baseline::of_folder(study, here, path, &engine::shelf()).map(Some).map_err(Failure::usage)
    }

    /// Keeps the outcome as a baseline where asked to. Part of one would hide what it lacks from every later comparison.
    pub fn keep(&self, study: &Study, here: &Here, finished: &Finished) -> Result<(), Failure> {
        let Some(path) = &self.save_baseline else { return Ok(()) };
        let found = measured(study, finished)?;
        let lacks = found.lacks(&matrix::counted(study, here));
        if !lacks.is_empty() {
            let (path, lacks) = (path.display(), lacks.join(", "));
            return Err(Failure::world(format!("the baseline {path} is not written, for it would lack {lacks}")));
        }
        found.save(path).map_err(Failure::world)?;
        eprintln!("baseline: {}, {} cells", path.display(), found.cells.len());
        Ok(())
    }

    /// Holds the outcome against a baseline where there is one.
    pub fn hold(
        &self,
        study: &Study,
        here: &Here,
        baseline: Option<&Baseline>,
        finished: &mut Finished,
    ) -> Result<(), Failure> {
        let Some(baseline) = baseline else { return Ok(()) };
        let found = measured(study, finished)?;
        let cells = matrix::counted(study, here).into_keys().collect();
        finished.result.gate = Some(self.judge(&baseline.of_cells(&matrix::ids(study)), &found, &cells)?);
        Ok(())
    }

    fn judge(&self, baseline: &Baseline, found: &Baseline, cells: &BTreeSet<String>) -> Result<GateResult, Failure> {
        let name = self.against.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let floor_ns = self.floor.map(|floor| floor.as_ns() as f64);
        let (may_differ, direction) = (&self.may_differ, self.direction);
        let question = Question { name: &name, cells, may_differ, direction, floor_ns };
        gate::judge(baseline, found, &question).map_err(|refused| Failure::usage(refusal(&name, &refused)))
    }
}

/// What a study's guests brought under counted time.
fn measured(study: &Study, finished: &Finished) -> Result<Baseline, Failure> {
    let found = Baseline::of(study.name(), &finished.runs);
    let none = || Failure::world("nothing was measured under counted time, so there is nothing to compare or keep");
    (!found.cells.is_empty()).then_some(found).ok_or_else(none)
}

fn refusal(name: &str, refused: &[Different]) -> String {
    let differing = gate::differing(refused).join("; ");
    if refused.iter().any(|one| one.mixed) {
        return format!(
            "not comparable with {name}, since the runs of one side differ among themselves: {differing}; measure that side \
             again, in a folder of its own"
        );
    }
    let mut words: Vec<&str> = refused.iter().map(|one| one.condition.name()).collect();
    words.sort_unstable();
    words.dedup();
    format!(
        "not comparable with {name}, since more differs than what is under test: {differing}; allow it with --may-differ {}, \
         or measure the baseline again",
        words.join(",")
    )
}

/// The gate's answer as a claim, shown before the study's own; none without a baseline.
pub fn claims(result: &StudyResult) -> impl Iterator<Item = ClaimResult> {
    let row = |answer: &GateResult| {
        let moved: Vec<String> = answer.moved().map(|one| one.sentence()).collect();
        ClaimResult {
            id: "gate".into(),
            place: None,
            text: format!("Against {} no latency moved beyond what the seeds' spread explains.", answer.baseline),
            outcome: match answer.outcome {
                GateOutcome::Unmoved => ClaimOutcome::Held,
                GateOutcome::Moved => ClaimOutcome::NotHeld,
                GateOutcome::Undecidable => ClaimOutcome::Undecidable,
            },
            evidence: moved
                .into_iter()
                .chain(answer.left_open())
                .chain([answer.basis()])
                .collect::<Vec<_>>()
                .join("; "),
        }
    };
    result.gate.iter().map(row).collect::<Vec<_>>().into_iter()
}

/// What the gate's answer says to a script.
pub fn exit(result: &GateResult) -> Exit {
    match result.outcome {
        GateOutcome::Unmoved => Exit::Pass,
        GateOutcome::Moved => Exit::Fail,
        GateOutcome::Undecidable => Exit::Inconclusive,
    }
}

/// The same for `git bisect run`: whatever is no answer skips this commit, with the reason told; so does a fault of ours, whose
/// own status would call the commit bad.
pub fn for_bisect(answer: impl FnOnce() -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    // Nothing of what it touched is looked at again.
    let Ok(result) = catch_unwind(AssertUnwindSafe(answer)) else { return Ok(Exit::CannotTell) };
    match result {
        Ok(Exit::Pass | Exit::Fail) => result,
        Ok(Exit::Inconclusive | Exit::CannotTell | Exit::Command(_)) => Ok(Exit::CannotTell),
        Err(Failure::Usage(line) | Failure::World(line) | Failure::Command { line, .. }) => {
            eprintln!("prazo: {}", prazo_report::terminal::safe(&line));
            Ok(Exit::CannotTell)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_ours_is_no_answer_about_a_commit() {
        let ended = for_bisect(|| panic!("on purpose, for a test"));
        assert_eq!(ended.unwrap(), Exit::CannotTell);
        assert_eq!(for_bisect(|| Ok(Exit::Fail)).unwrap(), Exit::Fail);
    }
}
