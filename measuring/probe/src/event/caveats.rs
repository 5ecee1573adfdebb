//! What the way from the station to the task means for the figures: pure, from the counts.

use super::endpoint::Endpoint;
use super::event_counts::{EventCounts, StationEnd};
use super::hardware::Quality;
use prazo_core::text::{counted, grouped};
use prazo_core::time::Duration;
use prazo_run::{Caveat, Severity};

/// The caveats of one measured series.
pub fn caveats(endpoint: &Endpoint) -> Vec<Caveat> {
    let Some(outcome) = endpoint.outcome() else { return Vec::new() };
    let staged = endpoint.is_staged().then(same_machine);
    let of_stamp = match outcome.card {
        Some(quality) => [Some(hardware_stamps(quality)), card_clock_set(quality)],
        None => [Some(software_stamps(outcome, endpoint.software_because.as_deref())), wall_clock_stepped(outcome)],
    };
    let of_outcome = [triggers_lost, station_silent, triggers_not_measured, foreign_frames, triggers_late];
    of_outcome.iter().filter_map(|check| check(outcome)).chain(of_stamp.into_iter().flatten()).chain(staged).collect()
}

/// `software-stamps`.
fn software_stamps(outcome: &EventCounts, because: Option<&str>) -> Caveat {
    let by_card = || format!("the card stamped {}", counted(outcome.hardware_stamps, "trigger"));
    let because = because.map_or_else(by_card, str::to_owned);
    Caveat::new(
        "software-stamps",
        Severity::Medium,
        format!(
            "t1 is the kernel's stamp from the softirq that received the frame ({because}); most of the interrupt \
             latency lies before this stamp, so the run measures receive-to-task and not the response latency"
        ),
        "trigger from another machine (--station remote) over an --interface whose card stamps every frame, or measure the interrupt latency with `prazo measure interrupt`",
    )
}

/// `hardware-stamps`.
fn hardware_stamps(quality: Quality) -> Caveat {
    let Quality { readings, failed, error_ns_max, uncertainty_ns_max, .. } = quality;
    Caveat::new(
        "hardware-stamps",
        Severity::Info,
        format!(
            "t1 is a stamp of the card's own clock, which was compared with CLOCK_MONOTONIC {} ({failed} \
             more attempts failed; largest uncertainty {uncertainty_ns_max} ns); according to the later comparisons, the error of a latency is \
             at most {error_ns_max} ns",
            counted(readings, "time")
        ),
        "treat two latencies as equal if their difference is not larger than the error of the card's stamps",
    )
}

/// `card-clock-set`.
fn card_clock_set(quality: Quality) -> Option<Caveat> {
    let Quality { steps, error_ns_max, .. } = quality;
    (steps > 0).then(|| {
        Caveat::new(
            "card-clock-set",
            Severity::High,
            format!(
                "the card's clock, which stamps t1, was stepped {} during the run, or its rate changed more than the \
                 rate of an oscillator can; latencies measured up to 0.25 s before each step are wrong by up to \
                 {error_ns_max} ns",
                counted(steps, "time")
            ),
            "stop the program that steps the card's clock (slewing, as by ptp4l, does no harm) and measure again",
        )
    })
}

/// `station-on-this-machine`.
fn same_machine() -> Caveat {
    Caveat::new(
        "station-on-this-machine",
        Severity::Medium,
        "the triggering station is a process on this machine: its frames raise no device interrupt, and it uses \
         processor time of this machine",
        "trigger from another machine: run `prazo trigger` there and measure with --station remote here",
    )
}

/// `station-silent`.
fn station_silent(outcome: &EventCounts) -> Option<Caveat> {
    let for_ns = match outcome.ending {
        Some(StationEnd::Silent { for_ns }) => for_ns,
        _ => return None,
    };
    Some(Caveat::new(
        "station-silent",
        Severity::High,
        format!(
            "the triggering station stopped {} before the end of the run without reporting how many triggers it had \
             sent; triggers lost at the end are not counted",
            Duration::from_ns(for_ns)
        ),
        "check the station, its interface and the cable, and measure again",
    ))
}

/// `wall-clock-stepped`.
fn wall_clock_stepped(outcome: &EventCounts) -> Option<Caveat> {
    outcome.wall_after.has_moved_since(&outcome.wall_before).then(|| {
        Caveat::new(
            "wall-clock-stepped",
            Severity::High,
            format!(
                "CLOCK_REALTIME, which stamps frames, was stepped by {} ns during the run; latencies after the step \
                 are wrong by that amount",
                outcome.wall_after.moved_since(&outcome.wall_before)
            ),
            "stop the program that steps the clock (slewing does no harm) and measure again",
        )
    })
}

/// `triggers-lost`.
fn triggers_lost(outcome: &EventCounts) -> Option<Caveat> {
    let lost = outcome.missing.saturating_sub(outcome.overtaken);
    (lost > 0).then(|| {
        Caveat::new(
            "triggers-lost",
            Severity::Medium,
            format!(
                "{} never reached the task; lost triggers count as skipped, with an unknown latency",
                counted(lost, "trigger")
            ),
            "look for dropped packets in `ip -s link`; give a longer --period, or use a dedicated cable",
        )
    })
}

/// `triggers-not-measured`.
fn triggers_not_measured(outcome: &EventCounts) -> Option<Caveat> {
    let EventCounts { duplicates, overtaken, unstamped, .. } = *outcome;
    (duplicates + overtaken + unstamped > 0).then(|| {
        let [overtaken, unstamped] = [overtaken, unstamped].map(grouped);
        Caveat::new(
            "triggers-not-measured",
            Severity::Medium,
            format!(
                "{} arrived twice, and the second copy was ignored; {overtaken} arrived after a newer trigger, and {unstamped} \
                 without a time stamp: these were not measured and count as skipped",
                counted(duplicates, "trigger")
            ),
            "connect the two stations with one cable, without a switch or a bond",
        )
    })
}

/// `foreign-frames`.
fn foreign_frames(outcome: &EventCounts) -> Option<Caveat> {
    (outcome.foreign > 0).then(|| {
        Caveat::new(
            "foreign-frames",
            Severity::Info,
            format!("{} without a trigger also woke the task", counted(outcome.foreign, "frame")),
            "stop other stations on this cable, or use a dedicated interface for the two stations",
        )
    })
}

/// `triggers-late`.
fn triggers_late(outcome: &EventCounts) -> Option<Caveat> {
    let end = match outcome.ending {
        Some(StationEnd::Said(end)) if end.late > 0 => end,
        _ => return None,
    };
    Some(Caveat::new(
        "triggers-late",
        Severity::Info,
        format!(
            "the triggering station sent {} of {} a period or more late (at most {} late); these triggers arrived in bursts, and the latencies do not contain the station's delay",
            end.late,
            counted(end.sent, "trigger"),
            Duration::from_ns(end.latest_ns)
        ),
        "give the triggering station a dedicated processor and a real-time policy, or a longer period",
    ))
}
