//! `prazo sched watch`: the deployed tasks, job by job, next to their proven bounds.

mod view;

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::sched::{self, WatchRequest};
use prazo_core::time::Duration;
use std::net::SocketAddr;
use view::View;

/// Watch the deployed tasks, job by job
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched watch                                  until Ctrl-C; the tasks continue
  prazo sched watch -D 1min --json                   one minute, as JSON
  prazo sched watch --metrics 127.0.0.1:9100         for Prometheus

A job lasts from a thread's wake-up until it blocks. A job that blocks for a lock
or a file counts as several jobs.

Exit status: 0 proven and no bound exceeded, 1 a deadline missed or a bound
exceeded, 3 not proven or not observed, 4 cannot be watched.")]
pub(super) struct Args {
    /// Duration to watch [default: until Ctrl-C]
    #[arg(long, short = 'D', value_name = "TIME")]
    duration: Option<Duration>,
    /// Serve the figures as OpenMetrics on this loopback address
    #[arg(long, value_name = "ADDR")]
    metrics: Option<SocketAddr>,
    /// Print lines instead of the live view
    #[arg(long)]
    plain: bool,
    /// Print JSON at the end
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Watches and judges.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let request = WatchRequest { duration: self.duration, metrics: self.metrics, journal: None };
        let mut view = View::new(self.plain, self.json);
        let watched = sched::watch(&request, &mut view)?;
        // The terminal is put back before anything is printed.
        drop(view);
        out::answer(self.json, &watched)?;
        Ok(watched.outcome.into())
    }
}
