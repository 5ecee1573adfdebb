//! `prazo evaluate --tasks`: does this task set meet its deadlines on this machine, and in which shape?
//!
//! ```text
//! overheads and latency under load ─► ways this machine can be set to ─► each judged ─► the roomiest ─► run under load ─► bound beside observed
//! ```

mod document;
mod judged;
mod latency;
mod observed;
mod told;
mod ways;

pub(crate) use document::EvaluatedTasks;

use crate::cmd::files;
use crate::cmd::measure_overheads::{Overheads, Tables, Wanted};
use crate::exit::{Exit, Failure};
use crate::flags::cpus::CpuOrder;
use crate::flags::overheads::PolicyFlag;
use crate::out;
use document::Evidence;
use judged::{Chosen, Costs, Judged};
use latency::Latency;
use prazo::evidence::each_once;
use prazo::sched::{RunOptions, RunRequest, ScheduleFiles, SchedulerOptions, Stage};
use prazo_core::time::Duration;
use prazo_deploy::partition::Ground;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_run::Caveat;
use prazo_run::run::{LoadRecord, Quantity};
use prazo_scenario::{Scenario, overheads, read, write};
use prazo_sim::Variation;
use prazo_stats::overheads::Uncharged;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use ways::Way;

/// How long each of four passes over each number of tasks is at most.
const TRACED_MAX: Duration = Duration::from_ms(2_500);

/// What is asked.
pub(crate) struct Asked<'a> {
    /// The scenario's file.
    pub file: &'a Path,
    /// Where run files, tables and the placed scenario go.
    pub folder: &'a Path,
    /// How long the chosen way runs under load; no step before takes longer.
    pub length: Duration,
    /// Print JSON.
    pub json: bool,
}

/// What this machine costs, by policy.
pub(crate) struct Machine {
    edf: Costs,
    fixed: Costs,
    /// What could not be measured, and is charged nothing.
    uncharged: Vec<Uncharged>,
    /// How late it wakes a thread; why that is not known.
    latency: Result<Latency, String>,
    /// What disturbed it while overheads were traced.
    loads: Vec<LoadRecord>,
    /// What threatens the validity of all this.
    caveats: Vec<Caveat>,
}

/// Measures, decides, runs, answers.
pub(crate) fn run(asked: &Asked<'_>) -> Result<Exit, Failure> {
    let scenario = read::file(asked.file).map_err(Failure::usage)?;
    let root = Root::system();
    let topology = Topology::read(&root).map_err(Failure::world)?;
    let ground = Ground::read(&root).map_err(Failure::world)?;
    let machine = Machine::measured(&scenario, topology.allowed.count() as u32, asked)?;
    let (ways, barred) = ways::of(&topology, &ground);
    let (judged, chosen) = judge_all(&scenario, ways, &machine)?;
    let placed = chosen.as_ref().map(|chosen| machine.place(&scenario, &judged, chosen, asked.folder)).transpose()?;
    let order = chosen.as_ref().map(|chosen| judged[chosen.index].way.order());
    let observed = placed.as_deref().zip(order.clone()).map(|(file, order)| observe(file, order, asked));
    let answer = EvaluatedTasks::new(Evidence {
        scenario: &scenario,
        judged: &judged,
        barred: &barred,
        chosen: chosen.as_ref(),
        placed: placed.as_deref(),
        order: order.filter(|order| !is_usual(order, &ground)),
        overheads: asked.folder,
        machine,
        observed,
    });
    if asked.json {
        out::json(&answer)?;
    } else {
        out::text(&told::text(&answer))?;
    }
    Ok(answer.exit())
}

/// Every way judged, and the one to deploy; where there is none, each way's distance from the edge.
fn judge_all(scenario: &Scenario, ways: Vec<Way>, machine: &Machine) -> Result<(Vec<Judged>, Option<Chosen>), Failure> {
    let judged = ways.into_iter().map(|way| {
        let costs = machine.costs(way.is_edf);
        judged::judge(scenario, way, costs)
    });
    let mut judged = judged.collect::<Result<Vec<Judged>, Failure>>()?;
    let chosen = judged::choose(&judged);
    if chosen.is_none() {
        let each = |one: &mut Judged| judged::find_edge(scenario, one, machine.costs(one.way.is_edf));
        judged.iter_mut().try_for_each(each)?;
    }
    Ok((judged, chosen))
}

/// True where the deployer takes the processors in this order unless told otherwise.
fn is_usual(order: &CpuOrder, ground: &Ground) -> bool {
    ground.free == Some(ground.online) && order.0.iter().copied().eq(ground.online.iter().take(order.0.len()))
}

fn observe(file: &Path, cpus: CpuOrder, asked: &Asked<'_>) -> Result<observed::Observed, String> {
    out::note(format_args!("running the set for {} under load", asked.length));
    let placed = RunRequest {
        tasks: file.to_owned().into(),
        options: RunOptions {
            scheduler: SchedulerOptions::default(),
            variation: Variation { seed: 1, ..Variation::default() },
            duration: asked.length,
            step: None,
            spare: None,
            stage: Stage::Here { cpus: Some(cpus.0) },
            file: Some(asked.folder.join("observed.prazo")),
            command: crate::cmd::command_line(),
        },
        schedule: ScheduleFiles { gantt: Some(asked.folder.join("observed.html")), ..ScheduleFiles::default() },
    };
    observed::observe(&placed, &observed::usual_load(), 1).map_err(|failure| failure.line().to_owned())
}

impl Machine {
    /// Traces as many tasks as the set has, and as a queue of one processor would have, under both policies, while the load runs
    /// under which the set is run later: what disturbs the one disturbs the other. Then how late it wakes a thread, under the same.
    fn measured(scenario: &Scenario, processors: u32, asked: &Asked<'_>) -> Result<Self, Failure> {
        let all = u32::try_from(scenario.tasks.len()).unwrap_or(u32::MAX).max(1);
        let mut numbers = vec![all.div_ceil(processors), all];
        numbers.dedup();
        let working_sets = working_sets(scenario);
        let wanted = Wanted { tasks: &numbers, working_sets_kib: &working_sets };
        let (traced, folder) = (TRACED_MAX.min(asked.length), asked.folder);
        let measure = |policy: PolicyFlag| Overheads::of(policy, wanted, traced, folder.join(policy.name()))?.tables();
        let (tables, loads, of_loads) = observed::under(&observed::usual_load(), 1, || {
            Ok((measure(PolicyFlag::Deadline)?, measure(PolicyFlag::Fifo)?))
        })?;
        let (deadline, fifo) = tables;
        let latency = Latency::measured(scenario, folder, asked.length).map_err(|failure| failure.line().to_owned());
        let of_latency = latency.iter().flat_map(|latency| &latency.caveats);
        let caveats = each_once(deadline.caveats.iter().chain(&fifo.caveats).chain(&of_loads).chain(of_latency));
        let uncharged = uncharged(&deadline, &fifo, processors);
        let (edf, fixed) = (costs(&deadline, scenario)?, costs(&fifo, scenario)?);
        Ok(Self { edf, fixed, uncharged, latency, loads, caveats })
    }

    fn costs(&self, is_edf: bool) -> &Costs {
        if is_edf { &self.edf } else { &self.fixed }
    }

    /// The scenario as it shall be deployed, as a file.
    fn place(
        &self,
        scenario: &Scenario,
        judged: &[Judged],
        chosen: &Chosen,
        folder: &Path,
    ) -> Result<PathBuf, Failure> {
        let one = &judged[chosen.index];
        let placed = judged::placed(scenario, one, self.costs(one.way.is_edf), chosen);
        let file = folder.join(format!("{}.{}.toml", files::name_of(Path::new(&scenario.name)), one.way.name));
        crate::output::replace(&file, write::toml(&placed))?;
        Ok(file)
    }
}

/// What either policy's tables lack. One processor interrupts no other.
fn uncharged(deadline: &Tables, fifo: &Tables, processors: u32) -> Vec<Uncharged> {
    let more = fifo.uncharged.iter().filter(|one| !deadline.uncharged.contains(one));
    let all = deadline.uncharged.iter().chain(more);
    all.filter(|one| processors > 1 || one.kind != Quantity::IpiLatency).cloned().collect()
}

/// The working sets of the tasks that have one, ascending, in KiB.
fn working_sets(scenario: &Scenario) -> Vec<u32> {
    let of_tasks = scenario.tasks.iter().filter_map(|task| u32::try_from(task.task.working_set_kib).ok());
    of_tasks.filter(|kib| *kib > 0).collect::<BTreeSet<u32>>().into_iter().collect()
}

fn costs(tables: &Tables, scenario: &Scenario) -> Result<Costs, Failure> {
    let table = |file: &Path| {
        let text = std::fs::read_to_string(file).map_err(Failure::world)?;
        overheads::read(&file.display().to_string(), &text, scenario.unit).map_err(Failure::world)
    };
    Ok(Costs { max: table(&tables.max)?, mean: table(&tables.mean)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(lacks: &[Quantity]) -> Tables {
        let uncharged = lacks.iter().map(|kind| Uncharged { kind: *kind, why: "no such point".into() }).collect();
        Tables { max: PathBuf::new(), mean: PathBuf::new(), uncharged, caveats: vec![] }
    }

    #[test]
    fn a_kind_is_lacking_once_and_one_processor_lacks_no_interrupt_to_another() {
        let deadline = tables(&[Quantity::IpiLatency, Quantity::TickOverhead]);
        let fifo = tables(&[Quantity::TickOverhead, Quantity::EventLatency]);
        let kinds = |processors| uncharged(&deadline, &fifo, processors).iter().map(|one| one.kind).collect::<Vec<_>>();
        assert_eq!(kinds(1), [Quantity::TickOverhead, Quantity::EventLatency]);
        assert_eq!(kinds(2), [Quantity::IpiLatency, Quantity::TickOverhead, Quantity::EventLatency]);
    }
}
