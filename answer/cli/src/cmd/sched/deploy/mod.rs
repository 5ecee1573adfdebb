//! `prazo sched deploy`: from a verdict's assignment to partitions, policies and priorities; reversibly.

mod admission;
mod assignment;
mod carriers;
mod document;
mod told;

pub use document::Deployment;

use super::ask::Asked;
use super::run::shape::{self, Scheduler};
use super::simulate::flags::RankFlag;
use super::{exit_of, worse};
use crate::cmd::files;
use crate::exit::{Exit, Failure};
use crate::flags::cpus::CpuOrder;
use crate::flags::sched::{Asking, PolicyFlag, PrioritiesFlag};
use crate::out;
use admission::Said;
use assignment::Assignment;
use carriers::{Carriers, Resolved};
use prazo_analysis::Verdict;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_deploy::deployment::{self, Cluster, DeployError, Deployed, Loose, Record, Standing};
use prazo_deploy::partition::Ground;
use prazo_deploy::plan::Member;
use prazo_deploy::{Carrier, PartitionError, Plan, check, units};
use prazo_platform::root::Root;
use prazo_platform::tunable::Journal;
use prazo_scenario::read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Put tasks where the analysis says, with the policies that it says.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo sched deploy robot.toml --shape partitioned-edf --pid arm=812 --pid eye=813 --dry-run
  prazo sched deploy robot.toml --shape clustered-edf:1,3 --command arm='./arm --fast' --command eye=./eye
  prazo sched deploy robot.toml --shape clustered-edf:1,3 --unit arm=arm.service --unit eye=eye.service --systemd units
  prazo sched undeploy                                put everything back, also after a crash

Exit status: 0 every deadline is proven and everything is as asked, 1 disproven (nothing is done without --anyway) or
something differs, 3 not proven: the kernel's admission alone is no proof, 4 the machine refused; then all is as before.")]
pub struct Args {
    /// A task set: TOML, CSV, or rt-app's JSON
    #[arg(value_name = "SCENARIO")]
    file: PathBuf,
    #[command(flatten)]
    asking: Asking,
    /// In one word who shares processors and who ranks jobs, as for `run`: global-edf, partitioned-edf, clustered-edf:2,2, rm
    #[arg(long, short, value_name = "SHAPE", conflicts_with = "clusters")]
    shape: Option<String>,
    #[command(flatten)]
    carriers: Carriers,
    /// Processors to use, in this machine's numbers and in the order in which clusters take them [default: the first free ones]
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuOrder>,
    /// Only show what would be done, and what would undo it
    #[arg(long)]
    dry_run: bool,
    /// Write units and slices of systemd's into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "dry_run")]
    systemd: Option<PathBuf>,
    /// Deploy also what is disproven
    #[arg(long)]
    anyway: bool,
    /// Stop and continue a task that sleeps on, since the kernel refuses its deadline until it has run in its cluster; some system
    /// calls end early for that (EINTR)
    #[arg(long)]
    wake: bool,
    /// How long to look where the tasks run, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 500)]
    look: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Everything that is known before anything is changed.
struct Prepared {
    root: Root,
    ground: Ground,
    name: String,
    assignment: Assignment,
    said: Said,
    carriers: Vec<Option<Carrier>>,
}

impl Args {
    /// Shows, writes or deploys.
    pub fn run(mut self) -> Result<Exit, Failure> {
        self.take_shape()?;
        let prepared = self.prepare()?;
        let mut document = Deployment::asked(&prepared.name, &prepared.assignment, &prepared.said);
        document.carried(&prepared.carriers);
        let exit = exit_of(prepared.assignment.verdict);
        let is_refused = prepared.assignment.verdict == Verdict::Disproven && !self.anyway;
        if let Some(folder) = self.systemd.as_deref().filter(|_| !is_refused) {
            self.write_units(folder, &prepared, &mut document)?;
            return self.print(&document, exit);
        }
        if self.dry_run || is_refused {
            self.show(&prepared, &mut document)?;
            return self.print(&document, exit);
        }
        self.deploy(&prepared, &mut document)?;
        let differs = if document.differs.is_empty() { Exit::Pass } else { Exit::Fail };
        self.print(&document, worse(exit, differs))
    }

    /// What `--shape` says in one word, the other flags say in two.
    fn take_shape(&mut self) -> Result<(), Failure> {
        let Some(word) = &self.shape else { return Ok(()) };
        let Scheduler { shape, rank } = shape::read(word)?;
        self.asking.clusters = shape;
        let priorities = match rank {
            None => return Ok(()),
            Some(RankFlag::Edf) => {
                self.asking.policy = Some(PolicyFlag::Edf);
                return Ok(());
            }
            Some(RankFlag::Rm) => Some(PrioritiesFlag::RateMonotonic),
            Some(RankFlag::Dm) => Some(PrioritiesFlag::DeadlineMonotonic),
            Some(RankFlag::Fp) => None,
            Some(_) => return Err(Failure::usage(format!("--shape {word}: Linux has no such policy"))),
        };
        self.asking.policy = Some(PolicyFlag::Fp);
        self.asking.priorities = self.asking.priorities.or(priorities);
        Ok(())
    }

    fn prepare(&self) -> Result<Prepared, Failure> {
        let root = Root::system();
        let scenario = read::file(&self.file).map_err(Failure::usage)?;
        let asked = Asked::new(scenario, &self.asking)?;
        let ground = Ground::read(&root).map_err(Failure::world)?;
        let assignment = Assignment::of(&asked, &self.asking.method(), &self.processors(&ground))?;
        let names: Vec<String> = assignment.tasks.iter().map(|task| task.name.clone()).collect();
        let carriers = self.carriers.of_tasks(&names)?;
        let said = admission::asked(&root, &assignment);
        Ok(Prepared { root, ground, name: asked.scenario.name.clone(), assignment, said, carriers })
    }

    /// The processors named, else those that nobody owns, before those that somebody does.
    fn processors(&self, ground: &Ground) -> Vec<Cpu> {
        let owned = ground.free.map_or(Some(ground.online), |free| ground.online.difference(free));
        let cpus = |set: Option<CpuSet>| set.iter().flat_map(|set| set.iter().collect::<Vec<_>>()).collect::<Vec<_>>();
        match &self.cpus {
            Some(named) => named.0.clone(),
            None => [cpus(ground.free), cpus(owned)].concat(),
        }
    }

    fn print(&self, document: &Deployment, exit: Exit) -> Result<Exit, Failure> {
        match self.json {
            true => out::json(document)?,
            false => told::print(document, self.dry_run)?,
        }
        Ok(exit)
    }

    /// The steps for those that are named and there; nothing is started for a look.
    fn show(&self, prepared: &Prepared, document: &mut Deployment) -> Result<(), Failure> {
        let by_number = |carrier: &Option<Carrier>| match carrier {
            Some(Carrier::Command(_)) | None => None,
            Some(other) => Some(other.clone()),
        };
        let shown: Vec<(usize, Carrier)> = prepared
            .carriers
            .iter()
            .enumerate()
            .filter_map(|(index, carrier)| Some((index, by_number(carrier)?)))
            .collect();
        let (indices, carriers): (Vec<usize>, Vec<Carrier>) = shown.into_iter().unzip();
        let names: Vec<String> = indices.iter().map(|index| prepared.assignment.tasks[*index].name.clone()).collect();
        let Resolved { found, .. } = carriers::resolve(&prepared.root, &names, &carriers)?;
        let members: Vec<Member> =
            indices.iter().zip(found).map(|(index, found)| member(prepared, *index, found)).collect();
        document.planned(&plan(prepared, &members)?);
        for (task, carrier) in prepared.assignment.tasks.iter().zip(&prepared.carriers) {
            match carrier {
                None => document.remarks.push(format!("Task '{}' has no carrier yet: add --pid {0}=PID.", task.name)),
                Some(Carrier::Command(command)) => document.remarks.push(format!(
                    "Task '{}': '{command}' would be started, put in place as the others, and let go; undeploy ends it with all that it starts, or with its process group where no control group can be made.",
                    task.name
                )),
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn deploy(&self, prepared: &Prepared, document: &mut Deployment) -> Result<(), Failure> {
        let journal = Journal::open(&prepared.root).map_err(Failure::world)?;
        for undone in journal.recover().map_err(Failure::world)? {
            eprintln!("prazo: left by one that was killed: {undone}");
        }
        if !journal.deployed().map_err(Failure::world)?.is_empty() {
            return Err(Failure::usage("there is a deployment already; `prazo sched undeploy` undoes it"));
        }
        let (names, carriers) = all_carried(prepared)?;
        let Resolved { found, waiting } = carriers::resolve(&prepared.root, &names, &carriers)?;
        let members: Vec<Member> =
            found.into_iter().enumerate().map(|(index, found)| member(prepared, index, found)).collect();
        let plan = plan(prepared, &members)?.waking(self.wake);
        let standing = Standing::make(&journal, &plan, waiting).map_err(|error| refused(error, prepared))?;
        let record = record(prepared, &plan, &members);
        document.remarks.extend(standing.loose().iter().map(|loose| told_of(loose, &members)));
        standing.keep(&record).map_err(Failure::world)?;
        document.planned(&plan);
        let seen = check::watch(&prepared.root, &record, Duration::from_millis(self.look));
        let differs = [check::differences(&prepared.root, &record), check::strays(&record, &seen)].concat();
        document.holds(&prepared.root, &record, &seen, differs);
        Ok(())
    }

    fn write_units(&self, folder: &Path, prepared: &Prepared, document: &mut Deployment) -> Result<(), Failure> {
        let (_, carriers) = all_carried(prepared)?;
        let layout = units::layout(&prepared.assignment.clusters, prepared.ground.online).map_err(Failure::usage)?;
        let folder_of_commands = std::env::current_dir().map_err(Failure::world)?;
        let folder_of_commands = folder_of_commands.display().to_string();
        let mut tasks = Vec::new();
        for (task, carrier) in prepared.assignment.tasks.iter().zip(&carriers) {
            tasks.push(units::UnitTask {
                task: &task.name,
                cluster: task.cluster,
                attr: task.attr,
                carrier,
                folder: &folder_of_commands,
            });
        }
        for unit in units::units(&prepared.name, &layout, &tasks).map_err(Failure::usage)? {
            let file = folder.join(&unit.path);
            write_new(&file, &unit.text)?;
            document.remarks.push(format!("Written: {}.", file.display()));
        }
        for (cluster, row) in document.clusters.iter_mut().enumerate() {
            row.group = units::slice_of(&layout, cluster);
        }
        document.remarks.push(format!(
            "Copy {} to /etc/systemd/system, then `systemctl daemon-reload` and restart the units; removing the files undoes it.",
            folder.display()
        ));
        Ok(())
    }
}

fn write_new(file: &Path, text: &str) -> Result<(), Failure> {
    files::make_parent(file)?;
    let failed = |why: String| Failure::world(format!("cannot write {}: {why}", file.display()));
    if file.exists() {
        return Err(failed("it is there already; choose another folder".into()));
    }
    std::fs::write(file, text).map_err(|error| failed(error.to_string()))
}

/// Every task with its carrier, or the tasks that have none.
fn all_carried(prepared: &Prepared) -> Result<(Vec<String>, Vec<Carrier>), Failure> {
    let names: Vec<String> = prepared.assignment.tasks.iter().map(|task| task.name.clone()).collect();
    let without: Vec<&str> =
        names.iter().zip(&prepared.carriers).filter(|(_, one)| one.is_none()).map(|(name, _)| name.as_str()).collect();
    if !without.is_empty() {
        let (list, first) = (without.join(", "), without[0]);
        return Err(Failure::usage(format!(
            "nothing carries {list}: name each with --pid {first}=PID, --command {first}=CMD or --unit {first}=UNIT, or look \
             with --dry-run"
        )));
    }
    Ok((names, prepared.carriers.iter().flatten().cloned().collect()))
}

fn member(prepared: &Prepared, index: usize, found: prazo_deploy::carrier::Found) -> Member {
    let task = &prepared.assignment.tasks[index];
    let is_started = matches!(prepared.carriers[index], Some(Carrier::Command(_)));
    Member { task: task.name.clone(), cluster: task.cluster, attr: task.attr, found, is_started }
}

/// A command that no group holds together with what it starts.
fn told_of(loose: &Loose, members: &[Member]) -> String {
    let task = members.iter().find(|member| member.found.process == loose.process);
    let task = task.map_or("", |member| member.task.as_str());
    let why = &loose.why;
    format!(
        "Task '{task}': no control group was made for its command ({why}), so undeploy ends its process group; what leaves that runs on."
    )
}

fn plan(prepared: &Prepared, members: &[Member]) -> Result<Plan, Failure> {
    Plan::of(&prepared.assignment.clusters, members, &prepared.ground).map_err(|error| match error {
        PartitionError::NotOnline { .. } | PartitionError::Overlap { .. } => Failure::usage(error),
        other => Failure::world(other),
    })
}

fn record(prepared: &Prepared, plan: &Plan, members: &[Member]) -> Record {
    let Prepared { assignment, .. } = prepared;
    Record {
        name: prepared.name.clone(),
        verdict: assignment.verdict.name().to_owned(),
        decided_by: assignment.decided_by.map(str::to_owned),
        clusters: Cluster::of(plan),
        tasks: members.iter().zip(&assignment.tasks).map(|(member, task)| Deployed::of(member, task.times)).collect(),
    }
}

/// The kernel's refusal with the sums that it went by.
fn refused(error: DeployError, prepared: &Prepared) -> Failure {
    match &error {
        DeployError::Refused { by_admission: true, .. } => {
            let sums = prepared.said.sums(&prepared.assignment.clusters).join("; ");
            Failure::world(format!("{error}; {sums}"))
        }
        _ => Failure::world(error),
    }
}

/// `prazo sched undeploy`: put everything back.
#[derive(clap::Args, Debug)]
pub struct Undeploy {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Undeploy {
    /// Undoes what was deployed, and what a deployment that was killed left behind.
    pub fn run(self) -> Result<Exit, Failure> {
        let journal = Journal::open(&Root::system()).map_err(Failure::world)?;
        let undone = deployment::undo(&journal).map_err(Failure::world)?;
        if self.json {
            out::json(&undone)?;
        } else {
            undone.iter().try_for_each(|one| out::text_line(&one.to_string()))?;
            out::text_line(&format!("{} changes looked at", undone.len()))?;
        }
        let is_failed =
            |one: &prazo_platform::tunable::Undone| matches!(one, prazo_platform::tunable::Undone::Failed { .. });
        Ok(if undone.iter().any(is_failed) { Exit::Fail } else { Exit::Pass })
    }
}
