//! From the events around one latency to who took its time, and to a sentence about it; pure.
//!
//! The walk keeps what is on the processor: non-maskable interrupts on top of interrupts on top of softirqs on top of a thread. Time goes to the topmost. A
//! thread that runs after the timer's handler woke ours was not preempted, or is more urgent; where the kernel switches to one
//! that is less urgent than ours, ours was throttled, or not queued yet. One that runs before, while the timer was due already, had interrupts off,
//! or the processor was away (firmware, hypervisor), which from inside look the same. Where even the switch to ours is
//! missing, the kernel hides what ran from its tracing.

use super::events::Stretch;
use super::record::{Edge, Event, RecordKind};
use crate::short_time::short_time;
use crate::thread_name::ThreadName;
use prazo_run::split::{Share, Taker};
use std::collections::BTreeMap;

/// Shares below this part of a latency are not worth a word: one in 20.
const WORTH_TELLING: i64 = 20;
/// The most shares that a sentence names.
const TOLD_MAX: usize = 4;

/// One latency, on CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// The processor.
    pub cpu: u32,
    /// The measured thread.
    pub thread_id: u32,
    /// Its priority inside the kernel, less is more urgent; none of an ordinary thread.
    pub priority: Option<i16>,
    /// When it was due.
    pub from_ns: u64,
    /// When the thread was made runnable; its own stamp where that is not known.
    pub waking_ns: u64,
    /// The thread's own stamp.
    pub to_ns: u64,
}

/// What took the time, longest first. `device` names an interrupt.
pub(crate) fn shares(window: &Window, stretch: &Stretch, device: &dyn Fn(i32) -> String) -> Vec<Share> {
    let mut ledger = Ledger { window: *window, cursor_ns: window.from_ns, taken_ns: BTreeMap::new() };
    ledger.charge(stretch.complete_from_ns, || (Taker::Unseen, String::new()));
    let mut stack = Stack::default();
    for event in stretch.events.iter().take_while(|event| event.at_ns <= window.to_ns) {
        ledger.charge(event.at_ns.min(window.waking_ns), || stack.top(window, true, device));
        ledger.charge(event.at_ns, || stack.top(window, false, device));
        stack.apply(event, window);
    }
    ledger.charge(window.waking_ns, || stack.at_end(window, true, device));
    ledger.charge(window.to_ns, || stack.at_end(window, false, device));
    ledger.shares()
}

/// Where the measured thread was moved to meanwhile, last.
pub(crate) fn moved_to(window: &Window, stretch: &Stretch) -> Option<u32> {
    let meanwhile = window.from_ns..=window.to_ns;
    let is_move = |event: &&Event| {
        event.kind == RecordKind::Migrate && event.id as u32 == window.thread_id && meanwhile.contains(&event.at_ns)
    };
    stretch.events.iter().rfind(is_move).and_then(|event| u32::try_from(event.extra).ok())
}

type CauseKey = (Taker, String);

struct Ledger {
    window: Window,
    cursor_ns: u64,
    taken_ns: BTreeMap<CauseKey, i64>,
}

impl Ledger {
    /// Gives the time from where the last one ended to `until_ns` to one taker.
    fn charge(&mut self, until_ns: u64, who: impl FnOnce() -> CauseKey) {
        let until_ns = until_ns.min(self.window.to_ns);
        if until_ns > self.cursor_ns {
            // Most events lie in front of the window, and a name is a copy, or asked of the kernel.
            *self.taken_ns.entry(who()).or_default() += (until_ns - self.cursor_ns) as i64;
            self.cursor_ns = until_ns;
        }
    }

    fn shares(self) -> Vec<Share> {
        let cpu = self.window.cpu;
        let share = |((taker, name), length_ns)| Share { taker, name, cpu, length_ns };
        let mut shares: Vec<Share> = self.taken_ns.into_iter().map(share).collect();
        shares.sort_by_key(|share| std::cmp::Reverse(share.length_ns));
        shares
    }
}

/// What is on the processor.
#[derive(Default)]
struct Stack {
    nmis: u32,
    interrupts: Vec<Interrupting>,
    softirqs: Vec<i32>,
    thread: Option<Running>,
    last_device: Option<i32>,
}

/// Who interrupts, by number.
#[derive(Clone, Copy)]
enum Interrupting {
    Device(i32),
    Vector(i32),
}

/// The thread on the processor.
struct Running {
    id: i32,
    name: ThreadName,
    /// What it is to ours once ours is runnable.
    taker: Taker,
}

/// The priority inside the kernel that all deadline threads have.
const DEADLINE: i16 = -1;

impl Running {
    /// The thread that the processor was switched to.
    fn since(event: &Event, window: &Window) -> Self {
        let was_chosen = event.at_ns >= window.waking_ns;
        let taker = match window.priority {
            Some(ours) if event.extra < ours => Taker::MoreUrgent,
            // Among deadline threads the one that is due sooner runs, whoever came first.
            Some(DEADLINE) if event.extra == DEADLINE => Taker::MoreUrgent,
            Some(ours) if event.extra > ours && was_chosen => Taker::Throttled,
            _ => Taker::Thread,
        };
        Self { id: event.id, name: event.name, taker }
    }
}

impl Stack {
    fn apply(&mut self, event: &Event, window: &Window) {
        match event.kind {
            RecordKind::Interrupt(Edge::Begin) => {
                self.last_device = Some(event.id);
                self.interrupts.push(Interrupting::Device(event.id));
            }
            RecordKind::Vector(Edge::Begin) => self.interrupts.push(Interrupting::Vector(event.id)),
            RecordKind::Interrupt(Edge::End) | RecordKind::Vector(Edge::End) => drop(self.interrupts.pop()),
            RecordKind::Softirq(Edge::Begin) => self.softirqs.push(event.id),
            RecordKind::Softirq(Edge::End) => drop(self.softirqs.pop()),
            RecordKind::Switch => {
                // Where a softirq can be preempted at all, it is its thread that goes on later.
                self.softirqs.clear();
                self.thread = Some(Running::since(event, window));
            }
            RecordKind::Nmi(Edge::Begin) => self.nmis += 1,
            RecordKind::Nmi(Edge::End) => self.nmis = self.nmis.saturating_sub(1),
            RecordKind::Migrate => {}
        }
    }

    fn top(&self, window: &Window, before_waking: bool, device: &dyn Fn(i32) -> String) -> CauseKey {
        if self.nmis > 0 {
            return (Taker::Nmi, String::new());
        }
        match self.interrupts.last() {
            Some(Interrupting::Device(number)) => return (Taker::Interrupt, device(*number)),
            Some(Interrupting::Vector(number)) => return (Taker::Interrupt, vector(*number).into()),
            None => {}
        }
        if let Some(number) = self.softirqs.last() {
            return (Taker::Softirq, self.softirq(*number, device));
        }
        match &self.thread {
            None => (Taker::Unseen, String::new()),
            Some(Running { id: 0, .. }) => (Taker::Idle, String::new()),
            Some(Running { id, .. }) if *id as u32 == window.thread_id => (Taker::Task, String::new()),
            Some(Running { name, .. }) if before_waking => (Taker::Unseen, name.to_string()),
            Some(Running { name, taker, .. }) => (*taker, name.to_string()),
        }
    }

    /// As `top`, behind the last event: at its own stamp the measured thread ran, whether or not the switch to it was shown.
    fn at_end(&self, window: &Window, before_waking: bool, device: &dyn Fn(i32) -> String) -> CauseKey {
        let is_bare = self.nmis == 0 && self.interrupts.is_empty() && self.softirqs.is_empty();
        match &self.thread {
            Some(other) if is_bare && other.id as u32 != window.thread_id => (Taker::Hidden, other.name.to_string()),
            _ => self.top(window, before_waking, device),
        }
    }

    /// A network softirq works for the device that interrupted last.
    fn softirq(&self, number: i32, device: &dyn Fn(i32) -> String) -> String {
        match (softirq(number), self.last_device) {
            (name @ ("NET_TX" | "NET_RX" | "BLOCK"), Some(last)) => format!("{name} ({})", device(last)),
            (name, _) => name.into(),
        }
    }
}

/// The name of a softirq.
pub(crate) fn softirq(number: i32) -> &'static str {
    const NAMES: [&str; 10] =
        ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];
    usize::try_from(number).ok().and_then(|number| NAMES.get(number)).copied().unwrap_or("unknown")
}

/// The name of an interrupt that the processor itself raises.
pub(crate) const fn vector(number: i32) -> &'static str {
    match number {
        1 => "local timer",
        2 => "reschedule",
        3 | 4 => "function call",
        5 => "irq work",
        6 => "thermal",
        7 => "machine check",
        8 => "platform IPI",
        9 => "spurious or error",
        _ => "unknown vector",
    }
}

/// "413 µs: 380 µs softirq NET_RX on cpu 1 (eth0), 21 µs kworker/1:1 not preempted".
pub(crate) fn sentence(latency_ns: i64, shares: &[Share], moved_to: Option<u32>) -> String {
    let worth = shares.iter().filter(|share| share.length_ns * WORTH_TELLING >= latency_ns).take(TOLD_MAX);
    let explanation: Vec<String> =
        worth.map(phrase).chain(moved_to.map(|cpu| format!("the delayed thread moved to cpu {cpu}"))).collect();
    format!("{}: {}", short_time(latency_ns.unsigned_abs()), explanation.join(", "))
}

fn phrase(share: &Share) -> String {
    let Share { taker, name, cpu, length_ns } = share;
    let time = short_time(length_ns.unsigned_abs());
    match taker {
        Taker::Nmi => format!("{time} non-maskable interrupt on cpu {cpu}"),
        Taker::Interrupt => format!("{time} interrupt {name} on cpu {cpu}"),
        Taker::Softirq => match name.split_once(' ') {
            Some((softirq, device)) => format!("{time} softirq {softirq} on cpu {cpu} {device}"),
            None => format!("{time} softirq {name} on cpu {cpu}"),
        },
        Taker::Thread => format!("{time} {name} not preempted"),
        Taker::MoreUrgent => format!("{time} {name} more urgent"),
        Taker::Throttled => {
            format!("{time} a less urgent {name} ran instead (the delayed thread was throttled, or not yet queued)")
        }
        Taker::Idle => format!("{time} cpu {cpu} idle"),
        Taker::Task => format!("{time} in the thread itself"),
        Taker::Unseen if name.is_empty() => format!("{time} with no cause recorded"),
        Taker::Unseen => format!("{time} while {name} ran with interrupts off, or the processor was stopped"),
        Taker::Hidden => format!("{time} not visible to tracing, last seen: {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OURS: i32 = 77;

    fn at(at_us: u64, kind: RecordKind, id: i32, name: &str) -> Event {
        // Between ours and the ordinary ones: as a kernel thread that is in the middle of something.
        Event { at_ns: at_us * 1_000, kind, extra: 120, id, name: name.into() }
    }

    fn switch(at_us: u64, id: i32, name: &str, extra: i16) -> Event {
        Event { extra, ..at(at_us, RecordKind::Switch, id, name) }
    }

    fn window(from_us: u64, waking_us: u64, to_us: u64) -> Window {
        let ns = |us: u64| us * 1_000;
        let thread_id = OURS as u32;
        let (from_ns, waking_ns, to_ns) = (ns(from_us), ns(waking_us), ns(to_us));
        Window { cpu: 1, thread_id, priority: Some(4), from_ns, waking_ns, to_ns }
    }

    fn stretch(events: Vec<Event>) -> Stretch {
        Stretch { events, complete_from_ns: 0 }
    }

    fn explanation(window: &Window, events: Vec<Event>) -> String {
        let stretch = stretch(events);
        let shares = shares(window, &stretch, &|_| "eth0".into());
        sentence((window.to_ns - window.from_ns) as i64, &shares, moved_to(window, &stretch))
    }

    #[test]
    fn a_softirq_and_a_thread_that_is_not_preempted_are_named_with_their_times() {
        use Edge::{Begin, End};
        let events = vec![
            at(0, RecordKind::Switch, 5, "kworker/1:1"),
            at(90, RecordKind::Interrupt(Begin), 25, ""),
            at(92, RecordKind::Interrupt(End), 25, ""),
            at(93, RecordKind::Softirq(Begin), 3, ""),
            at(105, RecordKind::Vector(Begin), 1, ""),
            at(107, RecordKind::Vector(End), 1, ""),
            at(482, RecordKind::Softirq(End), 3, ""),
            at(503, RecordKind::Switch, OURS, "prazo-cpu1"),
        ];
        let explanation = explanation(&window(100, 106, 513), events);
        assert_eq!(explanation, "413 µs: 380 µs softirq NET_RX on cpu 1 (eth0), 21 µs kworker/1:1 not preempted");
    }

    #[test]
    fn an_interrupt_that_comes_late_is_told_by_what_ran_meanwhile() {
        use Edge::{Begin, End};
        let late = |id, name: &str| {
            vec![
                at(0, RecordKind::Switch, id, name),
                at(180, RecordKind::Vector(Begin), 1, ""),
                at(182, RecordKind::Vector(End), 1, ""),
                at(183, RecordKind::Switch, OURS, "prazo-cpu1"),
            ]
        };
        let busy = explanation(&window(100, 181, 184), late(9, "hackbench"));
        assert_eq!(busy, "84 µs: 80 µs while hackbench ran with interrupts off, or the processor was stopped");
        assert_eq!(explanation(&window(100, 181, 184), late(0, "swapper/1")), "84 µs: 81 µs cpu 1 idle");
    }

    #[test]
    fn what_was_overwritten_is_said_to_be_unseen() {
        let lost = Stretch { events: Vec::new(), complete_from_ns: u64::MAX };
        let shares = shares(&window(100, 110, 150), &lost, &|_| String::new());
        assert_eq!(sentence(50_000, &shares, None), "50 µs: 50 µs with no cause recorded");
    }

    #[test]
    fn where_not_even_the_own_switch_was_shown_the_kernel_hid_what_ran() {
        let events = vec![switch(90, 9, "sandboxed", 120), switch(900, 3, "later", 120)];
        let explanation = explanation(&window(100, 3_424, 3_424), events);
        assert_eq!(
            explanation,
            "3,324 µs: 2,524 µs not visible to tracing, last seen: later, 800 µs while sandboxed ran with interrupts \
             off, or the processor was stopped"
        );
    }

    #[test]
    fn a_less_urgent_thread_that_the_kernel_chose_is_told_with_both_explanations() {
        let busy = [switch(0, OURS, "prazo-cpu1", 4), switch(102, 9, "cc1", 120), switch(150, OURS, "prazo-cpu1", 4)];
        assert_eq!(
            explanation(&window(100, 101, 151), busy.to_vec()),
            "51 µs: 48 µs a less urgent cc1 ran instead (the delayed thread was throttled, or not yet queued), 3.0 µs in the thread itself"
        );
        let ordinary = Window { priority: None, ..window(100, 101, 151) };
        assert_eq!(
            explanation(&ordinary, busy.to_vec()),
            "51 µs: 48 µs cc1 not preempted, 3.0 µs in the thread itself"
        );
    }

    #[test]
    fn a_more_urgent_thread_is_told_from_one_that_is_not_preempted() {
        let events = [switch(0, 3, "migration/1", -1), switch(140, 9, "irq/25-eth0", 49), switch(150, OURS, "ours", 4)];
        let explanation = explanation(&window(100, 101, 150), events.to_vec());
        assert_eq!(
            explanation,
            "50 µs: 39 µs migration/1 more urgent, 10 µs a less urgent irq/25-eth0 ran instead (the delayed thread was throttled, or not yet queued)"
        );
    }

    #[test]
    fn a_deadline_thread_waits_for_those_that_are_due_sooner() {
        let deadline = Window { priority: Some(-1), ..window(100, 101, 150) };
        let events = [switch(0, 9, "arm", -1), switch(140, OURS, "eye", -1)];
        assert_eq!(explanation(&deadline, events.to_vec()), "50 µs: 39 µs arm more urgent, 10 µs in the thread itself");
    }

    #[test]
    fn a_move_to_another_processor_ends_the_sentence() {
        let moved = |at_us, id| Event { extra: 3, ..at(at_us, RecordKind::Migrate, id, "") };
        let late = |id| vec![switch(0, 9, "cc1", 120), moved(103, id), switch(140, OURS, "prazo-cpu1", 4)];
        assert_eq!(
            explanation(&window(100, 101, 141), late(OURS)),
            "41 µs: 39 µs cc1 not preempted, the delayed thread moved to cpu 3"
        );
        assert_eq!(explanation(&window(100, 101, 141), late(9)), "41 µs: 39 µs cc1 not preempted");
        assert_eq!(explanation(&window(110, 111, 141), late(OURS)), "31 µs: 29 µs cc1 not preempted", "it was before");
    }

    fn any_events() -> impl Strategy<Value = Vec<Event>> {
        let kind = prop_oneof![
            Just(RecordKind::Switch),
            Just(RecordKind::Interrupt(Edge::Begin)),
            Just(RecordKind::Interrupt(Edge::End)),
            Just(RecordKind::Softirq(Edge::Begin)),
            Just(RecordKind::Softirq(Edge::End)),
        ];
        prop::collection::vec((0u64..300, kind, 0i32..4), 0..40).prop_map(|mut all| {
            all.sort_by_key(|(at_us, ..)| *at_us);
            all.into_iter().map(|(at_us, kind, id)| at(at_us, kind, id, ["", "a", "b", "c"][id as usize])).collect()
        })
    }

    /// The slow, obvious twin: what was on top at each microsecond, asked anew from the beginning.
    fn twin(window: &Window, events: &[Event]) -> BTreeMap<CauseKey, i64> {
        let mut taken = BTreeMap::new();
        for us in window.from_ns / 1_000..window.to_ns / 1_000 {
            let mut stack = Stack::default();
            events.iter().filter(|e| e.at_ns <= us * 1_000).for_each(|event| stack.apply(event, window));
            let comes_another = events.iter().any(|e| e.at_ns > us * 1_000 && e.at_ns <= window.to_ns);
            let on_top = if comes_another { Stack::top } else { Stack::at_end };
            *taken.entry(on_top(&stack, window, us * 1_000 < window.waking_ns, &|_| "eth0".into())).or_default() +=
                1_000;
        }
        taken
    }

    proptest! {
        #[test]
        fn shares_agree_with_asking_at_each_microsecond(events in any_events(), from in 50u64..150, length in 2u64..150) {
            let window = window(from, from + length / 2, from + length);
            let shares = shares(&window, &stretch(events.clone()), &|_| "eth0".into());
            let taken: BTreeMap<CauseKey, i64> =
                shares.iter().map(|share| ((share.taker, share.name.clone()), share.length_ns)).collect();
            prop_assert_eq!(taken, twin(&window, &events));
            prop_assert_eq!(shares.iter().map(|share| share.length_ns).sum::<i64>(), length as i64 * 1_000);
        }
    }
}
