//! The published schemas: one for each document that `--json` prints, made from the types that print them.
//!
//! What can be missing is null, never left out, so each schema requires every key that the command prints.

use crate::exit::Failure;
use prazo::measure::{Measured, overheads::MeasuredOverheads};
use prazo::output;
use prazo_experiment::ExperimentResult;
use prazo_experiment::chunk::ChunkResult;
use prazo_platform::readiness::{Change, CheckResult};
use prazo_platform::tunable::Undone;
use prazo_platform::tune::Applied;
use prazo_report::json::Report;
use prazo_run::export::json::RunDocument;
use prazo_stats::Comparison;
use prazo_study::StudyResult;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use std::path::Path;

/// Each schema with the name of its file.
fn published() -> [(&'static str, Schema); 45] {
    [
        ("boards", of::<prazo::board::Boards>()),
        ("fetch", of::<prazo::board::BoardEnd>()),
        ("measure", of::<Measured<'static>>()),
        ("measure-in-turn", of::<Vec<Measured<'static>>>()),
        ("measure-overheads", of::<MeasuredOverheads>()),
        ("import", of::<Vec<prazo::import::Imported>>()),
        ("check", of::<Vec<CheckResult>>()),
        ("tune", of::<Vec<Change>>()),
        ("tune-apply", of::<Vec<Applied>>()),
        ("tune-undo", of::<Vec<Undone>>()),
        ("cost", of::<prazo::cost::Costed>()),
        ("cost-list", of::<Vec<prazo::cost::ListedWorkload>>()),
        ("evaluate-tasks", of::<prazo::evaluate::EvaluatedTasks>()),
        ("load", of::<prazo::load::LoadsAnswer>()),
        ("load-compare", of::<prazo::load_peers::PeersAnswer>()),
        ("load-list", of::<Vec<prazo::load::ListedLoad>>()),
        ("trigger", of::<prazo::trigger::Triggered>()),
        ("lab-fetch", of::<prazo::lab::Fetched>()),
        ("lab-list", of::<prazo::lab::Listed>()),
        ("lab-carry", of::<prazo::lab::Moved>()),
        ("lab-explain", of::<prazo::lab::explain::Explained>()),
        ("lab-bound", of::<prazo::lab::bound::Bounded>()),
        ("lab-hunt", of::<prazo::lab::hunt::Hunted>()),
        ("lab-boot", of::<prazo::lab::Booted>()),
        ("study", of::<StudyResult>()),
        ("study-list", of::<Vec<prazo::study::ListedStudy>>()),
        ("sched-test", of::<Vec<prazo::sched::Tested>>()),
        ("sched-advise", of::<prazo::sched::Advised>()),
        ("sched-batch", of::<prazo::sched::Answered>()),
        ("sched-simulate", of::<prazo::sched::Simulated>()),
        ("sched-simulate-batch", of::<prazo::sched::SimulatedLine>()),
        ("sched-run", of::<prazo::sched::RunSet>()),
        ("sched-inversion", of::<prazo::sched::Inverted>()),
        ("sched-run-batch", of::<prazo::sched::RunLine>()),
        ("sched-experiment", of::<ExperimentResult>()),
        ("sched-experiment-chunk", of::<ChunkResult>()),
        ("sched-deploy", of::<prazo::sched::Deployment>()),
        ("sched-watch", of::<prazo::sched::Watched>()),
        ("sched-undeploy", of::<Vec<Undone>>()),
        ("sched-curve", of::<prazo::sched::ObservedCurves>()),
        ("sched-verify", of::<prazo::sched::Verified>()),
        ("watch", of::<prazo::watch::WatchedProgram>()),
        ("compare", of::<Vec<Comparison>>()),
        ("report", of::<Report<'static>>()),
        ("export-json", of::<RunDocument<'static>>()),
    ]
}

/// The schema of what a type is printed as.
fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// The documents of a command, whose words are joined by hyphens: each with true where it is an array. One for a form of the
/// command has more words; one for several commands has the first of their words.
pub(super) fn of_command(words: &str) -> Vec<(&'static str, bool)> {
    let is_array = |schema: &Schema| schema.get("type").is_some_and(|kind| kind == "array");
    let is_of = |name: &str| name.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let first = words.split_once('-').map(|(first, _)| first);
    let (mut own, mut common) = (Vec::new(), Vec::new());
    for (name, schema) in published() {
        if is_of(name) {
            own.push((name, is_array(&schema)));
        } else if Some(name) == first {
            common.push((name, is_array(&schema)));
        }
    }
    if own.is_empty() { common } else { own }
}

/// Writes each schema to `NAME.json` in `folder`.
pub(super) fn write_all(folder: &Path) -> Result<(), Failure> {
    output::make_folder(folder)?;
    published().iter().try_for_each(|(name, schema)| write(&folder.join(format!("{name}.json")), schema))
}

fn write(file: &Path, schema: &Schema) -> Result<(), Failure> {
    Ok(output::replace(file, format!("{:#}\n", schema.as_value()))?)
}
