//! What platforms cost: both pictures have every point, and whatever is drawn stands in a table, too.

mod common;

use prazo_report::cost::ProgramCosts;
use prazo_report::svg::{Setting, decision, scatters};
use prazo_report::{ReportContent, html, json, markdown, terminal};
use prazo_run::Plan;
use prazo_run::plan::Policy;
use prazo_run::run::Ending;
use prazo_run::workload::WorkloadRecord;
use prazo_verdict::Outcome;

fn costs() -> ProgramCosts {
    common::costs::costs()
}

fn text(content: &ReportContent) -> String {
    terminal::render(content, &terminal::Style { details: true, ..terminal::Style::default() })
}

#[test]
fn every_platform_has_its_two_latencies_over_its_penalty() {
    let drawn = decision(&costs(), Setting::Alone);
    assert_eq!((drawn.matches("\"filled\"").count(), drawn.matches("\"open\"").count()), (5, 5));
    assert!(drawn.contains("<title>rt: +35 %, worst 205 µs, p99.99 85.907 µs</title>"), "{drawn}");
    assert!(drawn.contains(">+30 %<") && drawn.contains(">1 ms<"), "{drawn}");
}

/// The height of a mark of this class in the group of a platform.
fn height(drawn: &str, platform: &str, class: &str) -> f64 {
    let group = drawn.split("<g ").find(|group| group.contains(&format!("<title>{platform}:"))).unwrap();
    let mark = group.split(&format!("class=\"{class}\"")).nth(1).unwrap();
    mark.split("cy=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
}

#[test]
fn earlier_answers_stand_further_down() {
    let drawn = decision(&costs(), Setting::InPage);
    let worst = |platform| height(&drawn, platform, "filled");
    assert!(worst("none") < worst("full") && worst("full") < worst("rt"));
    assert!(worst("rt") < height(&drawn, "rt", "open"), "a quantile is not above the worst");
}

#[test]
fn names_cover_no_mark_and_no_other_name() {
    let mut crowded = costs();
    crowded.platforms.iter_mut().for_each(|platform| {
        platform.penalty = crowded_penalty();
        platform.latency = common::costs::costs().platforms[0].latency;
    });
    let drawn = decision(&crowded, Setting::Alone);
    let names = drawn.split("class=\"key").next().unwrap().matches(">none<").count();
    assert_eq!(names, 1, "the first finds room");
    assert!(drawn.matches(">rt<").count() >= 1, "the legend has them all");
}

fn crowded_penalty() -> Option<prazo_report::cost::Range> {
    Some(prazo_report::cost::Range::point(1.0))
}

#[test]
fn without_a_latency_there_is_no_picture_and_the_table_stays() {
    let mut alone = costs();
    alone.platforms.iter_mut().for_each(|platform| platform.latency = None);
    assert_eq!(decision(&alone, Setting::Alone), "");
    let evidence = ReportContent { costs: vec![alone], ..ReportContent::default() };
    let page = html::render(&evidence);
    assert!(!page.contains("id=\"cost-fifo-decision\"") && page.contains("id=\"cost-fifo-scatter\""));
    assert!(page.contains("Penalty of each platform"));
}

#[test]
fn a_platform_without_a_penalty_is_named_and_not_drawn() {
    let mut costs = costs();
    costs.platforms[3].penalty = None;
    let page = html::render(&ReportContent { costs: vec![costs.clone()], ..ReportContent::default() });
    assert_eq!(decision(&costs, Setting::Alone).matches("\"filled\"").count(), 4);
    assert!(page.contains("Not drawn, since the penalty or the latency is missing: full, threadirqs."));
}

#[test]
fn each_scatter_has_all_its_pairs_and_its_coefficients_or_why_there_are_none() {
    let drawn = scatters(&costs(), Setting::Alone);
    assert_eq!(drawn.matches("filled faint").count(), 3 * 16);
    assert!(drawn.contains("r 0.94 [0.81, 0.99], \u{3c1} 0.94 [0.81, 0.99], 16 pairs"), "{drawn}");
    assert!(drawn.contains("one of the quantities does not vary"));
    let empty = ProgramCosts { scatters: vec![], ..costs() };
    assert_eq!(scatters(&empty, Setting::Alone), "");
}

#[test]
fn every_sink_has_the_penalties_the_latencies_and_the_coefficients() {
    let evidence = ReportContent { costs: vec![costs()], ..ReportContent::default() };
    let sinks = [html::render(&evidence), markdown::render(&evidence), text(&evidence)];
    for sink in sinks {
        for figure in ["1.350", "1.340", "1.356", "205 µs", "0.94", "p99.99", "make is missing", "Cost for programs"] {
            assert!(sink.contains(figure), "{figure}: {sink}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&json::render(&evidence)).unwrap();
    let cost = &json["costs"][0];
    assert_eq!(cost["platforms"][4]["penalty"]["value"], 1.35);
    assert_eq!(cost["workloads"][0]["on"][4]["involuntary_switches"], serde_json::Value::Null);
    assert_eq!(cost["scatters"][2]["pearson"], serde_json::Value::Null);
}

#[test]
fn a_screenful_has_the_penalties_and_what_was_not_costed() {
    let evidence = ReportContent { costs: vec![costs()], ..ReportContent::default() };
    let brief = terminal::render(&evidence, &terminal::Style::default());
    assert!(brief.contains("workloads beside fifo: penalty and slowdown") && brief.contains("1.350 2.000"), "{brief}");
    assert!(brief.contains("cost missing: compile on rt"), "{brief}");
}

/// A run without a sample, planned for the ordinary policy.
fn unsampled(workloads: Vec<WorkloadRecord>) -> ReportContent {
    let planned = common::machine(Outcome::Pass).runs.remove(0).run.plan.expect("it was planned");
    let mut evidence = common::empty();
    let run = &mut evidence.runs[0].run;
    run.plan = Some(Plan { policy: Policy::Other, threads: vec![], ..planned });
    (run.ending, run.workloads) = (Ending::Complete, workloads);
    evidence
}

#[test]
fn a_run_of_workloads_alone_is_not_judged_as_one_that_woke_nobody() {
    let archive = WorkloadRecord { name: "archive".into(), size: 3, unit: "files".into(), figures: vec![] };
    let words = ["not real-time", "No activation"];
    let said = |evidence: &ReportContent| words.map(|word| text(evidence).contains(word));
    assert_eq!(said(&unsampled(vec![])), [true, true]);
    assert_eq!(said(&unsampled(vec![archive])), [false, false]);
}

#[test]
fn what_nobody_looked_for_has_no_column() {
    let mut costs = costs();
    let has_column = |costs: &ProgramCosts| {
        html::render(&ReportContent { costs: vec![costs.clone()], ..ReportContent::default() }).contains("Whole system")
    };
    assert!(has_column(&costs));
    costs.platforms.iter_mut().for_each(|platform| platform.busy_penalty = None);
    assert!(!has_column(&costs));
}

#[test]
fn a_hostile_name_stays_text_in_both_pictures() {
    let mut costs = costs();
    costs.platforms[0].platform = common::HOSTILE.into();
    costs.scatters[0].points[0].workload = common::HOSTILE.into();
    for drawn in [decision(&costs, Setting::Alone), scatters(&costs, Setting::Alone)] {
        assert!(!drawn.contains("<img") && !drawn.contains("</script"), "{drawn}");
    }
}
