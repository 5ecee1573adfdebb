//! `cargo xtask overheads-cost`: what tracing overheads adds to a job's way, in instructions, counted in the lab.
//!
//! The same tasks with the same seed run untraced and with the programs of each pass. A guest's time is counted, so a latency is a
//! number of instructions, and the difference is what the programs, their helpers and the kernel's way into them take together. What
//! of it lies inside a pair is the stamp's own cost, which each run tells.

use prazo_run::run::Quantity;
use prazo_run::{Run, store};
use prazo_stats::Latencies;
use prazo_stats::level::Level;
use std::path::Path;
use std::process::{Command, Stdio};

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The lab's platforms
    #[arg(long, value_name = "LAB:NAME", default_values = ["lab:standard-full", "lab:rt-full"])]
    platform: Vec<String>,
    /// How many tasks
    #[arg(long, default_value_t = 5)]
    tasks: u32,
    /// How long each run lasts, in the guest's time
    #[arg(long, default_value = "2s")]
    duration: String,
    /// The seed of tasks and guest
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What is traced in each run, as `prazo measure overheads` is told.
const WAYS: [(&str, &str); 5] = [
    ("untraced", "--untraced"),
    ("release, event", "--kinds=release,event"),
    ("scheduling", "--kinds=scheduling"),
    ("switch", "--kinds=switch"),
    ("tick", "--kinds=tick"),
];

/// What one run showed, in instructions.
struct Figures {
    count: u64,
    median: f64,
    mean: f64,
}

impl Args {
    /// Boots the guests and prints the table.
    pub(crate) fn run(self) -> Result<(), String> {
        println!("instructions of a job's way, from the instant when it was due to its own stamp; what tracing adds");
        println!(
            "platform                policy    traced               count   median     mean  added to median  added to mean"
        );
        for platform in &self.platform {
            for policy in ["deadline", "fifo"] {
                self.compare(platform, policy)?;
            }
        }
        Ok(())
    }

    fn compare(&self, platform: &str, policy: &str) -> Result<(), String> {
        let mut untraced: Option<Figures> = None;
        for (way, flag) in WAYS {
            let figures = self.measure(platform, policy, flag)?;
            println!("{platform:<23} {policy:<9} {}", line(way, &figures, untraced.as_ref()));
            untraced.get_or_insert(figures);
        }
        Ok(())
    }

    fn measure(&self, platform: &str, policy: &str, flag: &str) -> Result<Figures, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("cannot make a folder for the results: {error}"))?;
        let Self { tasks, duration, seed, .. } = self;
        let words = format!(
            "measure overheads --platform {platform} --policy {policy} --tasks {tasks} -D {duration} --seed {seed} {flag} -o {}",
            folder.path().display()
        );
        let mut command = Command::new("target/debug/prazo");
        let output = command.args(words.split(' ')).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
        if !output.status.success() {
            return Err(format!("{words}: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        of_run(&folder.path().join(format!("{policy}-{tasks}.prazo")))
    }
}

fn of_run(file: &Path) -> Result<Figures, String> {
    let run = store::open(file).map_err(|error| error.to_string())?;
    let instruction_ns = instruction_ns(&run)?;
    let latencies = Latencies::of(std::slice::from_ref(&run), Quantity::ResponseLatency);
    let (median_ns, mean_ns) =
        latencies.quantile_ns(Level::nines(2)).zip(latencies.mean_ns()).ok_or("the run has too few jobs")?;
    let (count, mean) = (latencies.count(), mean_ns / instruction_ns);
    Ok(Figures { count, median: median_ns as f64 / instruction_ns, mean })
}

/// What an instruction of a guest takes.
pub(crate) fn instruction_ns(run: &Run) -> Result<f64, String> {
    let shift = run.platform_before.as_ref().and_then(|platform| platform.get("lab.shift"));
    let shift: u32 = shift.and_then(|text| text.parse().ok()).ok_or("the platform's time is not counted")?;
    Ok(f64::from(1u32 << shift))
}

fn line(way: &str, of: &Figures, untraced: Option<&Figures>) -> String {
    let added = |now: f64, before: f64| format!("{:.0} ({:.1} %)", now - before, (now - before) / before * 100.0);
    let Figures { count, median, mean } = of;
    let of = untraced.unwrap_or(of);
    let (to_median, to_mean) = (added(*median, of.median), added(*mean, of.mean));
    format!("{way:<18} {count:>7} {median:>8.0} {mean:>8.0} {to_median:>16} {to_mean:>14}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_told_in_instructions_and_as_a_share() {
        let figures = |median: f64| Figures { count: 2_000, median, mean: median };
        let row = line("tick", &figures(1_187.0), Some(&figures(1_000.0)));
        assert!(row.contains("187 (18.7 %)"), "{row}");
        assert!(line("untraced", &figures(1_000.0), None).contains("0 (0.0 %)"));
    }
}
