//! Why two sides may not be comparable: what differs between them besides what was meant to.

use super::side::Side;
use crate::scope;
use prazo_run::{Plan, Run, skipped};
use std::collections::BTreeSet;

/// One sentence for each difference that can explain a difference of latencies.
pub(super) fn warnings(reference: &Side<'_>, other: &Side<'_>) -> Vec<String> {
    let differs = |what: &str, of: fn(&Run) -> Option<String>, why: &str| {
        let (a, b) = (all(reference, of)?, all(other, of)?);
        (a != b).then(|| format!("{what} differ ({a} and {b}): {why}"))
    };
    let found = [
        unknown_kernel(reference, other),
        differs(
            "base kernels",
            base_kernel,
            "a latency difference may come from the kernel version, not from its configuration",
        ),
        differs("tools", tool, "each tool has its own measuring loop, units and way of counting"),
        differs("quantities", quantity, "different quantities measure different intervals of time"),
        differs(
            "periods",
            periods,
            "a shorter period observes more events and keeps the processor out of deep idle states",
        ),
        differs("timer methods", timer_method, "timer methods have different overheads even without disturbances"),
        differs("scheduling policies", policy, "a latency difference may come from the scheduling policy"),
        differs(
            "reactions to lateness",
            when_late,
            "a skipped activation hides lateness that a served one shows; compare figures per due activation",
        ),
        differs("resolutions", resolution, "differences below the coarser resolution are meaningless"),
        differs(
            "processors",
            processors,
            "each processor has its own disturbances, and more processors observe more events",
        ),
        differs("loads", loads, "a latency difference may come from the load"),
        gravity(reference, other),
        clocks(reference, other),
        trajectories(reference, other),
        unequal_rates(reference, other),
    ];
    found.into_iter().flatten().collect()
}

/// What all runs of a side say of one property; `None` where none of them tells.
fn all(side: &Side<'_>, of: fn(&Run) -> Option<String>) -> Option<String> {
    let distinct: BTreeSet<String> = side.runs.iter().filter_map(|run| of(run)).collect();
    (!distinct.is_empty()).then(|| distinct.into_iter().collect::<Vec<_>>().join(", "))
}

fn release(run: &Run) -> Option<&str> {
    run.platform_before.as_ref()?.get("kernel.release")
}

/// The release without its local version: `3.8.13-rt16+` and `3.8.13+` are both 3.8.13. Debian's releases name its own
/// interface, 6.1.0-13 and 6.1.0-18 alike: there the version behind the build's "Debian" counts.
fn base_kernel(run: &Run) -> Option<String> {
    let build = run.platform_before.as_ref()?.get("kernel.version").unwrap_or_default();
    let base = build.split_once("Debian ").map_or(release(run)?, |(_, version)| version);
    let end = base.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(base.len());
    Some(base[..end].trim_end_matches('.').to_owned())
}

fn unknown_kernel(reference: &Side<'_>, other: &Side<'_>) -> Option<String> {
    let unknown: Vec<&str> = reference
        .runs
        .iter()
        .chain(&other.runs)
        .filter(|run| release(run).is_none())
        .map(|run| run.name.as_str())
        .collect();
    (!unknown.is_empty())
        .then(|| format!("the kernel is unknown in {}, so base kernels cannot be compared", unknown.join(", ")))
}

fn tool(run: &Run) -> Option<String> {
    Some(scope::tool(run).to_owned())
}

fn quantity(run: &Run) -> Option<String> {
    scope::principal_quantity(run).map(|quantity| quantity.to_string())
}

fn periods(run: &Run) -> Option<String> {
    let distinct: BTreeSet<_> = scope::principal_series(run).into_iter().filter_map(|series| series.period).collect();
    (!distinct.is_empty()).then(|| distinct.into_iter().map(|period| period.to_string()).collect::<Vec<_>>().join("/"))
}

fn timer_method(run: &Run) -> Option<String> {
    Some(run.plan.as_ref()?.method.name().to_owned())
}

fn policy(run: &Run) -> Option<String> {
    Some(run.plan.as_ref()?.policy.name().to_owned())
}

/// Skipped or served, from the counts and the latencies; nothing without counts.
fn when_late(run: &Run) -> Option<String> {
    let counted: Vec<u64> = scope::principal_series(run).into_iter().filter_map(skipped::counted).collect();
    if counted.iter().any(|skipped| *skipped > 0) {
        return Some("skipped".into());
    }
    let late = scope::principal_series(run).into_iter().any(|series| {
        let Some(period) = series.period else { return false };
        let is_above = |value: i64| u64::try_from(value).is_ok_and(|value| value > period.as_ns());
        // What overflowed is larger than every value that the histogram holds.
        let largest = series.histogram.cells().next_back().map(|(value, _)| value);
        let of_overflow = (series.histogram.overflow() > 0).then(|| largest.map_or(0, |value| value.saturating_add(1)));
        largest.max(of_overflow).is_some_and(is_above)
    });
    (late && !counted.is_empty()).then(|| "served".into())
}

fn resolution(run: &Run) -> Option<String> {
    let coarsest = scope::principal_series(run).into_iter().map(|series| series.resolution).max()?;
    (!coarsest.is_zero()).then(|| coarsest.to_string())
}

fn processors(run: &Run) -> Option<String> {
    let cpus: BTreeSet<u32> = scope::principal_series(run).into_iter().filter_map(|series| series.cpu).collect();
    (!cpus.is_empty()).then(|| cpus.into_iter().map(|cpu| cpu.to_string()).collect::<Vec<_>>().join("/"))
}

fn loads(run: &Run) -> Option<String> {
    let names: BTreeSet<&str> = run.loads.iter().map(|load| load.name.as_str()).collect();
    Some(if names.is_empty() { "none".into() } else { names.into_iter().collect::<Vec<_>>().join("+") })
}

/// Xenomai and EVL program their timer early, so that the smallest and the mean latency are shifted by a constant.
fn gravity(reference: &Side<'_>, other: &Side<'_>) -> Option<String> {
    let compensates = |side: &Side<'_>| side.runs.iter().any(|run| is_co_kernel(run));
    (compensates(reference) != compensates(other)).then(|| {
        "one side is Xenomai or EVL, whose timer is programmed early (gravity); minima, means and low quantiles are \
         not comparable"
            .into()
    })
}

fn is_co_kernel(run: &Run) -> bool {
    let named = |text: &str| ["xenomai", "latmus", "ipipe", "cobalt"].iter().any(|name| text.contains(name));
    named(scope::tool(run)) || release(run).is_some_and(named)
}

/// One side counts instructions and the other time.
fn clocks(reference: &Side<'_>, other: &Side<'_>) -> Option<String> {
    let is_counted = |side: &Side<'_>| side.runs.iter().any(|run| fact(run, "lab.shift").is_some());
    (is_counted(reference) != is_counted(other)).then(|| {
        "one side is a guest under counted time, whose clock counts instructions; its latencies are not comparable \
         with those of the other side"
            .into()
    })
}

/// Facts of the lab that decide nothing: labels, the seed, and what others tell.
const DECIDE_NOTHING: [&str; 6] =
    ["lab.platform", "lab.machine", "lab.seed", "lab.emulator", "lab.emulator_pinned", "lab.initramfs_sha256"];

/// What decides a guest's trajectory that this fact tells of, named as by `prazo study run --may-differ`. What is not listed
/// belongs to the machine, so that a fact that is added later is compared.
fn condition(name: &str) -> Option<&'static str> {
    match name {
        "lab.kernel_sha256" | "lab.modules_sha256" => Some("kernel"),
        "lab.command_line" => Some("command-line"),
        "lab.image_sha256" => Some("image"),
        "lab.agent_sha256" => Some("agent"),
        "lab.emulator_sha256" => Some("emulator"),
        name if name.starts_with("lab.") && !DECIDE_NOTHING.contains(&name) => Some("machine"),
        _ => None,
    }
}

/// The conditions that are not the same on both sides.
fn differing(reference: &Side<'_>, other: &Side<'_>) -> BTreeSet<&'static str> {
    let facts = |run: &Run| run.platform_before.iter().flat_map(|platform| platform.facts.keys().cloned()).collect();
    let names: BTreeSet<String> =
        reference.runs.iter().chain(&other.runs).flat_map(|run| -> Vec<_> { facts(run) }).collect();
    let differs = |name: &&String| {
        let values = |side: &Side<'_>| -> BTreeSet<Option<String>> {
            side.runs.iter().map(|run| fact(run, name).map(str::to_owned)).collect()
        };
        values(reference) != values(other)
    };
    let facts = names.iter().filter(differs).filter_map(|name| condition(name));
    let plans = |side: &Side<'_>| -> BTreeSet<String> { side.runs.iter().map(|run| without_seed(run)).collect() };
    facts.chain((plans(reference) != plans(other)).then_some("plan")).collect()
}

fn without_seed(run: &Run) -> String {
    format!("{:?}", run.plan.clone().map(|plan| Plan { seed: 0, ..plan }))
}

/// In what two guests differ: nothing but the seed, the one thing under test, or several things at once.
fn trajectories(reference: &Side<'_>, other: &Side<'_>) -> Option<String> {
    let values = |side: &Side<'_>, name: &str| -> BTreeSet<String> {
        side.runs.iter().filter_map(|run| fact(run, name).map(str::to_owned)).collect()
    };
    let seeds = [values(reference, "lab.seed"), values(other, "lab.seed")];
    if seeds.iter().any(BTreeSet::is_empty) {
        return None;
    }
    let differing: Vec<&str> = differing(reference, other).into_iter().collect();
    let what = if differing.is_empty() { "nothing but the seed".to_owned() } else { differing.join(", ") };
    let alone = seeds.iter().any(|seeds| seeds.len() == 1);
    let caution = if alone {
        "one seed gives one trajectory, so a difference may come from the seed"
    } else {
        "the figures combine runs with several seeds"
    };
    let is_same = differing.is_empty() && seeds[0] == seeds[1];
    (!is_same).then(|| format!("the guests differ in {what}: {caution}"))
}

fn fact<'a>(run: &'a Run, name: &str) -> Option<&'a str> {
    run.platform_before.as_ref()?.get(name)
}

/// Rates of loads of one name that differ by more than a fifth.
fn unequal_rates(reference: &Side<'_>, other: &Side<'_>) -> Option<String> {
    let rates = |side: &Side<'_>| -> Vec<(String, f64)> {
        let loads = side.runs.iter().flat_map(|run| &run.loads);
        loads.filter_map(|load| Some((load.name.clone(), load.reached?))).collect()
    };
    let (a, b) = (rates(reference), rates(other));
    let unequal: BTreeSet<&str> = a
        .iter()
        .flat_map(|(name, rate)| b.iter().filter(move |(other, reached)| other == name && far_apart(*rate, *reached)))
        .map(|(name, _)| name.as_str())
        .collect();
    (!unequal.is_empty()).then(|| {
        let names: Vec<&str> = unequal.into_iter().collect();
        format!("the rates that loads reached differ by more than a fifth ({})", names.join(", "))
    })
}

fn far_apart(a: f64, b: f64) -> bool {
    (a - b).abs() > 0.2 * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;
    use prazo_platform::fingerprint::{Fact, Fingerprint};
    use prazo_run::Series;

    fn on(release: &str, build: &str) -> Option<String> {
        let fact = |value: &str| Fact { value: Some(value.into()), source: "test".into() };
        let facts = [("kernel.release", release), ("kernel.version", build)];
        let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), fact(value))).collect();
        base_kernel(&Run { platform_before: Some(Fingerprint { facts }), ..Run::default() })
    }

    #[test]
    fn a_local_version_is_not_part_of_the_base() {
        assert_eq!(on("3.8.13-rt16+", "#2 PREEMPT RT").as_deref(), Some("3.8.13"));
        assert_eq!(on("3.8.13+", "#1 PREEMPT").as_deref(), Some("3.8.13"));
        assert_eq!(base_kernel(&Run::default()), None);
    }

    #[test]
    fn a_quantity_has_the_name_that_json_gives_it() {
        let series = prazo_run::Series { quantity: prazo_run::run::Quantity::WakeToTask, ..Default::default() };
        let run = Run { series: vec![series], ..Run::default() };
        assert_eq!(quantity(&run).as_deref(), Some("wake-to-task"));
    }

    #[test]
    fn debian_s_releases_hide_their_base() {
        let old = on("6.1.0-13-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29)");
        let new = on("6.1.0-18-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)");
        assert_eq!((old.as_deref(), new.as_deref()), (Some("6.1.55"), Some("6.1.76")));
        let rt = on("6.1.0-18-rt-amd64", "#1 SMP PREEMPT_RT Debian 6.1.76-1 (2024-02-01)");
        assert_eq!(rt, new);
    }

    #[test]
    fn one_skip_shows_skipping_and_a_latency_above_the_period_without_any_shows_serving() {
        let of = |skipped: &[Option<u64>], latency_ns: i64| {
            let one = |skipped: &Option<u64>| {
                let mut series = Series { period: Some(Duration::from_ns(100)), ..Series::default() };
                series.activations.skipped = *skipped;
                series.histogram.add(latency_ns, 1);
                series
            };
            when_late(&Run { series: skipped.iter().map(one).collect(), ..Run::default() })
        };
        type Case = (&'static [Option<u64>], i64, Option<&'static str>);
        let cases: [Case; 6] = [
            (&[Some(1)], 5, Some("skipped")),
            (&[Some(0), Some(4)], 101, Some("skipped")),
            (&[Some(0)], 101, Some("served")),
            (&[None, Some(0)], 101, Some("served")),
            (&[Some(0)], 100, None),
            (&[None], 101, None),
        ];
        for (skipped, latency_ns, shown) in cases {
            assert_eq!(of(skipped, latency_ns).as_deref(), shown, "{skipped:?} skipped, {latency_ns} ns late");
        }
    }

    #[test]
    fn an_overflow_above_the_period_shows_serving() {
        let mut series = Series { period: Some(Duration::from_ns(100)), ..Series::default() };
        series.activations.skipped = Some(0);
        series.histogram.add(100, 5);
        series.histogram.add_overflow(1);
        let run = Run { series: vec![series], ..Run::default() };
        assert_eq!(when_late(&run).as_deref(), Some("served"), "the overflow lies above 100 ns");
    }
}
