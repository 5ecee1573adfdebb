//! The pages of what is looked at rather than read: a task set's answer, a schedule, the gate's answer, runs compared.

#[path = "common/documents.rs"]
mod documents;

mod common;

use prazo_report::view::{Document, comparisons};
use prazo_report::{ReportContent, html, markdown, terminal};
use prazo_study::function_difference::{FunctionDifference, Times};
use prazo_study::gate::{ExplainedActivation, GateExplanation, GateOutcome, Movement};

/// What stands before the other charts and the rest: the first screen.
fn first_screen(page: &str) -> &str {
    let end =
        ["<section id=\"figures\"", "<section id=\"tests\"", "<section id=\"tasks\"", "<section id=\"all-figures\""]
            .into_iter()
            .filter_map(|part| page.find(part))
            .min();
    &page[..end.expect("something follows the first screen")]
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in:\n{text}");
    }
}

/// The widths of the bars of a kind, in order.
fn bars(page: &str, class: &str) -> Vec<f64> {
    let begins = format!("<rect class=\"{class}\"");
    let bars = page.split(&begins).skip(1);
    bars.map(|bar| bar.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn a_tested_set_shows_its_verdict_its_tests_and_a_bar_for_each_bound() {
    let page = html::document(&documents::tested());
    let first = first_screen(&page);
    has(first, &["Disproven", "Requirement: every job meets its deadline under fixed priorities on one processor"]);
    has(first, &["misses its deadline", "id=\"response-bounds\"", "class=\"bad\"", ">disproven</td>"]);
    has(first, &["arm: 1 ms of 4 ms", "eye: 3 ms of 8 ms", "plan&lt;ner&gt;: no bound within 6 ms"]);
    let (within, over) = (bars(first, "filled c0"), bars(first, "over"));
    // The picture for a wide screen, and that for a narrow one.
    assert_eq!((within.len(), over.len()), (4, 2));
    for screen in within.chunks(2) {
        assert!((screen[0] / screen[1] - (1.0 / 4.0) / (3.0 / 8.0)).abs() < 0.01, "{within:?}");
    }
    assert!(!page.contains("plan<ner>"));
}

#[test]
fn where_each_processor_has_a_queue_the_queues_tests_are_shown_with_their_margins() {
    let page = html::document(&documents::queues());
    let first = first_screen(&page);
    has(first, &["Proven", "partitioned EDF on 2 processors", "queue 0: ", "queue 1: ", ">proven</td>"]);
    assert!(bars(first, "filled c0").len() >= 2 && bars(first, "over").is_empty());
}

#[test]
fn a_simulated_schedule_shows_its_misses_its_picture_and_response_times() {
    let page = html::document(&documents::simulated("heavy<b>"));
    let first = first_screen(&page);
    has(first, &["1 deadline missed", "earliest deadline first, 2 processors, one queue", "the first at 11 ms"]);
    has(first, &["<g class=\"gantt\">", "CPU 1", "heavy&lt;b&gt;, job 0: CPU 0, 2 ms to 11 ms"]);
    has(first, &["class=\"late-bar\"", "Response times, in "]);
    let row = first.split("heavy&lt;b&gt;</td>").nth(1).unwrap();
    has(
        &row[..row.find("</tr>").unwrap()],
        &["12,000", "11,000", "<td class=\"bad figures\" data-name=\"Misses\">1</td>"],
    );
    has(&page, &["prazo sched simulate dhall.toml", "Some tasks are sporadic."]);
    assert!(!page.contains("heavy<b>"));
}

#[test]
fn the_gates_page_names_what_moved_with_its_threshold_and_draws_both_sides() {
    let page = html::document(&documents::case("gate").unwrap());
    let first = first_screen(&page);
    has(
        first,
        &["Failed", "2 of 8 figures moved; furthest: rt.loaded.fifo, 99.9 % of response latency, shift +5.96 µs"],
    );
    has(first, &["threshold 1.00 µs", "baseline: good&lt;1&gt;.json", "no latency moves"]);
    has(first, &["data-label=\"baseline\"", "data-label=\"this run\"", ">+5.96 µs</text>", ">+2.50 µs</text>"]);
    let rows: Vec<&str> = first.split("<tbody>").nth(1).unwrap().split("<tr>").skip(1).collect();
    assert!(rows[0].contains("rt.loaded.fifo, 99 %") && rows[1].contains("99.9 %") && rows[2].contains("unmoved"));
    has(
        rows[1],
        &[
            "36.0 to 36.8",
            "42.8 to 43.6",
            ">5.96</td>",
            ">1.00</td>",
            "<td class=\"bad\" data-name=\"Movement\">worse</td>",
        ],
    );
    let cells = page.matches("<figure id=\"curves-").count();
    assert_eq!(cells, 2, "a chart for each cell; the one that moved is on the first screen");
    has(&page, &["rt.loaded.rr", "neither side has a run of it"]);
}

#[test]
fn the_gates_page_names_the_functions_that_explain_the_movement() {
    let mut study = documents::gated();
    let gate = study.gate.as_mut().unwrap();
    let function = FunctionDifference { name: "free<pages>".into(), times: Times::of([8_000, 2_500]) };
    let activation = |file: &str, latency_ns| ExplainedActivation {
        file: file.into(),
        activation: 7,
        latency_ns,
        sentence: "in `free`.".into(),
    };
    let runs = [activation("new/a.prazo", 43_600), activation("good/a.prazo", 36_800)];
    let sentence = "The worst activation of this run took 5.50 µs more.".to_owned();
    let cell = "rt.loaded.fifo".to_owned();
    gate.explained = Some(GateExplanation::new(cell, runs, sentence, vec![function]));
    let page = |study: &_| html::document(&prazo_report::gate::page(study, "", "").unwrap());
    let explained = page(&study);
    has(first_screen(&explained), &["rt.loaded.fifo: The worst activation of this run took 5.50 µs more."]);
    has(
        &explained,
        &[
            "What made the difference",
            "free&lt;pages&gt;",
            ">5.50</td>",
            "Baseline (good&#x2f;a.prazo, activation 7): in `free`.",
        ],
    );
    let gate = study.gate.as_mut().unwrap();
    (gate.explained, gate.not_explained) = (None, Some("no <compiler>".into()));
    let missing = page(&study);
    has(&missing, &["no &lt;compiler&gt;"]);
    assert!(!missing.contains("What made the difference"));
}

#[test]
fn a_historys_page_names_each_change_and_draws_each_figure_over_the_baselines() {
    let page = html::document(&documents::case("history").unwrap());
    let first = first_screen(&page);
    has(first, &["Changes", "10 baselines: the level of 1 of 2 tested figures changed.", "6.12.4", "6.12.5"]);
    has(
        first,
        &["data-label=\"median\"", "data-label=\"maximum\"", "data-note=\"1 change\"", ">median -5.30 µs</text>"],
    );
    has(first, &["Baselines by kernel release", "29 µs (28.9 µs to 29.2 µs; 3 seeds)"]);
    has(
        &page,
        &["not read: notes&lt;b&gt;.txt: not a baseline", "2 figures tested, each at 5 %", "prazo gate --history base"],
    );
    assert!(!page.contains("<b>.fifo"), "a foreign name begins no element");
    let bands = page.matches("class=\"band c0\"").count();
    assert_eq!(bands, 2, "the baseline without a value leaves a gap");
    let mut none = documents::remembered();
    (none.histories[0].changes, none.decided) = (vec![], false);
    let page = html::document(&prazo_report::history::page(&none, "", ""));
    has(first_screen(&page), &["Inconclusive", "no figure has enough of them for a test"]);
}

#[test]
fn a_gate_that_passed_or_was_interrupted_says_so() {
    let mut study = documents::gated();
    let gate = study.gate.as_mut().unwrap();
    gate.outcome = GateOutcome::Unmoved;
    gate.compared.iter_mut().for_each(|one| one.movement = Movement::None);
    let page = |study: &_| html::document(&prazo_report::gate::page(study, "", "").unwrap());
    has(first_screen(&page(&study)), &["Passed", "None of 8 figures moved", "verdict good"]);
    study.complete = false;
    has(first_screen(&page(&study)), &["Inconclusive", "The study was interrupted"]);
    study.gate = None;
    assert!(prazo_report::gate::page(&study, "", "").is_none());
}

/// The runs of an evaluation, compared instead of judged.
fn compared() -> ReportContent {
    common::case("compare", &[]).unwrap()
}

#[test]
fn compared_runs_show_what_moved_with_its_interval_and_a_curve_for_each_run() {
    let page = html::render(&compared());
    let first = &page[..page.find("<section id=\"figures\"").unwrap()];
    has(first, &["Compared", "&#x27;other-load&#x27; against &#x27;fifo-load&#x27;"]);
    has(
        first,
        &[
            "Quantiles that moved, with 95 % CIs that exclude 0: p50 by +51.29 µs.",
            "Warning: the runs differ in length",
        ],
    );
    let row = first.split(">p50</td>").nth(1).unwrap();
    has(&row[..row.find("</tr>").unwrap()], &["15.1", "66.4", "51.3", "50.9 to 51.7"]);
    has(first, &["id=\"later-than\"", "data-label=\"fifo-load\"", "data-label=\"other-load\""]);
}

#[test]
fn the_screen_has_each_column_that_the_page_has_of_a_comparison() {
    let evidence = compared();
    let table = comparisons::quantiles(&evidence.comparisons[0]);
    let screen = terminal::render(&evidence, &terminal::Style::default());
    let cells_of = |first: &str| -> Vec<String> {
        let line = screen.lines().find(|line| line.starts_with(first)).expect("a line of the table");
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    let on_screen: Vec<String> = cells_of("quantile ").iter().map(|name| name.to_lowercase()).collect();
    let on_page: Vec<String> = table.columns.iter().map(|column| column.name.to_lowercase()).collect();
    assert_eq!(on_screen, on_page);
    assert_eq!(cells_of("p50 "), ["p50", "15.1", "66.4", "51.3", "50.9 to 51.7"]);
    has(
        &screen,
        &["'other-load' against 'fifo-load', per served wake-up, in µs", "Warning: the runs differ in length"],
    );
}

#[test]
fn several_runs_are_each_compared_with_the_first() {
    let mut evidence = compared();
    evidence.comparisons.push(evidence.comparisons[0].clone());
    evidence.comparisons[1].other = "third".into();
    let page = html::render(&evidence);
    has(
        &page,
        &[
            "&#x27;third&#x27; against &#x27;fifo-load&#x27;",
            "<th scope=\"col\">Run</th><th scope=\"col\">Quantile</th>",
        ],
    );
}

#[test]
fn each_markdown_is_a_verdict_and_a_table_before_anything_is_folded() {
    let opened = |text: &str| text[..text.rfind("<details>").unwrap_or(text.len())].to_owned();
    for (name, row) in [
        ("test", "| --- | --- | ---: |"),
        ("simulate", "| heavy | "),
        ("gate", "| rt.loaded.fifo, 99.9 % | 36.0 to 36.8 |"),
        ("history", ", median of response latency | 6.12.4 | 6.12.5 |"),
    ] {
        let document: Document = documents::case(name).unwrap();
        let text = markdown::document(&document);
        has(&opened(&text), &[&format!("**{}.**", document.headline.outcome), row]);
        assert!(text.trim_end().ends_with("</details>"), "{name}: the rest is folded");
        assert!(opened(&text).lines().count() < 40, "{name}");
    }
    let compared = markdown::render(&compared());
    has(&opened(&compared), &["**Compared.**", "| p50 | 15.1 | 66.4 | 51.3 | 50.9 to 51.7 |"]);
}

#[test]
fn a_judged_runs_name_stays_on_one_line() {
    let page = html::render(&common::machine(prazo_verdict::Outcome::Pass));
    assert!(page.contains("<td class=\"plain name\" data-name=\"Run\"><i class=\"key c0\"></i>fifo-idle</td>"));
    assert!(page.contains("td.name { white-space: nowrap;"));
}

#[test]
fn a_chart_and_its_table_have_one_name() {
    let page = html::render(&common::machine(prazo_verdict::Outcome::Fail));
    assert!(!page.contains("later than a latency") && !page.contains("at or above a value"));
    for (id, title) in [
        ("later-than", "Share of activations at or above a latency"),
        ("exceedance", "Share at or above a latency, per served wake-up and per due activation"),
    ] {
        let figure = page.split(&format!("id=\"{id}\"")).nth(1).unwrap();
        let figure = &figure[..figure.find("</figure>").unwrap()];
        assert!(figure.matches(title).count() >= 2, "{figure}");
    }
}
