//! What the waking threads mean for the figures: pure, from what they report.

use super::waker::WakerReport;
use prazo_core::text::{counted, grouped};
use prazo_run::{Caveat, Severity};

/// The caveats of a run.
pub(super) fn of(reports: &[WakerReport]) -> Vec<Caveat> {
    [waker_changed(reports), wakes_skipped(reports), moves_skipped(reports)].into_iter().flatten().collect()
}

/// `waker-changed`.
fn waker_changed(reports: &[WakerReport]) -> Option<Caveat> {
    let of_one =
        |report: &WakerReport| Some(format!("processor {}: {}", report.woken_cpu, report.changed_to.as_ref()?));
    let changed: Vec<String> = reports.iter().filter_map(of_one).collect();
    (!changed.is_empty()).then(|| {
        Caveat::new(
            "waker-changed",
            Severity::High,
            format!(
                "another program changed the policy or the affinity of the waking thread during the run ({}); after \
                 the change, the waking thread did not run with the planned policy and affinity",
                changed.join(", ")
            ),
            "stop the program that changes the waking thread (a service that manages priorities or affinities) and \
             measure again",
        )
    })
}

/// `wakes-skipped`.
fn wakes_skipped(reports: &[WakerReport]) -> Option<Caveat> {
    let sum = |of: fn(&WakerReport) -> u64| reports.iter().map(of).sum::<u64>();
    let (not_back, slept_through) = (sum(|report| report.not_back), sum(|report| report.slept_through));
    (not_back + slept_through > 0).then(|| {
        Caveat::new(
            "wakes-skipped",
            Severity::Info,
            format!(
                "{} did not take place (warm-up included): {} because the woken thread had not finished its previous \
                 activation, {} because the waking thread was late",
                counted(not_back + slept_through, "wake"),
                grouped(not_back),
                grouped(slept_through)
            ),
            "give a longer --period, or check which threads run at or above the priority of the waking thread",
        )
    })
}

/// `moves-skipped`.
fn moves_skipped(reports: &[WakerReport]) -> Option<Caveat> {
    let not_moved = reports.iter().map(|report| report.not_moved).sum::<u64>();
    (not_moved > 0).then(|| {
        Caveat::new(
            "moves-skipped",
            Severity::Info,
            format!(
                "in {}, the woken thread was not seen to move to the other processor (warm-up included); these activations count as skipped",
                counted(not_moved, "activation")
            ),
            "check which threads on the other processor run at or above the priority of the measured thread, and whether another program changes affinities; with --method push, also check whether isolcpus= or an isolated cpuset partition separates the two processors",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_happened_is_a_caveat_and_each_kind_is_counted() {
        assert_eq!(of(&[WakerReport::default()]), []);
        let skipping = WakerReport { not_back: 2, slept_through: 3, not_moved: 4, ..WakerReport::default() };
        let changed = WakerReport { woken_cpu: 1, changed_to: Some("other".into()), ..skipping.clone() };
        let caveats = of(&[skipping, changed]);
        assert_eq!(
            caveats.iter().map(|caveat| caveat.id.as_str()).collect::<Vec<_>>(),
            ["waker-changed", "wakes-skipped", "moves-skipped"]
        );
        assert!(caveats[0].what.contains("processor 1: other"), "{}", caveats[0].what);
        assert!(
            caveats[1].what.starts_with("10 wakes") && caveats[1].what.contains(": 4 because"),
            "{}",
            caveats[1].what
        );
        assert!(
            caveats[2].what.starts_with("in 8 activations, the woken thread was not seen to move"),
            "{}",
            caveats[2].what
        );
    }
}
