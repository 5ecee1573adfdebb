//! Several runs, one after the other, into files of their own.

use super::{Instrument, MeasureAnswer, MeasureDocument, MeasureRequest, measure};
use crate::error::Error;
use crate::files::{default_run_file, name_of};
use crate::progress::{Count, Glance, GuestProgress, Progress, Remark, Stop};
use crate::report_content;
use prazo_core::time::Duration;
use prazo_probe::Phase;
use prazo_report::ReportContent;
use prazo_run::run::Ending;
use prazo_verdict::{Outcome, Requirement};
use std::io;
use std::path::{Path, PathBuf};

/// What is measured in turn.
#[derive(Clone, Debug)]
pub struct InTurnRequest {
    /// What measures, each with the word that its file's name ends with.
    pub instruments: Vec<(&'static str, Instrument)>,
    /// What the runs are judged by; `None` judges nothing.
    pub requirement: Option<Requirement>,
    /// The file whose name the files of all runs begin with; `None` is a new one in the folder of results.
    pub file: Option<PathBuf>,
    /// The command that repeats them all.
    pub command: String,
}

/// Several runs that were measured in turn.
#[derive(Debug)]
pub struct InTurn {
    /// Each run, in the order in which they were measured.
    pub answers: Vec<MeasureAnswer>,
    /// All of them together; a verdict over all where a requirement was given.
    pub content: ReportContent,
}

impl InTurn {
    /// What scripts read, one for each run.
    pub fn documents(&self) -> Vec<MeasureDocument<'_>> {
        self.answers.iter().map(MeasureAnswer::document).collect()
    }

    /// The verdict's outcome; pass where nothing was to be judged.
    pub fn outcome(&self) -> Outcome {
        self.content.verdict.as_ref().map_or(Outcome::Pass, |verdict| verdict.outcome)
    }
}

/// Measures one instrument after the other, each into a file of its own: that of the request, with the instrument's word behind
/// its name. A run that the user interrupts is the last.
///
/// # Errors
/// As [`measure`], for the first run that cannot be had; the files of those before it stay.
pub fn measure_in_turn(request: &InTurnRequest, progress: &mut dyn Progress) -> Result<InTurn, Error> {
    let name = request.instruments.first().map_or("run", |(_, first)| first.name());
    let wanted = request.file.clone().unwrap_or_else(|| default_run_file(name));
    let mut answers: Vec<MeasureAnswer> = Vec::new();
    for (index, (word, instrument)) in request.instruments.iter().enumerate() {
        let mut place = Place { whole: &mut *progress, number: index + 1, of: request.instruments.len() };
        let answer = match measure(
            &MeasureRequest {
                instrument: instrument.clone(),
                requirement: request.requirement,
                file: Some(with_word(&wanted, word)),
                command: request.command.clone(),
            },
            &mut place,
        ) {
            // Those before it are measured.
            Err(Error::Interrupted) if !answers.is_empty() => break,
            answer => answer?,
        };
        let is_last = answer.content.runs[0].run.ending == Ending::Interrupted;
        answers.push(answer);
        if is_last {
            break;
        }
    }
    let runs = answers.iter().map(|answer| answer.content.runs[0].run.clone()).collect();
    let content = report_content::of_runs(&name_of(&wanted), runs, request.requirement, &request.command);
    Ok(InTurn { answers, content })
}

/// `wakes.prazo` with `futex` is `wakes-futex.prazo`.
fn with_word(file: &Path, word: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let extension = file.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    file.with_file_name(format!("{stem}-{word}{extension}"))
}

/// A run's place among those that are measured in turn: its stage says which it is, and each takes as long as this one.
struct Place<'a> {
    whole: &'a mut dyn Progress,
    number: usize,
    of: usize,
}

impl Progress for Place<'_> {
    fn stage(&mut self, name: &str) {
        self.whole.stage(&format!("{}/{} {name}", self.number, self.of));
    }

    fn measuring(&mut self, progress: &prazo_probe::Progress) {
        // The loads' lead-in says nothing of how long the runs take.
        if progress.phase == Phase::LeadIn {
            return self.whole.measuring(progress);
        }
        let later = (self.of - self.number) as u64;
        let left_ns = progress.total.as_ns().saturating_sub(progress.elapsed.as_ns());
        let left_ns = left_ns.saturating_add(progress.total.as_ns().saturating_mul(later));
        self.whole
            .measuring(&prazo_probe::Progress { left_in_all: Some(Duration::from_ns(left_ns)), ..progress.clone() });
    }

    fn count(&mut self, count: &Count) {
        self.whole.count(count);
    }

    fn measured(&mut self) {
        self.whole.measured();
    }

    fn fetching(&mut self, progress: prazo_lab::Progress<'_>) {
        self.whole.fetching(progress);
    }

    fn guest(&mut self, guest: &GuestProgress) {
        self.whole.guest(guest);
    }

    fn remark(&mut self, remark: &Remark) {
        self.whole.remark(remark);
    }

    fn glance(&mut self, glance: &Glance<'_>) {
        self.whole.glance(glance);
    }

    fn stop(&mut self) -> io::Result<Stop> {
        self.whole.stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_probe::Counted;

    /// What a caller hears.
    #[derive(Default)]
    struct Heard {
        stages: Vec<String>,
        left_s: Vec<u64>,
    }

    impl Progress for Heard {
        fn stage(&mut self, name: &str) {
            self.stages.push(name.to_owned());
        }

        fn measuring(&mut self, progress: &prazo_probe::Progress) {
            self.left_s.push(progress.left_in_all.unwrap().as_ns() / 1_000_000_000);
        }

        fn stop(&mut self) -> io::Result<Stop> {
            unreachable!("nothing here asks for it")
        }
    }

    #[test]
    fn a_run_says_which_it_is_and_how_long_all_take() {
        let mut heard = Heard::default();
        for number in 1..=3 {
            let mut place = Place { whole: &mut heard, number, of: 3 };
            place.stage("futex");
            place.measuring(&prazo_probe::Progress {
                elapsed: Duration::from_s(4),
                total: Duration::from_s(10),
                left_in_all: None,
                phase: Phase::Measuring,
                counted: Counted::Activations,
                cpus: Vec::new(),
                recent: prazo_run::Histogram::new(),
                is_asked_for: false,
            });
        }
        assert_eq!(heard.stages, ["1/3 futex", "2/3 futex", "3/3 futex"]);
        assert_eq!(heard.left_s, [26, 16, 6]);
    }
}
