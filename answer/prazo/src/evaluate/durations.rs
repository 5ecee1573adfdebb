//! How long the runs of an evaluation last: as the caller says, or as long as the requirement needs on this machine.

use crate::error::Error;
use prazo_core::text::{counted, grouped};
use prazo_core::time::{Duration, Exact, Wait};
use prazo_run::plan::{Plan, Policy};
use prazo_run::source::Source;
use prazo_study::matrix;
use prazo_study::study::Row;
use prazo_study::{CellSource, Here, Study};
use prazo_verdict::Requirement;

/// Seconds at the ends of a run, of which not all are under load.
const ENDS: Duration = Duration::from_s(10);

/// Sets how long each cell measures, and says what the requirement needs and how long that takes here.
pub(super) fn set(
    study: &mut Study,
    here: &Here,
    requirement: &Requirement,
    duration: Option<Duration>,
) -> Result<String, Error> {
    let (needed, a_second) = (requirement.activations_min(), activations_a_second(study, here));
    if duration.is_some_and(|duration| duration.is_zero()) {
        return Err(Error::field("duration", "a run of duration 0 measures nothing; give a time, as in 60s"));
    }
    let takes = takes(needed, a_second);
    let is_judged: Vec<bool> = study.measures.iter().map(|row| is_judged(study, row)).collect();
    for (row, is_judged) in study.measures.iter_mut().zip(is_judged) {
        row.length = match duration {
            Some(duration) => Some(duration),
            None if is_judged => row.length.max(Some(takes)),
            None => row.length,
        };
    }
    let subject = format!("A {} deadline of {}", requirement.kind.name(), Exact(requirement.deadline));
    let all = Wait(matrix::measuring_time(study, here));
    let gives = |duration: Duration| (duration.as_s_f64() * a_second) as u64;
    let short = duration.filter(|duration| *duration < takes);
    Ok(match short {
        Some(short) if gives(short) >= needed => format!(
            "{subject} needs {} activations under load. With -D {short}, some activations may come before the loads start or after they end, so the result may be inconclusive; give -D {}s. With -D {short}, all runs together take at least {all}.",
            grouped(needed),
            takes.as_ns() / 1_000_000_000
        ),
        Some(short) => format!(
            "{subject} needs {} activations under load. -D {short} gives at most {}, so the machine cannot pass; give -D {}s. With -D {short}, all runs together take at least {all}.",
            grouped(needed),
            grouped(gives(short)),
            takes.as_ns() / 1_000_000_000
        ),
        None => format!(
            "{subject} needs at least {} activations under load, which takes {} on {}. All runs together take at least \
             {all}.",
            grouped(needed),
            Wait(takes),
            counted(here.cpus.count() as u64, "processor")
        ),
    })
}

/// How long so many activations take, rounded up to ten seconds, with a twentieth and the ends to spare.
fn takes(activations: u64, a_second: f64) -> Duration {
    let seconds = activations as f64 / a_second.max(1.0) * 1.05;
    Duration::from_s((seconds / 10.0).ceil() as u64 * 10) + ENDS
}

/// Activations of all threads in each second of the judged runs under load.
fn activations_a_second(study: &Study, here: &Here) -> f64 {
    let plans = matrix::cells(study, here).into_iter().flat_map(|cell| match cell.source {
        CellSource::Measure { plans, .. } => plans,
        CellSource::Import(_) => Vec::new(),
    });
    let fifo = plans.filter(|plan| matches!(plan.policy, Policy::Fifo { .. }) && !plan.loads.is_empty());
    let (of_core, of_linux): (Vec<Plan>, Vec<Plan>) = fifo.partition(|plan| matches!(plan.source, Source::Xenomai(_)));
    let judged = if of_core.is_empty() { of_linux } else { of_core };
    judged.iter().map(|plan| plan.threads.iter().map(|thread| 1.0 / thread.period.as_s_f64()).sum::<f64>()).sum()
}

/// True for a row whose runs decide the verdict: the policy fifo under load.
fn is_judged(study: &Study, row: &Row) -> bool {
    let loads = study.loads.iter().filter(|load| row.loads.iter().any(|name| name.id == *load.id.get_ref()));
    let probes = study.probes.iter().filter(|probe| row.probes.iter().any(|name| name.id == *probe.id.get_ref()));
    loads.into_iter().any(|load| !load.generators.is_empty())
        && probes.into_iter().any(|probe| matches!(probe.policy(), Policy::Fifo { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_study::builtin;
    use prazo_verdict::Kind;

    fn here(cpus: &str) -> Here {
        Here { platform: None, cpus: cpus.parse().unwrap(), housekeeping_cpu: None, deadline: None }
    }

    fn lengths(study: &Study) -> Vec<u64> {
        study.measures.iter().map(|row| row.length.map_or(0, |length| length.as_ns() / 1_000_000_000)).collect()
    }

    fn of(kind: Kind, cpus: &str, duration: Option<Duration>) -> (Vec<u64>, String) {
        let mut study = builtin::find("evaluate").unwrap();
        let requirement = Requirement::new(Duration::from_us(200), kind, None).unwrap();
        let said = set(&mut study, &here(cpus), &requirement, duration).unwrap();
        (lengths(&study), said)
    }

    #[test]
    fn a_hard_deadline_is_measured_until_a_million_activations_were_due_under_load() {
        let (lengths, said) = of(Kind::Hard, "0-1", None);
        // 1,000,000 at 2,000 a second are 500 s; the comparisons keep their length.
        assert_eq!(lengths, [20, 15, 540, 20, 30]);
        assert!(
            said.starts_with(
                "A hard deadline of 200 µs needs at least 1,000,000 activations under load, which takes 9 min 00 s on 2"
            ),
            "{said}"
        );
        assert_eq!(of(Kind::Hard, "0-31", None).0, [20, 15, 60, 20, 30], "many processors need no longer than usual");
    }

    #[test]
    fn a_firm_deadline_is_measured_as_usual() {
        let (lengths, said) = of(Kind::Firm, "0", None);
        assert_eq!(lengths, [20, 15, 60, 20, 30]);
        assert!(said.contains("3,700 activations"), "{said}");
    }

    #[test]
    fn a_duration_that_is_too_short_is_answered_with_the_one_that_is_needed() {
        let (lengths, said) = of(Kind::Hard, "0-1", Some(Duration::from_s(60)));
        assert_eq!(lengths, [60; 5]);
        assert!(said.contains("gives at most 120,000, so the machine cannot pass; give -D 540s."), "{said}");
        let (_, said) = of(Kind::Firm, "0-1", Some(Duration::from_s(5)));
        assert!(said.contains("may be inconclusive; give -D 20s.") && !said.contains("cannot"), "{said}");
        let (_, said) = of(Kind::Hard, "0-1", Some(Duration::from_s(600)));
        assert!(!said.contains("cannot"), "{said}");
    }
}
