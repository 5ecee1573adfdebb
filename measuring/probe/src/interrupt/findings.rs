//! What a run through the module says beside its samples: what was set and found, and what threatens the result.

use super::measure::{End, InterruptOutcome};
use super::seconds::{Hidden, Seconds};
use super::setting::{LOST_AFTER, Setting};
use prazo_abi::irqlat::CONTEXT_THREAD;
use prazo_core::text::counted;
use prazo_engine::crossing;
use prazo_platform::tunable::TunableRecord;
use prazo_run::source::{HandlerPlace, TaskSide, Trigger};
use prazo_run::{Caveat, Severity};

/// The handler's place and the priorities, as asked and as found.
pub(super) fn tunables(setting: &Setting, measured: &InterruptOutcome) -> Vec<TunableRecord> {
    let found = if measured.ready.context == CONTEXT_THREAD { "thread" } else { "hard" };
    // What is left to the kernel is asked for as it was decided.
    let requested = match setting.source.handler {
        HandlerPlace::Kernel => found,
        handler => handler.name(),
    };
    let line = measured.ready.irq;
    let handler = record(format!("irqlat: handler of line {line}"), requested, Some(found));
    let task_of = if setting.source.task == TaskSide::User { "user" } else { "kernel" };
    let task = fifo(format!("irqlat: {task_of} task"), Some(setting.task_priority), Some(measured.task_priority));
    let thread = measured.thread_priority.map(|effective| {
        fifo(
            format!("irqlat: thread of line {line}"),
            setting.source.thread_priority.or(Some(effective)),
            Some(effective),
        )
    });
    [handler, task].into_iter().chain(thread).collect()
}

/// Nothing of it outlives the run: the threads end with it.
fn record(knob: String, requested: &str, effective: Option<&str>) -> TunableRecord {
    let effective = effective.map(str::to_owned);
    TunableRecord { knob, before: None, requested: requested.into(), effective, restored: true }
}

fn fifo(knob: String, requested: Option<u8>, effective: Option<u8>) -> TunableRecord {
    let priority_text = |priority: Option<u8>| priority.map_or("other".into(), |priority| format!("fifo {priority}"));
    record(knob, &priority_text(requested), Some(&priority_text(effective)))
}

/// Everything that threatens the result, and what measuring cost.
pub(super) fn caveats(setting: &Setting, measured: &InterruptOutcome, seconds: &Seconds) -> Vec<Caveat> {
    let more = [
        hidden(setting, seconds.hidden()),
        crossing::caveat(seconds.crossing().map(|crossing| (setting.cpu, crossing))),
        Some(cost(measured)),
    ];
    let counted = ceased(measured).into_iter().chain(counts(setting, measured, seconds));
    measured.changes.iter().cloned().chain(counted).chain(more.into_iter().flatten()).collect()
}

fn ceased(measured: &InterruptOutcome) -> Option<Caveat> {
    (measured.end == End::TriggersCeased).then(|| {
        Caveat::new(
            "triggers-ceased",
            Severity::High,
            format!(
                "the run was stopped, because no new trigger arrived after {}",
                counted(measured.counts.sent, "trigger")
            ),
            "check that the triggering station still sends and that the card's link is up",
        )
    })
}

/// One for each thing that was counted and should not have happened.
fn counts(setting: &Setting, measured: &InterruptOutcome, seconds: &Seconds) -> impl Iterator<Item = Caveat> {
    let (counts, elsewhere) = (&measured.counts, seconds.elsewhere());
    let all = [
        (
            counts.lost,
            "triggers-lost",
            Severity::High,
            format!(
                "no handler ran within {LOST_AFTER} after the line was raised; this happened {}, and these triggers \
                 count as skipped",
                counted(counts.lost, "time")
            ),
            "check whether another driver shares the line and whether --device names the right device",
        ),
        (
            counts.overruns,
            "triggers-overrun",
            Severity::High,
            format!(
                "{} came before the previous sample was complete; such triggers raise no interrupt and count as \
                 skipped",
                counted(counts.overruns, "trigger")
            ),
            "give a --period above the longest response latency, because a trigger that comes before the task has \
             responded is skipped",
        ),
        (
            counts.dropped,
            "samples-lost",
            Severity::High,
            format!("prazo read the samples from the module too slowly and lost {}", counted(counts.dropped, "sample")),
            "give a longer --period, or leave one processor free for the thread that reads the samples",
        ),
        (
            counts.spurious,
            "interrupts-spurious",
            Severity::Medium,
            format!(
                "the handler ran {} although the interrupt line was not raised; each of these runs may belong to a \
                 lost trigger",
                counted(counts.spurious, "time")
            ),
            "find the other driver of the interrupt line in /proc/interrupts and unload that driver",
        ),
        (
            counts.frames_missing,
            "frames-missing",
            Severity::Medium,
            format!("{} from the sender never arrived and triggered nothing", counted(counts.frames_missing, "frame")),
            "reduce the load on the card, or trigger over a dedicated card",
        ),
        (
            elsewhere,
            "handled-elsewhere",
            Severity::Medium,
            format!(
                "the handler or the task of {} ran on a processor other than {}",
                counted(elsewhere, "sample"),
                setting.cpu
            ),
            "the interrupt line cannot be moved: give --cpu with the processor for which /proc/interrupts counts the \
             interrupt",
        ),
    ];
    let found = all.into_iter().filter(|(count, ..)| *count > 0);
    found.map(|(_, id, severity, what, remedy)| Caveat::new(id, severity, what, remedy))
}

/// Regnier 2008 names this dependence of trigger and measurement, and has a second set-up for it.
fn hidden(setting: &Setting, of: Hidden) -> Option<Caveat> {
    let is_timer_elsewhere = setting.source.trigger != Trigger::Frame && setting.source.trigger_cpu != setting.cpu;
    let how_late = match of.count {
        0 => String::new(),
        count => format!(
            "; t1 was taken {:.1} µs on average and at most {:.1} µs after the timer was due ({})",
            of.sum_ns as f64 / count as f64 / 1e3,
            of.max_ns as f64 / 1e3,
            counted(count, "trigger")
        ),
    };
    (!is_timer_elsewhere).then(|| {
        Caveat::new(
            "trigger-on-measured-cpu",
            Severity::Info,
            format!(
                "the trigger is an interrupt of the measured processor: while interrupts are off on that processor, t1 is \
                 delayed too, so the interrupt latency does not contain that delay{how_late}"
            ),
            "trigger from another processor (--trigger other-cpu), or also run `prazo measure timer`",
        )
    })
}

fn cost(measured: &InterruptOutcome) -> Caveat {
    let ready = &measured.ready;
    let stamp_ns = ready.stamp_total_ns as f64 / ready.stamp_reads.max(1) as f64;
    Caveat::new(
        "interrupt-probe-cost",
        Severity::Info,
        format!(
            "a stamp takes {stamp_ns:.0} ns and the clock's smallest step is {} ns ({} stamps); raising the line \
             takes {} to {} ns including one stamp ({} tries) and is part of the interrupt latency",
            ready.clock_step_min_ns, ready.stamp_reads, ready.raise_min_ns, ready.raise_max_ns, ready.line_probes
        ),
        "if latencies are about as short as a stamp or the clock's smallest step, allow for both",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::seconds::Frame;
    use prazo_abi::irqlat::Counts;
    use prazo_core::time::Duration;
    use prazo_run::source::{InterruptDevice, InterruptSource};

    const FRAME: Frame =
        Frame { deadline_ns: None, warm_up_ns: 0, period_ns: 1_000_000, cpu: 0, has_hard_stamp: false };

    fn setting(trigger: Trigger, trigger_cpu: u32) -> Setting {
        let source = InterruptSource {
            trigger,
            trigger_cpu,
            card: None,
            jitter: Duration::ZERO,
            device: InterruptDevice::Edu,
            handler: HandlerPlace::Kernel,
            thread_priority: None,
            task: TaskSide::User,
        };
        Setting {
            source,
            cpu: 0,
            task_priority: 90,
            period: Duration::from_ms(1),
            triggers: 9,
            seed: 1,
            own_frames: None,
        }
    }

    fn measured(counts: Counts, end: End) -> InterruptOutcome {
        let (ready, reader_delay_max) = (Default::default(), Duration::ZERO);
        let changes = Vec::new();
        InterruptOutcome { ready, counts, thread_priority: Some(50), task_priority: 90, end, reader_delay_max, changes }
    }

    fn ids(setting: &Setting, measured: &InterruptOutcome) -> Vec<String> {
        caveats(setting, measured, &Seconds::new(FRAME)).into_iter().map(|caveat| caveat.id).collect()
    }

    #[test]
    fn a_sound_run_from_another_processor_only_tells_its_cost() {
        let sound = measured(Counts { sent: 9, recorded: 9, ..Counts::default() }, End::AllSent);
        assert_eq!(ids(&setting(Trigger::OtherCpu, 1), &sound), ["interrupt-probe-cost"]);
        assert_eq!(ids(&setting(Trigger::Hrtimer, 0), &sound), ["trigger-on-measured-cpu", "interrupt-probe-cost"]);
    }

    #[test]
    fn what_others_changed_stands_first() {
        let changed = Caveat::new("policy-changed", Severity::Fatal, "", "");
        let sound = measured(Counts { sent: 9, recorded: 9, ..Counts::default() }, End::AllSent);
        let disturbed = InterruptOutcome { changes: vec![changed], ..sound };
        assert_eq!(ids(&setting(Trigger::OtherCpu, 1), &disturbed), ["policy-changed", "interrupt-probe-cost"]);
    }

    #[test]
    fn each_loss_has_its_caveat() {
        let spoilt = |counts, end| ids(&setting(Trigger::OtherCpu, 1), &measured(counts, end)).remove(0);
        let none = Counts::default();
        assert_eq!(spoilt(none, End::TriggersCeased), "triggers-ceased");
        assert_eq!(spoilt(Counts { lost: 1, ..none }, End::AllSent), "triggers-lost");
        assert_eq!(spoilt(Counts { overruns: 1, ..none }, End::AllSent), "triggers-overrun");
        assert_eq!(spoilt(Counts { dropped: 1, ..none }, End::AllSent), "samples-lost");
        assert_eq!(spoilt(Counts { spurious: 1, ..none }, End::AllSent), "interrupts-spurious");
        assert_eq!(spoilt(Counts { frames_missing: 1, ..none }, End::AllSent), "frames-missing");
    }

    #[test]
    fn priorities_are_among_the_tunables_as_asked_and_as_read_back() {
        let all = tunables(&setting(Trigger::Hrtimer, 0), &measured(Counts::default(), End::AllSent));
        let of =
            |part: &str| all.iter().find(|knob| knob.knob.contains(part)).map(|knob| knob.effective.clone().unwrap());
        assert_eq!((of("thread of line"), of("user task")), (Some("fifo 50".into()), Some("fifo 90".into())));
    }
}
