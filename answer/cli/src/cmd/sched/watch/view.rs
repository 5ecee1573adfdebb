//! The tasks while they are watched: a table on the terminal.

use crate::console::Console;
use crate::live::{self, Screen};
use crate::out;
use prazo::{Glance, Progress, Remark, Stop};
use prazo_core::time::{Duration, Wait};
use prazo_report::terminal::watched::{self, TASK_COLUMNS, task_cells, worst_jobs};
use prazo_verdict::Outcome;
use prazo_verdict::watched::WatchedTask;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Row, Table, Wrap};
use std::io;

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
                watched::tasks(glance.tasks, &out::style()).lines().for_each(out::note);
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
    let area = frame.area();
    let ((shown, figures, fitting), below, lines) = live::above_last_line(area.as_size(), |foot| {
        // The heading, the header with an empty line, and three lines of worst jobs.
        let room = area.height.saturating_sub(2 + 2 + 3 + foot).max(1);
        let shown = live::largest(tasks, room.into(), |task| (task.seen.misses, task.seen.response_ns_max));
        let figures: Vec<Vec<String>> = shown.iter().map(|task| task_cells(task).to_vec()).collect();
        let fitting = live::fitting(&TASK_COLUMNS, &figures, &EXPENDABLE, area.width);
        let below = below(&fitting.hidden, tasks.len() - shown.len());
        ((shown, figures, fitting), below)
    });
    let [head, table, worst, foot] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(shown.len() as u16 + 2),
        Constraint::Min(3),
        Constraint::Length(lines),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(above(heading, area.width.into())), head);
    let pick = |cells: &[String]| fitting.shown.iter().map(|column| aligned(*column, cells)).collect::<Vec<_>>();
    let header = Row::new(pick(&TASK_COLUMNS.map(str::to_owned))).style(Modifier::BOLD);
    let rows = shown.iter().zip(&figures).map(|(task, cells)| Row::new(pick(cells)).style(style(task)));
    let widths = fitting.widths.iter().map(|width| Constraint::Length(*width));
    frame.render_widget(Table::new(rows, widths).column_spacing(live::GAP).header(header), table);
    let (width, height) = (worst.width.saturating_sub(2), worst.height.saturating_sub(2));
    let (sentences, hidden) = live::whole_texts(worst_jobs(tasks), width, height);
    let title = match hidden {
        0 => " worst jobs ".to_owned(),
        more => format!(" worst jobs, {more} more in a larger terminal "),
    };
    let sentences: Vec<Line<'_>> = sentences.into_iter().map(Line::from).collect();
    let sentences = Paragraph::new(sentences).wrap(Wrap { trim: true });
    frame.render_widget(sentences.block(Block::bordered().title(title)), worst);
    frame.render_widget(Paragraph::new(below.dim()).wrap(Wrap { trim: true }), foot);
}

fn above(heading: &Heading<'_>, width: usize) -> Line<'static> {
    let color = match heading.glance.outcome {
        Outcome::Pass => Color::Green,
        Outcome::Fail => Color::Red,
        Outcome::Inconclusive => Color::Yellow,
    };
    let outcome = format!("so far {}", heading.glance.outcome.name());
    let (name, time) = (" prazo ", spoken(heading.glance.elapsed, heading.glance.length));
    let title = live::shortened(heading.title, width.saturating_sub(name.len() + time.len() + outcome.len() + 5));
    Line::from(vec![name.bold().reversed(), format!(" {title}  {time}  ").into(), outcome.fg(color)])
}

/// Names to the left, figures to the right.
fn aligned(column: usize, cells: &[String]) -> Line<'static> {
    let line = Line::from(cells[column].clone());
    if column == 0 { line } else { line.right_aligned() }
}

/// What ends the watching, and what a larger terminal would show.
fn below(hidden: &[&str], hidden_tasks: usize) -> String {
    let tasks = (hidden_tasks > 0).then(|| format!("further tasks: {hidden_tasks}"));
    let hidden: Vec<String> = hidden.iter().map(|name| (*name).to_owned()).chain(tasks).collect();
    let more =
        if hidden.is_empty() { String::new() } else { format!(". A larger terminal shows {}", hidden.join(", ")) };
    format!("Ctrl-C stops watching; the tasks continue{more}")
}

fn style(task: &WatchedTask) -> Style {
    match (task.seen.misses, task.seen.outside + task.seen.overruns + task.seen.lost) {
        (1.., _) => Style::new().fg(Color::Red),
        (0, 1..) => Style::new().fg(Color::Yellow),
        (0, 0) => Style::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::jobs::FollowedJobs;

    #[test]
    fn a_narrow_terminal_loses_columns_and_says_which_but_never_a_digit() {
        let seen = FollowedJobs { response_ns_max: Some(404_529_480_123), ..FollowedJobs::default() };
        let task = WatchedTask { seen, ..WatchedTask::default() };
        let rows = vec![task_cells(&task).to_vec()];
        assert_eq!(live::fitting(&TASK_COLUMNS, &rows, &EXPENDABLE, 120).hidden, Vec::<&str>::new());
        let narrow = live::fitting(&TASK_COLUMNS, &rows, &EXPENDABLE, 60);
        assert!(
            narrow.widths[narrow.shown.iter().position(|at| TASK_COLUMNS[*at] == "max response µs").unwrap()] >= 11
        );
        assert!(below(&narrow.hidden, 3).ends_with(", further tasks: 3"), "{}", below(&narrow.hidden, 3));
        assert_eq!(
            live::fitting(&TASK_COLUMNS, &rows, &EXPENDABLE, 10).shown,
            [0, 2, 3, 4, 7],
            "what a reader must see stays"
        );
    }
}
