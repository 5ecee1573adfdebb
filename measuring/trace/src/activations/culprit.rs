//! From one late activation and the events around it to who took its time, and to a sentence about it; pure.
//!
//! The thread's own stretches cut the time from due to the next wait into pieces: the timer was late, the thread was runnable
//! and did not run, it was blocked, it computed. The events of the processors say who had the processor in each piece. What the
//! thread computes in a typical activation is no cause; of the rest, whoever took most is the culprit.

use super::activation::Activation;
use super::calls::{self, Meaning};
use super::record::{Lock, Off, Other};
use crate::short_time::short_time;
use crate::split::cause::{self, Window};
use crate::split::events::Stretch;
use prazo_core::words;
use prazo_run::split::{Share, Taker};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

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
pub(super) type Events<'a> = &'a dyn Fn(u32, u64, u64) -> Option<Rc<Stretch>>;
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
    /// The stretches off a processor of other threads that are followed, oldest first.
    pub others: Others<'a>,
}

/// Gives the stretches off a processor of a thread that is followed too; none of any other.
pub(super) type Others<'a> = &'a dyn Fn(u32) -> Vec<Off>;

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

#[derive(Clone, Copy)]
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

/// Somebody or something that took time within an activation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TakenKey {
    pub cause: CauseKind,
    /// The system call that the thread was blocked in, and nothing where it was not, or outside of any.
    pub wait: String,
    /// Nothing where nobody is known.
    pub who: String,
}

/// By the wait for a lock: who ran, and for how long, while the lock's holder could have run.
type Inversions = BTreeMap<Charge, BTreeMap<String, u64>>;

/// What the time of one activation went to.
#[derive(Debug, Default)]
pub(super) struct Accounting {
    ledger: BTreeMap<Charge, u64>,
    inversions: Inversions,
    /// Behind the release: who ran while the thread could have run, and who interrupted it.
    pub preempted: BTreeMap<TakenKey, u64>,
    /// Behind the release: what the thread was blocked in.
    pub blocked: BTreeMap<TakenKey, u64>,
}

/// Looks where the time of one activation went.
pub(super) fn account(suspect: &Suspect<'_>, events: Events<'_>, devices: Devices<'_>) -> Accounting {
    let mut found = Accounting::default();
    let released_ns = suspect.activation.released_ns;
    for piece in pieces(suspect).into_iter().flat_map(|piece| cut(piece, released_ns)) {
        if let PieceKind::Blocked(off) = piece.kind {
            for (taker, ns) in kept_from_running(suspect, &piece, off, events, devices) {
                *found.inversions.entry(held(off)).or_default().entry(taker).or_default() += ns;
            }
        }
        for (charge, length_ns) in charges(suspect, &piece, events, devices) {
            if piece.from_ns >= released_ns && length_ns > 0 && charge.cause != CauseKind::Program {
                let (into, wait) = match piece.kind {
                    PieceKind::Blocked(off) => (&mut found.blocked, off.call.map(calls::name).unwrap_or_default()),
                    _ => (&mut found.preempted, String::new()),
                };
                let who = if charge.who == wait { String::new() } else { charge.who.clone() };
                *into.entry(TakenKey { cause: charge.cause, wait, who }).or_default() += length_ns;
            }
            *found.ledger.entry(charge).or_default() += length_ns;
        }
    }
    fault(suspect, &mut found.ledger);
    found
}

/// What lies in front of an instant, and what behind it.
fn cut(piece: Piece<'_>, at_ns: u64) -> impl Iterator<Item = Piece<'_>> {
    let middle_ns = at_ns.clamp(piece.from_ns, piece.to_ns);
    let Piece { cpu, from_ns, to_ns, kind } = piece;
    let parts = [Piece { cpu, from_ns, to_ns: middle_ns, kind }, Piece { cpu, from_ns: middle_ns, to_ns, kind }];
    parts.into_iter().filter(|part| part.to_ns > part.from_ns)
}

impl Accounting {
    /// Who made it late: of the cause that took most in all, whoever took most.
    pub(super) fn culprit(&self, suspect: &Suspect<'_>) -> Culprit {
        let excess = |(charge, length_ns): (&Charge, &u64)| match charge.cause {
            CauseKind::Program => length_ns.saturating_sub(suspect.typical_own_ns),
            _ => *length_ns,
        };
        let mut in_all: BTreeMap<CauseKind, u64> = BTreeMap::new();
        for entry in &self.ledger {
            *in_all.entry(entry.0.cause).or_default() += excess(entry);
        }
        let rank = |entry: (&Charge, &u64)| (in_all[&entry.0.cause], excess(entry));
        let worst = self.ledger.iter().max_by_key(|entry| rank(*entry)).filter(|entry| excess(*entry) > 0);
        let worst = worst.map(|(charge, _)| charge);
        Culprit {
            cause: worst.map_or(CauseKind::Unknown, |charge| charge.cause),
            who: worst.map(|charge| charge.who.clone()).filter(|who| !who.is_empty()),
            sentence: self.sentence(suspect),
        }
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
        let is_own_wait = off.off_ns >= wait_ns && off.off_ns < released_ns;
        // The wait of the activation before, whose timer expired late: this activation was due meanwhile.
        let is_wait_before = off.off_ns < from_ns && (1..=from_ns).contains(&off.due_ns);
        let is_wait = (is_own_wait || is_wait_before) && !is_stop(off);
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
        PieceKind::Blocked(off) => vec![(held(off), length_ns)],
        PieceKind::TimerLate(off) => {
            let slack_ns = off.latest_ns.saturating_sub(off.due_ns.max(1).max(piece.from_ns)).min(length_ns);
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
        (Taker::Task, PieceKind::Ready(_)) => charge(CauseKind::Thread, "", "until the kernel switched to the thread"),
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
        0 if has_spent_its_budget(off) => while_throttled(&off.taker.name.text()),
        0 if is_throttled(off) => {
            let name = &off.taker.name.text();
            charge(CauseKind::Throttled, name, format!("the less urgent {name} ran instead"))
        }
        0 => thread(off, &off.taker.name.text()),
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
    let known = Some(&off.taker).filter(|taker| off.state == 0 && taker.name.text() == name);
    charge(CauseKind::Thread, name, format!("{} ran instead", known.map_or_else(|| name.to_owned(), named)))
}

/// "hog (thread 812)".
fn named(other: &Other) -> String {
    format!("{} (thread {})", other.name, other.thread_id)
}

/// What it was blocked in; of a lock who held it.
fn held(off: &Off) -> Charge {
    let charge = blocked(off);
    let Some(lock) = off.lock.filter(|_| charge.cause == CauseKind::Lock) else { return charge };
    let holder = &off.waker;
    let before = match lock {
        // The kernel gave it to another one that waited too, and that one released it.
        Lock::Inheriting(first) if first != holder.thread_id => format!(", and thread {first} before it"),
        Lock::Inheriting(_) | Lock::Plain => String::new(),
    };
    Charge { phrase: format!("waiting for a lock that {} held{before}", named(holder)), ..charge }
}

/// Who ran, and for how long, while the one that released a lock could have run; nobody where it was no lock.
fn kept_from_running(
    suspect: &Suspect<'_>,
    piece: &Piece<'_>,
    off: &Off,
    events: Events<'_>,
    devices: Devices<'_>,
) -> BTreeMap<String, u64> {
    let (holder, mut taken) = (&off.waker, BTreeMap::new());
    if blocked(off).cause != CauseKind::Lock {
        return taken;
    }
    for ready in ready_while(&(suspect.others)(holder.thread_id), piece) {
        let window = Window {
            cpu: ready.cpu,
            thread_id: holder.thread_id,
            priority: Some(ready.off.priority).filter(|priority| *priority < 100),
            from_ns: ready.from_ns,
            waking_ns: ready.from_ns,
            to_ns: ready.to_ns,
        };
        let stretch = events(ready.cpu, ready.from_ns, ready.to_ns);
        let stretch = stretch.filter(|stretch| stretch.complete_from_ns <= ready.from_ns);
        match stretch {
            Some(stretch) => {
                let is_taker = |share: &Share| !matches!(share.taker, Taker::Task | Taker::Unseen | Taker::Idle);
                for share in cause::shares(&window, &stretch, devices).into_iter().filter(is_taker) {
                    *taken.entry(share.name).or_default() += share.length_ns.cast_unsigned();
                }
            }
            // Who came instead; of a holder that was woken nobody knows who ran.
            None if ready.off.state == 0 => {
                *taken.entry(ready.off.taker.name.to_string()).or_default() += ready.to_ns - ready.from_ns;
            }
            None => {}
        }
    }
    taken
}

/// A stretch in which another thread could have run and did not.
struct ReadyStretch<'a> {
    off: &'a Off,
    cpu: u32,
    from_ns: u64,
    to_ns: u64,
}

/// Those that lie within a piece.
fn ready_while<'a>(offs: &'a [Off], piece: &Piece<'_>) -> Vec<ReadyStretch<'a>> {
    let within = |off: &'a Off| {
        let (cpu, ready_ns) = match off.state {
            0 => (off.cpu_off, off.off_ns),
            _ => (off.cpu_on, off.waking_ns.max(off.off_ns)),
        };
        let (from_ns, to_ns) = (ready_ns.max(piece.from_ns), off.on_ns.min(piece.to_ns));
        (to_ns > from_ns).then_some(ReadyStretch { off, cpu, from_ns, to_ns })
    };
    offs.iter().filter_map(within).collect()
}

/// What it was blocked in, as in "blocked in read, woken by writer (thread 812)".
pub(super) fn blocked_in(off: &Off) -> String {
    blocked(off).phrase
}

/// What it was blocked in.
fn blocked(off: &Off) -> Charge {
    const INTERRUPTIBLE: u32 = 1;
    const UNINTERRUPTIBLE: u32 = 2;
    // A spinlock or a reader-writer lock of a PREEMPT_RT kernel.
    const RTLOCK: u32 = 0x1000;
    let waker = &off.waker;
    // A timer's function runs on top of whoever is there; that thread woke nobody.
    let woken_by = if off.due_ns > 0 || waker.thread_id == 0 { None } else { Some(waker) };
    let by = woken_by.map_or_else(String::new, |waker| format!(", woken by {}", named(waker)));
    let who = woken_by.map_or(Cow::Borrowed(""), |waker| waker.name.text());
    let who: &str = &who;
    if off.state & RTLOCK != 0 {
        return charge(CauseKind::Lock, who, format!("waiting for a lock inside the kernel{by}"));
    }
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

impl Accounting {
    fn sentence(&self, suspect: &Suspect<'_>) -> String {
        let (latency_ns, response_ns) = (suspect.activation.latency_ns(), suspect.activation.response_ns());
        let mut shares: Vec<(&Charge, &u64)> =
            self.ledger.iter().filter(|(_, ns)| **ns > 0 && **ns * WORTH_TELLING >= response_ns).collect();
        shares.sort_by_key(|(_, ns)| std::cmp::Reverse(**ns));
        let share = |(charge, ns): (&Charge, &u64)| {
            format!("{} {}{}", short_time(*ns), charge.phrase, self.inversion(charge, *ns))
        };
        let shares: Vec<String> = shares.into_iter().take(TOLD_MAX).map(share).collect();
        if suspect.is_section {
            return format!("took {}: {}", short_time(response_ns), shares.join(", "));
        }
        let end = if suspect.is_unfinished { "not ended after" } else { "waited again after" };
        format!("ran after {}, {end} {}: {}", short_time(latency_ns), short_time(response_ns), shares.join(", "))
    }

    /// Who kept the holder of a lock from running for most of the time, where that is much of the wait for the lock.
    fn inversion(&self, charge: &Charge, waited_ns: u64) -> String {
        let takers = self.inversions.get(charge).into_iter().flatten();
        let most = takers.max_by_key(|(_, ns)| **ns).filter(|(name, _)| !name.is_empty());
        let most = most.filter(|(_, ns)| **ns * WORTH_TELLING >= waited_ns);
        most.map_or_else(String::new, |(name, ns)| {
            format!("; {} was preempted by {name} for {}", charge.who, short_time(*ns))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activations::record::Faults;
    use crate::split::record::{Edge, Event, RecordKind};
    use std::slice::from_ref;

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

    fn suspect<'a>(activation: &'a Activation, offs: &'a [Off]) -> Suspect<'a> {
        Suspect {
            thread: OURS,
            name: "ctl",
            activation,
            offs,
            typical_own_ns: MS,
            is_unfinished: false,
            is_section: false,
            others: &|_| Vec::new(),
        }
    }

    fn explained(offs: &[Off], end_ms: u64, events: Events<'_>) -> Culprit {
        let activation = activation(end_ms);
        let suspect = suspect(&activation, offs);
        account(&suspect, events, &|_| "eth0".into()).culprit(&suspect)
    }

    #[test]
    fn an_activation_that_was_due_during_a_late_wait_was_not_asleep() {
        let nanosleep = Some(libc::SYS_clock_nanosleep as u32);
        let late = |due_ns| {
            let offs = [Off { call: nanosleep, due_ns, latest_ns: due_ns, ..off(8, 14, 15, 1) }];
            let activation = Activation {
                from_ns: 10 * MS,
                wait_ns: 16 * MS,
                released_ns: 16 * MS + 1_000,
                end_ns: 17 * MS,
                ..Activation::default()
            };
            pieces(&suspect(&activation, &offs))
                .iter()
                .map(|piece| matches!(piece.kind, PieceKind::TimerLate(_)))
                .collect::<Vec<_>>()
        };
        assert_eq!(late(9 * MS), [true, false, false], "its timer was due before this activation");
        assert_eq!(late(12 * MS), [false, false, false], "the program slept on");
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
            (Off { call: futex, ..off(11, 15, 15, 0x1000) }, CauseKind::Lock, Some("low")),
            (off(11, 15, 15, 0x1000), CauseKind::Lock, Some("low")),
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
    fn what_several_took_in_the_same_way_is_one_cause() {
        let by = |thread_id, name: &str| Other { thread_id, name: name.into(), priority: 10 };
        let [low, hog] = [by(7, "low"), by(8, "hog")];
        // 6 ms of its own, of which 1 ms is usual; 7 ms of two others.
        let offs = [sleep(), Off { taker: low, ..off(11, 0, 14, 0) }, Off { taker: hog, ..off(15, 0, 19, 0) }];
        assert_eq!(found(&offs, 23), (CauseKind::Thread, Some("hog".into())));
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
            others: &|_| Vec::new(),
        };
        let culprit = account(&suspect, &|_, _, _| None, &|_| String::new()).culprit(&suspect);
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
        let named = explained(&[late], 15, &|_, _, _| Some(Rc::new(stretch.clone())));
        assert_eq!((named.cause, named.who.as_deref()), (CauseKind::Thread, Some("hog")), "{}", named.sentence);
        assert!(
            named.sentence.starts_with("ran after 20 µs, waited again after 5,000 µs: 3,995 µs hog ran instead"),
            "{}",
            named.sentence
        );
    }

    #[test]
    fn a_holder_that_is_kept_from_running_is_named_with_who_ran_instead() {
        let futex = Some(libc::SYS_futex as u32);
        let wait = |lock| Off { call: futex, lock, ..off(11, 15, 15, 1) };
        let hogged = Off { thread_id: 5, taker: off(0, 0, 0, 0).taker, ..off(12, 0, 14, 0) };
        let sentence = |lock, holder_away: &[Off]| {
            let activation = activation(16);
            let offs = [sleep(), wait(lock)];
            let others = |thread| if thread == 5 { holder_away.to_vec() } else { Vec::new() };
            let suspect = Suspect {
                thread: OURS,
                name: "ctl",
                activation: &activation,
                offs: &offs,
                typical_own_ns: MS,
                is_unfinished: false,
                is_section: false,
                others: &others,
            };
            let culprit = account(&suspect, &|_, _, _| None, &|_| String::new()).culprit(&suspect);
            assert_eq!((culprit.cause, culprit.who.as_deref()), (CauseKind::Lock, Some("low")));
            culprit.sentence
        };
        let held = "waiting for a lock that low (thread 5) held";
        let preempted = "; low was preempted by hog for 2,000 µs";
        assert!(sentence(Some(Lock::Plain), &[]).contains(held));
        assert!(sentence(Some(Lock::Plain), from_ref(&hogged)).contains(&format!("{held}{preempted}")));
        assert!(sentence(Some(Lock::Inheriting(5)), from_ref(&hogged)).contains(&format!("{held}{preempted}")));
        // It came to the one that woke this thread from another one.
        let passed_on = sentence(Some(Lock::Inheriting(9)), from_ref(&hogged));
        assert!(passed_on.contains(&format!("{held}, and thread 9 before it{preempted}")), "{passed_on}");
        // It is no lock.
        let none = sentence(None, from_ref(&hogged));
        assert!(none.contains(&format!("blocked in futex, woken by low (thread 5){preempted}")), "{none}");
        // It slept itself, and nobody kept it from running.
        let asleep = Off { thread_id: 5, ..off(12, 14, 14, 1) };
        assert!(!sentence(Some(Lock::Plain), &[asleep]).contains("preempted"));
    }

    #[test]
    fn waits_for_one_lock_add_up_whatever_kept_the_holder_from_running() {
        let futex = Some(libc::SYS_futex as u32);
        let wait = |from_ms, to_ms| Off { call: futex, lock: Some(Lock::Plain), ..off(from_ms, to_ms, to_ms, 1) };
        let hogged = |from_ms, to_ms| Off { thread_id: 5, ..off(from_ms, 0, to_ms, 0) };
        // Twice 3 ms for the lock, and 4 ms of another thread.
        let offs = [sleep(), wait(11, 14), off(15, 0, 19, 0), wait(20, 23)];
        let activation = activation(24);
        let others = |_: u32| vec![hogged(11, 12), hogged(20, 22)];
        let suspect = Suspect {
            thread: OURS,
            name: "ctl",
            activation: &activation,
            offs: &offs,
            typical_own_ns: MS,
            is_unfinished: false,
            is_section: false,
            others: &others,
        };
        let culprit = account(&suspect, &|_, _, _| None, &|_| String::new()).culprit(&suspect);
        assert_eq!((culprit.cause, culprit.who.as_deref()), (CauseKind::Lock, Some("low")), "{}", culprit.sentence);
        let held = "6,000 µs waiting for a lock that low (thread 5) held; low was preempted by hog for 3,000 µs";
        assert!(culprit.sentence.contains(held), "{}", culprit.sentence);
    }

    #[test]
    fn the_word_of_a_lock_with_priority_inheritance_names_its_holder() {
        use crate::activations::record::Call;
        let ended = |operation, value, word, result| {
            Lock::of(&Call {
                args: [0, operation, value, u64::from(word == 7)],
                user: [0, 0, word, 0],
                result,
                ..Call::default()
            })
        };
        let of = |operation, value, word| ended(operation, value, word, 0);
        let private = 128;
        assert_eq!(of(private, 2, 2), Some(Lock::Plain));
        assert_eq!(of(private | 6, 0, 0x8000_0000 | 812), Some(Lock::Inheriting(812)));
        let deadlock = -i64::from(libc::EDEADLK);
        assert_eq!(ended(private | 6, 0, 812, deadlock), None, "nobody released it");
        assert_eq!(of(private | 9, 2, 2), Some(Lock::Plain), "Rust's standard library");
        assert_eq!(of(private | 9, 2, 7), None, "a condition with a time limit");
        assert_eq!(of(private | 9, 5, 5), None, "a condition");
        assert_eq!(of(private, 0x8000_0010, 0), Some(Lock::Plain), "musl");
        assert_eq!(of(private, 7, 7), None);
    }

    #[test]
    fn what_others_took_is_counted_behind_the_release_by_who_took_it() {
        let events = {
            let at = |at_ns, kind, id, name: &str| Event { at_ns, kind, extra: 10, id, name: name.into() };
            vec![
                at(8 * MS, RecordKind::Switch, OURS as i32, "ctl"),
                at(11 * MS, RecordKind::Switch, 6, "hog"),
                at(12 * MS, RecordKind::Switch, 7, "other"),
                at(13 * MS, RecordKind::Switch, OURS as i32, "ctl"),
                at(14 * MS, RecordKind::Interrupt(Edge::Begin), 5, ""),
                at(14 * MS + 1_000, RecordKind::Interrupt(Edge::End), 5, ""),
            ]
        };
        let stretch = Stretch { events, complete_from_ns: 0 };
        let lock = Off { call: Some(libc::SYS_futex as u32), ..off(15, 17, 17, 1) };
        let activation = activation(18);
        let offs = [sleep(), off(11, 0, 13, 0), lock];
        let suspect = Suspect {
            thread: OURS,
            name: "ctl",
            activation: &activation,
            offs: &offs,
            typical_own_ns: MS,
            is_unfinished: false,
            is_section: false,
            others: &|_| Vec::new(),
        };
        let texts = |found: &BTreeMap<TakenKey, u64>| {
            let text = |(key, ns): (&TakenKey, &u64)| format!("{} {} {} {ns}", key.cause.name(), key.wait, key.who);
            found.iter().map(text).collect::<Vec<_>>()
        };
        let found = account(&suspect, &|_, _, _| Some(Rc::new(stretch.clone())), &|_| "eth0".into());
        assert_eq!(texts(&found.preempted), ["interrupt  eth0 1000", "thread  hog 1000000", "thread  other 1000000"]);
        assert_eq!(texts(&found.blocked), ["lock futex low 2000000"]);
        // Without events the one that came first has all of it, and interrupts are not seen.
        let found = account(&suspect, &|_, _, _| None, &|_| String::new());
        assert_eq!(texts(&found.preempted), ["thread  hog 2000000"]);
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
        let named = explained(&[late], 15, &|_, _, _| Some(Rc::new(stretch.clone())));
        assert_eq!((named.cause, named.who.as_deref()), (CauseKind::Interrupt, Some("non-maskable interrupt")));
        assert!(named.sentence.contains("non-maskable interrupt on cpu 0"), "{}", named.sentence);
    }
}
