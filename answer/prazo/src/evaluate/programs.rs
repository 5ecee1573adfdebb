//! `prazo evaluate --cost`: what a real-time task that runs beside them costs ordinary programs on this machine.
//!
//! Nothing is set on the machine. Each workload is costed alone and beside the task, in the same rounds and in shuffled
//! order, so that what else the machine does meets both alike. Where fifo is refused there is no such cost to tell.

use super::penalties::{Sides, row};
use crate::cost::series::{self, Plan};
use crate::progress::{Progress, Remark};
use prazo_core::cpu::CpuSet;
use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_cost::Account;
use prazo_cost::command::Task;
use prazo_cost::companion::{Companion, CompanionWork, Duty};
use prazo_cost::workload::{self, Stage, Workload};
use prazo_report::cost::{PlatformCost, ProgramCosts, Range, WorkloadRow};
use prazo_report::words;
use prazo_stats::penalty::geometric_mean;

/// One for each kind of work: computing, memory, switching, files and pipes, requests.
const WORKLOADS: [&str; 5] = ["processor", "memory", "scheduler", "archive", "net-request"];
/// How long a run alone shall last.
const LASTING: std::time::Duration = std::time::Duration::from_millis(300);
const PLAN: Plan = Plan { runs: 10, warm_up: 1, seed: 1 };
/// Far above what a run needs; a workload that hangs is ended then.
const LIMIT: std::time::Duration = std::time::Duration::from_secs(30);
/// A fifth of every processor, a thousand times a second: a control loop that is neither idle nor starving others.
const PRIORITY: u8 = 50;
const PERIOD: Duration = Duration::from_ms(1);
const WORK: Duration = Duration::from_us(200);
/// What is compared.
const PLATFORMS: [&str; 2] = ["alone", "together with a real-time task"];

/// Costs all workloads, on all processors that this process may use.
pub(super) fn costs(cpus: CpuSet, progress: &mut dyn Progress, is_stopped: impl Fn() -> bool) -> ProgramCosts {
    let duty = Duty { cpus, priority: PRIORITY, period: PERIOD, work: WORK };
    let mut costing = Costing { duty, done: CompanionWork::default(), is_interrupted: false };
    let mut costs = ProgramCosts {
        id: "cost-here".into(),
        heading: "Programs alone and together with a real-time task".into(),
        ranges: "95 % CI by block bootstrap over rounds".into(),
        ..ProgramCosts::default()
    };
    if let Err(reason) = Companion::start(&costing.duty).and_then(Companion::end) {
        costs.gaps.push(reason);
        return costs;
    }
    for (at, name) in WORKLOADS.into_iter().enumerate() {
        if costing.is_interrupted || is_stopped() {
            costs.gaps.push(format!("{name}: interrupted before it started"));
            continue;
        }
        progress.remark(&Remark::Text(format!("cost of programs, {} of {}: {name}", at + 1, WORKLOADS.len())));
        match costing.workload(name) {
            Ok(row) => costs.workloads.push(row),
            Err(reason) => costs.gaps.push(format!("{name}: {reason}")),
        }
    }
    costs.sentences = vec![costing.said()];
    costs.platforms = platforms(&costs.workloads);
    costs
}

/// The work of the task beside, and what it has done so far.
struct Costing {
    duty: Duty,
    done: CompanionWork,
    is_interrupted: bool,
}

impl Costing {
    fn workload(&mut self, name: &str) -> Result<WorkloadRow, String> {
        let workload = workload::find(name).ok_or("there is no such workload")?;
        let stage = Stage::set(workload).map_err(|error| error.to_string())?;
        let size = self.sized(workload, &stage)?;
        let task = stage.task(&stage.words(size), Some(LIMIT)).map_err(|error| error.to_string())?;
        let one = |side: usize, task: &Task| self.run(side, task, &stage, size);
        let series = series::run(&[task.clone(), task], PLAN, one)?;
        self.is_interrupted |= series.iter().flat_map(|one| &one.endings).any(|ending| ending.interrupted);
        let [alone, beside] = &series[..] else { unreachable!("each of the two commands has its series of runs") };
        row(workload, size, &Sides { alone: &alone.accounts, beside: &beside.accounts }).ok_or_else(|| {
            "no round was valid, or the times of some runs are missing or come from different sources".into()
        })
    }

    /// The size that lasts long enough alone; what fails is not sized.
    fn sized(&mut self, workload: &Workload, stage: &Stage) -> Result<u64, String> {
        let pilot = |size| {
            let task = stage.task(&stage.words(size), Some(LIMIT)).map_err(|error| error.to_string())?;
            let account = stage.perform(&task, size).map_err(|error| error.to_string())?;
            self.is_interrupted |= account.exit.interrupted;
            match account.exit.status {
                _ if account.exit.interrupted => Err("interrupted during the pilot run".to_owned()),
                0 => Ok(std::time::Duration::from_nanos(account.wall_ns.value.unwrap_or(0))),
                status => Err(format!("the pilot run ended with status {status}")),
            }
        };
        workload::size_for(LASTING, workload.first_size, pilot)
    }

    /// A run alone, or beside the task, which begins before and ends after it.
    fn run(&mut self, side: usize, task: &Task, stage: &Stage, size: u64) -> Result<Account, String> {
        if side == 0 {
            return stage.perform(task, size).map_err(|error| error.to_string());
        }
        let companion = Companion::start(&self.duty)?;
        let mut task = task.clone();
        task.apart.push(companion.pid());
        let account = stage.perform(&task, size).map_err(|error| error.to_string())?;
        self.done = self.done.and(companion.end()?);
        Ok(account)
    }

    fn said(&self) -> String {
        let Duty { cpus, priority, period, work } = self.duty;
        let share = self.done.share().map_or_else(|| words::ABSENT.into(), words::share);
        format!(
            "The real-time task is one fifo thread of priority {priority} for each processor, on {}. Each thread \
             computes for {} in every period of {}. The threads together used {share} of their processors' time, served {} and \
             skipped {}. The machine's settings were not changed.",
            counted(cpus.count() as u64, "processor"),
            words::length(work),
            words::length(period),
            counted(self.done.served, "release"),
            self.done.skipped
        )
    }
}

/// The two settings over all workloads.
fn platforms(rows: &[WorkloadRow]) -> Vec<PlatformCost> {
    let mean = |at: usize| {
        let penalties: Option<Vec<f64>> = rows.iter().map(|row| Some(row.on.get(at)?.penalty?.value)).collect();
        geometric_mean(&penalties?).map(Range::point)
    };
    let one = |(at, name): (usize, &str)| PlatformCost {
        platform: name.into(),
        penalty: mean(at),
        busy_penalty: None,
        latency: None,
    };
    PLATFORMS.into_iter().enumerate().map(one).collect()
}
