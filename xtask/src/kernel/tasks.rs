//! A task set as the kernel takes it: whole nanoseconds and a queue for each task.

use super::configuration::Configuration;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use prazo_core::overrun::OverrunPolicy;
use prazo_core::task::Task;
use prazo_core::time::Duration;
use prazo_scenario::binary::{LONGEST, ServerTimes, TaskRecord};
use prazo_scenario::{Arrival, Conduct, NamedTask, Reservation, Scenario, read};
use std::path::Path;

/// How a task set's file is to be understood.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Reading {
    /// The length of a tick in a task set without a unit
    #[arg(long, value_name = "TIME", default_value = "10ms")]
    pub tick: Duration,
    /// What becomes of a job whose deadline passes, and of the one after it
    #[arg(long, value_name = "POLICY", default_value_t, value_parser = policies())]
    pub late: OverrunPolicy,
}

/// A parser for the policies' own words, which help lists.
fn policies() -> impl TypedValueParser<Value = OverrunPolicy> {
    PossibleValuesParser::new(OverrunPolicy::NAMES)
        .map(|word| word.parse().expect("clap takes only the policies' words"))
}

/// A task set with everything in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tasks {
    /// Times in nanoseconds, without jitter.
    pub tasks: Vec<Task>,
    /// What each does beside, in nanoseconds.
    pub conduct: Vec<Conduct>,
    /// The queue of each.
    pub queues: Vec<u32>,
    /// What becomes of late jobs.
    pub late: OverrunPolicy,
    /// What was assumed, one sentence each.
    pub remarks: Vec<String>,
}

impl Tasks {
    /// Reads a file.
    ///
    /// A task without a cluster or a processor of its own goes to the queues in turn.
    pub(super) fn of_file(file: &Path, reading: &Reading, configuration: &Configuration) -> Result<Self, String> {
        let scenario = read::file(file).map_err(|error| error.to_string())?;
        Self::of(&scenario, reading, configuration).map_err(|what| format!("{}: {what}", file.display()))
    }

    /// As [`of_file`](Self::of_file), for a file that was read.
    pub(super) fn of(scenario: &Scenario, reading: &Reading, configuration: &Configuration) -> Result<Self, String> {
        if scenario.supply.is_some() {
            return Err("the set has a supply, which the kernel does not have".into());
        }
        if let Some(task) = scenario.tasks.iter().find(|named| named.behaviour.cost_high.is_some()) {
            return Err(format!("task '{}' is of high criticality, and the kernel has no modes", task.name));
        }
        if let Some(task) = prazo_scenario::first_departing(scenario) {
            return Err(format!(
                "task '{}' has parts, sections, a burst or a suspension, which the kernel does not have",
                task.name
            ));
        }
        if let Some(task) = scenario.first_activated() {
            return Err(format!("task '{}' is activated by another, which the kernel cannot do", task.name));
        }
        let tick_ns = scenario.unit.map_or(reading.tick.as_ns(), prazo_scenario::Unit::ns);
        let tasks = scenario.tasks.iter().map(|named| in_nanoseconds(named, tick_ns)).collect::<Result<_, _>>()?;
        let placed = scenario.tasks.iter().enumerate().map(|(number, named)| queue(number, named, configuration));
        let queues = placed.collect::<Result<_, _>>()?;
        let conduct = scenario.tasks.iter().map(|named| conduct(named, tick_ns)).collect::<Result<_, _>>()?;
        Ok(Self { tasks, conduct, queues, late: reading.late, remarks: remarks(scenario) })
    }

    /// The tasks as they stand in a table, arriving for ever.
    pub(super) fn records(&self) -> Vec<TaskRecord> {
        self.tasks.iter().enumerate().map(|(number, task)| self.record(number, task)).collect()
    }

    fn record(&self, number: usize, task: &Task) -> TaskRecord {
        // Sporadic tasks arrive as fast as they may, which is as often as any bound demands.
        let Conduct { offset, execution, server, max_inter_arrival: _, best_case: _ } =
            self.conduct.get(number).copied().unwrap_or_default();
        let times = |server: Reservation| ServerTimes {
            budget: Duration::from_ns(server.budget),
            period: Duration::from_ns(server.period),
        };
        TaskRecord {
            cost: Duration::from_ns(execution.unwrap_or(task.cost)),
            period: Duration::from_ns(task.period),
            relative_deadline: Duration::from_ns(task.deadline),
            offset: Duration::from_ns(offset.unwrap_or(0)),
            jobs: None,
            server: server.map(times),
            priority: number as u32,
            queue: self.queues[number] as u16,
            overrun: self.late,
        }
    }
}

/// What is not as the file has it.
fn remarks(scenario: &Scenario) -> Vec<String> {
    let sporadic = scenario.tasks.iter().filter(|named| named.arrival == Arrival::Sporadic).count();
    let remark = (sporadic > 0).then(|| format!("{sporadic} sporadic tasks arrive as fast as they may"));
    remark.into_iter().collect()
}

/// What the kernel cannot do is refused here, by the task's name.
fn in_nanoseconds(named: &NamedTask, tick_ns: u64) -> Result<Task, String> {
    let name = &named.name;
    if named.task.jitter > 0 {
        return Err(format!("task '{name}' has a jitter, and the kernel releases at once: leave it out"));
    }
    let Task { cost, period, deadline, .. } = named.task;
    let in_ns = |key: &str, ticks: u64| in_ns(named, key, ticks, tick_ns);
    Ok(Task::new(in_ns("cost", cost)?, in_ns("period", period)?, in_ns("deadline", deadline)?))
}

fn conduct(named: &NamedTask, tick_ns: u64) -> Result<Conduct, String> {
    let Conduct { offset, execution, server, max_inter_arrival, best_case } = named.conduct;
    let in_ns = |key: &str, ticks: u64| in_ns(named, key, ticks, tick_ns);
    let reservation = |server: Reservation| {
        let [budget, period] = [in_ns("server's budget", server.budget)?, in_ns("server's period", server.period)?];
        Ok::<_, String>(Reservation { budget, period })
    };
    Ok(Conduct {
        offset: offset.map(|ticks| in_ns("offset", ticks)).transpose()?,
        execution: execution.map(|ticks| in_ns("execution", ticks)).transpose()?,
        max_inter_arrival: max_inter_arrival.map(|ticks| in_ns("max_inter_arrival", ticks)).transpose()?,
        best_case: best_case.map(|ticks| in_ns("best_case", ticks)).transpose()?,
        server: server.map(reservation).transpose()?,
    })
}

fn in_ns(named: &NamedTask, key: &str, ticks: u64, tick_ns: u64) -> Result<u64, String> {
    let ns = ticks.checked_mul(tick_ns).filter(|ns| *ns <= LONGEST.as_ns());
    ns.ok_or_else(|| {
        format!("the {key} of task '{}' is longer than an hour, which the kernel does not take", named.name)
    })
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

    const READING: Reading = Reading { tick: Duration::from_ms(10), late: OverrunPolicy::Abort };

    fn tasks(text: &str) -> Result<Tasks, String> {
        let configuration = Configuration { criterion: "EarliestDeadlineFirst".into(), clusters: vec![2, 2] };
        Tasks::of(&read::any(Path::new("a.toml"), text).unwrap(), &READING, &configuration)
    }

    #[test]
    fn a_set_becomes_records_and_its_tasks_take_the_queues_in_turn() {
        let text = "[task.a]\ncost = \"2ms\"\nperiod = \"10ms\"\n[task.b]\ncost = \"1ms\"\nperiod = \"8ms\"\ndeadline = \"4ms\"";
        let records = tasks(text).unwrap().records();
        assert_eq!(records.iter().map(|record| record.queue).collect::<Vec<_>>(), [0, 1]);
        assert_eq!((records[1].cost, records[1].relative_deadline), (Duration::from_ms(1), Duration::from_ms(4)));
        assert_eq!(records[0].overrun, OverrunPolicy::Abort);
    }

    #[test]
    fn a_set_without_a_unit_takes_the_tick_that_was_said() {
        let text = "unit = \"none\"\ntask = [{ name = \"a\", cost = 1, period = 2 }]";
        assert_eq!(tasks(text).unwrap().tasks, [Task::new(10_000_000, 20_000_000, 20_000_000)]);
    }

    #[test]
    fn a_sporadic_task_arrives_as_fast_as_it_may_and_that_is_said() {
        let set = tasks("[task.a]\ncost = \"2ms\"\nmin_inter_arrival = \"10ms\"").unwrap();
        assert_eq!((set.tasks[0].period, set.remarks.len()), (10_000_000, 1));
    }

    #[test]
    fn what_the_kernel_cannot_do_is_refused_by_the_tasks_name() {
        let with = |more: &str| tasks(&format!("[task.gyro]\ncost = \"2ms\"\nperiod = \"10ms\"\n{more}")).unwrap_err();
        assert!(with("jitter = \"1ms\"").contains("'gyro' has a jitter"));
        assert!(with("affinity = \"0-1\"").contains("'gyro' names processors"));
        let astray = "clusters = [1, 1, 2]\n[task.gyro]\ncost = \"2ms\"\nperiod = \"10ms\"\ncluster = 2";
        assert!(tasks(astray).unwrap_err().contains("'gyro' is in cluster 2 of 2"));
        let long = tasks("[task.gyro]\ncost = \"2ms\"\nperiod = \"4000s\"").unwrap_err();
        assert!(long.contains("period of task 'gyro'"), "{long}");
    }
}
