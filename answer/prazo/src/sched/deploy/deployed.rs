//! A task set deployed, shown, or written as units of systemd's; and put back.

use super::admission::{self, AdmissionForecast};
use super::assignment::Assignment;
use super::document::{Deployment, WrittenUnits};
use crate::error::Error;
use crate::output;
use crate::progress::{Progress, Remark};
use crate::sched::cpu_order::CpuOrder;
use crate::sched::grants::Grants;
use crate::sched::options::{SchedulerOptions, TaskSet};
use crate::sched::question::PosedQuestion;
use crate::tune::UndoneChanges;
use prazo_analysis::question::Method;
use prazo_core::cpu::Cpu;
use prazo_core::time_model::TimeModel;
use prazo_core::verdict::Verdict;
use prazo_deploy::carrier::{self, CarrierError, Resolved, ThreadSnapshot};
use prazo_deploy::deployment::{self, Cluster, DeployError, Deployed, DeploymentRecord, Loose, Standing};
use prazo_deploy::partition::Ground;
use prazo_deploy::plan::Member;
use prazo_deploy::{Carrier, PartitionError, Plan, check, units};
use prazo_platform::root::Root;
use prazo_platform::tunable::Journal;
use prazo_sys::scheduling::SCHED_DEADLINE;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Which set, carried by what, on which processors.
#[derive(Clone, Debug)]
pub struct DeployRequest {
    /// The task set.
    pub tasks: TaskSet,
    /// How the scheduler differs from what the scenario says.
    pub options: SchedulerOptions,
    /// How the analysis goes about it.
    pub method: Method,
    /// What carries which task, by the task's name.
    pub carriers: Vec<(String, Carrier)>,
    /// The processors in the order in which clusters take them; by default the first free ones.
    pub cpus: Option<Vec<Cpu>>,
    /// What to do.
    pub mode: DeployMode,
    /// True to deploy also what is disproven.
    pub allow_disproven: bool,
    /// True to stop and continue a task that sleeps on, since the kernel refuses its deadline until it has run in its cluster.
    pub wake: bool,
    /// How long to look where the tasks run.
    pub observe: Duration,
    /// The folder of the journal; by default this user's.
    pub journal: Option<PathBuf>,
}

/// What is done with a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeployMode {
    /// It is carried out.
    Deploy,
    /// It is shown.
    Show,
    /// It is written as units and slices of systemd's into this folder.
    Units(PathBuf),
}

/// Everything that is known before anything is changed.
struct Prepared {
    root: Root,
    ground: Ground,
    name: String,
    assignment: Assignment,
    forecast: AdmissionForecast,
    carriers: Vec<Option<Carrier>>,
}

/// Shows, writes or deploys.
pub fn deploy(request: &DeployRequest, progress: &mut dyn Progress) -> Result<Deployment, Error> {
    let prepared = prepare(request)?;
    let mut document = Deployment::asked(&prepared.name, &prepared.assignment, &prepared.forecast);
    document.carried(&prepared.carriers);
    document.shows_steps = matches!(request.mode, DeployMode::Show);
    let is_refused = prepared.assignment.verdict == Verdict::Disproven && !request.allow_disproven;
    match &request.mode {
        DeployMode::Units(folder) if !is_refused => write_units(folder, &prepared, &mut document)?,
        DeployMode::Deploy if !is_refused => carry_out(request, &prepared, &mut document, progress)?,
        _ => show(&prepared, &mut document)?,
    }
    Ok(document)
}

/// What is to be undone.
#[derive(Clone, Debug, Default)]
pub struct UndeployRequest {
    /// The folder of the journal; by default this user's.
    pub journal: Option<PathBuf>,
}

/// Undoes what was deployed, and what a deployment that was killed left behind.
pub fn undeploy(request: &UndeployRequest, _progress: &mut dyn Progress) -> Result<UndoneChanges, Error> {
    let journal = opened(&request.journal, &Root::system())?;
    deployment::undo(&journal).map(UndoneChanges).map_err(Error::failed)
}

/// The journal of what is changed on this machine.
fn opened(folder: &Option<PathBuf>, root: &Root) -> Result<Journal, Error> {
    match folder {
        Some(folder) => Journal::open_in(folder, root),
        None => Journal::open(root),
    }
    .map_err(Error::failed)
}

/// What is deployed, by the record beside this journal; an error if nothing is.
pub(crate) fn standing(folder: &Option<PathBuf>, root: &Root) -> Result<DeploymentRecord, Error> {
    let journal = opened(folder, root)?;
    deployment::current(&journal).map_err(Error::failed)?.ok_or_else(|| {
        Error::refused("nothing is deployed").with_remedy("deploy a task set first, with `prazo sched deploy`")
    })
}

/// What the kernel grants a deadline thread in a period; what the scenario says of one with a priority.
pub(crate) fn budget_ns(task: &Deployed) -> u64 {
    if task.attr.policy == SCHED_DEADLINE { task.attr.runtime_ns } else { task.cost_ns }
}

fn prepare(request: &DeployRequest) -> Result<Prepared, Error> {
    if request.options.time == TimeModel::Discrete {
        let why = "on a real machine, jobs also arrive between ticks";
        return Err(Error::field("time", why).with_value(TimeModel::Discrete).with_remedy("leave out --time"));
    }
    let root = Root::system();
    let posed = PosedQuestion::new(request.tasks.read().map_err(Error::refused)?, &request.options)?;
    posed.check_plain()?;
    let ground = Ground::read(&root).map_err(Error::failed)?;
    let cpus = request.cpus.clone().unwrap_or_else(|| CpuOrder::usual(&ground).0);
    let grants = Grants::of_machine(&root, cpus);
    let assignment = Assignment::of(&posed, &request.method, &grants)?;
    let names: Vec<&str> = assignment.tasks.iter().map(|task| task.name.as_str()).collect();
    let carriers = carriers_of(&names, &request.carriers)?;
    let forecast = admission::forecast(&grants, &assignment);
    Ok(Prepared { root, ground, name: posed.scenario.name, assignment, forecast, carriers })
}

/// The carrier of each of `tasks`, in order; `None` where a task has none.
fn carriers_of(tasks: &[&str], named: &[(String, Carrier)]) -> Result<Vec<Option<Carrier>>, Error> {
    let mut carriers = vec![None; tasks.len()];
    for (name, carrier) in named {
        let Some(task) = tasks.iter().position(|task| task == name) else {
            let known = format!("name one of {}", tasks.join(", "));
            return Err(Error::refused(format!("there is no task '{name}' in the scenario")).with_remedy(known));
        };
        if carriers[task].replace(carrier.clone()).is_some() {
            return Err(Error::refused(format!("more than one process, command or unit is named for task '{name}'"))
                .with_remedy("name only one process, command or unit for the task"));
        }
    }
    Ok(carriers)
}

/// The steps for those that are named and there; nothing is started for a look.
fn show(prepared: &Prepared, document: &mut Deployment) -> Result<(), Error> {
    let tasks = || prepared.assignment.tasks.iter().zip(&prepared.carriers).enumerate();
    let by_number = |(index, (task, carrier)): (usize, (_, &'_ Option<Carrier>))| match carrier {
        Some(Carrier::Command(_)) | None => None,
        Some(_) => Some((index, task)),
    };
    let shown: Vec<usize> = tasks().filter_map(by_number).map(|(index, _)| index).collect();
    let Resolved { found, .. } = resolve(prepared, &shown)?;
    let members: Vec<Member> = shown.iter().zip(found).map(|(index, found)| member(prepared, *index, found)).collect();
    document.planned(&plan(prepared, &members)?);
    for (_, (task, carrier)) in tasks() {
        match carrier {
            None => document
                .remarks
                .push(format!("No process, command or unit is named for task '{}' yet: add --pid {0}=PID.", task.name)),
            Some(Carrier::Command(command)) => document.remarks.push(format!(
                "Task '{}': '{command}' would be started, placed like the others, and released. `prazo sched \
                 undeploy` ends the command and all its children, or its process group if there is no control group.",
                task.name
            )),
            Some(_) => {}
        }
    }
    Ok(())
}

fn carry_out(
    request: &DeployRequest,
    prepared: &Prepared,
    document: &mut Deployment,
    progress: &mut dyn Progress,
) -> Result<(), Error> {
    let journal = opened(&request.journal, &prepared.root)?;
    for undone in journal.recover().map_err(Error::failed)? {
        progress.remark(&Remark::Text(format!("prazo: change made by a killed prazo process: {undone}")));
    }
    if !journal.deployed().map_err(Error::failed)?.is_empty() {
        return Err(Error::refused("a deployment exists already").with_remedy("undo it with `prazo sched undeploy`"));
    }
    check_all_carried(prepared)?;
    let all: Vec<usize> = (0..prepared.assignment.tasks.len()).collect();
    let Resolved { found, waiting } = resolve(prepared, &all)?;
    let members: Vec<Member> =
        found.into_iter().enumerate().map(|(index, found)| member(prepared, index, found)).collect();
    let plan = plan(prepared, &members)?.waking(request.wake);
    let standing = Standing::make(&journal, &plan, waiting).map_err(|error| refused(error, prepared))?;
    let record = record(prepared, &plan, &members);
    document.remarks.extend(standing.loose().iter().map(|loose| uncontained(loose, &members)));
    standing.keep(&record).map_err(Error::failed)?;
    document.planned(&plan);
    let seen = check::watch(&prepared.root, &record, request.observe);
    let differs = [check::differences(&prepared.root, &record), check::strays(&record, &seen)].concat();
    document.holds(&prepared.root, &record, &seen, differs);
    Ok(())
}

fn write_units(folder: &Path, prepared: &Prepared, document: &mut Deployment) -> Result<(), Error> {
    check_all_carried(prepared)?;
    let layout = units::layout(&prepared.assignment.clusters, prepared.ground.online).map_err(Error::refused)?;
    let folder_of_commands = std::env::current_dir().map_err(Error::failed)?;
    let folder_of_commands = folder_of_commands.display().to_string();
    let carried = prepared.assignment.tasks.iter().zip(prepared.carriers.iter().flatten());
    let unit =
        |(task, carrier): (&'_ super::assignment::Assigned, _)| (task.name.clone(), task.cluster, task.attr, carrier);
    let carried: Vec<_> = carried.map(unit).collect();
    let tasks: Vec<units::UnitTask<'_>> = carried
        .iter()
        .map(|(task, cluster, attr, carrier)| units::UnitTask {
            task,
            cluster: *cluster,
            attr: *attr,
            carrier,
            folder: &folder_of_commands,
        })
        .collect();
    let units = units::units(&prepared.name, &layout, &tasks).map_err(Error::refused)?;
    for unit in &units {
        let file = folder.join(&unit.path);
        output::write(&file, &unit.text)?;
        document.remarks.push(format!("Written: {}.", file.display()));
    }
    document.written = Some(WrittenUnits { files: units.len(), folder: folder.to_owned() });
    for (cluster, row) in document.clusters.iter_mut().enumerate() {
        row.group = units::slice_of(&layout, cluster);
    }
    document.remarks.push(format!(
        "Copy the contents of {} to /etc/systemd/system, run `systemctl daemon-reload` and restart the units. To undo this, remove the files.",
        folder.display()
    ));
    Ok(())
}

/// Refuses a set of which a task has no carrier.
fn check_all_carried(prepared: &Prepared) -> Result<(), Error> {
    let tasks = prepared.assignment.tasks.iter().zip(&prepared.carriers);
    let without: Vec<&str> =
        tasks.filter(|(_, carrier)| carrier.is_none()).map(|(task, _)| task.name.as_str()).collect();
    let Some(first) = without.first() else { return Ok(()) };
    let remedy = format!(
        "name one for each task, as in --pid {first}=PID, --command {first}=CMD or --unit {first}=UNIT, or use --dry-run"
    );
    Err(Error::refused(format!("no process, command or unit was named for {}", without.join(", "))).with_remedy(remedy))
}

/// The threads that carry the tasks of these numbers, all of which have a carrier.
fn resolve(prepared: &Prepared, tasks: &[usize]) -> Result<Resolved, Error> {
    let carried = |index: &usize| {
        let carrier = prepared.carriers[*index].as_ref().expect("the caller asks for tasks that have a carrier");
        (prepared.assignment.tasks[*index].name.as_str(), carrier)
    };
    let carried: Vec<(&str, &Carrier)> = tasks.iter().map(carried).collect();
    // A process or unit that is not there was named wrongly.
    let error = |error: CarrierError| if error.is_usage() { Error::refused(error) } else { Error::failed(error) };
    carrier::resolve(&prepared.root, &carried).map_err(error)
}

fn member(prepared: &Prepared, index: usize, found: ThreadSnapshot) -> Member {
    let task = &prepared.assignment.tasks[index];
    let is_started = matches!(prepared.carriers[index], Some(Carrier::Command(_)));
    Member { task: task.name.clone(), cluster: task.cluster, attr: task.attr, found, is_started }
}

/// A command that no group holds together with what it starts.
fn uncontained(loose: &Loose, members: &[Member]) -> String {
    let task = members.iter().find(|member| member.found.process == loose.process);
    let task = task.map_or("", |member| member.task.as_str());
    let why = &loose.why;
    format!(
        "Task '{task}': no control group was made for its command ({why}), so undeploy ends its process group; processes that leave the group keep running."
    )
}

fn plan(prepared: &Prepared, members: &[Member]) -> Result<Plan, Error> {
    Plan::of(&prepared.assignment.clusters, members, &prepared.ground).map_err(|error| match error {
        PartitionError::NotOnline { .. } | PartitionError::Overlap { .. } => Error::refused(error),
        other => Error::failed(other),
    })
}

fn record(prepared: &Prepared, plan: &Plan, members: &[Member]) -> DeploymentRecord {
    let Prepared { assignment, .. } = prepared;
    DeploymentRecord {
        name: prepared.name.clone(),
        verdict: assignment.verdict,
        decided_by: assignment.decided_by.map(str::to_owned),
        clusters: Cluster::of(plan),
        tasks: members.iter().zip(&assignment.tasks).map(|(member, task)| Deployed::of(member, task.times)).collect(),
    }
}

/// The kernel's refusal, with the sums that it went by.
fn refused(error: DeployError, prepared: &Prepared) -> Error {
    match &error {
        DeployError::Refused { by_admission: true, .. } => {
            let sums = prepared.forecast.sums(&prepared.assignment.clusters).join("; ");
            Error::failed(error).with_remedy(sums)
        }
        _ => Error::failed(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_has_at_most_one_carrier_and_each_carrier_a_task() {
        let named = |all: &[(&str, Carrier)]| -> Vec<(String, Carrier)> {
            all.iter().map(|(name, carrier)| ((*name).to_owned(), carrier.clone())).collect()
        };
        let (tasks, seven, command) = (["a", "b"], Carrier::Pid(7), Carrier::Command("sleep 5 --x=1".into()));
        let found = carriers_of(&tasks, &named(&[("a", seven.clone()), ("b", command.clone())])).unwrap();
        assert_eq!(found, [Some(seven.clone()), Some(command.clone())]);
        assert_eq!(carriers_of(&tasks, &named(&[("a", seven.clone())])).unwrap()[1], None);
        for wrong in [vec![("c", seven.clone())], vec![("a", seven), ("a", command)]] {
            assert!(matches!(carriers_of(&tasks, &named(&wrong)), Err(Error::Refused(_))));
        }
    }
}
