//! Chains of cause and effect in TOML, and what must hold between them and the tasks.

use super::task_keys;
use crate::behaviour::TaskBehaviour;
use crate::chain::{Chain, Communication, Stage};
use crate::error::Problem;
use crate::nearest;
use crate::set::{Arrival, NamedTask, Scenario};
use crate::toml_entries::{self, Checked, Entry};
use crate::unit::{self, Scale, Unit};
use prazo_core::task::Ticks;
use prazo_core::words::UnknownWord;
use std::collections::HashSet;

/// The keys of a chain; times may end in `_ns`, `_us`, `_ms` or `_s`.
pub(super) const KEYS: [&str; 8] =
    ["name", "tasks", "communication", "activated", "hops", "synchronized", "max_reaction", "max_age"];

/// `[chain.NAME]` tables, or a list of `[[chain]]`; `tasks` are those of the set.
pub(super) fn chains(entry: &Entry<'_>, tasks: &[NamedTask], unit: Option<Unit>) -> Checked<Vec<Chain>> {
    if entry.value.is_table() {
        let named = entry.entries()?;
        return named.iter().map(|one| chain(one, one.key.to_owned(), &one.entries()?, tasks, unit)).collect();
    }
    let listed = |(index, value): (usize, &toml::Spanned<toml::de::DeValue<'_>>)| {
        let Some(entries) = value.get_ref().as_table().map(toml_entries::entries) else {
            return Err(entry.problem("a chain must be a table", "write the chain under [[chain]] or in braces"));
        };
        chain(entry, index.to_string(), &entries, tasks, unit)
    };
    entry.list()?.iter().enumerate().map(listed).collect()
}

fn chain(
    whole: &Entry<'_>,
    mut name: String,
    entries: &[Entry<'_>],
    tasks: &[NamedTask],
    unit: Option<Unit>,
) -> Checked<Chain> {
    let (mut members, mut activated, mut hops) = (None, Vec::new(), Vec::new());
    let mut chain = Chain {
        name: String::new(),
        stages: Vec::new(),
        communication: Communication::default(),
        synchronized: false,
        max_reaction: None,
        max_age: None,
    };
    for part in entries {
        let (key, scale) = unit::split_key(part.key);
        match key {
            "max_reaction" => put(&mut chain.max_reaction, part, scale, unit)?,
            "max_age" => put(&mut chain.max_age, part, scale, unit)?,
            _ if scale != Scale::Unstated => return Err(unknown(part)),
            "name" => name = part.text()?.to_owned(),
            "tasks" => members = Some(task_list(part, tasks)?),
            "activated" => activated = task_list(part, tasks)?,
            "hops" => hops = hop_table(part, tasks, unit)?,
            "synchronized" => chain.synchronized = part.flag()?,
            "communication" => {
                let text = part.text()?;
                let wrong = |known: UnknownWord| {
                    part.problem(format!("unknown value '{text}'"), nearest::remedy(text, known.choices))
                };
                chain.communication = text.parse().map_err(wrong)?;
            }
            _ => return Err(unknown(part)),
        }
    }
    let missing = "state its tasks from cause to effect, as in tasks = [\"sensor\", \"control\"]";
    let members =
        members.filter(|list| !list.is_empty()).ok_or_else(|| whole.problem("a chain needs tasks", missing))?;
    let stray = activated.iter().chain(hops.iter().map(|(task, _)| task)).find(|task| !members.contains(task));
    if let Some(&stray) = stray {
        let problem = format!("'{}' is not a task of the chain '{name}'", tasks[stray].name);
        return Err(whole.problem(problem, "in `activated` and `hops`, name only tasks of this chain"));
    }
    let hop = |task: usize| hops.iter().find(|(to, _)| *to == task).map_or(0, |(_, hop)| *hop);
    let stage = |&task: &usize| Stage { task, activated: activated.contains(&task), hop: hop(task) };
    (chain.name, chain.stages) = (name, members.iter().map(stage).collect());
    Ok(chain)
}

fn unknown(part: &Entry<'_>) -> toml_entries::Located {
    part.problem("unknown key for a chain", nearest::remedy(unit::split_key(part.key).0, &KEYS))
}

fn put(place: &mut Option<Ticks>, part: &Entry<'_>, scale: Scale, unit: Option<Unit>) -> Checked<()> {
    let time = task_keys::time(&part.scalar()?, scale, unit).map_err(|problem| part.located(problem))?;
    match place.replace(time) {
        None => Ok(()),
        Some(_) => Err(part.problem("the key is given twice", "keep one of the two keys")),
    }
}

/// Names of tasks, each once.
fn task_list(part: &Entry<'_>, tasks: &[NamedTask]) -> Checked<Vec<usize>> {
    let mut list = Vec::new();
    for value in part.list()? {
        let wrong = || part.problem("expected a list of task names", "write each name in quotation marks");
        let task = find(part, value.get_ref().as_str().ok_or_else(wrong)?, tasks)?;
        if list.contains(&task) {
            let problem = format!("'{}' occurs twice", tasks[task].name);
            return Err(part.problem(problem, "name each task of a chain once; write a loop as two chains"));
        }
        list.push(task);
    }
    Ok(list)
}

/// `{ control = "2ms" }`: the task that receives, and how long data are under way to it.
fn hop_table(part: &Entry<'_>, tasks: &[NamedTask], unit: Option<Unit>) -> Checked<Vec<(usize, Ticks)>> {
    let hop = |one: &Entry<'_>| {
        let task = find(one, one.key, tasks)?;
        let time = unit::ticks(&one.scalar()?, Scale::Unstated, unit).map_err(|problem| one.located(problem))?;
        Ok((task, time))
    };
    part.entries()?.iter().map(hop).collect()
}

fn find(part: &Entry<'_>, name: &str, tasks: &[NamedTask]) -> Checked<usize> {
    tasks.iter().position(|named| named.name == name).ok_or_else(|| {
        let names: Vec<&str> = tasks.iter().map(|named| named.name.as_str()).collect();
        part.problem(format!("there is no task '{name}'"), nearest::remedy(name, &names))
    })
}

/// Refuses chains that contradict each other or their tasks.
pub(super) fn check(scenario: &Scenario) -> Result<(), Problem> {
    let mut names = HashSet::new();
    for chain in &scenario.chains {
        if chain.name.is_empty() || !names.insert(chain.name.as_str()) {
            return Err(of_chain(
                chain,
                "two chains have this name, or the name is empty",
                "give each chain its own name",
            ));
        }
        check_chain(scenario, chain)?;
    }
    check_activations(scenario)
}

fn check_chain(scenario: &Scenario, chain: &Chain) -> Result<(), Problem> {
    let task = |stage: &Stage| &scenario.tasks[stage.task];
    let is_inner = |stage: &&Stage| stage.activated && stage.task != chain.stages[0].task;
    if chain.stages[0].hop > 0 {
        return Err(of_chain(
            chain,
            "the first task has a hop",
            "remove the hop: a hop is the delay from the previous task of the chain",
        ));
    }
    if chain.communication == Communication::Let && chain.stages.iter().any(|stage| stage.activated) {
        return Err(of_chain(
            chain,
            "a chain with logical execution times (communication = \"let\") cannot have activated tasks",
            "remove activated, or set communication to implicit",
        ));
    }
    if let Some(served) = chain.stages.iter().find(|stage| task(stage).conduct.server.is_some()) {
        let problem = format!(
            "task '{}' has a server; prazo has no bound for chains whose tasks have servers",
            task(served).name
        );
        return Err(of_chain(chain, &problem, "remove server_budget and server_period, or the chain"));
    }
    let is_loose = |stage: &&Stage| {
        let NamedTask { arrival, conduct, .. } = task(stage);
        stage.activated || *arrival != Arrival::Periodic || conduct.offset.is_none()
    };
    if let Some(loose) = chain.stages.iter().find(is_loose).filter(|_| chain.synchronized) {
        let problem = format!(
            "task '{}' of a synchronized chain has no period, has no offset, or is listed in `activated`",
            task(loose).name
        );
        return Err(of_chain(
            chain,
            &problem,
            "state the period and offset of each task and remove activated, or remove synchronized",
        ));
    }
    for pair in chain.stages.windows(2).filter(|pair| is_inner(&&pair[1])) {
        let (before, after) = (task(&pair[0]), task(&pair[1]));
        let arrivals = |named: &NamedTask| {
            let TaskBehaviour { burst, curve, .. } = named.behaviour;
            (named.task.period, named.arrival, burst, curve, named.conduct.max_inter_arrival)
        };
        if arrivals(before) != arrivals(after) {
            let problem = format!(
                "task '{}' is activated by '{}', but the arrival times of the two differ",
                after.name, before.name
            );
            return Err(of_chain(
                chain,
                &problem,
                "give both tasks the same period, burst, arrivals or inter-arrival times",
            ));
        }
        if after.conduct.offset.is_some() {
            let problem = format!("task '{}' is activated by '{}' and has an offset", after.name, before.name);
            return Err(of_chain(chain, &problem, "remove the offset of the activated task"));
        }
    }
    Ok(())
}

/// One task activates another, over the same distance in every chain, and none itself, over however many others.
fn check_activations(scenario: &Scenario) -> Result<(), Problem> {
    let all = scenario.activations();
    for chain in &scenario.chains {
        for pair in chain.stages.windows(2).filter(|pair| pair[1].activated) {
            let known = all[pair[1].task].map(|one| (one.by, one.hop));
            if known != Some((pair[0].task, pair[1].hop)) {
                let problem =
                    format!("task '{}' is activated differently in two chains", scenario.tasks[pair[1].task].name);
                return Err(of_chain(
                    chain,
                    &problem,
                    "let the same task activate it in both chains, with the same hop",
                ));
            }
        }
        let first = chain.stages[0];
        if first.activated && all[first.task].is_some() {
            let problem = format!(
                "task '{}' is activated both by an external event and by another task",
                scenario.tasks[first.task].name
            );
            return Err(of_chain(chain, &problem, "begin this chain with the activating task"));
        }
    }
    for start in 0..all.len() {
        let mut walk = std::iter::successors(all[start], |one| all[one.by]).take(all.len());
        if walk.any(|one| one.by == start) {
            let problem = "the task activates itself through other tasks";
            return Err(Problem::new(problem, "remove one task of the loop from activated")
                .in_task(&scenario.tasks[start].name));
        }
    }
    Ok(())
}

fn of_chain(chain: &Chain, problem: &str, remedy: &str) -> Problem {
    Problem::new(format!("chain '{}': {problem}", chain.name), remedy).of("chain")
}
