//! The loads alone: what there are, and some of them for a while.

use crate::error::Error;
use crate::progress::{Progress, Remark};
use prazo_core::text::printable;
use prazo_core::time::Duration;
use prazo_load::{self as load, LoadState, Loads, Options};
use prazo_probe::StopFlag;
use prazo_report::view::loads;
use prazo_run::Caveat;
use prazo_run::plan::LoadPlan;
use prazo_run::run::LoadRecord;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::time::Instant;

/// Which loads disturb this machine, and for how long.
#[derive(Clone, Debug)]
pub struct LoadsRequest {
    /// The loads; at least one.
    pub loads: Vec<LoadPlan>,
    /// Seeds their rhythms.
    pub seed: u64,
    /// How long.
    pub duration: Duration,
}

/// Result of the loads, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct LoadsAnswer {
    /// Loads, with the rates that they reached.
    pub loads: Vec<LoadRecord>,
    /// Threats to the validity of a run under these loads.
    pub caveats: Vec<Caveat>,
}

/// One load of the catalogue, as `--list --json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct ListedLoad {
    /// Name of the load, for `--load`.
    pub name: &'static str,
    /// How the load disturbs the system, in words.
    pub disturbs: &'static str,
    /// Unit of the load's rate, as in `--load NAME=RATE`.
    pub unit: &'static str,
    /// Paper or tool from which the load is taken.
    pub source: &'static str,
    /// Foreign programs that the load needs; empty where prazo's own generator makes the load.
    pub programs: Vec<&'static str>,
    /// For a load of foreign programs: prazo's own load that makes the same disturbance.
    pub peer: Option<&'static str>,
}

/// For a load of foreign programs, the line names the programs and the load of prazo's own that does the same.
impl fmt::Display for ListedLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.peer {
            None => write!(f, "{:<18} {} ({}) [{}]", self.name, self.disturbs, self.unit, self.source),
            Some(peer) => {
                write!(
                    f,
                    "{:<18} same disturbance as {peer}, made by foreign programs: {}",
                    self.name,
                    self.programs.join(", ")
                )
            }
        }
    }
}

/// The loads of the catalogue.
pub fn list() -> Vec<ListedLoad> {
    let listed = |kind: &'static load::LoadKind| ListedLoad {
        name: kind.name,
        disturbs: kind.disturbs,
        unit: kind.unit(),
        source: kind.source,
        programs: kind.programs.iter().map(|program| program.name).collect(),
        peer: kind.peer,
    };
    load::catalogue().map(listed).collect()
}

/// Runs loads until their time is over or the caller wants to stop. Which are on is a remark, at each change.
///
/// # Errors
/// No load is named, one is unknown or cannot have its rate, or one cannot be started here.
pub fn run(request: &LoadsRequest, progress: &mut dyn Progress) -> Result<LoadsAnswer, Error> {
    if request.loads.is_empty() {
        return Err(Error::refused("no load is named").with_remedy("name one with --load NAME; --list shows all loads"));
    }
    let stop = progress.stop().map_err(Error::failed)?;
    let mut running = load::start_unless(&request.loads, request.seed, &Options::default(), &|| stop.is_set())?;
    follow(&mut running, request.duration, &stop, progress);
    let (loads, caveats) = running.stop();
    Ok(LoadsAnswer { loads, caveats })
}

fn follow(loads: &mut Loads, length: Duration, stop: &StopFlag, progress: &mut dyn Progress) {
    let begun = Instant::now();
    let length = std::time::Duration::from_nanos(length.as_ns());
    let mut last = String::new();
    while begun.elapsed() < length && !stop.is_set() {
        let states = loads.poll();
        let states: Vec<_> = states.iter().map(|one| format!("{} {}", one.name, in_words(&one.state))).collect();
        let line = states.join(", ");
        if line != last {
            progress.remark(&Remark::Text(format!("{:>4} s  {line}", begun.elapsed().as_secs())));
            last = line;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

fn in_words(state: &LoadState) -> String {
    match state {
        LoadState::On => "on".into(),
        LoadState::Resting => "paused".into(),
        LoadState::Died(why) => format!("died ({why})"),
    }
}

/// The lines that a person reads.
impl fmt::Display for LoadsAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loads = self.loads.iter().map(|load| {
            let figure = |rate: Option<f64>, none: &str| rate.map_or_else(|| none.to_owned(), loads::figure);
            let on: f64 = load.on_s.iter().map(|(from, to)| to - from).sum();
            format!(
                "{:<18} requested {:>9}, reached {:>9} {} while running for {on:.1} s; {}; {}",
                load.name,
                figure(load.asked, "as much as possible"),
                figure(load.reached, "unknown"),
                load.unit,
                load.contained,
                load.note
            )
        });
        let caveats = self.caveats.iter().map(|caveat| format!("! {}: {}; {}", caveat.id, caveat.what, caveat.remedy));
        let lines: Vec<String> = loads.chain(caveats).map(|line| printable(&line).to_string()).collect();
        f.write_str(&lines.join("\n"))
    }
}
