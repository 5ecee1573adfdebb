//! What the kernel's scheduling costs many periodic tasks: a run file for each number of tasks, and two tables to charge.

mod document;
mod table;

pub use document::MeasuredOverheads;

use super::target::{Target, processors};
use crate::dates::stamp;
use crate::error::Error;
use crate::files::RESULTS;
use crate::guest::GuestOptions;
use crate::output;
use crate::output::make_folder;
use crate::overhead_table::{IN_INSTRUCTIONS, by_queue, cache_of, instruction_ns, platform_of};
use crate::progress::{Progress, Remark, Stop};
use crate::report_content::each_once;
use prazo_core::cpu::CpuSet;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_lab::Platform;
use prazo_platform::root::Root;
use prazo_probe::overheads::{Draw, NOT_ASKED};
use prazo_probe::session::{self, RecordedRun};
use prazo_probe::timer::Unobserved;
use prazo_run::Run;
use prazo_run::overheads::CacheDelay;
use prazo_run::run::Quantity;
use prazo_run::source::TaskAffinity;
use prazo_stats::overheads::{self, KindFigures, Origin, Statistic};
use std::path::{Path, PathBuf};

/// Which tasks run while their scheduling is traced, and where the results go.
#[derive(Clone, Debug)]
pub struct OverheadsRequest {
    /// How the kernel schedules them.
    pub policy: TracedPolicy,
    /// Numbers of tasks, ascending, from 1 to 1000; one run for each.
    pub tasks: Vec<u32>,
    /// Which processors a task may use; partitioned is for fifo alone.
    pub shape: TaskAffinity,
    /// The processors on which they run; `None` is all that this process, or the guest, may use.
    pub cpus: Option<CpuSet>,
    /// How long each of the four passes of a run measures, after its warm-up.
    pub length: Duration,
    /// How long the tasks run before each pass measures.
    pub warm_up: Duration,
    /// Seeds periods and offsets.
    pub seed: u64,
    /// What is traced; nothing runs the tasks untraced, for what the tracing itself costs.
    pub kinds: Vec<Quantity>,
    /// Working sets in KiB whose cache-related delay is measured.
    pub working_sets_kib: Vec<u32>,
    /// Where, if not on this machine.
    pub guest: GuestOptions,
    /// Folder for run files and tables; `None` is a new one in the folder of results.
    pub folder: Option<PathBuf>,
    /// The command that repeats it, which the run files keep.
    pub command: String,
}

/// Policies whose overheads can be traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracedPolicy {
    /// Earliest deadline first: SCHED_DEADLINE.
    Deadline,
    /// Fixed priorities, rate monotonic: SCHED_FIFO.
    Fifo,
}

impl TracedPolicy {
    /// The word for it in names of files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::Fifo => "fifo",
        }
    }
}

/// What helps where a kernel hides everything.
const REMEDY: &str = "measure as root, outside of containers, on a kernel with CONFIG_DEBUG_INFO_BTF";
/// What helps where the kernel shows everything and nothing was there to see.
const TOO_LITTLE: &str = "measure for longer with --duration, or with more tasks";

/// More threads than anybody schedules by hand, and far from what a process may have.
const TASKS_MAX: u32 = 1_000;

/// Everything that is traced unless a request says otherwise.
pub const KINDS: [Quantity; 6] = [
    Quantity::ReleaseOverhead,
    Quantity::EventLatency,
    Quantity::SchedulingOverhead,
    Quantity::ContextSwitchOverhead,
    Quantity::TickOverhead,
    Quantity::IpiLatency,
];

/// Measures each number of tasks, and writes the tables.
///
/// # Errors
/// The request cannot be served, or something was to be traced and nothing could.
pub fn measure_overheads(request: &OverheadsRequest, progress: &mut dyn Progress) -> Result<MeasuredOverheads, Error> {
    let default = || PathBuf::from(RESULTS).join(format!("overheads-{}", stamp()));
    let folder = request.folder.clone().unwrap_or_else(default);
    let guest = request.guest.resolve()?;
    let draws = request.draws(processors(guest.as_ref())?)?;
    if guest.is_some() && !request.working_sets_kib.is_empty() {
        return Err(
            Error::field("working_sets", "an emulated processor has no cache").with_remedy("measure on this machine")
        );
    }
    make_folder(&folder)?;
    let stop = progress.stop().map_err(Error::failed)?;
    let (policy, mut runs) = (request.policy.name(), Vec::new());
    for draw in draws.iter().take_while(|_| !stop.is_set()) {
        progress.remark(&Remark::Text(format!(
            "{} under {policy}, {} for each pass",
            counted(u64::from(draw.tasks), "task"),
            draw.length
        )));
        let file = folder.join(format!("{policy}-{}.prazo", draw.tasks));
        let RecordedRun { run, file, .. } = request.measure(draw, guest.as_ref(), &file, &stop, progress)?;
        runs.push((file, run));
    }
    request.summed_up(&folder, &runs, &stop)
}

impl OverheadsRequest {
    /// What is drawn for each number of tasks; `allowed` is what this process, or the guest, may use.
    fn draws(&self, allowed: CpuSet) -> Result<Vec<Draw>, Error> {
        let ascends = self.tasks.is_sorted_by(|a, b| a < b) && self.tasks.first().is_some_and(|first| *first > 0);
        if !ascends || self.tasks.last().is_some_and(|last| *last > TASKS_MAX) {
            return Err(Error::field("tasks", format!("give numbers from 1 to {TASKS_MAX} in ascending order")));
        }
        if self.policy == TracedPolicy::Deadline && self.shape == TaskAffinity::Partitioned {
            return Err(Error::field("shape", "the kernel cannot pin a deadline task to a part of its root domain")
                .with_value("partitioned")
                .with_remedy("choose --policy fifo, or --shape global"));
        }
        let cpus: Vec<u32> = self.cpus.unwrap_or(allowed).iter().map(|cpu| cpu.number()).collect();
        let mut draws: Vec<Draw> = self.tasks.iter().map(|tasks| self.draw(*tasks, &cpus)).collect();
        // Not a matter of how many tasks there are: once is enough.
        draws[0].working_sets_kib.clone_from(&self.working_sets_kib);
        Ok(draws)
    }

    fn draw(&self, tasks: u32, cpus: &[u32]) -> Draw {
        Draw {
            tasks,
            by_deadline: self.policy == TracedPolicy::Deadline,
            cpus: cpus.to_vec(),
            shape: self.shape,
            length: self.length,
            warm_up: self.warm_up,
            kinds: self.kinds.clone(),
            working_sets_kib: Vec::new(),
            seed: self.seed,
        }
    }

    fn measure(
        &self,
        draw: &Draw,
        guest: Option<&Platform>,
        file: &Path,
        stop: &Stop,
        progress: &mut dyn Progress,
    ) -> Result<RecordedRun, Error> {
        let target = Target { file, command: &self.command };
        match guest {
            Some(platform) => target.execute_in(platform, draw.plan(), self.guest.timeout, progress),
            None => session::execute(&target.request(draw.plan()), &Root::system(), &mut Unobserved, stop)
                .map_err(|error| Error::blaming(error.is_usage(), error)),
        }
    }

    fn summed_up(&self, folder: &Path, runs: &[(PathBuf, Run)], stop: &Stop) -> Result<MeasuredOverheads, Error> {
        let figures: Vec<Vec<KindFigures>> = runs.iter().map(|(_, run)| overheads::figures_of(run)).collect();
        let is_measured = figures.iter().flatten().any(|of| of.count > 0);
        let source = runs.first().map_or(String::new(), |(_, run)| platform_of(run));
        let [max, mean] =
            if is_measured { self.write_tables(folder, &source, runs, &figures)?.map(Some) } else { [None, None] };
        let measured = MeasuredOverheads {
            platform: source,
            policy: self.policy.name(),
            seed: self.seed,
            run_files: runs.iter().map(|(file, _)| file.clone()).collect(),
            overheads_max: max,
            overheads_mean: mean,
            uncharged: overheads::uncharged(&figures),
            kinds: figures.into_iter().flatten().collect(),
            cache: cache(runs),
            caveats: each_once(runs.iter().flat_map(|(_, run)| &run.caveats)),
        };
        if !is_measured && !self.kinds.is_empty() {
            if stop.is_set() {
                return Err(Error::Interrupted);
            }
            let why = why_nothing(measured.kinds.iter().filter_map(|of| of.why_not.as_deref()));
            let remedy = remedy(runs.iter().map(|(_, run)| run));
            return Err(Error::failed(format!("nothing could be traced: {why}")).with_remedy(remedy));
        }
        Ok(measured)
    }

    fn write_tables(
        &self,
        folder: &Path,
        source: &str,
        runs: &[(PathBuf, Run)],
        figures: &[Vec<KindFigures>],
    ) -> Result<[PathBuf; 2], Error> {
        let policy = self.policy.name();
        let tick_period_ns = runs.iter().find_map(|(_, run)| Some(run.overheads.as_ref()?.tick_period_ns));
        let instruction_ns = runs.iter().find_map(|(_, run)| instruction_ns(run));
        let counted = instruction_ns.map_or("", |_| IN_INSTRUCTIONS);
        let instruction_ns = instruction_ns.unwrap_or(1);
        let by_queue: Vec<Vec<KindFigures>> =
            runs.iter().zip(figures).map(|((_, run), figures)| by_queue(run, figures)).collect();
        let source = &format!("{source}{counted}");
        let write = |statistic: Statistic| {
            let name = format!("Linux, {policy}, {}", statistic.name());
            let (command, cache) = ("prazo measure overheads", &cache(runs));
            let origin = Origin { name: &name, command, source, tick_period_ns, cache, instruction_ns, remarks: &[] };
            let text = overheads::table(origin, &by_queue, statistic);
            keep(folder.join(format!("{policy}.{}.toml", statistic.name())), &text)
        };
        let text = overheads::measured(&shape(policy, runs), source, instruction_ns, figures);
        keep(folder.join(format!("{policy}.measured.toml")), &text)?;
        let [max, mean] = Statistic::ALL;
        Ok([write(max)?, write(mean)?])
    }
}

/// Why nothing was traced: the first of the reasons that is about a requested kind.
fn why_nothing<'a>(mut reasons: impl Iterator<Item = &'a str>) -> &'a str {
    reasons.find(|reason| *reason != NOT_ASKED).unwrap_or("nothing ran")
}

/// What helps: rights where the kernel refused a requested kind, else more of what is traced.
fn remedy<'a>(runs: impl Iterator<Item = &'a Run>) -> &'static str {
    let mut kinds = runs.filter_map(|run| run.overheads.as_ref()).flat_map(|traced| &traced.kinds);
    let is_refused = kinds.any(|kind| kind.untraced.as_deref().is_some_and(|why| why != NOT_ASKED));
    if is_refused { REMEDY } else { TOO_LITTLE }
}

fn keep(file: PathBuf, text: &str) -> Result<PathBuf, Error> {
    output::write(&file, text)?;
    Ok(file)
}

/// What figures of several platforms tell the rows by: `deadline`, `deadline.rt-full`.
fn shape(policy: &str, runs: &[(PathBuf, Run)]) -> String {
    let guest = runs.iter().find_map(|(_, run)| run.platform_before.as_ref()?.get("lab.platform"));
    guest.map_or_else(|| policy.to_owned(), |name| format!("{policy}.{name}"))
}

fn cache(runs: &[(PathBuf, Run)]) -> Vec<CacheDelay> {
    runs.iter().flat_map(|(_, run)| cache_of(run)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::overheads::{Traced, TracedKind};
    use std::collections::BTreeMap;

    #[test]
    fn the_reason_is_that_of_a_kind_that_was_requested() {
        assert_eq!(why_nothing([NOT_ASKED, "no BTF", "no root"].into_iter()), "no BTF");
        assert_eq!(why_nothing([NOT_ASKED].into_iter()), "nothing ran");
    }

    #[test]
    fn rights_are_advised_only_where_the_kernel_refused() {
        let run = |untraced: Option<&str>| {
            let kind = TracedKind {
                quantity: Quantity::ReleaseOverhead,
                between: String::new(),
                untraced: untraced.map(str::to_owned),
                marked: BTreeMap::new(),
                stamp_ns: None,
            };
            Run { overheads: Some(Traced { kinds: vec![kind], ..Traced::default() }), ..Run::default() }
        };
        assert_eq!(remedy([&run(Some("no BTF"))].into_iter()), REMEDY);
        assert_eq!(remedy([&run(None), &run(Some(NOT_ASKED)), &Run::default()].into_iter()), TOO_LITTLE);
    }
}
