//! What the way from the station to the task means for the figures: pure, from the counts.

use super::endpoint::Endpoint;
use super::event_counts::{EventCounts, StationEnd};
use super::hardware::Quality;
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
    let by_card = outcome.hardware_stamps;
    let because = because.map_or_else(|| format!("{by_card} triggers carried a card's stamp"), str::to_owned);
    Caveat::new(
        "software-stamps",
        Severity::Medium,
        format!(
            "t1 is the kernel's own stamp, taken in the softirq that received the frame: most of the interrupt latency came before \
                 it, so the figure is receive_to_task, not the response to the event ({because})"
        ),
        "give the task an --interface whose card stamps every frame (--stamp hardware), or measure the interrupt part with the \
         kernel module",
    )
}

/// `hardware-stamps`.
fn hardware_stamps(quality: Quality) -> Caveat {
    let Quality { readings, failed, error_ns_max, uncertainty_ns_max, .. } = quality;
    Caveat::new(
        "hardware-stamps",
        Severity::Info,
        format!(
            "t1 is the card's stamp, of its own clock, which was read against CLOCK_MONOTONIC {readings} times ({failed} more failed; the \
             widest reading is certain to {uncertainty_ns_max} ns): each latency is off by at most {error_ns_max} ns, by what the next \
             reading found"
        ),
        "compare latencies that differ by more than that only",
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
                "the card's clock, which t1 is of, was set {steps} times while measuring, or ran off like no oscillator: latencies of the \
                 quarter of a second before are wrong by up to {error_ns_max} ns"
            ),
            "stop whatever sets the clock (ptp4l may slew it), and measure again",
        )
    })
}

/// `station-on-this-machine`.
fn same_machine() -> Caveat {
    Caveat::new(
        "station-on-this-machine",
        Severity::Medium,
        "the triggering station is a process of this machine: its frames raise no interrupt of a device, and it takes time from the \
         processors that are measured",
        "let another machine trigger: prazo trigger there, --station remote here",
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
            "the triggering station fell silent {} before the run ended and never said how many triggers it had sent: those that were \
             lost at the end are not counted",
            Duration::from_ns(for_ns)
        ),
        "look whether the station, its interface or the cable failed, and measure again",
    ))
}

/// `wall-clock-stepped`.
fn wall_clock_stepped(outcome: &EventCounts) -> Option<Caveat> {
    outcome.wall_after.has_moved_since(&outcome.wall_before).then(|| {
        Caveat::new(
            "wall-clock-stepped",
            Severity::High,
            format!(
                "the wall clock, which software stamps are of, was stepped by {} ns while measuring: latencies behind the step are \
                 wrong by as much",
                outcome.wall_after.moved_since(&outcome.wall_before)
            ),
            "stop whatever sets the clock (it may slew it), and measure again",
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
                "{lost} triggers never came to the task: they are counted as skipped, and their latencies are not known"
            ),
            "give a longer --period, a cable of its own, or look for drops in `ip -s link`",
        )
    })
}

/// `triggers-not-measured`.
fn triggers_not_measured(outcome: &EventCounts) -> Option<Caveat> {
    let EventCounts { duplicates, overtaken, unstamped, .. } = *outcome;
    (duplicates + overtaken + unstamped > 0).then(|| {
        Caveat::new(
            "triggers-not-measured",
            Severity::Medium,
            format!(
                "{duplicates} triggers arrived twice, {overtaken} behind a newer one and {unstamped} without a stamp: none of these \
                 was measured, and the last two kinds are among the skipped"
            ),
            "connect the two stations by one cable, without a switch or a bond between them",
        )
    })
}

/// `foreign-frames`.
fn foreign_frames(outcome: &EventCounts) -> Option<Caveat> {
    (outcome.foreign > 0).then(|| {
        Caveat::new(
            "foreign-frames",
            Severity::Info,
            format!("{} frames of nobody's triggers woke the task as well", outcome.foreign),
            "end other stations on this wire, or give the two an interface of their own",
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
            "{} of {} triggers left a period or more after their instant (the latest by {}): they came in bunches, which the latencies \
             do not show",
            end.late,
            end.sent,
            Duration::from_ns(end.latest_ns)
        ),
        "give the station a processor of its own and a real-time policy, or a longer period",
    ))
}
