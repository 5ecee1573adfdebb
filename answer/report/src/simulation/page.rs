//! A simulated schedule as a page: what became of the deadlines, the schedule's picture, and the response times.

use super::document::{MissRow, ObservedChainRow, Simulated, TaskRow};
use super::text::{length, misses, postponed, waited};
use crate::gantt::Gantt;
use crate::svg::{self, Setting};
use crate::view::figures::Figure;
use crate::view::headline::Reason;
use crate::view::{Cell, Document, Headline, Section, Table, Tone, document, with_content};
use crate::words;
use prazo_core::text::counted;

/// The page; `shape` says who shares a queue, `chart` is a part of the schedule, `command` makes the page again.
pub fn page(simulated: &Simulated, shape: &str, chart: &Gantt<'_>, command: &str) -> Document {
    Document {
        title: simulated.name.clone(),
        headline: headline(simulated, shape),
        opening: vec![Section::new("answer", "Response times").show(at_a_glance(simulated, chart))],
        answer: Some(schedule(chart)),
        body: with_content(vec![tasks(simulated), chains(simulated), missed(simulated), document::repeat(command)]),
        ..Document::default()
    }
}

fn headline(simulated: &Simulated, shape: &str) -> Headline {
    let (outcome, mark, tone) = match simulated.first_miss_ns {
        None => ("No deadline missed".to_owned(), "✓", Tone::Good),
        Some(_) => (format!("{} missed", counted(simulated.misses, "deadline")), "✗", Tone::Bad),
    };
    let miss = simulated.first_miss_ns.map(|_| format!("{}. ", misses(simulated)));
    let reason = |role: &'static str, tone: Tone| move |text: &String| Reason { role, tone, text: text.clone() };
    let proof = simulated.proof.iter().map(reason("Proves", Tone::Good));
    let notes = simulated.remarks.iter().map(reason("Note", Tone::Quiet));
    let (postponed, waited) = (postponed(simulated), waited(simulated));
    Headline {
        outcome,
        mark,
        tone,
        asked: format!("every job meets its deadline; {}, {shape}", simulated.policy),
        sentence: format!("{}{}.", miss.unwrap_or_default(), length(simulated)),
        warnings: Vec::new(),
        reasons: proof
            .chain(postponed.iter().map(reason("Servers", Tone::Unsure)))
            .chain(waited.iter().map(reason("Waiting", Tone::Quiet)))
            .chain(notes)
            .collect(),
        others: Vec::new(),
    }
}

/// What was seen of each chain, where there are any.
fn chains(simulated: &Simulated) -> Section {
    if simulated.chains.is_empty() {
        return Section::default();
    }
    let known = |ns: Option<u64>| ns.map_or_else(Cell::absent, latency);
    let row = |chain: &ObservedChainRow| {
        let outputs = words::count(chain.outputs).into();
        vec![chain.name.as_str().into(), outputs, known(chain.reaction_max_ns), known(chain.age_max_ns)]
    };
    let columns = ["Chain", "#Outputs", "#Max reaction", "#Max data age"];
    let table = Table::new("Cause-effect chains", &columns).with(simulated.chains.iter().map(row));
    Section::new("chains", "Chains").show(table.note("An observed maximum is not a bound."))
}

fn latency(ns: u64) -> Cell {
    Cell::latency(i64::try_from(ns).ok())
}

fn at_a_glance(simulated: &Simulated, chart: &Gantt<'_>) -> Table {
    let row = |(task, drawn): (&TaskRow, &crate::gantt::GanttTask)| {
        let tone = if task.misses > 0 { Tone::Bad } else { Tone::Plain };
        vec![
            task.name.as_str().into(),
            task.response_time.as_ref().map_or_else(Cell::absent, |response| latency(response.max_ns)),
            latency(drawn.deadline_ns),
            Cell::toned(words::count(task.misses), tone),
        ]
    };
    let columns = ["Task", "#Max response", "#Deadline", "#Misses"];
    let rows = simulated.tasks.iter().zip(&chart.tasks).map(row);
    Table::new("Response times", &columns).with(rows).note("An observed maximum is not a bound.")
}

fn schedule(chart: &Gantt<'_>) -> Figure {
    let slices = chart.slices();
    let row = |slice: &crate::gantt::Slice| {
        vec![
            chart.tasks[slice.task].name.as_str().into(),
            slice.job.to_string().into(),
            chart.cpus[slice.cpu].as_str().into(),
            latency(slice.start_ns),
            latency(slice.end_ns),
            if slice.is_late { Cell::toned("yes", Tone::Bad) } else { "no".into() },
        ]
    };
    let columns = ["Task", "#Job", "Processor", "#From", "#To", "After the deadline"];
    let window = [chart.start_ns, chart.end_ns].map(|ns| match ns {
        0 => "0".to_owned(),
        ns => words::time(ns),
    });
    let [from, to] = window;
    Figure {
        id: "schedule".into(),
        title: format!("Schedule from {from} to {to}"),
        caption: "Arrow up: a job arrives. Arrow down: its deadline. Pale bar: the job waits. Dashed frame: it is suspended. Grey: no supply. Red stripes: the job runs after its deadline. Point at a bar to see which job it is."
            .into(),
        notes: Vec::new(),
        picture: svg::gantt(chart, Setting::InPage),
        table: Table::new("Intervals in which each job ran", &columns).with(slices.iter().map(row)).in_one_unit().folded(),
    }
}

fn tasks(simulated: &Simulated) -> Section {
    let columns = [
        "Task",
        "#Cluster",
        "#Jobs",
        "#Misses",
        "#Preemptions",
        "#Migrations",
        "#Response min",
        "#Mean",
        "#Max",
        "#Tardiness max",
    ];
    let row = |task: &TaskRow| {
        let response = task.response_time.as_ref();
        let counts = [u64::from(task.cluster), task.jobs, task.misses, task.preemptions, task.migrations];
        let mut row = vec![Cell::from(task.name.as_str())];
        row.extend(counts.map(|count| Cell::count(Some(count))));
        row.extend([
            response.map_or_else(Cell::absent, |response| latency(response.min_ns)),
            Cell::mean(response.map(|response| response.mean_ns)),
            response.map_or_else(Cell::absent, |response| latency(response.max_ns)),
            latency(task.max_tardiness_ns),
        ]);
        row
    };
    let table = Table::new("Tasks", &columns).with(simulated.tasks.iter().map(row));
    Section::new("tasks", "Tasks").show(table)
}

fn missed(simulated: &Simulated) -> Section {
    let row = |miss: &MissRow| {
        vec![
            miss.task.as_str().into(),
            miss.job.to_string().into(),
            latency(miss.arrival_ns),
            latency(miss.deadline_ns),
        ]
    };
    let table = Table::new("The first missed deadlines", &["Task", "#Job", "#Arrival", "#Deadline"]);
    Section::new("missed", "Missed deadlines").show(table.with(simulated.missed.iter().map(row)))
}
