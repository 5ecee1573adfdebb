//! A run that a guest measured becomes the guest's job again: the same plan on the same kernel, byte for byte.
//!
//! Everything that decided the trajectory is in the run as facts `lab.…`. What would decide it now is compared with them before
//! anything boots.

use crate::guest::{self, GuestError, GuestRequest};
use prazo_lab::{GuestJob, Lab, LabError, Platform};
use prazo_platform::fingerprint::Fingerprint;
use prazo_run::run::Origin;
use prazo_run::source::{Source, XenomaiContext, XenomaiTool};
use prazo_run::{Plan, Run};
use std::path::Path;

/// What the facts of the lab begin with.
const FACTS: &str = "lab.";

/// Facts that only label others.
const LABELS: [&str; 4] = ["lab.platform", "lab.machine", "lab.emulator", "lab.emulator_pinned"];

/// Why a run cannot be repeated.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// Nothing says how to repeat it.
    #[error("{run} was not measured in the lab: {why}; measure with --platform lab:NAME")]
    NotOfLab {
        /// The run's name.
        run: String,
        /// What it lacks.
        why: &'static str,
    },
    /// What was measured has no instants that can be found again.
    #[error(
        "{run} was measured {what}, so its guest cannot be repeated and recorded; use a run of one guest: `prazo measure timer` with \
         fixed due instants, `prazo measure interrupt`, or `prazo measure xenomai` (tool `latency`, user task)"
    )]
    NotRepeatable {
        /// The run's name.
        run: String,
        /// What it measured.
        what: &'static str,
    },
    /// Something that decides the trajectory is another than then.
    #[error("{what} has changed since {run} was measured: its value was {was}, and is now {is}; {remedy}")]
    Other {
        /// The run's name.
        run: String,
        /// What differs, as a person calls it.
        what: String,
        /// Its value in the run.
        was: String,
        /// Its value now.
        is: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The lab could not.
    #[error(transparent)]
    Guest(#[from] GuestError),
}

impl ReplayError {
    /// True where the run or the request is at fault.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::NotOfLab { .. } | Self::NotRepeatable { .. } => true,
            Self::Other { .. } => false,
            Self::Guest(error) => error.is_usage(),
        }
    }
}

/// The job that measured a run, checked against the facts that the run states. `platform` replaces the lab's own platform of
/// that name, for runs of a user's kernel.
pub fn job(run: &Run, platform: Option<Platform>, lab: &Lab) -> Result<GuestJob, ReplayError> {
    let not_of_lab = |why| ReplayError::NotOfLab { run: run.name.clone(), why };
    if run.origin != Origin::Measured && xenomai_tool(run).is_none() {
        return Err(not_of_lab("the run was imported or is synthetic"));
    }
    let facts = run.platform_before.as_ref().filter(|facts| fact(facts, "lab.platform").is_some());
    let facts = facts.ok_or_else(|| not_of_lab("the run records no facts about a guest"))?;
    let plan = run.plan.as_ref().ok_or_else(|| not_of_lab("the run has no plan"))?;
    let what = not_repeatable(run, plan, facts);
    if let Some(what) = what {
        return Err(ReplayError::NotRepeatable { run: run.name.clone(), what });
    }
    let platform = as_then(platform.map_or_else(|| named(facts), Ok)?, facts);
    let (name, command) = (run.name.clone(), run.command.clone());
    let request = GuestRequest { platform, plan: plan.clone(), file: Path::new(""), name, command, limit: None };
    let job = guest::job(&request, lab)?;
    let now = job.trajectory(lab).map_err(GuestError::from)?;
    compare(&run.name, facts, &now)?;
    Ok(job)
}

/// How the run was measured, if nothing shows where its activations were.
fn not_repeatable(run: &Run, plan: &Plan, facts: &Fingerprint) -> Option<&'static str> {
    match &plan.source {
        Source::Timer if !run.sets.is_empty() => Some("as a task set"),
        Source::Timer if plan.threads.is_empty() => Some("with a plan that names no threads"),
        Source::Timer if !plan.has_due_grid() => Some("without fixed due instants"),
        Source::Interrupt(_) if fact(facts, "lab.station.platform").is_some() => Some("by two guests together"),
        Source::Timer | Source::Interrupt(_) => None,
        Source::Xenomai(_) if xenomai_tool(run) != Some(XenomaiTool::Latency) => {
            Some("with a tool other than `latency`")
        }
        Source::Xenomai(source) if source.context != XenomaiContext::User => Some("in the kernel"),
        Source::Xenomai(_) => None,
        _ => Some("with an event other than a timer or an interrupt"),
    }
}

/// The core's own tool that measured the run, which names it as its origin.
fn xenomai_tool(run: &Run) -> Option<XenomaiTool> {
    let Origin::Imported { tool, .. } = &run.origin else { return None };
    let is_measured = matches!(run.plan.as_ref()?.source, Source::Xenomai(_));
    tool.strip_prefix("xenomai-").filter(|_| is_measured)?.parse().ok()
}

fn fact<'a>(facts: &'a Fingerprint, name: &str) -> Option<&'a str> {
    facts.facts.get(name)?.value.as_deref()
}

fn named(facts: &Fingerprint) -> Result<Platform, ReplayError> {
    let name = fact(facts, "lab.platform").unwrap_or_default();
    Platform::find(name).map_err(|error: LabError| GuestError::from(error).into())
}

/// With the words that were on the kernel's command line then, `--append` included.
fn as_then(platform: Platform, facts: &Fingerprint) -> Platform {
    let Ok(machine) = platform.machine() else { return platform };
    let bare = Platform { words: Vec::new(), ..platform.clone() }.command_line(machine.architecture);
    let words = fact(facts, "lab.command_line").and_then(|line| line.strip_prefix(&bare));
    let words = words.map(|words| words.split_whitespace().map(str::to_owned).collect());
    Platform { words: words.unwrap_or_else(|| platform.words.clone()), ..platform }
}

/// The first fact that differs, those that a person can do something about first.
fn compare(run: &str, then: &Fingerprint, now: &Fingerprint) -> Result<(), ReplayError> {
    const KNOWN: [(&str, &str, &str); 6] = [
        ("lab.kernel_sha256", "the kernel", "fetch the kernel of the run, or measure again"),
        ("lab.modules_sha256", "a module of the kernel", "fetch the kernel of the run, or measure again"),
        ("lab.agent_sha256", "the guest's agent", "name the agent of the run with PRAZO_AGENT, or measure again"),
        ("lab.emulator_sha256", "the emulator", "fetch the lab's emulator (`prazo lab fetch`), or measure again"),
        (
            "lab.image_sha256",
            "the guest's image (the load's programs and the initramfs of the platform)",
            "install the same version of the load's programs; for a run with --initrd, name a platform's file with that initrd",
        ),
        ("lab.command_line", "the kernel's command line", "name the platform of the run with --platform"),
    ];
    let differ = |name: &str| fact(then, name) != fact(now, name);
    let other = |name: &str, what: String, remedy| {
        let value = |facts| fact(facts, name).unwrap_or("not stated").to_owned();
        Err(ReplayError::Other { run: run.to_owned(), what, was: value(then), is: value(now), remedy })
    };
    for (name, what, remedy) in KNOWN {
        if differ(name) {
            return other(name, what.to_owned(), remedy);
        }
    }
    let names = then.facts.keys().chain(now.facts.keys()).filter(|name| name.starts_with(FACTS));
    for name in names.filter(|name| !LABELS.contains(&name.as_str())) {
        if differ(name) {
            return other(name, format!("the guest's {}", &name[FACTS.len()..]), "measure again");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_platform::fingerprint::Fact;

    fn facts(all: &[(&str, &str)]) -> Fingerprint {
        let fact = |value: &str| Fact { value: Some(value.to_owned()), source: String::new() };
        Fingerprint { facts: all.iter().map(|(name, value)| ((*name).to_owned(), fact(value))).collect() }
    }

    #[test]
    fn equal_facts_are_one_trajectory_and_labels_do_not_count() {
        let then = facts(&[("lab.kernel_sha256", "a"), ("lab.platform", "rt"), ("cpu.model", "x")]);
        assert!(compare("r", &then, &facts(&[("lab.kernel_sha256", "a"), ("lab.platform", "other")])).is_ok());
    }

    #[test]
    fn other_bytes_of_kernel_agent_emulator_and_image_are_named_with_both_sums() {
        for (name, word) in [
            ("lab.kernel_sha256", "kernel"),
            ("lab.agent_sha256", "agent"),
            ("lab.emulator_sha256", "emulator"),
            ("lab.image_sha256", "program"),
            ("lab.initramfs_sha256", "initramfs"),
        ] {
            let error = compare("r", &facts(&[(name, "aa")]), &facts(&[(name, "bb")])).unwrap_err().to_string();
            assert!(error.contains(word) && error.contains("aa") && error.contains("bb"), "{error}");
        }
        let error = compare("r", &facts(&[("lab.seed", "1")]), &facts(&[])).unwrap_err().to_string();
        assert!(error.contains("seed") && error.contains("not stated"), "{error}");
    }

    #[test]
    fn of_a_core_s_tools_only_latency_in_a_user_task_can_be_repeated() {
        use prazo_core::time::Duration;
        use prazo_run::plan::{Length, Policy};
        use prazo_run::source::XenomaiSource;
        let of = |tool: &str, context| {
            let origin = Origin::Imported { tool: tool.into(), file: String::new() };
            let source = Source::Xenomai(XenomaiSource { tool: None, context });
            let length = Length::Duration { length: Duration::from_s(3) };
            let plan = Plan::new(source, Policy::Other, Vec::new(), length);
            let run = Run { origin, plan: Some(plan.clone()), ..Run::default() };
            not_repeatable(&run, &plan, &Fingerprint::default())
        };
        assert_eq!(of("xenomai-latency", XenomaiContext::User), None);
        assert!(of("xenomai-latency", XenomaiContext::Kernel).unwrap().contains("kernel"));
        assert!(of("xenomai-latency", XenomaiContext::Handler).unwrap().contains("kernel"));
        for tool in ["xenomai-latmus", "xenomai-cyclictest", "cyclictest"] {
            assert!(of(tool, XenomaiContext::User).unwrap().contains("other than `latency`"), "{tool}");
        }
        // An imported output of the tool has no plan.
        let origin = Origin::Imported { tool: "xenomai-latency".into(), file: String::new() };
        assert_eq!(xenomai_tool(&Run { origin, ..Run::default() }), None);
    }

    #[test]
    fn words_of_then_replace_the_platforms() {
        let platform = Platform::find("standard-none").unwrap();
        let line = format!("{} threadirqs", platform.command_line(prazo_lab::Architecture::X86_64));
        let then = as_then(platform, &facts(&[("lab.command_line", &line)]));
        assert_eq!(then.words, ["preempt=none", "threadirqs"]);
    }
}
