//! A task set as the kernel takes it: whole microseconds and a queue for each task, as words of its command line.

use super::configuration::Configuration;
use prazo_core::task::Task;
use prazo_core::time::Duration;
use prazo_scenario::{Arrival, NamedTask, Scenario, read};
use std::path::Path;

/// A task set with everything in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tasks {
    /// Times in microseconds, without jitter.
    pub tasks: Vec<Task>,
    /// The queue of each.
    pub queues: Vec<u32>,
}

impl Tasks {
    /// Reads a file; `tick` is the length of one where the set states no unit.
    ///
    /// A task without a cluster or a processor of its own goes to the queues in turn.
    pub fn of_file(file: &Path, tick: Duration, configuration: &Configuration) -> Result<Self, String> {
        let scenario = read::file(file).map_err(|error| error.to_string())?;
        Self::of(&scenario, tick, configuration).map_err(|what| format!("{}: {what}", file.display()))
    }

    fn of(scenario: &Scenario, tick: Duration, configuration: &Configuration) -> Result<Self, String> {
        let tick_ns = scenario.unit.map_or(tick.as_ns(), prazo_scenario::Unit::ns);
        let tasks = scenario.tasks.iter().map(|named| in_microseconds(named, tick_ns)).collect::<Result<_, _>>()?;
        let placed = scenario.tasks.iter().enumerate().map(|(number, named)| queue(number, named, configuration));
        Ok(Self { tasks, queues: placed.collect::<Result<_, _>>()? })
    }

    /// `task=COST,PERIOD,DEADLINE,OFFSET,QUEUE` for each task.
    pub fn words(&self) -> String {
        let word =
            |(task, queue): (&Task, &u32)| format!(" task={},{},{},0,{queue}", task.cost, task.period, task.deadline);
        self.tasks.iter().zip(&self.queues).map(word).collect()
    }
}

/// What the kernel cannot do is refused here, by the task's name.
fn in_microseconds(named: &NamedTask, tick_ns: u64) -> Result<Task, String> {
    let name = &named.name;
    let whole = |key: &str, ticks: u64| {
        let ns = u128::from(ticks) * u128::from(tick_ns);
        let us = (ns % 1_000 == 0).then(|| u64::try_from(ns / 1_000).ok()).flatten();
        us.ok_or_else(|| {
            format!("the {key} of task '{name}' is no whole number of microseconds, which the kernel wants")
        })
    };
    if named.task.jitter > 0 {
        return Err(format!("task '{name}' has a jitter, and the kernel releases at once: leave it out"));
    }
    if named.arrival == Arrival::Sporadic {
        return Err(format!("task '{name}' is sporadic, and the kernel's threads are periodic"));
    }
    let Task { cost, period, deadline, .. } = named.task;
    Ok(Task::new(whole("cost", cost)?, whole("period", period)?, whole("deadline", deadline)?))
}

/// Where the task says, or in turn.
fn queue(number: usize, named: &NamedTask, configuration: &Configuration) -> Result<u32, String> {
    let queues = configuration.clusters.len() as u32;
    if named.affinity.is_some() {
        return Err(format!("task '{}' names processors, and the kernel takes a cluster: say `cluster`", named.name));
    }
    let queue = named.cluster.unwrap_or(number as u32 % queues);
    if queue < queues { Ok(queue) } else { Err(format!("task '{}' is in cluster {queue} of {queues}", named.name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_ms(10);

    fn tasks(text: &str) -> Result<Tasks, String> {
        let configuration = Configuration { criterion: "EarliestDeadlineFirst".into(), clusters: vec![2, 2] };
        Tasks::of(&read::any(Path::new("a.toml"), text).unwrap(), TICK, &configuration)
    }

    #[test]
    fn a_set_becomes_words_and_its_tasks_take_the_queues_in_turn() {
        let text = "[task.a]\ncost = \"2ms\"\nperiod = \"10ms\"\n[task.b]\ncost = \"1ms\"\nperiod = \"8ms\"\ndeadline = \"4ms\"";
        assert_eq!(tasks(text).unwrap().words(), " task=2000,10000,10000,0,0 task=1000,8000,4000,0,1");
    }

    #[test]
    fn a_set_without_a_unit_takes_the_tick_that_was_said() {
        let text = "unit = \"none\"\ntask = [{ name = \"a\", cost = 1, period = 2 }]";
        assert_eq!(tasks(text).unwrap().tasks, [Task::new(10_000, 20_000, 20_000)]);
    }

    #[test]
    fn what_the_kernel_cannot_do_is_refused_by_the_tasks_name() {
        let with = |more: &str| tasks(&format!("[task.gyro]\ncost = \"2ms\"\nperiod = \"10ms\"\n{more}")).unwrap_err();
        assert!(with("jitter = \"1ms\"").contains("'gyro' has a jitter"));
        let astray = "clusters = [1, 1, 2]\n[task.gyro]\ncost = \"2ms\"\nperiod = \"10ms\"\ncluster = 2";
        assert!(tasks(astray).unwrap_err().contains("'gyro' is in cluster 2 of 2"));
        let fine = tasks("[task.gyro]\ncost = \"1500ns\"\nperiod = \"10ms\"").unwrap_err();
        assert!(fine.contains("cost of task 'gyro'"), "{fine}");
    }
}
