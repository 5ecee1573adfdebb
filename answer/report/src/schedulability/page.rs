//! One task set's answer as a page: the verdict, each task's response bound against its deadline, each test with its margin.

use super::dossier::Dossier;
use super::sections::{
    SPLIT_PROVEN, as_charged, facts, packing_name, parameter, percent, required, sections, tone, under,
};
use super::why::{headroom, why};
use crate::svg::{self, Bar, Bars, RegionAxis, RegionChart, Setting};
use crate::view::figures::Figure;
use crate::view::headline::Reason;
use crate::view::{Cell, Document, Headline, Section, Table, Tone, document, with_content};
use crate::words;
use prazo_analysis::partition::Packed;
use prazo_analysis::sensitivity::region::Axis;
use prazo_analysis::{Finding, Reason as Because, Ticks, Verdict};
use prazo_core::text::counted;

/// More bars than this are not drawn: those with the least room are.
const BARS_MAX: usize = 18;

/// The page; `command` makes it again.
pub fn page(dossier: &Dossier<'_>, command: &str) -> Document {
    let (tasks, tests) = (of_tasks(dossier), of_tests(dossier));
    // Where every bound is the deadline itself, since a test proves no more, the tests' margins say more.
    let says_more = tasks.as_ref().is_some_and(|tasks| tasks.iter().any(|task| task.bound != Some(task.deadline)));
    let tasks = tasks.filter(|_| says_more).map(|tasks| tasks_figure(dossier, &tasks));
    let mut charts = tasks.into_iter().chain(tests_figure(dossier, &tests)).chain(region_figure(dossier));
    let about = dossier.notes.iter().cloned().fold(Section::new("about", "About this task set"), Section::say);
    let rest = sections(dossier).into_iter().filter(|section| section.id != "answer");
    Document {
        title: dossier.title.clone(),
        headline: headline(dossier),
        opening: vec![Section::new("answer", "Tests at a glance").show(at_a_glance(dossier))],
        answer: charts.next(),
        figures: charts.collect(),
        body: with_content(rest.chain([about, document::repeat(command)]).collect()),
        ..Document::default()
    }
}

fn headline(dossier: &Dossier<'_>) -> Headline {
    let verdict = dossier.answer.verdict;
    let (outcome, mark) = match verdict {
        Verdict::Proven => ("Proven", "✓"),
        Verdict::Disproven => ("Disproven", "✗"),
        Verdict::Unknown => ("Unknown", "?"),
    };
    let caveats = dossier.answer.caveats.iter().map(|caveat| format!("{}: {}.", caveat.id(), caveat.sentence()));
    Headline {
        outcome: outcome.into(),
        mark,
        tone: tone(verdict),
        asked: format!("{} under {}", required(dossier), under(dossier)),
        sentence: sentence(dossier),
        warnings: caveats.collect(),
        reasons: vec![Reason { role: "Task set", tone: Tone::Quiet, text: facts(dossier) }],
        others: Vec::new(),
    }
}

/// What decided, and by what.
fn sentence(dossier: &Dossier<'_>) -> String {
    let answer = &dossier.answer;
    let packed = answer.packings.iter().find(|packed| packed.proven);
    match (&answer.decided_by, packed, answer.verdict) {
        (Some(finding), ..) => format!("{}: {}.", finding.test, why(dossier, finding)),
        (None, Some(packed), _) => {
            format!("Placed by {}; every queue is proven.", packing_name(packed))
        }
        (None, None, _) if answer.proven_split().is_some() => SPLIT_PROVEN.into(),
        (None, None, Verdict::Disproven) => {
            "Every assignment of tasks to queues was tried, and none meets every deadline.".into()
        }
        (None, None, _) => "No test here decides whether every job meets its deadline.".into(),
    }
}

/// What is known of one task's response time.
struct Bounded {
    task: usize,
    /// `None` where no bound within the deadline was found.
    bound: Option<Ticks>,
    deadline: Ticks,
}

/// The bounds of the response-time analysis under fixed priorities, of compliant vectors under EDF. Where every job is proven to meet
/// its deadline, that bounds the response time, too.
fn of_tasks(dossier: &Dossier<'_>) -> Option<Vec<Bounded>> {
    let under_edf = || {
        let all = dossier.lateness.as_ref()?.response_edf.as_ref()?;
        Some(all.iter().copied().map(Some).collect::<Vec<_>>())
    };
    let bounds = dossier.answer.responses_by_task().or_else(under_edf)?;
    let is_proven = dossier.answer.verdict == Verdict::Proven;
    let bounded = |(task, bound): (usize, Option<Ticks>)| {
        let charged = dossier.answer.charged.as_ref().and_then(|charged| as_charged(dossier, charged, task));
        let deadline = charged.unwrap_or(&dossier.tasks()[task]).deadline;
        let bound = if is_proven { Some(bound.unwrap_or(deadline).min(deadline)) } else { bound };
        Bounded { task, bound, deadline }
    };
    Some(bounds.into_iter().enumerate().map(bounded).collect())
}

fn tasks_figure(dossier: &Dossier<'_>, tasks: &[Bounded]) -> Figure {
    let bar = |one: &Bounded| {
        let deadline = dossier.time(one.deadline);
        Bar {
            name: dossier.name(one.task).to_owned(),
            share: one.bound.map(|bound| bound as f64 / one.deadline.max(1) as f64),
            text: match one.bound {
                Some(bound) => format!("{} of {deadline}", dossier.time(bound)),
                None => format!("no bound within {deadline}"),
            },
            is_over: one.bound.is_none_or(|bound| bound > one.deadline),
        }
    };
    let bounds = dossier.times(tasks.iter().map(|one| one.bound));
    let deadlines = dossier.times(tasks.iter().map(|one| Some(one.deadline)));
    let cells = tasks.iter().zip(bounds.into_iter().zip(deadlines));
    let cells = cells.map(|(one, (bound, deadline))| vec![dossier.name(one.task).to_owned().into(), bound, deadline]);
    let columns = ["Task", "#Response bound", "#Deadline"];
    let (rows, notes) = tightest(tasks.iter().map(bar).collect(), "tasks");
    let bars = Bars {
        title: "Response bound of each task against its deadline".into(),
        limit: "deadline".into(),
        axis: "Bound on the response time, as a share of the deadline".into(),
        rows,
    };
    let charged =
        if dossier.answer.charged.is_some() { " Bounds and deadlines include the charged overheads." } else { "" };
    let modes = if dossier.question.behaviours.is_mixed() {
        " Bounds of tasks of low criticality hold in low mode. Bounds of tasks of high criticality hold in both modes."
    } else {
        ""
    };
    Figure {
        id: "response-bounds".into(),
        title: bars.title.clone(),
        caption: format!("A task is proven to meet its deadline if its bar does not cross the line.{charged}{modes}"),
        notes,
        picture: svg::bars(&bars, Setting::InPage),
        table: Table::new("Response bounds", &columns).with(cells).folded(),
    }
}

/// The tests that compared something, or where tasks were placed the queues.
fn of_tests<'a>(dossier: &'a Dossier<'_>) -> Vec<(String, &'a Finding)> {
    let applies = |finding: &&Finding| !matches!(finding.reason, Because::NotApplicable(_) | Because::Overloaded(_));
    let findings = dossier.answer.findings.iter().filter(applies);
    let findings: Vec<_> = findings.map(|finding| (finding.test.to_owned(), finding)).collect();
    let shown: Option<&Packed> = dossier.answer.packings.iter().find(|packed| packed.proven);
    let shown = shown.or(dossier.answer.packings.first()).filter(|_| findings.is_empty());
    let split = dossier.answer.proven_split().map(|split| &split.bins);
    let bins = split.or(shown.map(|packed| &packed.bins));
    let queues = bins.into_iter().flat_map(|bins| bins.iter().enumerate());
    let queue = queues
        .filter_map(|(at, bin)| Some((format!("queue {at}: {}", bin.finding.as_ref()?.test), bin.finding.as_ref()?)));
    queue.chain(findings).collect()
}

fn tests_figure(dossier: &Dossier<'_>, tests: &[(String, &Finding)]) -> Option<Figure> {
    let bar = |(name, finding): &(String, &Finding)| {
        let margin = finding.margin.filter(|margin| margin.capacity > 0.0)?;
        let share = margin.demand / margin.capacity;
        let text = format!("{} %, {}", words::decimals(share * 100.0, 1), finding.verdict.name());
        Some(Bar { name: name.clone(), share: Some(share), text, is_over: !finding.is_proven() })
    };
    let (rows, notes) = tightest(tests.iter().filter_map(bar).collect(), "tests");
    let bars = Bars {
        title: "Demand in each test against what the test allows".into(),
        limit: "allowed".into(),
        axis: "Demand, as a share of what the test allows".into(),
        rows,
    };
    let row = |(name, finding): &(String, &Finding)| vec![name.as_str().into(), why(dossier, finding).into()];
    (!bars.rows.is_empty()).then(|| Figure {
        id: "margins".into(),
        title: bars.title.clone(),
        caption: "A test holds if its bar does not cross the line. A test that answers unknown decides nothing: it is sufficient, not necessary."
            .into(),
        notes,
        picture: svg::bars(&bars, Setting::InPage),
        table: Table::new("Inequalities", &["Test", "Why"]).with(tests.iter().map(row)).folded(),
    })
}

/// Each combination of two parameters in the colour of its verdict.
fn region_figure(dossier: &Dossier<'_>) -> Option<Figure> {
    let region = dossier.region.as_ref()?;
    let axis = |axis: &Axis| RegionAxis {
        name: parameter(dossier, axis),
        values: axis.values.iter().map(|value| *value as f64).collect(),
        labels: dossier.times(axis.values.iter().copied().map(Some)).iter().map(|cell| cell.text.clone()).collect(),
        here: axis.field.of(&dossier.tasks()[axis.task]) as f64,
    };
    let (x, y) = (axis(&region.x), axis(&region.y));
    let title = format!("Schedulable region over {} and {}", x.name, y.name);
    let row = |(label, verdicts): (&String, &Vec<Verdict>)| {
        let count = |verdict| verdicts.iter().filter(|found| **found == verdict).count().to_string();
        let proven = verdicts.iter().zip(&x.labels).filter(|(verdict, _)| **verdict == Verdict::Proven);
        let mut proven = proven.map(|(_, label)| label.clone());
        let first = proven.next();
        let last = proven.next_back().or_else(|| first.clone());
        let ends = [first, last].map(|end| end.map_or_else(Cell::absent, Cell::from));
        let [first, last] = ends;
        vec![
            label.as_str().into(),
            count(Verdict::Proven).into(),
            count(Verdict::Disproven).into(),
            count(Verdict::Unknown).into(),
            first,
            last,
        ]
    };
    let (from, to) = (format!("#Smallest proven {}", x.name), format!("#Largest proven {}", x.name));
    let columns = [y.name.as_str(), "#Proven", "#Disproven", "#Unknown", &from, &to];
    let rows: Vec<Vec<Cell>> = y.labels.iter().zip(&region.verdicts).map(row).collect();
    let table = Table::new("Combinations", &columns).with(rows).folded();
    let chart = RegionChart { title: title.clone(), x, y, verdicts: region.verdicts.clone() };
    Some(Figure {
        id: "region-chart".into(),
        title,
        caption: "Each rectangle is a task set of its own, with these two values and all others as given. Each was tested with a smaller \
                  budget than the set itself, so a rectangle may be unknown where the set itself would be decided."
            .into(),
        notes: Vec::new(),
        picture: svg::region(&chart, Setting::InPage),
        table,
    })
}

/// All bars, or of many those with the least room, and what must be said then.
fn tightest(mut bars: Vec<Bar>, of: &str) -> (Vec<Bar>, Vec<String>) {
    let all = bars.len();
    if all <= BARS_MAX {
        return (bars, Vec::new());
    }
    let share = |bar: &Bar| bar.share.unwrap_or(f64::INFINITY);
    bars.sort_by(|a, b| share(b).total_cmp(&share(a)));
    bars.truncate(BARS_MAX);
    (bars, vec![format!("Only the {BARS_MAX} of {all} {of} that are closest to their limit are drawn.")])
}

fn at_a_glance(dossier: &Dossier<'_>) -> Table {
    let tests = of_tests(dossier);
    let left_out = dossier.answer.findings.len().saturating_sub(tests.len());
    let row = |(name, finding): &(String, &Finding)| {
        vec![
            name.as_str().into(),
            Cell::toned(finding.verdict.name(), tone(finding.verdict)),
            headroom(finding).map_or_else(Cell::absent, |share| percent(share).into()),
        ]
    };
    let table = Table::new("Tests", &["Test", "Verdict", "#Headroom"]).with(tests.iter().map(row));
    let noun = if tests.is_empty() { "test" } else { "more test" };
    let note = format!("{} cannot be applied; the section Tests says why.", counted(left_out as u64, noun));
    table.note(if left_out > 0 { note } else { String::new() })
}
