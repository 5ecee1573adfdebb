//! What the charts promise: nothing that stands out vanishes when a run is thinned.

mod common;

use prazo_report::chart::Charts;
use prazo_report::svg::{self, Heights, Setting};
use prazo_testing::data;
use prazo_verdict::Outcome;

#[test]
fn a_thinned_timeline_keeps_its_maximum_and_its_misses() {
    let evidence = common::long();
    let charts = Charts::of(&evidence).unwrap();
    let panel = &charts.timelines.panels[0];
    let seconds = || evidence.runs[0].run.series.iter().flat_map(|series| &series.timeline);
    assert!(panel.at_s.len() <= 2_000, "{} points", panel.at_s.len());
    assert_eq!(panel.max_ns.iter().max().copied().flatten(), seconds().filter_map(|second| second.max_ns).max());
    assert_eq!(panel.min_ns.iter().flatten().min().copied(), seconds().filter_map(|second| second.min_ns).min());
    assert_eq!(panel.missed.iter().sum::<u64>(), seconds().map(|second| second.missed).sum::<u64>());
    assert!(panel.loads.iter().all(|load| load.on_s.len() < 2_000 && load.gaps_closed));
}

#[test]
fn panels_share_one_vertical_scale_that_shows_all_means() {
    let charts = Charts::of(&common::machine(Outcome::Pass)).unwrap();
    let timelines = &charts.timelines;
    assert_eq!(timelines.panels.len(), 4);
    let means = timelines.panels.iter().flat_map(|panel| panel.mean_ns.iter().flatten());
    assert!(means.into_iter().all(|ns| timelines.low_ns < *ns && *ns < timelines.high_ns));
}

#[test]
fn negative_latencies_are_drawn_not_dropped() {
    let charts = Charts::of(&common::negative()).unwrap();
    assert!(charts.axis.low_ns < 0);
    let line = &charts.histograms.lines[0];
    assert_eq!(line.counts.iter().sum::<u64>(), 200_000);
    let below_zero = charts.histograms.edges_ns.iter().zip(&line.counts).filter(|(edge, _)| **edge < 0);
    assert!(below_zero.map(|(_, count)| count).sum::<u64>() > 1_000);
}

#[test]
fn a_deadline_far_beyond_all_samples_does_not_squeeze_them() {
    let mut evidence = common::machine(Outcome::Pass);
    evidence.verdict.as_mut().unwrap().requirement.deadline = prazo_core::time::Duration::from_s(3_600);
    let charts = Charts::of(&evidence).unwrap();
    assert!(charts.axis.high_ns < 1_000_000_000, "{:?}", charts.axis);
}

#[test]
fn the_per_due_curve_holds_what_was_skipped() {
    let evidence = common::machine(Outcome::Pass);
    let charts = Charts::of(&evidence).unwrap();
    for (line, run) in charts.exceedances.lines.iter().zip(&evidence.runs) {
        let skipped: u64 = run.run.series.iter().filter_map(|series| series.activations.skipped).sum();
        let due = line.due.as_ref().map_or(line.served.total, |due| due.total);
        assert_eq!(due, line.served.total + skipped, "{}", line.label);
    }
}

#[test]
fn skipped_activations_that_cannot_be_placed_are_said() {
    let mut evidence = common::machine(Outcome::Pass);
    evidence.runs[0].run.series[0].activations.skipped = Some(7);
    let charts = Charts::of(&evidence).unwrap();
    let line = &charts.exceedances.lines[0];
    let note = line.due_note.as_deref().unwrap();
    assert!(note.starts_with("fifo-idle: 7 skipped") && note.contains("unknown lateness"), "{note}");
    assert_eq!(line.due.as_ref().unwrap().total, line.served.total + 7);
}

#[test]
fn skipped_activations_do_not_stretch_the_axis_of_the_answer() {
    let mut evidence = common::machine(Outcome::Pass);
    let run = evidence.runs.iter_mut().find(|run| run.run.name == "fifo-load").unwrap();
    let period_ns = i64::try_from(run.run.plan.as_ref().unwrap().threads[0].period.as_ns()).unwrap();
    let series = &mut run.run.series[0];
    series.histogram.add(2 * period_ns + 1, 1);
    series.activations.skipped = Some(2);
    let answer = Charts::of_answer(&evidence).unwrap();
    assert!(answer.axis.low_ns >= 1_000, "{:?}", answer.axis);
}

#[test]
fn a_run_keeps_its_colour_in_all_charts_and_among_all_runs() {
    let mut evidence = common::machine(Outcome::Pass);
    evidence.runs[1].run.series.iter_mut().for_each(|series| series.histogram = Default::default());
    let charts = Charts::of(&evidence).unwrap();
    let colours: Vec<usize> = charts.histograms.lines.iter().map(|line| line.colour).collect();
    assert_eq!(colours, [0, 2, 3], "a run without samples takes its colour with it");
    assert_eq!(charts.exceedances.lines.iter().map(|line| line.colour).collect::<Vec<_>>(), colours);
    assert_eq!(charts.timelines.panels.iter().map(|panel| panel.colour).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn pictures_stand_alone_and_are_well_formed() {
    for name in ["pass", "hostile", "negative"] {
        let charts = Charts::of(&common::case(name, &[]).unwrap()).unwrap();
        let histograms =
            [Heights::Counts, Heights::Shares].map(|heights| svg::histogram(&charts, heights, Setting::Alone));
        let others = [svg::exceedance, svg::timeline].map(|draw| draw(&charts, Setting::Alone));
        let pictures = histograms.into_iter().chain(others);
        for picture in pictures.filter(|picture| !picture.is_empty()) {
            assert!(picture.starts_with("<svg xmlns=") && picture.ends_with("</svg>"));
            assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count(), "{name}");
            assert!(!picture.contains("<img") && !picture.contains("NaN") && !picture.contains("inf"), "{name}");
        }
    }
}

#[test]
fn the_static_timeline_shows_the_largest_latency_of_a_long_run_and_stays_small() {
    let charts = Charts::of(&common::long()).unwrap();
    let picture = svg::timeline(&charts, Setting::Alone);
    assert!(picture.len() < 60_000, "{} bytes", picture.len());
    let lines = picture.split("<path class=\"line\" d=\"").nth(1).unwrap().split('"').next().unwrap();
    let heights = lines.split(['M', 'L']).filter_map(|point| point.split(' ').nth(1)?.parse::<f64>().ok());
    let highest = heights.fold(f64::MAX, f64::min);
    let panel = &charts.timelines.panels[0];
    let max_ns = panel.max_ns.iter().flatten().max().copied().unwrap().min(charts.timelines.high_ns) as f64;
    let (low, high) = (charts.timelines.low_ns as f64, charts.timelines.high_ns as f64);
    let expected = 22.0 + 92.0 * (1.0 - (max_ns / low).log10() / (high / low).log10());
    assert!((highest - expected).abs() < 0.1, "{highest} is not {expected}");
}

#[test]
fn real_histograms_keep_every_sample_and_their_overflow() {
    let file = data::path("blaess-2014/results-3.8.13+-fifo-clocknanosleep.txt");
    let charts = Charts::of(&common::import(&[file])).unwrap();
    let line = &charts.histograms.lines[0];
    assert_eq!((line.total, line.beyond), (7_200_000, 68), "the file's total 7,199,932 leaves its 68 overflows out");
    assert_eq!(line.counts.iter().sum::<u64>() + line.beyond, line.total);
    assert_eq!(line.max_ns, Some(25_816_000));
    let curve = &charts.exceedances.lines[0].served;
    assert_eq!((curve.beyond, curve.reaching[0]), (68, 7_200_000));
}

#[test]
fn names_beside_the_axis_of_a_timeline_do_not_touch() {
    let mut charts = Charts::of(&common::machine(Outcome::Pass)).unwrap();
    (charts.timelines.low_ns, charts.timelines.high_ns) = (800, 900_000_000);
    for (setting, named) in [(Setting::InPage, 3), (Setting::Alone, 3)] {
        let picture = svg::timeline(&charts, setting);
        let panel = picture.split("panel-name").next().unwrap();
        let before = panel.split("<text x=\"58\" y=\"").skip(1);
        let heights: Vec<f64> = before.map(|text| text.split('"').next().unwrap().parse().unwrap()).collect();
        assert!(heights.len() >= named - 1, "{heights:?}");
        assert!(heights.windows(2).all(|pair| pair[0] - pair[1] >= 16.0), "{heights:?}");
    }
}

#[test]
fn a_deadline_has_a_place_on_the_lines_where_the_name_of_the_panel_leaves_none() {
    let charts = Charts::of(&common::machine(Outcome::Pass)).unwrap();
    let picture = svg::timeline(&charts, Setting::InPage);
    let texts: Vec<&str> = picture.split("data-inside=\"").skip(1).collect();
    assert_eq!(texts.len(), charts.timelines.panels.len());
    for text in texts {
        let inside: f64 = text.split('"').next().unwrap().parse().unwrap();
        assert!((22.0 + 13.0..=22.0 + 54.0).contains(&inside), "{inside} is not in the panel, below its name");
    }
}

#[test]
fn curves_of_due_activations_count_what_was_due() {
    let mut evidence = common::machine(Outcome::Fail);
    evidence.runs.iter_mut().for_each(|run| run.is_control = false);
    let charts = Charts::of_answer(&evidence).unwrap();
    let line = charts.exceedances.lines.iter().find(|line| line.is_due).expect("a run skipped some");
    let picture = svg::exceedance(&charts, Setting::InPage);
    let due = format!("data-note=\"{} due\"", prazo_core::text::grouped(line.served.total));
    assert!(picture.contains(&due), "{due}");
}
