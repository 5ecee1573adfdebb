//! A set whose tasks are placed already, run as `prazo sched run FILE` runs it, for other commands.

use super::{Args, RunSet};
use crate::exit::Failure;
use crate::flags::cpus::CpuOrder;
use clap::Parser;
use prazo_core::time::Duration;
use std::ffi::OsString;
use std::path::PathBuf;

/// Which set, and where its traces go.
pub struct Placed {
    /// The scenario, with clusters, policy and overheads in it.
    pub file: PathBuf,
    /// The processors in the order in which the clusters take them.
    pub cpus: CpuOrder,
    /// How long jobs are released.
    pub length: Duration,
    /// The run file.
    pub out: PathBuf,
    /// The schedule as a chart.
    pub gantt: PathBuf,
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

impl Placed {
    /// Runs it on this machine.
    pub fn observe(&self) -> Result<RunSet, Failure> {
        let words: [OsString; 10] = [
            "run".into(),
            self.file.clone().into(),
            "--cpus".into(),
            self.cpus.to_string().into(),
            "-D".into(),
            format!("{}ns", self.length.as_ns()).into(),
            "-o".into(),
            self.out.clone().into(),
            "--gantt".into(),
            self.gantt.clone().into(),
        ];
        let line = Line::try_parse_from(words).map_err(Failure::usage)?;
        line.args.observed_set(&self.file, &line.args.flags()?).map(|(set, _)| set)
    }
}
