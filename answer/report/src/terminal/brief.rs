//! A screenful: the answer, what decides it, what threatens it, and one line for everything else.
//!
//! Nothing is said here that the full text does not say; what was left out is named at the end.

use super::bars::bars_of_first;
use super::columns::{Side, columns_that_fit};
use super::measure::wrapped;
use super::parts::{head, reason};
use super::style::{Style, heading, paint};
use crate::chart::Charts;
use crate::content::{ReportContent, RunEvidence};
use crate::cost::{ProgramCosts, Range, WorkloadCost};
use crate::view::{
    Cell, Headline, Table, Tone, caveats, claims, comparisons, culprits, headline, loads, parts, readiness,
};
use crate::words;
use prazo_core::text::{counted, printable, tenths_of_micros};
use prazo_core::time::Duration;
use prazo_platform::readiness::{CheckOutcome, CheckResult};
use prazo_run::Severity;
use prazo_run::run::Quantity;
use prazo_run::watched::{WatchedAccount, WatchedWorst};
use prazo_stats::{Comparison, Per, Summary, noise};
use prazo_verdict::claim::Tally;

/// Histograms of characters are drawn for at most so many runs.
const HISTOGRAMS_MAX: usize = 3;
/// Comparisons are shown where there are at most so many.
const COMPARISONS_MAX: usize = 3;
/// More reasons that decide the outcome than this are counted.
const REASONS_MAX: usize = 4;
/// More claims or loads than this are counted: a screen is not longer.
const ROWS_MAX: usize = 24;

/// The screenful.
pub(super) fn render(content: &ReportContent, style: &Style) -> String {
    let headline = headline::headline(content);
    let mut text = head(content, &headline, style) + &reasons(&headline, style) + "\n";
    text.push_str(&threats(content, style));
    text.push_str(&list_that_fits(LATENCIES, latencies(content), &LATENCIES_EXPENDABLE, style));
    text.push_str(&list(LOST, lost(content), style));
    text.push_str(&explained(content, style));
    content.costs.iter().for_each(|costs| text.push_str(&list(&cost_title(costs), costed(costs), style)));
    text.push_str(&histograms(content, style));
    text.push_str(&compared(content, style));
    text.push_str(&list(&Tally::of(&content.claims).to_string(), claimed(content), style));
    text.push_str(&fitness(content, style));
    text.push_str(&list("Loads, with ranges over the runs that had them", loaded(content), style));
    if !content.runs.is_empty() {
        text.push_str(&wrapped(REST, style.width, ""));
    }
    text
}

/// The smallest and the usual latencies decide least: a narrow terminal does without them, the first here first.
const LATENCIES_EXPENDABLE: [usize; 3] = [2, 3, 4];
const LATENCIES: &str = "Latencies in µs, per served wake-up, all processors together";
const REST: &str = "Charts, intervals, each processor, each finding and how to repeat the runs: `prazo report FILE.prazo -o report.html` writes a page with all of it, and `--format text` prints it.";

fn reasons(headline: &Headline, style: &Style) -> String {
    let mut text: String = headline.reasons.iter().take(REASONS_MAX).map(|one| reason(one, style)).collect();
    let more = headline.others.len() + headline.reasons.len().saturating_sub(REASONS_MAX);
    if more > 0 {
        let (known, noun) = if headline.reasons.is_empty() { ("", "reason") } else { ("and ", "more reason") };
        let line = format!("  {known}{} in the report\n", counted(more as u64, noun));
        text.push_str(&paint(&line, Tone::Quiet, style));
    }
    text
}

/// One line of a list; all lines of one have their cells on the same sides.
struct Row(Vec<(Cell, Side)>);

/// A heading and its rows, nothing where there are none; too many are counted.
fn list(title: &str, rows: Vec<Row>, style: &Style) -> String {
    list_that_fits(title, rows, &[], style)
}

/// The same on a narrow terminal without the columns that are expendable, whose names the first row has.
fn list_that_fits(title: &str, rows: Vec<Row>, expendable: &[usize], style: &Style) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let more = rows.len().saturating_sub(ROWS_MAX);
    let shown = &rows[..rows.len() - more];
    let sides: Vec<Side> = shown[0].0.iter().map(|(_, side)| *side).collect();
    let cells: Vec<Vec<Cell>> = shown.iter().map(|row| row.0.iter().map(|(cell, _)| cell.clone()).collect()).collect();
    let mut text = titled(title, style) + &columns_that_fit(&sides, &cells, expendable, style);
    if more > 0 {
        text.push_str(&format!("and {more} more\n"));
    }
    text + "\n"
}

/// A table of the view as a list: latencies in µs with one decimal, and headings that begin as those of the other lists.
fn rows_of(table: &Table) -> Vec<Row> {
    let side = |figures: bool| if figures { Side::Right } else { Side::Left };
    let row = |cells: Vec<Cell>| {
        Row(cells.into_iter().zip(&table.columns).map(|(cell, column)| (cell, side(column.figures))).collect())
    };
    let headings = table.columns.iter().map(|column| Cell::toned(uncapitalised(&column.name), Tone::Quiet)).collect();
    let rows = table.rows.iter().map(|cells| row(cells.iter().map(in_tenths).collect()));
    std::iter::once(row(headings)).chain(rows).collect()
}

/// A heading with a small first letter.
fn uncapitalised(heading: &str) -> String {
    let mut letters = heading.chars();
    let first = letters.next().map(char::to_lowercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// A cell with its latencies in µs, without the unit, which the title names.
fn in_tenths(cell: &Cell) -> Cell {
    // Quantiles and their differences are whole nanoseconds, which an f64 holds.
    let text = cell.latency_as(|ns| us(Some(ns as i64)));
    Cell { text: text.unwrap_or_else(|| cell.text.clone()), ..cell.clone() }
}

/// A list's title: in bold, or with a colon where there is no bold.
fn titled(title: &str, style: &Style) -> String {
    if style.colour { heading(title, style) } else { format!("{}:\n", printable(title)) }
}

/// The caveats that weigh most, each in full: a sentence that is cut says nothing.
fn threats(content: &ReportContent, style: &Style) -> String {
    let threats = caveats::threats(content);
    if threats.is_empty() {
        return String::new();
    }
    let more = threats.len().saturating_sub(ROWS_MAX);
    let mut text = titled("Caveats", style);
    for threat in &threats[..threats.len() - more] {
        let on = threat.on(content);
        let on = if on.is_empty() { on } else { format!(", {on}") };
        let what = format!("{} ({}{on})", threat.worst.what, threat.worst.id);
        text.push_str(&weighed(&caveats::severity(threat.worst.severity), &what, style));
        for other in threat.others() {
            text.push_str(&wrapped(&format!("{WEIGHT}also: {other}"), style.width, WEIGHT));
        }
    }
    if more > 0 {
        text.push_str(&format!("and {more} more\n"));
    }
    text + "\n"
}

fn cost_title(costs: &ProgramCosts) -> String {
    format!("{}: penalty and slowdown", costs.heading)
}

/// A row for each workload, a column for each platform; what was not costed comes last.
fn costed(costs: &ProgramCosts) -> Vec<Row> {
    let figure =
        |range: Option<Range>| range.map_or_else(|| words::ABSENT.into(), |range| format!("{:.3}", range.value));
    let both = |cost: &WorkloadCost| Cell::from(format!("{} {}", figure(cost.penalty), figure(cost.slowdown)));
    let line = |first: Cell, others: Vec<Cell>| {
        let others = others.into_iter().map(|cell| (cell, Side::Right));
        Row(std::iter::once((first, Side::Cut)).chain(others).collect())
    };
    let names = costs.platforms.iter().map(|platform| Cell::toned(&platform.platform, Tone::Quiet)).collect();
    let rows = costs.workloads.iter().map(|row| line(row.workload.as_str().into(), row.on.iter().map(both).collect()));
    let lacking = costs
        .gaps
        .iter()
        .map(|gap| line(format!("cost missing: {gap}").into(), vec![Cell::absent(); costs.platforms.len()]));
    std::iter::once(line(Cell::toned("workload", Tone::Quiet), names)).chain(rows).chain(lacking).collect()
}

const LOST: &str = "Time lost to noise, all processors together";

/// Of each run whose loops looked for gaps: the whole, then who took it.
fn lost(content: &ReportContent) -> Vec<Row> {
    let rows: Vec<Row> = content.runs.iter().flat_map(lost_of).collect();
    if rows.is_empty() {
        return rows;
    }
    let names = ["run", "gaps", "time lost", "share lost", "most in one gap, µs"];
    let side = |at| if at == 0 { Side::Cut } else { Side::Right };
    let names = names.iter().enumerate().map(|(at, name)| (Cell::toned(*name, Tone::Quiet), side(at)));
    std::iter::once(Row(names.collect())).chain(rows).collect()
}

fn lost_of(run: &RunEvidence) -> Vec<Row> {
    let line = |name: &str, gaps: u64, lost_ns: Option<u64>, share: Option<f64>, most_ns: Option<i64>| {
        let time = lost_ns.map_or_else(|| words::ABSENT.into(), |ns| words::length(Duration::from_ns(ns)));
        let share = share.map_or_else(|| words::ABSENT.into(), words::share);
        let figures = [words::count(gaps), time, share, us(most_ns)].map(|text| (Cell::from(text), Side::Right));
        Row(std::iter::once((Cell::from(name), Side::Cut)).chain(figures).collect())
    };
    let Some(all) = noise::lost_in_all(&run.run) else { return Vec::new() };
    let whole = line(&run.run.name, all.gaps, all.lost_ns, all.share, all.longest_ns);
    let parts = noise::lost_to(&run.run).into_iter().map(|part| {
        line(words::quantity(part.quantity), part.gaps, Some(part.lost_ns), Some(part.share), part.longest_ns)
    });
    std::iter::once(whole).chain(parts).collect()
}

/// Causes are a taste of what the report has.
const CAUSES_MAX: usize = 3;

fn explained(content: &ReportContent, style: &Style) -> String {
    let worst = parts::worst_causes(content);
    if worst.is_empty() {
        return of_watched(content, style);
    }
    let line = |(run, _, cause): &(&RunEvidence, _, &prazo_run::split::SampleExplanation)| {
        wrapped(&format!("{}: {}", run.run.name, cause.sentence), style.width, "  ")
    };
    let lines = worst.iter().take(CAUSES_MAX).map(line).collect::<String>();
    titled("The worst latencies and their causes", style) + &lines + "\n"
}

/// The worst activations of watched threads.
fn of_watched(content: &ReportContent, style: &Style) -> String {
    let worst = culprits::worst_activations(content);
    if worst.is_empty() {
        return String::new();
    }
    let line = |(run, account, worst): &(&RunEvidence, &WatchedAccount, &WatchedWorst)| {
        wrapped(&format!("{}: {}: {worst}", run.run.name, account.thread), style.width, "  ")
    };
    // Of each run, so that a comparison names those of both.
    let of_run = |run: &RunEvidence| {
        let own = worst.iter().filter(|(of, ..)| std::ptr::eq(*of, run));
        own.take(CAUSES_MAX).map(line).collect::<String>()
    };
    titled("The worst activations and their causes", style)
        + &content.runs.iter().map(of_run).collect::<String>()
        + "\n"
}

/// The quantiles of the only table of latencies.
const QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];

fn latencies(content: &ReportContent) -> Vec<Row> {
    let rows: Vec<Row> =
        content.runs.iter().flat_map(|run| of_run(run).map(move |summary| latency(run, summary))).collect();
    if rows.is_empty() {
        return rows;
    }
    let names = ["run", "count", "min", "p50", "p99", "p99.9", "max", "missed", "skipped"];
    let side = |at| if at == 0 { Side::Cut } else { Side::Right };
    let names = names.iter().enumerate().map(|(at, name)| (Cell::toned(*name, Tone::Quiet), side(at)));
    std::iter::once(Row(names.collect())).chain(rows).collect()
}

/// The summary per served wake-up of all processors together, for each quantity: the last one of it. (A series whose
/// source names no processor has a summary without one, too, which stands earlier.)
fn of_run(run: &RunEvidence) -> impl Iterator<Item = &Summary> {
    let served = || run.summary.summaries.iter().filter(|summary| summary.per == Per::ServedWakeUp);
    let is_last = move |one: &&Summary| {
        served().rfind(|other| other.quantity == one.quantity).is_some_and(|last| std::ptr::eq(last, *one))
    };
    served().filter(is_last)
}

fn latency(run: &RunEvidence, summary: &Summary) -> Row {
    let name = match summary.quantity {
        Quantity::ResponseLatency => run.run.name.clone(),
        other => format!("{}, {}", run.run.name, words::quantity(other)),
    };
    let quantiles = QUANTILES.map(|q| quantile(summary, q));
    let head = [words::count(summary.count), us(summary.min_ns)];
    let tail = [us(summary.max_ns), missed(run, summary.quantity), skipped(run)];
    let figures = head.into_iter().chain(quantiles).chain(tail).map(|text| (Cell::from(text), Side::Right));
    Row(std::iter::once((Cell::from(name), Side::Cut)).chain(figures).collect())
}

fn quantile(summary: &Summary, q: f64) -> String {
    let found = summary.quantiles.iter().find(|quantile| quantile.q == q).filter(|found| found.value_ns.is_some());
    let bound = found.is_some_and(|found| found.at_least);
    format!("{}{}", if bound { "≥ " } else { "" }, us(found.and_then(|found| found.value_ns)))
}

/// Microseconds with one decimal, without their unit, which the heading names.
fn us(ns: Option<i64>) -> String {
    ns.map_or_else(|| words::ABSENT.into(), |ns| tenths_of_micros(ns).to_string())
}

/// Served late: the skipped ones, which a miss rate counts too, have a column of their own.
fn missed(run: &RunEvidence, quantity: Quantity) -> String {
    let counted: Option<u64> = run.run.of(quantity).map(|series| series.activations.missed).sum();
    counted.map_or_else(|| words::ABSENT.into(), words::count)
}

fn skipped(run: &RunEvidence) -> String {
    all_skipped(run).map_or_else(|| words::ABSENT.into(), words::count)
}

fn all_skipped(run: &RunEvidence) -> Option<u64> {
    run.run.series.iter().map(|series| series.activations.skipped).sum()
}

/// One comparison: its quantiles, where the curves cross, its maxima and what speaks against it.
fn comparison(of: &Comparison, style: &Style) -> String {
    let table = comparisons::quantiles(of);
    let title = format!("{}, in µs", table.caption);
    let notes = table.notes.iter().map(|note| wrapped(note, style.width, "  "));
    let said = [comparisons::order(of), comparisons::maxima(of)];
    let said: String = said.iter().map(|line| wrapped(line, style.width, "")).chain(notes).collect();
    list(&title, rows_of(&table), style).trim_end().to_owned() + "\n" + &said + "\n"
}

fn histograms(content: &ReportContent, style: &Style) -> String {
    let few = (1..=HISTOGRAMS_MAX).contains(&content.runs.len());
    let charts = Charts::of(content).filter(|_| few);
    charts.map_or_else(String::new, |charts| bars_of_first(&charts, style.width, content.runs.len()) + "\n")
}

fn compared(content: &ReportContent, style: &Style) -> String {
    match content.comparisons.len() {
        0 => String::new(),
        1..=COMPARISONS_MAX => content.comparisons.iter().map(|one| comparison(one, style)).collect(),
        many => format!("{many} comparisons of two runs: see the report\n\n"),
    }
}

fn claimed(content: &ReportContent) -> Vec<Row> {
    let row = |claim: &prazo_verdict::claim::ClaimResult| {
        let (outcome, id, text) = (claims::outcome(claim.outcome), claim.id.as_str(), claim.text.as_str());
        Row(vec![(outcome, Side::Left), (Cell::from(id), Side::Cut), (Cell::from(text), Side::Cut)])
    };
    content.claims.iter().map(row).collect()
}

/// The tally of the checks and the findings that weigh most; where there is nothing else to show, all findings with
/// what to do about them, and after them the other checks that the content has.
fn fitness(content: &ReportContent, style: &Style) -> String {
    if content.readiness.is_empty() {
        return String::new();
    }
    let of = |outcome: CheckOutcome, least: Severity| {
        let is_of = |row: &&CheckResult| row.outcome == outcome && row.severity >= least;
        let mut rows: Vec<&CheckResult> = content.readiness.iter().filter(is_of).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.severity));
        rows
    };
    let lines = |title: &str, rows: &[&CheckResult], line: fn(&CheckResult, &Style) -> String| match rows {
        [] => String::new(),
        rows => titled(title, style) + &rows.iter().map(|row| line(row, style)).collect::<String>() + "\n",
    };
    if !content.runs.is_empty() {
        let title = format!("Is this machine ready? {}", readiness::tally(content).trim_end_matches('.'));
        return match of(CheckOutcome::Finding, Severity::High) {
            none if none.is_empty() => format!("{title}\n\n"),
            findings => lines(&title, &findings, finding),
        };
    }
    let findings = of(CheckOutcome::Finding, Severity::Info);
    let found = match findings.is_empty() {
        true => "No findings\n\n".to_owned(),
        false => lines("Findings, most severe first", &findings, advice),
    };
    found
        + &lines("Unknown, most severe first", &of(CheckOutcome::Unknown, Severity::Info), finding)
        + &lines("As expected", &of(CheckOutcome::Ok, Severity::Info), finding)
        + &lines("Not applicable here", &of(CheckOutcome::NotApplicable, Severity::Info), finding)
}

fn finding(row: &CheckResult, style: &Style) -> String {
    // Why a check has no result is a sentence of its own.
    let found = if matches!(row.outcome, CheckOutcome::Finding | CheckOutcome::Ok) { "found " } else { "" };
    weighed(&caveats::severity(row.severity), &format!("{}: {found}{} ({})", row.title, row.found, row.id), style)
}

/// A finding in full and what to do about it, behind its weight.
fn advice(row: &CheckResult, style: &Style) -> String {
    let what = format!("{}: found {}, expected {} ({})", row.title, row.found, row.wanted, row.id);
    let fix = wrapped(&format!("{WEIGHT}{}", row.fix), style.width, WEIGHT);
    weighed(&caveats::severity(row.severity), &what, style) + &fix
}

/// A text in as many lines as it takes, behind its weight.
fn weighed(weight: &Cell, text: &str, style: &Style) -> String {
    let text = wrapped(&format!("{WEIGHT}{text}"), style.width, WEIGHT);
    paint(&format!("{:<1$}", weight.text, WEIGHT.len()), weight.tone, style) + &text[WEIGHT.len()..]
}

/// The room before a text in which its weight stands.
const WEIGHT: &str = "        ";

fn loaded(content: &ReportContent) -> Vec<Row> {
    let row = |load: loads::Spread<'_>| {
        let runs = counted(load.records.len() as u64, "run");
        Row(vec![
            (Cell::from(load.name), Side::Left),
            (Cell::from(format!("requested: {}", load.asked())), Side::Wrapped),
            (
                Cell::toned(
                    format!("reached: {}", load.reached()),
                    if load.fell_short() { Tone::Unsure } else { Tone::Plain },
                ),
                // A rate that is cut loses its unit.
                Side::Wrapped,
            ),
            (Cell::from(runs.to_string()), Side::Left),
        ])
    };
    loads::spreads(content).into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_have_one_decimal_and_keep_their_sign() {
        assert_eq!(us(Some(404_529_480)), "404,529.5");
        assert_eq!(us(Some(-1_053)), "-1.1");
        assert_eq!(us(Some(-20)), "0.0");
        assert_eq!(us(None), words::ABSENT);
    }
}
