//! The schedule as files: a chart, a trace for Perfetto, CSV. Each is a run of its own over the same scenario and seed.

use super::run::SimulatedRun;
use crate::error::Error;
use crate::output;
use prazo_core::event::Event;
use prazo_core::text::counted;
use prazo_core::time::{Duration, Instant};
use prazo_report::gantt::{Gantt, GanttTask};
use prazo_report::svg::{self, Setting};
use prazo_report::trace::{Chrome, Csv};
use prazo_report::words;
use prazo_sim::sink::{Stream, Windows};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where the schedule goes, simulated or observed.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    feature = "flags",
    derive(clap::Args),
    command(next_help_heading = "Schedule", group = clap::ArgGroup::new("chart").multiple(true))
)]
pub struct ScheduleFiles {
    /// Draw the schedule as .svg or .html
    ///
    /// Unless --from is given, the chart shows the first missed deadline, if any.
    #[cfg_attr(feature = "flags", arg(long, group = "chart", value_name = "FILE"))]
    pub gantt: Option<PathBuf>,
    /// Start of the chart [default: 0, or shortly before the first miss]
    #[cfg_attr(feature = "flags", arg(long, hide_short_help = true, value_name = "TIME", requires = "chart"))]
    pub from: Option<Duration>,
    /// Duration that the chart shows [default: twice the longest period]
    #[cfg_attr(feature = "flags", arg(long, hide_short_help = true, value_name = "TIME", requires = "chart"))]
    pub span: Option<Duration>,
    /// Write the schedule as a trace for Perfetto or Chrome (JSON)
    #[cfg_attr(feature = "flags", arg(long, hide_short_help = true, value_name = "FILE"))]
    pub trace: Option<PathBuf>,
    /// Write every event as a row of CSV
    #[cfg_attr(feature = "flags", arg(long, hide_short_help = true, value_name = "FILE"))]
    pub csv: Option<PathBuf>,
}

impl ScheduleFiles {
    /// Refuses a chart that would show nothing of a schedule of this length.
    pub(crate) fn check(&self, length: Duration) -> Result<(), Error> {
        if let Some(from) = self.from.filter(|from| *from >= length) {
            let cause = format!("the schedule ends at {length}, so the chart would be empty");
            return Err(Error::field("from", cause).with_value(from).with_remedy("give an earlier start"));
        }
        match self.span {
            Some(Duration::ZERO) => {
                Err(Error::field("span", "a chart without duration is empty; give a time, as in 10ms").with_value("0"))
            }
            _ => Ok(()),
        }
    }

    /// Writes what was asked for; [`Self::check`] has accepted the schedule's length.
    pub(crate) fn write(&self, ran: &SimulatedRun) -> Result<(), Error> {
        self.gantt.iter().try_for_each(|file| self.draw(ran, file))?;
        self.trace.iter().try_for_each(|file| whole(ran, output::stream(file, |out| chrome(ran, out))))?;
        self.csv.iter().try_for_each(|file| whole(ran, output::stream(file, |out| csv(ran, out))))
    }

    fn draw(&self, ran: &SimulatedRun, file: &Path) -> Result<(), Error> {
        let text = self.charted(ran, |chart| chart_text(chart, file))?;
        ran.check_whole()?;
        output::write(file, text)
    }

    /// What `read` makes of the chart that is asked for.
    pub(super) fn charted<T>(&self, ran: &SimulatedRun, read: impl FnOnce(&Gantt<'_>) -> T) -> T {
        let (start, end) = self.window(ran);
        // A job may have arrived, and begun, before the chart does.
        let reach = ran.model.tasks.iter().map(|task| task.relative_deadline.max(task.pattern.period)).max();
        let reach = reach.unwrap_or_default();
        let first = Instant::EPOCH + start.saturating_since(Instant::EPOCH + (reach + reach));
        let mut windows = Windows::over([(first, end)]);
        ran.again(end, &mut windows);
        read(&chart(ran, (start, end), &windows.windows[0].events))
    }

    fn window(&self, ran: &SimulatedRun) -> (Instant, Instant) {
        let longest = ran.model.tasks.iter().map(|task| task.pattern.period).max().unwrap_or_default();
        let missed = ran.outcome.figures.misses.first().map(|miss| miss.deadline);
        self.part(longest, missed, ran.outcome.end)
    }

    /// The part that is drawn: as requested, else two of the longest periods, moved so that the first miss is in it. A start
    /// behind the end, which an interrupted run can have, is moved to the last instant.
    pub(crate) fn part(&self, longest: Duration, missed: Option<Instant>, end: Instant) -> (Instant, Instant) {
        let span = self.span.unwrap_or_else(|| longest.saturating_add(longest)).max(Duration::from_ns(1));
        let part = |of: u64| Duration::from_ns(span.as_ns() / of);
        let before_miss = missed.filter(|deadline| *deadline + part(8) > Instant::EPOCH + span);
        let chosen = before_miss.map(|deadline| (deadline + part(4)).saturating_since(Instant::EPOCH + span));
        let last = end.saturating_since(Instant::from_ns(1));
        let start = Instant::EPOCH + self.from.or(chosen).unwrap_or_default().min(last);
        (start, start.saturating_add(span).min(end))
    }
}

fn chart<'a>(ran: &SimulatedRun, (start, end): (Instant, Instant), events: &'a [Event]) -> Gantt<'a> {
    let tasks = ran.names.iter().zip(&ran.model.tasks);
    let misses = ran.outcome.figures.total(|task| task.missed);
    let outcome = match misses {
        0 => "no deadline missed".to_owned(),
        some => format!("{} missed", counted(some, "deadline")),
    };
    let length = words::latency(i64::try_from(ran.outcome.end.as_ns()).unwrap_or(i64::MAX));
    let cpus = ran.model.clusters.iter().enumerate().flat_map(|(cluster, place)| {
        let is_shared = ran.model.clusters.len() > 1 && place.cpus > 1;
        (place.first_cpu..place.first_cpu + place.cpus).map(move |cpu| match is_shared {
            true => format!("CPU {cpu}, cluster {cluster}"),
            false => format!("CPU {cpu}"),
        })
    });
    Gantt {
        title: ran.name.clone(),
        subtitle: format!("{}, {}; {outcome} in {length}", ran.policy, ran.shape()),
        cpus: cpus.collect(),
        tasks: tasks
            .map(|(name, task)| GanttTask { name: name.clone(), deadline_ns: task.relative_deadline.as_ns() })
            .collect(),
        start_ns: start.as_ns(),
        end_ns: end.as_ns(),
        unserved: unserved(ran, start, end),
        events,
    }
}

/// A chart in the form that its file's name asks for.
pub(crate) fn chart_text(chart: &Gantt<'_>, file: &Path) -> Result<String, Error> {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(svg::gantt(chart, Setting::Alone)),
        Some("html" | "htm") => Ok(svg::gantt_page(chart)),
        _ => Err(Error::field("gantt", "name a file that ends with .svg or .html").with_value(file.display())),
    }
}

/// When the tasks had no processor, because their supply had ended.
fn unserved(ran: &SimulatedRun, start: Instant, end: Instant) -> Vec<(u64, u64)> {
    let gaps = ran.model.supply.map_or_else(Vec::new, |supply| supply.unserved(start, end));
    gaps.into_iter().map(|(from, to)| (from.as_ns(), to.as_ns())).collect()
}

fn chrome(ran: &SimulatedRun, out: &mut dyn Write) -> io::Result<()> {
    let mut chrome = Chrome::new(out, &ran.names, ran.model.cpus())?;
    chrome.unserved(&unserved(ran, Instant::EPOCH, ran.outcome.end))?;
    streamed(ran, |event| chrome.event(event))?;
    chrome.finish(ran.outcome.end.as_ns())
}

pub(super) fn csv(ran: &SimulatedRun, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = Csv::new(out, &ran.names)?;
    streamed(ran, |event| csv.event(event))?;
    csv.finish()
}

/// What became of a file of `ran`; a run that was stopped is no error of the file.
fn whole(ran: &SimulatedRun, written: Result<(), Error>) -> Result<(), Error> {
    ran.check_whole().and(written)
}

/// Hands every event to `write` until that fails; fails if the run is stopped, so that no half file is put in its place.
fn streamed(ran: &SimulatedRun, mut write: impl FnMut(&Event) -> io::Result<()>) -> io::Result<()> {
    let mut result = Ok(());
    let take = |event: Event| {
        if result.is_ok() {
            result = write(&event);
        }
    };
    ran.again(ran.outcome.end, Stream(take));
    result.and_then(|()| ran.check_whole().map_err(|stopped| io::Error::new(io::ErrorKind::Interrupted, stopped)))
}
