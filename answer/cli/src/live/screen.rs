//! The live view: progress and time left, each processor's figures, a moving histogram.

use super::figures::{share_done, time_left, us};
use prazo_core::time::Wait;
use prazo_probe::{CpuProgress, Observer, Progress};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::{cursor, execute, terminal};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Bar, BarChart, BarGroup, Block, Gauge, Paragraph, Row, Table};
use ratatui::{Frame, widgets::Padding};
use std::io::{self, Stderr};

/// The live view on standard error's terminal; closing it puts the terminal back.
///
/// The terminal stays in its cooked mode, so that Ctrl-C remains what it is: the signal that ends the run.
pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    title: String,
}

impl Screen {
    /// Takes the terminal; an error leaves it as it was.
    pub(crate) fn open(title: &str) -> io::Result<Self> {
        execute!(io::stderr(), terminal::EnterAlternateScreen, cursor::Hide)?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stderr())).inspect_err(|_| leave())?;
        Ok(Self { terminal, title: title.to_owned() })
    }

    /// Draws one frame; a terminal that went away is no reason to stop.
    pub(crate) fn show(&mut self, draw: impl FnOnce(&mut Frame)) {
        let _ = self.terminal.draw(draw);
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Puts the terminal back; there is nothing to be done where it cannot be.
fn leave() {
    let _ = execute!(io::stderr(), cursor::Show, terminal::LeaveAlternateScreen);
}

impl Observer for Screen {
    fn progress(&mut self, progress: &Progress) {
        let title = &self.title;
        // A terminal that went away is no reason to stop measuring.
        let _ = self.terminal.draw(|frame| draw(frame, title, progress));
    }
}

/// Draws one frame.
fn draw(frame: &mut Frame, title: &str, progress: &Progress) {
    let rows = progress.cpus.len() as u16;
    let [head, gauge, table, chart, foot] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Length(1),
        Constraint::Length(rows.saturating_add(3).min(frame.area().height / 2)),
        Constraint::Min(6),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(heading(title, progress), head);
    frame.render_widget(progress_bar(progress), gauge);
    frame.render_widget(processors(&progress.cpus), table);
    histogram(frame, chart, progress);
    frame.render_widget(Line::from(" Ctrl-C ends the run early; what was measured is kept").dim(), foot);
}

fn heading<'a>(title: &'a str, progress: &Progress) -> Paragraph<'a> {
    Paragraph::new(Line::from(vec![
        " prazo ".bold().reversed(),
        " ".into(),
        title.into(),
        "  ".into(),
        progress.phase.name().fg(Color::Cyan),
    ]))
}

fn progress_bar(progress: &Progress) -> Gauge<'static> {
    Gauge::default()
        .gauge_style(Style::new().fg(Color::Blue).bg(Color::DarkGray))
        .ratio(share_done(progress))
        .label(format!("{}, {} left", Wait(progress.elapsed), Wait(time_left(progress))))
}

fn processors(cpus: &[CpuProgress]) -> Table<'_> {
    let header = ["cpu", "served", "skipped", "missed", "lost", "min µs", "mean µs", "max µs", "last µs"];
    let widths = [5, 11, 9, 9, 6, 10, 10, 11, 10].map(Constraint::Length);
    Table::new(cpus.iter().map(processor), widths)
        .header(Row::new(header.map(|name| Line::from(name).right_aligned())).style(Modifier::BOLD))
        .block(Block::new().padding(Padding::vertical(1)))
}

fn processor(cpu: &CpuProgress) -> Row<'static> {
    let cells = [
        cpu.cpu.to_string(),
        cpu.served.to_string(),
        cpu.skipped.to_string(),
        cpu.missed.to_string(),
        cpu.lost.to_string(),
        us(cpu.min_ns),
        us(cpu.mean_ns.map(|mean| mean as i64)),
        us(cpu.max_ns),
        us(cpu.last_ns),
    ];
    let bad = cpu.lost > 0 || cpu.missed > 0;
    let style = if bad { Style::new().fg(Color::Yellow) } else { Style::new() };
    Row::new(cells.map(|cell| Line::from(cell).right_aligned())).style(style)
}

/// The last seconds' latencies, one bar for each power of the square root of two, heights on a log scale.
fn histogram(frame: &mut Frame, area: Rect, progress: &Progress) {
    let bars: Vec<Bar> = octaves(progress.recent.cells()).into_iter().map(bar).collect();
    let chart = BarChart::default()
        .block(Block::bordered().title(" latencies of the last seconds, µs; height: log10(count + 1) "))
        .data(BarGroup::default().bars(&bars))
        .bar_width(6)
        .bar_gap(1)
        .bar_style(Style::new().fg(Color::Blue));
    frame.render_widget(chart, area);
}

fn bar((from_ns, count): (u64, u64)) -> Bar<'static> {
    let height = ((count + 1) as f64).log10() * 100.0;
    let label = if from_ns < 10_000 { format!("{:.1}", from_ns as f64 / 1e3) } else { format!("{}", from_ns / 1_000) };
    Bar::default().value(height as u64).text_value(count.to_string()).label(Line::from(label))
}

/// Counts by half octaves: lower edge in nanoseconds and count, without gaps between the first and the last.
fn octaves(cells: impl Iterator<Item = (i64, u64)>) -> Vec<(u64, u64)> {
    let mut counts = std::collections::BTreeMap::new();
    for (value, count) in cells {
        *counts.entry(half_octave(value)).or_insert(0) += count;
    }
    let (Some(first), Some(last)) = (counts.keys().next().copied(), counts.keys().last().copied()) else {
        return Vec::new();
    };
    (first..=last).map(|index| (lower_edge(index), counts.get(&index).copied().unwrap_or(0))).collect()
}

/// The number of the half octave that holds `value`; what is not positive goes into the first.
fn half_octave(value: i64) -> u32 {
    ((value.max(1) as f64).log2() * 2.0).floor() as u32
}

fn lower_edge(index: u32) -> u64 {
    2f64.powf(f64::from(index) / 2.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_probe::Phase;
    use ratatui::backend::TestBackend;

    fn progress() -> Progress {
        let mut recent = prazo_run::Histogram::new();
        recent.add(12_000, 900);
        recent.add(48_000, 3);
        let cpu = CpuProgress { cpu: 1, served: 903, missed: 3, max_ns: Some(48_000), ..CpuProgress::default() };
        Progress {
            elapsed: prazo_core::time::Duration::from_s(10),
            total: prazo_core::time::Duration::from_s(40),
            phase: Phase::Measuring,
            cpus: vec![cpu],
            recent,
        }
    }

    #[test]
    fn a_frame_shows_counts_maximum_and_time_left() {
        let mut terminal = Terminal::new(TestBackend::new(100, 24)).unwrap();
        terminal.draw(|frame| draw(frame, "fifo, idle", &progress())).unwrap();
        let shown = terminal.backend().to_string();
        for wanted in ["fifo, idle", "30 s left", "903", "48.0"] {
            assert!(shown.contains(wanted), "{wanted} is not in\n{shown}");
        }
    }

    #[test]
    fn a_tiny_terminal_is_no_reason_to_die() {
        let mut terminal = Terminal::new(TestBackend::new(10, 3)).unwrap();
        terminal.draw(|frame| draw(frame, "x", &progress())).unwrap();
    }

    #[test]
    fn half_octaves_have_no_gaps() {
        let bars = octaves([(1_000, 1), (4_000, 2)].into_iter());
        assert_eq!(bars.len(), 5);
        assert_eq!(bars.iter().map(|(_, count)| count).sum::<u64>(), 3);
    }
}
