//! `prazo lab explain`: why the worst activations of a run were late, function by function.

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::out;
use prazo::Progress;
use prazo::guest::GuestOptions;
use prazo::lab::explain::debug::{DebugRequest, stop_at_due};
use prazo::lab::explain::{ExplainRequest, LabRun, explain};
use std::io::IsTerminal;
use std::path::PathBuf;

/// What to explain.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure timer --platform lab:rt-full -D 10s -o run.prazo
  prazo lab explain run.prazo                 the worst activation
  prazo lab explain run.prazo --worst 5 --path
  prazo lab explain run.prazo --profile       where the time of all activations goes
  prazo lab explain run.prazo -o calls.svg -o trace.json
  prazo lab explain rt.prazo --against standard.prazo -o calls.svg
  prazo lab explain run.prazo --json
  prazo lab explain run.prazo --debug         gdb where the worst activation was due

The run's guest is booted twice more with a plugin that watches it from outside,
and a third time with --profile. Each boot must repeat the run's samples;
otherwise there is no answer.")]
pub(crate) struct Args {
    /// Run file that was measured in the lab
    run: PathBuf,
    /// Also explain this run, and compare its worst activation with that of the first run
    #[arg(long, value_name = "RUN2")]
    against: Option<PathBuf>,
    /// Number of worst activations to explain
    #[arg(long, value_name = "N", default_value_t = 1)]
    worst: usize,
    /// Also profile all activations of the run: how much time each phase and each function takes
    #[arg(long)]
    profile: bool,
    /// Also print the path of function calls in each explained activation
    #[arg(long)]
    path: bool,
    /// With --path, omit calls that executed fewer instructions than this
    #[arg(long, value_name = "N", default_value_t = 20, requires = "path")]
    path_least: u64,
    /// Also write a trace for Perfetto (.json), or a chart of the worst activation of each run (.svg)
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Instead of an explanation, stop a replay of the boot where an activation was due, and debug it with gdb; ACTIVATION is the
    /// number of one of the run's worst activations, or of any one of a Xenomai run, by default the worst one
    #[arg(long, value_name = "ACTIVATION", conflicts_with_all = ["against", "worst", "profile", "path", "output", "json"])]
    debug: Option<Option<u64>>,
    /// Platform of the run, written lab:FILE.toml; needed only if a TOML file defines it
    #[arg(long, value_name = "PLATFORM")]
    platform: Option<String>,
    /// Platform of the run of --against, written lab:FILE.toml; needed only if a TOML file defines it
    #[arg(long, value_name = "PLATFORM", requires = "against")]
    against_platform: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let lab_run = |file: &PathBuf, platform: &Option<String>| -> Result<LabRun, Failure> {
            let platform = GuestOptions { platform: platform.clone(), ..GuestOptions::default() }.resolve()?;
            Ok(LabRun { file: file.clone(), platform })
        };
        let against = self.against.as_ref().map(|file| lab_run(file, &self.against_platform)).transpose()?;
        let run = lab_run(&self.run, &self.platform)?;
        if let Some(activation) = self.debug {
            return debug(&DebugRequest { run, activation });
        }
        let path_least = self.path.then_some(self.path_least);
        let outputs = self.output.clone();
        let (worst, profile) = (self.worst, self.profile);
        let request = ExplainRequest { run, against, names: None, worst, profile, path_least, outputs };
        let explanation = explain(&request, &mut Console::default())?;
        if self.json {
            out::json(&explanation.document)?;
        } else {
            out::words(&explanation)?;
        }
        Ok(Exit::Pass)
    }
}

/// Stops the replay, then runs gdb where there is a terminal for it, or waits for one that attaches.
fn debug(request: &DebugRequest) -> Result<Exit, Failure> {
    let mut session = stop_at_due(request, &mut Console::default())?;
    out::text(&session.to_string())?;
    if std::io::stdin().is_terminal() {
        if session.run_gdb()? {
            return Ok(Exit::Pass);
        }
        out::text("gdb is not installed.\n")?;
    }
    out::text(&format!("{}\n", session.how_to_attach()))?;
    let stop = Console::default().stop().map_err(Failure::world)?;
    session.wait(&|| stop.is_set());
    Ok(Exit::Pass)
}
