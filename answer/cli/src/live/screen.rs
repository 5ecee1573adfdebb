//! The live view: progress and time left, each processor's figures, a moving histogram.

use super::figures::{left, served, share_done, summary};
use super::fitting::{Fitting, GAP, above_last_line, fitting, largest, shortened};
use crate::note::note;
use prazo_core::text::grouped;
use prazo_core::time::Wait;
use prazo_probe::{Counted, CpuProgress, Observer, Progress};
use prazo_report::terminal::watched::us;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::{cursor, execute, terminal};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Bar, BarChart, BarGroup, Block, Gauge, Paragraph, Row, Table, Wrap};
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
        enter()?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stderr())).inspect_err(|_| leave())?;
        Ok(Self { terminal, title: title.to_owned() })
    }

    /// Draws one frame; a terminal that went away is no reason to stop.
    pub(crate) fn show(&mut self, draw: impl FnOnce(&mut Frame)) {
        let _ = self.terminal.draw(draw);
    }

    /// Prints lines that stay when the view is closed.
    fn print(&mut self, lines: &[String]) {
        leave();
        lines.iter().for_each(note);
        let _ = enter().and_then(|()| self.terminal.clear());
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

fn enter() -> io::Result<()> {
    execute!(io::stderr(), terminal::EnterAlternateScreen, cursor::Hide)
}

/// Puts the terminal back; there is nothing to be done where it cannot be.
fn leave() {
    let _ = execute!(io::stderr(), cursor::Show, terminal::LeaveAlternateScreen);
}

impl Observer for Screen {
    fn progress(&mut self, progress: &Progress) {
        if progress.is_asked_for {
            self.print(&summary(progress));
        }
        let title = &self.title;
        // A terminal that went away is no reason to stop measuring.
        let _ = self.terminal.draw(|frame| draw(frame, title, progress));
    }
}

/// The table's columns.
const HEADER: [&str; 9] = ["cpu", "served", "skipped", "missed", "lost", "min µs", "mean µs", "max µs", "last µs"];
/// Those that a narrow terminal does without, first to go first.
const EXPENDABLE: [usize; 6] = [8, 5, 6, 1, 4, 2];
/// Heading, time and the histogram's least height; what is left is the table's and the last line's.
const HEADING: u16 = 2;
const HISTOGRAM_LEAST: u16 = 6;
/// The header and an empty line on both sides.
const AROUND_ROWS: u16 = 3;

/// Draws one frame.
fn draw(frame: &mut Frame, title: &str, progress: &Progress) {
    let area = frame.area();
    let mut header = HEADER;
    header[1] = served(progress.counted);
    let ((cpus, cells, fitting), below, foot) = above_last_line(area.as_size(), |foot| {
        let room = area.height.saturating_sub(HEADING + 1 + HISTOGRAM_LEAST + foot + AROUND_ROWS).max(1);
        let cpus = largest(&progress.cpus, room.into(), |cpu| cpu.max_ns);
        let cells: Vec<Vec<String>> = cpus.iter().map(|cpu| figures(cpu).to_vec()).collect();
        let fitting = fitting(&header, &cells, &EXPENDABLE, area.width);
        let below = below(&fitting, progress.cpus.len() - cpus.len());
        ((cpus, cells, fitting), below)
    });
    let [head, gauge, table, chart, last] = Layout::vertical([
        Constraint::Length(HEADING),
        Constraint::Length(1),
        Constraint::Length(cpus.len() as u16 + AROUND_ROWS),
        Constraint::Min(HISTOGRAM_LEAST),
        Constraint::Length(foot),
    ])
    .areas(area);
    frame.render_widget(heading(title, progress, area.width.into()), head);
    frame.render_widget(progress_bar(progress), gauge);
    frame.render_widget(processors(&header, &cpus, &cells, &fitting), table);
    histogram(frame, chart, progress);
    frame.render_widget(Paragraph::new(below.dim()).wrap(Wrap { trim: true }), last);
}

/// The last line: what ends the run, and what a larger terminal would show.
fn below(fitting: &Fitting, hidden_rows: usize) -> String {
    let rows = match hidden_rows {
        0 => None,
        1 => Some("1 processor with a smaller maximum".to_owned()),
        many => Some(format!("{many} processors with smaller maxima")),
    };
    let hidden: Vec<String> = fitting.hidden.iter().map(|name| (*name).to_owned()).chain(rows).collect();
    let more =
        if hidden.is_empty() { String::new() } else { format!(". A larger terminal shows {}", hidden.join(", ")) };
    format!("Ctrl-C ends the run early; what was measured is kept{more}")
}

fn heading(title: &str, progress: &Progress, width: usize) -> Paragraph<'static> {
    let (name, phase) = (" prazo ", progress.phase.name());
    let title = shortened(title, width.saturating_sub(name.len() + phase.len() + 3));
    Paragraph::new(Line::from(vec![
        name.bold().reversed(),
        " ".into(),
        title.into(),
        "  ".into(),
        phase.fg(Color::Cyan),
    ]))
}

fn progress_bar(progress: &Progress) -> Gauge<'static> {
    Gauge::default()
        .gauge_style(Style::new().fg(Color::Blue).bg(Color::DarkGray))
        .ratio(share_done(progress))
        .label(format!("{}, {}", Wait(progress.elapsed), left(progress)))
}

fn processors(header: &[&str], cpus: &[&CpuProgress], cells: &[Vec<String>], fitting: &Fitting) -> Table<'static> {
    let pick = |cells: &[String]| -> Vec<Line<'static>> {
        fitting.shown.iter().map(|at| Line::from(cells[*at].clone()).right_aligned()).collect()
    };
    let header =
        Row::new(pick(&header.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())).style(Modifier::BOLD);
    let rows = cpus.iter().zip(cells).map(|(cpu, cells)| {
        let is_bad = cpu.lost > 0 || cpu.missed > 0;
        Row::new(pick(cells)).style(if is_bad { Style::new().fg(Color::Yellow) } else { Style::new() })
    });
    Table::new(rows, fitting.widths.iter().map(|width| Constraint::Length(*width)))
        .column_spacing(GAP)
        .header(header)
        .block(Block::new().padding(Padding::vertical(1)))
}

fn figures(cpu: &CpuProgress) -> [String; 9] {
    [
        cpu.cpu.to_string(),
        grouped(cpu.served).to_string(),
        grouped(cpu.skipped).to_string(),
        grouped(cpu.missed).to_string(),
        grouped(cpu.lost).to_string(),
        us(cpu.min_ns),
        us(cpu.mean_ns.map(|mean| mean as i64)),
        us(cpu.max_ns),
        us(cpu.last_ns),
    ]
}

/// Room for a count or a latency of six characters, and between two bars.
const BAR: u16 = 6;
const BAR_GAP: u16 = 1;

/// The last seconds' latencies, one bar for each power of the square root of two or for some of them together, heights on a log
/// scale.
fn histogram(frame: &mut Frame, area: Rect, progress: &Progress) {
    let fit = (area.width.saturating_sub(2) + BAR_GAP) / (BAR + BAR_GAP);
    let bars: Vec<Bar> = at_most(octaves(progress.recent.cells()), fit.into()).into_iter().map(bar).collect();
    let what = match progress.counted {
        Counted::Activations => "latencies",
        Counted::Gaps => "gaps",
    };
    let whole = format!(" {what} of the last seconds, µs; heights are log10(count + 1) ");
    let is_short = whole.chars().count() + 2 > area.width.into();
    let title = if is_short { " last seconds, µs, log heights ".to_owned() } else { whole };
    let chart = BarChart::default()
        .block(Block::bordered().title(title))
        .data(BarGroup::default().bars(&bars))
        .bar_width(BAR)
        .bar_gap(BAR_GAP)
        .bar_style(Style::new().fg(Color::Blue));
    frame.render_widget(chart, area);
}

fn bar((from_ns, count): (u64, u64)) -> Bar<'static> {
    let height = ((count + 1) as f64).log10() * 100.0;
    let label = if from_ns < 10_000 { format!("{:.1}", from_ns as f64 / 1e3) } else { short(from_ns / 1_000) };
    Bar::default().value(height as u64).text_value(short(count)).label(Line::from(label))
}

/// A number in at most six characters: `999999`, `1.2M`.
fn short(number: u64) -> String {
    match number {
        0..1_000_000 => number.to_string(),
        1_000_000..1_000_000_000 => format!("{:.1}M", number as f64 / 1e6),
        _ => format!("{:.1}G", number as f64 / 1e9),
    }
}

/// As many bars as find room: neighbours are added up.
fn at_most(bars: Vec<(u64, u64)>, most: usize) -> Vec<(u64, u64)> {
    let together = bars.len().div_ceil(most.max(1)).max(1);
    bars.chunks(together).map(|some| (some[0].0, some.iter().map(|(_, count)| count).sum())).collect()
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
            left_in_all: None,
            counted: Counted::Activations,
            phase: Phase::Measuring,
            cpus: vec![cpu],
            recent,
            is_asked_for: false,
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
    fn a_noise_run_shows_gaps() {
        let mut terminal = Terminal::new(TestBackend::new(100, 24)).unwrap();
        terminal.draw(|frame| draw(frame, "noise, fifo", &Progress { counted: Counted::Gaps, ..progress() })).unwrap();
        let shown = terminal.backend().to_string();
        assert!(shown.contains(" gaps") && shown.contains("gaps of the last seconds"), "{shown}");
        assert!(!shown.contains("served") && !shown.contains("latencies"), "{shown}");
    }

    #[test]
    fn the_time_left_of_a_study_moves_with_that_of_its_run() {
        let mut terminal = Terminal::new(TestBackend::new(60, 15)).unwrap();
        let mut shown = |elapsed_s: u64, in_all_s: u64| {
            let elapsed = prazo_core::time::Duration::from_s(elapsed_s);
            let left_in_all = Some(prazo_core::time::Duration::from_s(in_all_s));
            let progress = Progress { elapsed, left_in_all, ..progress() };
            terminal.draw(|frame| draw(frame, "evaluate 2/6", &progress)).unwrap();
            terminal.backend().to_string()
        };
        assert!(shown(10, 90).contains("10 s, 30 s left, 1 min 30 s left in all"));
        assert!(shown(11, 89).contains("11 s, 29 s left, 1 min 29 s left in all"));
        assert!(shown(12, 28).contains("12 s, 28 s left ") && !shown(12, 28).contains("in all"), "the last run");
    }

    /// Sixteen processors with figures of many digits.
    fn crowded() -> Progress {
        let cpu = |cpu: u32| CpuProgress {
            cpu,
            served: 123_456_789,
            skipped: 1_234_567,
            missed: 987_654,
            min_ns: Some(1_234_000),
            mean_ns: Some(2_345_678.0),
            max_ns: Some(404_529_480 + i64::from(cpu)),
            last_ns: Some(3_456_789),
            ..CpuProgress::default()
        };
        let mut recent = prazo_run::Histogram::new();
        (0..30).for_each(|power| recent.add(1 << power, 3_000_000));
        Progress { cpus: (0..16).map(cpu).collect(), recent, ..progress() }
    }

    #[test]
    fn every_terminal_shows_whole_figures_and_names_what_has_no_room() {
        for (width, height) in [(60, 15), (80, 24), (200, 50)] {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| draw(frame, "timer, fifo, 16 processors under every load", &crowded())).unwrap();
            let shown = terminal.backend().to_string();
            // The last line may be broken between any two words.
            let named_below: String = shown.lines().map(|line| format!("{} ", line.trim_matches('"').trim())).collect();
            for (at, name) in HEADER.iter().enumerate() {
                let header = shown.lines().find(|line| line.contains("cpu")).unwrap();
                let column = header.contains(name) && shown.contains(&figures(&crowded().cpus[15])[at]);
                let named =
                    named_below.split("A larger terminal shows").nth(1).is_some_and(|hidden| hidden.contains(name));
                assert!(column || named, "{name} at {width}x{height}\n{shown}");
            }
            assert!(shown.contains("404,529.5") && shown.contains("Ctrl-C"), "{shown}");
            let rows = shown.lines().filter(|line| line.contains("404,529.5")).count();
            assert!(rows == 16 || named_below.contains(&format!("{} processors", 16 - rows)), "{rows}\n{shown}");
        }
    }

    #[test]
    fn bars_that_find_no_room_are_added_up() {
        let bars: Vec<(u64, u64)> = (0..30).map(|at| (1 << at, 2)).collect();
        assert_eq!(at_most(bars.clone(), 30), bars);
        let few = at_most(bars, 8);
        assert!(few.len() <= 8 && few.iter().map(|(_, count)| count).sum::<u64>() == 60, "{few:?}");
        assert_eq!([short(999_999), short(1_234_567), short(3_000_000_000)], ["999999", "1.2M", "3.0G"]);
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
