//! Runs in the folder that a guest of today would not repeat: its agent, emulator, kernel, module or machine is another.
//!
//! The journal knows what was asked, a run's facts know what answered. Both must be as they are now for a run to be taken, or
//! one study would mix trajectories that nothing but a rebuilt agent tells apart.

use crate::error::RunnerError;
use crate::measure::{Doing, Measure, StudyStep};
use crate::runner::{Job, Runner};
use prazo_platform::fingerprint::Fingerprint;
use prazo_run::Run;
use std::collections::BTreeSet;

impl Runner<'_> {
    /// Forgets the runs of guests that would be others now, so that they are measured anew; `watch` hears of each, and why.
    pub(crate) fn forget_outdated(
        &mut self,
        jobs: &[Job],
        measure: &mut dyn Measure,
        watch: &mut dyn FnMut(&StudyStep),
    ) -> Result<(), RunnerError> {
        for (number, job) in jobs.iter().enumerate() {
            let (Some(on), Some(run), Some(plan)) = (self.guest(job), self.finished(job), self.plan(job)) else {
                continue;
            };
            let changed = measure.conditions(plan, on, self.station(job)).and_then(|now| changed(&run, &now));
            if let Some(what) = changed {
                watch(&StudyStep { doing: Doing::Outdated(what), ..self.step_of(jobs, number) });
                self.forget(job)?;
            }
        }
        Ok(())
    }
}

/// What differs between a run's own facts and those of now, in words; `None` where nothing does.
fn changed(run: &Run, now: &Fingerprint) -> Option<String> {
    let before = |name: &str| run.platform_before.as_ref().and_then(|platform| platform.facts.get(name));
    let differ = |(name, fact): &(&String, &prazo_platform::fingerprint::Fact)| {
        before(name.as_str()).is_none_or(|then| then.value != fact.value)
    };
    let words: BTreeSet<String> = now.facts.iter().filter(differ).map(|(name, _)| in_words(name)).collect();
    (!words.is_empty()).then(|| words.into_iter().collect::<Vec<_>>().join(", "))
}

/// What a fact `lab.…` is of; the station's are called so.
fn in_words(fact: &str) -> String {
    let name = fact.strip_prefix("lab.").unwrap_or(fact);
    match name.strip_prefix("station.") {
        Some(name) => format!("the station's {}", part(name)),
        None => format!("the {}", part(name)),
    }
}

fn part(name: &str) -> String {
    match name {
        "agent_sha256" => "agent".into(),
        "emulator" | "emulator_sha256" | "emulator_pinned" => "emulator".into(),
        "kernel_sha256" => "kernel".into(),
        "modules_sha256" => "modules".into(),
        "image_sha256" => "image (the load's programs and the initramfs of the platform)".into(),
        "command_line" => "kernel's command line".into(),
        other => format!("machine ({other})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::fingerprint::Fact;

    fn facts(pairs: &[(&str, &str)]) -> Fingerprint {
        let fact = |value: &str| Fact { value: Some(value.to_owned()), source: "test".into() };
        Fingerprint { facts: pairs.iter().map(|(name, value)| ((*name).to_owned(), fact(value))).collect() }
    }

    #[test]
    fn what_differs_is_named_once_and_what_only_the_run_has_is_not_asked() {
        let then = facts(&[("lab.agent_sha256", "a"), ("lab.cards", "2"), ("lab.seed", "7"), ("cpu.model", "x")]);
        let run = Run { platform_before: Some(then), ..Run::default() };
        assert_eq!(changed(&run, &facts(&[("lab.agent_sha256", "a"), ("lab.cards", "2")])), None);
        let now = facts(&[
            ("lab.agent_sha256", "b"),
            ("lab.emulator", "10"),
            ("lab.emulator_sha256", "e"),
            ("lab.cards", "1"),
        ]);
        assert_eq!(changed(&run, &now).as_deref(), Some("the agent, the emulator, the machine (cards)"));
        let station = facts(&[("lab.station.agent_sha256", "b")]);
        assert_eq!(changed(&run, &station).as_deref(), Some("the station's agent"));
    }
}
