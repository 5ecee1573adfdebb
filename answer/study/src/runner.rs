//! Runs a study: measures or imports what is missing, reuses what is there, and ends with its claims.
//!
//! A cell that fails is recorded with its reason and the study goes on; only a folder that cannot be used stops it. What was
//! measured under another plan is set aside, never overwritten.

use crate::cell::{Cell, CellSource, Here, file_name};
use crate::cost;
use crate::error::RunnerError;
use crate::evidence::Evidence;
use crate::gathered::{Done, Gathered};
use crate::import::Import;
use crate::journal::{Journal, JournalEntry};
use crate::matrix;
use crate::measure::{Doing, Measure, MeasureError, StudyStep};
use crate::order;
use crate::remote_target::RemoteTarget;
use crate::result::{CellResult, CellState, StudyResult};
use crate::run_storage::{RunStorage, Table};
use crate::study::{Study, Tables};
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_run::run::Ending;
use prazo_run::{Plan, Run};
use prazo_verdict::claim::document::digest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// A study with the folder that keeps its results.
pub struct Runner<'a> {
    study: &'a Study,
    cells: Vec<Cell>,
    platform: String,
    folder: PathBuf,
    shelf: &'a mut dyn RunStorage,
    journal: Journal,
    /// Digests of the user's own kernels, by platform: a file may be another one under the same name.
    images: BTreeMap<String, Vec<String>>,
}

/// What a study came to.
#[derive(Debug)]
pub struct Finished {
    /// Cells and claims.
    pub result: StudyResult,
    /// The runs by cell, for a report.
    pub runs: BTreeMap<String, Vec<Run>>,
}

/// One run that the study needs.
pub(crate) struct Job {
    cell: usize,
    repeat: usize,
    file: String,
}

/// One job's outcome; `None` is the user's wish to stop.
pub(crate) type Outcome = Option<Done>;

/// The usual results folder of a study.
pub fn default_folder(study: &str) -> PathBuf {
    Path::new("prazo-results").join(study)
}

impl<'a> Runner<'a> {
    /// Prepares a study; nothing is measured yet. The folder is made when the first result is written.
    pub fn new(
        study: &'a Study,
        here: &Here,
        folder: &Path,
        shelf: &'a mut dyn RunStorage,
    ) -> Result<Self, RunnerError> {
        Ok(Self {
            images: study.images(),
            study,
            cells: matrix::cells(study, here),
            platform: platform(study, here)?,
            folder: folder.to_owned(),
            shelf,
            journal: Journal::open(folder, study.name(), study.head.seed)?,
        })
    }

    /// Measures or imports what is missing, then judges the claims. `watch` hears of each step as it begins or fails.
    pub fn run(
        &mut self,
        measure: &mut dyn Measure,
        watch: &mut dyn FnMut(&StudyStep),
    ) -> Result<Finished, RunnerError> {
        let _lock = self.lock()?;
        // Somebody else may have measured here since this one was prepared.
        self.journal = Journal::open(&self.folder, self.study.name(), self.study.head.seed)?;
        let jobs = self.jobs();
        self.journal.order = jobs.iter().map(|job| job.file.clone()).collect();
        self.journal.write(&self.folder)?;
        self.forget_outdated(&jobs, measure, watch)?;
        let mut gathered = Gathered::default();
        let mut ahead = self.measure_elsewhere(&jobs, measure, watch)?;
        for number in 0..jobs.len() {
            let done =
                ahead.remove(&number).map_or_else(|| self.step(&jobs, number, measure, watch), |done| Ok(Some(done)));
            match done? {
                Some(done) => gathered.add(&self.cells[jobs[number].cell].id, &jobs[number].file, done),
                None => return Ok(self.finish(gathered, false)),
            }
        }
        Ok(self.finish(gathered, true))
    }

    /// Judges the claims on what is there; measures nothing and writes nothing.
    pub fn show(&self) -> Finished {
        let jobs = self.jobs();
        let mut gathered = Gathered::default();
        let mut complete = true;
        for job in &jobs {
            let done = self.look(job);
            complete &= done.run.is_ok();
            gathered.add(&self.cells[job.cell].id, &job.file, done);
        }
        self.finish(gathered, complete)
    }

    fn jobs(&self) -> Vec<Job> {
        let repeats: Vec<usize> = self.cells.iter().map(Cell::repeats).collect();
        let job = |(cell, repeat)| Job { cell, repeat, file: file_name(&self.cells[cell].id, repeat) };
        order::abba(&repeats).into_iter().map(job).collect()
    }

    fn step(
        &mut self,
        jobs: &[Job],
        number: usize,
        measure: &mut dyn Measure,
        watch: &mut dyn FnMut(&StudyStep),
    ) -> Result<Outcome, RunnerError> {
        let (job, mut step) = (&jobs[number], self.step_of(jobs, number));
        let progress = match self.finished(job) {
            Some(run) => {
                watch(&step);
                Some(Done { state: CellState::Reused, run: Ok(run) })
            }
            None => self.win(job, &mut step, measure, watch)?,
        };
        if let Some(Done { run: Err(reason), .. }) = &progress {
            step.doing = Doing::Failed(reason.clone());
            watch(&step);
        }
        Ok(progress)
    }

    /// A step as it begins, when nobody knows yet what it takes.
    pub(crate) fn step_of(&self, jobs: &[Job], number: usize) -> StudyStep {
        let job = &jobs[number];
        StudyStep {
            cell: self.cells[job.cell].id.clone(),
            repeat: job.repeat + 1,
            number: number + 1,
            of: jobs.len(),
            on: self.place(job).cloned(),
            every_cpu: matches!(self.cells[job.cell].source, CellSource::Measure { every_cpu: true, .. }),
            station: self.station(job).cloned(),
            doing: Doing::Reusing,
            remaining: self.remaining_of(&jobs[number..]),
            later: self.left_of(&jobs[number + 1..]).count(),
        }
    }

    /// Measures or imports one job and notes what became of it.
    fn win(
        &mut self,
        job: &Job,
        step: &mut StudyStep,
        measure: &mut dyn Measure,
        watch: &mut dyn FnMut(&StudyStep),
    ) -> Result<Outcome, RunnerError> {
        if let Some(platform) = self.elsewhere(job) {
            return Ok(Some(self.awaited(platform)));
        }
        self.forget(job)?;
        let answer = self.attempt(job, step, measure, watch);
        self.settle(job, answer)
    }

    /// Forgets what is known of a job before it is done again.
    pub(crate) fn forget(&mut self, job: &Job) -> Result<(), RunnerError> {
        self.journal.forget(&self.folder, &job.file)
    }

    /// Notes what became of a job.
    pub(crate) fn settle(&mut self, job: &Job, answer: Result<Run, MeasureError>) -> Result<Outcome, RunnerError> {
        let run = match answer {
            Err(MeasureError::Interrupted) => return Ok(None),
            Err(MeasureError::Refused(reason)) => Err(reason),
            Ok(run) => Ok(run),
        };
        let record = JournalEntry { asked: self.asked(job), failed: run.as_ref().err().cloned() };
        self.journal.note(&self.folder, &job.file, record)?;
        let won = if self.plan(job).is_some() { CellState::Measured } else { CellState::Imported };
        Ok(Some(Done { state: if run.is_ok() { won } else { CellState::Failed }, run }))
    }

    fn attempt(
        &mut self,
        job: &Job,
        step: &mut StudyStep,
        measure: &mut dyn Measure,
        watch: &mut dyn FnMut(&StudyStep),
    ) -> Result<Run, MeasureError> {
        match self.cells[job.cell].source.clone() {
            CellSource::Measure { plans, .. } => {
                step.doing = Doing::Measuring;
                watch(step);
                self.measure(&plans[job.repeat], job, step, measure)
            }
            CellSource::Import(import) => {
                step.doing = Doing::Importing;
                watch(step);
                self.import(&import, job)
            }
        }
    }

    fn measure(
        &mut self,
        plan: &Plan,
        job: &Job,
        step: &StudyStep,
        measure: &mut dyn Measure,
    ) -> Result<Run, MeasureError> {
        let path = self.clear(job)?;
        measure.measure(plan, &path, step).and_then(whole)
    }

    fn import(&mut self, import: &Import, job: &Job) -> Result<Run, MeasureError> {
        let run = self.read(import).map_err(MeasureError::Refused)?;
        let path = self.clear(job)?;
        self.shelf.save(&run, &path).map_err(MeasureError::Refused)?;
        Ok(run)
    }

    fn read(&self, import: &Import) -> Result<Run, String> {
        let run = self.shelf.import(&self.table(import)?)?;
        Ok(Run { name: import.id.get_ref().clone(), ..run })
    }

    /// The plan of a job that is measured.
    pub(crate) fn plan(&self, job: &Job) -> Option<&Plan> {
        match &self.cells[job.cell].source {
            CellSource::Measure { plans, .. } => Some(&plans[job.repeat]),
            CellSource::Import(_) => None,
        }
    }

    /// The job's path, with whatever lies there set aside.
    pub(crate) fn clear(&mut self, job: &Job) -> Result<PathBuf, MeasureError> {
        let path = self.folder.join(&job.file);
        if self.shelf.exists(&path) {
            self.shelf.set_aside(&path).map_err(MeasureError::Refused)?;
        }
        Ok(path)
    }

    fn table(&self, import: &Import) -> Result<Table, String> {
        match &self.study.tables {
            Tables::Folder(folder) => Ok(Table::File(folder.join(&import.file))),
            Tables::Embedded(tables) => {
                let found = tables.iter().find(|(name, _)| *name == import.file);
                let none = || format!("the study contains no table '{}' to import", import.file);
                let (_, text) = found.ok_or_else(none)?;
                Ok(Table::Embedded { name: import.file.replace('/', "-"), text })
            }
        }
    }

    /// What a job asks for, as the journal keeps it.
    fn asked(&self, job: &Job) -> Value {
        match &self.cells[job.cell].source {
            CellSource::Measure { plans, on: None, .. } => json!(plans[job.repeat]),
            CellSource::Measure { plans, on: Some(place), station, every_cpu, .. } => {
                let mut asked = json!({ "plan": plans[job.repeat], "on": place });
                if *every_cpu {
                    asked["every_cpu"] = json!(true);
                }
                if let Some(station) = station {
                    asked["station"] = json!(station);
                }
                if let Some(images) = place.guest().and_then(|platform| self.images.get(&platform.name)) {
                    asked["images"] = json!(images);
                }
                asked
            }
            CellSource::Import(import) => json!({ "file": import.file, "digest": self.table_digest(import) }),
        }
    }

    fn table_digest(&self, import: &Import) -> Option<String> {
        match self.table(import).ok()? {
            Table::File(path) => std::fs::read(path).ok().map(|bytes| digest(&bytes)),
            Table::Embedded { text, .. } => Some(digest(text.as_bytes())),
        }
    }

    /// The finished run of a job, if there is one that answers its question. Of another platform any finished run will do,
    /// since it was brought here as a file.
    pub(crate) fn finished(&self, job: &Job) -> Option<Run> {
        let path = self.folder.join(&job.file);
        let answers = self.elsewhere(job).is_some() || self.journal.is_finished(&job.file, &self.asked(job));
        if !answers || !self.shelf.exists(&path) {
            return None;
        }
        let is_import = matches!(self.cells[job.cell].source, CellSource::Import(_));
        self.shelf.open(&path).ok().filter(|run| is_import || is_whole(run))
    }

    /// The platform of a job that only another machine can do.
    fn elsewhere(&self, job: &Job) -> Option<&str> {
        match &self.cells[job.cell].source {
            CellSource::Measure { platform, on: None, .. } if *platform != self.platform => Some(platform),
            _ => None,
        }
    }

    /// The guest or the board of a job.
    fn place(&self, job: &Job) -> Option<&RemoteTarget> {
        match &self.cells[job.cell].source {
            CellSource::Measure { on, .. } => on.as_ref(),
            CellSource::Import(_) => None,
        }
    }

    /// The virtual platform of a job, which any machine can be.
    pub(crate) fn guest(&self, job: &Job) -> Option<&Platform> {
        self.place(job)?.guest()
    }

    /// The virtual platform that measures a job from outside.
    pub(crate) fn station(&self, job: &Job) -> Option<&Platform> {
        match &self.cells[job.cell].source {
            CellSource::Measure { station, .. } => station.as_deref(),
            CellSource::Import(_) => None,
        }
    }

    /// True for a job that no other work of this machine disturbs.
    pub(crate) fn is_gated(&self, job: &Job) -> bool {
        self.cells[job.cell].is_gated()
    }

    fn awaited(&self, platform: &str) -> Done {
        let reason = format!(
            "platform '{platform}' is another machine: run this study there, and copy the run files from there into {}",
            self.folder.display()
        );
        Done { state: CellState::Missing, run: Err(reason) }
    }

    /// What is known of a job without measuring; a table that was not imported yet is read in passing.
    fn look(&self, job: &Job) -> Done {
        match (self.finished(job), self.elsewhere(job), &self.cells[job.cell].source) {
            (Some(run), ..) => Done { state: CellState::Reused, run: Ok(run) },
            (None, Some(platform), _) => self.awaited(platform),
            (None, None, CellSource::Measure { .. }) => self.unmeasured(job),
            (None, None, CellSource::Import(import)) => Done { state: CellState::Imported, run: self.read(import) },
        }
    }

    /// Why there is no run of a job of this machine: it failed, its file cannot be read, or nobody measured it yet.
    fn unmeasured(&self, job: &Job) -> Done {
        let path = self.folder.join(&job.file);
        let failed = self.journal.files.get(&job.file).and_then(|record| record.failed.clone());
        let unreadable = || if self.shelf.exists(&path) { self.shelf.open(&path).err() } else { None };
        match failed.or_else(unreadable) {
            Some(reason) => Done { state: CellState::Failed, run: Err(reason) },
            None => Done {
                state: CellState::Missing,
                run: Err(format!("run `prazo study run {}` to measure the cell", self.study.argument())),
            },
        }
    }

    /// The plans of those that are still to be measured here.
    fn left_of<'j>(&'j self, jobs: &'j [Job]) -> impl Iterator<Item = &'j Plan> {
        let is_left =
            |job: &&Job| self.elsewhere(job).is_none() && !self.journal.is_finished(&job.file, &self.asked(job));
        jobs.iter().filter(is_left).filter_map(|job| self.plan(job))
    }

    fn remaining_of(&self, jobs: &[Job]) -> Duration {
        self.left_of(jobs).map(matrix::takes).fold(Duration::ZERO, |sum, one| sum + one)
    }

    /// Makes the folder, and keeps others from measuring into it: the open folder is the lock, and ends with the process.
    fn lock(&self) -> Result<File, RunnerError> {
        let failed = |action| move |cause| RunnerError::Folder { path: self.folder.clone(), action, cause };
        std::fs::create_dir_all(&self.folder).map_err(failed("make the folder"))?;
        let folder = File::open(&self.folder).map_err(failed("open the folder"))?;
        match folder.try_lock() {
            Ok(()) => Ok(folder),
            Err(TryLockError::WouldBlock) => Err(RunnerError::Busy { path: self.folder.clone() }),
            Err(TryLockError::Error(cause)) => Err(failed("lock the folder")(cause)),
        }
    }

    fn finish(&self, mut gathered: Gathered, complete: bool) -> Finished {
        let mut evidence = Evidence::default();
        self.study.stated.iter().for_each(|stated| evidence.state(stated));
        let measured = self.cells.iter().map(|cell| gathered.cell(cell, &mut evidence)).collect::<Vec<_>>();
        let cells = measured.into_iter().chain(self.study.stated.iter().map(CellResult::stated)).collect();
        let head = &self.study.head;
        let result = StudyResult {
            name: self.study.name().to_owned(),
            title: head.title.clone(),
            question: head.question.clone(),
            paper: head.paper.clone(),
            cites: head.cites.iter().map(|name| name.get_ref().clone()).collect(),
            seed: head.seed,
            order: self.journal.order.clone(),
            complete,
            cells,
            claims: self.study.claims.iter().map(|claim| claim.result(claim.check.judge(&evidence))).collect(),
            cost: cost::of(&self.cells, &evidence),
            gate: None,
        };
        Finished { result, runs: evidence.into_runs() }
    }
}

/// A run that was measured to its end; why it is none, otherwise.
pub(crate) fn whole(run: Run) -> Result<Run, MeasureError> {
    match run.ending {
        Ending::Interrupted => Err(MeasureError::Interrupted),
        _ if is_whole(&run) => Ok(run),
        _ => Err(MeasureError::Refused("the run ended early, before its planned length".into())),
    }
}

/// True for a measured run that ended as its plan has it.
fn is_whole(run: &Run) -> bool {
    matches!(run.ending, Ending::Complete | Ending::Threshold { .. })
}

/// Which of the study's platforms this machine is; an empty name in a study that measures nothing here.
fn platform(study: &Study, here: &Here) -> Result<String, RunnerError> {
    let ids: Vec<&String> =
        study.platforms.iter().filter(|entry| entry.on.is_none()).map(|entry| entry.id.get_ref()).collect();
    let platforms = || ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
    let name = || study.name().to_owned();
    match (&here.platform, ids.as_slice()) {
        (Some(asked), ids) if ids.contains(&asked) => Ok(asked.clone()),
        (Some(asked), ids) => {
            let remedy = if ids.is_empty() {
                "omit --platform, because every platform of the study is a guest or a board".into()
            } else {
                format!("choose one of {}", platforms())
            };
            Err(RunnerError::UnknownPlatform { asked: asked.clone(), study: name(), remedy })
        }
        (None, []) => Ok(String::new()),
        (None, [only]) => Ok((*only).clone()),
        (None, _) => Err(RunnerError::WhichPlatform { study: name(), platforms: platforms() }),
    }
}
