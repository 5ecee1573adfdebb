//! `cargo xtask split-cost`: what splitting adds to a wake-up, in instructions, counted in the lab.
//!
//! The same plan with the same seed is run three times in each guest: whole, split into parts, and with causes. A guest's time
//! is counted, so a latency is a number of instructions, and the difference of two runs is what the split's programs, their
//! helpers and the kernel's way into them take, exactly. A loaded guest takes another trajectory each time, so that its
//! difference has the load's spread in it.

use crate::overheads_cost::instruction_ns;
use prazo_run::store;
use prazo_stats::Latencies;
use prazo_stats::level::Level;
use std::path::Path;
use std::process::{Command, Stdio};

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The lab's platforms
    #[arg(long, value_name = "LAB:NAME", default_values = ["lab:standard-none", "lab:rt-full"])]
    platform: Vec<String>,
    /// A load beside the idle guest
    #[arg(long, value_name = "NAME", default_value = "scheduler")]
    load: String,
    /// Activations of each run, at 1 kHz
    #[arg(long, default_value_t = 2_000)]
    count: u64,
    /// The seed of plan and guest
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// How a run is split, as `prazo measure timer` is told.
const WAYS: [(&str, Option<&str>); 3] =
    [("whole", None), ("parts", Some("--split=parts")), ("causes", Some("--split=causes"))];

/// What one run showed, in instructions.
struct Figures {
    count: u64,
    median: f64,
    mean: f64,
    /// The measuring thread's own, from one switch to it to the next.
    thread: f64,
}

impl Args {
    /// Boots the guests and prints the table.
    pub(crate) fn run(self) -> Result<(), String> {
        println!("instructions of a wake-up, from the programmed expiry to the task's own stamp; what splitting adds");
        println!("{HEAD}");
        for platform in &self.platform {
            for load in [None, Some(self.load.as_str())] {
                self.compare(platform, load)?;
            }
        }
        Ok(())
    }

    fn compare(&self, platform: &str, load: Option<&str>) -> Result<(), String> {
        let mut whole: Option<Figures> = None;
        for (way, flag) in WAYS {
            let figures = self.measure(platform, load, flag)?;
            println!("{}", line(platform, load.unwrap_or("idle"), way, &figures, whole.as_ref()));
            whole.get_or_insert(figures);
        }
        Ok(())
    }

    fn measure(&self, platform: &str, load: Option<&str>, flag: Option<&str>) -> Result<Figures, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("cannot make a folder for the results: {error}"))?;
        let file = folder.path().join("run.prazo");
        let words = format!(
            "measure timer --platform {platform} --count {} --warm-up 0s --lead-in 0s --seed {} -o {}",
            self.count,
            self.seed,
            file.display()
        );
        let load = load.map(|name| ["--load", name]);
        let mut command = Command::new("target/debug/prazo");
        command.args(words.split(' ')).args(flag).args(load.iter().flatten());
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
        if !output.status.success() {
            return Err(format!("{words}: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        of_run(&file, flag.is_some())
    }
}

/// The figures of a counted run; an error where it was not split as asked.
fn of_run(file: &Path, is_split: bool) -> Result<Figures, String> {
    let run = store::open(file).map_err(|error| error.to_string())?;
    let instruction_ns = instruction_ns(&run)?;
    let series = run.series.first().ok_or("the run has no series")?;
    if let Some(why) = run.caveats.iter().find(|caveat| caveat.id == "not-split") {
        return Err(format!("{}; {}", why.what, why.remedy));
    }
    if is_split != series.split.is_some() {
        return Err("the run was not split as it was asked to be".into());
    }
    let latencies = Latencies::of(std::slice::from_ref(&run), series.quantity);
    let (median_ns, mean_ns) =
        latencies.quantile_ns(Level::nines(2)).zip(latencies.mean_ns()).ok_or("the run has too few samples")?;
    Ok(Figures {
        count: latencies.count(),
        median: median_ns as f64 / instruction_ns,
        mean: mean_ns / instruction_ns,
        thread: run.probe_cost.ok_or("the run does not say what measuring cost")?.as_ns() as f64 / instruction_ns,
    })
}

const HEAD: &str = "platform                load       split    count   median     mean  added to median  added to mean  \
                    own thread    added";

fn line(platform: &str, load: &str, way: &str, of: &Figures, whole: Option<&Figures>) -> String {
    let added = |now: f64, before: fn(&Figures) -> f64| {
        let before = whole.map_or(now, before);
        format!("{:.0} ({:.1} %)", now - before, (now - before) / before * 100.0)
    };
    format!(
        "{platform:<23} {load:<10} {way:<7} {:>6} {:>8.0} {:>8.0} {:>16} {:>14} {:>11.0} {:>14}",
        of.count,
        of.median,
        of.mean,
        added(of.median, |whole| whole.median),
        added(of.mean, |whole| whole.mean),
        of.thread,
        added(of.thread, |whole| whole.thread)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_told_in_instructions_and_as_a_share_of_the_whole() {
        let figures = |median: f64| Figures { count: 2_000, median, mean: median, thread: 1_000.0 };
        let caveat = line("lab:rt-full", "idle", "parts", &figures(1_187.0), Some(&figures(1_000.0)));
        assert!(caveat.contains("187 (18.7 %)") && caveat.contains("0 (0.0 %)"), "{caveat}");
    }
}
