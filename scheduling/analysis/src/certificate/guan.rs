//! Response bounds under global fixed priorities (Guan, Stigge, Yi, Yu, RTSS 2009), most urgent task first.

use super::order::Ranked;
use crate::gfp::{self, System, Test, guan};
use crate::partition::Bin;
use crate::uniprocessor::priority::PriorityOrder;
use crate::{Budget, Task, TaskSet, TimeModel};

pub(super) fn evidence(ranked: &Ranked, bin: &Bin, time: TimeModel) -> Option<String> {
    let tasks: Vec<Task> = ranked.tasks.iter().map(|(_, task)| *task).collect();
    let tasks = gfp::moved(Test::Guan, TaskSet::new(&tasks).ok()?).ok()?;
    let order = PriorityOrder::as_given(tasks.len());
    let system = System { tasks: TaskSet::new(&tasks).ok()?, order: &order, processors: bin.processors, time };
    let bounds = guan::response_times(system, &mut Budget::unlimited()).ok()?;
    // The bounds end before the first task that has none within min(D, T).
    let mut named: Vec<_> =
        (bounds.len() == tasks.len()).then(|| ranked.tasks.iter().map(|(name, _)| name).zip(bounds))?.collect();
    named.sort_unstable();
    let lines: String = named.iter().map(|(name, bound)| format!("response {name} {bound}\n")).collect();
    Some(format!("test Guan\n{lines}"))
}
