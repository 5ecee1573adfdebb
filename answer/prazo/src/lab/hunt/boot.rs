//! One boot of a hunt: a candidate's study becomes the guest's job, and its run becomes a latency.

use crate::error::Error;
use prazo_core::hash::{fnv1a, mixed};
use prazo_core::time::Duration;
use prazo_lab::{Lab, LabError};
use prazo_platform::fingerprint::Fingerprint;
use prazo_run::run::Quantity;
use prazo_run::{Plan, Run, store};
use prazo_study::guest::{Conditions, measure_watched};
use prazo_study::hunt::{Candidate, Latencies, Space, Tried};
use prazo_study::{CellSource, GuestError, GuestRequest, Here, LAB, RemoteTarget, Study, matrix};
use std::path::Path;
use std::time::Instant;

/// What carries out boots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guest<'a> {
    pub space: &'a Space,
    pub lab: &'a Lab,
    pub timeout: Option<Duration>,
}

/// A candidate with what its boot brought.
#[derive(Clone, Debug)]
pub(super) struct Booted {
    /// Its number in the search, from 0.
    pub number: usize,
    pub candidate: Candidate,
    pub outcome: BootResult,
}

/// What a boot brought.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BootResult {
    /// Its largest latency; `None` where it failed.
    pub(super) latency_ns: Option<i64>,
    /// The activation that it was.
    pub(super) activation: u64,
    /// Activations that were served.
    pub(super) served: u64,
    /// A number that differs where a sample does.
    pub(super) samples: String,
    /// Why it failed.
    pub(super) failed: Option<String>,
}

/// What carries out one candidate's study, here or for a hunt on another machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Station<'a> {
    pub lab: &'a Lab,
    /// The platform's name, for errors.
    pub platform: &'a str,
    /// Elapsed time after which a guest is terminated.
    pub limit: std::time::Duration,
}

impl<'a> Guest<'a> {
    /// What decides every boot but for what is chosen; an error where the platform cannot be hunted on.
    pub(super) fn conditions(&self) -> Result<Fingerprint, Error> {
        self.station().conditions(&self.any())
    }

    /// The study of a candidate for which nothing is chosen.
    pub(super) fn any(&self) -> String {
        let any =
            Candidate { seed: 0, phase: Duration::ZERO, lead_in: self.space.lead_in, loads: Vec::new(), change: None };
        any.study(self.space, None)
    }

    /// Boots a candidate and leaves its run in `file`.
    pub(super) fn boot(
        &self,
        candidate: &Candidate,
        file: &Path,
        stopped: &dyn Fn() -> bool,
    ) -> Result<BootResult, GuestError> {
        self.station().boot(&candidate.study(self.space, None), file, stopped)
    }

    /// The same for a test of the cause: the largest latency, and that of one activation.
    pub(super) fn latencies(
        &self,
        candidate: &Candidate,
        file: &Path,
        activation: u64,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Latencies, GuestError> {
        let run = self.station().run(&candidate.study(self.space, None), file, stopped)?;
        let mut of_found_ns = None;
        store::samples(file, |_, all| {
            of_found_ns = of_found_ns.or(all.iter().find(|one| one.activation == activation).map(|one| one.latency_ns));
        })?;
        let max_ns = BootResult::of(&run, file)?.latency_ns.unwrap_or_default();
        Ok(Latencies { max_ns, of_found_ns })
    }

    /// By default a guest gets what a run of that length gets.
    pub(super) fn station(&self) -> Station<'a> {
        let seconds = self.space.task.length.as_ns().div_ceil(1_000_000_000);
        let usual = std::time::Duration::from_secs(300 + 60 * seconds);
        let limit = self.timeout.map_or(usual, |timeout| std::time::Duration::from_nanos(timeout.as_ns()));
        Station { lab: self.lab, platform: &self.space.platform, limit }
    }
}

impl Station<'_> {
    /// What decides every boot but for what a candidate's study chooses.
    pub(super) fn conditions(&self, study: &str) -> Result<Fingerprint, Error> {
        let (platform, plan) = parsed(study)?;
        let machine = platform.machine().map_err(crate::guest::lab_error)?;
        if !matches!(machine.time, prazo_lab::machine::Time::Counted { .. }) || machine.processors > 1 {
            return Err(Error::field("platform", "boots of this platform are not deterministic")
                .with_value(self.platform)
                .with_remedy("choose a platform with one processor under counted time, such as lab:standard-full"));
        }
        Conditions::default().of(&platform, &plan, self.lab).ok_or_else(|| {
            Error::failed(format!(
                "the lab lacks files that {0} needs; run `prazo lab fetch --only {1}`",
                self.platform,
                self.platform.trim_start_matches(LAB)
            ))
        })
    }

    /// Boots a candidate's study and leaves its run in `file`. A boot whose guest failed is an outcome, unless the time limit ended
    /// it. How busy the host is, or how full its disk, shall not decide what is found.
    pub(super) fn boot(&self, study: &str, file: &Path, stopped: &dyn Fn() -> bool) -> Result<BootResult, GuestError> {
        let began = Instant::now();
        match self.run(study, file, stopped) {
            Ok(run) => BootResult::of(&run, file),
            Err(error) if error.is_of_guest() && began.elapsed() < self.limit => {
                Ok(BootResult::failed(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    fn run(&self, study: &str, file: &Path, stopped: &dyn Fn() -> bool) -> Result<Run, GuestError> {
        let refused = |error: Error| LabError::Platform { platform: self.platform.to_owned(), what: error.to_string() };
        let (platform, plan) = parsed(study).map_err(refused)?;
        // What an interrupted call left is no run.
        let _ = std::fs::remove_file(file);
        let (name, command) = ("hunted".to_owned(), "prazo study run worst.toml".to_owned());
        let limit = Some(Duration::from(self.limit));
        let request = GuestRequest { platform, plan, file, name, command, limit };
        measure_watched(&request, self.lab, &mut |_| stopped())
    }
}

impl Booted {
    /// As the search sees it; a boot that failed is no parent.
    pub(super) fn tried(&self) -> Tried {
        Tried { candidate: self.candidate.clone(), latency_ns: self.outcome.latency_ns.unwrap_or(i64::MIN) }
    }
}

/// The guest and the plan of a candidate's study.
fn parsed(text: &str) -> Result<(prazo_lab::Platform, Plan), Error> {
    let study = Study::parse("the candidate", text).map_err(Error::refused)?;
    let cpus = "0".parse().expect("a processor");
    let here = Here { platform: None, cpus, housekeeping_cpu: None, deadline: None };
    let cell = matrix::cells(&study, &here).pop().map(|cell| cell.source);
    match cell {
        Some(CellSource::Measure { on: Some(RemoteTarget::Guest(platform)), mut plans, .. }) if !plans.is_empty() => {
            Ok((platform, plans.swap_remove(0)))
        }
        _ => Err(Error::field("platform", "this is not a platform of the lab").with_remedy("write lab:NAME")),
    }
}

impl BootResult {
    fn of(run: &Run, file: &Path) -> Result<Self, GuestError> {
        let series = run.of(Quantity::ResponseLatency).next();
        let worst = series.and_then(|series| series.worst.first());
        let mut samples = 0;
        store::samples(file, |number, all| {
            let mut add = |value: u64| samples = mixed(samples ^ value);
            add(number as u64);
            for one in all {
                [one.activation, one.due_ns as u64, one.latency_ns as u64].into_iter().for_each(&mut add);
            }
        })?;
        Ok(Self {
            latency_ns: worst.map(|worst| worst.latency_ns),
            activation: worst.map_or(0, |worst| worst.activation),
            served: series.map_or(0, |series| series.activations.served),
            samples: format!("{samples:016x}"),
            failed: worst.is_none().then(|| "no activation was served".to_owned()),
        })
    }

    fn failed(why: String) -> Self {
        Self { latency_ns: None, activation: 0, served: 0, samples: String::new(), failed: Some(why) }
    }
}

/// The key of a candidate in the journal.
pub(super) fn key(study: &str) -> String {
    format!("{:016x}", fnv1a(study.as_bytes()))
}
