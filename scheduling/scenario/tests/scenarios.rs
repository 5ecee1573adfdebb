//! The sets in scenarios/ are read, and what they expect is so: each is simulated tick by tick, without overheads.

use prazo_core::task::Task;
use prazo_oracle::any_arrival::{self, MissSearch, search};
use prazo_oracle::arrivals::together;
use prazo_oracle::{Order, Platform, first_miss, schedule};
use prazo_scenario::read::{self, nothing_beside};
use prazo_scenario::set::{ExpectedVerdict, Scenario, Scheduler};
use prazo_scenario::write;
use std::path::{Path, PathBuf};

/// Ticks that are simulated; the latest miss that is expected comes at 3791.
const TICKS: i64 = 40_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn sets() -> Vec<Scenario> {
    files(&folder()).iter().map(|path| read::file(path).unwrap_or_else(|why| panic!("{why}"))).collect()
}

/// The tasks in the coarsest ticks that keep every time whole.
fn coarse(scenario: &Scenario) -> Vec<Task> {
    let tasks = scenario.tasks();
    let times = |task: &Task| [task.cost, task.period, task.deadline, task.jitter];
    let step = tasks.iter().flat_map(times).fold(0, gcd);
    let scaled = |task: &Task| {
        let [cost, period, deadline, jitter] = times(task).map(|time| time / step);
        Task { cost, period, deadline, jitter, working_set_kib: 0 }
    };
    tasks.iter().map(scaled).collect()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Every way to give each of `tasks` tasks one of `bins` numbers.
fn assignments(tasks: usize, bins: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..bins.pow(tasks as u32)).map(move |code| (0..tasks).map(|place| code / bins.pow(place as u32) % bins).collect())
}

/// Every order of `count` tasks, as ranks.
fn orders(count: usize) -> Vec<Vec<u32>> {
    let permutation = |ranks: &Vec<usize>| (0..count).all(|rank| ranks.contains(&rank));
    let ranks = |ranks: Vec<usize>| ranks.into_iter().map(|rank| rank as u32).collect();
    assignments(count, count).filter(permutation).map(ranks).collect()
}

/// Deadline-monotonic ranks, or every order where the set has Audsley search one.
fn ranks(scenario: &Scenario, tasks: &[Task]) -> Vec<Vec<u32>> {
    use prazo_scenario::set::{JobRanking, Priorities};
    let by = |key: fn(&Task) -> u64| {
        let key = |index: usize| (key(&tasks[index]), index);
        (0..tasks.len()).map(|one| (0..tasks.len()).filter(|other| key(*other) < key(one)).count() as u32).collect()
    };
    match scenario.policy {
        Some(JobRanking::FixedPriority(Priorities::Audsley)) => orders(tasks.len()),
        Some(JobRanking::FixedPriority(Priorities::RateMonotonic)) => vec![by(|task| task.period)],
        _ => vec![by(|task| task.deadline)],
    }
}

/// True if the tasks of every bin of some assignment meet their deadlines on one processor.
fn partitions(tasks: &[Task], processors: usize, order: Order<'_>) -> bool {
    assignments(tasks.len(), processors).any(|bins| {
        (0..processors).all(|bin| {
            let inside: Vec<usize> = (0..tasks.len()).filter(|index| bins[*index] == bin).collect();
            let bin_tasks: Vec<Task> = inside.iter().map(|index| tasks[*index]).collect();
            let bin_ranks: Vec<u32>;
            let order = match order {
                Order::Fixed(ranks) => {
                    bin_ranks = inside.iter().map(|index| ranks[*index]).collect();
                    Order::Fixed(&bin_ranks)
                }
                other => other,
            };
            first_miss(&bin_tasks, 1, order, TICKS).is_none()
        })
    })
}

/// True if the plain scheduler meets every deadline that it sees.
fn is_in_time(scenario: &Scenario, scheduler: Scheduler) -> bool {
    let (tasks, processors) = (coarse(scenario), scenario.processors.unwrap() as usize);
    let orders = ranks(scenario, &tasks);
    let global = |order| first_miss(&tasks, processors as u32, order, TICKS).is_none();
    match scheduler {
        Scheduler::GlobalEdf => global(Order::Edf),
        Scheduler::GlobalFixedPriority => orders.iter().any(|ranks| global(Order::Fixed(ranks))),
        Scheduler::PartitionedEdf => partitions(&tasks, processors, Order::Edf),
        Scheduler::PartitionedFixedPriority => {
            orders.iter().any(|ranks| partitions(&tasks, processors, Order::Fixed(ranks)))
        }
        Scheduler::ClusteredEdf => unreachable!("no small set asks this"),
    }
}

#[test]
fn what_the_small_sets_expect_is_so() {
    let mut checked = 0;
    // The miss of this set needs arrivals between the ticks, which are in no plain schedule; the tests of the state search play it.
    let is_plain = |scenario: &&Scenario| scenario.tasks.len() <= 5 && scenario.name != "between-ticks";
    for scenario in sets().iter().filter(is_plain) {
        let outcomes = scenario.expect.iter().flat_map(|expect| &expect.outcomes);
        for (scheduler, outcome) in outcomes.filter(|(_, outcome)| *outcome != ExpectedVerdict::Refused) {
            let in_time = is_in_time(scenario, *scheduler);
            assert_eq!(in_time, *outcome != ExpectedVerdict::Disproven, "{}: {scheduler:?}", scenario.name);
            checked += 1;
        }
    }
    assert!(checked >= 30, "{checked}");
}

/// The first job to end late where all tasks are released together: its task and its absolute deadline.
fn first_to_end_late(tasks: &[Task], processors: u32, order: Order<'_>) -> Option<(usize, i64)> {
    let seen = schedule(together(tasks, TICKS), Platform::preemptive(processors), TICKS, |job| order.rank(job));
    seen.first_to_end_late().map(|ended| (ended.job.task, ended.job.due))
}

#[test]
fn the_misses_that_are_told_are_the_first_ones() {
    let miss = |name: &str| {
        let scenario = sets().into_iter().find(|scenario| scenario.name == name).unwrap();
        first_to_end_late(&coarse(&scenario), 2, Order::Edf)
    };
    assert_eq!(miss("long-deadline-1"), Some((2, 341)));
    assert_eq!(miss("long-deadline-2"), Some((1, 482)));
    assert_eq!(miss("long-deadline-baker"), Some((2, 401)));
    assert_eq!(miss("long-deadline-carry-in"), Some((1, 77)));
    assert_eq!(miss("long-deadline-load"), Some((2, 3790)));
}

#[test]
fn sharing_a_queue_serves_what_no_partition_does() {
    let set = |name: &str| coarse(&sets().into_iter().find(|scenario| scenario.name == name).unwrap());
    let found = |name| search(&set(name), 2, any_arrival::Order::Edf, usize::MAX);
    assert_eq!([found("global-only"), found("baker-2003-density")], [MissSearch::NoMiss; 2]);
    assert_eq!([found("three-two-thirds"), found("dhall-effect")], [MissSearch::Miss; 2]);
}

#[test]
fn one_tick_less_of_deadline_and_lehoczkys_fifth_job_misses() {
    let tasks = |deadline| [Task::implicit(26, 70), Task::new(62, 100, deadline)];
    assert_eq!(first_to_end_late(&tasks(118), 1, Order::Fixed(&[0, 1])), None);
    assert_eq!(first_to_end_late(&tasks(117), 1, Order::Fixed(&[0, 1])), Some((1, 4 * 100 + 117)));
}

#[test]
fn every_set_says_where_it_is_from_and_is_called_as_its_file() {
    for path in files(&folder()) {
        let scenario = read::file(&path).unwrap();
        assert_eq!(path.file_stem().unwrap().to_str(), Some(scenario.name.as_str()));
        let is_ours = path.extension().is_some_and(|ending| ending == "toml");
        assert_eq!(scenario.origin.is_some() && scenario.expect.is_some(), is_ours, "{}", path.display());
    }
    assert!(sets().len() >= 14);
}

#[test]
fn every_set_that_is_written_reads_back_the_same() {
    for scenario in sets() {
        let text = write::toml(&scenario);
        assert_eq!(read::toml::read("x.toml", &text, &nothing_beside), Ok(scenario), "{text}");
    }
}

#[test]
fn every_overhead_table_is_read() {
    for path in files(&folder().join("overheads")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let table = prazo_scenario::overheads::read("x.toml", &text, Some(prazo_scenario::Unit::Nanosecond));
        assert!(table.is_ok(), "{}: {table:?}", path.display());
    }
}
