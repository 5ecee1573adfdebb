//! Several guests at once: Regnier 2008's second set-up comes back as one run, and the guests end together.
//!
//! They take the fetched kernels and the built agent (`./test` has both); without, they say so and show nothing.

#[path = "../../../measuring/lab/tests/support/mod.rs"]
#[allow(dead_code)] // Not every helper is needed here.
mod support;

use prazo_core::time::Duration;
use prazo_lab::{Cache, Fetch, Lab, Part, Platform};
use prazo_run::Plan;
use prazo_run::run::Quantity;
use prazo_study::guest::{GuestError, GuestRequest};
use prazo_study::pair::{self, PairRequest};
use prazo_study::{CellSource, Here, RemoteTarget, Study, matrix};
use prazo_testing::{Need, OrSkipped, Skipped, or_skip};
use std::path::Path;

/// Everything that guests take; a skip where something is missing and cannot be fetched.
fn lab() -> Result<Lab, Skipped> {
    support::emulator()?;
    let fetch = || Fetch::new(Cache::of_user()?).part(Part::Kernels, &mut |_| {});
    fetch().and_then(|()| Lab::find()).or_skipped(Need::Lab)
}

const STUDY: &str = r#"
[study]
name = "outside"
title = "From outside"
question = "How late, seen from another station?"

[[platform]]
id = "std"
on = "lab:standard-full-6.12"
station = "lab:standard-full-6.12"

[[load]]
id = "idle"

[[load]]
id = "flood"
generators = [{ name = "udp-flood", rate = 200 }]
lead_in = "0s"

[[probe]]
id = "event"
policy = "fifo"
priority = 80
period = "200ms"
length = "20s"
warm_up = "0s"
"#;

/// The platform and the plan of a cell of the study.
fn cell(id: &str) -> (Platform, Plan) {
    let study = Study::parse("test", STUDY).unwrap();
    let here = Here { platform: None, cpus: "0".parse().unwrap(), housekeeping_cpu: None, deadline: None };
    let cells = matrix::cells(&study, &here);
    let found = cells.into_iter().find(|cell| cell.id == id).unwrap();
    let CellSource::Measure { on: Some(RemoteTarget::Guest(on)), station: Some(station), plans, .. } = found.source
    else {
        panic!("{found:?}")
    };
    assert_eq!(on, *station);
    (on, plans[0].clone())
}

fn request<'a>(on: Platform, plan: Plan, file: &'a Path, limit: Option<Duration>) -> PairRequest<'a> {
    let station = Platform::find("standard-full-6.12").unwrap();
    let guest = GuestRequest { platform: on, plan, file, name: "pair".into(), command: "a test".into(), limit };
    PairRequest { guest, station }
}

/// A busy host may make some triggers overrun. In each period, the host emulates the work of three processors.
/// With a period of 50 ms and other guests running, 68 of 100 triggers were skipped once.
#[test]
fn three_guests_measure_from_outside_what_a_flooded_one_answers() {
    let lab = or_skip!(lab());
    let ((on, plan), folder) = (cell("std.flood.event"), tempfile::tempdir().unwrap());
    let file = folder.path().join("pair.prazo");
    let run = pair::measure(&request(on, plan, &file, None), &lab, &|| false).unwrap();
    for quantity in [Quantity::InterruptLatency, Quantity::ActivationLatency, Quantity::ResponseLatency] {
        let series = run.of(quantity).next().unwrap_or_else(|| panic!("{quantity:?} {:?}", run.caveats));
        let activations = &series.activations;
        assert_eq!(activations.due, Some(100), "{quantity:?}");
        assert!(activations.served >= 50, "{quantity:?} {activations:?}");
        assert_eq!(activations.served + activations.skipped.unwrap(), 100, "{quantity:?}");
    }
    assert!(run.has_caveat("emulated-time") && run.has_caveat("includes-delta"), "{:?}", run.caveats);
    let platform = run.platform_before.as_ref().unwrap();
    assert_eq!(platform.get("lab.station.platform"), Some("standard-full-6.12"));
    assert!(run.loads[0].reached.is_some_and(|packets| packets > 20.0), "{:?}", run.loads);
}

/// What became of guests that cannot measure together; nothing is left of them.
fn failure(request: &PairRequest<'_>, lab: &Lab, stop: bool) -> GuestError {
    let error = pair::measure(request, lab, &|| stop).unwrap_err();
    assert!(!request.guest.file.exists());
    error
}

#[test]
fn when_one_guest_dies_the_others_are_ended_and_the_death_is_told() {
    let lab = or_skip!(lab());
    let ((mut on, plan), folder) = (cell("std.idle.event"), tempfile::tempdir().unwrap());
    on.words.push("rdinit=/nowhere".into());
    let begun = std::time::Instant::now();
    let error = failure(&request(on, plan, &folder.path().join("none.prazo"), None), &lab, false);
    assert!(error.to_string().contains("panic"), "{error}");
    // Left alone the station would have offered its triggers for five minutes.
    assert!(begun.elapsed() < std::time::Duration::from_secs(290), "{:?}", begun.elapsed());
}

#[test]
fn a_wish_to_stop_ends_all_of_them() {
    let lab = or_skip!(lab());
    let ((on, plan), folder) = (cell("std.flood.event"), tempfile::tempdir().unwrap());
    assert!(failure(&request(on, plan, &folder.path().join("none.prazo"), None), &lab, true).is_interrupted());
}

#[test]
fn a_flood_that_no_other_guest_gives_is_refused_by_name() {
    let lab = or_skip!(lab());
    let ((on, mut plan), folder) = (cell("std.flood.event"), tempfile::tempdir().unwrap());
    plan.loads[0].name = "icmp-flood".into();
    let error = failure(&request(on, plan, &folder.path().join("none.prazo"), None), &lab, false);
    assert!(error.is_usage() && error.to_string().contains("icmp-flood"), "{error}");
}
