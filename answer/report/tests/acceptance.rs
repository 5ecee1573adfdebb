//! The page of an experiment: complete in itself, escaped, with every share's count and interval.

#[path = "common/acceptance.rs"]
mod common;

use common::figure;
use prazo_report::acceptance::{self, CostPanel, Figure, Panel};
use prazo_report::svg::{self, Setting};

#[test]
fn the_page_holds_claims_curves_overheads_and_how_to_repeat_it() {
    let page = acceptance::render(&figure());
    for part in [
        "1 of 2 claims held",
        "The experiment is not complete",
        "Panel light-ours",
        "9.4 µs to 29.56 µs for 5 to 125 tasks",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for part in ["Vitor 2013 section IV-B", "GFB 40,000; BAR 1,234", "prazo sched experiment epos-2013", "2013"] {
        assert!(page.contains(part), "{part}");
    }
    let holds_picture = |chart: &&str| chart.split_once('>').is_some_and(|(_, inside)| inside.starts_with("<svg"));
    assert_eq!(page.split("<div class=\"chart\"").skip(1).filter(holds_picture).count(), 3);
}

#[test]
fn hostile_names_end_no_element() {
    let page = acceptance::render(&figure());
    assert!(!page.contains("<script>alert(1)"));
    assert!(page.contains("Three schedulers &lt;script&gt;"));
    let mut panel = figure().panels.swap_remove(0);
    panel.title = "</title><script>".into();
    panel.curves[0].label = "<b>".into();
    let picture = svg::acceptance(&panel, Setting::Alone);
    assert!(!picture.contains("<script>") && !picture.contains("<b>"), "{picture}");
}

#[test]
fn a_picture_has_a_line_a_band_and_a_key_for_each_curve() {
    let picture = svg::acceptance(&figure().panels[0], Setting::Alone);
    assert_eq!(["class=\"line", "class=\"band", "class=\"key"].map(|part| picture.matches(part).count()), [9, 9, 9]);
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
}

#[test]
fn an_overheads_picture_has_a_line_each_and_dots_where_it_was_measured() {
    let panel = &figure().costs[0];
    let picture = svg::costs(panel, Setting::Alone);
    assert_eq!(["class=\"line", "class=\"key", "h0"].map(|part| picture.matches(part).count()), [3, 2, 7], "{picture}");
    assert!(!picture.contains("<script>") && !picture.contains("NaN") && !picture.contains("inf"));
    assert!(picture.contains(">125</text>") && picture.contains(">10 µs</text>"), "{picture}");
    let page = acceptance::render(&figure());
    assert!(
        page.contains("figure-5")
            && page.contains("90,000")
            && page.contains("0.279 µs")
            && page.contains("boot 7 &lt;b&gt;")
    );
    assert!(!svg::costs(&CostPanel::default(), Setting::InPage).contains("NaN"));
}

#[test]
fn colours_are_schedulers_and_dashes_platforms() {
    let panel = &figure().panels[0];
    let lines: Vec<usize> = panel.curves.iter().map(|curve| curve.line()).collect();
    assert_eq!(lines, [0, 6, 12, 1, 7, 13, 2, 8, 14]);
}

#[test]
fn nothing_at_all_is_still_a_page() {
    let page = acceptance::render(&Figure::default());
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    let picture = svg::acceptance(&Panel::default(), Setting::InPage);
    assert!(picture.starts_with("<svg") && !picture.contains("NaN"), "{picture}");
}
