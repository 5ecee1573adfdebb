//! The published schemas: one for each document that `--json` prints, made from the types that print them.
//!
//! What can be missing is null, never left out, so each schema requires every key that the command prints.

use crate::error::Error;
use crate::measure::{MeasureDocument, overheads::MeasuredOverheads};
use crate::{board, cost, evaluate, import, lab, load, load_peers, output, sched, study, trigger, watch};
use prazo_experiment::ExperimentResult;
use prazo_experiment::chunk::ChunkResult;
use prazo_platform::readiness::{Change, CheckResult};
use prazo_platform::tunable::Undone;
use prazo_platform::tune::Applied;
use prazo_report::json::Report;
use prazo_run::export::json::RunDocument;
use prazo_stats::Comparison;
use prazo_study::StudyResult;
use prazo_study::gate::history::HistoryResult;
use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema};
use std::path::Path;

/// Each schema with the name of its file.
fn published() -> [(&'static str, Schema); 49] {
    [
        ("boards", of::<board::Boards>()),
        ("fetch", of::<board::BoardEnd>()),
        ("measure", of::<MeasureDocument<'static>>()),
        ("measure-in-turn", of::<Vec<MeasureDocument<'static>>>()),
        ("measure-overheads", of::<MeasuredOverheads>()),
        ("import", of::<Vec<import::Imported>>()),
        ("check", of::<Vec<CheckResult>>()),
        ("tune", of::<Vec<Change>>()),
        ("tune-apply", of::<Vec<Applied>>()),
        ("tune-undo", of::<Vec<Undone>>()),
        ("cost", of::<cost::Costed>()),
        ("cost-list", of::<Vec<cost::ListedWorkload>>()),
        ("evaluate-tasks", of::<evaluate::EvaluatedTasks>()),
        ("load", of::<load::LoadsAnswer>()),
        ("load-compare", of::<load_peers::PeersAnswer>()),
        ("load-list", of::<Vec<load::ListedLoad>>()),
        ("trigger", of::<trigger::Triggered>()),
        ("lab-build", of::<lab::Built>()),
        ("lab-fetch", of::<lab::Fetched>()),
        ("lab-list", of::<lab::Listed>()),
        ("lab-carry", of::<lab::Moved>()),
        ("lab-prune", of::<lab::Pruned>()),
        ("lab-explain", of::<lab::explain::Explained>()),
        ("lab-bound", of::<lab::bound::Bounded>()),
        ("lab-hunt", of::<lab::hunt::Hunted>()),
        ("lab-boot", of::<lab::Booted>()),
        ("study", of::<StudyResult>()),
        ("gate-history", of::<HistoryResult>()),
        ("study-list", of::<Vec<study::ListedStudy>>()),
        ("sched-test", of::<Vec<sched::Tested>>()),
        ("sched-advise", of::<sched::Advised>()),
        ("sched-batch", of::<sched::Answered>()),
        ("sched-simulate", of::<sched::Simulated>()),
        ("sched-simulate-batch", of::<sched::SimulatedLine>()),
        ("sched-run", of::<sched::RunSet>()),
        ("sched-inversion", of::<sched::Inverted>()),
        ("sched-run-batch", of::<sched::RunLine>()),
        ("sched-experiment", of::<ExperimentResult>()),
        ("sched-experiment-chunk", of::<ChunkResult>()),
        ("sched-deploy", of::<sched::Deployment>()),
        ("sched-watch", of::<sched::Watched>()),
        ("sched-undeploy", of::<Vec<Undone>>()),
        ("sched-curve", of::<sched::ObservedCurves>()),
        ("sched-executors", of::<sched::TestedExecutors>()),
        ("sched-verify", of::<sched::Verified>()),
        ("watch", of::<watch::WatchedProgram>()),
        ("compare", of::<Vec<Comparison>>()),
        ("report", of::<Report<'static>>()),
        ("export-json", of::<RunDocument<'static>>()),
    ]
}

/// The schema of what a type is printed as.
fn of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(null_for_none);
    settings.into_generator().into_root_schema_for::<T>()
}

/// Descriptions are the types' comments: what is `None` there is null in the document.
fn null_for_none(schema: &mut Schema) {
    if let Some(serde_json::Value::String(text)) = schema.get_mut("description") {
        *text = text.replace("`None`", "null");
    }
    transform_subschemas(&mut null_for_none, schema);
}

/// The documents of a command, whose words are joined by hyphens: each with true where it is an array. One for a form of the
/// command has more words; one for several commands has the first of their words.
pub fn of_command(words: &str) -> Vec<(&'static str, bool)> {
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
///
/// # Errors
/// The folder cannot be made, or a file not written.
pub fn write_all(folder: &Path) -> Result<(), Error> {
    output::make_folder(folder)?;
    published().iter().try_for_each(|(name, schema)| write(&folder.join(format!("{name}.json")), schema))
}

fn write(file: &Path, schema: &Schema) -> Result<(), Error> {
    output::replace(file, format!("{:#}\n", schema.as_value()))
}
