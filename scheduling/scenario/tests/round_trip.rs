//! What is written reads back as the same set.

use prazo_core::behaviour::{ArrivalCurve, ArrivalStep, Burst, Locking};
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::overheads::OverheadSet;
use prazo_core::ratio::Ratio;
use prazo_core::task::{TICKS_MAX, Task};
use prazo_scenario::behaviour::{Preemption, ResourceUse, TaskBehaviour};
use prazo_scenario::overheads::{self, Function, Overhead, Provenance};
use prazo_scenario::read::{self, nothing_beside, toml};
use prazo_scenario::set::{
    Arrival, Conduct, Expect, ExpectedVerdict, JobRanking, NamedTask, Priorities, Reservation, Scenario, Scheduler,
};
use prazo_scenario::{Chain, Communication, OverheadTable, Stage, Unit, write};
use proptest::prelude::*;

fn times() -> impl Strategy<Value = u64> {
    prop_oneof![1..100u64, 1..TICKS_MAX, Just(TICKS_MAX), (1..1000u64).prop_map(|ms| ms * 1_000_000)]
}

fn conducts() -> impl Strategy<Value = Conduct> {
    let server =
        (times(), times()).prop_map(|(one, other)| Reservation { budget: one.min(other), period: one.max(other) });
    (proptest::option::of(0..TICKS_MAX), proptest::option::of(times()), proptest::option::of(server))
        .prop_map(|(offset, execution, server)| Conduct { offset, execution, server, ..Conduct::default() })
}

/// One of each kind, made of the task's own times.
fn behaviour(kind: u8, cost: u64, period: u64) -> TaskBehaviour {
    let plain = TaskBehaviour::default();
    match kind {
        1 => TaskBehaviour { preemption: Preemption::Never, ..plain },
        2 => TaskBehaviour { preemption: Preemption::Floating(cost.div_ceil(2)), ..plain },
        3 if cost > 2 => TaskBehaviour { preemption: Preemption::Between(vec![1, cost - 1]), ..plain },
        4 => {
            let section =
                |name: &str, requests| ResourceUse { resource: name.to_owned(), length: cost.div_ceil(3), requests };
            TaskBehaviour { sections: vec![section("bus", 1), section("log book", 3)], ..plain }
        }
        5 if cost < TICKS_MAX / 2 => {
            let burst = Burst { jobs: 2, within: period, distance: period / 3 };
            TaskBehaviour { burst: Some(burst), ..plain }
        }
        6 => TaskBehaviour { suspension: cost, ..plain },
        7 => {
            let steps = [(1, period.div_ceil(2)), (3, period + 7)].map(|(jobs, within)| ArrivalStep { jobs, within });
            TaskBehaviour { curve: ArrivalCurve::new(&steps), ..plain }
        }
        8 => TaskBehaviour { cost_high: Some((2 * cost).min(TICKS_MAX)), ..plain },
        _ => plain,
    }
}

/// What is wrong with a task of these keys; `None` if nothing is.
fn refusal(keys: &str) -> Option<String> {
    let text = format!("[task.control]\ncost = '2ms'\nperiod = '20ms'\n{keys}\n");
    read::any("craft.toml".as_ref(), &text).err().map(|refused| refused.to_string())
}

#[test]
fn a_task_of_high_criticality_has_two_costs_and_no_other_has() {
    for fine in [
        "",
        "criticality = 'low'",
        "criticality = 'high'\ncost_high = '2ms'",
        "criticality = 'high'\ncost_high_us = 9000",
    ] {
        assert_eq!(refusal(fine), None);
    }
    for (wrong, reason) in [
        ("criticality = 'high'", "a task of high criticality needs a second, larger cost"),
        ("criticality = 'high'\ncost_high = '1ms'", "the time is below the cost"),
        ("cost_high = '4ms'", "the task is of low criticality"),
        ("criticality = 'low'\ncost_high = '4ms'", "the task is of low criticality"),
        ("criticality = 'hihg'", "unknown value 'hihg'"),
    ] {
        let refused = refusal(wrong).unwrap_or_default();
        assert!(refused.contains(reason), "{wrong}: {refused}");
    }
}

fn tasks() -> impl Strategy<Value = NamedTask> {
    let cpus = proptest::option::of(0..4u32);
    let times = (times(), times(), times(), 0..TICKS_MAX, 0..TICKS_MAX);
    let places = (proptest::option::of(any::<u32>()), proptest::option::of(0..2u32), cpus);
    (times, any::<bool>(), places, conducts(), 0..9u8).prop_map(
        |((cost, period, deadline, jitter, working_set_kib), sporadic, (priority, cluster, cpu), conduct, kind)| {
            let behaviour = behaviour(kind, cost, period);
            let (period, sporadic) = match behaviour.burst {
                Some(burst) => (burst.within.div_ceil(burst.jobs), true),
                None => behaviour.curve.map_or((period, sporadic), |curve| {
                    let longest = curve.longest();
                    (longest.within.div_ceil(longest.jobs), true)
                }),
            };
            let max_inter_arrival = (sporadic && jitter % 2 == 0).then_some(period);
            let least = cost.min(conduct.execution.unwrap_or(cost)) / 2;
            let best_case = (jitter % 3 == 0).then_some(least);
            let conduct = Conduct { max_inter_arrival, best_case, ..conduct };
            NamedTask {
                name: String::new(),
                task: Task { cost, period, deadline, jitter, working_set_kib },
                arrival: if sporadic { Arrival::Sporadic } else { Arrival::Periodic },
                priority,
                cluster,
                affinity: cpu.and_then(Cpu::new).map(CpuSet::only),
                behaviour,
                conduct,
            }
        },
    )
}

fn ratios() -> impl Strategy<Value = Ratio> {
    (0..1_000_000u128, 1..1_000u128).prop_map(|(over, under)| Ratio::new(over, under).unwrap())
}

fn points() -> impl Strategy<Value = Vec<(u64, Ratio)>> {
    proptest::collection::vec((1..9u64, ratios()), 1..5).prop_map(|steps| {
        steps
            .into_iter()
            .scan((0, Ratio::ZERO), |(count, amount), (step, more)| {
                *count += step;
                *amount = amount.checked_add(more)?;
                Some((*count, *amount))
            })
            .collect()
    })
}

fn an_overhead() -> impl Strategy<Value = Overhead> {
    let amount = prop_oneof![
        ratios().prop_map(Function::Constant),
        (ratios(), ratios()).prop_map(|(base, slope)| Function::Affine { base, slope }),
        points().prop_map(Function::Table),
        points().prop_map(Function::Linear),
    ];
    (amount, ".{0,8}", ".{0,8}", 0..1_000_000u64).prop_map(|(amount, source, statistic, samples)| Overhead {
        amount,
        provenance: Provenance { source, statistic, samples },
    })
}

fn tables() -> impl Strategy<Value = OverheadTable> {
    let some = [an_overhead(), an_overhead(), an_overhead(), an_overhead()];
    (".{0,8}", proptest::option::of(".{0,20}"), some, 1..TICKS_MAX, any::<bool>()).prop_map(
        |(name, note, [release, tick, cache_delay, event_latency], period, dedicated_interrupt_processor)| {
            let overheads = OverheadSet {
                release,
                tick,
                cache_delay,
                event_latency,
                tick_period: Some(period),
                dedicated_interrupt_processor,
                ..OverheadSet::default()
            };
            OverheadTable { name, note, overheads }
        },
    )
}

/// Two chains of the tasks that have no server: one with hops and an event outside, one on one clock or with logical execution times.
fn chains(tasks: &[NamedTask]) -> Vec<Chain> {
    let served = |index: &usize| tasks[*index].conduct.server.is_some();
    let members: Vec<usize> = (0..tasks.len()).rev().filter(|index| !served(index)).collect();
    let Some(&first) = members.first() else { return Vec::new() };
    let is_timed = |index: &usize| tasks[*index].arrival == Arrival::Periodic && tasks[*index].conduct.offset.is_some();
    let stage = |task: usize| Stage { task, activated: task == first, hop: if task == first { 0 } else { 7_000 } };
    let chain = |name: &str| Chain {
        name: name.to_owned(),
        stages: members.iter().map(|task| stage(*task)).collect(),
        communication: Communication::Implicit,
        synchronized: false,
        max_reaction: None,
        max_age: Some(3),
    };
    let plain = members.iter().map(|&task| Stage { task, activated: false, hop: 0 }).collect();
    let other = Chain {
        stages: plain,
        communication: Communication::Let,
        synchronized: members.iter().all(is_timed),
        max_reaction: Some(5_000_000),
        ..chain("to \"b\"")
    };
    vec![chain("a"), other]
}

fn scenarios() -> impl Strategy<Value = Scenario> {
    let policy = prop_oneof![
        Just(None),
        Just(Some(JobRanking::Edf)),
        Just(Some(JobRanking::FixedPriority(Priorities::Audsley))),
        Just(Some(JobRanking::FixedPriority(Priorities::RateMonotonic)))
    ];
    let unit =
        proptest::option::of(prop_oneof![Just(Unit::Nanosecond), Just(Unit::Microsecond), Just(Unit::Millisecond)]);
    let texts = (".{0,20}", proptest::option::of(".{0,20}"), proptest::collection::vec(".{0,9}", 0..3));
    (texts, unit, proptest::collection::vec(tasks(), 1..8), policy, proptest::option::of(tables())).prop_map(
        |((name, origin, remarks), unit, mut tasks, policy, overheads)| {
            tasks.iter_mut().enumerate().for_each(|(index, named)| named.name = format!("{name} {index}"));
            let outcomes = vec![
                (Scheduler::GlobalEdf, ExpectedVerdict::Unknown),
                (Scheduler::PartitionedEdf, ExpectedVerdict::Proven),
            ];
            let chains = chains(&tasks);
            let is_activated = chains.iter().any(|chain| chain.stages.iter().skip(1).any(|stage| stage.activated));
            let synchronized = !is_activated && tasks.iter().all(|named| named.arrival == Arrival::Periodic);
            let expect = Some(Expect { outcomes, why: origin.clone() });
            let (processors, clusters) = (Some(4), Some(vec![3, 1]));
            Scenario {
                name,
                origin,
                note: None,
                remarks,
                unit,
                tasks,
                processors,
                clusters,
                policy,
                locking: Some(Locking::Fmlp),
                supply: None,
                supply_words: None,
                synchronized,
                chains,
                overheads,
                expect,
            }
        },
    )
}

proptest! {
    #[test]
    fn a_set_that_is_written_reads_back_the_same(scenario in scenarios()) {
        let text = write::toml(&scenario);
        let back = toml::read("written.toml", &text, &nothing_beside);
        prop_assert_eq!(back.as_ref(), Ok(&scenario), "{}", text);
    }

    #[test]
    fn an_overhead_table_that_is_written_reads_back_the_same(table in tables()) {
        let text = write::overhead_toml(&table, Some(Unit::Microsecond));
        let back = overheads::read("written.toml", &text, Some(Unit::Microsecond));
        prop_assert_eq!(back.as_ref(), Ok(&table), "{}", text);
    }
}
