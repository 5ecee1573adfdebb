//! The two programs that are compared: how each is started, and where its latencies are read.

use super::{Figures, watch};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What both run alike.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    /// Activations.
    pub loops: u64,
    /// Period in microseconds.
    pub period_us: u64,
    /// The processor.
    pub cpu: u32,
}

/// A program that measures timer latency.
#[derive(Clone, Copy)]
pub(super) enum Contestant {
    /// This project's.
    Prazo,
    /// rt-tests'.
    Cyclictest,
}

impl Contestant {
    /// Runs it once and watches it. Errors name the program and what came back.
    pub(super) fn measure(self, settings: Settings) -> Result<Figures, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("cannot make a folder for the results: {error}"))?;
        let mut command = self.command(settings, folder.path());
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
        let length = Duration::from_micros(settings.loops * settings.period_us);
        let watched = watch::watch(&child, length / 4 + Duration::from_millis(700), length / 2);
        let output = child.wait_with_output().map_err(|error| format!("lost {:?}: {error}", command.get_program()))?;
        let used = watched?;
        let (min_ns, median_ns) = self.latencies(&output.stdout, folder.path())?;
        Ok(Figures {
            cpu_ns_per_activation: used.cpu_ns as f64 / used.voluntary_switches as f64,
            switches_per_activation: used.voluntary_switches as f64 / (length / 2).as_micros() as f64
                * settings.period_us as f64,
            faults: used.faults,
            median_ns,
            min_ns,
        })
    }

    fn command(self, settings: Settings, folder: &Path) -> Command {
        let Settings { loops, period_us, cpu } = settings;
        let words = match self {
            Self::Prazo => format!(
                "measure timer --policy fifo --priority 95 --cpus {cpu} --period {period_us}us --count {loops} --warm-up 0s --json -o {}",
                folder.join("run.prazo").display()
            ),
            Self::Cyclictest => format!(
                "-m -p95 -t1 -a{cpu} -i{period_us} -l{loops} -q -N -h 2000000 --json={}",
                folder.join("run.json").display()
            ),
        };
        let mut command = match self {
            Self::Prazo => Command::new("target/release/prazo"),
            Self::Cyclictest => Command::new("cyclictest"),
        };
        command.args(words.split(' '));
        command
    }

    /// Smallest and median latency in nanoseconds.
    fn latencies(self, stdout: &[u8], folder: &Path) -> Result<(f64, f64), String> {
        match self {
            Self::Prazo => of_prazo(&parse(stdout)?),
            Self::Cyclictest => {
                let file = folder.join("run.json");
                of_cyclictest(&parse(
                    &std::fs::read(&file).map_err(|error| format!("no {}: {error}", file.display()))?,
                )?)
            }
        }
    }
}

fn parse(text: &[u8]) -> Result<serde_json::Value, String> {
    serde_json::from_slice(text).map_err(|error| format!("unreadable JSON: {error}: {}", String::from_utf8_lossy(text)))
}

fn of_prazo(run: &serde_json::Value) -> Result<(f64, f64), String> {
    let cpu = &run["cpus"][0];
    let median = cpu["quantiles"].as_array().and_then(|list| list.iter().find(|q| q["q"].as_f64() == Some(0.5)));
    let median = median.and_then(|q| q["value_ns"].as_f64()).ok_or("prazo's JSON has no median")?;
    Ok((cpu["min_ns"].as_f64().ok_or("prazo's JSON has no minimum")?, median))
}

fn of_cyclictest(run: &serde_json::Value) -> Result<(f64, f64), String> {
    let thread = &run["thread"]["0"];
    let cells = thread["histogram"].as_object().ok_or("cyclictest's JSON has no histogram")?;
    let mut cells: Vec<(u64, u64)> =
        cells.iter().filter_map(|(value, count)| Some((value.parse().ok()?, count.as_u64()?))).collect();
    cells.sort_unstable();
    let half = thread["cycles"].as_u64().ok_or("cyclictest's JSON has no cycles")?.div_ceil(2);
    let mut seen = 0;
    let median = cells.iter().find(|(_, count)| {
        seen += count;
        seen >= half
    });
    let median = median.ok_or("the median lies beyond cyclictest's histogram")?.0;
    Ok((thread["min"].as_f64().unwrap_or(f64::NAN), median as f64))
}
