//! A study as a gate for kernels: other kernels in its platforms' place, its outcome held against a baseline.

use crate::dates::made_at;
use crate::error::Error;
use crate::output;
use crate::progress::{Progress, Remark};
use crate::report;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_stats::seed_shift::SEEDS_MIN;
use prazo_study::gate::{self, Baseline, Condition, Different, Direction, GateOutcome, GateResult, Question};
use prazo_study::runner::Finished;
use prazo_study::{FileStorage, Here, Study, StudyResult, matrix};
use prazo_verdict::claim::{ClaimOutcome, ClaimResult};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is measured instead of what the study names.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "flags", derive(clap::Args), command(next_help_heading = "Virtual platforms"))]
pub struct Instead {
    /// Linux image to measure instead of the platforms' kernels
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE"))]
    pub kernel: Option<PathBuf>,
    /// Initramfs for the image of --kernel; the lab adds its own files
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE", requires = "kernel", hide_short_help = true))]
    pub initrd: Option<PathBuf>,
    /// Additional parameters on the guest kernels' command lines
    #[cfg_attr(feature = "flags", arg(long, value_name = "TEXT", allow_hyphen_values = true))]
    pub append: Option<String>,
    /// Measure only these platforms of the study
    ///
    /// Claims about other platforms are not judged.
    #[cfg_attr(feature = "flags", arg(long, value_name = "ID", value_delimiter = ','))]
    pub only: Vec<String>,
    /// Seed of the first repeat; it determines the other seeds [default: the study's]
    #[cfg_attr(feature = "flags", arg(long, value_name = "NUMBER", hide_short_help = true))]
    pub seed: Option<u64>,
}

/// What the outcome is held against.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "flags", derive(clap::Args), command(next_help_heading = "Comparison"))]
pub struct GateOptions {
    /// Baseline to compare with: a file that --save wrote, or a results folder of the same study
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE|FOLDER"))]
    pub baseline: Option<PathBuf>,
    /// Name the functions that make the difference where a figure moved; needs a results folder as --baseline
    ///
    /// Compares the worst activations of this run and of the baseline, as `prazo lab explain --against` does, in the cell whose
    /// figure moved the furthest. This boots both guests again. A failure changes neither the answer nor the exit status.
    #[cfg_attr(feature = "flags", arg(long, requires = "baseline"))]
    pub explain: bool,
    /// With --explain, Linux image of the baseline, if it was measured with --kernel
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE", requires = "explain", hide_short_help = true))]
    pub baseline_kernel: Option<PathBuf>,
    /// Save the figures of this run as a baseline
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE"))]
    pub save: Option<PathBuf>,
    /// Write one test case for each compared figure as JUnit XML; needs --baseline
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE", requires = "baseline"))]
    pub junit: Option<PathBuf>,
    /// Write the answer and a table of the figures as Markdown; needs --baseline or --history
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE", requires = "against"))]
    pub markdown: Option<PathBuf>,
    /// Write one test case for each compared figure as KTAP, which kernel CI reads; needs --baseline
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE", requires = "baseline", hide_short_help = true))]
    pub ktap: Option<PathBuf>,
    /// Write one test case for each compared figure as the lines that LAVA reads from a console; needs
    /// --baseline
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE", requires = "baseline", hide_short_help = true))]
    pub lava: Option<PathBuf>,
    /// Also write a report: .html or .md; needs --baseline or --history
    #[cfg_attr(feature = "flags", arg(long, value_name = "FILE", requires = "against"))]
    pub report: Option<PathBuf>,
    /// Allow these to differ from the baseline, or within a history: kernel, command-line, image, agent, emulator, machine, plan
    #[cfg_attr(feature = "flags", arg(long, value_name = "LIST", value_delimiter = ',', default_value = "kernel"))]
    pub may_differ: Vec<Condition>,
    /// Shifts that fail the gate
    #[cfg_attr(feature = "flags", arg(skip))]
    pub direction: Direction,
    /// Ignore shifts smaller than this [default: 1 % of the baseline, but at least 16 instructions, or 1us on a board]
    #[cfg_attr(feature = "flags", arg(long, value_name = "TIME", hide_short_help = true))]
    pub floor: Option<Duration>,
}

impl Instead {
    /// The study with what was put in its platforms' place.
    pub(super) fn apply(&self, study: &mut Study) -> Result<(), Error> {
        self.keep_only(study)?;
        study.head.seed = self.seed.unwrap_or(study.head.seed);
        if self.kernel.is_none() && self.append.is_none() {
            return Ok(());
        }
        let mut replaced = false;
        for entry in &mut study.platforms {
            if let Some(platform) = entry.guest() {
                entry.instead = Some(self.instead_of(platform)?);
                replaced = true;
            }
        }
        let none = || {
            Error::refused(format!(
                "--kernel and --append need a platform of the lab, and none of the measured platforms of the study '{}' is one",
                study.name()
            ))
        };
        replaced.then_some(()).ok_or_else(none)
    }

    fn keep_only(&self, study: &mut Study) -> Result<(), Error> {
        let ids: Vec<String> = study.platforms.iter().map(|entry| entry.id.get_ref().clone()).collect();
        if let Some(unknown) = self.only.iter().find(|only| !ids.contains(only)) {
            return Err(Error::field(
                "only",
                format!("the study has no such platform; name one of {}", ids.join(", ")),
            )
            .with_value(unknown));
        }
        if !self.only.is_empty() {
            study.platforms.retain(|entry| self.only.contains(entry.id.get_ref()));
            let is_measured = |cell: &str| self.only.iter().any(|id| cell.split('.').next() == Some(id));
            study.claims.retain(|claim| claim.check.cells().iter().all(|cell| is_measured(&cell.id)));
        }
        Ok(())
    }

    fn instead_of(&self, platform: Platform) -> Result<Platform, Error> {
        let words = self.append.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned);
        let words = platform.words.iter().cloned().chain(words).collect();
        let platform = match &self.kernel {
            Some(file) => with_kernel(platform, file, self.initrd.as_deref()),
            None => platform,
        };
        let platform = Platform { words, ..platform };
        let value = self.kernel.as_deref().unwrap_or(Path::new(""));
        platform.check_kernel().map_err(|error| Error::field("kernel", error).with_value(value.display()))?;
        Ok(platform)
    }
}

/// The platform with an image of the user's as its kernel.
pub(super) fn with_kernel(platform: Platform, file: &Path, initrd: Option<&Path>) -> Platform {
    let kernel = Platform::given(file.to_owned(), initrd.map(Path::to_owned)).kernel;
    Platform { kernel, ..platform }
}

impl GateOptions {
    /// Refuses an explanation that could not be given at the end, before anything is measured.
    pub(super) fn check_explain(&self) -> Result<(), Error> {
        let Some(baseline) = self.baseline.as_ref().filter(|_| self.explain) else { return Ok(()) };
        if !baseline.is_dir() {
            let why =
                format!("the baseline {} is a file, which has figures but no runs to explain", baseline.display());
            return Err(
                Error::field("explain", why).with_remedy("name the results folder of the baseline: --baseline FOLDER")
            );
        }
        let Some(file) = &self.baseline_kernel else { return Ok(()) };
        let checked = Platform::given(file.clone(), None).check_kernel();
        checked.map_err(|error| Error::field("baseline_kernel", error).with_value(file.display()))
    }

    /// The baseline, read before anything is measured; `None` where none is named.
    pub(super) fn baseline(&self, study: &Study, here: &Here, results: &Path) -> Result<Option<Baseline>, Error> {
        let Some(path) = &self.baseline else { return Ok(None) };
        if !path.is_dir() {
            return Baseline::open(path, study.name()).map(Some).map_err(Error::refused);
        }
        let same = |path: &Path| path.canonicalize().ok();
        if same(path).is_some_and(|path| Some(path) == same(results)) {
            let path = path.display();
            return Err(Error::refused(format!(
                "--baseline {path}: this is also the results folder; name another results folder with -o"
            )));
        }
        Baseline::of_folder(study, here, path, &FileStorage).map(Some).map_err(Error::refused)
    }

    /// Refuses cells that the baseline does not have, and guests that would not be comparable with the baseline, before any of them is measured.
    pub(super) fn check_conditions(
        &self,
        study: &Study,
        here: &Here,
        baseline: Option<&Baseline>,
    ) -> Result<(), Error> {
        let Some(baseline) = baseline else { return Ok(()) };
        let lacks = gate::lacks_now(baseline, study, here);
        if !lacks.is_empty() {
            return Err(Error::refused(format!(
                "the baseline {} has no run of {}; name the platforms that it has with --only, or save a baseline \
                 that has these cells",
                self.name(),
                lacks.join(", ")
            )));
        }
        let refused = gate::differs_now(baseline, gate::conditions_now(study, here), &self.may_differ);
        if refused.is_empty() { Ok(()) } else { Err(Error::refused(refusal(&self.name(), &refused))) }
    }

    /// Refuses a study with too few repeats for a comparison, before any of it is measured.
    pub(super) fn check_repeats(&self, study: &Study, here: &Here) -> Result<(), Error> {
        if self.save.is_none() && self.baseline.is_none() {
            return Ok(());
        }
        let too_few = matrix::gated(study, here).into_iter().find(|(_, repeats)| *repeats < SEEDS_MIN);
        too_few.map_or(Ok(()), |(cell, repeats)| {
            Err(Error::refused(format!(
                "the study '{}' measures {cell} with {}, and a gate compares the spread over at least {SEEDS_MIN}; \
                 write `repeats = {SEEDS_MIN}` or more into its [[measure]]",
                study.name(),
                counted(repeats as u64, "seed")
            )))
        })
    }

    fn name(&self) -> String {
        self.baseline.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
    }

    /// Keeps the outcome as a baseline where asked to. Part of one would hide what it lacks from every later comparison.
    pub(super) fn keep(&self, study: &Study, here: &Here, finished: &Finished) -> Result<Option<Remark>, Error> {
        let Some(path) = &self.save else { return Ok(None) };
        if !finished.result.complete {
            let path = path.display();
            return Err(Error::failed(format!(
                "the baseline {path} was not written, because the study was interrupted"
            )));
        }
        let found = measured(study, finished)?;
        let lacks = found.lacks(&matrix::gated(study, here));
        if !lacks.is_empty() {
            let (path, lacks) = (path.display(), lacks.join(", "));
            return Err(Error::failed(format!(
                "the baseline {path} was not written, because it would be incomplete without {lacks}"
            )));
        }
        found.save(path).map_err(Error::failed)?;
        Ok(Some(Remark::Text(format!("baseline: {}, {}", path.display(), counted(found.cells.len() as u64, "cell")))))
    }

    /// The files that are written at the end, each of which must be free before anything is measured.
    pub(super) fn check_files(&self) -> Result<(), Error> {
        self.report.as_deref().map_or(Ok(()), report::check_document)?;
        [&self.save, &self.junit, &self.markdown, &self.ktap, &self.lava]
            .into_iter()
            .flatten()
            .try_for_each(|file| output::free(file))
    }

    /// Writes the answer where it is wanted.
    pub(super) fn write(&self, result: &StudyResult, command: &str, progress: &mut dyn Progress) -> Result<(), Error> {
        let Some(answer) = &result.gate else { return Ok(()) };
        if let Some(file) = &self.junit {
            output::write(file, gate::junit(&result.name, answer))?;
        }
        if let Some(file) = &self.markdown {
            output::write(file, gate::markdown(answer))?;
        }
        if let Some(file) = &self.ktap {
            output::write(file, gate::ktap(answer))?;
        }
        if let Some(file) = &self.lava {
            output::write(file, gate::lava(&result.name, answer))?;
        }
        let page = self.report.as_ref().zip(prazo_report::gate::page(result, command, &made_at()));
        page.map_or(Ok(()), |(file, page)| report::write_document(&page, file, progress))
    }

    /// Holds the outcome against a baseline where there is one.
    pub(super) fn hold(
        &self,
        study: &Study,
        here: &Here,
        baseline: Option<&Baseline>,
        finished: &mut Finished,
    ) -> Result<(), Error> {
        let Some(baseline) = baseline else { return Ok(()) };
        let found = match measured(study, finished) {
            // Interrupted before there was anything to hold against it.
            Err(_) if !finished.result.complete => return Ok(()),
            other => other?,
        };
        let cells = matrix::gated(study, here).into_keys().collect();
        finished.result.gate = Some(self.judge(&baseline.of_cells(&matrix::ids(study)), &found, &cells)?);
        Ok(())
    }

    fn judge(&self, baseline: &Baseline, found: &Baseline, cells: &BTreeSet<String>) -> Result<GateResult, Error> {
        let name = self.name();
        let floor_ns = self.floor.map(|floor| floor.as_ns() as f64);
        let (may_differ, direction) = (&self.may_differ, self.direction);
        let question = Question { name: &name, cells, may_differ, direction, floor_ns };
        gate::judge(baseline, found, &question).map_err(|refused| Error::refused(refusal(&name, &refused)))
    }
}

/// What a study's guests brought under counted time.
fn measured(study: &Study, finished: &Finished) -> Result<Baseline, Error> {
    let found = Baseline::of(study.name(), &finished.runs);
    let none = || {
        Error::failed("nothing was measured under counted time or on a board, so there is nothing to compare or save")
    };
    (!found.cells.is_empty()).then_some(found).ok_or_else(none)
}

fn refusal(name: &str, refused: &[Different]) -> String {
    let differing = gate::differing(refused).join("; ");
    if refused.iter().any(|one| one.mixed) {
        return format!(
            "not comparable with {name}, since runs of the baseline or of this study have different conditions: {differing}; measure that baseline or study again in a new folder"
        );
    }
    let mut words: Vec<&str> = refused.iter().map(|one| one.condition.name()).collect();
    words.sort_unstable();
    words.dedup();
    format!(
        "not comparable with {name}, since the conditions differ: {differing}; allow the differences \
         with --may-differ {}, or measure the baseline again",
        words.join(",")
    )
}

/// The gate's answer as a claim, shown before the study's own; none without a baseline.
pub(super) fn claim(result: &StudyResult) -> Option<ClaimResult> {
    let answer = result.gate.as_ref()?;
    let moved = answer.moved().map(|one| one.sentence());
    Some(ClaimResult {
        id: "gate".into(),
        place: None,
        text: claimed(answer.direction, &answer.baseline),
        outcome: match answer.outcome {
            GateOutcome::Unmoved => ClaimOutcome::Held,
            GateOutcome::Moved => ClaimOutcome::NotHeld,
            GateOutcome::Undecidable => ClaimOutcome::Undecidable,
        },
        evidence: moved.chain(answer.left_open()).chain([answer.basis()]).collect::<Vec<_>>().join("; "),
    })
}

/// A one-sided gate claims nothing of movements in the other direction.
fn claimed(direction: Direction, baseline: &str) -> String {
    let what = match direction {
        Direction::Either => "moved",
        Direction::Worse => "became larger",
        Direction::Better => "became smaller",
    };
    format!("Compared with {baseline}, no latency {what} beyond the seeds' spread.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_study::builtin;

    #[test]
    fn a_one_sided_gate_claims_one_direction() {
        let of = |direction| claimed(direction, "base");
        assert_eq!(of(Direction::Either), "Compared with base, no latency moved beyond the seeds' spread.");
        assert_eq!(of(Direction::Worse), "Compared with base, no latency became larger beyond the seeds' spread.");
        assert_eq!(of(Direction::Better), "Compared with base, no latency became smaller beyond the seeds' spread.");
    }

    #[test]
    fn claims_about_platforms_that_are_not_measured_are_not_judged() {
        let study = |only: &[&str]| {
            let mut study = builtin::find("gate").unwrap();
            let only = only.iter().map(|id| (*id).to_owned()).collect();
            Instead { only, ..Instead::default() }.apply(&mut study).unwrap();
            study
        };
        assert_eq!(study(&[]).claims.len(), 2);
        let alone = study(&["standard"]);
        assert!(alone.platforms.len() == 1 && alone.claims.is_empty(), "both claims name cells of rt");
        assert_eq!(study(&["standard", "rt"]).claims.len(), 2);
    }
}
