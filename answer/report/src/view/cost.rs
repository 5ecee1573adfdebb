//! What platforms cost programs, as tables: penalties, slowdowns, latencies beside them, and what goes together with them.

use super::{Cell, Section, Table};
use crate::content::ReportContent;
use crate::cost::{PlatformCost, ProgramCosts, Range, Scatter, WorkloadCost, WorkloadRow};
use crate::words;

/// The tables of every way of measuring.
pub fn section(content: &ReportContent) -> Section {
    let section = Section::new("cost", "Cost for programs");
    if content.costs.is_empty() {
        return section;
    }
    let said = section.say(
        "Penalty is processor time divided by the smallest processor time of the platforms compared. Slowdown is the sum of processor \
         time and waiting, divided by processor time (Marsal 2013). A penalty of 1.05 means 5 % more processor time for \
         the same result.",
    );
    content.costs.iter().fold(said, add)
}

fn add(section: Section, costs: &ProgramCosts) -> Section {
    let said = costs.sentences.iter().fold(section, |section, sentence| section.say(sentence.as_str()));
    let said = costs.gaps.iter().fold(said, |section, gap| section.say(format!("Cost missing: {gap}.")));
    said.show(penalties(costs)).show(platforms(costs)).show(coefficients(costs)).show(workloads(costs))
}

/// A row for each workload, a column for each platform.
fn penalties(costs: &ProgramCosts) -> Table {
    let platforms = costs.platforms.iter().map(|platform| format!("#{}", platform.platform));
    let columns: Vec<String> = ["Workload".into(), "Size".into()].into_iter().chain(platforms).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows = costs.workloads.iter().map(|row| {
        let names = [row.workload.as_str(), row.size.as_str()].map(Cell::from);
        names.into_iter().chain(row.on.iter().map(|cost| ratio(cost.penalty))).collect()
    });
    Table::new(format!("Penalties: {}", costs.heading), &columns).with(rows).note(ranges(costs))
}

/// What brackets hold; empty where nothing has a range.
fn ranges(costs: &ProgramCosts) -> String {
    if costs.ranges.is_empty() {
        return String::new();
    }
    format!("In brackets: {}. A penalty whose range contains 1 may be no penalty.", costs.ranges)
}

fn workloads(costs: &ProgramCosts) -> Table {
    let columns = [
        "Workload",
        "Platform",
        "#Runs",
        "#Penalty",
        "#Elapsed time",
        "#Slowdown",
        "#Slowdown by scheduler",
        "#Slowdown by other waits",
        "#Voluntary switches",
        "#Involuntary",
    ];
    let rows = costs
        .workloads
        .iter()
        .flat_map(|row| row.on.iter().zip(&costs.platforms).map(move |(cost, platform)| one(row, platform, cost)));
    Table::new(format!("Each workload on each platform: {}", costs.heading), &columns)
        .with(rows)
        .folded()
        .note(ranges(costs))
        .note("Elapsed time is divided by the smallest elapsed time of the platforms compared.")
        .note("Blocked time includes the time in which a shell waits for its child, so compare slowdowns between platforms only.")
}

fn one(row: &WorkloadRow, platform: &PlatformCost, cost: &WorkloadCost) -> Vec<Cell> {
    let count = |value: Option<f64>| Cell::count(value.map(|value| value.round() as u64));
    vec![
        row.workload.as_str().into(),
        platform.platform.as_str().into(),
        Cell::count(Some(cost.runs as u64)),
        ratio(cost.penalty),
        ratio(cost.wall_penalty),
        ratio(cost.slowdown),
        plain(cost.by_scheduler),
        plain(cost.by_other),
        count(cost.voluntary_switches),
        count(cost.involuntary_switches),
    ]
}

const OVER_ALL: &str =
    "Overall penalty: the geometric mean of the workloads' penalties, for platforms that ran all workloads.";

const ALL_THAT_RAN: &str =
    "Whole system: the penalty of all non-idle processor time, including kernel threads and servers.";

/// A column that stands only where somebody looked.
const BUSY: &str = "#Whole system";

/// A row for each platform: its penalty over all workloads, and its latency where any has one.
fn platforms(costs: &ProgramCosts) -> Table {
    if costs.platforms.iter().any(|platform| platform.latency.is_some()) {
        return decision(costs);
    }
    of_platforms(costs, "Penalty of each platform", &["Platform", "#Overall penalty", BUSY], paid)
}

/// The picture that decides, as a table.
pub fn decision(costs: &ProgramCosts) -> Table {
    let columns = [
        "Platform",
        "#Overall penalty",
        BUSY,
        "#Samples",
        "#Max observed",
        "#Highest quantile",
        "#Latency at that quantile",
    ];
    let row = |platform: &PlatformCost| paid(platform).into_iter().chain(answered(platform)).collect();
    of_platforms(costs, "Penalty and latency of each platform", &columns, row).note(ranges(costs))
}

fn paid(platform: &PlatformCost) -> Vec<Cell> {
    vec![platform.platform.as_str().into(), ratio(platform.penalty), ratio(platform.busy_penalty)]
}

fn answered(platform: &PlatformCost) -> [Cell; 4] {
    let latency = platform.latency;
    [
        Cell::count(latency.map(|latency| latency.count)),
        time(latency.and_then(|latency| latency.worst_ns)),
        latency.and_then(|latency| latency.quantile).map_or_else(Cell::absent, |q| words::quantile(q).into()),
        time(latency.and_then(|latency| latency.quantile_ns)),
    ]
}

fn of_platforms(
    costs: &ProgramCosts,
    title: &str,
    columns: &[&str],
    row: impl Fn(&PlatformCost) -> Vec<Cell>,
) -> Table {
    let somebody_looked = costs.platforms.iter().any(|platform| platform.busy_penalty.is_some());
    let is_shown = |name: &str| somebody_looked || name != BUSY;
    let shown: Vec<&str> = columns.iter().copied().filter(|name| is_shown(name)).collect();
    let cells = |platform| {
        let named = row(platform).into_iter().zip(columns).filter(|(_, name)| is_shown(name));
        named.map(|(cell, _)| cell).collect()
    };
    Table::new(title, &shown).with(costs.platforms.iter().map(cells)).note(OVER_ALL).note(if somebody_looked {
        ALL_THAT_RAN
    } else {
        ""
    })
}

/// Says which platforms the picture lacks.
pub fn pointless(costs: &ProgramCosts) -> Option<String> {
    let lacks = |platform: &&PlatformCost| platform.penalty.is_none() || platform.latency.is_none();
    let names: Vec<&str> = costs.platforms.iter().filter(lacks).map(|platform| platform.platform.as_str()).collect();
    (!names.is_empty())
        .then(|| format!("Not drawn, since the penalty or the latency is missing: {}.", names.join(", ")))
}

fn coefficients(costs: &ProgramCosts) -> Table {
    let columns = ["Added by a platform", "#Pairs", "#Pearson", "#Spearman", "How"];
    let row = |scatter: &Scatter| {
        vec![
            scatter.of.as_str().into(),
            Cell::count(Some(scatter.points.len() as u64)),
            coefficient(scatter.pearson),
            coefficient(scatter.spearman),
            scatter.method.as_str().into(),
        ]
    };
    Table::new("What correlates with penalties", &columns).with(costs.scatters.iter().map(row))
}

/// The scatter plots as a table.
pub fn pairs(costs: &ProgramCosts) -> Table {
    let columns = ["Added by a platform", "Platform", "Workload", "#Added per second", "#Penalty"];
    let rows = costs.scatters.iter().flat_map(|scatter| scatter.points.iter().map(move |point| (scatter, point)));
    let rows = rows.map(|(scatter, point)| {
        let added = words::decimals(point.added_per_s, 3);
        let names = [scatter.of.as_str(), point.platform.as_str(), point.workload.as_str()].map(Cell::from);
        names.into_iter().chain([added.into(), plain(Some(point.penalty))]).collect()
    });
    Table::new("The points drawn", &columns).with(rows).folded()
}

fn plain(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::absent, |value| format!("{value:.3}").into())
}

fn ratio(range: Option<Range>) -> Cell {
    ranged(range, |value| format!("{value:.3}"))
}

fn coefficient(range: Option<Range>) -> Cell {
    ranged(range, |value| format!("{value:.2}"))
}

fn time(range: Option<Range>) -> Cell {
    ranged(range, |ns| words::latency(ns.round() as i64))
}

/// "1.050 [1.041, 1.062]"; without brackets where the ends are the figure itself.
fn ranged(range: Option<Range>, shown: impl Fn(f64) -> String) -> Cell {
    let Some(range) = range else { return Cell::absent() };
    let (low, high) = range.ends();
    if shown(low) == shown(high) {
        return shown(range.value).into();
    }
    format!("{} [{}, {}]", shown(range.value), shown(low), shown(high)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_shown_where_it_says_more_than_its_figure() {
        assert_eq!(ratio(Some(Range::new(1.35, 1.3, 1.4))).text, "1.350 [1.300, 1.400]");
        assert_eq!(ratio(Some(Range::new(1.35, 1.35, 1.35))).text, "1.350");
        assert_eq!(ratio(Some(Range::point(1.35))).text, "1.350");
        assert_eq!(ratio(None).text, words::ABSENT);
    }

    #[test]
    fn nothing_costed_has_no_section() {
        assert_eq!(section(&ReportContent::default()), Section::new("cost", "Cost for programs"));
    }
}
