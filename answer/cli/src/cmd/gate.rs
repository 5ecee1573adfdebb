//! `prazo study run --against`: a study's outcome held against a baseline, as a gate for kernels.

use crate::engine;
use crate::exit::{Exit, Failure};
use crate::flags::gate::{GateFlags, InsteadFlags};
use prazo_lab::Platform;
use prazo_report::{ClaimOutcome, ClaimRow};
use prazo_study::gate::{self, Baseline, Different, GateOutcome, GateResult, Question};
use prazo_study::runner::Finished;
use prazo_study::{Here, Study, StudyResult, matrix};
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

    /// Keeps the outcome as a baseline where asked to, and holds it against one.
    pub fn hold(&self, study: &Study, baseline: Option<&Baseline>, finished: &mut Finished) -> Result<(), Failure> {
        let found = Baseline::of(study.name(), &finished.runs);
        if found.cells.is_empty() && (baseline.is_some() || self.save_baseline.is_some()) {
            return Err(Failure::world(
                "nothing was measured under counted time, so there is nothing to compare or keep",
            ));
        }
        if let Some(path) = &self.save_baseline {
            found.save(path).map_err(Failure::world)?;
            eprintln!("baseline: {}, {} cells", path.display(), found.cells.len());
        }
        let Some(baseline) = baseline else { return Ok(()) };
        finished.result.gate = Some(self.judge(&baseline.of_cells(&matrix::ids(study)), &found)?);
        Ok(())
    }

    fn judge(&self, baseline: &Baseline, found: &Baseline) -> Result<GateResult, Failure> {
        let name = self.against.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        let floor_ns = self.floor.map(|floor| floor.as_ns() as f64);
        let (may_differ, direction) = (&self.may_differ, self.direction);
        let question = Question { name: &name, may_differ, direction, floor_ns };
        gate::judge(baseline, found, &question).map_err(|refused| Failure::usage(refusal(&name, &refused)))
    }
}

fn refusal(name: &str, refused: &[Different]) -> String {
    let mut words: Vec<&str> = refused.iter().map(|one| one.condition.name()).collect();
    words.sort_unstable();
    words.dedup();
    format!(
        "not comparable with {name}, since more differs than what is under test: {}; allow it with --may-differ {}, or measure \
         the baseline again",
        gate::differing(refused).join("; "),
        words.join(",")
    )
}

/// The gate's answer as a report's row, before the claims; none without a baseline.
pub fn rows(result: &StudyResult) -> impl Iterator<Item = ClaimRow> {
    let row = |answer: &GateResult| {
        let moved: Vec<String> = answer.moved().map(|one| one.sentence()).collect();
        ClaimRow {
            id: "gate".into(),
            text: format!("Against {} no latency moved beyond what the seeds' spread explains.", answer.baseline),
            outcome: match answer.outcome {
                GateOutcome::Unmoved => ClaimOutcome::Held,
                GateOutcome::Moved => ClaimOutcome::NotHeld,
                GateOutcome::Undecidable => ClaimOutcome::Undecidable,
            },
            evidence: moved.into_iter().chain([answer.basis()]).collect::<Vec<_>>().join("; "),
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

/// The same for `git bisect run`: whatever is no answer skips this commit, with the reason told.
pub fn for_bisect(result: Result<Exit, Failure>) -> Result<Exit, Failure> {
    match result {
        Ok(Exit::Pass | Exit::Fail) => result,
        Ok(Exit::Inconclusive | Exit::CannotTell | Exit::Command(_)) => Ok(Exit::CannotTell),
        Err(Failure::Usage(line) | Failure::World(line) | Failure::Command { line, .. }) => {
            eprintln!("prazo: {}", prazo_report::terminal::safe(&line));
            Ok(Exit::CannotTell)
        }
    }
}
