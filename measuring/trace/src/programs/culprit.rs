//! From one late activation and the events around it to who took its time, and to a sentence about it; pure.
//!
//! The thread's own stretches cut the time from due to the next wait into pieces: the timer was late, the thread was runnable
//! and did not run, it was blocked, it computed. The events of the processors say who had the processor in each piece. What the
//! thread computes in a typical activation is no cause; of the rest, whoever took most is the culprit.

use super::activation::Activation;
use super::calls::{self, Meaning};
use super::record::{Off, Other};
use crate::short_time::short_time;
use crate::split::cause::{self, Window};
use crate::split::events::Stretch;
use prazo_core::words;
use prazo_run::split::Taker;
use std::collections::BTreeMap;

words!(
    CauseKind:
    Interrupt => "interrupt",
    Softirq => "softirq",
    Thread => "thread",
    Throttled => "throttled",
    Lock => "lock",
    PageFault => "page-fault",
    Io => "io",
    Sleep => "sleep",
    Stopped => "stopped",
    Slack => "slack",
    Stall => "stall",
    Program => "program",
    Unknown => "unknown",
);

/// What made an activation late; docs/watch.md explains each word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CauseKind {
    /// A device's or the processor's own interrupt.
    Interrupt,
    /// A softirq.
    Softirq,
    /// Another thread had the processor.
    Thread,
    /// The kernel let a less urgent thread or nobody run: the time allowed to this one was used up.
    Throttled,
    /// It waited for a lock that another thread held.
    Lock,
    /// It waited for a page of memory.
    PageFault,
    /// It waited for a file, a device or another program.
    Io,
    /// It slept within its activation.
    Sleep,
    /// It was stopped by a signal or a debugger.
    Stopped,
    /// The kernel was allowed to delay its timer.
    Slack,
    /// The processor did not react: it slept, had interrupts off, or firmware or a hypervisor had it.
    Stall,
    /// It computed longer than usual.
    Program,
    /// Nothing that was recorded explains it.
    Unknown,
}

/// The cause of one late activation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// What it was.
    pub cause: CauseKind,
    /// Its name: a device, a softirq, a thread; `None` where nobody is known.
    pub who: Option<String>,
    /// The activation in one sentence, with everybody who took much of its time.
    pub sentence: String,
}

/// Gives the events of a processor around a stretch of time; none where they are not recorded.
pub(super) type Events<'a> = &'a dyn Fn(u32, u64, u64) -> Option<Stretch>;
/// Names an interrupt.
pub(super) type Devices<'a> = &'a dyn Fn(i32) -> String;

/// The activation that is looked into.
pub(super) struct Suspect<'a> {
    pub thread: u32,
    pub name: &'a str,
    pub activation: &'a Activation,
    /// Its stretches off a processor, oldest first.
    pub offs: &'a [Off],
    /// What it computes in a typical activation.
    pub typical_own_ns: u64,
    pub is_unfinished: bool,
    /// It is no activation but a section of the program, due when it began.
    pub is_section: bool,
}

/// What the time of one piece went to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Charge {
    cause: CauseKind,
    who: String,
    /// What a sentence says of it behind its time.
    phrase: String,
}

/// A part of the time from due to the next wait.
pub(super) struct Piece<'a> {
    pub cpu: u32,
    pub from_ns: u64,
    pub to_ns: u64,
    pub kind: PieceKind<'a>,
}

pub(super) enum PieceKind<'a> {
    /// The timer was due and had not woken it.
    TimerLate(&'a Off),
    /// It could have run.
    Ready(&'a Off),
    /// It could not.
    Blocked(&'a Off),
    /// It had a processor.
    Own,
}

/// Who made it late.
pub(super) fn culprit(suspect: &Suspect<'_>, events: Events<'_>, devices: Devices<'_>) -> Culprit {
    let mut ledger: BTreeMap<Charge, u64> = BTreeMap::new();
    for piece in pieces(suspect) {
        for (charge, length_ns) in charges(suspect, &piece, events, devices) {
            *ledger.entry(charge).or_default() += length_ns;
        }
    }
    fault(suspect, &mut ledger);
    let excess = |(charge, length_ns): &(&Charge, &u64)| match charge.cause {
        CauseKind::Program => length_ns.saturating_sub(suspect.typical_own_ns),
        _ => **length_ns,
    };
    let worst = ledger.iter().max_by_key(excess).filter(|entry| excess(entry) > 0).map(|(charge, _)| charge);
    Culprit {
        cause: worst.map_or(CauseKind::Unknown, |charge| charge.cause),
        who: worst.map(|charge| charge.who.clone()).filter(|who| !who.is_empty()),
        sentence: sentence(suspect, &ledger),
    }
}

/// What the thread spent in page faults without being blocked was taken for its own.
fn fault(suspect: &Suspect<'_>, ledger: &mut BTreeMap<Charge, u64>) {
    let took_ns = suspect.activation.faults.took_ns;
    let Some(own_ns) = ledger.get_mut(&own(suspect)).filter(|_| took_ns > 0) else { return };
    let released_ns = suspect.activation.released_ns;
    let away = |off: &&Off| off.call.is_none() && !is_stop(off) && off.off_ns >= released_ns && off.state != 0;
    let away_ns: u64 = suspect.offs.iter().filter(away).map(|off| off.on_ns - off.off_ns).sum();
    let on_ns = took_ns.saturating_sub(away_ns).min(*own_ns);
    *own_ns -= on_ns;
    *ledger.entry(page_fault()).or_default() += on_ns;
}

fn page_fault() -> Charge {
    charge(CauseKind::PageFault, "", "in page faults")
}

/// The time from due to the next wait, cut where the thread left or came.
pub(super) fn pieces<'a>(suspect: &Suspect<'a>) -> Vec<Piece<'a>> {
    let Activation { from_ns, wait_ns, released_ns, end_ns, .. } = *suspect.activation;
    let mut pieces = Vec::new();
    let mut cursor = from_ns;
    let mut cpu = suspect.offs.first().map_or(0, |off| off.cpu_off);
    let mut push = |cpu, from_ns: u64, to_ns: u64, kind| {
        let to_ns = to_ns.min(end_ns);
        if to_ns > from_ns {
            pieces.push(Piece { cpu, from_ns, to_ns, kind });
        }
    };
    for off in suspect.offs.iter().filter(|off| off.on_ns > from_ns && off.off_ns < end_ns) {
        push(off.cpu_off, cursor, off.off_ns, PieceKind::Own);
        let off_ns = off.off_ns.max(cursor);
        let is_wait = off.off_ns >= wait_ns && off.off_ns < released_ns && !is_stop(off);
        // Preempted: runnable from the beginning.
        let ready_ns = if off.state == 0 { off_ns } else { off.waking_ns.clamp(off_ns, off.on_ns.max(off_ns)) };
        match is_wait {
            true => push(off.cpu_waking, off_ns, ready_ns, PieceKind::TimerLate(off)),
            false => push(off.cpu_off, off_ns, ready_ns, PieceKind::Blocked(off)),
        }
        push(off.cpu_on, ready_ns, off.on_ns, PieceKind::Ready(off));
        (cursor, cpu) = (off.on_ns.max(cursor), off.cpu_on);
    }
    push(cpu, cursor, end_ns, PieceKind::Own);
    pieces
}

/// Stopped by a signal, or by a debugger.
fn is_stop(off: &Off) -> bool {
    const STOPPED: u32 = 4;
    const TRACED: u32 = 8;
    off.state & (STOPPED | TRACED) != 0
}

fn charges(suspect: &Suspect<'_>, piece: &Piece<'_>, events: Events<'_>, devices: Devices<'_>) -> Vec<(Charge, u64)> {
    let length_ns = piece.to_ns - piece.from_ns;
    match piece.kind {
        PieceKind::Blocked(off) => vec![(blocked(off), length_ns)],
        PieceKind::TimerLate(off) => {
            let slack_ns = off.latest_ns.saturating_sub(off.due_ns.max(1)).min(length_ns);
            let slack_ns = if off.due_ns == 0 { 0 } else { slack_ns };
            let late = Piece { from_ns: piece.from_ns + slack_ns, kind: PieceKind::TimerLate(off), ..*piece };
            let mut charges = seen(suspect, &late, events, devices);
            charges.push((charge(CauseKind::Slack, "", "of timer slack"), slack_ns));
            charges
        }
        PieceKind::Ready(_) | PieceKind::Own => seen(suspect, piece, events, devices),
    }
}

fn charge(cause: CauseKind, who: &str, phrase: impl Into<String>) -> Charge {
    Charge { cause, who: who.into(), phrase: phrase.into() }
}

/// A piece by the events of its processor; by what the thread's own records say where there are none.
fn seen(suspect: &Suspect<'_>, piece: &Piece<'_>, events: Events<'_>, devices: Devices<'_>) -> Vec<(Charge, u64)> {
    let stretch =
        events(piece.cpu, piece.from_ns, piece.to_ns).filter(|stretch| stretch.complete_from_ns <= piece.from_ns);
    let Some(stretch) = stretch else { return vec![(unrecorded(suspect, piece), piece.to_ns - piece.from_ns)] };
    let waking_ns = match piece.kind {
        PieceKind::TimerLate(_) => piece.to_ns,
        _ => piece.from_ns,
    };
    let priority = suspect.offs.last().map(|off| off.priority).filter(|priority| *priority < 100);
    let window = Window {
        cpu: piece.cpu,
        thread_id: suspect.thread,
        priority,
        from_ns: piece.from_ns,
        waking_ns,
        to_ns: piece.to_ns,
    };
    let shares = cause::shares(&window, &stretch, devices);
    shares.iter().map(|share| (of_share(suspect, piece, share.taker, &share.name), share.length_ns as u64)).collect()
}

fn of_share(suspect: &Suspect<'_>, piece: &Piece<'_>, taker: Taker, name: &str) -> Charge {
    let cpu = piece.cpu;
    match (taker, &piece.kind) {
        (Taker::Nmi, _) => {
            charge(CauseKind::Interrupt, "non-maskable interrupt", format!("non-maskable interrupt on cpu {cpu}"))
        }
        (Taker::Interrupt, _) => charge(CauseKind::Interrupt, name, format!("interrupt {name} on cpu {cpu}")),
        (Taker::Softirq, _) => charge(CauseKind::Softirq, name, format!("softirq {name} on cpu {cpu}")),
        // It has the processor, whatever the events show of it.
        (_, PieceKind::Own) => own(suspect),
        (Taker::Throttled, PieceKind::Ready(_)) => {
            charge(CauseKind::Throttled, name, format!("the less urgent {name} ran instead"))
        }
        (Taker::Idle, PieceKind::Ready(off)) if is_throttled(off) => throttled(),
        // Whoever runs then, another deadline thread for instance, takes nothing from it: its budget is spent.
        (Taker::Thread | Taker::MoreUrgent | Taker::Hidden, PieceKind::Ready(off)) if has_spent_its_budget(off) => {
            while_throttled(name)
        }
        (Taker::Thread | Taker::MoreUrgent | Taker::Hidden, PieceKind::Ready(off)) => thread(off, name),
        (Taker::Task, PieceKind::Ready(_)) => charge(CauseKind::Thread, "", "until the thread was switched to"),
        (Taker::Idle, _) => charge(CauseKind::Stall, "", format!("cpu {cpu} idle")),
        (Taker::Unseen, PieceKind::Ready(off)) if name.is_empty() => waited(off),
        (Taker::Unseen, _) if name.is_empty() => charge(CauseKind::Unknown, "", "with no cause recorded"),
        // Who is to blame, the thread or the machine below it, looks the same from inside.
        (Taker::Thread | Taker::MoreUrgent | Taker::Throttled | Taker::Task | Taker::Unseen | Taker::Hidden, _) => {
            charge(CauseKind::Stall, "", format!("while {name} ran with interrupts off, or cpu {cpu} was stopped"))
        }
    }
}

/// Without events: what the thread's own records say.
fn unrecorded(suspect: &Suspect<'_>, piece: &Piece<'_>) -> Charge {
    match piece.kind {
        PieceKind::Own => own(suspect),
        PieceKind::Ready(off) => waited(off),
        PieceKind::TimerLate(_) | PieceKind::Blocked(_) => charge(CauseKind::Unknown, "", "with no cause recorded"),
    }
}

fn own(suspect: &Suspect<'_>) -> Charge {
    charge(CauseKind::Program, suspect.name, "in the program itself")
}

fn throttled() -> Charge {
    charge(CauseKind::Throttled, "", "throttled, and no other thread ran instead")
}

fn while_throttled(name: &str) -> Charge {
    charge(CauseKind::Throttled, name, format!("{name} ran while the thread was throttled"))
}

/// Runnable and not running, by what was noted when it left.
fn waited(off: &Off) -> Charge {
    match off.state {
        0 if is_throttled(off) && off.taker.thread_id == 0 => throttled(),
        0 if has_spent_its_budget(off) => while_throttled(&off.taker.name),
        0 if is_throttled(off) => {
            let name = &off.taker.name;
            charge(CauseKind::Throttled, name, format!("the less urgent {name} ran instead"))
        }
        0 => thread(off, &off.taker.name),
        _ => charge(CauseKind::Unknown, "", "runnable but not running, with no cause recorded"),
    }
}

/// It could have run, and the kernel chose nobody, or somebody less urgent.
fn is_throttled(off: &Off) -> bool {
    const STOPPER: i16 = 0;
    let is_less_urgent = off.taker.priority > off.priority && off.priority < 100 && off.taker.priority != STOPPER;
    is_taken_away(off) && (off.taker.thread_id == 0 || is_less_urgent)
}

/// A deadline thread that left with no runtime.
fn has_spent_its_budget(off: &Off) -> bool {
    off.priority < 0 && off.throttled && is_taken_away(off)
}

/// It neither blocked nor yielded: a deadline thread that yields waits for its next budget.
fn is_taken_away(off: &Off) -> bool {
    off.state == 0 && off.call.is_none_or(|call| calls::meaning(call) != Meaning::Yield)
}

fn thread(off: &Off, name: &str) -> Charge {
    let known = Some(&off.taker).filter(|taker| off.state == 0 && taker.name == name);
    charge(CauseKind::Thread, name, format!("{} ran instead", known.map_or_else(|| name.to_owned(), named)))
}

/// "hog (thread 812)".
fn named(other: &Other) -> String {
    format!("{} (thread {})", other.name, other.thread_id)
}

/// What it was blocked in, as in "blocked in read, woken by writer (thread 812)".
pub(super) fn blocked_in(off: &Off) -> String {
    blocked(off).phrase
}

/// What it was blocked in.
fn blocked(off: &Off) -> Charge {
    const INTERRUPTIBLE: u32 = 1;
    const UNINTERRUPTIBLE: u32 = 2;
    let waker = &off.waker;
    // A timer's function runs on top of whoever is there; that thread woke nobody.
    let woken_by = if off.due_ns > 0 || waker.thread_id == 0 { None } else { Some(waker) };
    let by = woken_by.map_or_else(String::new, |waker| format!(", woken by {}", named(waker)));
    let who = woken_by.map_or("", |waker| waker.name.as_str());
    if is_stop(off) {
        return charge(CauseKind::Stopped, who, format!("stopped{}", by.replace("woken", "continued")));
    }
    let Some(call) = off.call else {
        return match off.state & (INTERRUPTIBLE | UNINTERRUPTIBLE) {
            0 => charge(CauseKind::Unknown, who, format!("blocked outside of any system call{by}")),
            // userfaultfd(2): another thread gives the page.
            INTERRUPTIBLE => charge(CauseKind::PageFault, who, format!("waiting for a page of memory{by}")),
            _ => page_fault(),
        };
    };
    let name = calls::name(call);
    match calls::meaning(call) {
        Meaning::Futex if woken_by.is_some() => charge(CauseKind::Lock, who, format!("blocked in {name}{by}")),
        Meaning::Futex | Meaning::ClockNanosleep | Meaning::Nanosleep | Meaning::Restart => {
            charge(CauseKind::Sleep, &name, format!("asleep in {name}"))
        }
        _ if off.due_ns > 0 => charge(CauseKind::Sleep, &name, format!("asleep in {name}")),
        _ if who.is_empty() => charge(CauseKind::Io, &name, format!("blocked in {name}")),
        _ => charge(CauseKind::Io, who, format!("blocked in {name}{by}")),
    }
}

/// Shares below this part are not worth a word: one in 20; and the most that a sentence names.
const WORTH_TELLING: u64 = 20;
const TOLD_MAX: usize = 4;

fn sentence(suspect: &Suspect<'_>, ledger: &BTreeMap<Charge, u64>) -> String {
    let (latency_ns, response_ns) = (suspect.activation.latency_ns(), suspect.activation.response_ns());
    let mut shares: Vec<(&Charge, &u64)> =
        ledger.iter().filter(|(_, ns)| **ns > 0 && **ns * WORTH_TELLING >= response_ns).collect();
    shares.sort_by_key(|(_, ns)| std::cmp::Reverse(**ns));
    let shares: Vec<String> = shares
        .into_iter()
        .take(TOLD_MAX)
        .map(|(charge, ns)| format!("{} {}", short_time(*ns), charge.phrase))
        .collect();
    if suspect.is_section {
        return format!("took {}: {}", short_time(response_ns), shares.join(", "));
    }
    let end = if suspect.is_unfinished { "not ended after" } else { "waited again after" };
    format!("ran after {}, {end} {}: {}", short_time(latency_ns), short_time(response_ns), shares.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::record::Faults;
    use crate::split::record::{Edge, Event, RecordKind};

    const OURS: u32 = 77;
    const MS: u64 = 1_000_000;

    fn activation(end_ms: u64) -> Activation {
        let (from_ns, wait_ns, released_ns, end_ns) = (10 * MS, 9 * MS, 10 * MS + 20_000, end_ms * MS);
        Activation { from_ns, wait_ns, released_ns, end_ns, ..Activation::default() }
    }

    fn sleep() -> Off {
        let (off_ns, waking_ns, on_ns) = (9 * MS + 1_000, 10 * MS + 5_000, 10 * MS + 15_000);
        Off { off_ns, waking_ns, on_ns, state: 1, due_ns: 10 * MS, priority: 20, ..Off::default() }
    }

    fn off(from_ms: u64, waking_ms: u64, to_ms: u64, state: u32) -> Off {
        let (off_ns, waking_ns, on_ns) = (from_ms * MS, waking_ms * MS, to_ms * MS);
        let waker = Other { thread_id: 5, name: "low".into(), priority: 0 };
        let taker = Other { thread_id: 6, name: "hog".into(), priority: 10 };
        Off { off_ns, waking_ns, on_ns, state, waker, taker, priority: 20, ..Off::default() }
    }

    /// Without events, the thread's own records speak.
    fn found(offs: &[Off], end_ms: u64) -> (CauseKind, Option<String>) {
        let culprit = explained(offs, end_ms, &|_, _, _| None);
        (culprit.cause, culprit.who)
    }

    fn explained(offs: &[Off], end_ms: u64, events: Events<'_>) -> Culprit {
        let activation = activation(end_ms);
        let suspect = Suspect {
            thread: OURS,
            name: "ctl",
            activation: &activation,
            offs,
            typical_own_ns: MS,
            is_unfinished: false,
            is_section: false,
        };
        culprit(&suspect, events, &|_| "eth0".into())
    }

    #[test]
    fn each_way_to_lose_time_has_its_word_and_its_name() {
        let futex = Some(libc::SYS_futex as u32);
        let nanosleep = Some(libc::SYS_clock_nanosleep as u32);
        let cases = [
            (off(11, 0, 15, 0), CauseKind::Thread, Some("hog")),
            (Off { call: futex, ..off(11, 15, 15, 1) }, CauseKind::Lock, Some("low")),
            (Off { call: nanosleep, due_ns: 3, ..off(11, 15, 15, 1) }, CauseKind::Sleep, Some("clock_nanosleep")),
            (off(11, 15, 15, 2), CauseKind::PageFault, None),
            (off(11, 15, 15, 1), CauseKind::PageFault, Some("low")),
            (off(11, 15, 15, 4), CauseKind::Stopped, Some("low")),
            (Off { call: Some(libc::SYS_fsync as u32), due_ns: 0, ..off(11, 15, 15, 2) }, CauseKind::Io, Some("low")),
            (Off { taker: Other::default(), ..off(11, 0, 15, 0) }, CauseKind::Throttled, None),
            (
                Off { taker: Other { priority: 120, ..off(0, 0, 0, 0).taker }, ..off(11, 0, 15, 0) },
                CauseKind::Throttled,
                Some("hog"),
            ),
        ];
        let of_deadline = |throttled| Off { priority: -1, throttled, ..off(11, 0, 15, 0) };
        let another = |throttled| {
            let taker = Other { priority: -1, ..off(0, 0, 0, 0).taker };
            Off { taker, ..of_deadline(throttled) }
        };
        let cases = cases.into_iter().chain([
            (another(true), CauseKind::Throttled, Some("hog")),
            (another(false), CauseKind::Thread, Some("hog")),
            (Off { call: Some(libc::SYS_sched_yield as u32), ..another(true) }, CauseKind::Thread, Some("hog")),
        ]);
        for (off, cause, who) in cases {
            assert_eq!(found(&[sleep(), off], 16), (cause, who.map(str::to_owned)));
        }
    }

    #[test]
    fn only_what_a_program_computes_beyond_the_usual_is_its_own_fault() {
        assert_eq!(found(&[sleep()], 16), (CauseKind::Program, Some("ctl".into())));
        assert_eq!(found(&[sleep(), off(11, 0, 12, 0)], 14).0, CauseKind::Program, "3 ms of its own, 1 ms of others");
        assert_eq!(found(&[sleep(), off(11, 0, 13, 0)], 13).0, CauseKind::Thread, "1 ms of its own is usual");
    }

    #[test]
    fn page_faults_that_do_not_block_are_not_the_programs_own_time() {
        let faults = Faults { minor: 0, major: 900, took_ns: 4 * MS };
        let (activation, sleep) = (Activation { faults, ..activation(16) }, [sleep()]);
        let suspect = Suspect {
            thread: OURS,
            name: "ctl",
            activation: &activation,
            offs: &sleep,
            typical_own_ns: MS,
            is_unfinished: false,
            is_section: false,
        };
        let culprit = culprit(&suspect, &|_, _, _| None, &|_| String::new());
        assert_eq!(culprit.cause, CauseKind::PageFault, "{}", culprit.sentence);
        assert!(culprit.sentence.contains("4,000 µs in page faults"), "{}", culprit.sentence);
    }

    #[test]
    fn events_name_who_ran_while_it_was_runnable_and_what_interrupted_it() {
        let late = Off { on_ns: 14 * MS, ..sleep() };
        let at = |at_ns, kind, id, name: &str| Event { at_ns, kind, extra: 10, id, name: name.into() };
        let events =
            vec![at(8 * MS, RecordKind::Switch, 5, "hog"), at(14 * MS, RecordKind::Switch, OURS as i32, "ctl")];
        let stretch = Stretch { events, complete_from_ns: 0 };
        let named = explained(&[late], 15, &|_, _, _| Some(stretch.clone()));
        assert_eq!((named.cause, named.who.as_deref()), (CauseKind::Thread, Some("hog")), "{}", named.sentence);
        assert!(
            named.sentence.starts_with("ran after 20 µs, waited again after 5,000 µs: 3,995 µs hog ran instead"),
            "{}",
            named.sentence
        );
    }

    #[test]
    fn a_non_maskable_interrupt_is_an_interrupt() {
        let late = Off { on_ns: 14 * MS, ..sleep() };
        let at = |at_ns, kind, id| Event { at_ns, kind, extra: 10, id, name: "hog".into() };
        let events = vec![
            at(8 * MS, RecordKind::Switch, 5),
            at(10 * MS, RecordKind::Nmi(Edge::Begin), 0),
            at(13 * MS, RecordKind::Nmi(Edge::End), 0),
            at(14 * MS, RecordKind::Switch, OURS as i32),
        ];
        let stretch = Stretch { events, complete_from_ns: 0 };
        let named = explained(&[late], 15, &|_, _, _| Some(stretch.clone()));
        assert_eq!((named.cause, named.who.as_deref()), (CauseKind::Interrupt, Some("non-maskable interrupt")));
        assert!(named.sentence.contains("non-maskable interrupt on cpu 0"), "{}", named.sentence);
    }
}
