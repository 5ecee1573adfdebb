//! A study that is resumed takes no run whose guest would be another today, says why, and measures it anew.

mod support;

use prazo_lab::Platform;
use prazo_platform::fingerprint::{Fact, Fingerprint};
use prazo_run::{Plan, Run};
use prazo_study::measure::{Doing, Measure, MeasureError, StudyStep};
use prazo_study::runner::Runner;
use prazo_study::{CellState, RemoteTarget, Study};
use std::path::Path;
use support::{Disk, MemoryShelf, here, synthetic};

const STUDY: &str = r#"
[study]
name = "two"
title = "Two guests"
question = "Are they taken again?"
seed = 7

[[platform]]
id = "none"
text = "Standard"
on = "lab:standard-none"

[[platform]]
id = "rt"
text = "PREEMPT_RT"
on = "lab:rt-full"

[[load]]
id = "idle"
text = "Nothing"

[[probe]]
id = "fifo"
policy = "fifo"
priority = 90
period = "1ms"

[[measure]]
loads = ["idle"]
probes = ["fifo"]
length = "2s"
"#;

/// Guests without a machine; the lab says of each which agent it has now, if it can tell.
struct Guests {
    disk: Disk,
    agent: Option<&'static str>,
    boots: Vec<String>,
}

impl Guests {
    fn facts(&self, on: &Platform) -> Option<Fingerprint> {
        // PREEMPT_RT's agent is another's affair and never changes.
        let agent = if on.name == "rt-full" { "a" } else { self.agent? };
        let fact = Fact { value: Some(agent.to_owned()), source: "test".into() };
        Some(Fingerprint { facts: [("lab.agent_sha256".to_owned(), fact)].into() })
    }
}

impl Measure for Guests {
    fn measure(&mut self, plan: &Plan, into: &Path, step: &StudyStep) -> Result<Run, MeasureError> {
        self.boots.push(step.cell.clone());
        let run = Run {
            platform_before: self.facts(step.on.as_ref().and_then(RemoteTarget::guest).unwrap()),
            ..synthetic(plan)
        };
        self.disk.borrow_mut().insert(into.to_owned(), run.clone());
        Ok(run)
    }

    fn conditions(&mut self, _: &Plan, on: &Platform, _: Option<&Platform>) -> Option<Fingerprint> {
        self.facts(on)
    }
}

/// The cells that were booted, and those that were said to be outdated, with the reason.
fn run(folder: &Path, shelf: &mut MemoryShelf, agent: Option<&'static str>) -> (Vec<String>, Vec<(String, String)>) {
    let study = Study::parse("two.toml", STUDY).unwrap();
    let mut guests = Guests { disk: shelf.disk.clone(), agent, boots: vec![] };
    let mut outdated = vec![];
    let finished = Runner::new(&study, &here(), folder, shelf)
        .unwrap()
        .run(&mut guests, &mut |step| {
            if let Doing::Outdated(what) = &step.doing {
                outdated.push((step.cell.clone(), what.clone()));
            }
        })
        .unwrap();
    let booted = |cell: &&prazo_study::CellResult| guests.boots.contains(&cell.id);
    let states: Vec<_> = finished.result.cells.iter().filter(booted).map(|cell| cell.state).collect();
    assert!(states.iter().all(|state| *state == CellState::Measured), "{states:?}");
    (guests.boots, outdated)
}

#[test]
fn a_run_of_another_agent_is_set_aside_and_measured_anew_and_the_others_are_taken() {
    let (folder, mut shelf) = (tempfile::tempdir().unwrap(), MemoryShelf::default());
    assert_eq!(run(folder.path(), &mut shelf, Some("a")).0.len(), 2);
    assert_eq!(run(folder.path(), &mut shelf, Some("a")), (vec![], vec![]));
    let (boots, outdated) = run(folder.path(), &mut shelf, Some("b"));
    assert_eq!(boots, ["none.idle.fifo"]);
    assert_eq!(outdated, [("none.idle.fifo".to_owned(), "the agent".to_owned())]);
    assert_eq!(shelf.aside.len(), 1, "nothing is overwritten");
    assert_eq!(run(folder.path(), &mut shelf, Some("b")), (vec![], vec![]));
}

#[test]
fn where_the_lab_cannot_tell_what_is_there_is_taken() {
    let (folder, mut shelf) = (tempfile::tempdir().unwrap(), MemoryShelf::default());
    run(folder.path(), &mut shelf, Some("a"));
    assert_eq!(run(folder.path(), &mut shelf, None), (vec![], vec![]));
}
