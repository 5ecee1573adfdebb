//! Every sink says the same, in the same order, whatever the evidence is like.

mod common;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use prazo_platform::readiness::CheckOutcome;
use prazo_report::{ReportContent, html, json, markdown, terminal};
use prazo_verdict::Outcome;
use sha2::{Digest, Sha256};

fn page(content: &ReportContent) -> String {
    html::render(content)
}

fn text(content: &ReportContent) -> String {
    terminal::render(content, &terminal::Style { details: true, ..terminal::Style::default() })
}

fn all_cases() -> Vec<(&'static str, ReportContent)> {
    ["pass", "fail", "inconclusive", "hostile", "empty", "negative"]
        .map(|name| (name, common::case(name, &[]).unwrap()))
        .into()
}

/// Where `needle` stands, or a failure that names it.
fn place(text: &str, needle: &str) -> usize {
    text.find(needle).unwrap_or_else(|| panic!("'{needle}' is not there"))
}

#[test]
fn a_judged_run_that_is_not_real_time_says_so_before_the_verdict() {
    let mut evidence = common::machine(Outcome::Pass);
    evidence.runs.iter_mut().for_each(|run| run.is_control = false);
    let page = page(&evidence);
    assert!(place(&page, "not real-time; the measuring") < place(&page, "99.9 % of activations met 1 ms under load"));
    let text = text(&evidence);
    assert!(place(&text, "not real-time;") < place(&text, "PASS"));
    let markdown = markdown::render(&evidence);
    assert!(place(&markdown, "not real-time;") < place(&markdown, "**Pass.**"));
}

#[test]
fn a_control_run_is_marked_and_nothing_at_the_top_warns_of_it() {
    let evidence = common::machine(Outcome::Pass);
    let page = page(&evidence);
    let top = &page[..place(&page, "id=\"figures\"")];
    assert!(!top.contains("not real-time"), "the verdict does not rest on it");
    assert!(top.contains("2 control runs"), "it is said that there are some");
    assert!(
        !top.contains("<td class=\"plain name\"><i class=\"key c2\"></i>other-idle"),
        "it is not among the judged runs"
    );
    assert!(page.contains("other-idle (control)"));
    let text = text(&evidence);
    assert!(text.contains("other-idle (control)") && !text[..place(&text, "PASS")].contains("not real-time"));
}

#[test]
fn the_answer_comes_first_and_the_evidence_in_the_order_of_its_weight() {
    let page = page(&common::machine(Outcome::Fail));
    let order = [
        "id=\"verdict\"",
        "id=\"answer\"",
        "id=\"later-than\"",
        "id=\"figures\"",
        "id=\"latencies\"",
        "id=\"caveats\"",
        "id=\"claims\"",
        "id=\"readiness\"",
        "id=\"loads\"",
        "id=\"platform\"",
        "id=\"repeat\"",
        "id=\"method\"",
    ];
    let places: Vec<usize> = order.iter().map(|part| place(&page, part)).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn markdown_is_a_verdict_and_a_table_that_a_review_takes() {
    let markdown = markdown::render(&common::machine(Outcome::Pass));
    let open = &markdown[..place(&markdown, "<details>")];
    assert!(open.lines().count() < 40, "{open}");
    assert!(open.contains("**Pass.**") && open.contains("| fifo-load | 483 | "), "{open}");
    assert!(open.contains("softirq NET\\_RX") && !open.contains("other-idle"), "{open}");
    assert!(markdown.trim_end().ends_with("</details>"), "the rest is folded");
}

#[test]
fn no_hostile_text_becomes_an_element() {
    let page = page(&common::hostile());
    assert!(!page.contains("<img"), "the name's element is text");
    assert!(page.contains("{{ 7*7 }}"), "the template evaluates no text");
    let scripts = page.matches("<script").count();
    assert_eq!(scripts, page.matches("</script").count(), "no text closes a script");
    assert!(scripts <= 2);
    assert!(!page.contains("onerror=alert(1)>\u{1b}[31m'\""), "quotes are escaped in attributes and texts");
}

#[test]
fn no_hostile_text_reaches_the_terminal_or_markdown_as_more_than_text() {
    let evidence = common::hostile();
    assert!(!text(&evidence).contains('\u{1b}'), "no escape sequence without colour");
    let markdown = markdown::render(&evidence);
    assert!(!markdown.contains('\u{1b}'));
    assert_eq!(markdown.matches("```").count(), 2, "no name ends the block of text");
    let outside = markdown.split("```").step_by(2).collect::<String>();
    assert!(!outside.contains("<img"));
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    let rows: Vec<usize> =
        outside.lines().skip_while(|line| !line.starts_with("| Outcome")).take(4).map(columns).collect();
    assert_eq!(rows, [5, 5, 5, 5], "a name adds no column");
}

#[test]
fn a_page_allows_no_request_and_asks_for_none() {
    for (name, evidence) in all_cases() {
        let page = page(&evidence);
        assert!(page.contains("default-src 'none'"), "{name}");
        for asks in ["src=\"http", "href=\"http", "url(", "@import", "<link", "<iframe"] {
            assert!(!page.contains(asks), "{name}: {asks}");
        }
    }
}

#[test]
fn a_page_with_charts_allows_exactly_its_own_script() {
    let page = page(&common::machine(Outcome::Pass));
    let policy = page.split("script-src '").nth(1).and_then(|rest| rest.split('\'').next()).unwrap();
    let script = page.split("<script>").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
    assert_eq!(policy, format!("sha256-{}", STANDARD.encode(Sha256::digest(script))));
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!html::render(&common::empty()).contains("<script"), "nothing to point at");
}

#[test]
fn an_empty_run_yields_a_report_that_says_so() {
    let evidence = common::empty();
    assert!(page(&evidence).contains("ended early; "));
    assert!(!page(&evidence).contains("id=\"figures\""));
    assert!(text(&evidence).contains("NO VERDICT"));
}

#[test]
fn a_report_is_the_same_every_time() {
    let (one, other) = (common::machine(Outcome::Fail), common::machine(Outcome::Fail));
    assert_eq!(page(&one), page(&other));
    assert_eq!(json::render(&one), json::render(&other));
}

#[test]
fn a_hundred_million_activations_stay_below_three_megabytes() {
    let evidence = common::long();
    let served: u64 = evidence.runs[0].run.series.iter().map(|series| series.activations.served).sum();
    assert_eq!(served, 200_000_000);
    let size = page(&evidence).len();
    assert!(size < 3_000_000, "{size} bytes");
}

#[test]
fn the_terminal_never_writes_beyond_its_width_but_for_words_longer_than_it() {
    for width in [40, 80, 120] {
        let text = terminal::render(
            &common::machine(Outcome::Pass),
            &terminal::Style { width, details: true, ..terminal::Style::default() },
        );
        let beyond: Vec<&str> =
            text.lines().filter(|line| line.chars().count() > width && line.trim().contains("  ")).collect();
        assert!(beyond.is_empty(), "{width}: {beyond:#?}");
    }
}

#[test]
fn latencies_on_a_narrow_terminal_lose_columns_whose_names_are_listed() {
    let latencies = |width, is_terminal| {
        let style = terminal::Style { width, is_terminal, ..terminal::Style::default() };
        let text = terminal::render(&common::machine(Outcome::Fail), &style);
        let list = text.split("Latencies in µs").nth(1).unwrap();
        list[..list.find("\n\n").unwrap()].to_owned()
    };
    let narrow = latencies(60, true);
    assert!(narrow.lines().skip(1).all(|line| line.chars().count() <= 60), "{narrow}");
    assert!(narrow.lines().last().unwrap().starts_with("A wider terminal shows min"), "{narrow}");
    for kept in ["count", "p99.9", "max", "missed", "skipped"] {
        assert!(narrow.lines().nth(1).unwrap().contains(kept), "{narrow}");
    }
    assert!(!latencies(100, true).contains("wider") && !latencies(60, false).contains("wider"));
}

#[test]
fn a_brief_text_is_a_screenful_that_says_what_decides() {
    let brief = |case| terminal::render(&common::machine(case), &terminal::Style::default());
    for outcome in [Outcome::Pass, Outcome::Fail, Outcome::Inconclusive] {
        let text = brief(outcome);
        assert!((25..=60).contains(&text.lines().count()), "{} lines:\n{text}", text.lines().count());
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 100).collect();
        assert!(wide.is_empty(), "{wide:#?}");
        let order = ["synthetic", outcome.name().to_uppercase().as_str(), "Caveats", "Latencies", "3 claims", "Loads"]
            .map(|part| place(&text, part));
        assert!(order.is_sorted(), "{order:?}");
    }
    let fail = brief(Outcome::Fail);
    assert!(
        fail.contains("- Fails: 1,204 of") && !fail.contains("hypervisor took 1.2 s from the measured processors.\n")
    );
    assert!(fail.contains("1 more reason in the report"));
}

#[test]
fn claims_without_a_verdict_are_the_answer() {
    let evidence = ReportContent { verdict: None, ..common::machine(Outcome::Pass) };
    assert!(page(&evidence).contains("1 of 3 claims held"));
    assert!(!page(&evidence).contains("No deadline was given"));
    let text = text(&evidence);
    assert!(place(&text, "1 OF 3 CLAIMS HELD") < place(&text, "Claims\n------"));
    assert!(place(&text, "Claims\n------") < place(&text, "Threats to this result"));
}

#[test]
fn checks_alone_are_shown_with_what_to_do() {
    let readiness = common::machine(Outcome::Pass).readiness;
    let text = terminal::render(&ReportContent { readiness, ..ReportContent::default() }, &terminal::Style::default());
    assert!(
        text.starts_with("4 FINDINGS\nFindings that are fatal or of high severity for a real-time task: 2."),
        "{text}"
    );
    assert!(text.contains(
        "fatal   Clock source: found hpet, expected tsc (clocksource)\n        prazo tune apply clocksource\n"
    ));
    assert!(place(&text, "fatal   Clock") < place(&text, "high    Preemption"));
    let mut unknown = common::machine(Outcome::Pass).readiness;
    unknown.iter_mut().for_each(|row| row.outcome = CheckOutcome::Unknown);
    unknown[0].outcome = CheckOutcome::Ok;
    let content = ReportContent { readiness: unknown, ..ReportContent::default() };
    let text = terminal::render(&content, &terminal::Style::default());
    assert!(
        text.starts_with("0 FINDINGS\nFindings that are fatal or of high severity for a real-time task: 0. Unknown: ")
    );
    assert!(text.contains("No findings\n\nUnknown, most severe first:\n"), "{text}");
    assert!(text.contains("As expected:\n") && text.contains(": found "), "{text}");
}

#[test]
fn checks_without_a_finding_say_that_there_is_none() {
    let mut readiness = common::machine(Outcome::Pass).readiness;
    readiness.iter_mut().for_each(|row| row.outcome = CheckOutcome::Ok);
    let text = terminal::render(&ReportContent { readiness, ..ReportContent::default() }, &terminal::Style::default());
    assert!(text.contains("\nNo findings\n"), "{text}");
}
