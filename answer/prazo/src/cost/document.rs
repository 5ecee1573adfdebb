//! The object that `prazo cost --json` prints; its schema is in docs/schema/cost.json.

use super::series::{Plan, Series};
use prazo_cost::workload::{InstalledProgram, Workload};
use prazo_cost::{Account, CommandEnding, Figure};
use prazo_stats::penalty::{Slowdown, Work, best_executed, penalty, slowdown};
use prazo_stats::repeats::{Interval, Median, median, median_ratio};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Borrow;

/// What was run, before it is summed up.
pub(crate) struct Made {
    pub(crate) plan: Plan,
    pub(crate) sides: Vec<Vec<String>>,
    pub(crate) series: Vec<Series>,
    pub(crate) workload: Option<Performed>,
}

impl Made {
    /// The first status that is not 0, of all runs; 125 where the user ended the repetition and every run said 0.
    pub(crate) fn status(&self) -> u8 {
        let mut endings = self.series.iter().flat_map(|series| &series.endings);
        let is_cut_short = self.plan.runs > 1 && endings.clone().any(|ending| ending.interrupted);
        endings.find(|ending| ending.status != 0).map_or(if is_cut_short { 125 } else { 0 }, |ending| ending.status)
    }
}

/// Cost of a command, for scripts. Times are nanoseconds; a figure that was not measured is null, with a reason.
#[derive(Serialize, JsonSchema)]
pub struct Costed {
    /// The workload that was measured; null where a command was measured instead.
    pub workload: Option<Performed>,
    /// Number of runs that were planned for each command, without warm-up.
    pub runs: u32,
    /// Number of valid runs, from rounds in which every command exited with status 0; a single run of a single command
    /// is always valid.
    pub counted: u32,
    /// Number of warm-up rounds, which ran before the measured rounds and are not counted.
    pub warm_up: u32,
    /// Seed of the random order of the commands within each round.
    pub seed: u64,
    /// The measured command and its cost.
    #[serde(flatten)]
    pub side: Side,
    /// The alternatives (`--vs`), each compared with the command.
    pub versus: Vec<Versus>,
}

/// A workload as it was executed.
#[derive(Clone, Serialize, JsonSchema)]
pub struct Performed {
    /// Name of the workload.
    pub name: &'static str,
    /// Size of the workload; `--size` with this value repeats it.
    pub size: u64,
    /// Unit of the workload's size.
    pub unit: &'static str,
    /// True if a pilot run found the size of the workload.
    pub piloted: bool,
    /// The workload's programs, as they were found on this machine.
    pub programs: Vec<InstalledProgram>,
}

impl Performed {
    /// A workload of this size.
    pub fn of(workload: &Workload, size: u64, piloted: bool, programs: Vec<InstalledProgram>) -> Self {
        Self { name: workload.name, size, unit: workload.unit, piloted, programs }
    }
}

/// One command and its cost.
#[derive(Serialize, JsonSchema)]
pub struct Side {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// Elapsed time from the start signal to the end of the command's own process.
    pub wall_ns: Repeated,
    /// Processor time of the command and its descendants in user mode.
    pub user_ns: Repeated,
    /// Processor time of the command and its descendants in the kernel.
    pub system_ns: Repeated,
    /// Run-queue wait: time during which a task was runnable but not running, summed over all tasks.
    pub run_queue_wait_ns: Repeated,
    /// Blocked time: time from fork to exit during which a task was neither running nor runnable, summed over all
    /// tasks.
    pub blocked_ns: Repeated,
    /// Part of the blocked time during which tasks waited for block devices, swapped-out pages or thrashing pages.
    pub io_wait_ns: Repeated,
    /// Number of voluntary context switches, away from a task that slept or yielded.
    pub voluntary_switches: Repeated,
    /// Number of involuntary context switches, away from a task that could have continued.
    pub involuntary_switches: Repeated,
    /// Number of minor page faults, which were served without a device.
    pub minor_faults: Repeated,
    /// Number of major page faults, which waited for a device.
    pub major_faults: Repeated,
    /// Number of migrations of a task to another processor.
    pub migrations: Repeated,
    /// Number of processes: the command and its descendants.
    pub processes: Repeated,
    /// Number of threads of the command and its descendants.
    pub tasks: Repeated,
    /// Number of instructions executed in user and kernel mode.
    pub instructions: Repeated,
    /// Number of processor cycles.
    pub cycles: Repeated,
    /// Processor time of the workload's server, not included in any other figure; null without a server.
    pub server_ns: Option<Repeated>,
    /// How each measured run ended, including runs that are not counted. Warm-up runs are included only if their round was cut short.
    pub exit: Vec<RunEnding>,
    /// Penalty: T_exec / T_best_exec, where T_best_exec is the smallest T_exec of the compared commands; null for a
    /// single command.
    pub penalty: Option<f64>,
    /// Slowdown, (T_exec + T_wait) / T_exec, and its parts, where T_wait is the run-queue wait plus the blocked time; null where a wait or the processor time is unknown, or the processor time is 0.
    pub slowdown: Option<Slowdown>,
    /// Why `penalty` is null although commands were compared, or why `slowdown` is null; null otherwise.
    pub unjudged: Option<String>,
    #[serde(skip)]
    executed_ns: Vec<f64>,
    #[serde(skip)]
    wall_runs_ns: Vec<f64>,
}

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureUnit {
    /// Nanoseconds.
    Time,
    /// Events or things.
    Count,
}

/// How one run ended, and the source of this information.
#[derive(Clone, Serialize, JsonSchema)]
pub struct RunEnding {
    /// How the run ended.
    #[serde(flatten)]
    pub ending: CommandEnding,
    /// Source from which the ending was read.
    pub source: &'static str,
}

impl RunEnding {
    fn of(ending: CommandEnding) -> Self {
        Self { ending, source: "wait4" }
    }
}

/// One figure of a command, over all valid runs.
#[derive(Clone, Serialize, JsonSchema)]
pub struct Repeated {
    /// Value of a single run, or median of several runs (rounded down); null without a valid run, if a run lacks
    /// the value, or if the values come from different sources.
    pub value: Option<u64>,
    /// Source from which the values were read; null if there is no value.
    pub source: Option<&'static str>,
    /// What the source does not include in the value; null where the source is not known to exclude anything, or where
    /// there is no value.
    pub leaves_out: Option<&'static str>,
    /// Why there is no value; null if there is one.
    pub reason: Option<String>,
    /// 95 % confidence interval of the median; null for too few runs.
    pub interval: Option<Interval>,
    /// How the confidence interval is computed, or why there is none; null for a single run, or where there is no value.
    pub method: Option<String>,
    /// Value of every valid run, in order; null for a run without a value.
    pub runs: Vec<Option<u64>>,
}

/// An alternative (`--vs`) compared with the command, both from the same rounds.
#[derive(Serialize, JsonSchema)]
pub struct Versus {
    /// The alternative and its cost.
    #[serde(flatten)]
    pub side: Side,
    /// Elapsed time of the alternative divided by that of the command; null without a valid run.
    pub wall_ratio: Option<Median>,
    /// Processor time (T_exec) of the alternative divided by that of the command; null without a valid run, where
    /// the two times are from different sources, or where the command used no processor time.
    pub executed_ratio: Option<Median>,
}

impl Costed {
    /// Sums up what was run.
    pub(crate) fn of(made: &Made, seed: u64) -> Self {
        let sides = made.sides.iter().zip(&made.series).map(|(words, series)| Side::of(words, series));
        let mut sides: Vec<Side> = sides.collect();
        let counted = made.series.iter().map(|series| series.accounts.len()).min().unwrap_or(0) as u32;
        judge(&mut sides);
        let mut sides = sides.into_iter();
        let side = sides.next().expect("there is the command itself");
        let versus = sides.map(|other| Versus::of(other, &side)).collect();
        let Plan { runs, warm_up, .. } = made.plan;
        Self { workload: made.workload.clone(), runs, counted, warm_up, seed, side, versus }
    }
}

/// Gives each side its penalty against the best of all, where there are several and all are measured alike.
fn judge(sides: &mut [Side]) {
    if let Some(reason) = unlike(sides).filter(|_| sides.len() > 1) {
        sides.iter_mut().for_each(|side| side.unjudged = Some(reason.into()));
        return;
    }
    let works: Vec<Option<Work>> = sides.iter().map(Side::work).collect();
    let best = best_executed(&works.iter().flatten().copied().collect::<Vec<_>>());
    for (side, work) in sides.iter_mut().zip(&works).filter(|_| works.len() > 1) {
        side.penalty = work.zip(best).and_then(|(work, best)| penalty(&work, best));
    }
}

/// Why the sides' processor times cannot be compared.
fn unlike<S: Borrow<Side>>(sides: &[S]) -> Option<&'static str> {
    let sources = |side: &Side| (side.user_ns.source, side.system_ns.source);
    let sides: Vec<&Side> = sides.iter().map(Borrow::borrow).collect();
    if sides.iter().any(|side| side.executed_ns.is_empty()) {
        return Some(
            "no valid run, or a run without processor times, or runs whose processor times come from different sources",
        );
    }
    let differ = sides.windows(2).any(|pair| sources(pair[0]) != sources(pair[1]));
    differ.then_some("the commands' processor times come from different sources, which exclude different things")
}

impl Versus {
    fn of(side: Side, reference: &Side) -> Self {
        let wall_ratio = median_ratio(&reference.wall_runs_ns, &side.wall_runs_ns);
        let is_alike = unlike(&[reference, &side]).is_none();
        let executed_ratio = is_alike.then(|| median_ratio(&reference.executed_ns, &side.executed_ns)).flatten();
        Self { side, wall_ratio, executed_ratio }
    }
}

impl Side {
    fn of(words: &[String], series: &Series) -> Self {
        let accounts = series.accounts.as_slice();
        let of = |figure: fn(&Account) -> &Figure| Repeated::of(accounts.iter().map(figure));
        let executed = |account: &Account| Some((account.user_ns.value? + account.system_ns.value?) as f64);
        let mut side = Self {
            command: words.to_vec(),
            wall_ns: of(|account| &account.wall_ns),
            user_ns: of(|account| &account.user_ns),
            system_ns: of(|account| &account.system_ns),
            run_queue_wait_ns: of(|account| &account.run_queue_wait_ns),
            blocked_ns: of(|account| &account.blocked_ns),
            io_wait_ns: of(|account| &account.io_wait_ns),
            voluntary_switches: of(|account| &account.voluntary_switches),
            involuntary_switches: of(|account| &account.involuntary_switches),
            minor_faults: of(|account| &account.minor_faults),
            major_faults: of(|account| &account.major_faults),
            migrations: of(|account| &account.migrations),
            processes: of(|account| &account.processes),
            tasks: of(|account| &account.tasks),
            instructions: of(|account| &account.instructions),
            cycles: of(|account| &account.cycles),
            server_ns: server(accounts),
            exit: series.endings.iter().copied().map(RunEnding::of).collect(),
            penalty: None,
            slowdown: None,
            unjudged: None,
            executed_ns: vec![],
            wall_runs_ns: accounts.iter().filter_map(|account| account.wall_ns.value.map(|ns| ns as f64)).collect(),
        };
        if side.user_ns.value.is_some() && side.system_ns.value.is_some() {
            side.executed_ns = accounts.iter().filter_map(executed).collect();
        }
        side.slowdown = side.work().and_then(|work| slowdown(&work));
        side.unjudged = side.slowdown.is_none().then(|| side.gap());
        side
    }

    /// The figures by name, in the order in which they are shown.
    pub fn figures(&self) -> Vec<(&'static str, FigureUnit, &Repeated)> {
        use FigureUnit::{Count, Time};
        let own = [
            ("elapsed", Time, &self.wall_ns),
            ("user", Time, &self.user_ns),
            ("system", Time, &self.system_ns),
            ("run-queue wait", Time, &self.run_queue_wait_ns),
            ("blocked", Time, &self.blocked_ns),
            ("blocked on devices", Time, &self.io_wait_ns),
            ("voluntary switches", Count, &self.voluntary_switches),
            ("involuntary switches", Count, &self.involuntary_switches),
            ("minor faults", Count, &self.minor_faults),
            ("major faults", Count, &self.major_faults),
            ("migrations", Count, &self.migrations),
            ("processes", Count, &self.processes),
            ("tasks", Count, &self.tasks),
            ("instructions", Count, &self.instructions),
            ("cycles", Count, &self.cycles),
        ];
        let server = self.server_ns.iter().map(|server| ("server's processor time", Time, server));
        own.into_iter().chain(server).collect()
    }

    /// Why there is no slowdown: the first gap among what it is made of.
    fn gap(&self) -> String {
        let parts = [&self.user_ns, &self.system_ns, &self.run_queue_wait_ns, &self.blocked_ns];
        let gap = parts.into_iter().find_map(|part| part.reason.clone());
        gap.unwrap_or_else(|| "no processor time was used".into())
    }

    /// Medians in the paper's terms; `None` where no run counts, or their processor times are from different sources.
    fn work(&self) -> Option<Work> {
        let wait = |figure: &Repeated| figure.value.map(|ns| ns as f64);
        Some(Work {
            executed: median(&self.executed_ns)?.value,
            scheduler_wait: wait(&self.run_queue_wait_ns),
            other_wait: wait(&self.blocked_ns),
        })
    }
}

/// What ran apart from all of these runs.
fn server(accounts: &[Account]) -> Option<Repeated> {
    let figures: Option<Vec<&Figure>> = accounts.iter().map(|account| account.apart_ns.as_ref()).collect();
    figures.filter(|figures| !figures.is_empty()).map(|figures| Repeated::of(figures.into_iter()))
}

impl Repeated {
    fn of<'a>(figures: impl Iterator<Item = &'a Figure>) -> Self {
        let figures: Vec<&Figure> = figures.collect();
        let runs: Vec<Option<u64>> = figures.iter().map(|figure| figure.value).collect();
        let known: Option<Vec<f64>> = runs.iter().map(|run| run.map(|value| value as f64)).collect();
        let unlike = figures.windows(2).any(|pair| pair[0].source != pair[1].source);
        let Some(median) = known.filter(|_| !unlike).and_then(|known| median(&known)) else {
            return Self::missing(&figures, runs);
        };
        let several = runs.len() > 1;
        Self {
            value: Some(if several { median.value as u64 } else { runs[0].unwrap_or_default() }),
            source: figures[0].source,
            leaves_out: figures[0].leaves_out,
            reason: None,
            interval: median.interval,
            method: several.then_some(median.method),
            runs,
        }
    }

    fn missing(figures: &[&Figure], runs: Vec<Option<u64>>) -> Self {
        let reason = figures.iter().find_map(|figure| figure.reason.clone());
        let reason = reason.unwrap_or_else(|| match figures {
            [] => "no valid run: each round had a command that failed or was stopped".into(),
            _ => "the runs' values come from different sources".into(),
        });
        Self { value: None, source: None, leaves_out: None, reason: Some(reason), interval: None, method: None, runs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_one_run_lacks_has_no_median_and_every_run_is_kept() {
        let figures = [Figure::known(7, "a"), Figure::missing("records were lost"), Figure::known(9, "a")];
        let repeated = Repeated::of(figures.iter());
        assert_eq!((repeated.value, repeated.reason.as_deref()), (None, Some("records were lost")));
        assert_eq!(repeated.runs, [Some(7), None, Some(9)]);
    }

    #[test]
    fn runs_from_different_sources_are_not_mixed() {
        let repeated = Repeated::of([Figure::known(7, "a"), Figure::known(8, "b")].iter());
        assert!(repeated.value.is_none() && repeated.reason.is_some());
    }

    #[test]
    fn a_single_run_is_exact_and_has_no_interval() {
        let large = u64::MAX - 1;
        let repeated = Repeated::of([Figure::known(large, "a")].iter());
        assert_eq!((repeated.value, repeated.interval, repeated.method), (Some(large), None, None));
    }
}
