//! `cargo xtask kernel overheads`: what the kernel costs by number of threads, as Vitor 2013 section IV measures it.
//!
//! ```text
//! shapes x threads x seeds ─► boots (kept as consoles) ─► samples ─► a run file each ─► Overheads tables, every figure
//! ```
//! The paper ran each set a hundred times. Under counted time a run repeats to the last instruction, so a repetition here
//! is another seed: other periods and other offsets.

mod bench;
mod boots;
mod figures;
mod measured;
mod piece;
mod run_file;
mod table;

use super::session::emulator;
use bench::Bench;
use measured::MeasuredThreads;
use piece::{BootKind, Lengths, Piece};
use prazo_core::time::Duration;
use prazo_lab::Emulator;
use prazo_stats::overheads::Statistic;
use run_file::Source;
use std::path::{Path, PathBuf};

/// What to measure.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  cargo xtask kernel overheads --out overheads                 as Vitor 2013: 100 seeds, 5 to 125 threads, four shapes
  cargo xtask kernel overheads --shape single-edf --threads 5,125 --seeds 2 --out quick
  prazo report overheads/clustered-edf-125.prazo
  prazo sched test scenarios/with-overheads.toml --overheads overheads/single-edf.max.toml")]
pub(super) struct Args {
    /// Policies and shapes: the kernel's features
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[arg(default_value = "single-edf,partitioned-edf,clustered-edf,global-edf")]
    shape: Vec<String>,
    /// Numbers of threads, ascending
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "5,15,25,50,75,100,125")]
    threads: Vec<u32>,
    /// How many seeds: repetitions with other periods and offsets
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    seeds: u32,
    /// How long a repetition lasts, in the kernel's time
    #[arg(long, value_name = "TIME", default_value = "1s")]
    duration: Duration,
    /// Distance of two ticks, where the cost of a tick is measured
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    tick: Duration,
    /// Also boot under the host's clock, for interrupts between processors; wants an idle host
    #[arg(long)]
    free_running: bool,
    /// How many guests run at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 2)]
    at_once: usize,
    /// Wall time after which a boot is given up
    #[arg(long, value_name = "TIME", default_value = "5m")]
    limit: Duration,
    /// Folder for run files and tables; boots that lie there already are not made again
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
}

impl Args {
    /// Makes what is missing, and writes everything anew from what is there.
    pub(super) fn run(self) -> Result<(), String> {
        self.check()?;
        let consoles = self.out.join("boots");
        std::fs::create_dir_all(&consoles).map_err(|error| format!("cannot make {}: {error}", consoles.display()))?;
        let emulator = emulator().map_err(|error| error.to_string())?;
        let benches: Vec<Bench> =
            self.shape.iter().map(|shape| self.bench(shape, &consoles)).collect::<Result<_, _>>()?;
        let due: Vec<boots::Due<'_>> = self.due(&benches).collect();
        boots::make(&due, &emulator, self.at_once)?;
        let texts = benches.iter().map(|bench| self.write(bench, &emulator)).collect::<Result<String, _>>()?;
        keep(
            &self.out.join("measured.toml"),
            &format!("# Written by `cargo xtask kernel overheads`.\n\n{}", texts.trim_end()),
        )
    }

    fn check(&self) -> Result<(), String> {
        let ascends = self.threads.is_sorted_by(|a, b| a < b) && self.threads.first().is_some_and(|first| *first >= 2);
        if !ascends {
            return Err("--threads: name numbers from 2 on, each larger than the one before".into());
        }
        if self.seeds == 0 || self.duration < Duration::from_ms(1) || self.tick < Duration::from_us(1) {
            return Err("--seeds is at least 1, --duration at least 1ms, --tick at least 1us".into());
        }
        Ok(())
    }

    fn bench(&self, shape: &str, consoles: &Path) -> Result<Bench, String> {
        let lengths = Lengths { duration_ms: self.duration.as_ns() / 1_000_000, tick_us: self.tick.as_ns() / 1_000 };
        Bench::new(shape, consoles, lengths, std::time::Duration::from_nanos(self.limit.as_ns()))
    }

    /// Round by round over shapes and threads, so that what is there early says something about all.
    fn due<'a>(&'a self, benches: &'a [Bench]) -> impl Iterator<Item = boots::Due<'a>> {
        let of = |bench: &'a Bench| {
            self.threads.iter().flat_map(move |n| self.pieces(bench, *n)).map(move |one| (bench, one))
        };
        let mut due: Vec<boots::Due<'a>> = benches.iter().flat_map(of).collect();
        due.sort_by_key(|(_, piece)| piece.seed);
        due.into_iter()
    }

    /// One processor interrupts no other: nothing to be measured under the host's clock.
    fn pieces(&self, bench: &Bench, threads: u32) -> Vec<Piece> {
        Piece::all(threads, self.seeds, self.free_running && bench.processors() > 1)
    }

    /// The run files and tables of one kernel; its figures as text.
    fn write(&self, bench: &Bench, emulator: &Emulator) -> Result<String, String> {
        let command = self.command(bench);
        let source = Source { bench, emulator, command: &command, seeds: self.seeds };
        let mut all = Vec::new();
        for threads in &self.threads {
            let measured = MeasuredThreads::read(bench, *threads, &self.pieces(bench, *threads), emulator)?;
            run_file::write(&source, &measured, &self.out.join(format!("{}-{threads}.prazo", bench.shape)))?;
            all.push(measured);
        }
        let origin = table::origin(bench, emulator, BootKind::OneShot);
        for statistic in Statistic::ALL {
            let file = self.out.join(format!("{}.{}.toml", bench.shape, statistic.name()));
            keep(&file, &table::overheads(bench, &origin, &all, statistic))?;
        }
        Ok(table::figures(bench, emulator, &all))
    }

    fn command(&self, bench: &Bench) -> String {
        let threads: Vec<String> = self.threads.iter().map(u32::to_string).collect();
        let (shape, threads, seeds) = (&bench.shape, threads.join(","), self.seeds);
        let free_running = if self.free_running { " --free-running" } else { "" };
        let lengths = format!("--duration {} --tick {}", self.duration, self.tick);
        format!(
            "cargo xtask kernel overheads --shape {shape} --threads {threads} --seeds {seeds} {lengths}{free_running} --out overheads"
        )
    }
}

fn keep(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}
