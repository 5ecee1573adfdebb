//! `prazo measure overheads`: what the kernel's scheduling costs, by number of tasks, as a run file each and two tables.

use super::files;
use super::measure::refused;
use crate::exit::{Exit, Failure};
use crate::flags::guest::GuestFlags;
use crate::flags::overheads::{PolicyFlag, ShapeFlag, TaskFlags};
use crate::{in_guest, out};
use clap::Parser;
use prazo::evidence::each_once;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::StopFlag;
use prazo_probe::overheads::Draw;
use prazo_probe::session::{self, RecordedRun, Request};
use prazo_probe::timer::Unobserved;
use prazo_run::overheads::CacheDelay;
use prazo_run::{Caveat, Run};
use prazo_stats::overheads::{self, KindFigures, Origin, Statistic, Uncharged};
use prazo_study::GuestRequest;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What the kernel's scheduling costs many periodic tasks, as Vitor 2013 section IV measures it.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure overheads                                          5 to 125 tasks under SCHED_DEADLINE, 20 seconds each
  prazo measure overheads --policy fifo --tasks 5,25 --json        fixed priorities
  prazo measure overheads --platform lab:rt-full --tasks 25 -D 2s  in instructions, in a virtual machine
  prazo measure overheads --tasks 5 --working-sets 16,64,256,1024  with cache-related delay by working set
  prazo sched test tasks.toml --overheads overheads/deadline.max.toml")]
pub(super) struct Overheads {
    #[command(flatten)]
    tasks: TaskFlags,
    #[command(flatten)]
    guest: GuestFlags,
    /// Folder for run files and tables [default: prazo-results/overheads-DATE]
    #[arg(long, short, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What was measured, for scripts. Times are nanoseconds; what was not measured is null.
#[derive(Serialize, JsonSchema)]
pub(super) struct Measured {
    /// The platform, in one line.
    platform: String,
    /// The policy: deadline or fifo.
    policy: &'static str,
    /// What seeded periods and offsets.
    seed: u64,
    /// One run file for each number of tasks.
    run_files: Vec<PathBuf>,
    /// The `Overheads` table of the largest samples, for `prazo sched test --overheads`; null without samples.
    overheads_max: Option<PathBuf>,
    /// The same of the means.
    overheads_mean: Option<PathBuf>,
    /// One for each kind and number of tasks.
    kinds: Vec<KindFigures>,
    /// Cache-related delay by working set; empty where it was not asked for.
    cache: Vec<CacheDelay>,
    /// What the tables cannot charge, each with the reason.
    uncharged: Vec<Uncharged>,
    /// What threatens validity, of all runs, each once.
    caveats: Vec<Caveat>,
}

/// The tables of one policy, for those who charge them.
pub(super) struct Tables {
    /// Of the largest samples.
    pub max: PathBuf,
    /// Of the means.
    pub mean: PathBuf,
    /// What they cannot charge, each with the reason.
    pub uncharged: Vec<Uncharged>,
    /// What threatens their validity.
    pub caveats: Vec<Caveat>,
}

/// What helps where a kernel hides everything.
const REMEDY: &str = "measure as root, outside of containers, on a kernel with CONFIG_DEBUG_INFO_BTF";

/// What other commands want measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// Numbers of tasks, ascending.
    pub tasks: &'a [u32],
    /// Working sets whose cache-related delay is measured.
    pub working_sets_kib: &'a [u32],
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    overheads: Overheads,
}

impl Overheads {
    /// As `prazo measure overheads --policy ... --tasks ... --working-sets ... -D ... -o folder`.
    pub(super) fn of(policy: PolicyFlag, of: Wanted<'_>, length: Duration, folder: PathBuf) -> Result<Self, Failure> {
        let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let mut words: Vec<OsString> = vec![
            "overheads".into(),
            "--policy".into(),
            policy.name().into(),
            "--tasks".into(),
            list(of.tasks).into(),
            "-D".into(),
            format!("{}ns", length.as_ns()).into(),
            "-o".into(),
            folder.into(),
        ];
        if !of.working_sets_kib.is_empty() {
            words.extend(["--working-sets".into(), list(of.working_sets_kib).into()]);
        }
        Line::try_parse_from(words).map(|line| line.overheads).map_err(Failure::usage)
    }

    /// Measures, and gives the tables.
    pub(super) fn tables(&self) -> Result<Tables, Failure> {
        let Measured { overheads_max, overheads_mean, caveats, uncharged, .. } = self.measured()?;
        let (Some(max), Some(mean)) = (overheads_max, overheads_mean) else {
            return Err(Failure::world("no overhead could be traced, so there is no table"));
        };
        Ok(Tables { max, mean, uncharged, caveats })
    }

    /// Measures each number of tasks, and writes the tables.
    pub(super) fn run(&self) -> Result<Exit, Failure> {
        let measured = self.measured()?;
        if self.json {
            out::json(&measured)?;
        } else {
            measured.print()?;
        }
        Ok(Exit::Pass)
    }

    fn measured(&self) -> Result<Measured, Failure> {
        let folder = self.folder();
        let guest = self.guest.platform()?;
        let allowed = match &guest {
            Some(platform) => in_guest::processors(platform)?,
            None => Topology::read(&Root::system()).map_err(Failure::world)?.allowed,
        };
        let draws = self.tasks.draws(allowed)?;
        if guest.is_some() && !self.tasks.working_sets.is_empty() {
            return Err(Failure::usage("--working-sets: an emulated processor has no cache; measure on this machine"));
        }
        files::make_folder(&folder)?;
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let mut runs = Vec::new();
        for draw in draws.iter().take_while(|_| !stop.is_set()) {
            out::note(format_args!("{} tasks under {}, {}", draw.tasks, self.tasks.policy.name(), draw.length));
            let file = folder.join(format!("{}-{}.prazo", self.tasks.policy.name(), draw.tasks));
            let RecordedRun { run, file } = self.measure(draw, guest.as_ref(), &file, stop)?;
            runs.push((file, run));
        }
        self.summed_up(&folder, &runs)
    }

    fn folder(&self) -> PathBuf {
        let default = || PathBuf::from(files::RESULTS).join(format!("overheads-{}", files::stamp()));
        self.out.clone().unwrap_or_else(default)
    }

    fn measure(
        &self,
        draw: &Draw,
        guest: Option<&Platform>,
        file: &Path,
        stop: &StopFlag,
    ) -> Result<RecordedRun, Failure> {
        let (plan, name, command) = (draw.plan(), files::name_of(file), super::command_line());
        match guest {
            Some(platform) => {
                let (platform, limit) = (platform.clone(), self.guest.limit);
                in_guest::measure(&GuestRequest { platform, plan, file, name, command, limit })
            }
            None => {
                let request = Request { plan, file, name, command };
                session::execute(&request, &Root::system(), &mut Unobserved, stop).map_err(refused)
            }
        }
    }

    fn summed_up(&self, folder: &Path, runs: &[(PathBuf, Run)]) -> Result<Measured, Failure> {
        let figures: Vec<Vec<KindFigures>> = runs.iter().map(|(_, run)| overheads::figures_of(run)).collect();
        let is_measured = figures.iter().flatten().any(|of| of.count > 0);
        let source = runs.first().map_or(String::new(), |(_, run)| platform_of(run));
        let [max, mean] =
            if is_measured { self.write_tables(folder, &source, runs, &figures)?.map(Some) } else { [None, None] };
        let measured = Measured {
            platform: source,
            policy: self.tasks.policy.name(),
            seed: self.tasks.seed,
            run_files: runs.iter().map(|(file, _)| file.clone()).collect(),
            overheads_max: max,
            overheads_mean: mean,
            uncharged: overheads::uncharged(&figures),
            kinds: figures.into_iter().flatten().collect(),
            cache: cache(runs),
            caveats: each_once(runs.iter().flat_map(|(_, run)| &run.caveats)),
        };
        if !is_measured && !self.tasks.untraced {
            let why = measured.kinds.iter().find_map(|of| of.why_not.clone()).unwrap_or_else(|| "nothing ran".into());
            return Err(Failure::world(format!("nothing could be traced: {why}; {REMEDY}")));
        }
        Ok(measured)
    }

    /// The same by tasks that share a ready queue: parted, they are dealt in turn to the processors.
    fn by_queue(&self, run: &Run, figures: &[KindFigures]) -> Vec<KindFigures> {
        let processors = run.series.iter().filter_map(|series| series.cpu).collect::<BTreeSet<u32>>().len().max(1);
        let queues = if self.tasks.shape == ShapeFlag::Partitioned { processors as u32 } else { 1 };
        figures.iter().map(|one| KindFigures { n_tasks: one.n_tasks.div_ceil(queues), ..one.clone() }).collect()
    }

    fn write_tables(
        &self,
        folder: &Path,
        source: &str,
        runs: &[(PathBuf, Run)],
        figures: &[Vec<KindFigures>],
    ) -> Result<[PathBuf; 2], Failure> {
        let policy = self.tasks.policy.name();
        let tick_period_ns = runs.iter().find_map(|(_, run)| Some(run.overheads.as_ref()?.tick_period_ns));
        let (instruction_ns, counted) = instruction(runs);
        let by_queue: Vec<Vec<KindFigures>> =
            runs.iter().zip(figures).map(|((_, run), figures)| self.by_queue(run, figures)).collect();
        let source = &format!("{source}{counted}");
        let write = |statistic: Statistic| {
            let name = format!("Linux, {policy}, {}", statistic.name());
            let origin = Origin { name: &name, source, tick_period_ns, cache: &cache(runs), instruction_ns };
            let text = overheads::table(origin, &by_queue, statistic);
            keep(folder.join(format!("{policy}.{}.toml", statistic.name())), &text)
        };
        let text = overheads::measured(&shape(policy, runs), source, instruction_ns, figures);
        keep(folder.join(format!("{policy}.measured.toml")), &text)?;
        let [max, mean] = Statistic::ALL;
        Ok([write(max)?, write(mean)?])
    }
}

impl Measured {
    fn print(&self) -> Result<(), Failure> {
        out::text(&out::overheads::text(&self.kinds, &self.cache, &self.caveats))?;
        self.told().iter().try_for_each(|line| out::text_line(line))
    }

    /// Where everything lies, for people.
    fn told(&self) -> Vec<String> {
        let runs = self.run_files.iter().map(|file| format!("run file: {}", file.display()));
        let tables = [&self.overheads_max, &self.overheads_mean].into_iter().flatten();
        runs.chain(tables.map(|file| format!("overheads: {}", file.display()))).collect()
    }
}

fn keep(file: PathBuf, text: &str) -> Result<PathBuf, Failure> {
    crate::output::write(&file, text)?;
    Ok(file)
}

/// What figures of several platforms tell the rows by: `deadline`, `deadline.rt-full`.
fn shape(policy: &str, runs: &[(PathBuf, Run)]) -> String {
    let guest = runs.iter().find_map(|(_, run)| run.platform_before.as_ref()?.get("lab.platform"));
    guest.map_or_else(|| policy.to_owned(), |name| format!("{policy}.{name}"))
}

/// What an instruction takes where time is counted; elsewhere a nanosecond is one.
fn instruction(runs: &[(PathBuf, Run)]) -> (u64, &'static str) {
    let shift = runs.iter().find_map(|(_, run)| run.platform_before.as_ref()?.get("lab.shift")?.parse().ok());
    shift.map_or((1, ""), |shift: u32| (1 << shift.min(32), ", one instruction a nanosecond"))
}

fn cache(runs: &[(PathBuf, Run)]) -> Vec<CacheDelay> {
    runs.iter().filter_map(|(_, run)| run.overheads.as_ref()).flat_map(|traced| traced.cache.iter().copied()).collect()
}

/// Kernel, and machine or guest.
fn platform_of(run: &Run) -> String {
    let fact = |name: &str| run.platform_before.as_ref()?.get(name).map(str::to_owned);
    let facts = [
        fact("kernel.release"),
        fact("kernel.version"),
        fact("cpu.model"),
        fact("lab.platform").map(|name| format!("lab:{name}")),
    ];
    let told: Vec<String> = facts.into_iter().flatten().collect();
    told.join(", ")
}
