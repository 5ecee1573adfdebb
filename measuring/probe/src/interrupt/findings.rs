//! What a run through the module says beside its samples: what was set and found, and what threatens the result.

use super::measure::{End, Measured};
use super::setting::{LOST_AFTER, Setting};
use prazo_abi::irqlat::CONTEXT_THREAD;
use prazo_platform::tunable::TunableRecord;
use prazo_run::source::{HandlerPlace, TaskSide, Trigger};
use prazo_run::{Caveat, Severity};

/// The handler's place and the priorities, as asked and as found.
pub fn tunables(setting: &Setting, measured: &Measured) -> Vec<TunableRecord> {
    let found = if measured.ready.context == CONTEXT_THREAD { "thread" } else { "hard" };
    // What the kernel decides is asked for by whatever it decided.
    let asked = match setting.source.handler {
        HandlerPlace::Kernel => found,
        handler => handler.name(),
    };
    let line = measured.ready.irq;
    let handler = record(format!("irqlat: handler of line {line}"), asked, Some(found));
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
    let told = |priority: Option<u8>| priority.map_or("other".into(), |priority| format!("fifo {priority}"));
    record(knob, &told(requested), Some(&told(effective)))
}

/// Everything that threatens the result, and what measuring cost.
pub fn caveats(setting: &Setting, measured: &Measured) -> Vec<Caveat> {
    let all = [ceased(measured), lost(measured), overruns(measured), dropped(measured)];
    let more = [spurious(measured), frames_missing(measured), hidden(setting), Some(cost(measured))];
    all.into_iter().chain(more).flatten().collect()
}

fn ceased(measured: &Measured) -> Option<Caveat> {
    (measured.end == End::TriggersCeased).then(|| {
        Caveat::new(
            "triggers-ceased",
            Severity::High,
            format!("no trigger came any more after {}, so the run was ended", measured.counts.sent),
            "see whether the station that triggers is still sending, and whether the card's line is still up",
        )
    })
}

fn lost(measured: &Measured) -> Option<Caveat> {
    let lost = measured.counts.lost;
    (lost > 0).then(|| {
        Caveat::new(
            "triggers-lost",
            Severity::High,
            format!("the line was raised {lost} times and no handler came within {LOST_AFTER}; they count as skipped"),
            "see whether another driver shares the line, and whether the device is what it was taken for",
        )
    })
}

fn overruns(measured: &Measured) -> Option<Caveat> {
    let overruns = measured.counts.overruns;
    (overruns > 0).then(|| {
        Caveat::new(
            "triggers-overrun",
            Severity::High,
            format!("{overruns} triggers came while a sample was under way; they raised nothing and count as skipped"),
            "give a longer --period than the longest response; what was skipped are the moments after the longest ones",
        )
    })
}

fn dropped(measured: &Measured) -> Option<Caveat> {
    let dropped = measured.counts.dropped;
    (dropped > 0).then(|| {
        Caveat::new(
            "samples-lost",
            Severity::High,
            format!("{dropped} samples were not kept because the reader came too late"),
            "give a longer --period, or leave the reader a processor of its own",
        )
    })
}

fn spurious(measured: &Measured) -> Option<Caveat> {
    let spurious = measured.counts.spurious;
    (spurious > 0).then(|| {
        Caveat::new(
            "interrupts-spurious",
            Severity::Medium,
            format!(
                "the handler ran {spurious} times though nothing was raised; one of these may stand for a lost trigger"
            ),
            "see /proc/interrupts for who else has the line, and unload that driver",
        )
    })
}

fn frames_missing(measured: &Measured) -> Option<Caveat> {
    let missing = measured.counts.frames_missing;
    (missing > 0).then(|| {
        Caveat::new(
            "frames-missing",
            Severity::Medium,
            format!("{missing} frames of the sender's numbers never arrived, so they triggered nothing"),
            "lower the load on the card, or trigger on a card of its own",
        )
    })
}

/// papers/002 names this dependence of trigger and measurement, and has a second set-up for it.
fn hidden(setting: &Setting) -> Option<Caveat> {
    let is_elsewhere = setting.source.trigger == Trigger::OtherCpu || setting.source.trigger_cpu != setting.cpu;
    (!is_elsewhere || setting.source.trigger == Trigger::Frame).then(|| {
        Caveat::new(
            "trigger-on-measured-cpu",
            Severity::Info,
            "the trigger is an interrupt of the measured processor itself: where interrupts are off, t1 is late too, so \
             that the interrupt latency does not hold that time",
            "trigger from another processor (--trigger other-cpu) or from another station, or measure the timer probe beside it",
        )
    })
}

fn cost(measured: &Measured) -> Caveat {
    let ready = &measured.ready;
    let stamp_ns = ready.stamp_total_ns as f64 / ready.stamp_reads.max(1) as f64;
    Caveat::new(
        "interrupt-probe-cost",
        Severity::Info,
        format!(
            "a stamp takes {stamp_ns:.0} ns and the clock's smallest step is {} ns (of {} stamps); raising the line with one \
             stamp takes {} to {} ns (of {} tries) and is part of the interrupt latency",
            ready.clock_step_min_ns, ready.stamp_reads, ready.raise_min_ns, ready.raise_max_ns, ready.line_probes
        ),
        "count it in where latencies are of that size",
    )
}
