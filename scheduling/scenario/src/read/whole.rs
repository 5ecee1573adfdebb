//! What must hold between the parts of a set, whichever format it came in.

use super::chain;
use super::record::TASKS_MAX;
use crate::error::Problem;
use crate::set::{Arrival, JobRanking, NamedTask, Priorities, Scenario};
use prazo_core::cpu::CPUS_MAX;
use std::collections::HashSet;

/// `scenario`, or what contradicts itself in it.
pub(super) fn checked(scenario: Scenario) -> Result<Scenario, Problem> {
    count(&scenario.tasks)?;
    names(&scenario.tasks)?;
    let scenario = processors(scenario)?;
    supply(&scenario)?;
    for named in &scenario.tasks {
        place(named, &scenario).map_err(|problem| problem.in_task(&named.name))?;
    }
    priorities(&scenario)?;
    synchronized(&scenario)?;
    chain::check(&scenario)?;
    Ok(scenario)
}

fn count(tasks: &[NamedTask]) -> Result<(), Problem> {
    match tasks.len() {
        0 => Err(Problem::new("there is no task", "give at least one task")),
        1..=TASKS_MAX => Ok(()),
        count => Err(Problem::new(
            format!("{count} tasks exceed the limit"),
            format!("a task set has at most {TASKS_MAX} tasks"),
        )),
    }
}

fn names(tasks: &[NamedTask]) -> Result<(), Problem> {
    let mut seen = HashSet::new();
    match tasks.iter().find(|named| named.name.is_empty() || !seen.insert(named.name.as_str())) {
        None => Ok(()),
        Some(named) if named.name.is_empty() => {
            Err(Problem::new("the name is empty", "give every task a name").of("name"))
        }
        Some(named) => {
            Err(Problem::new("two tasks have this name", "rename one of the two tasks").in_task(&named.name))
        }
    }
}

/// Clusters and processors agree; where only clusters are given, they say how many processors there are.
fn processors(scenario: Scenario) -> Result<Scenario, Problem> {
    let total = scenario.clusters.as_deref().map(total).transpose()?;
    match (scenario.processors, total) {
        (Some(stated), _) if stated == 0 || stated as usize > CPUS_MAX => Err(Problem::new(
            format!("{stated} processors are out of range"),
            format!("give 1 to {CPUS_MAX} processors"),
        )
        .of("processors")),
        (Some(stated), Some(total)) if stated != total => {
            let problem = format!("the cluster sizes add up to {total} processors, but processors is {stated}");
            Err(Problem::new(problem, "make the cluster sizes add up to processors").of("clusters"))
        }
        (stated, total) => Ok(Scenario { processors: stated.or(total), ..scenario }),
    }
}

/// A supply is of one processor, and whoever is served within it has no server of its own.
fn supply(scenario: &Scenario) -> Result<(), Problem> {
    if scenario.supply.is_none() {
        return Ok(());
    }
    if scenario.processors.is_some_and(|processors| processors != 1) {
        let remedy = "write a separate task set with its own supply for each processor, or remove the supply";
        return Err(Problem::new("a supply applies to one processor", remedy).of("supply"));
    }
    match scenario.tasks.iter().find(|named| named.conduct.server.is_some()) {
        None => Ok(()),
        Some(named) => {
            let remedy = "remove server_budget and server_period, or the supply";
            Err(Problem::new("the set has a supply, and no test covers a server within a supply", remedy)
                .of("server_budget")
                .in_task(&named.name))
        }
    }
}

/// On one clock all tasks are periodic, and none waits for another.
fn synchronized(scenario: &Scenario) -> Result<(), Problem> {
    if !scenario.synchronized {
        return Ok(());
    }
    let is_sporadic = |named: &&NamedTask| named.arrival == Arrival::Sporadic;
    let loose = scenario.tasks.iter().find(is_sporadic).or(scenario.first_activated());
    match loose {
        None => Ok(()),
        Some(named) => {
            let remedy = "give every task a period and remove `activated` from the chains, or remove synchronized";
            let problem = format!("task '{}' is not periodic, or another task activates it", named.name);
            Err(Problem::new(problem, remedy).of("synchronized"))
        }
    }
}

/// The processors of all clusters together.
fn total(sizes: &[u32]) -> Result<u32, Problem> {
    let sum = sizes.iter().try_fold(0u32, |sum, size| sum.checked_add(*size));
    match sum {
        Some(1..) if !sizes.contains(&0) && sum.is_some_and(|sum| sum as usize <= CPUS_MAX) => {
            Ok(sum.unwrap_or_default())
        }
        _ => {
            let problem = format!("expected cluster sizes of at least 1 with at most {CPUS_MAX} processors in total");
            Err(Problem::new(problem, "write the sizes as in [2, 2]").of("clusters"))
        }
    }
}

/// The task's cluster and processors exist.
fn place(named: &NamedTask, scenario: &Scenario) -> Result<(), Problem> {
    if let Some(cluster) = named.cluster {
        let clusters = scenario.clusters.as_deref().map_or(0, <[u32]>::len);
        if cluster as usize >= clusters {
            let remedy = match clusters {
                0 => "remove this key, or give the set clusters, as in clusters = [2, 2]".to_owned(),
                count => choices("cluster", count),
            };
            return Err(Problem::new(format!("there is no cluster {cluster}"), remedy).of("cluster"));
        }
    }
    let (Some(affinity), Some(processors)) = (named.affinity, scenario.processors) else { return Ok(()) };
    match affinity.iter().find(|cpu| cpu.number() >= processors) {
        None => Ok(()),
        Some(cpu) => {
            let remedy = choices("processor", processors as usize);
            Err(Problem::new(format!("there is no processor {cpu}"), remedy).of("affinity"))
        }
    }
}

/// What a task may name of the set's `count` things.
fn choices(noun: &str, count: usize) -> String {
    match count {
        1 => format!("the set has only {noun} 0"),
        _ => format!("choose from {noun} 0 to {noun} {}", count - 1),
    }
}

/// Given priorities are given for all.
fn priorities(scenario: &Scenario) -> Result<(), Problem> {
    if scenario.policy != Some(JobRanking::FixedPriority(Priorities::Given)) {
        return Ok(());
    }
    match scenario.tasks.iter().find(|named| named.priority.is_none()) {
        None => Ok(()),
        Some(named) => {
            let remedy = "give every task a priority, or (in TOML) set priorities to rate-monotonic, deadline-monotonic or audsley";
            Err(Problem::new("the key is missing", remedy).of("priority").in_task(&named.name))
        }
    }
}
