//! The folder of a hunt: the request that it belongs to, and one line for each boot that was made.
//!
//! Lines are appended as boots end; a line that was cut off by a crash is the boot that is made again.

use super::boot::{BootResult, key};
use super::elsewhere::Facts;
use super::request::HuntRequest;
use crate::error::Error;
use crate::output::make_folder;
use prazo_study::hunt::{Latencies, Space};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

const REQUEST: &str = "hunt.json";
const JOURNAL: &str = "boots.jsonl";

/// The folder of a hunt, locked as long as this is there.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    journal: File,
    records: BTreeMap<String, Record>,
    first_failure: Option<String>,
    _lock: File,
}

/// One boot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    /// Of the candidate's study.
    study: String,
    /// Its number in the search; `None` for a test of the cause.
    number: Option<usize>,
    outcome: Option<BootResult>,
    max_ns: Option<i64>,
    of_found_ns: Option<i64>,
}

impl Record {
    /// Of a boot of the search.
    pub(super) fn of(number: usize, study: &str, outcome: &BootResult) -> Self {
        let outcome = Some(outcome.clone());
        Self { study: key(study), number: Some(number), outcome, max_ns: None, of_found_ns: None }
    }

    /// Of a test of the cause.
    pub(super) fn of_test(study: &str, latencies: Latencies) -> Self {
        let Latencies { max_ns, of_found_ns } = latencies;
        Self { study: test_key(study), number: None, outcome: None, max_ns: Some(max_ns), of_found_ns }
    }
}

/// A test of the cause looks at one activation, so that it is no boot of the search.
fn test_key(study: &str) -> String {
    format!("test-{}", key(study))
}

impl Folder {
    /// A new one, or that of the same request; another one is refused.
    pub(super) fn open(path: &Path, request: &HuntRequest, space: &Space, conditions: &Facts) -> Result<Self, Error> {
        make_folder(path)?;
        let failed = |error| Error::failed(error).attempting(format!("cannot open the hunt in {}", path.display()));
        let lock = File::open(path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::field("output", "another hunt is running in this folder")
                    .with_value(path.display())
                    .with_remedy("wait until that hunt has ended, or name another folder"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        Self::same_request(path, request, space, conditions)?;
        let file = path.join(JOURNAL);
        let text = match std::fs::read_to_string(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            text => text.map_err(failed)?,
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let journal = File::options().create(true).append(true).open(&file).map_err(failed)?;
        journal.set_len(whole.len() as u64).map_err(failed)?;
        let mut folder =
            Self { path: path.to_owned(), journal, records: BTreeMap::new(), first_failure: None, _lock: lock };
        for line in whole.lines() {
            let broken = |error: serde_json::Error| {
                let attempt = format!("cannot read {}", file.display());
                Error::failed(error).attempting(attempt).with_remedy("name another folder, or remove the damaged line")
            };
            folder.take(serde_json::from_str(line).map_err(broken)?);
        }
        Ok(folder)
    }

    /// The budget and the number of workers may change from call to call, since neither changes a boot.
    fn same_request(path: &Path, request: &HuntRequest, space: &Space, conditions: &Facts) -> Result<(), Error> {
        let wanted = json!({
            "version": 1, "space": space, "method": request.method.name(), "seed": request.seed, "conditions": conditions,
        });
        let file = path.join(REQUEST);
        let Ok(text) = std::fs::read_to_string(&file) else {
            return crate::output::replace(&file, format!("{wanted:#}\n"));
        };
        let found: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let differs = |name: &&str| found[name] != wanted[name];
        let Some(what) = ["version", "space", "method", "seed", "conditions"].into_iter().find(differs) else {
            return Ok(());
        };
        let what = match what {
            "space" => "another platform, task, load or --lead-in",
            "method" => "another method",
            "seed" => "another seed",
            "conditions" => "another kernel, command line, machine, agent or emulator",
            _ => "another version of prazo, or a damaged hunt.json",
        };
        Err(Error::field("output", format!("the folder holds a hunt with {what}"))
            .with_value(path.display())
            .with_remedy("name another folder"))
    }

    /// What a candidate's boot brought, if it was made.
    pub(super) fn outcome(&self, study: &str) -> Option<BootResult> {
        self.records.get(&key(study))?.outcome.clone()
    }

    /// The same of a test of the cause.
    pub(super) fn tested(&self, study: &str) -> Option<Latencies> {
        let record = self.records.get(&test_key(study))?;
        Some(Latencies { max_ns: record.max_ns?, of_found_ns: record.of_found_ns })
    }

    /// Keeps a boot.
    pub(super) fn add(&mut self, record: Record) -> Result<(), Error> {
        let line = serde_json::to_string(&record).expect("a record is plain data") + "\n";
        let written = self.journal.write_all(line.as_bytes());
        written.map_err(|error| {
            Error::failed(error)
                .attempting(format!("cannot write {}", self.path.join(JOURNAL).display()))
                .with_remedy("make room on the disk, and start the same hunt again")
        })?;
        self.take(record);
        Ok(())
    }

    fn take(&mut self, record: Record) {
        let failed = record.outcome.as_ref().and_then(|outcome| outcome.failed.clone());
        self.first_failure = self.first_failure.take().or(failed);
        self.records.insert(record.study.clone(), record);
    }

    /// Why the first boot that failed did so.
    pub(super) fn first_failure(&self) -> Option<&str> {
        self.first_failure.as_deref()
    }

    /// Removes the runs of boots but for one.
    pub(super) fn clear(&self, but: Option<usize>) -> Result<(), Error> {
        let kept = but.map(|number| format!(".boot-{number}.prazo"));
        let failed = |error| {
            Error::failed(error)
                .attempting(format!("cannot remove the run files of earlier boots from {}", self.path.display()))
        };
        for entry in std::fs::read_dir(&self.path).map_err(failed)?.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(".boot-") && kept.as_deref() != Some(&name) {
                std::fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::Budget;
    use super::*;
    use prazo_core::time::Duration;
    use prazo_run::plan::Policy;
    use prazo_study::hunt::{Method, Task};

    fn request(folder: &Path, seed: u64) -> HuntRequest {
        HuntRequest {
            platform: "lab:rt-full".into(),
            task: Task { policy: Policy::Other, period: Duration::from_ms(1), length: Duration::from_s(1) },
            lead_in: Duration::ZERO,
            loads: vec![("cpu".into(), None)],
            method: Method::Random,
            seed,
            budget: Budget::Boots(1),
            workers: 1,
            scheduler: None,
            proves: false,
            timeout: None,
            folder: folder.to_owned(),
        }
    }

    fn open(folder: &Path, seed: u64, kernel: &str) -> Result<Folder, Error> {
        let request = request(folder, seed);
        let space = Space::new(request.platform.clone(), request.task, request.lead_in, &request.loads).unwrap();
        Folder::open(folder, &request, &space, &[("lab.kernel_sha256".to_owned(), Some(kernel.into()))].into())
    }

    fn outcome(latency_ns: i64) -> BootResult {
        BootResult { latency_ns: Some(latency_ns), activation: 7, served: 9, samples: "a".into(), failed: None }
    }

    #[test]
    fn boots_are_found_again_and_a_line_that_was_cut_off_is_not() {
        let place = tempfile::tempdir().unwrap();
        let mut folder = open(place.path(), 1, "k").unwrap();
        folder.add(Record::of(0, "one", &outcome(5))).unwrap();
        folder.add(Record::of_test("one", Latencies { max_ns: 6, of_found_ns: None })).unwrap();
        assert!(open(place.path(), 1, "k").unwrap_err().to_string().contains("another hunt is running in this folder"));
        drop(folder);
        File::options().append(true).open(place.path().join(JOURNAL)).unwrap().write_all(b"{\"study\":\"cut").unwrap();
        let mut folder = open(place.path(), 1, "k").unwrap();
        assert_eq!((folder.outcome("one"), folder.outcome("two")), (Some(outcome(5)), None));
        assert_eq!(folder.tested("one"), Some(Latencies { max_ns: 6, of_found_ns: None }));
        folder.add(Record::of(1, "two", &outcome(8))).unwrap();
        drop(folder);
        assert_eq!(open(place.path(), 1, "k").unwrap().outcome("two"), Some(outcome(8)));
    }

    #[test]
    fn the_folder_of_another_hunt_is_refused_with_what_differs() {
        let place = tempfile::tempdir().unwrap();
        drop(open(place.path(), 1, "k").unwrap());
        for (seed, kernel, word) in [(2, "k", "seed"), (1, "other", "kernel")] {
            let error = open(place.path(), seed, kernel).unwrap_err().to_string();
            assert!(error.contains(word) && error.contains("another folder"), "{error}");
        }
    }

    #[test]
    fn runs_that_are_not_kept_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = open(place.path(), 1, "k").unwrap();
        let left = || [".boot-3.prazo", ".boot-12.prazo", "worst.prazo"].map(|name| place.path().join(name).exists());
        for name in [".boot-3.prazo", ".boot-12.prazo", "worst.prazo"] {
            std::fs::write(place.path().join(name), "x").unwrap();
        }
        folder.clear(Some(12)).unwrap();
        assert_eq!(left(), [false, true, true]);
        folder.clear(None).unwrap();
        assert_eq!(left(), [false, false, true]);
    }
}
