//! What a table on a terminal promises: texts give way, figures do not, and foreign text stays text.

use prazo_report::terminal::{Side, Style, columns, watched};
use prazo_report::view::{Cell, Tone};
use prazo_verdict::watched::WatchedThread;

fn drawn(sides: &[Side], row: &[&str], width: usize) -> String {
    columns(sides, &[row.iter().map(|text| Cell::from(*text)).collect()], &Style { width, ..Style::default() })
}

#[test]
fn a_long_text_gives_way_and_figures_do_not() {
    let sides = [Side::Cut, Side::Right];
    assert_eq!(drawn(&sides, &["a text that is long", "1,234"], 21), "a text that i…  1,234\n");
    assert_eq!(drawn(&sides, &["short", "1,234"], 21), "short  1,234\n");
    let rows = ["share missed", "0.0255 %"].map(|text| vec![Cell::from("a"), Cell::from(text)]);
    let style = Style { width: 11, ..Style::default() };
    assert_eq!(columns(&[Side::Left, Side::Named], &rows, &style), "a     share\n     missed\na  0.0255 %\n");
    assert_eq!(drawn(&[Side::Wrapped, Side::Right], &["one two three", "12"], 11), "one two  12\nthree\n");
}

#[test]
fn room_is_counted_in_columns_of_the_terminal() {
    assert_eq!(drawn(&[Side::Left, Side::Right], &["板板", "38.44 µs"], 40), "板板  38.44 µs\n");
    assert_eq!(drawn(&[Side::Wrapped, Side::Left], &["板板 板", "x"], 7), "板板  x\n板\n");
}

#[test]
fn foreign_text_is_printable_and_colour_comes_only_when_asked_for() {
    let row = vec![vec![Cell::toned("a\u{1b}[31m", Tone::Bad)]];
    let plain = columns(&[Side::Left], &row, &Style::default());
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    let coloured = columns(&[Side::Left], &row, &Style { colour: true, ..Style::default() });
    assert!(coloured.contains('\u{1b}') && !coloured.contains("\u{1b}[31m"), "{coloured:?}");
}

#[test]
fn a_narrow_terminal_loses_columns_and_lists_their_names() {
    let thread = WatchedThread {
        thread_id: 123_456,
        name: "control-loop".into(),
        wait: "clock_nanosleep".into(),
        period_ns: Some(1_000_000),
        due: Some(15_131),
        ..WatchedThread::default()
    };
    let at = |width, is_terminal| {
        watched::threads(std::slice::from_ref(&thread), &Style { width, is_terminal, ..Style::default() })
    };
    let narrow = at(80, true);
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    let named = narrow.lines().last().unwrap();
    assert!(named.starts_with("A wider terminal shows wait, ") && named.contains("p99"), "{narrow}");
    for kept in ["thread", "missed", "unseen", "max latency µs", "max response µs"] {
        assert!(narrow.lines().next().unwrap().contains(kept), "{narrow}");
    }
    assert!(!at(80, false).contains("wider"), "a file has every column");
    assert!(!at(200, true).contains("wider"));
}
