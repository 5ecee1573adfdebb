//! Measured overheads as texts: the table that the analysis takes, and every figure for plots.
//!
//! A table never falls: an amount is at least that of fewer tasks. A release is charged for each job.

use super::figures::KindFigures;
use prazo_core::overheads::OverheadField;
use prazo_run::overheads::CacheDelay;
use prazo_run::run::Quantity;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter, Write};

/// Which statistic a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The largest sample.
    Max,
    /// The mean, rounded up to a tenth of a nanosecond.
    Mean,
}

/// What the analysis charges, each with the quantity that stands for it.
const CHARGED: [(OverheadField, Quantity); 6] = [
    (OverheadField::Release, Quantity::ReleaseOverheadPerJob),
    (OverheadField::Scheduling, Quantity::SchedulingOverhead),
    (OverheadField::ContextSwitch, Quantity::ContextSwitchOverhead),
    (OverheadField::Tick, Quantity::TickOverhead),
    (OverheadField::IpiLatency, Quantity::IpiLatency),
    (OverheadField::EventLatency, Quantity::EventLatency),
];

/// A kind of overhead of which a figure is missing, so that the tables charge it in part or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Uncharged {
    /// The kind of overhead.
    pub kind: Quantity,
    /// Why a figure of the kind of overhead is missing, in one line.
    pub why: String,
}

impl Display for Uncharged {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let key = CHARGED.iter().find(|(_, quantity)| *quantity == self.kind).map_or("", |(field, _)| field.name());
        write!(f, "{}: {}", key.replace('_', " "), self.why)
    }
}

/// What a table of these runs cannot charge: kinds without a figure at some number of tasks, each once.
pub fn uncharged(runs: &[Vec<KindFigures>]) -> Vec<Uncharged> {
    let lacks = |(_, quantity): &(OverheadField, Quantity)| {
        let of = runs.iter().flatten().filter(|figures| figures.kind == *quantity);
        let why = of.filter_map(|figures| figures.why_not.as_deref()).next()?;
        Some(Uncharged { kind: *quantity, why: one_line(why) })
    };
    CHARGED.iter().filter_map(lacks).collect()
}

prazo_core::words!(Statistic: Max => "max", Mean => "mean");

impl Statistic {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Max, Self::Mean];

    /// In tenths of a nanosecond.
    pub fn of(self, max_ns: u64, mean_ns: f64) -> u64 {
        match self {
            Self::Max => max_ns * 10,
            Self::Mean => (mean_ns * 10.0).ceil() as u64,
        }
    }

    /// The same of figures of which the other one may be missing.
    fn of_kind(self, figures: &KindFigures) -> Option<u64> {
        match self {
            Self::Max => figures.max_ns.map(|ns| self.of(ns, 0.0)),
            Self::Mean => figures.mean_ns.map(|ns| self.of(0, ns)),
        }
    }
}

/// What stands behind the figures.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The table's name.
    pub name: &'a str,
    /// The command that makes the table.
    pub command: &'a str,
    /// The platform, in one line.
    pub source: &'a str,
    /// The system's tick period in nanoseconds; `None` where it is not known.
    pub tick_period_ns: Option<u64>,
    /// Cache-related delays; empty where they were not measured.
    pub cache: &'a [CacheDelay],
    /// What an instruction takes where time is counted, so that each becomes a nanosecond; else 1.
    pub instruction_ns: u64,
    /// What a reader should know, a line each.
    pub remarks: &'a [String],
}

/// The `Overheads` table; `runs` ascend in the number of tasks.
pub fn table(origin: Origin<'_>, runs: &[Vec<KindFigures>], statistic: Statistic) -> String {
    let mut text = format!(
        "# Written by `{}`. Each point is [number of tasks that share a ready queue, amount].\n{}name = {}\n\
         source = {}\nstatistic = \"{}\"\n",
        origin.command,
        origin.remarks.iter().map(|remark| format!("# {}\n", one_line(remark))).collect::<String>(),
        quoted(origin.name),
        quoted(origin.source),
        statistic.name()
    );
    if let (Some(period_ns), true) = (origin.tick_period_ns, has(runs, Quantity::TickOverhead)) {
        let _ = writeln!(text, "tick_period = \"{period_ns}ns\"");
    }
    for (field, quantity) in CHARGED {
        // Without its period a tick cannot be charged.
        if quantity != Quantity::TickOverhead || origin.tick_period_ns.is_some() {
            text.push_str(&amount((field.name(), quantity), runs, statistic, origin.instruction_ns.max(1)));
        } else if has(runs, quantity) {
            text.push_str("\n# No tick: it was measured, but its period is not known.\n");
        }
    }
    text.push_str(&cache_delay(origin.cache, statistic));
    text
}

fn has(runs: &[Vec<KindFigures>], quantity: Quantity) -> bool {
    runs.iter().flatten().any(|figures| figures.kind == quantity && figures.count > 0)
}

/// The figures that stand for a kind, ascending in the number of tasks. For a number of tasks of which nothing was counted by job, a
/// whole run of the release handler stands for the release of a job: no job costs more.
fn charged(quantity: Quantity, runs: &[Vec<KindFigures>]) -> Vec<&KindFigures> {
    let mut all: Vec<&KindFigures> = runs.iter().flatten().filter(|figures| figures.kind == quantity).collect();
    if quantity == Quantity::ReleaseOverheadPerJob {
        let by_job: BTreeSet<u32> = all.iter().filter(|one| one.count > 0).map(|one| one.n_tasks).collect();
        let whole = runs.iter().flatten().filter(|figures| figures.kind == Quantity::ReleaseOverhead);
        all.extend(whole.filter(|whole| whole.count > 0 && !by_job.contains(&whole.n_tasks)));
        all.sort_by_key(|one| one.n_tasks);
    }
    all
}

/// One overhead; where it has no figure, a remark that says why.
fn amount(
    (key, quantity): (&str, Quantity),
    runs: &[Vec<KindFigures>],
    statistic: Statistic,
    instruction_ns: u64,
) -> String {
    let of = charged(quantity, runs);
    let mut least = 0;
    let mut point = |figures: &&KindFigures| {
        least = statistic.of_kind(figures)?.div_ceil(instruction_ns).max(least);
        Some(format!("[{}, \"{}\"]", figures.n_tasks, ns(least)))
    };
    let points: Vec<String> = of.iter().filter_map(&mut point).collect();
    if points.is_empty() {
        let why = of.iter().find_map(|figures| figures.why_not.as_deref());
        let why = why.unwrap_or("it was not measured");
        return format!("\n# No {key}: {}.\n", one_line(why));
    }
    let samples = of.iter().map(|figures| figures.count).filter(|count| *count > 0).min().unwrap_or(0);
    let stamp = of.iter().find_map(|figures| figures.stamp_ns).map(|ns| ns.div_ceil(instruction_ns));
    let stamp = stamp.map_or(String::new(), |ns| format!("; about {ns} ns of each amount are the cost of a stamp"));
    let between = of.iter().find_map(|figures| figures.between.as_deref()).unwrap_or_default();
    let list = points.join(", ");
    let whole: BTreeSet<u32> = of.iter().filter(|one| one.kind != quantity).map(|one| one.n_tasks).collect();
    let whole = whole.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let whole = match whole.as_str() {
        "" => String::new(),
        tasks => {
            format!(
                "\n# For {tasks} tasks, releases were not counted for each job, so each release is charged a whole run \
                 of the release handler."
            )
        }
    };
    format!(
        "{whole}\n# {between}; `samples` is the smallest number of samples at any point{stamp}.\n[{key}]\nlinear = [{list}]\n\
                 samples = {samples}\n"
    )
}

/// By KiB of working set, the larger of what a preemption and a migration cost; it never falls.
fn cache_delay(of: &[CacheDelay], statistic: Statistic) -> String {
    let mut by_set: BTreeMap<u32, u64> = BTreeMap::new();
    for one in of {
        let tenths = match statistic {
            Statistic::Max => one.max_ns.max(0).unsigned_abs() * 10,
            Statistic::Mean => (one.mean_ns.max(0.0) * 10.0).ceil() as u64,
        };
        let kept = by_set.entry(one.working_set_kib).or_default();
        *kept = tenths.max(*kept);
    }
    let mut least = 0;
    let mut point = |(kib, tenths): (&u32, &u64)| {
        least = least.max(*tenths);
        format!("[{kib}, \"{}\"]", ns(least))
    };
    let list: Vec<String> = by_set.iter().map(&mut point).collect();
    let samples = of.iter().map(|one| one.count).min().unwrap_or(0);
    if list.is_empty() {
        return "\n# No cache_delay: it was not measured.\n".into();
    }
    format!(
        "\n# Each point is [working set in KiB, amount].\n[cache_delay]\nlinear = [{}]\nsamples = {samples}\n",
        list.join(", ")
    )
}

/// Every figure of one platform: `[[measured]]` tables, as studies take them. Where time is counted, an instruction becomes a
/// nanosecond, as in the figures of prazo's own kernel.
pub fn measured(shape: &str, source: &str, instruction_ns: u64, runs: &[Vec<KindFigures>]) -> String {
    let mut text = String::new();
    for &quantity in Quantity::VALUES {
        let rows: Vec<String> =
            runs.iter().flatten().filter(|of| of.kind == quantity).filter_map(|of| row(of, instruction_ns)).collect();
        if !rows.is_empty() {
            let (word, rows) = (quantity.name(), rows.join(",\n"));
            let (shape, source) = (quoted(shape), quoted(source));
            let head = format!("[[measured]]\nshape = {shape}\nquantity = \"{word}\"\nsource = {source}");
            let _ = write!(text, "{head}\npoints = [\n{rows},\n]\n\n");
        }
    }
    text
}

fn row(of: &KindFigures, instruction_ns: u64) -> Option<String> {
    let each = |ns: u64| ns.div_ceil(instruction_ns.max(1));
    let (threads, count, max_ns) = (of.n_tasks, of.count, each(of.max_ns?));
    let mean_ns = of.mean_ns? / instruction_ns.max(1) as f64;
    let (median_ns, less_8, less_1_percent) =
        (each(of.median_ns?), each(of.max_less_8_ns?), each(of.max_less_1_percent_ns?));
    Some(format!(
        "  {{ threads = {threads}, count = {count}, max_ns = {max_ns}, mean_ns = {mean_ns:.1}, median_ns = {median_ns}, \
         max_less_8_ns = {less_8}, max_less_1_percent_ns = {less_1_percent} }}"
    ))
}

fn ns(tenths: u64) -> String {
    if tenths.is_multiple_of(10) { format!("{}ns", tenths / 10) } else { format!("{}.{}ns", tenths / 10, tenths % 10) }
}

/// A text as TOML writes it, where it has no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::overheads::Displaced;

    fn figures(kind: Quantity, n_tasks: u32, max_ns: Option<u64>) -> KindFigures {
        let count = max_ns.map_or(0, |_| 100);
        KindFigures {
            kind,
            n_tasks,
            count,
            mean_ns: max_ns.map(|ns| ns as f64 / 3.0),
            median_ns: max_ns,
            max_ns,
            max_less_8_ns: max_ns,
            max_less_1_percent_ns: max_ns,
            marked: 0,
            marked_by: BTreeMap::new(),
            stamp_ns: Some(12),
            between: max_ns.map(|_| "a to b".into()),
            why_not: max_ns.is_none().then(|| "one\nreason".into()),
        }
    }

    const ORIGIN: Origin<'_> = Origin {
        name: "n",
        command: "prazo export",
        source: "s",
        tick_period_ns: None,
        cache: &[],
        instruction_ns: 1,
        remarks: &[],
    };

    fn runs() -> Vec<Vec<KindFigures>> {
        let of = |n_tasks, max_ns| {
            vec![
                figures(Quantity::ReleaseOverheadPerJob, n_tasks, Some(max_ns)),
                figures(Quantity::TickOverhead, n_tasks, Some(max_ns)),
                figures(Quantity::IpiLatency, n_tasks, None),
            ]
        };
        vec![of(5, 400), of(15, 300), of(25, 700)]
    }

    #[test]
    fn an_amount_never_falls_and_what_is_missing_says_why() {
        let origin = Origin { name: "a \"b\"", tick_period_ns: Some(4_000_000), ..ORIGIN };
        let text = table(origin, &runs(), Statistic::Max);
        assert!(
            text.contains("[release]\nlinear = [[5, \"400ns\"], [15, \"400ns\"], [25, \"700ns\"]]\nsamples = 100\n"),
            "{text}"
        );
        assert!(
            text.contains("# No ipi_latency: one reason.") && text.contains("tick_period = \"4000000ns\""),
            "{text}"
        );
        assert!(
            text.contains(r#"name = "a \"b\"""#) && text.contains("about 12 ns of each amount are the cost of a stamp"),
            "{text}"
        );
        assert!(table(origin, &runs(), Statistic::Mean).contains("[5, \"133.4ns\"]"));
    }

    #[test]
    fn what_is_not_charged_is_named_once_with_its_kind() {
        let caveat = uncharged(&runs());
        let [ipi] = &caveat[..] else { panic!("one kind lacks figures: {caveat:?}") };
        assert_eq!((ipi.kind, ipi.to_string().as_str()), (Quantity::IpiLatency, "ipi latency: one reason"));
    }

    #[test]
    fn a_tick_without_its_period_is_not_charged() {
        let text = table(ORIGIN, &runs(), Statistic::Max);
        assert!(!text.contains("[tick]") && !text.contains("tick_period"), "{text}");
    }

    #[test]
    fn a_whole_run_of_the_release_handler_is_charged_where_nothing_was_counted_by_job() {
        let whole = figures(Quantity::ReleaseOverhead, 5, Some(900));
        assert!(table(ORIGIN, &[vec![whole.clone()]], Statistic::Max).contains("[release]\nlinear = [[5, \"900ns\"]]"));
        let by_job = figures(Quantity::ReleaseOverheadPerJob, 5, Some(300));
        let text = table(ORIGIN, &[vec![whole, by_job]], Statistic::Max);
        assert!(text.contains("[release]\nlinear = [[5, \"300ns\"]]"), "{text}");
    }

    #[test]
    fn a_count_by_job_at_one_number_of_tasks_hides_no_whole_run_at_another() {
        let runs = [
            vec![figures(Quantity::ReleaseOverhead, 5, Some(500))],
            vec![
                figures(Quantity::ReleaseOverhead, 10, Some(900)),
                figures(Quantity::ReleaseOverheadPerJob, 10, Some(600)),
            ],
            vec![figures(Quantity::ReleaseOverhead, 20, Some(800))],
        ];
        let text = table(ORIGIN, &runs, Statistic::Max);
        let list = "[release]\nlinear = [[5, \"500ns\"], [10, \"600ns\"], [20, \"800ns\"]]";
        assert!(
            text.contains(list) && text.contains("# For 5, 20 tasks, releases were not counted for each job"),
            "{text}"
        );
    }

    #[test]
    fn remarks_are_lines_of_their_own() {
        let remarks = ["lost\nlines".to_owned(), "more".to_owned()];
        let text = table(Origin { remarks: &remarks, ..ORIGIN }, &[], Statistic::Max);
        assert!(text.contains("\n# lost lines\n# more\nname = "), "{text}");
    }

    #[test]
    fn where_time_is_counted_an_instruction_becomes_a_nanosecond() {
        let origin = Origin { tick_period_ns: Some(4_000_000), instruction_ns: 8, ..ORIGIN };
        let text = table(origin, &runs(), Statistic::Max);
        assert!(text.contains("[release]\nlinear = [[5, \"50ns\"], [15, \"50ns\"], [25, \"87.5ns\"]]"), "{text}");
    }

    #[test]
    fn a_cache_delay_is_the_dearer_of_the_two_ways_and_never_below_nothing() {
        let of = |displaced, working_set_kib, max_ns| CacheDelay {
            displaced,
            working_set_kib,
            count: 9,
            mean_ns: max_ns as f64 / 2.0,
            max_ns,
            warm_ns: 1,
            moved: None,
        };
        let cache = [
            of(Displaced::Preempted, 4, -5),
            of(Displaced::Preempted, 64, 700),
            of(Displaced::Migrated, 64, 900),
            of(Displaced::Preempted, 256, 800),
        ];
        let text = table(Origin { cache: &cache, ..ORIGIN }, &[], Statistic::Max);
        assert!(text.contains("linear = [[4, \"0ns\"], [64, \"900ns\"], [256, \"900ns\"]]"), "{text}");
    }

    #[test]
    fn every_figure_stands_in_a_row_of_its_number_of_tasks() {
        let text = measured("linux", "s", 1, &runs());
        assert!(text.contains("quantity = \"release-overhead-per-job\""), "{text}");
        assert!(text.contains("{ threads = 15, count = 100, max_ns = 300, mean_ns = 100.0,"), "{text}");
        assert!(!text.contains("ipi-latency"));
        let counted = measured("linux", "s", 8, &runs());
        assert!(counted.contains("{ threads = 15, count = 100, max_ns = 38, mean_ns = 12.5,"), "{counted}");
    }
}
