//! What the loops' own counts mean for the figures: pure.

use prazo_core::text::counted;
use prazo_core::time::Duration;
use prazo_run::noise::{Observed, ObservedCpu};
use prazo_run::{Caveat, Severity};

/// A threshold below this many readings of the clock finds the readings themselves.
const READS_MIN: u64 = 4;

/// The caveats of a run.
pub(super) fn of(observed: &Observed, threshold: Duration) -> Vec<Caveat> {
    let all = [threshold_too_short(observed, threshold), windows_missed(observed), smis(observed)];
    all.into_iter().flatten().collect()
}

fn each(observed: &Observed, tell: impl Fn(&ObservedCpu) -> Option<String>) -> Option<String> {
    let one = |cpu: &ObservedCpu| Some(format!("processor {}: {}", cpu.cpu, tell(cpu)?));
    let details: Vec<String> = observed.cpus.iter().filter_map(one).collect();
    (!details.is_empty()).then(|| details.join(", "))
}

/// `threshold-too-short`.
fn threshold_too_short(observed: &Observed, threshold: Duration) -> Option<Caveat> {
    let details = each(observed, |cpu| {
        match cpu.read_ns {
            Some(read_ns) => (read_ns * READS_MIN > threshold.as_ns()).then(|| format!("{read_ns} ns")),
            // Each reading was a gap.
            None => (!cpu.observed.is_zero()).then(|| format!("more than {threshold}")),
        }
    })?;
    Some(Caveat::new(
        "threshold-too-short",
        Severity::High,
        format!(
            "a reading of the clock takes too long for a threshold of {threshold} ({details}); slow readings \
             can themselves count as gaps"
        ),
        "give a longer --threshold, or use a faster clock source (tsc)",
    ))
}

/// `windows-missed`.
fn windows_missed(observed: &Observed) -> Option<Caveat> {
    let details = each(observed, |cpu| {
        let all = cpu.windows + cpu.windows_missed;
        (cpu.windows_missed > 0).then(|| format!("{} of {}", cpu.windows_missed, counted(all, "window")))
    })?;
    Some(Caveat::new(
        "windows-missed",
        Severity::Medium,
        format!(
            "the measuring loop did not run in some windows ({details}); these windows count neither as gaps nor as \
             observed time"
        ),
        "raise --priority, or give a longer --runtime",
    ))
}

/// `smis`.
fn smis(observed: &Observed) -> Option<Caveat> {
    let details = each(observed, |cpu| cpu.smis.filter(|smis| *smis > 0).map(|smis| smis.to_string()))?;
    Some(Caveat::new(
        "smis",
        Severity::Medium,
        format!(
            "system-management interrupts occurred during the run ({details}); the firmware used the processor during \
             these interrupts"
        ),
        "disable the causes of system-management interrupts in the BIOS (USB legacy support, thermal and error \
         polling), or ask the manufacturer",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_happened_is_a_caveat() {
        let cpu = ObservedCpu { cpu: 2, read_ns: Some(50), ..ObservedCpu::default() };
        let ids = |cpu: ObservedCpu, threshold_ns: u64| {
            let observed = Observed { cpus: vec![cpu], smis_unknown: None };
            of(&observed, Duration::from_ns(threshold_ns)).into_iter().map(|caveat| caveat.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(cpu, 200), [""; 0]);
        assert_eq!(ids(cpu, 199), ["threshold-too-short"]);
        assert_eq!(ids(ObservedCpu { smis: Some(0), windows: 3, ..cpu }, 200), [""; 0]);
        let nothing_but_gaps = ObservedCpu { read_ns: None, observed: Duration::from_ms(1), ..cpu };
        assert_eq!(ids(nothing_but_gaps, 200), ["threshold-too-short"]);
        assert_eq!(ids(ObservedCpu { observed: Duration::ZERO, ..nothing_but_gaps }, 200), [""; 0]);
        let worse = ObservedCpu { smis: Some(4), windows: 3, windows_missed: 1, ..cpu };
        assert_eq!(ids(worse, 200), ["windows-missed", "smis"]);
    }
}
