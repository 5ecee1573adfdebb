//! The schedule as files: a chart, a trace for Perfetto, CSV. Each is a run of its own over the same scenario and seed.

use super::run::SimulatedRun;
use crate::error::Error;
use crate::output;
use prazo_core::event::Event;
use prazo_core::time::Duration;
use prazo_report::gantt::{self, Gantt, GanttTask};
use prazo_report::svg::{self, Setting};
use prazo_report::trace::{Chrome, Csv};
use prazo_report::words;
use prazo_sim::sink::{Stream, Windows};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where the schedule goes, simulated or observed.
#[derive(Clone, Debug, Default)]
pub struct ScheduleFiles {
    /// A chart of the schedule, around the first miss if there is one (.svg or .html).
    pub gantt: Option<PathBuf>,
    /// Where the chart begins; chosen by default.
    pub from: Option<Duration>,
    /// How much the chart shows; two of the longest periods by default.
    pub span: Option<Duration>,
    /// The schedule for Perfetto or Chrome's trace viewer (JSON).
    pub trace: Option<PathBuf>,
    /// Every event as a row.
    pub csv: Option<PathBuf>,
}

impl ScheduleFiles {
    /// Writes what was asked for.
    pub(crate) fn write(&self, ran: &SimulatedRun) -> Result<(), Error> {
        self.gantt.iter().try_for_each(|file| self.draw(ran, file))?;
        self.trace.iter().try_for_each(|file| output::stream(file, |out| chrome(ran, out)))?;
        self.csv.iter().try_for_each(|file| output::stream(file, |out| csv(ran, out)))
    }

    fn draw(&self, ran: &SimulatedRun, file: &Path) -> Result<(), Error> {
        let (start_ns, end_ns) = self.window(ran);
        // A job may have arrived, and begun, before the chart does.
        let reach_ns =
            ran.model.tasks.iter().map(|task| task.deadline_ns.max(task.pattern.period_ns)).max().unwrap_or(0);
        let mut windows = Windows::over([(start_ns.saturating_sub(2 * reach_ns), end_ns)]);
        ran.again(end_ns, &mut windows);
        let chart = chart(ran, (start_ns, end_ns), &windows.windows[0].events);
        let text = chart_text(&chart, file)?;
        output::write(file, text)
    }

    /// As asked, else two of the longest periods, moved so that the first miss is in it.
    fn window(&self, ran: &SimulatedRun) -> (u64, u64) {
        let longest_ns = ran.model.tasks.iter().map(|task| task.pattern.period_ns).max().unwrap_or(1);
        let span_ns = self.span.map_or(longest_ns.saturating_mul(2), |span| span.as_ns()).max(1);
        let first = ran.outcome.figures.misses.first();
        let before_miss = first.filter(|miss| miss.deadline_ns + span_ns / 8 > span_ns);
        let chosen_ns = before_miss.map_or(0, |miss| (miss.deadline_ns + span_ns / 4).saturating_sub(span_ns));
        let start_ns = self.from.map_or(chosen_ns, |from| from.as_ns()).min(ran.outcome.end_ns.saturating_sub(1));
        (start_ns, start_ns.saturating_add(span_ns).min(ran.outcome.end_ns))
    }
}

fn chart<'a>(ran: &SimulatedRun, (start_ns, end_ns): (u64, u64), events: &'a [Event]) -> Gantt<'a> {
    let tasks = ran.names.iter().zip(&ran.model.tasks);
    let misses = ran.outcome.figures.total(|task| task.missed);
    let outcome = match misses {
        0 => "no deadline missed".to_owned(),
        some => format!("{} missed", words::counted(some, "deadline")),
    };
    let length = words::latency(i64::try_from(ran.outcome.end_ns).unwrap_or(i64::MAX));
    let cpus = ran.model.clusters.iter().enumerate().flat_map(|(cluster, place)| {
        let is_shared = ran.model.clusters.len() > 1 && place.cpus > 1;
        (place.first_cpu..place.first_cpu + place.cpus).map(move |cpu| match is_shared {
            true => format!("CPU {cpu} ({cluster})"),
            false => format!("CPU {cpu}"),
        })
    });
    Gantt {
        title: ran.name.clone(),
        subtitle: format!("{}, {}; {outcome} in {length}", ran.policy, ran.shape()),
        cpus: cpus.collect(),
        tasks: tasks.map(|(name, task)| GanttTask { name: name.clone(), deadline_ns: task.deadline_ns }).collect(),
        start_ns,
        end_ns,
        events,
    }
}

/// A chart in the form that its file's name asks for.
pub(crate) fn chart_text(chart: &Gantt<'_>, file: &Path) -> Result<String, Error> {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(svg::gantt(chart, Setting::Alone)),
        Some("html" | "htm") => Ok(gantt::page(chart)),
        _ => Err(Error::field("gantt", "name it .svg or .html").with_value(file.display())),
    }
}

fn chrome(ran: &SimulatedRun, out: &mut dyn Write) -> io::Result<()> {
    let mut chrome = Chrome::new(out, &ran.names, ran.model.cpus())?;
    streamed(ran, |event| chrome.event(event))?;
    chrome.finish(ran.outcome.end_ns)
}

fn csv(ran: &SimulatedRun, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = Csv::new(out, &ran.names)?;
    streamed(ran, |event| csv.event(event))?;
    csv.finish()
}

/// Hands every event to `write` until that fails.
fn streamed(ran: &SimulatedRun, mut write: impl FnMut(&Event) -> io::Result<()>) -> io::Result<()> {
    let mut result = Ok(());
    let take = |event: Event| {
        if result.is_ok() {
            result = write(&event);
        }
    };
    ran.again(ran.outcome.end_ns, Stream(take));
    result
}
