//! Results in files, so that the steps of `./test` add up, and the last lines that a person reads.

use prazo_testing::Record;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// How many lines of a failed program's output are shown; the whole is in its log.
const SHOWN: usize = 120;

/// What one test program reported, before skips are taken off.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tested {
    /// Package and target, or the step's name.
    pub name: String,
    /// The program's file name, by which skips refer to it.
    pub program: String,
    /// Tests that the harness calls passed; those that registered a skip are among them.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests that the harness itself skipped.
    pub skipped: usize,
    /// Tests that are `#[ignore]`d: started by other tests, or by `scripts/long-tests.sh`.
    pub ignored: usize,
    /// Names of failed tests.
    pub failures: Vec<String>,
    /// Names of ignored tests.
    pub helpers: Vec<String>,
    /// Of each failed test in Rust: what it panicked with.
    pub messages: BTreeMap<String, String>,
    /// Elapsed time.
    pub seconds: f64,
    /// Processor time, of descendants too.
    pub processor_seconds: f64,
}

/// A folder of results.
pub(crate) struct Results {
    folder: PathBuf,
}

impl Results {
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Forgets what an earlier run left.
    pub(crate) fn clear(&self) {
        let _ = std::fs::remove_dir_all(&self.folder);
        std::fs::create_dir_all(&self.folder).unwrap_or_else(|error| panic!("{}: {error}", self.folder.display()));
    }

    /// The file that collects skips; absolute, since test programs run in folders of their own.
    pub(crate) fn skips(&self) -> PathBuf {
        std::path::absolute(self.folder.join("skips.jsonl")).expect("there is a current folder")
    }

    /// Where the output of a program goes.
    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{}.log", name.replace([' ', '/'], "-")))
    }

    /// Keeps a result and says it in a line; shows the output of what failed.
    pub(crate) fn add(&self, tested: &Tested, text: &str) {
        let line = json!({
            "name": tested.name, "program": tested.program, "passed": tested.passed, "failed": tested.failed,
            "skipped": tested.skipped, "ignored": tested.ignored, "failures": tested.failures, "helpers": tested.helpers,
            "messages": tested.messages,
            "seconds": tested.seconds, "processor_seconds": tested.processor_seconds,
        });
        let file = OpenOptions::new().append(true).create(true).open(self.folder.join("results.jsonl"));
        let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", self.folder.display()));
        let mut report = format!(
            "{:40} {:5} ok {:3} failed {:7.1} s elapsed {:7.1} s of processor time\n",
            tested.name, tested.passed, tested.failed, tested.seconds, tested.processor_seconds
        );
        if tested.failed > 0 {
            let lines: Vec<&str> = text.lines().filter(|line| !line.ends_with(" ... ok")).collect();
            report.push_str(&lines[lines.len().saturating_sub(SHOWN)..].join("\n"));
            report.push_str(&format!("\n(all of it: {})\n", self.log(&tested.name).display()));
        }
        // One write, since programs end beside each other.
        let _ = std::io::stdout().write_all(report.as_bytes());
    }

    /// Counts one step that could not start: skipped, or failed in continuous integration.
    pub(crate) fn skip(&self, name: &str, reason: &str) {
        if std::env::var_os("CI").is_some_and(|value| value == "true") {
            let name = name.to_owned();
            return self.add(&Tested { program: name.clone(), name, failed: 1, ..Tested::default() }, reason);
        }
        self.add(&Tested { name: name.to_owned(), program: name.to_owned(), passed: 1, ..Tested::default() }, "");
        let record = json!({ "program": name, "test": name, "need": reason, "why": "" });
        let file = OpenOptions::new().append(true).create(true).open(self.skips());
        let written = file.and_then(|mut file| file.write_all(format!("{record}\n").as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", self.folder.display()));
    }

    /// Prints reasons and totals; fails if a test failed or none ran.
    pub(crate) fn summary(&self) -> ExitCode {
        let read = |name: &str| std::fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        let totals = Totals::of(&read("results.jsonl"), &read("skips.jsonl"));
        print!("{totals}");
        if totals.failed > 0 || totals.passed == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

/// All results together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Totals {
    passed: usize,
    failed: usize,
    skipped: usize,
    /// How many tests were skipped for want of what.
    reasons: BTreeMap<String, usize>,
    failures: Vec<String>,
}

impl Totals {
    fn of(results: &str, skips: &str) -> Self {
        let mut totals = Self::default();
        // A test may register several skips; it counts once, with the first.
        let mut by_program: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for record in skips.lines().filter_map(Record::parse) {
            let tests = by_program.entry(record.test.program).or_default();
            tests.entry(record.test.test).or_insert(record.need);
        }
        for result in results.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let number = |key: &str| result[key].as_u64().unwrap_or(0) as usize;
            let names = |key: &str| -> BTreeSet<String> {
                result[key]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|name| Some(name.as_str()?.to_owned()))
                    .collect()
            };
            let (failures, helpers) = (names("failures"), names("helpers"));
            let skipped: Vec<String> = by_program
                .remove(result["program"].as_str().unwrap_or_default())
                .into_iter()
                .flatten()
                .filter(|(test, _)| !failures.contains(test) && !helpers.contains(test))
                .map(|(_, need)| need)
                .collect();
            totals.passed += number("passed").saturating_sub(skipped.len());
            totals.failed += number("failed");
            totals.skipped += skipped.len() + number("skipped");
            let by_harness = (number("skipped") > 0).then(|| result["name"].as_str().unwrap_or_default().to_owned());
            skipped.into_iter().for_each(|need| *totals.reasons.entry(need).or_default() += 1);
            by_harness.into_iter().for_each(|name| *totals.reasons.entry(name).or_default() += number("skipped"));
            let name = result["name"].as_str().unwrap_or_default();
            totals.failures.extend(failures.iter().map(|test| match result["messages"][test].as_str() {
                Some(message) => format!("{name}: {test}\n  {message}"),
                None => format!("{name}: {test}"),
            }));
            if failures.is_empty() && number("failed") > 0 {
                totals.failures.push(format!("{name}: see its output above"));
            }
        }
        totals
    }
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.failures.iter().try_for_each(|name| writeln!(f, "FAILED {name}"))?;
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        reasons.iter().try_for_each(|(need, count)| writeln!(f, "{count:4} skipped: {need}"))?;
        writeln!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKIPS: &str = r#"{"program":"lab-1","test":"a","need":"no lab","why":"x"}
{"program":"lab-1","test":"a","need":"no lab","why":"again, in a loop"}
{"program":"lab-1","test":"b","need":"one processor","why":"x"}
{"program":"lab-1","test":"failed","need":"no lab","why":"before it failed"}
{"program":"lab-1","test":"helper","need":"no lab","why":"in a child"}
{"program":"other-1","test":"a","need":"no lab","why":"x"}"#;

    #[test]
    fn a_skipped_test_is_not_a_passed_one() {
        let results = r#"{"name":"prazo-lab lab","program":"lab-1","passed":5,"failed":1,"skipped":0,"failures":["failed"],"helpers":["helper"],"messages":{"failed":"no"}}
{"name":"page","program":"page","passed":3,"failed":0,"skipped":2,"failures":[],"helpers":[]}
{"name":"prazo-cli other","program":"other-1","passed":1,"failed":0,"skipped":0,"failures":[],"helpers":[]}"#;
        let totals = Totals::of(results, SKIPS);
        assert_eq!((totals.passed, totals.failed, totals.skipped), (6, 1, 5));
        assert_eq!(
            totals.to_string(),
            "FAILED prazo-lab lab: failed\n  no\n   2 skipped: no lab\n   2 skipped: page\n   1 skipped: one processor\n6 passed, 1 failed, 5 skipped\n"
        );
    }

    #[test]
    fn results_of_several_steps_add_up_in_files() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::at(folder.path().join("run"));
        results.clear();
        for name in ["one", "two"] {
            results.add(&Tested { name: name.into(), passed: 2, ..Tested::default() }, "");
        }
        let kept = std::fs::read_to_string(folder.path().join("run/results.jsonl")).unwrap();
        assert_eq!(Totals::of(&kept, "").passed, 4);
        results.clear();
        assert!(!folder.path().join("run/results.jsonl").exists());
    }
}
