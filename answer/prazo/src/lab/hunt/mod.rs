//! The search for the boot with the largest latency, and the proof of its cause.
//!
//! ```text
//! request ─► space ─► generation ─► workers (a guest each) ─► journal ─┐
//!                        ▲                                            │
//!                        └────────────── latencies so far ◄───────────┘
//! the worst ─► worst.toml (a study), worst.prazo (its run) ─► boots with something left out ─► cause
//! ```
//! The folder holds everything that a later call needs to go on. What is measured follows from the request alone: neither
//! interruptions nor the number of workers change it.

mod boot;
mod budget;
mod cause;
mod document;
mod elsewhere;
mod folder;
mod request;
mod text;

pub use boot::BootResult;
pub use budget::Budget;
pub use document::{
    CauseDocument, ControlDocument, Hunted, LastInstantDocument, PauseDocument, Rise, WithoutDocument, WorstBoot,
};
pub use elsewhere::{BootJob, try_boot};
pub use request::HuntRequest;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::guest::{guest_error, lab_error};
use crate::progress::{Count, FileKind, Progress, Remark};
use boot::{Booted, Guest};
use elsewhere::{BootItem, SharedByBoots};
use folder::{Folder, Record};
use prazo_core::time::Duration;
use prazo_lab::Lab;
use prazo_study::GuestError;
use prazo_study::hunt::{Candidate, Cause, Space, Tried, generation};
use prazo_study::work_list::{WorkList, WorkQueue};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Most guests at once; a generation has no more candidates.
const WORKERS_MAX: usize = 8;

/// Searches boots of a guest for the largest latency.
///
/// # Errors
/// The platform cannot repeat itself, the folder holds another hunt, the lab is incomplete, or no boot brought a latency.
pub fn hunt(request: &HuntRequest, progress: &mut dyn Progress) -> Result<Hunted, Error> {
    if !(1..=WORKERS_MAX).contains(&request.workers) {
        let remedy = format!("choose 1 to {WORKERS_MAX}");
        return Err(Error::field("workers", "this number of workers is not possible")
            .with_value(request.workers)
            .with_remedy(remedy));
    }
    let space = Space::new(request.platform.clone(), request.task, request.lead_in, &request.loads);
    let space = space.map_err(Error::refused)?;
    let total = request.budget.boots(request.task.length);
    let lab = Lab::find().map_err(lab_error)?;
    let guest = Guest { space: &space, lab: &lab, timeout: request.timeout };
    let conditions = elsewhere::facts(guest.conditions()?);
    let mut folder = Folder::open(&request.folder, request, &space, &conditions)?;
    let shared = SharedByBoots::of(&guest, &conditions);
    let began = Instant::now();
    let (cluster, folder) = (None, &mut folder);
    let mut hunt = Hunt { request, guest, shared, cluster, folder, began, last: began, made: 0, found: 0, total };
    let tried = hunt.search(progress)?;
    hunt.cluster.take().map_or(Ok(()), Cluster::close)?;
    let worst = worst(&tried).ok_or_else(|| hunt.nothing())?;
    let study = hunt.keep(&worst, progress)?;
    let cause = if request.proves { Some(hunt.cause(&worst, progress)?) } else { None };
    Ok(Hunted::of(request, &tried, &worst, &study, cause.as_ref(), hunt.found))
}

/// The first of those with the largest latency.
fn worst(tried: &[Booted]) -> Option<Booted> {
    let measured = tried.iter().filter(|one| one.outcome.latency_ns.is_some());
    measured.max_by_key(|one| (one.outcome.latency_ns, std::cmp::Reverse(one.number))).cloned()
}

struct Hunt<'a> {
    request: &'a HuntRequest,
    guest: Guest<'a>,
    /// What workers of a cluster get with every candidate.
    shared: SharedByBoots,
    /// The workers, once a boot is missing; `None` where this machine boots.
    cluster: Option<Cluster>,
    folder: &'a mut Folder,
    began: Instant,
    /// When the last boot ended.
    last: Instant,
    /// Boots of this call.
    made: u64,
    /// Boots of an earlier call.
    found: u64,
    /// Boots of the search.
    total: usize,
}

impl Hunt<'_> {
    /// Generation by generation, until the budget is used up.
    fn search(&mut self, progress: &mut dyn Progress) -> Result<Vec<Booted>, Error> {
        let HuntRequest { method, seed, platform, .. } = self.request;
        progress.stage(&format!("hunting on {platform}, method {method}"));
        let mut all: Vec<Booted> = Vec::new();
        while all.len() < self.total {
            let tried: Vec<Tried> = all.iter().map(Booted::tried).collect();
            let next = generation(self.guest.space, *method, *seed, &tried, self.total - tried.len());
            let first = all.len();
            let candidates: Vec<(usize, Candidate)> = (first..).zip(next).collect();
            all.extend(self.boots(&candidates, first, progress)?);
            // A long hunt would fill the disk with runs.
            self.folder.clear(worst(&all).map(|worst| worst.number))?;
        }
        Ok(all)
    }

    /// Boots of candidates that were not booted before; all of them in their order.
    fn boots(
        &mut self,
        candidates: &[(usize, Candidate)],
        before: usize,
        progress: &mut dyn Progress,
    ) -> Result<Vec<Booted>, Error> {
        let mut outcomes: Vec<Option<BootResult>> =
            candidates.iter().map(|(_, one)| self.folder.outcome(&one.study(self.guest.space, None))).collect();
        let there = outcomes.iter().flatten().count();
        self.found += there as u64;
        let done = before + there;
        self.show(done, progress);
        let left = candidates.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_none());
        let left: Vec<&(usize, Candidate)> = left.map(|(one, _)| one).collect();
        let made = match &self.request.scheduler {
            None => self.boots_here(&left, done, progress)?,
            Some(_) if left.is_empty() => Vec::new(),
            Some(address) => self.boots_elsewhere(&address.clone(), &left, done, progress)?,
        };
        for (number, outcome) in made {
            outcomes[number - before] = Some(outcome);
        }
        let booted = |((number, candidate), outcome): (&(usize, Candidate), Option<BootResult>)| {
            let outcome = outcome.expect("each was booted, or there was an error");
            Booted { number: *number, candidate: candidate.clone(), outcome }
        };
        Ok(candidates.iter().zip(outcomes).map(booted).collect())
    }

    /// Boots candidates in guests of this machine; each outcome with the candidate's number.
    fn boots_here(
        &mut self,
        left: &[&(usize, Candidate)],
        mut done: usize,
        progress: &mut dyn Progress,
    ) -> Result<Vec<(usize, BootResult)>, Error> {
        let mut made = Vec::new();
        let stop = progress.stop().map_err(Error::failed)?;
        let guest = self.guest;
        let folder = self.request.folder.clone();
        // For boots alone: what a journal or a disk refuses has a remedy of its own.
        let remedy = "start the same hunt again; if a guest reached the time limit, raise the limit with --timeout";
        let mut failed = None;
        let has_failed = AtomicBool::new(false);
        let queues = [WorkQueue { places: (0..left.len()).collect(), threads: self.request.workers }];
        // ORDERING: the flag only ends the other boots; no data is published through it.
        let list = WorkList { queues: &queues, is_stopped: &|| stop.is_set() || has_failed.load(Ordering::Relaxed) };
        let boot = |_: &mut (), place: usize, is_stopped: &dyn Fn() -> bool| {
            let (number, candidate) = left[place];
            let outcome = guest.boot(candidate, &folder.join(format!(".boot-{number}.prazo")), is_stopped);
            if outcome.is_err() {
                has_failed.store(true, Ordering::Relaxed);
            }
            outcome
        };
        list.each_watched(&boot, &mut |ended: Option<(usize, Result<BootResult, GuestError>)>| {
            let Some((place, outcome)) = ended else {
                self.show(done, progress);
                return ControlFlow::Continue(());
            };
            let (number, candidate) = left[place];
            let outcome = outcome.map_err(|error| guest_error(error).with_remedy(remedy));
            let kept = outcome.and_then(|outcome| {
                self.keep_outcome(*number, candidate, &outcome)?;
                made.push((*number, outcome));
                Ok(())
            });
            match kept {
                Ok(()) => {
                    done += 1;
                    self.show(done, progress);
                }
                Err(error) => failed = failed.take().or(Some(error)),
            }
            // Also after a failure: the outcomes of boots that were under way are kept.
            ControlFlow::Continue(())
        });
        if let Some(error) = failed {
            return Err(if stop.is_set() { Error::Interrupted } else { error });
        }
        if stop.is_set() {
            return Err(Error::Interrupted);
        }
        Ok(made)
    }

    /// Has the workers of a cluster boot candidates; each outcome with the candidate's number.
    fn boots_elsewhere(
        &mut self,
        address: &str,
        left: &[&(usize, Candidate)],
        mut done: usize,
        progress: &mut dyn Progress,
    ) -> Result<Vec<(usize, BootResult)>, Error> {
        let mut cluster = match self.cluster.take() {
            Some(cluster) => cluster,
            None => Cluster::open(address, progress)?,
        };
        let study = |one: &Candidate| one.study(self.guest.space, None);
        let items: Vec<BootItem> = left.iter().map(|(_, candidate)| BootItem::of(study(candidate))).collect();
        let (mut made, shared) = (Vec::new(), self.shared.clone());
        cluster.each("boots", &shared, &items, progress, &mut |answer: Option<(usize, BootResult)>, progress| {
            if let Some((place, outcome)) = answer {
                let (number, candidate) = left[place];
                self.keep_outcome(*number, candidate, &outcome)?;
                made.push((*number, outcome));
                done += 1;
            }
            self.show(done, progress);
            Ok(())
        })?;
        self.cluster = Some(cluster);
        Ok(made)
    }

    fn keep_outcome(&mut self, number: usize, candidate: &Candidate, outcome: &BootResult) -> Result<(), Error> {
        self.folder.add(Record::of(number, &candidate.study(self.guest.space, None), outcome))?;
        self.made += 1;
        self.last = Instant::now();
        Ok(())
    }

    fn show(&self, done: usize, progress: &mut dyn Progress) {
        let more = (self.total as u64).saturating_sub(done as u64);
        let ns = |time: std::time::Duration| Duration::from(time).as_ns();
        // As long as those before took, from the end of the last one on.
        let each = ns(self.last - self.began).checked_div(self.made);
        let left =
            each.map(|each| Duration::from_ns(each.saturating_mul(more).saturating_sub(ns(self.last.elapsed()))));
        let (done, total, elapsed) = (done as u64, self.total as u64, Some(self.began.elapsed().into()));
        progress.count(&Count { parts: "boots", done, found: self.found, total, left, elapsed });
    }

    /// Files of the worst boot: its study with a claim, and its run.
    fn keep(&mut self, worst: &Booted, progress: &mut dyn Progress) -> Result<PathBuf, Error> {
        let latency = worst.outcome.latency_ns.unwrap_or_default().unsigned_abs();
        let text = worst.candidate.study(self.guest.space, Some(Duration::from_ns(latency)));
        let study = self.request.folder.join("worst.toml");
        let run = self.request.folder.join("worst.prazo");
        let boot = self.request.folder.join(format!(".boot-{}.prazo", worst.number));
        let keep = |file: &Path| {
            std::fs::rename(file, &run)
                .map_err(|error| Error::failed(error).attempting("cannot save the run file of the worst boot"))
        };
        if boot.exists() {
            keep(&boot)?;
        } else if !run.exists() || !std::fs::read_to_string(&study).is_ok_and(|kept| kept == text) {
            // Somebody removed it, or a worker of a cluster made the boot. A run that is cut off, or that differs, stays where
            // the next call clears it.
            let again = self.request.folder.join(".boot-again.prazo");
            self.repeat(worst, &again, progress)?;
            keep(&again)?;
        }
        // Behind the run, so that an interrupted call leaves no study beside another boot's run.
        crate::output::replace(&study, &text)?;
        self.folder.clear(None)?;
        for (what, file) in [(FileKind::Export, &study), (FileKind::Export, &run)] {
            progress.remark(&Remark::Written { what, file: file.clone() });
        }
        Ok(study)
    }

    /// What makes the worst boot late.
    fn cause(&mut self, worst: &Booted, progress: &mut dyn Progress) -> Result<Cause, Error> {
        let file = self.request.folder.join(".boot-test.prazo");
        let cause = cause::cause(self.guest, self.folder, worst, file, progress);
        self.folder.clear(None)?;
        cause
    }

    /// Makes the worst boot again, whose run is not here.
    fn repeat(&self, worst: &Booted, file: &Path, progress: &mut dyn Progress) -> Result<(), Error> {
        let stop = progress.stop().map_err(Error::failed)?;
        let outcome = self.guest.boot(&worst.candidate, file, &|| stop.is_set()).map_err(guest_error)?;
        match outcome == worst.outcome {
            true => Ok(()),
            false => {
                Err(Error::failed(format!("boot {} measured different samples when it was repeated", worst.number + 1))
                    .with_remedy("start a new hunt in another folder; report this if it happens again"))
            }
        }
    }

    /// Why there is nothing to say.
    fn nothing(&self) -> Error {
        let why = self.folder.first_failure().unwrap_or("no activation was served");
        Error::failed(format!("no boot of the hunt measured a latency; the first boot failed: {why}"))
    }
}
