//! The tasks as people read them: a table on the terminal while they are watched, and a summary at the end.

use super::document::{TaskRow, Watched};
use crate::exit::Failure;
use crate::live::Screen;
use crate::out;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Row, Table};

const HEADER: [&str; 11] =
    ["task", "cpus", "jobs", "missed", "max us", "bound us", "tardy us", "budget", "thrott.", "moved", "outside"];

/// Shows the tasks on the terminal; one that went away is no reason to stop watching.
pub fn show(screen: &mut Screen, title: &str, tasks: &[TaskRow]) {
    screen.show(|frame| draw(frame, title, tasks));
}

fn draw(frame: &mut Frame, title: &str, tasks: &[TaskRow]) {
    let count = tasks.len() as u16;
    let [head, table, worst, foot] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(count.saturating_add(2).min(frame.area().height * 2 / 3)),
        Constraint::Min(3),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let heading = Line::from(vec![" prazo ".bold().reversed(), " ".into(), title.into()]);
    frame.render_widget(Paragraph::new(heading), head);
    let widths = [14, 8, 9, 8, 10, 10, 10, 8, 8, 8, 8].map(Constraint::Length);
    let header = Row::new(HEADER.map(|name| Line::from(name).right_aligned())).style(Modifier::BOLD);
    frame.render_widget(Table::new(tasks.iter().map(row), widths).header(header), table);
    let sentences: Vec<Line<'_>> = causes(tasks).into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(sentences).block(Block::bordered().title(" worst jobs ")), worst);
    frame.render_widget(Line::from(" Ctrl-C ends the watching; the tasks go on").dim(), foot);
}

fn row(task: &TaskRow) -> Row<'static> {
    let style = match (task.misses, task.outside + task.overruns + task.lost) {
        (1.., _) => Style::new().fg(Color::Red),
        (0, 1..) => Style::new().fg(Color::Yellow),
        (0, 0) => Style::new(),
    };
    Row::new(cells(task).map(|cell| Line::from(cell).right_aligned())).style(style)
}

fn cells(task: &TaskRow) -> [String; 11] {
    let us = |ns: Option<u64>| ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.1}", ns as f64 / 1e3));
    let used = task.budget_used().map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0));
    [
        task.task.clone(),
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
fn causes(tasks: &[TaskRow]) -> Vec<String> {
    tasks.iter().filter_map(|task| Some(format!("{}: {}", task.task, task.worst.first()?))).collect()
}

/// One line for each task, as the plain progress.
pub fn lines(tasks: &[TaskRow]) -> Vec<String> {
    let line = |cells: [String; 11]| {
        let [task, cpus, rest @ ..] = cells;
        format!("{task:<14}{cpus:>8}{}", rest.map(|cell| format!("{cell:>10}")).concat())
    };
    std::iter::once(HEADER.map(str::to_owned)).chain(tasks.iter().map(cells)).map(line).collect()
}

/// Prints the end.
pub fn print(document: &Watched) -> Result<(), Failure> {
    lines(&document.tasks).iter().try_for_each(|line| out::text_line(line))?;
    causes(&document.tasks).iter().try_for_each(|line| out::text_line(&format!("worst job of {line}")))?;
    document.remarks.iter().try_for_each(|remark| out::text_line(&format!("- {remark}")))?;
    for reason in &document.reasons {
        out::text_line(&format!("{}: {} ({})", reason.speaks_for.name(), reason.text, reason.id))?;
    }
    out::text_line(&format!("{}: {}", document.name, document.outcome.to_uppercase()))
}
