//! `cargo xtask hunts`: compares hunts of the lab that differ only in method and seed.
//!
//! Each folder is one of `prazo lab hunt`. Hunts with one seed start from the same boots, so methods are compared seed by seed.
//! docs/lab-hunt.md has the tables.

use prazo_core::text::counted;
use prazo_stats::repeats::Spread;
use serde::Deserialize;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which hunts to compare.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders of `prazo lab hunt`
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
    /// Compare the first COUNT boots of each hunt
    #[arg(long, value_name = "COUNT", default_value_t = 16, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..))]
    boots: usize,
}

impl Args {
    /// Reads the hunts and prints the tables as Markdown.
    pub(crate) fn run(self) -> Result<(), String> {
        let (mut methods, mut conditions) = (Methods::default(), None);
        for folder in &self.folders {
            let hunt = ComparedHunt::read(folder, self.boots)?;
            if conditions.get_or_insert_with(|| hunt.conditions.clone()) != &hunt.conditions {
                return Err(format!(
                    "{}: a hunt of another platform, task, load, kernel, agent or emulator than that of the first folder",
                    folder.display()
                ));
            }
            let same = methods.0.entry(hunt.method.clone()).or_default();
            if same.insert(hunt.seed, hunt).is_some() {
                return Err(format!("{}: another folder holds the hunt of this method and seed", folder.display()));
            }
        }
        print!("{}", methods.markdown(self.boots));
        Ok(())
    }
}

/// The folder's `hunt.json`.
#[derive(Deserialize)]
struct HuntFile {
    method: String,
    seed: u64,
    version: Value,
    space: Value,
    conditions: Value,
}

/// A line of the folder's `boots.jsonl`. A test of the cause has no number.
#[derive(Deserialize)]
struct JournalLine {
    number: Option<usize>,
    outcome: Option<BootOutcome>,
}

#[derive(Deserialize)]
struct BootOutcome {
    #[serde(deserialize_with = "Option::deserialize")]
    latency_ns: Option<i64>,
}

struct ComparedHunt {
    method: String,
    seed: u64,
    /// What must be the same in all hunts.
    conditions: [Value; 3],
    /// The largest latency of each compared boot, in nanoseconds; `None` for a boot that failed.
    boots: Vec<Option<i64>>,
    /// The largest latency of all of them.
    largest_ns: i64,
    /// The number of the first boot that had it, from 1.
    found_by: usize,
    /// Mean of the second half's boots, in nanoseconds.
    later_mean_ns: f64,
}

impl ComparedHunt {
    fn read(folder: &Path, count: usize) -> Result<Self, String> {
        let read = |name: &str| {
            let file = folder.join(name);
            std::fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))
        };
        let broken = |error: serde_json::Error| format!("{} holds no hunt: {error}", folder.display());
        let HuntFile { method, seed, version, space, conditions } =
            serde_json::from_str(&read("hunt.json")?).map_err(broken)?;
        let mut boots = BTreeMap::new();
        for line in read("boots.jsonl")?.lines() {
            let boot: JournalLine = serde_json::from_str(line).map_err(broken)?;
            if let (Some(number), Some(outcome)) = (boot.number, boot.outcome) {
                boots.insert(number, outcome.latency_ns);
            }
        }
        if !boots.keys().copied().take(count).eq(0..count) {
            let made = counted(boots.len() as u64, "boot");
            return Err(format!("{} has {made}; {count} are compared (--boots)", folder.display()));
        }
        let boots: Vec<Option<i64>> = boots.into_values().take(count).collect();
        let later: Vec<i64> = boots[count / 2..].iter().flatten().copied().collect();
        let largest = boots.iter().flatten().copied().max();
        let (Some(largest_ns), false) = (largest, later.is_empty()) else {
            return Err(format!(
                "{}: all of its first {count} boots failed, or all of the later half",
                folder.display()
            ));
        };
        Ok(Self {
            method,
            seed,
            conditions: [version, space, conditions],
            found_by: boots.iter().take_while(|boot| **boot != largest).count() + 1,
            later_mean_ns: later.iter().sum::<i64>() as f64 / later.len() as f64,
            largest_ns,
            boots,
        })
    }
}

/// Hunts by method and seed.
#[derive(Default)]
struct Methods(BTreeMap<String, BTreeMap<u64, ComparedHunt>>);

impl Methods {
    fn markdown(&self, boots: usize) -> String {
        let mut text = format!(
            "| method | repetitions | largest latency, µs: median (smallest to largest) | found by boot, median | mean of boots {} to {boots}, µs, median | failed boots |\n|---|---|---|---|---|---|\n",
            boots / 2 + 1
        );
        for (method, hunts) in &self.0 {
            let spread = |of: &dyn Fn(&ComparedHunt) -> f64| {
                Spread::of(&hunts.values().map(of).collect::<Vec<_>>()).expect("a method has at least one hunt")
            };
            let largest = spread(&|hunt| hunt.largest_ns as f64 / 1e3);
            let found_by = spread(&|hunt| hunt.found_by as f64);
            let later = spread(&|hunt| hunt.later_mean_ns / 1e3);
            let failed: usize =
                hunts.values().map(|hunt| hunt.boots.iter().filter(|boot| boot.is_none()).count()).sum();
            text += &format!(
                "| {method} | {} | {:.0} ({:.0} to {:.0}) | {} | {:.0} | {failed} |\n",
                largest.count, largest.median, largest.low, largest.high, found_by.median, later.median
            );
        }
        let names: Vec<&String> = self.0.keys().collect();
        for (place, one) in names.iter().enumerate() {
            names[place + 1..].iter().for_each(|other| text += &self.pairs(one, other));
        }
        text
    }

    /// One method against another, seed by seed.
    fn pairs(&self, one: &str, other: &str) -> String {
        let both = self.0[one].iter().filter_map(|(seed, hunt)| Some((hunt, self.0[other].get(seed)?)));
        let (mut larger, mut equal, mut smaller, mut later) = (0, 0, 0, 0);
        for (hunt, other) in both {
            match hunt.largest_ns.cmp(&other.largest_ns) {
                Ordering::Greater => larger += 1,
                Ordering::Equal => equal += 1,
                Ordering::Less => smaller += 1,
            }
            later += usize::from(hunt.later_mean_ns > other.later_mean_ns);
        }
        let pairs = larger + equal + smaller;
        format!(
            "\n{one} against {other}, {}: larger in {larger}, equal in {equal}, smaller in {smaller}; larger mean of the later boots in {later}.\n",
            counted(pairs as u64, "seed")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(place: &Path, method: &str, seed: u64, boots: &[i64]) -> PathBuf {
        folder_of("k", place, method, seed, boots)
    }

    fn folder_of(kernel: &str, place: &Path, method: &str, seed: u64, boots: &[i64]) -> PathBuf {
        let folder = place.join(format!("{method}-{seed}"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("hunt.json"), format!(r#"{{"method": "{method}", "seed": {seed}, "version": 1, "space": {{}}, "conditions": {{"kernel": "{kernel}"}}}}"#)).unwrap();
        // Boots end in any order, and tests of the cause follow them.
        let line = |(number, us): (usize, &i64)| {
            let latency = if *us == 0 { "null".to_owned() } else { (us * 1_000).to_string() };
            format!(r#"{{"number": {number}, "outcome": {{"latency_ns": {latency}, "served": 9}}}}"#)
        };
        let mut lines: Vec<String> = boots.iter().enumerate().map(line).collect();
        lines.reverse();
        lines.push(r#"{"number": null, "outcome": null, "max_ns": 999999999}"#.to_owned());
        std::fs::write(folder.join("boots.jsonl"), lines.join("\n") + "\n").unwrap();
        folder
    }

    #[test]
    fn methods_are_compared_seed_by_seed() {
        let place = tempfile::tempdir().unwrap();
        let mut methods = Methods::default();
        for (method, seed, boots) in [
            ("evolution", 1, [30, 10, 40, 20]),
            ("evolution", 2, [30, 10, 20, 50]),
            ("random", 1, [30, 10, 40, 0]),
            ("random", 2, [30, 10, 20, 20]),
            ("random", 3, [60, 10, 10, 10]),
        ] {
            let hunt = ComparedHunt::read(&folder(place.path(), method, seed, &boots), 4).unwrap();
            methods.0.entry(method.into()).or_default().insert(seed, hunt);
        }
        let text = methods.markdown(4);
        assert!(text.contains("| evolution | 2 | 45 (40 to 50) | 3.5 | 32 | 0 |"), "{text}");
        assert!(text.contains("| random | 3 | 40 (30 to 60) | 1 | 20 | 1 |"), "{text}");
        let pairs = "evolution against random, 2 seeds: larger in 1, equal in 1, smaller in 0; larger mean of the later boots in 1.";
        assert!(text.contains(pairs), "{text}");
    }

    #[test]
    fn a_hunt_with_too_few_boots_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let short = folder(place.path(), "random", 1, &[30, 10]);
        assert!(ComparedHunt::read(&short, 3).err().unwrap().contains("has 2 boots; 3 are compared"));
        assert!(ComparedHunt::read(&place.path().join("none"), 3).err().unwrap().contains("cannot read"));
    }

    #[test]
    fn a_hunt_whose_boots_all_failed_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let failed = folder(place.path(), "random", 1, &[0, 0]);
        assert!(ComparedHunt::read(&failed, 2).err().unwrap().contains("boots failed"));
        let later = folder(place.path(), "random", 2, &[30, 0]);
        assert!(ComparedHunt::read(&later, 2).err().unwrap().contains("the later half"));
    }

    #[test]
    fn hunts_of_two_kernels_are_not_compared() {
        let place = tempfile::tempdir().unwrap();
        let one = folder_of("a", place.path(), "random", 1, &[30, 10]);
        let other = folder_of("b", place.path(), "evolution", 1, &[30, 10]);
        let compared = |folders: [&PathBuf; 2]| Args { folders: folders.map(Clone::clone).into(), boots: 2 }.run();
        assert!(compared([&one, &other]).unwrap_err().contains("another platform, task, load, kernel"));
        assert!(compared([&one, &one]).unwrap_err().contains("another folder holds the hunt"));
    }
}
