//! The tasks as people read them: a table on the terminal while they are watched, and a summary at the end.

use crate::console::Console;
use crate::exit::Failure;
use crate::live::{self, Screen};
use crate::out;
use prazo::sched::Watched;
use prazo::{Glance, Progress, Remark, Stop};
use prazo_core::text::printable;
use prazo_core::time::{Duration, Wait};
use prazo_verdict::Outcome;
use prazo_verdict::watched::WatchedTask;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Row, Table, Wrap};
use std::io;

const HEADER: [&str; 11] =
    ["task", "cpus", "jobs", "missed", "max µs", "bound µs", "tardy µs", "budget", "thrott.", "moved", "outside"];

/// How wide each column is.
const WIDTHS: [u16; 11] = [12, 7, 8, 7, 10, 10, 9, 7, 8, 6, 8];
/// The columns that a narrow terminal loses, first to last.
const EXPENDABLE: [usize; 6] = [1, 9, 8, 6, 10, 5];

/// In a log, one table for this many rounds.
const ROUNDS_A_TABLE: u64 = 10;

/// What is shown while tasks are watched: a table on the terminal, lines in a log, nothing beside JSON.
pub(super) struct View {
    console: Console,
    /// The scenario and what is proven of it.
    title: String,
    plain: bool,
    json: bool,
    /// Opened at the first glance, so that what is said before stays on the terminal.
    screen: Option<Screen>,
    rounds: u64,
}

impl View {
    /// A view that has shown nothing yet.
    pub(super) fn new(plain: bool, json: bool) -> Self {
        Self { console: Console::default(), title: String::new(), plain, json, screen: None, rounds: 0 }
    }
}

impl Progress for View {
    fn stage(&mut self, name: &str) {
        self.title = name.to_owned();
    }

    fn remark(&mut self, remark: &Remark) {
        self.console.remark(remark);
    }

    fn glance(&mut self, glance: &Glance<'_>) {
        let round = self.rounds;
        self.rounds += 1;
        if round == 0 && !self.plain && !self.json {
            self.screen = live::screen(&self.title);
        }
        match &mut self.screen {
            Some(screen) => {
                let heading = Heading { title: &self.title, glance };
                screen.show(|frame| draw(frame, &heading, glance.tasks));
            }
            None if !self.json && round > 0 && round.is_multiple_of(ROUNDS_A_TABLE) => {
                lines(glance.tasks).iter().for_each(out::note);
            }
            None => {}
        }
    }

    fn stop(&mut self) -> io::Result<Stop> {
        self.console.stop()
    }
}

/// What the view says above the table.
struct Heading<'a> {
    title: &'a str,
    glance: &'a Glance<'a>,
}

/// `12 s`, `12 s of 1 min 00 s`.
fn spoken(elapsed: Duration, length: Option<Duration>) -> String {
    let whole = |time: Duration| Wait(Duration::from_s(time.as_ns() / 1_000_000_000)).to_string();
    length.map_or_else(|| whole(elapsed), |length| format!("{} of {}", whole(elapsed), whole(length)))
}

fn draw(frame: &mut Frame, heading: &Heading<'_>, tasks: &[WatchedTask]) {
    let count = tasks.len() as u16;
    let [head, table, worst, foot] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(count.saturating_add(2).min(frame.area().height * 2 / 3)),
        Constraint::Min(3),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let columns = columns(table.width);
    frame.render_widget(Paragraph::new(above(heading)), head);
    let pick = |cells: [String; 11]| columns.iter().map(|column| aligned(*column, &cells)).collect::<Vec<_>>();
    let header = Row::new(pick(HEADER.map(str::to_owned))).style(Modifier::BOLD);
    let rows = tasks.iter().map(|task| Row::new(pick(cells(task))).style(style(task)));
    let widths = columns.iter().map(|column| Constraint::Length(WIDTHS[*column]));
    frame.render_widget(Table::new(rows, widths).header(header), table);
    let sentences: Vec<Line<'_>> = causes(tasks).into_iter().map(Line::from).collect();
    let sentences = Paragraph::new(sentences).wrap(Wrap { trim: true });
    frame.render_widget(sentences.block(Block::bordered().title(" worst jobs ")), worst);
    frame.render_widget(Line::from(below(&columns)).dim(), foot);
}

fn above<'a>(heading: &'a Heading<'_>) -> Line<'a> {
    let color = match heading.glance.outcome {
        Outcome::Pass => Color::Green,
        Outcome::Fail => Color::Red,
        Outcome::Inconclusive => Color::Yellow,
    };
    let outcome = format!("so far {}", heading.glance.outcome.name()).fg(color);
    let (title, time) = (heading.title, spoken(heading.glance.elapsed, heading.glance.length));
    Line::from(vec![" prazo ".bold().reversed(), format!(" {title}  {time}  ").into(), outcome])
}

/// The columns that fit, one apart.
fn columns(width: u16) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..HEADER.len()).collect();
    let needed = |columns: &[usize]| columns.iter().map(|column| WIDTHS[*column] + 1).sum::<u16>() - 1;
    for lost in EXPENDABLE {
        if needed(&columns) <= width {
            break;
        }
        columns.retain(|column| *column != lost);
    }
    columns
}

/// Names to the left, figures to the right.
fn aligned(column: usize, cells: &[String; 11]) -> Line<'static> {
    let line = Line::from(cells[column].clone());
    if column == 0 { line } else { line.right_aligned() }
}

fn below(columns: &[usize]) -> String {
    let hidden: Vec<&str> = (0..HEADER.len()).filter(|column| !columns.contains(column)).map(|at| HEADER[at]).collect();
    match &hidden[..] {
        [] => " Ctrl-C stops watching; the tasks continue".into(),
        hidden => format!(" Ctrl-C stops watching; a wider terminal shows {}", hidden.join(", ")),
    }
}

fn style(task: &WatchedTask) -> Style {
    match (task.misses, task.outside + task.overruns + task.lost) {
        (1.., _) => Style::new().fg(Color::Red),
        (0, 1..) => Style::new().fg(Color::Yellow),
        (0, 0) => Style::new(),
    }
}

fn cells(task: &WatchedTask) -> [String; 11] {
    let us = |ns: Option<u64>| ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.1}", ns as f64 / 1e3));
    let used = task.budget_used().map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0));
    [
        printable(&task.task).to_string(),
        task.cpus.clone(),
        task.jobs.to_string(),
        task.misses.to_string(),
        us(task.response_ns_max),
        us(task.bound_ns),
        us(task.tardiness_ns_max),
        used,
        task.throttled.to_string(),
        task.migrations.to_string(),
        task.outside.to_string(),
    ]
}

/// The worst job of each task with its cause.
fn causes(tasks: &[WatchedTask]) -> Vec<String> {
    tasks
        .iter()
        .filter_map(|task| Some(printable(&format!("{}: {}", task.task, task.worst.first()?)).to_string()))
        .collect()
}

/// One line for each task, as the plain progress.
fn lines(tasks: &[WatchedTask]) -> Vec<String> {
    let line = |cells: [String; 11]| {
        let [task, cpus, rest @ ..] = cells;
        format!("{task:<14}{cpus:>8}{}", rest.map(|cell| format!("{cell:>10}")).concat())
    };
    std::iter::once(HEADER.map(str::to_owned)).chain(tasks.iter().map(cells)).map(line).collect()
}

/// Prints the end.
pub(super) fn print(document: &Watched) -> Result<(), Failure> {
    lines(&document.tasks).iter().try_for_each(|line| out::text_line(line))?;
    causes(&document.tasks).iter().try_for_each(|line| out::text_line(&format!("worst job of {line}")))?;
    document.remarks.iter().try_for_each(|remark| out::text_line(&format!("- {remark}")))?;
    for reason in &document.reasons {
        out::text_line(&format!("{}: {} ({})", reason.speaks_for.name(), reason.text, reason.id))?;
    }
    out::text_line(&format!("{}: {}", document.name, document.outcome.name().to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_loses_columns_and_says_which_but_never_a_digit() {
        assert_eq!(columns(120).len(), HEADER.len());
        let narrow = columns(80);
        assert_eq!(narrow, [0, 2, 3, 4, 5, 6, 7, 10]);
        assert!(below(&narrow).ends_with("shows cpus, thrott., moved"), "{}", below(&narrow));
        assert_eq!(columns(10), [0, 2, 3, 4, 7], "what a reader must see stays");
    }
}
