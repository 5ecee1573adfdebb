//! `cargo xtask hunts`: how hunts compare that differ in nothing but the method and the seed.
//!
//! Each folder is one of `prazo lab hunt`. Hunts with one seed start from the same boots, so methods are compared seed by seed.
//! docs/lab-hunt.md has the tables.

use prazo_core::text::counted;
use serde::Deserialize;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which hunts to compare.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders of `prazo lab hunt`
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
    /// Compare only the first boots, so many of each hunt
    #[arg(long, value_name = "COUNT", default_value_t = 16)]
    boots: usize,
}

impl Args {
    /// Reads the hunts and prints the tables as Markdown.
    pub(crate) fn run(self) -> Result<(), String> {
        let mut methods = Methods::default();
        for folder in &self.folders {
            let hunt = Hunt::read(folder, self.boots)?;
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
struct Request {
    method: String,
    seed: u64,
}

/// A line of the folder's `boots.jsonl`. A test of the cause has no number.
#[derive(Deserialize)]
struct Boot {
    number: Option<usize>,
    outcome: Option<Outcome>,
}

#[derive(Deserialize)]
struct Outcome {
    latency_ns: Option<i64>,
}

/// The largest latency of each boot, in nanoseconds; `None` for a boot that failed.
struct Hunt {
    method: String,
    seed: u64,
    boots: Vec<Option<i64>>,
}

impl Hunt {
    fn read(folder: &Path, count: usize) -> Result<Self, String> {
        let read = |name: &str| {
            let file = folder.join(name);
            std::fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))
        };
        let broken = |error: serde_json::Error| format!("{} holds no hunt: {error}", folder.display());
        let Request { method, seed } = serde_json::from_str(&read("hunt.json")?).map_err(broken)?;
        let mut boots = BTreeMap::new();
        for line in read("boots.jsonl")?.lines() {
            let boot: Boot = serde_json::from_str(line).map_err(broken)?;
            if let (Some(number), Some(outcome)) = (boot.number, boot.outcome) {
                boots.insert(number, outcome.latency_ns);
            }
        }
        if !boots.keys().copied().take(count).eq(0..count) {
            let made = counted(boots.len() as u64, "boot");
            return Err(format!("{} has {made}; {count} are compared (--boots)", folder.display()));
        }
        Ok(Self { method, seed, boots: boots.into_values().take(count).collect() })
    }

    /// The largest latency, and the number of the boot that was the first to have it, from 1; 0 if all boots failed.
    fn largest(&self) -> (i64, usize) {
        let most = self.boots.iter().flatten().copied().max().unwrap_or(0);
        (most, self.boots.iter().position(|boot| *boot == Some(most)).map_or(0, |place| place + 1))
    }

    /// Mean of the second half's boots.
    fn later_mean(&self) -> f64 {
        let later: Vec<i64> = self.boots[self.boots.len() / 2..].iter().flatten().copied().collect();
        later.iter().sum::<i64>() as f64 / later.len().max(1) as f64
    }
}

/// Hunts by method and seed.
#[derive(Default)]
struct Methods(BTreeMap<String, BTreeMap<u64, Hunt>>);

impl Methods {
    fn markdown(&self, boots: usize) -> String {
        let mut text = format!(
            "| method | repetitions | largest latency, µs: median (smallest to largest) | found by boot, median | mean of boots {} to {boots}, µs, median | failed boots |\n|---|---|---|---|---|---|\n",
            boots / 2 + 1
        );
        for (method, hunts) in &self.0 {
            let all = |of: &dyn Fn(&Hunt) -> f64| Spread::of(hunts.values().map(of).collect());
            let largest = all(&|hunt| hunt.largest().0 as f64 / 1e3);
            let found = all(&|hunt| hunt.largest().1 as f64);
            let later = all(&|hunt| hunt.later_mean() / 1e3);
            let failed: usize =
                hunts.values().map(|hunt| hunt.boots.iter().filter(|boot| boot.is_none()).count()).sum();
            text += &format!(
                "| {method} | {} | {:.0} ({:.0} to {:.0}) | {} | {:.0} | {failed} |\n",
                hunts.len(),
                largest.median,
                largest.least,
                largest.most,
                found.median,
                later.median
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
            match hunt.largest().0.cmp(&other.largest().0) {
                Ordering::Greater => larger += 1,
                Ordering::Equal => equal += 1,
                Ordering::Less => smaller += 1,
            }
            later += usize::from(hunt.later_mean() > other.later_mean());
        }
        let pairs = larger + equal + smaller;
        format!(
            "\n{one} against {other}, {}: larger in {larger}, equal in {equal}, smaller in {smaller}; larger mean of the later boots in {later}.\n",
            counted(pairs as u64, "seed")
        )
    }
}

/// Median, smallest and largest value.
struct Spread {
    median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    /// Of at least one value.
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let (middle, last) = (values.len() / 2, values.len() - 1);
        let median = if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
        Self { median, least: values[0], most: values[last] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(place: &Path, method: &str, seed: u64, boots: &[i64]) -> PathBuf {
        let folder = place.join(format!("{method}-{seed}"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("hunt.json"), format!(r#"{{"method": "{method}", "seed": {seed}}}"#)).unwrap();
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
            let hunt = Hunt::read(&folder(place.path(), method, seed, &boots), 4).unwrap();
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
        assert!(Hunt::read(&short, 3).err().unwrap().contains("has 2 boots; 3 are compared"));
        assert!(Hunt::read(&place.path().join("none"), 3).err().unwrap().contains("cannot read"));
    }
}
