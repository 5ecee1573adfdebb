//! One boot of a hunt: what was chosen for it, and the study of one cell that measures it.

use super::space::Space;
use prazo_core::time::Duration;
use prazo_run::plan::Policy;
use std::fmt::Write;

/// The id of the only cell of a candidate's study.
pub const CELL: &str = "guest.loads.task";

/// What was chosen for one boot.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Seed of the study, from which the emulator's and the loads' follows.
    pub seed: u64,
    /// Delay of the task's first activation.
    pub phase: Duration,
    /// How long the loads run before measuring starts.
    pub lead_in: Duration,
    /// The loads.
    pub loads: Vec<LoadChoice>,
    /// What a test of the cause changes; `None` in a hunt.
    pub change: Option<Change>,
}

/// What was chosen for one load.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadChoice {
    /// Its name in the catalogue.
    pub name: String,
    /// What is requested of it; `None` is its default.
    pub rate: Option<f64>,
    /// Its pauses; `None` is always on.
    pub rhythm: Option<OnOff>,
}

/// On for a part of each cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOff {
    /// Length of a cycle.
    pub cycle: Duration,
    /// Time on at the start of each.
    pub on: Duration,
}

/// A change that tests what made a boot late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A value of the plan that has no effect, but other bytes: a control.
    Nothing(u32),
    /// The load ends at this time after its start, and does not come back.
    EndsAt {
        /// The load.
        load: String,
        /// When.
        at: Duration,
    },
    /// The load pauses once, from this time after its start. It pauses again after the same time, so a second pause must come
    /// too late to matter.
    Pauses {
        /// The load.
        load: String,
        /// When.
        from: Duration,
        /// For how long.
        length: Duration,
    },
}

/// No run is as long as this cycle.
const NO_SECOND_CYCLE: Duration = Duration::from_s(24 * 3_600);

impl Candidate {
    /// The same without a load.
    pub fn without(&self, load: &str) -> Self {
        let loads = self.loads.iter().filter(|one| one.name != load).cloned().collect();
        Self { loads, ..self.clone() }
    }

    /// The same with a change.
    pub(super) fn with(&self, change: Change) -> Self {
        Self { change: Some(change), ..self.clone() }
    }

    /// The study that measures it. With `found`, a claim says that the boot is no later than then.
    pub fn study(&self, space: &Space, found: Option<Duration>) -> String {
        let mut text = String::new();
        self.write(space, found, &mut text).expect("a string takes everything");
        text
    }

    fn write(&self, space: &Space, found: Option<Duration>, out: &mut String) -> std::fmt::Result {
        let text = |text: &str| toml::Value::String(text.to_owned()).to_string();
        writeln!(out, "[study]\nname = \"hunted\"\ntitle = \"One boot from `prazo lab hunt`\"")?;
        writeln!(out, "question = \"How late is the worst activation of this boot?\"\nseed = {}\n", self.seed)?;
        writeln!(out, "[[platform]]\nid = \"guest\"\non = {}\n", text(&space.platform))?;
        writeln!(out, "[[load]]\nid = \"loads\"\nlead_in = \"{}\"\ngenerators = [", self.lead_in)?;
        for load in &self.loads {
            write!(out, "  {{ name = {}", text(&load.name))?;
            if let Some(rate) = load.rate {
                write!(out, ", rate = {rate:?}")?;
            }
            if let Some(OnOff { cycle, on }) = self.rhythm(load) {
                write!(out, ", rhythm = {{ cycle = \"{cycle}\", on_min = \"{on}\", on_max = \"{on}\" }}")?;
            }
            writeln!(out, " }},")?;
        }
        writeln!(out, "]\n\n[[probe]]\nid = \"task\"")?;
        let (policy, priority) = match space.task.policy {
            Policy::Other => ("other", None),
            Policy::Fifo { priority } => ("fifo", Some(priority)),
            Policy::Rr { priority } => ("rr", Some(priority)),
            Policy::Deadline { .. } => ("deadline", None),
        };
        writeln!(out, "policy = \"{policy}\"")?;
        if let Some(priority) = priority {
            writeln!(out, "priority = {priority}")?;
        }
        if let Policy::Deadline { runtime } = space.task.policy {
            writeln!(out, "runtime = \"{runtime}\"")?;
        }
        writeln!(out, "period = \"{}\"\nphase = \"{}\"", space.task.period, self.phase)?;
        writeln!(out, "length = \"{}\"\nraw = true", space.task.length)?;
        if let Some(Change::Nothing(number)) = self.change {
            writeln!(out, "looks_for = \"{number}ns\"")?;
        }
        if let Some(found) = found {
            let above = Duration::from_ns(found.as_ns() + 1);
            writeln!(out, "\n[[claim]]\nid = \"no-later-than-found\"")?;
            let text = format!("The largest latency is no larger than when the hunt found this boot ({found}).");
            writeln!(out, "text = \"{text}\"")?;
            writeln!(out, "check.max-below = {{ cells = [\"{CELL}\"], below = \"{above}\" }}")?;
        }
        Ok(())
    }

    fn rhythm(&self, load: &LoadChoice) -> Option<OnOff> {
        match &self.change {
            Some(Change::EndsAt { load: name, at }) if *name == load.name => {
                Some(OnOff { cycle: NO_SECOND_CYCLE, on: *at })
            }
            Some(Change::Pauses { load: name, from, length }) if *name == load.name => {
                Some(OnOff { cycle: *from + *length, on: *from })
            }
            _ => load.rhythm,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::drawn;
    use super::super::draws::Draws;
    use super::super::space::tests::space;
    use super::*;
    use crate::cell::{CellSource, Here};
    use crate::{Study, matrix};
    use prazo_run::Plan;
    use prazo_run::plan::LoadPlan;

    fn plan(text: &str) -> Plan {
        let study = Study::parse("candidate.toml", text).unwrap();
        let here = Here { platform: None, cpus: "0".parse().unwrap(), housekeeping_cpu: Some(3), deadline: None };
        let cells = matrix::cells(&study, &here);
        assert_eq!((cells.len(), cells[0].id.as_str()), (1, CELL));
        match &cells[0].source {
            CellSource::Measure { plans, .. } => plans[0].clone(),
            CellSource::Import(_) => unreachable!("it is measured"),
        }
    }

    /// Whatever is drawn comes back from the file, to the nanosecond.
    #[test]
    fn a_study_says_exactly_what_was_chosen() {
        let space = space();
        for number in 0..200 {
            let chosen = drawn(&space, Draws::of(3, number));
            let plan = plan(&chosen.study(&space, Some(Duration::from_ns(123_457))));
            assert_eq!((plan.threads[0].phase, plan.threads[0].period), (chosen.phase, space.task.period));
            assert_eq!((plan.lead_in, plan.policy), (chosen.lead_in, space.task.policy));
            assert_eq!(plan.seed, matrix::seed(chosen.seed, 0));
            assert!(plan.raw && plan.looks_for.is_none() && plan.housekeeping_cpu.is_none());
            let load = |load: &LoadPlan| LoadChoice {
                name: load.name.clone(),
                rate: load.rate,
                rhythm: load.rhythm.map(|rhythm| OnOff { cycle: rhythm.cycle, on: rhythm.on_max }),
            };
            assert_eq!(plan.loads.iter().map(load).collect::<Vec<_>>(), chosen.loads);
        }
    }

    #[test]
    fn a_change_is_the_only_difference() {
        let (space, plain) = (space(), drawn(&space(), Draws::of(1, 1)));
        let of = |candidate: &Candidate| plan(&candidate.study(&space, None));
        let control = of(&plain.with(Change::Nothing(2)));
        assert_eq!(Plan { looks_for: None, ..control.clone() }, of(&plain));
        assert_eq!(control.looks_for, Some(Duration::from_ns(2)));
        let at = Duration::from_ns(123_456_789);
        let ended = of(&plain.with(Change::EndsAt { load: "compile".into(), at }));
        assert_eq!(ended.loads[0].rhythm.map(|rhythm| (rhythm.on_min, rhythm.on_max)), Some((at, at)));
        assert_eq!(ended.loads[1], of(&plain).loads[1]);
        let pauses = Change::Pauses { load: "compile".into(), from: at, length: Duration::from_ms(2) };
        let rhythm = of(&plain.with(pauses)).loads[0].rhythm.unwrap();
        assert_eq!((rhythm.on_min, rhythm.on_max, rhythm.cycle), (at, at, at + Duration::from_ms(2)));
        assert_eq!(of(&plain.without("compile")).loads, of(&plain).loads[1..]);
    }

    #[test]
    fn the_file_has_a_few_lines() {
        let text = drawn(&space(), Draws::of(1, 1)).study(&space(), Some(Duration::from_us(50)));
        assert!(text.lines().count() <= 40, "{text}");
    }
}
