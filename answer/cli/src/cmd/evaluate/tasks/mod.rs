//! `prazo evaluate --tasks`: does this task set meet its deadlines on this machine, and in which shape?
//!
//! ```text
//! overheads measured under load ─► ways this machine can be set to ─► each judged ─► the roomiest ─► run under load ─► bound beside observed
//! ```

mod document;
mod judged;
mod observed;
mod ways;

pub use document::EvaluatedTasks;

use crate::cmd::files;
use crate::cmd::measure_overheads::{Overheads, Tables, Wanted, each_once};
use crate::cmd::sched::run::Placed;
use crate::cmd::sched::test::print_edge;
use crate::exit::{Exit, Failure};
use crate::flags::cpus::CpuOrder;
use crate::flags::overheads::PolicyFlag;
use crate::out;
use document::{Evidence, text};
use judged::{Chosen, Costs, Judged};
use prazo_core::time::Duration;
use prazo_deploy::partition::Ground;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_run::Caveat;
use prazo_scenario::{Scenario, overheads, read, write};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How long each of four passes over each number of tasks is.
const TRACED: Duration = Duration::from_ms(2_500);

/// What is asked.
pub struct Asked<'a> {
    /// The scenario's file.
    pub file: &'a Path,
    /// Where run files, tables and the placed scenario go.
    pub folder: &'a Path,
    /// How long the chosen way runs under load.
    pub length: Duration,
    /// Print JSON.
    pub json: bool,
}

/// What this machine costs, by policy.
struct Machine {
    edf: Costs,
    fixed: Costs,
    /// What could not be measured, and is charged nothing.
    uncharged: Vec<String>,
    caveats: Vec<Caveat>,
}

/// Measures, decides, runs, answers.
pub fn run(asked: &Asked<'_>) -> Result<Exit, Failure> {
    let scenario = read::file(asked.file).map_err(Failure::usage)?;
    let root = Root::system();
    let topology = Topology::read(&root).map_err(Failure::world)?;
    let ground = Ground::read(&root).map_err(Failure::world)?;
    let machine = Machine::measured(&scenario, topology.allowed.count() as u32, asked.folder)?;
    let (ways, barred) = ways::of(&topology, &ground);
    let judged = ways
        .into_iter()
        .map(|way| {
            let costs = machine.costs(way.is_edf);
            judged::judge(&scenario, way, costs)
        })
        .collect::<Result<Vec<Judged>, Failure>>()?;
    let chosen = judged::choose(&judged);
    let placed = chosen.as_ref().map(|chosen| machine.place(&scenario, &judged, chosen, asked.folder)).transpose()?;
    let order = chosen.as_ref().map(|chosen| judged[chosen.index].way.order());
    let observed = placed.as_deref().zip(order.clone()).map(|(file, order)| observe(file, order, asked));
    let answer = EvaluatedTasks::new(Evidence {
        name: &scenario.name,
        judged: &judged,
        barred: &barred,
        chosen: chosen.as_ref(),
        placed: placed.as_deref(),
        order: order.filter(|order| !is_usual(order, &ground)),
        overheads: asked.folder,
        uncharged: machine.uncharged.clone(),
        observed,
        caveats: machine.caveats.clone(),
    });
    if asked.json {
        out::json(&answer)?;
    } else {
        out::text_line(&text(&answer))?;
        if chosen.is_none() {
            tell_what_to_change(&scenario, &judged, &machine)?;
        }
    }
    Ok(answer.exit())
}

/// How far each way is from the edge, with the means charged.
fn tell_what_to_change(scenario: &Scenario, judged: &[Judged], machine: &Machine) -> Result<(), Failure> {
    judged.iter().filter(|one| one.way.is_edf).try_for_each(|one| {
        let title = format!("What would have to change under {}", one.way.name);
        print_edge(title, judged::under(scenario, &one.way, &machine.costs(one.way.is_edf).mean))
    })
}

/// True where the deployer takes the processors in this order unless told otherwise.
fn is_usual(order: &CpuOrder, ground: &Ground) -> bool {
    ground.free == Some(ground.online) && order.0.iter().copied().eq(ground.online.iter().take(order.0.len()))
}

fn observe(file: &Path, cpus: CpuOrder, asked: &Asked<'_>) -> Result<observed::Observed, String> {
    eprintln!("running the set for {} under load", asked.length);
    let placed = Placed {
        file: file.to_owned(),
        cpus,
        length: asked.length,
        out: asked.folder.join("observed.prazo"),
        gantt: asked.folder.join("observed.html"),
    };
    observed::observe(&placed, &observed::usual_load(), 1).map_err(|failure| failure.line().to_owned())
}

impl Machine {
    /// Traces as many tasks as the set has, and as a queue of one processor would have, under both policies, while the load runs
    /// under which the set is run later: what disturbs the one disturbs the other.
    fn measured(scenario: &Scenario, processors: u32, folder: &Path) -> Result<Self, Failure> {
        let all = u32::try_from(scenario.tasks.len()).unwrap_or(u32::MAX).max(1);
        let mut numbers = vec![all.div_ceil(processors), all];
        numbers.dedup();
        let working_sets = working_sets(scenario);
        let wanted = Wanted { tasks: &numbers, working_sets_kib: &working_sets };
        let measure = |policy: PolicyFlag| Overheads::of(policy, wanted, TRACED, folder.join(policy.name()))?.tables();
        let (tables, _, _) = observed::under(&observed::usual_load(), 1, || {
            Ok((measure(PolicyFlag::Deadline)?, measure(PolicyFlag::Fifo)?))
        })?;
        let (deadline, fifo) = tables;
        let caveats = each_once(deadline.caveats.iter().chain(&fifo.caveats));
        let mut uncharged = deadline.uncharged.clone();
        uncharged.extend(fifo.uncharged.iter().filter(|one| !deadline.uncharged.contains(one)).cloned());
        // One processor interrupts no other.
        uncharged.retain(|what| processors > 1 || !what.starts_with("ipi"));
        Ok(Self { edf: costs(&deadline, scenario)?, fixed: costs(&fifo, scenario)?, uncharged, caveats })
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
        let failed = |error| Failure::world(format!("cannot write {}: {error}", file.display()));
        std::fs::write(&file, write::toml(&placed)).map_err(failed)?;
        Ok(file)
    }
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
