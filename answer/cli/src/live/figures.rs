//! The figures that line, screen and SIGUSR1 show, as texts.

use prazo_core::text::grouped;
use prazo_core::time::{Duration, Wait};
use prazo_probe::{Counted, CpuProgress, Progress};
use prazo_report::terminal::watched::us;

/// Time left of what is planned.
fn time_left(progress: &Progress) -> Duration {
    Duration::from_ns(progress.total.as_ns().saturating_sub(progress.elapsed.as_ns()))
}

/// `20 s left`, and of a study with further runs also `1 min 10 s left in all`.
pub(super) fn left(progress: &Progress) -> String {
    let run = time_left(progress);
    match progress.left_in_all.filter(|all| *all > run) {
        Some(all) => format!("{} left, {} left in all", Wait(run), Wait(all)),
        None => format!("{} left", Wait(run)),
    }
}

/// Share done, between 0 and 1.
pub(super) fn share_done(progress: &Progress) -> f64 {
    if progress.total.is_zero() {
        return 0.0;
    }
    (progress.elapsed.as_s_f64() / progress.total.as_s_f64()).clamp(0.0, 1.0)
}

/// One line for each processor, since the start; before there is anything to say of one, what the run is doing.
pub(super) fn summary(progress: &Progress) -> Vec<String> {
    let head = format!("{}, {}", progress.phase.name(), Wait(progress.elapsed));
    if progress.cpus.is_empty() {
        return vec![format!("{head}: nothing has been measured yet")];
    }
    progress.cpus.iter().map(|cpu| format!("{head}: {}", of_processor(cpu, progress.counted))).collect()
}

/// The heading over what is counted as served.
pub(super) fn served(counted: Counted) -> &'static str {
    match counted {
        Counted::Activations => "served",
        Counted::Gaps => "gaps",
    }
}

fn of_processor(cpu: &CpuProgress, counted: Counted) -> String {
    let CpuProgress { cpu, served, skipped, missed, lost, min_ns, mean_ns, max_ns, last_ns } = *cpu;
    let mean_ns = mean_ns.map(|mean| mean as i64);
    let [served, skipped, missed, lost] = [served, skipped, missed, lost].map(grouped);
    let [min, mean, max, last] = [min_ns, mean_ns, max_ns, last_ns].map(us);
    format!(
        "processor {cpu}: {} {served}, skipped {skipped}, missed {missed}, lost {lost}, min {min} µs, mean {mean} µs, max {max} µs, last {last} µs",
        self::served(counted)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_probe::Phase;

    #[test]
    fn a_summary_has_a_line_for_each_processor_and_one_before_there_are_figures() {
        let seen = CpuProgress { cpu: 3, served: 40, max_ns: Some(12_345), ..CpuProgress::default() };
        let progress = Progress {
            elapsed: Duration::from_s(4),
            total: Duration::from_s(9),
            left_in_all: None,
            counted: Counted::Activations,
            phase: Phase::Measuring,
            cpus: vec![CpuProgress::default(), seen],
            recent: prazo_run::Histogram::new(),
            is_asked_for: true,
        };
        let lines = summary(&progress);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].starts_with("measuring, 4 s: processor 3: served 40,"), "{lines:?}");
        assert!(lines[1].contains("max 12.3 µs, last - µs"), "{lines:?}");
        let early = summary(&Progress { cpus: Vec::new(), phase: Phase::LeadIn, ..progress });
        assert_eq!(early, ["lead-in of the loads, 4 s: nothing has been measured yet"]);
    }
}
