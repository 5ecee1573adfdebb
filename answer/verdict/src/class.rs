//! The class of platform that a result speaks for, from the platform's fingerprint.
//!
//! Blaess 2014 sorts platforms by what may disturb a response. Measuring cannot show a bound, so no run ever speaks for a
//! certifiable class; and a kernel with "-rt" in its name is believed only where it says PREEMPT_RT itself.
//!
//! Beside a co-kernel there are two platforms on one machine: what prazo's own threads measure is Linux's side, and only what a
//! tool of the core measures is the core's.

use crate::PlatformClass;
use prazo_platform::co_kernel::{CORE_FACT, MERCURY};
use prazo_platform::fingerprint::Fingerprint;
use prazo_run::Run;
use prazo_run::plan::Policy;
use prazo_run::run::Origin;

/// The class that one run speaks for; the lowest where nothing tells.
pub fn classify(run: &Run) -> PlatformClass {
    let real_time = run.plan.as_ref().is_none_or(|plan| plan.policy != Policy::Other);
    let platform = run.platform_before.as_ref();
    let strict = platform.is_some_and(is_preempt_rt) || is_of_co_kernel(run, platform);
    if strict && real_time { PlatformClass::StrictNonCertifiable } else { PlatformClass::Soft }
}

/// The lowest class of several runs; the lowest of all without any.
pub(crate) fn classify_all<'a>(runs: impl Iterator<Item = &'a Run>) -> PlatformClass {
    runs.map(classify).min().unwrap_or(PlatformClass::Soft)
}

/// The samples are those of a thread of the co-kernel. prazo's own threads are Linux's, whatever runs beside Linux.
fn is_of_co_kernel(run: &Run, platform: Option<&Fingerprint>) -> bool {
    let over_linux = platform.is_some_and(|platform| platform.get(CORE_FACT) == Some(MERCURY));
    let by_prazo = run.origin == Origin::Measured;
    !by_prazo && !over_linux && (platform.is_some_and(is_co_kernel) || is_xenomai_tool(&run.origin))
}

/// `/sys/kernel/realtime` is 1, the preemption model is rt, or the build says PREEMPT_RT.
fn is_preempt_rt(platform: &Fingerprint) -> bool {
    let says_so = |fact: &str| {
        let value = platform.get(fact).unwrap_or("").to_ascii_uppercase().replace([' ', '-'], "_");
        value.contains("PREEMPT_RT")
    };
    let is = |fact, value| platform.get(fact) == Some(value);
    is("kernel.realtime", "1") || is("kernel.preemption", "rt") || says_so("kernel.version")
}

/// Xenomai or EVL beside Linux: its version is a fact, or the kernel's release names the interrupt pipeline.
fn is_co_kernel(platform: &Fingerprint) -> bool {
    let named = |name: &String| name.starts_with("xenomai.") || name.starts_with("evl.");
    let present = platform.facts.iter().any(|(name, fact)| named(name) && fact.value.is_some());
    present
        || platform
            .get("kernel.release")
            .is_some_and(|release| release.contains("ipipe") || release.contains("xenomai"))
}

fn is_xenomai_tool(origin: &Origin) -> bool {
    matches!(origin, Origin::Imported { tool, .. } if tool.contains("xenomai") || tool.contains("latmus"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::time::Duration;
    use prazo_platform::fingerprint::Fact;
    use prazo_run::plan::{Length, Plan};
    use prazo_run::source::Source;

    fn on(facts: &[(&str, &str)]) -> Run {
        let fact = |value: &str| Fact { value: Some(value.into()), source: "test".into() };
        let facts = facts.iter().map(|(name, value)| ((*name).to_owned(), fact(value))).collect();
        Run { platform_before: Some(Fingerprint { facts }), ..Run::default() }
    }

    fn by(tool: &str, facts: &[(&str, &str)]) -> Run {
        let origin = Origin::Imported { tool: tool.into(), file: "a file".into() };
        Run { origin, ..on(facts) }
    }

    #[test]
    fn beside_a_co_kernel_the_core_s_tool_is_strict_and_linux_s_thread_is_not() {
        let cobalt = [("xenomai.core", "Cobalt"), ("xenomai.version", "3.3.1")];
        assert_eq!(classify(&by("xenomai-latency", &cobalt)), PlatformClass::StrictNonCertifiable);
        assert_eq!(classify(&by("xenomai-cyclictest", &cobalt)), PlatformClass::StrictNonCertifiable);
        assert_eq!(classify(&on(&cobalt)), PlatformClass::Soft, "prazo's own thread is Linux's");
        let mercury = [("xenomai.core", "Mercury")];
        assert_eq!(classify(&by("xenomai-latency", &mercury)), PlatformClass::Soft, "no co-kernel runs");
        let mercury_on_rt = [("xenomai.core", "Mercury"), ("kernel.realtime", "1")];
        assert_eq!(classify(&by("xenomai-latency", &mercury_on_rt)), PlatformClass::StrictNonCertifiable);
    }

    #[test]
    fn blaess_2014_sorts_its_three_platforms() {
        let vanilla =
            on(&[("kernel.release", "3.8.13+"), ("kernel.version", "#1 PREEMPT Mon Sep 1 10:44:49 CEST 2014")]);
        let rt =
            on(&[("kernel.release", "3.8.13-rt16+"), ("kernel.version", "#2 PREEMPT RT Mon Sep 1 15:04:57 CEST 2014")]);
        let xenomai = by(
            "cyclictest",
            &[("kernel.release", "3.8.13-ipipe+"), ("kernel.version", "#1 PREEMPT Tue Sep 2 00:58:06 CEST 2014")],
        );
        assert_eq!(classify(&vanilla), PlatformClass::Soft);
        assert_eq!(classify(&rt), PlatformClass::StrictNonCertifiable);
        assert_eq!(classify(&xenomai), PlatformClass::StrictNonCertifiable);
        assert_eq!(classify_all([&rt, &vanilla].into_iter()), PlatformClass::Soft);
    }

    #[test]
    fn rt_in_the_name_alone_is_not_believed() {
        assert_eq!(classify(&on(&[("kernel.release", "6.1.0-rt7-amd64")])), PlatformClass::Soft);
        assert_eq!(classify(&on(&[("kernel.realtime", "1")])), PlatformClass::StrictNonCertifiable);
        assert_eq!(classify(&on(&[("kernel.preemption", "rt")])), PlatformClass::StrictNonCertifiable);
        assert_eq!(classify(&on(&[("kernel.realtime", "0"), ("kernel.preemption", "full")])), PlatformClass::Soft);
        assert_eq!(classify(&Run::default()), PlatformClass::Soft);
    }

    #[test]
    fn no_run_speaks_for_a_certifiable_class() {
        let everything =
            on(&[("kernel.realtime", "1"), ("xenomai.version", "3.3"), ("kernel.version", "RTEMS PREEMPT_RT")]);
        assert!(classify(&everything) < PlatformClass::StrictCertifiable);
    }

    #[test]
    fn a_policy_that_is_not_real_time_is_soft_on_every_platform() {
        let plan = |policy| Plan::new(Source::Timer, policy, vec![], Length::Duration { length: Duration::from_s(1) });
        for run in [on(&[("kernel.realtime", "1")]), by("xenomai-latency", &[("xenomai.version", "3.3.1")])] {
            let under = |policy| classify(&Run { plan: Some(plan(policy)), ..run.clone() });
            assert_eq!(under(Policy::Other), PlatformClass::Soft);
            assert_eq!(under(Policy::Fifo { priority: 1 }), PlatformClass::StrictNonCertifiable);
        }
    }
}
