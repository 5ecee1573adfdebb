//! Cells of guests come ahead of this machine's, fail alone, and are resumed as the others are.

mod support;

use prazo_study::{CellState, Runner, Study};
use support::{CellMeasurer, MemoryShelf, here};

const MIXED: &str = r#"
[study]
name = "mixed"
title = "Here and there"
question = "Which?"
[[platform]]
id = "here"
[[platform]]
id = "guest"
on = "lab:standard-full"
[[load]]
id = "idle"
[[probe]]
id = "fifo"
policy = "fifo"
length = "10s"
[[measure]]
repeats = 2
"#;

/// A folder with its runs, over several calls.
struct Bench {
    folder: tempfile::TempDir,
    shelf: MemoryShelf,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), shelf: MemoryShelf::default() }
    }

    fn run(&mut self, prepare: impl FnOnce(&mut CellMeasurer)) -> (Vec<CellState>, Vec<String>) {
        let (study, mut engine) = (Study::parse("test.toml", MIXED).unwrap(), CellMeasurer::on(&self.shelf));
        prepare(&mut engine);
        let mut runner = Runner::new(&study, &here(), self.folder.path(), &mut self.shelf).unwrap();
        let finished = runner.run(&mut engine, &mut |_| ()).unwrap();
        (finished.result.cells.iter().map(|cell| cell.state).collect(), engine.measured)
    }
}

const GUESTS: [&str; 2] = ["guest.idle.fifo.prazo", "guest.idle.fifo.2.prazo"];
const HERE: [&str; 2] = ["here.idle.fifo.prazo", "here.idle.fifo.2.prazo"];

#[test]
fn guests_come_first_and_everything_is_measured_once() {
    let mut bench = Bench::new();
    let (states, measured) = bench.run(|_| ());
    assert_eq!(measured, [GUESTS, HERE].concat());
    assert_eq!(states, [CellState::Measured; 2]);
    assert_eq!(bench.run(|_| ()), (vec![CellState::Reused; 2], vec![]));
}

#[test]
fn a_guest_that_failed_stops_no_other_cell_and_is_tried_again() {
    let mut bench = Bench::new();
    let (states, measured) = bench.run(|engine| engine.refuse = vec![GUESTS[0]]);
    assert_eq!(states, [CellState::Measured, CellState::Failed]);
    assert_eq!(measured, [&GUESTS[1..], &HERE[..]].concat());
    assert_eq!(bench.run(|_| ()).1, [GUESTS[0]]);
}

#[test]
fn what_was_interrupted_among_guests_is_resumed_there() {
    let mut bench = Bench::new();
    let (states, measured) = bench.run(|engine| engine.stop_after = Some(1));
    assert_eq!((states, measured), (vec![CellState::Missing; 2], vec![GUESTS[0].to_owned()]));
    assert_eq!(bench.run(|_| ()).1, [&GUESTS[1..], &HERE[..]].concat());
}
