//! ROS 2 executors in TOML: `[executor.NAME]`, `[callback.NAME]`, `[chain.NAME]`.

use super::stem;
use super::supply::supply;
use crate::error::{Problem, ReadError};
use crate::executors::{
    Activator, CallbackChain, ExecutorKind, ExecutorSet, NamedCallback, NamedExecutor, SubscriptionOrder,
};
use crate::nearest;
use crate::toml_entries::{self, Checked, Entry, Located};
use crate::unit::{self, Scale, Unit};
use prazo_core::behaviour::Burst;
use prazo_core::task::{TICKS_MAX, Ticks};
use std::path::Path;

const KEYS: [&str; 7] = ["name", "origin", "note", "unit", "executor", "callback", "chain"];
const OF_EXECUTOR: [&str; 3] = ["kind", "order", "supply"];
const OF_CALLBACK: [&str; 11] = [
    "executor",
    "cost",
    "timer",
    "topic",
    "publishes",
    "period",
    "jitter",
    "burst",
    "within",
    "min_inter_arrival",
    "delay",
];
const OF_CHAIN: [&str; 2] = ["callbacks", "deadline"];
/// The most executors, callbacks and chains of a file.
const COUNT_MAX: usize = 1 << 12;

/// Reads `text`, which errors call `file`.
///
/// # Errors
/// The text is no TOML, has a key or a value that is not known, or states what is not modelled.
pub fn read(file: &Path, text: &str) -> Result<ExecutorSet, ReadError> {
    let name = file.display().to_string();
    toml_entries::read(&name, text, |entries| set(&name, entries))
}

fn set(file: &str, entries: &[Entry<'_>]) -> Checked<ExecutorSet> {
    let mut set = ExecutorSet { name: stem(file), unit: Some(Unit::Nanosecond), ..ExecutorSet::default() };
    let find = |key: &str| entries.iter().find(|entry| entry.key == key);
    if let Some(entry) = find("unit") {
        set.unit = match entry.text()? {
            "none" => None,
            text => Some(text.parse().map_err(|_| entry.problem("unknown unit", "write ns, us, ms, or none"))?),
        };
    }
    for entry in entries {
        match entry.key {
            "name" => set.name = entry.text()?.to_owned(),
            "origin" => set.origin = Some(entry.text()?.to_owned()),
            "note" => set.note = Some(entry.text()?.to_owned()),
            "unit" | "executor" | "callback" | "chain" => {}
            "task" | "tasks" => {
                return Err(
                    entry.problem("this file is about a task set, not executors", "run `prazo sched test` on it")
                );
            }
            other => return Err(entry.problem("unknown key for a file of executors", nearest::remedy(other, &KEYS))),
        }
    }
    let Some(executors) = find("executor") else {
        let problem = Problem::new("the file has no executor", "add a table, as in [executor.main]");
        return Err((problem.of("executor"), 0));
    };
    set.executors = several(executors)?.iter().map(|entry| executor(entry, set.unit)).collect::<Checked<_>>()?;
    let Some(callbacks) = find("callback") else {
        let problem = Problem::new("the file has no callback", "add a table, as in [callback.lidar]");
        return Err((problem.of("callback"), 0));
    };
    let callbacks = several(callbacks)?;
    let drafts: Vec<Draft<'_>> =
        callbacks.iter().map(|entry| draft(*entry, &set.executors, set.unit)).collect::<Checked<_>>()?;
    set.callbacks = drafts.iter().map(|draft| draft.callback(&drafts)).collect::<Checked<_>>()?;
    check_loops(&set.callbacks, &callbacks)?;
    if let Some(entry) = find("chain") {
        set.chains = several(entry)?.iter().map(|entry| chain(entry, &set)).collect::<Checked<_>>()?;
    }
    Ok(set)
}

/// The tables below a key, each with its name.
fn several<'a>(entry: &Entry<'a>) -> Checked<Vec<Entry<'a>>> {
    let all = entry.entries()?;
    match all.len() {
        0 => Err(entry.problem("the table is empty", "add at least one entry")),
        1..=COUNT_MAX => Ok(all),
        _ => Err(entry.problem("there are more than 4096 entries", "split the file")),
    }
}

fn executor(entry: &Entry<'_>, unit: Option<Unit>) -> Checked<NamedExecutor> {
    let mut executor = NamedExecutor {
        name: entry.key.to_owned(),
        kind: ExecutorKind::default(),
        order: SubscriptionOrder::default(),
        supply: None,
        supply_words: None,
    };
    let mut ordered = None;
    for part in entry.entries()? {
        match part.key {
            "kind" => executor.kind = kind(&part)?,
            "order" => {
                executor.order = word(&part)?;
                ordered = Some(part);
            }
            "supply" => {
                let (stated, words) = supply(&part, unit)?;
                (executor.supply, executor.supply_words) = (Some(stated), words);
            }
            "threads" | "callback_groups" => {
                return Err(part.problem(
                    "executors with several threads are not modelled",
                    "remove the key: each executor is one thread and runs one callback at a time",
                ));
            }
            other => return Err(part.problem("unknown key for an executor", nearest::remedy(other, &OF_EXECUTOR))),
        }
    }
    match ordered {
        Some(part) if executor.kind == ExecutorKind::Events => Err(part.problem(
            "an events executor runs its callbacks in the order of their arrival",
            "remove 'order', or set kind = \"single-threaded\"",
        )),
        _ => Ok(executor),
    }
}

/// A value of an enumeration.
fn word<T: std::str::FromStr<Err = prazo_core::words::UnknownWord>>(part: &Entry<'_>) -> Checked<T> {
    let text = part.text()?;
    text.parse().map_err(|known: prazo_core::words::UnknownWord| {
        part.problem(format!("unknown value '{text}'"), nearest::remedy(text, known.choices))
    })
}

fn kind(part: &Entry<'_>) -> Checked<ExecutorKind> {
    match part.text()? {
        "multi-threaded" => Err(part.problem(
            "the multi-threaded executor is not modelled: its callbacks run concurrently on several threads",
            "use single-threaded executors, each with its own callbacks",
        )),
        "static-single-threaded" => Err(part.problem(
            "the static single-threaded executor is not modelled: it runs subscriptions before timers, and in recent ROS 2 releases it looks for ready callbacks again after each callback",
            "choose single-threaded or events",
        )),
        _ => word(part),
    }
}

/// A callback before its topic is looked up.
struct Draft<'a> {
    entry: Entry<'a>,
    executor: usize,
    cost: Ticks,
    timer: Option<Ticks>,
    topic: Option<String>,
    publishes: Vec<String>,
    period: Option<Ticks>,
    jitter: Option<Ticks>,
    burst: Option<u64>,
    within: Option<Ticks>,
    min_inter_arrival: Option<Ticks>,
    delay: Option<Ticks>,
}

fn draft<'a>(entry: Entry<'a>, executors: &[NamedExecutor], unit: Option<Unit>) -> Checked<Draft<'a>> {
    let (mut executor, mut cost) = (None, None);
    let mut draft = Draft {
        entry,
        executor: 0,
        cost: 0,
        timer: None,
        topic: None,
        publishes: Vec::new(),
        period: None,
        jitter: None,
        burst: None,
        within: None,
        min_inter_arrival: None,
        delay: None,
    };
    for part in entry.entries()? {
        let (key, scale) = unit::split_key(part.key);
        let place = match key {
            "cost" => Some((&mut cost, 1)),
            "timer" => Some((&mut draft.timer, 1)),
            "period" => Some((&mut draft.period, 1)),
            "within" => Some((&mut draft.within, 1)),
            "jitter" => Some((&mut draft.jitter, 0)),
            "min_inter_arrival" => Some((&mut draft.min_inter_arrival, 0)),
            "delay" => Some((&mut draft.delay, 0)),
            _ => None,
        };
        if let Some((place, least)) = place {
            let time = unit::ticks(&part.scalar()?, scale, unit).map_err(|problem| part.located(problem))?;
            if time < least {
                return Err(part.problem("the time is zero", "set it to at least one tick"));
            }
            if place.replace(time).is_some() {
                return Err(part.problem("the key is given twice", "keep one of the two keys"));
            }
            continue;
        }
        match part.key {
            "executor" => executor = Some(find_executor(&part, executors)?),
            "topic" => draft.topic = Some(part.text()?.to_owned()),
            "publishes" => draft.publishes = texts(&part)?,
            "burst" => draft.burst = Some(part.whole()?),
            "service" | "client" | "waitable" | "action" => {
                return Err(part.problem(
                    "only timers and subscriptions are modelled; services, clients and waitables are not",
                    "write the server of a service as a subscription to its requests, if no callback waits for the answer",
                ));
            }
            other => return Err(part.problem("unknown key for a callback", nearest::remedy(other, &OF_CALLBACK))),
        }
    }
    draft.executor = match (executor, executors.len()) {
        (Some(executor), _) => executor,
        (None, 1) => 0,
        (None, _) => {
            return Err(
                draft.problem("it names no executor", "add `executor` with the name of an executor of this file")
            );
        }
    };
    draft.cost =
        cost.ok_or_else(|| draft.problem("it has no cost", "add its longest execution time, as in cost = \"2ms\""))?;
    Ok(draft)
}

fn find_executor(part: &Entry<'_>, executors: &[NamedExecutor]) -> Checked<usize> {
    let name = part.text()?;
    executors.iter().position(|executor| executor.name == name).ok_or_else(|| {
        let names: Vec<&str> = executors.iter().map(|executor| executor.name.as_str()).collect();
        part.problem(format!("there is no executor '{name}'"), nearest::remedy(name, &names))
    })
}

fn texts(part: &Entry<'_>) -> Checked<Vec<String>> {
    if let Some(text) = part.value.as_str() {
        return Ok(vec![text.to_owned()]);
    }
    let wrong = || part.problem("expected a topic, or a list of topics", "write each topic in quotation marks");
    part.list()?.iter().map(|value| value.get_ref().as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

impl Draft<'_> {
    fn problem(&self, problem: &str, remedy: &str) -> Located {
        (Problem::new(format!("callback '{}': {problem}", self.entry.key), remedy).of("callback"), self.entry.at)
    }

    fn callback(&self, all: &[Self]) -> Checked<NamedCallback> {
        Ok(NamedCallback {
            name: self.entry.key.to_owned(),
            executor: self.executor,
            cost: self.cost,
            activation: self.activation(all)?,
            publishes: self.publishes.clone(),
        })
    }

    fn activation(&self, all: &[Self]) -> Checked<Activator> {
        let is_burst = self.burst.is_some() || self.within.is_some() || self.min_inter_arrival.is_some();
        let has_arrivals = self.period.is_some() || is_burst || self.jitter.is_some();
        match (self.timer, &self.topic) {
            (Some(_), Some(_)) => Err(self.problem("it has a timer and a topic", "keep one of the two")),
            (None, None) => Err(self.problem("nothing activates it", "add timer with its period, or add topic")),
            (Some(_), None) if has_arrivals || self.delay.is_some() => Err(self.problem(
                "a timer activates the callback exactly once per period",
                "remove all other keys for arrivals, and delay",
            )),
            (Some(period), None) => Ok(Activator::Timer { period }),
            (None, Some(topic)) => {
                let mut publishers = (0..all.len()).filter(|&index| all[index].publishes.contains(topic));
                match (publishers.next(), publishers.next()) {
                    (Some(_), Some(_)) => Err(self.problem(
                        &format!("several callbacks publish '{topic}'"),
                        "write one subscription for each publisher, with topics of different names",
                    )),
                    (Some(_), None) if has_arrivals => Err(self.problem(
                        &format!(
                            "a callback publishes '{topic}', so the arrivals of its messages follow from that callback"
                        ),
                        "remove period, jitter, burst, within and min_inter_arrival",
                    )),
                    (Some(by), None) => {
                        Ok(Activator::Callback { topic: topic.clone(), by, delay: self.delay.unwrap_or(0) })
                    }
                    (None, _) if self.delay.is_some() => Err(self.problem(
                        &format!("no callback publishes '{topic}'"),
                        "state the delay of an external topic as its jitter",
                    )),
                    (None, _) => self.external(topic),
                }
            }
        }
    }

    fn external(&self, topic: &str) -> Checked<Activator> {
        let arrivals = match (self.period, self.burst, self.within) {
            (Some(period), None, None) if self.min_inter_arrival.is_none() => {
                Burst { jobs: 1, within: period, distance: period }
            }
            (None, Some(jobs), Some(within)) => Burst { jobs, within, distance: self.min_inter_arrival.unwrap_or(0) },
            _ => {
                return Err(self.problem(
                    &format!(
                        "no callback publishes '{topic}', and its arrivals are not known or are stated in two forms"
                    ),
                    "state either period alone (the least time between two messages), or burst and within",
                ));
            }
        };
        let fits = |product: Option<u64>, most: Ticks| product.is_some_and(|product| product <= most);
        let Burst { jobs, within, distance } = arrivals;
        let is_possible =
            jobs > 0 && fits(jobs.checked_mul(distance), within) && fits(jobs.checked_mul(self.cost), TICKS_MAX);
        if !is_possible {
            return Err(self.problem(
                "the burst has no job, does not fit into `within`, or exceeds 2^48 ticks of work",
                "give at least one job; keep min_inter_arrival at most within / burst, and burst × cost at most 2^48 ticks",
            ));
        }
        Ok(Activator::External { topic: topic.to_owned(), arrivals, jitter: self.jitter.unwrap_or(0) })
    }
}

/// Refuses callbacks that activate themselves through others.
fn check_loops(callbacks: &[NamedCallback], entries: &[Entry<'_>]) -> Checked<()> {
    let before = |index: usize| match callbacks[index].activation {
        Activator::Callback { by, .. } => Some(by),
        _ => None,
    };
    for (index, entry) in entries.iter().enumerate() {
        let mut walk = std::iter::successors(before(index), |&by| before(by)).take(callbacks.len());
        if walk.any(|by| by == index) {
            return Err(entry.problem("the callback activates itself through topics", "remove one topic of the loop"));
        }
    }
    Ok(())
}

fn chain(entry: &Entry<'_>, set: &ExecutorSet) -> Checked<CallbackChain> {
    let (mut callbacks, mut deadline) = (Vec::new(), None);
    for part in entry.entries()? {
        let (key, scale) = unit::split_key(part.key);
        match key {
            "deadline" => {
                let time = unit::ticks(&part.scalar()?, scale, set.unit).map_err(|problem| part.located(problem))?;
                deadline = Some(time);
            }
            "callbacks" if scale == Scale::Unstated => {
                for value in part.list()? {
                    let wrong = || part.problem("expected a list of callbacks", "write each name in quotation marks");
                    let name = value.get_ref().as_str().ok_or_else(wrong)?;
                    let found = set.callbacks.iter().position(|callback| callback.name == name);
                    let names = || set.callbacks.iter().map(|callback| callback.name.as_str()).collect::<Vec<_>>();
                    callbacks.push(found.ok_or_else(|| {
                        part.problem(format!("there is no callback '{name}'"), nearest::remedy(name, &names()))
                    })?);
                }
            }
            _ => return Err(part.problem("unknown key for a chain", nearest::remedy(key, &OF_CHAIN))),
        }
    }
    if callbacks.is_empty() {
        return Err(
            entry.problem("a chain needs callbacks", "state them in order, as in callbacks = [\"lidar\", \"filter\"]")
        );
    }
    for pair in callbacks.windows(2) {
        let follows = matches!(set.callbacks[pair[1]].activation, Activator::Callback { by, .. } if by == pair[0]);
        if !follows {
            let [before, after] = [pair[0], pair[1]].map(|index| &set.callbacks[index].name);
            return Err(entry.problem(
                format!("'{after}' does not subscribe to a topic that '{before}' publishes"),
                "name callbacks of which each activates the next",
            ));
        }
    }
    Ok(CallbackChain { name: entry.key.to_owned(), callbacks, deadline })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: &str = "[executor.main]\nsupply = { budget = '4ms', period = '10ms' }\n[executor.second]\nkind = 'events'\n\
                       [callback.lidar]\nexecutor = 'main'\ncost = '2ms'\ntimer = '100ms'\npublishes = 'points'\n\
                       [callback.filter]\nexecutor = 'second'\ncost = '3ms'\ntopic = 'points'\ndelay = '1ms'\n\
                       [callback.odom]\nexecutor = 'main'\ncost = '1ms'\ntopic = 'odom'\nperiod = '20ms'\njitter = '200us'\n\
                       [chain.front]\ncallbacks = ['lidar', 'filter']\ndeadline = '50ms'\n";

    fn refused(text: &str) -> String {
        read("x.toml".as_ref(), text).unwrap_err().to_string()
    }

    #[test]
    fn executors_callbacks_and_chains_are_read() {
        let set = read("x.toml".as_ref(), SET).unwrap();
        assert_eq!((set.name.as_str(), set.executors.len(), set.callbacks.len()), ("x", 2, 3));
        assert_eq!(set.executors[1].kind, ExecutorKind::Events);
        assert_eq!(set.callbacks[0].activation, Activator::Timer { period: 100_000_000 });
        let by = Activator::Callback { topic: "points".into(), by: 0, delay: 1_000_000 };
        assert_eq!(set.callbacks[1].activation, by);
        let chain = CallbackChain { name: "front".into(), callbacks: vec![0, 1], deadline: Some(50_000_000) };
        assert_eq!(set.chains, [chain]);
    }

    #[test]
    fn a_task_set_is_sent_to_the_command_that_reads_it() {
        assert!(refused("[task.a]\ncost = '1ms'\nperiod = '4ms'\n").contains("run `prazo sched test` on it"));
    }

    #[test]
    fn what_is_not_modelled_is_refused_with_what_to_do() {
        for (from, to, said) in [
            ("kind = 'events'", "kind = 'multi-threaded'", "the multi-threaded executor is not modelled"),
            ("kind = 'events'", "kind = 'events'\nthreads = 2", "executors with several threads are not modelled"),
            ("topic = 'odom'", "service = 'odom'", "only timers and subscriptions are modelled"),
            ("period = '20ms'\n", "", "its arrivals are not known"),
            ("topic = 'odom'", "topic = 'points'", "the arrivals of its messages follow from that callback"),
            ("cost = '1ms'\n", "cost = '1ms'\npublishes = ['points']\n", "several callbacks publish 'points'"),
            ("['lidar', 'filter']", "['lidar', 'odom']", "'odom' does not subscribe"),
            ("timer = '100ms'", "timer = '100ms'\ntopic = 'odom'", "it has a timer and a topic"),
            ("timer = '100ms'", "topic = 'back'\n", "its arrivals are not known"),
            ("deadline = '50ms'", "dedline = '50ms'", "did you mean 'deadline'?"),
        ] {
            let text = SET.replacen(from, to, 1);
            assert_ne!(text, SET);
            let message = refused(&text);
            assert!(message.contains(said), "{to}: {message}");
        }
    }

    #[test]
    fn callbacks_that_activate_themselves_are_refused() {
        let text = "[executor.main]\n[callback.a]\ncost = '1ms'\ntopic = 'y'\npublishes = 'x'\n\
                    [callback.b]\ncost = '1ms'\ntopic = 'x'\npublishes = 'y'\n";
        assert!(refused(text).contains("activates itself through topics"));
    }
}
