//! `prazo load`: the loads alone.

use crate::exit::{Exit, Failure};
use crate::flags::load::LoadFlags;
use crate::out;
use prazo_core::time::Duration;
use prazo_probe::StopFlag;
use prazo_probe::load::{self, LoadError, LoadState, Loads, Options};
use prazo_run::Caveat;
use prazo_run::run::LoadRecord;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Instant;

/// The loads alone.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo load --list
  prazo load --load udp-flood=50000 --load compile --for 1m
  prazo load --load disk-write --cycle 30s --for 10m --json")]
pub(super) struct Args {
    #[command(flatten)]
    loads: LoadFlags,
    /// How long
    #[arg(long = "for", value_name = "TIME", default_value = "30s")]
    length: Duration,
    /// Name the loads there are, with what they disturb and where they are from
    #[arg(long)]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What the loads did, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Done {
    /// The loads with the rates they reached.
    loads: Vec<LoadRecord>,
    /// What threatens the validity of a run under them.
    caveats: Vec<Caveat>,
}

/// One load of the catalogue, as `--list --json` prints it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Listed {
    /// What `--load` calls it.
    name: &'static str,
    /// What it disturbs.
    disturbs: &'static str,
    /// Where it is from.
    source: &'static str,
}

impl Args {
    /// Lists the loads, or runs some.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if self.list { list(self.json) } else { self.disturb() }
    }

    fn disturb(&self) -> Result<Exit, Failure> {
        if self.loads.loads.is_empty() {
            return Err(Failure::usage("no load is named; give --load NAME, or --list to see them"));
        }
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let loads = load::start(&self.loads.plans(), self.loads.seed, &Options::default()).map_err(refused)?;
        let (loads, caveats) = watch(loads, self.length, stop);
        let done = Done { loads, caveats };
        if self.json {
            out::json(&done)?;
        } else {
            print(&done)?;
        }
        Ok(Exit::Pass)
    }
}

/// A load that cannot be as it was asked for is the user's, any other refusal the world's.
fn refused(error: LoadError) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::world(error) }
}

/// Shows once a second which loads are on, and ends them when their time is over or the user wants.
fn watch(mut loads: Loads, length: Duration, stop: &StopFlag) -> (Vec<LoadRecord>, Vec<Caveat>) {
    let begun = Instant::now();
    let length = std::time::Duration::from_nanos(length.as_ns());
    let mut last = String::new();
    while begun.elapsed() < length && !stop.is_set() {
        let line = loads
            .poll()
            .iter()
            .map(|status| format!("{} {}", status.name, told(&status.state)))
            .collect::<Vec<_>>()
            .join(", ");
        if line != last {
            out::note(format_args!("{:>4} s  {line}", begun.elapsed().as_secs()));
            last = line;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    loads.stop()
}

fn told(state: &LoadState) -> String {
    match state {
        LoadState::On => "on".into(),
        LoadState::Resting => "resting".into(),
        LoadState::Died(why) => format!("died ({why})"),
    }
}

fn print(done: &Done) -> Result<(), Failure> {
    for load in &done.loads {
        let figure = |rate: Option<f64>| rate.map_or_else(|| "-".into(), |rate| format!("{rate:.0}"));
        let on: f64 = load.on_s.iter().map(|(from, to)| to - from).sum();
        out::text_line(&format!(
            "{:<18} asked {:>9}, reached {:>9} {} over {on:.1} s on; {}; {}",
            load.name,
            figure(load.asked),
            figure(load.reached),
            load.unit,
            load.contained,
            load.note
        ))?;
    }
    done.caveats
        .iter()
        .try_for_each(|caveat| out::text_line(&format!("! {}: {} {}", caveat.id, caveat.what, caveat.remedy)))
}

fn list(json: bool) -> Result<Exit, Failure> {
    let listed: Vec<Listed> = load::catalogue()
        .iter()
        .map(|kind| Listed { name: kind.name, disturbs: kind.disturbs, source: kind.source })
        .collect();
    if json {
        out::json(&listed)?;
    } else {
        listed
            .iter()
            .try_for_each(|one| out::text_line(&format!("{:<18} {} [{}]", one.name, one.disturbs, one.source)))?;
    }
    Ok(Exit::Pass)
}
