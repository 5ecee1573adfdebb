//! What a plan asks of a tool, or why no tool can be asked that.

use super::error::XenomaiError;
use super::tool::Parameters;
use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_platform::root::Root;
use prazo_run::Plan;
use prazo_run::plan::{Length, Policy};
use prazo_run::source::XenomaiSource;

/// The shortest period where the measured processor is Linux's only one. An activation on a live Cobalt took 12 us there, so that
/// a period of 10 us left Linux nothing, neither for the tool's end nor for the limit that prazo sets it.
const ALONE_PERIOD_MIN: Duration = Duration::from_us(100);

/// What the plan asks; `root` says how many processors there are.
pub(super) fn parameters(plan: &Plan, source: &XenomaiSource, root: &Root) -> Result<Parameters, XenomaiError> {
    let wrong = |what: &str| Err(XenomaiError::Parameter(what.into()));
    let [thread] = plan.threads[..] else {
        return wrong("Xenomai's tools measure one processor; name exactly one processor with --cpu");
    };
    let period = thread.period;
    if period.as_ns() < 1_000 || !period.as_ns().is_multiple_of(1_000) {
        return wrong("Xenomai's tools take --period in whole µs; give a multiple of 1us");
    }
    let length_ns = match plan.length {
        Length::Duration { length } => length.as_ns(),
        Length::Activations { count } => period.as_ns().saturating_mul(count).next_multiple_of(SECOND_NS),
    };
    if length_ns < SECOND_NS {
        return wrong("Xenomai's tools take --duration in whole seconds; give at least 1s");
    }
    if !length_ns.is_multiple_of(SECOND_NS) {
        let below_s = length_ns / SECOND_NS;
        let above_s = below_s + 1;
        return wrong(&format!("Xenomai's tools take --duration in whole seconds; give {below_s}s or {above_s}s"));
    }
    let Policy::Fifo { priority: priority @ 1..=99 } = plan.policy else {
        return wrong("Xenomai's tools run under fifo; give a --priority from 1 to 99");
    };
    if period < ALONE_PERIOD_MIN && online(root).is_some_and(|cpus| cpus.count() == 1) {
        return Err(XenomaiError::Starved { period, shortest: ALONE_PERIOD_MIN });
    }
    Ok(Parameters { period, length_s: length_ns / SECOND_NS, priority, cpu: thread.cpu, context: source.context })
}

const SECOND_NS: u64 = 1_000_000_000;

fn online(root: &Root) -> Option<CpuSet> {
    root.read_cpus("/sys/devices/system/cpu/online").ok()?
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::plan::ThreadPlan;
    use prazo_run::source::{Source, XenomaiContext};

    fn asked(cpus: &str, change: impl FnOnce(&mut Plan)) -> Result<Parameters, XenomaiError> {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("sys/devices/system/cpu/online");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, cpus).unwrap();
        let source = XenomaiSource { tool: None, context: XenomaiContext::User };
        let thread = ThreadPlan { cpu: 0, period: Duration::from_ms(1), phase: Duration::ZERO };
        let length = Length::Duration { length: Duration::from_s(5) };
        let policy = Policy::Fifo { priority: 98 };
        let mut plan = Plan::new(Source::Xenomai(source.clone()), policy, vec![thread], length);
        change(&mut plan);
        parameters(&plan, &source, &Root::at(root.path()))
    }

    #[test]
    fn a_period_that_starves_linux_is_refused_where_linux_has_one_processor() {
        let short = |plan: &mut Plan| plan.threads[0].period = Duration::from_us(10);
        let error = asked("0\n", short).unwrap_err();
        assert!(error.is_usage() && error.to_string().contains("100us"), "{error}");
        assert!(asked("0-1\n", short).is_ok(), "the other processor is Linux's");
        assert!(asked("0\n", |plan| plan.threads[0].period = Duration::from_us(100)).is_ok());
    }

    #[test]
    fn a_count_of_activations_becomes_whole_seconds() {
        let counted = asked("0", |plan| plan.length = Length::Activations { count: 2_001 }).unwrap();
        assert_eq!(counted.length_s, 3);
    }

    #[test]
    fn a_duration_between_two_seconds_is_refused_with_both() {
        let length = Length::Duration { length: Duration::from_ms(1_500) };
        let text = asked("0", |plan| plan.length = length).unwrap_err().to_string();
        assert!(text.contains("--duration") && text.contains("give 1s or 2s"), "{text}");
    }

    #[test]
    fn what_no_tool_takes_is_refused_by_its_flag() {
        let refused = |change: fn(&mut Plan)| asked("0", change).unwrap_err().to_string();
        assert!(refused(|plan| plan.policy = Policy::Other).contains("--priority"));
        assert!(refused(|plan| plan.threads.push(plan.threads[0])).contains("--cpu"));
        assert!(refused(|plan| plan.threads[0].period = Duration::from_ns(1_500)).contains("--period"));
        let length = Length::Duration { length: Duration::from_ms(900) };
        assert!(asked("0", |plan| plan.length = length).unwrap_err().to_string().contains("--duration"));
    }
}
