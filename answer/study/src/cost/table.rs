//! What platforms cost, as plain text: a column a platform, a row a workload, a table a measure.

use super::{
    CostCorrelation, CostLatency, CostResult, CostSetting, LeftOut, PlatformCost, StatedPenalty, WorkloadCost,
};
use prazo_core::text::{counted, grouped, tenths_of_micros};
use prazo_stats::correlation::Coefficient;
use prazo_stats::repeats::Spread;
use std::fmt::{self, Display, Formatter};

/// Width of the first column and of each platform's.
const FIRST: usize = 16;
const COLUMN: usize = 17;

/// How a workload's figure stands in its column.
type Shown = fn(&WorkloadCost) -> Option<String>;

/// The tables: what they are called, how a cell is shown.
const TABLES: [(&str, Shown); 6] = [
    ("penalty: T_exec / T_best_exec", |one| one.penalty.map(ratio)),
    ("penalty of everything that ran in the guest", |one| one.busy_penalty.map(ratio)),
    ("penalty in elapsed time", |one| one.wall_penalty.map(ratio)),
    ("slowdown: 1 + scheduler wait + other wait", slowdown),
    ("voluntary switches", |one| one.figures.voluntary_switches.map(count)),
    ("involuntary switches", |one| one.figures.involuntary_switches.map(count)),
];

impl Display for CostResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.settings.iter().try_for_each(|setting| write!(f, "{setting}"))?;
        let left_out =
            |one: &LeftOut| writeln!(f, "omitted from the comparison: {} ({}): {}", one.platform, one.beside, one.why);
        self.left_out.iter().try_for_each(left_out)?;
        let stated = |one: &StatedPenalty| writeln!(f, "stated: {} {:.3} ({})", one.id, one.penalty, one.origin);
        self.stated.iter().try_for_each(stated)
    }
}

impl Display for CostSetting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let seeds = self.platforms.iter().flat_map(|platform| platform.penalty).map(|penalty| penalty.count).max();
        writeln!(
            f,
            "\nCost, {}, medians of {} (with smallest..largest where these differ after rounding to two decimals)",
            self.how(),
            counted(seeds.unwrap_or(0) as u64, "seed")
        )?;
        self.head(f)?;
        TABLES.iter().try_for_each(|(name, shown)| self.table(f, name, *shown))?;
        self.over_all(f, "geometric means of the penalties", |platform| platform.penalty.map(ratio))?;
        self.line(f, "whole guest", |platform| platform.busy_penalty.map(ratio))?;
        if self.platforms.iter().any(|platform| platform.latency.is_some()) {
            self.latencies(f)?;
        }
        writeln!(f, " correlation of the penalty with what a platform adds per second of T_best_exec")?;
        self.correlations.iter().try_for_each(|one| write!(f, "{one}"))
    }
}

impl CostSetting {
    fn how(&self) -> String {
        if self.beside == crate::cell::ALONE {
            "workloads alone".into()
        } else {
            format!("workloads together with {}", self.beside)
        }
    }

    fn head(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:<FIRST$}", "")?;
        self.platforms.iter().try_for_each(|platform| write!(f, " {:>COLUMN$}", platform.platform))?;
        writeln!(f)
    }

    fn table(&self, f: &mut Formatter<'_>, name: &str, shown: Shown) -> fmt::Result {
        writeln!(f, " {name}")?;
        self.workloads.iter().try_for_each(|workload| {
            self.line(f, workload, |platform| {
                platform.workloads.iter().find(|one| one.workload == *workload).and_then(shown)
            })
        })
    }

    fn over_all(
        &self,
        f: &mut Formatter<'_>,
        name: &str,
        shown: impl Fn(&PlatformCost) -> Option<String>,
    ) -> fmt::Result {
        writeln!(f, " {name}")?;
        self.line(f, "the command", shown)
    }

    fn line(&self, f: &mut Formatter<'_>, name: &str, shown: impl Fn(&PlatformCost) -> Option<String>) -> fmt::Result {
        write!(f, "{name:<FIRST$}")?;
        let cell = |platform| shown(platform).unwrap_or_else(|| "-".into());
        self.platforms.iter().try_for_each(|platform| write!(f, " {:>COLUMN$}", cell(platform)))?;
        writeln!(f)
    }

    fn latencies(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, " latency during the workloads, all seeds together")?;
        let shown =
            |show: fn(&CostLatency) -> Option<String>| move |platform: &PlatformCost| show(platform.latency.as_ref()?);
        self.line(f, "samples", shown(|latency| Some(grouped(latency.count).to_string())))?;
        self.line(f, "99.999 %", shown(|latency| latency.q99999_ns.map(us)))?;
        self.line(f, "largest quantile", shown(supported))?;
        self.line(f, "maximum", shown(|latency| latency.max_ns.map(us)))
    }
}

impl Display for CostCorrelation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(found) = &self.correlation else {
            return writeln!(f, "{:<22} {}", self.figure, self.reason.as_deref().unwrap_or_default());
        };
        let of = |of: Coefficient| format!("{:>5.2} ({:>5.2} to {:>5.2})", of.value, of.low, of.high);
        writeln!(
            f,
            "{:<22} Pearson {}, Spearman {}, {} pairs",
            self.figure,
            of(found.pearson),
            of(found.spearman),
            found.count
        )
    }
}

fn ratio(spread: Spread) -> String {
    let Spread { median, low, high, .. } = spread;
    let is_one = format!("{low:.2}") == format!("{high:.2}");
    if is_one { format!("{median:.3}") } else { format!("{median:.3} {low:.2}..{high:.2}") }
}

fn slowdown(workload: &WorkloadCost) -> Option<String> {
    workload.slowdown.map(|of| format!("1 + {:.2} + {:.2}", of.by_scheduler, of.by_other))
}

fn count(spread: Spread) -> String {
    grouped(spread.median.round() as u64).to_string()
}

fn us(ns: i64) -> String {
    format!("{} µs", tenths_of_micros(ns))
}

/// "99.9 %: 45.1".
fn supported(latency: &CostLatency) -> Option<String> {
    let (quantile, ns) = (latency.supported_quantile?, latency.supported_ns?);
    Some(format!("{} %: {} µs", (quantile * 1e7).round() / 1e5, tenths_of_micros(ns)))
}
