//! Stored runs with overheads as one table for the analysis: traced ones, those of a serial line, and imported ones.
//!
//! ```text
//! runs ─► figures by number of tasks ─► joined where kind and number are the same ─► table
//! ```
//! A run that prazo did not trace must say how many tasks ran, or the request does. Nothing is made up: what no run measured is a
//! remark in the table.

use crate::error::Error;
use prazo_core::time::Duration;
use prazo_platform::Severity;
use prazo_run::Run;
use prazo_run::import::feather_trace;
use prazo_run::overheads::CacheDelay;
use prazo_run::run::{Origin as RunOrigin, Quantity};
use prazo_run::source::{Source, TaskAffinity};
use prazo_serial::TASKS_FACT;
use prazo_stats::overheads::{KindFigures, Origin, Statistic, figures_of, figures_of_series, table as written};
use std::collections::{BTreeMap, BTreeSet};

/// What a table holds, and what its runs do not say themselves.
#[derive(Clone, Copy, Debug)]
pub struct TableRequest {
    /// Largest samples or means.
    pub statistic: Statistic,
    /// How many tasks ran in a run that does not say it.
    pub tasks: Option<u32>,
    /// The period of the system's tick, where no run says it.
    pub tick_period: Option<Duration>,
}

/// What stands behind a source whose instructions became nanoseconds.
pub(crate) const IN_INSTRUCTIONS: &str = ", one instruction per nanosecond";

/// The table of these runs, in the form that `--overheads` takes.
///
/// # Errors
/// A run has no overheads, its number of tasks is not known, or runs do not fit together.
pub fn table(runs: &[Run], request: &TableRequest) -> Result<String, Error> {
    let by_tasks = by_tasks(runs, request.tasks)?;
    let instruction_ns = common_instruction(runs)?;
    let platforms: BTreeSet<String> = runs.iter().map(platform_of).filter(|platform| !platform.is_empty()).collect();
    let counted = if runs.iter().any(|run| self::instruction_ns(run).is_some()) { IN_INSTRUCTIONS } else { "" };
    let traced = traced_tick(runs)?;
    let cache: Vec<CacheDelay> = runs.iter().flat_map(cache_of).collect();
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).filter(|name| !name.is_empty()).collect();
    let origin = Origin {
        name: &format!("{}, {}", names.first().copied().unwrap_or("runs"), request.statistic),
        command: "prazo export",
        source: &format!("{}{counted}", platforms.into_iter().collect::<Vec<_>>().join("; ")),
        tick_period_ns: traced.or(request.tick_period.map(Duration::as_ns)),
        cache: &cache,
        instruction_ns,
        remarks: &remarks(runs),
    };
    Ok(written(origin, &by_tasks, request.statistic))
}

/// The period of the tick that the traced runs have; `None` where none was traced.
fn traced_tick(runs: &[Run]) -> Result<Option<u64>, Error> {
    let all: BTreeSet<u64> =
        runs.iter().filter_map(|run| run.overheads.as_ref()).map(|traced| traced.tick_period_ns).collect();
    if all.len() > 1 {
        let all = all.iter().map(|ns| format!("{ns} ns")).collect::<Vec<_>>().join(", ");
        return Err(Error::refused(format!("the period of the tick differs between the runs: {all}"))
            .with_remedy("make a table from runs of one kernel"));
    }
    Ok(all.into_iter().next())
}

/// Figures of all runs, ascending in the number of tasks that share a ready queue; each kind once for each number.
fn by_tasks(runs: &[Run], stated: Option<u32>) -> Result<Vec<Vec<KindFigures>>, Error> {
    let mut kinds: BTreeMap<(u32, Quantity), KindFigures> = BTreeMap::new();
    let mut after_switch: BTreeMap<u32, KindFigures> = BTreeMap::new();
    for run in runs {
        let is_after_switch = fact(run, feather_trace::EVENT_FACT) == Some(feather_trace::AFTER_SWITCH);
        for one in figures(run, stated)? {
            let tasks = one.n_tasks;
            if is_after_switch {
                join(&mut after_switch, tasks, one);
            } else {
                join(&mut kinds, (tasks, one.kind), one);
            }
        }
    }
    // What follows a switch belongs to the same decision.
    for (tasks, after) in after_switch {
        let key = (tasks, Quantity::SchedulingOverhead);
        let before = kinds.remove(&key).ok_or_else(|| {
            Error::refused(format!(
                "the runs have {} for {tasks} tasks, but not the preceding event {}",
                feather_trace::AFTER_SWITCH,
                feather_trace::BEFORE_SWITCH
            ))
            .with_remedy("give the runs of both events")
        })?;
        kinds.insert(key, before.followed_by(&after));
    }
    let mut rows: BTreeMap<u32, Vec<KindFigures>> = BTreeMap::new();
    kinds.into_iter().for_each(|((tasks, _), one)| rows.entry(tasks).or_default().push(one));
    Ok(rows.into_values().collect())
}

fn join<K: Ord>(all: &mut BTreeMap<K, KindFigures>, key: K, one: KindFigures) {
    let joined = match all.remove(&key) {
        Some(before) => before.joined(one),
        None => one,
    };
    all.insert(key, joined);
}

/// The figures of one run, traced or not.
fn figures(run: &Run, stated: Option<u32>) -> Result<Vec<KindFigures>, Error> {
    if run.overheads.is_some() {
        return Ok(by_queue(run, &figures_of(run)));
    }
    let name = &run.name;
    if !run.series.iter().any(|series| series.quantity.is_overhead()) {
        return Err(Error::refused(format!("run '{name}' has no samples of overheads")).with_remedy(
            "export runs of `prazo measure overheads`, of a serial line with O records, or of Feather-Trace",
        ));
    }
    let of_fact = [TASKS_FACT, feather_trace::TASKS_FACT].into_iter().find_map(|known| fact(run, known)?.parse().ok());
    let tasks = of_fact.or(stated).ok_or_else(|| {
        Error::field(
            "tasks",
            format!("run '{name}' does not say how many tasks ran, and overheads depend on this number"),
        )
        .with_remedy("give --tasks NUMBER")
    })?;
    Ok(figures_of_series(run, tasks, &between(run)))
}

/// The two stamps, as far as is known.
fn between(run: &Run) -> String {
    let event = fact(run, feather_trace::EVENT_FACT);
    event.map_or_else(|| "Between the target's two stamps".to_owned(), |event| format!("LITMUS-RT's event {event}"))
}

/// The same by tasks that share a ready queue: parted, they are dealt in turn to the processors.
pub(crate) fn by_queue(run: &Run, figures: &[KindFigures]) -> Vec<KindFigures> {
    let processors = run.series.iter().filter_map(|series| series.cpu).collect::<BTreeSet<u32>>().len().max(1);
    let is_parted = run.plan.as_ref().is_some_and(
        |plan| matches!(&plan.source, Source::Overheads(source) if source.shape == TaskAffinity::Partitioned),
    );
    let queues = if is_parted { processors as u32 } else { 1 };
    figures.iter().map(|one| KindFigures { n_tasks: one.n_tasks.div_ceil(queues), ..one.clone() }).collect()
}

/// What an instruction takes where time is counted.
pub(crate) fn instruction_ns(run: &Run) -> Option<u64> {
    let of_lab = || fact(run, "lab.shift")?.parse().ok().map(|shift: u32| 1 << shift.min(32));
    let of_serial = || fact(run, prazo_serial::INSTRUCTION_FACT)?.parse().ok();
    of_lab().or_else(of_serial)
}

/// Instructions and nanoseconds in one table would be compared.
fn common_instruction(runs: &[Run]) -> Result<u64, Error> {
    let all: BTreeSet<Option<u64>> = runs.iter().map(instruction_ns).collect();
    match all.len() {
        0 | 1 => Ok(all.into_iter().next().flatten().unwrap_or(1)),
        _ if all.contains(&None) => {
            Err(Error::refused("some of the runs are in counted time, and others in real time")
                .with_remedy("make a table from runs of one platform"))
        }
        _ => Err(Error::refused("the duration of an instruction differs between the runs")
            .with_remedy("make a table from runs of one platform")),
    }
}

pub(crate) fn cache_of(run: &Run) -> Vec<CacheDelay> {
    run.overheads.as_ref().map_or_else(Vec::new, |traced| traced.cache.clone())
}

/// What weakens the runs' figures.
fn remarks(runs: &[Run]) -> Vec<String> {
    let weighty = |run: &Run| {
        // What an imported trace left out is of medium weight, and weakens a table of largest samples.
        let is_imported = matches!(run.origin, RunOrigin::Imported { .. });
        let least = if is_imported { Severity::Medium } else { Severity::High };
        let of = run.caveats.iter().filter(|caveat| caveat.severity >= least);
        of.map(|caveat| format!("{}: {}.", caveat.id, caveat.what)).collect::<Vec<_>>()
    };
    let mut remarks: Vec<String> = runs.iter().flat_map(weighty).collect();
    remarks.sort();
    remarks.dedup();
    remarks
}

/// Kernel, and machine, guest or board.
pub(crate) fn platform_of(run: &Run) -> String {
    let facts = ["kernel.release", "kernel.version", "cpu.model", "serial.kernel", "serial.board"];
    let known = facts.into_iter().filter_map(|name| fact(run, name)).map(str::to_owned);
    let guest = fact(run, "lab.platform").map(|name| format!("lab:{name}"));
    let system = fact(run, feather_trace::SYSTEM_FACT).map(str::to_owned);
    let known: Vec<String> = known.chain(guest).chain(system).collect();
    match &run.origin {
        RunOrigin::Imported { tool, .. } if known.is_empty() => tool.clone(),
        _ => known.join(", "),
    }
}

fn fact<'a>(run: &'a Run, name: &str) -> Option<&'a str> {
    run.platform_before.as_ref()?.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::fingerprint::Fact;
    use prazo_run::Series;
    use prazo_run::overheads::Traced;

    const MAX: TableRequest =
        TableRequest { statistic: Statistic::Max, tasks: None, tick_period: Some(Duration::from_ms(1)) };

    fn run(quantity: Quantity, ns: i64, facts: &[(&str, &str)]) -> Run {
        let mut series = Series { quantity, ..Series::default() };
        series.histogram.add(ns, 10);
        let mut run = Run { name: "a".into(), series: vec![series], ..Run::default() };
        let platform = run.platform_before.get_or_insert_default();
        for (name, value) in facts {
            let fact = Fact { value: Some((*value).into()), source: "test".into() };
            platform.facts.insert((*name).into(), fact);
        }
        run
    }

    fn litmus(event: &str, quantity: Quantity, tasks: &str, ns: i64) -> Run {
        run(quantity, ns, &[(feather_trace::EVENT_FACT, event), (feather_trace::TASKS_FACT, tasks)])
    }

    #[test]
    fn runs_of_one_number_of_tasks_share_a_row_and_other_numbers_have_their_own() {
        let runs = [
            litmus("RELEASE", Quantity::ReleaseOverhead, "20", 900),
            litmus("CXS", Quantity::ContextSwitchOverhead, "5", 300),
            litmus("CXS", Quantity::ContextSwitchOverhead, "20", 500),
            litmus("CXS", Quantity::ContextSwitchOverhead, "20", 400),
            litmus("TICK", Quantity::TickOverhead, "5", 100),
        ];
        let text = table(&runs, &MAX).unwrap();
        assert!(
            text.contains("[context_switch]\nlinear = [[5, \"300ns\"], [20, \"500ns\"]]\nsamples = 10\n"),
            "{text}"
        );
        assert!(text.contains("[release]\nlinear = [[20, \"900ns\"]]") && text.contains("[tick]"), "{text}");
        let read = prazo_scenario::overheads::read("t", &text, Some(prazo_scenario::Unit::Nanosecond));
        assert!(read.is_ok(), "{read:?}");
    }

    #[test]
    fn what_follows_a_switch_is_added_to_the_decision_before_it() {
        let sched = |ns| litmus("SCHED", Quantity::SchedulingOverhead, "5", ns);
        let after = litmus("SCHED2", Quantity::SchedulingOverhead, "5", 30);
        let text = table(&[sched(100), after.clone(), sched(200)], &MAX).unwrap();
        assert!(text.contains("[scheduling]\nlinear = [[5, \"230ns\"]]"), "{text}");
        let alone = table(&[after], &MAX).unwrap_err().to_string();
        assert!(alone.contains("SCHED2") && alone.contains("the preceding event"), "{alone}");
    }

    #[test]
    fn a_run_without_a_number_of_tasks_or_without_overheads_is_refused() {
        let silent = run(Quantity::TickOverhead, 5, &[]);
        assert!(table(std::slice::from_ref(&silent), &MAX).unwrap_err().to_string().contains("--tasks"));
        let text = table(&[silent], &TableRequest { tasks: Some(9), ..MAX }).unwrap();
        assert!(text.contains("[tick]\nlinear = [[9, \"5ns\"]]"), "{text}");
        let timer = run(Quantity::ResponseLatency, 5, &[]);
        assert!(table(&[timer], &MAX).unwrap_err().to_string().contains("no samples of overheads"));
    }

    #[test]
    fn a_tick_without_its_period_is_a_remark_of_the_table() {
        let run = run(Quantity::TickOverhead, 5, &[(TASKS_FACT, "3")]);
        let text = table(&[run], &TableRequest { tick_period: None, ..MAX }).unwrap();
        assert!(text.contains("# No tick: it was measured, but its period is not known."), "{text}");
    }

    #[test]
    fn the_tick_is_that_of_the_traced_runs_and_two_are_refused() {
        let traced = |tick_period_ns| {
            let overheads = Some(Traced { tick_period_ns, ..Traced::default() });
            Run { overheads, ..Run::default() }
        };
        assert_eq!(traced_tick(&[Run::default(), traced(4)]).unwrap(), Some(4));
        assert_eq!(traced_tick(&[Run::default()]).unwrap(), None);
        assert!(traced_tick(&[traced(4), traced(1)]).unwrap_err().to_string().contains("differs"));
    }

    #[test]
    fn instructions_and_nanoseconds_are_not_mixed() {
        let board = |ns| run(Quantity::TickOverhead, 640, &[(TASKS_FACT, "3"), (prazo_serial::INSTRUCTION_FACT, ns)]);
        let text = table(&[board("64")], &MAX).unwrap();
        assert!(text.contains("\"10ns\"") && text.contains("one instruction per nanosecond"), "{text}");
        let mixed = table(&[board("64"), board("1")], &MAX).unwrap_err().to_string();
        assert!(mixed.contains("one platform"), "{mixed}");
        let real = run(Quantity::TickOverhead, 640, &[(TASKS_FACT, "3")]);
        let mixed = table(&[board("1"), real], &MAX).unwrap_err().to_string();
        assert!(mixed.contains("real time") && mixed.contains("one platform"), "{mixed}");
    }
}
