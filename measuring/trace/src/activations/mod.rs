//! Any program against its deadline: its waits become activations, and each late one gets the name of whoever made it late.
//!
//! Nothing of the program changes and nothing is asked of it. BPF follows the system calls, wake-ups and switches of its threads;
//! the period is found from what its waits are due at. The [`jobs`] of deployed tasks, whose periods are known, come from the
//! switches alone.

mod account;
mod activation;
mod around;
mod body;
mod calls;
mod cost;
mod culprit;
mod deadline;
mod follows;
mod grid;
mod jobs;
mod layout;
mod lines;
mod parts;
mod places;
mod probes;
mod processes;
mod program;
mod record;
mod rounded;
mod rules;
mod samples;
mod section;
mod seen;
mod symbols;
mod taken;
mod thread;
mod timers;
mod wait;

pub use account::{Exact, Limits, Maxima, TaskTimes};
pub use around::{Around, Slice, SliceKind};
pub use cost::KernelCost;
pub use culprit::{CauseKind, Culprit};
pub use jobs::{FollowedTask, JobAccount, JobFollower};
pub use parts::{LatencyParts, SeenPart};
pub use places::{Place, PlaceTarget, Places, ProgramSection, WrongPlace};
pub use probes::Unplaced;
pub use processes::SeenProcess;
pub use rounded::MinAndSum;
pub use rules::{About, ActivationRule, Breach, Condition, Tally, is_system_call};
pub use samples::{LostSamples, NewSamples, SecondCounts};
pub use seen::{SeenSection, SeenThread, SeenWait, WorstActivation};
pub use thread::{Part, ThreadPart};
pub use wait::{Clock, Rule};

use crate::split::NoSplit;
use crate::split::causes::Devices;
use crate::split::events::{Events, Stretch, UntracedKind};
use cost::Counting;
use culprit::Suspect;
use prazo_core::cpu::CpuSet;
use prazo_platform::root::Root;
use prazo_sys::clock::monotonic_ns;
use probes::Probes;
use processes::Processes;
use program::{Program, TURNED_OFF, Wanted};
use record::{Record, ThreadEvent};
use seen::Found;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use taken::Taken;
use thread::{Context, Late, Thread};
use timers::{Offsets, Timers};

/// Late and worst activations that are held against the processors' events in one round.
const EXPLAINED_A_ROUND: usize = 64;
/// Others that are held against them in a second.
const OTHERS_A_SECOND: u64 = 500;
/// Stretches off a processor up to which the events around an activation are read once for all.
const READ_ONCE: usize = 8;
/// Behind so long a time every processor has written what it saw before.
const SETTLED_NS: u64 = 10_000_000;
/// Threads that have ended are kept with their figures, so many.
const ENDED_KEPT: usize = 4_096;

/// Something that the kernel does not show, although it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTraced {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
    /// What follows for the answer.
    pub consequence: String,
    /// What to do.
    pub remedy: &'static str,
}

/// Follows threads; everything it has in the kernel is gone when it is dropped.
pub struct Follower {
    root: Root,
    program: Program,
    probes: Probes,
    /// What has to follow in whatever thread of a process.
    processes: Processes,
    /// Or why there are none.
    events: Result<Events, String>,
    devices: Devices,
    threads: BTreeMap<u32, Thread>,
    ended: Vec<Thread>,
    ended_beyond: u64,
    timers: Timers,
    offsets: Offsets,
    clock_steps: u64,
    limits: Limits,
    worst: BTreeMap<ThreadPart, Vec<WorstActivation>>,
    taken: BTreeMap<ThreadPart, Taken>,
    /// Activations that could have been held against the events until now, besides late and worst ones.
    others_before: u64,
    /// Threads that were followed so far.
    serial: u64,
    counting: Option<Result<Counting, String>>,
    from_ns: u64,
    to_ns: u64,
}

impl Follower {
    /// Attaches to the kernel; `cpus` are those whose interrupts and switches are kept for the causes.
    pub fn attach(root: &Root, cpus: &CpuSet, limits: Limits) -> Result<Self, NoSplit> {
        let cpus: Vec<u32> = cpus.iter().map(|cpu| cpu.number()).collect();
        let events = match limits.without_events {
            true => Err(TURNED_OFF.to_owned()),
            false => Events::attach_present(root, &cpus).map_err(|why| why.to_string()),
        };
        let (calls, places) = (limits.asks_for_calls(), !limits.places.is_empty());
        let wanted = Wanted::Activations { calls, places, faults: !limits.without_events };
        let program = Program::attach(root, wanted)?;
        let from_ns = monotonic_ns();
        let limits = Limits { began_ns: from_ns, ..limits };
        Ok(Self {
            root: root.clone(),
            program,
            probes: Probes::default(),
            processes: Processes::default(),
            events,
            devices: Devices::default(),
            threads: BTreeMap::new(),
            ended: Vec::new(),
            ended_beyond: 0,
            timers: Timers::new(root),
            offsets: Offsets::now(),
            clock_steps: 0,
            limits,
            worst: BTreeMap::new(),
            taken: BTreeMap::new(),
            others_before: 0,
            serial: 0,
            counting: None,
            from_ns,
            to_ns: from_ns,
        })
    }

    /// From now on the kernel counts what watching costs it.
    pub fn count_cost(&mut self) {
        self.counting = Some(Counting::begin());
    }

    /// What watching cost the kernel since [`Self::count_cost`], or why that is not known; `None` where nobody asked.
    pub fn kernel_cost(&self) -> Option<Result<KernelCost, &str>> {
        let of_events = || self.events.as_ref().map(Events::cost).unwrap_or_default();
        let counting = self.counting.as_ref()?;
        Some(counting.as_ref().map(|_| self.program.cost() + of_events()).map_err(String::as_str))
    }

    /// From now on this thread is followed; `name` is its own.
    pub fn follow(&mut self, process: u32, thread: u32, name: &str) -> Result<(), NoSplit> {
        self.follow_with(process, thread, name, None)
    }

    /// From now on the thread of this task is followed, under the task's name and against the task's own period, deadline and budget.
    pub fn follow_task(&mut self, process: u32, thread: u32, task: &str, times: TaskTimes) -> Result<(), NoSplit> {
        let TaskTimes { period_ns, deadline_ns, budget_ns } = times;
        let of_task = Limits {
            period_ns: Some(period_ns),
            deadline_ns: Some(deadline_ns),
            budget_ns: Some(budget_ns),
            ..self.limits.clone()
        };
        self.follow_with(process, thread, task, Some(Arc::new(of_task)))
    }

    fn follow_with(&mut self, process: u32, thread: u32, name: &str, task: Option<Arc<Limits>>) -> Result<(), NoSplit> {
        if !self.threads.contains_key(&thread) {
            self.program.follow(thread)?;
            self.serial += 1;
            let mut followed = Thread::new(self.serial, thread, process, name.to_owned());
            followed.from_start_ns = (self.to_ns == self.from_ns).then(monotonic_ns);
            followed.task = task;
            self.threads.insert(thread, followed);
        }
        Ok(())
    }

    /// From now on new threads of this process are followed.
    pub fn follow_threads_of(&mut self, process: u32) -> Result<(), NoSplit> {
        self.program.follow_threads_of(process)
    }

    /// From now on processes that this one starts are followed, with those that they start.
    pub fn follow_children_of(&mut self, process: u32) -> Result<(), NoSplit> {
        self.program.follow_children_of(process)
    }

    /// This process ended.
    pub fn forget(&mut self, process: u32) {
        self.program.forget(process);
        self.probes.forget(process);
    }

    /// A program that nobody executes yet will be: its places are looked at from its first instruction on.
    pub fn expect(&mut self, program: &Path) {
        self.probes.expect(&self.limits.places, program, &mut self.program);
    }

    /// Looks for the places in what the followed processes execute now.
    pub fn find_places(&mut self) {
        let Self { root, program, probes, threads, limits, .. } = self;
        if !limits.places.is_empty() {
            let processes: BTreeSet<u32> = threads.values().map(|thread| thread.process).collect();
            processes.into_iter().for_each(|process| probes.look(root, process, &limits.places, program));
            threads.values_mut().for_each(|thread| thread.look_at(&probes.others_in(thread.process, &limits.places)));
        }
    }

    /// Places that no followed process has, or that cannot be looked at.
    pub fn unplaced(&self) -> Vec<Unplaced> {
        self.probes.unplaced(&self.limits.places)
    }

    /// How each process kept each rule about whatever thread of it.
    pub fn processes(&self) -> Vec<SeenProcess> {
        self.processes.seen()
    }

    /// Followed threads that have not ended.
    pub fn alive(&self) -> usize {
        self.threads.len()
    }

    /// What the kernel does not show although it was asked for, and what follows.
    pub fn not_traced(&self) -> Vec<NotTraced> {
        const BY_THE_KERNEL: &str = "run as root or with CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH, on a kernel with CONFIG_DEBUG_INFO_BTF";
        let remedy = |why: &str| if why == TURNED_OFF { "watch without --no-causes" } else { BY_THE_KERNEL };
        let events = self.events.as_ref().err().map(|why| NotTraced {
            what: "interrupts and context switches of the processors".into(),
            why: why.clone(),
            consequence:
                "interrupts, softirqs and stalls cannot be named as causes; threads, throttling, locks, waits and \
                          page faults that block still can"
                    .into(),
            remedy: remedy(why),
        });
        let untraced = self.events.as_ref().map(Events::untraced).unwrap_or_default();
        let untraced = untraced.iter().map(|one| {
            let consequence = match one.kind {
                UntracedKind::Interrupts => "interrupts of devices cannot be named as causes",
                UntracedKind::Softirqs => "softirqs cannot be named as causes",
                UntracedKind::Vector => "interrupts of this kind cannot be named as causes",
            };
            let consequence = format!("{consequence}; their time counts for what they interrupted");
            let remedy = match one.needs_privileges {
                true => BY_THE_KERNEL,
                false => "use a kernel that has this tracepoint; all other figures are valid",
            };
            NotTraced { what: one.point.clone(), why: one.why.clone(), consequence, remedy }
        });
        let faults = self.program.untimed_faults().map(|why| NotTraced {
            what: "handle_mm_fault".into(),
            why: why.to_owned(),
            consequence: "page faults are counted but not timed; the time of a page fault that does not block \
                          counts as `program`, not as `page-fault`"
                .into(),
            remedy: remedy(why),
        });
        let files = self.timers.refused().map(|why| NotTraced {
            what: "open files of a process".into(),
            why: why.to_owned(),
            consequence: "timerfds that the process created before the watch are unknown; waits for them count as \
                          events, which have a deadline only with --deadline or --period"
                .into(),
            remedy: BY_THE_KERNEL,
        });
        events.into_iter().chain(untraced).chain(faults).chain(files).collect()
    }

    /// When it was attached, on CLOCK_MONOTONIC.
    pub fn from_ns(&self) -> u64 {
        self.from_ns
    }

    /// Takes the activations of threads' own waits, and the passes of sections, that are new since the last taking, of those that
    /// are wanted. They are kept only where `Limits` say so, and bounded: what is not taken in time is missing among the
    /// samples and counted as lost.
    pub fn take_samples(&mut self, is_wanted: impl Fn(ThreadPart) -> bool) -> Vec<(ThreadPart, NewSamples)> {
        let mut taken = Vec::new();
        for thread in self.ended.iter_mut().chain(self.threads.values_mut()) {
            thread.bound_others();
            let parts: Vec<ThreadPart> = thread.parts().filter(|part| is_wanted(*part)).collect();
            for part in parts {
                taken.extend(thread.account_mut(part.part).map(|account| (part, account.samples.take())));
            }
        }
        taken.retain(|(_, new)| !new.is_empty());
        taken
    }

    /// What the threads do again and again: the wait of each that has one of its own, and its sections.
    pub fn parts(&self) -> impl Iterator<Item = ThreadPart> {
        self.ended.iter().chain(self.threads.values()).flat_map(Thread::parts)
    }

    /// What was seen of one thread so far.
    pub fn seen_of(&self, serial: u64) -> Option<SeenThread> {
        let mut all = self.ended.iter().chain(self.threads.values());
        all.find(|thread| thread.serial == serial).map(|thread| self.see(thread))
    }

    fn limits_of<'a>(&'a self, thread: &'a Thread) -> &'a Limits {
        thread.task.as_deref().unwrap_or(&self.limits)
    }

    fn see(&self, thread: &Thread) -> SeenThread {
        let found = |part| {
            let part = ThreadPart { serial: thread.serial, part };
            let worst = self.worst.get(&part).map_or(&[][..], Vec::as_slice);
            Found { worst, taken: self.taken.get(&part) }
        };
        SeenThread::of(thread, self.limits_of(thread), &found)
    }

    /// From the attachment to the last call of `poll`.
    pub fn watched_ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }

    /// Threads that could not be followed.
    pub fn unfollowed(&self) -> u64 {
        self.program.unfollowed() + self.ended_beyond
    }

    /// How often a clock was set while threads were followed.
    pub fn clock_steps(&self) -> u64 {
        self.clock_steps
    }

    /// Takes in what has happened since the last call; several times a second, before the kernel's rings are full.
    pub fn poll(&mut self) {
        let mut late: Vec<Late> = Vec::new();
        let mut over: Vec<Thread> = Vec::new();
        let Self { program, probes, processes, threads, timers, offsets, limits, serial, .. } = self;
        program.drain(|record| match record {
            Record::Off(off) => {
                if let Some(thread) = threads.get_mut(&off.thread_id) {
                    thread.off(off);
                }
            }
            Record::Call(call) => {
                if let Some(thread) = threads.get_mut(&call.thread_id) {
                    let own = thread.task.clone();
                    let limits = own.as_deref().unwrap_or(limits);
                    late.extend(thread.call(&call, &mut Context { timers, offsets, limits }));
                }
            }
            Record::Made(made) => {
                if let Some(thread) = threads.get_mut(&made.thread_id) {
                    thread.made(&made.calls);
                }
            }
            Record::Place(place) => {
                if let Some(thread) = threads.get_mut(&place.thread_id) {
                    let (lost, since_ns) = (thread.lost_places, thread.place_ns);
                    let own = thread.task.clone();
                    late.extend(thread.reached(&place, own.as_deref().unwrap_or(limits)));
                    let lost_since_ns = (thread.lost_places > lost).then_some(since_ns);
                    processes.reached(place, lost_since_ns, limits);
                }
            }
            Record::Thread(event) if event.is_end => over.extend(ended(threads, &event)),
            Record::Thread(event) => {
                *serial += 1;
                let mut thread = Thread::new(*serial, event.thread_id, event.process_id, event.name);
                thread.is_born = true;
                thread.look_at(&probes.others_in(event.process_id, &limits.places));
                threads.insert(event.thread_id, thread);
            }
        });
        self.to_ns = monotonic_ns();
        self.processes.take_in(self.to_ns.saturating_sub(SETTLED_NS), &self.limits);
        self.explain(late, &over);
        self.bury(over);
        let now = Offsets::now();
        if now.differ_from(&self.offsets) {
            self.clock_steps += 1;
            self.offsets = now;
        }
    }

    /// Nothing more comes: what is under way is judged as it is.
    pub fn finish(&mut self) {
        let ended_ns = monotonic_ns();
        self.threads.keys().for_each(|thread| self.program.freeze(*thread));
        self.poll();
        let Self { program, threads, limits, .. } = self;
        let finished = threads.values_mut().flat_map(|thread| {
            let (under_way, own) = (program.under_way(thread.id), thread.task.clone());
            thread.finish(ended_ns, under_way, own.as_deref().unwrap_or(limits))
        });
        let late = finished.collect();
        self.ended.iter_mut().for_each(|thread| thread.overdue(ended_ns, &self.limits));
        self.processes.finish(ended_ns, &self.limits);
        self.explain(late, &[]);
    }

    /// What was seen of every thread, those that have ended included.
    pub fn seen(&self) -> Vec<SeenThread> {
        let all = self.ended.iter().chain(self.threads.values());
        all.map(|thread| self.see(thread)).collect()
    }

    /// True once an activation of a thread's own wait has missed its deadline.
    pub fn has_missed(&self) -> bool {
        let missed = |thread: &Thread| {
            let own = thread.own().map(|place| &thread.accounts[place]);
            let limits = self.limits_of(thread);
            own.is_some_and(|account| seen::deadline_ns(account, limits).is_some() && account.missed(limits) > Some(0))
        };
        self.ended.iter().chain(self.threads.values()).any(missed)
    }

    /// True once a rule was broken by a thread that it is about: its place, and the thread's name and kernel priority say whether.
    pub fn has_broken(&self, is_about: impl Fn(usize, &str, Option<i16>) -> bool) -> bool {
        let all = || self.ended.iter().chain(self.threads.values());
        let breaks = |thread: &Thread, rule: usize, tally: &Tally| {
            tally.broken > 0 && is_about(rule, &thread.name, thread.priority)
        };
        let of_thread = |thread: &Thread| {
            let accounts = thread.parts().filter_map(|part| thread.account(part.part));
            let mut tallies = accounts.flat_map(|account| account.tallies.iter().enumerate());
            tallies.any(|(rule, tally)| breaks(thread, rule, tally))
        };
        let of_process = |process: &SeenProcess| {
            let mut threads = all().filter(|thread| thread.process == process.process_id);
            threads.any(|thread| breaks(thread, process.rule, &process.tally))
        };
        all().any(of_thread) || self.processes.seen().iter().any(of_process)
    }

    /// The names that living threads have now: many are named after they were started. Tasks keep theirs.
    pub fn rename(&mut self, name_of: impl Fn(u32, u32) -> Option<String>) {
        for thread in self.threads.values_mut().filter(|thread| thread.task.is_none()) {
            if let Some(name) = name_of(thread.process, thread.id) {
                thread.name = name;
            }
        }
    }

    fn bury(&mut self, over: Vec<Thread>) {
        for thread in over {
            // Those without a period say nothing.
            let says_something = thread.parts().next().is_some();
            let serial = thread.serial;
            match says_something {
                true if self.ended.len() < ENDED_KEPT => {
                    self.ended.push(thread);
                    continue;
                }
                true => self.ended_beyond += 1,
                false => {}
            }
            self.worst.retain(|part, _| part.serial != serial);
            self.taken.retain(|part, _| part.serial != serial);
        }
    }

    /// Finds out who took the time of activations while the events around them are still there.
    ///
    /// Of very many in one round only some are held against the events, the late and the worst first, so that watching stays cheap.
    /// Of the others the thread's own records say who it was. `over` are the threads that have just ended.
    fn explain(&mut self, mut late: Vec<Late>, over: &[Thread]) {
        let owns = self.owns(over);
        // Waits that are not the thread's period are shown only if one becomes that later.
        late.sort_by_cached_key(|one| {
            let is_shown = is_shown(&owns, ThreadPart { serial: one.serial, part: one.part });
            std::cmp::Reverse((one.is_explained(), is_shown, one.activation.response_ns()))
        });
        let others = OTHERS_A_SECOND * self.watched_ns() / 1_000_000_000;
        let mut room = others.saturating_sub(std::mem::replace(&mut self.others_before, others)).min(OTHERS_A_SECOND);
        for (place, one) in late.into_iter().enumerate() {
            let name = self.threads.get(&one.thread).map_or("", |thread| thread.name.as_str());
            let others = |thread: u32| -> Vec<record::Off> {
                // Only late and worst activations get a sentence, so only they need the holder's stretches.
                let is_it = |other: &&Thread| other.id == thread;
                let of = self.threads.get(&thread).or_else(|| over.iter().find(is_it)).filter(|_| one.is_explained());
                of.map_or_else(Vec::new, |thread| thread.offs.iter().copied().collect())
            };
            let suspect = Suspect {
                thread: one.thread,
                name,
                activation: &one.activation,
                offs: &one.offs,
                typical_own_ns: one.typical_own_ns,
                is_unfinished: one.is_unfinished,
                is_section: matches!(one.part, Part::Section(_)),
                others: &others,
            };
            let is_read = match one.is_explained() {
                true => place < EXPLAINED_A_ROUND,
                false => one.offs.len() <= READ_ONCE && room > 0,
            };
            let events = self.events.as_ref().ok().filter(|_| is_read);
            room -= u64::from(events.is_some() && !one.is_explained());
            let stretches = Stretches::of(events, &suspect);
            let stretch = |cpu, from_ns, to_ns| stretches.between(cpu, from_ns, to_ns);
            let devices = &self.devices;
            let named = |number| devices.name_now(number);
            let found = culprit::account(&suspect, &stretch, &named);
            let part = ThreadPart { serial: one.serial, part: one.part };
            let taken = self.taken.entry(part).or_default();
            taken.account(&found, events.is_some());
            if !one.is_explained() {
                continue;
            }
            let culprit = found.culprit(&suspect);
            if one.is_late {
                taken.missed(&culprit, one.activation.response_ns());
            }
            if one.is_worst {
                let around =
                    (self.limits.keeps_around > 0).then(|| Arc::new(around::around(&suspect, &stretch, &named)));
                let kept = self.worst.entry(part).or_default();
                kept.push(WorstActivation { around, ..WorstActivation::new(&one, culprit) });
                kept.sort_by_key(|worst| std::cmp::Reverse(worst.response_ns));
                kept.truncate(self.limits.worst);
            }
        }
        thin_out(&mut self.worst, &owns, self.limits.keeps_around);
    }

    /// Which wait is each thread's own, of those that have just ended too.
    fn owns(&self, over: &[Thread]) -> BTreeMap<u64, usize> {
        let all = self.threads.values().chain(over).chain(&self.ended);
        all.filter_map(|thread| Some((thread.serial, thread.own()?))).collect()
    }
}

/// True for a section, and for the wait that is its thread's own.
fn is_shown(owns: &BTreeMap<u64, usize>, part: ThreadPart) -> bool {
    match part.part {
        Part::Wait(place) => owns.get(&part.serial) == Some(&place),
        Part::Section(_) => true,
    }
}

/// Keeps what happened around no more activations than is wanted: those that somebody sees first, of these the missed deadlines,
/// and of these the longest responses.
fn thin_out(worst: &mut BTreeMap<ThreadPart, Vec<WorstActivation>>, owns: &BTreeMap<u64, usize>, keeps_around: usize) {
    let each = worst.iter_mut().flat_map(|(part, kept)| {
        let is_shown = is_shown(owns, *part);
        kept.iter_mut().map(move |one| (is_shown, one))
    });
    let mut all: Vec<(bool, &mut WorstActivation)> = each.filter(|(_, one)| one.around.is_some()).collect();
    if all.len() > keeps_around {
        all.sort_by_key(|(is_shown, one)| std::cmp::Reverse((*is_shown, one.is_late, one.response_ns)));
        all.drain(keeps_around..).for_each(|(_, one)| one.around = None);
    }
}

/// The events around one activation, read once for each processor where that is less work.
struct Stretches<'a> {
    events: Option<&'a Events>,
    is_read_once: bool,
    from_ns: u64,
    to_ns: u64,
    read: RefCell<BTreeMap<u32, Rc<Stretch>>>,
}

impl<'a> Stretches<'a> {
    fn of(events: Option<&'a Events>, suspect: &Suspect<'_>) -> Self {
        let activation = suspect.activation;
        Self {
            events,
            // With many pieces, each would walk over the events of all others.
            is_read_once: suspect.offs.len() <= READ_ONCE,
            from_ns: activation.from_ns.min(activation.released_ns),
            to_ns: activation.end_ns,
            read: RefCell::default(),
        }
    }

    fn between(&self, cpu: u32, from_ns: u64, to_ns: u64) -> Option<Rc<Stretch>> {
        let events = self.events?;
        if !self.is_read_once || from_ns < self.from_ns || to_ns > self.to_ns {
            return Some(Rc::new(events.between(cpu, from_ns, to_ns)));
        }
        let read = || Rc::new(events.between(cpu, self.from_ns, self.to_ns));
        Some(Rc::clone(self.read.borrow_mut().entry(cpu).or_insert_with(read)))
    }
}

/// A thread ended: it is taken out.
fn ended(threads: &mut BTreeMap<u32, Thread>, event: &ThreadEvent) -> Option<Thread> {
    let mut thread = threads.remove(&event.thread_id)?;
    if thread.task.is_none() {
        thread.name.clone_from(&event.name);
    }
    thread.over();
    Some(thread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_core::cpu::Cpu;
    use prazo_testing::{Need, or_skip, skipped};

    /// A kernel that lacks one name: the description of its structures has another one in its place.
    fn without(name: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let mut types = std::fs::read("/sys/kernel/btf/vmlinux").unwrap();
        let whole = format!("\0{name}\0");
        let at = types.windows(whole.len()).position(|bytes| bytes == whole.as_bytes());
        types[at.unwrap_or_else(|| panic!("this kernel has no {name}")) + 1] = b'X';
        let folder = root.path().join("sys/kernel/btf");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("vmlinux"), types).unwrap();
        root
    }

    fn attached(root: &Root, limits: Limits) -> Result<Vec<NotTraced>, NoSplit> {
        Follower::attach(root, &CpuSet::only(Cpu::new(0).unwrap()), limits).map(|follower| follower.not_traced())
    }

    /// What is not traced by a kernel that lacks this name, or why nothing can be followed.
    fn not_traced(name: &str) -> Result<Vec<NotTraced>, NoSplit> {
        attached(&Root::at(without(name).path()), Limits::default())
    }

    #[test]
    fn each_tracepoint_that_a_kernel_lacks_is_named_or_ends_the_watch_needs_root() {
        let whole = attached(&Root::system(), Limits::default()).map_err(|why| skipped(Need::Tracing, why));
        let whole = or_skip!(whole).len();
        let wanted = Wanted::Activations { calls: false, places: false, faults: true };
        for (_, point) in wanted.steps() {
            let (root, without_events) = (without(&format!("btf_trace_{point}")), true);
            let why =
                attached(&Root::at(root.path()), Limits { without_events, ..Limits::default() }).expect_err(point);
            let expected = format!("cannot attach the BPF program to {point}: this kernel has no such tracepoint");
            assert_eq!(why.to_string(), expected);
        }
        let vectors = ["local_timer", "reschedule", "call_function", "call_function_single"];
        let of_architecture = if cfg!(target_arch = "x86_64") { &vectors[..] } else { &[] };
        for name in of_architecture.iter().copied().chain(["irq_handler", "softirq"]) {
            for edge in ["entry", "exit"] {
                let point = format!("{name}_{edge}");
                let not_traced = not_traced(&format!("btf_trace_{point}")).expect(&point);
                assert_eq!(not_traced.len(), whole + 1, "{point}: {not_traced:?}");
                let one = not_traced.iter().find(|one| one.what == point);
                let one = one.unwrap_or_else(|| panic!("{point}: {not_traced:?}"));
                assert_eq!(one.why, "this kernel has no such tracepoint");
                assert!(one.consequence.contains("cannot be named as causes"), "{one:?}");
            }
        }
        let faults = not_traced("handle_mm_fault").expect("page faults are counted without it");
        assert!(faults.iter().any(|one| one.what == "handle_mm_fault"), "{faults:?}");
        // The watch does not use it.
        assert_eq!(not_traced("btf_trace_sched_migrate_task").map(|all| all.len()).ok(), Some(whole));
    }

    #[test]
    fn what_happened_around_waits_that_nobody_sees_goes_first() {
        let one = |is_late, response_ns| WorstActivation {
            number: 0,
            due_ns: 0,
            latency_ns: 0,
            response_ns,
            is_unfinished: false,
            is_late,
            culprit: Culprit { cause: CauseKind::Unknown, who: None, sentence: String::new() },
            around: Some(Arc::new(Around {
                from_ns: 0,
                released_ns: 0,
                to_ns: 0,
                thread: Vec::new(),
                cpus: Vec::new(),
                left_out: 0,
            })),
        };
        let part = |part| ThreadPart { serial: 1, part };
        let mut worst = BTreeMap::from([
            (part(Part::Wait(0)), vec![one(true, 90), one(true, 80)]),
            (part(Part::Wait(1)), vec![one(true, 20), one(false, 30)]),
            (part(Part::Section(0)), vec![one(false, 10)]),
        ]);
        let mut kept = |owns: &[(u64, usize)], keeps| {
            thin_out(&mut worst, &owns.iter().copied().collect(), keeps);
            let with_around = worst.values().flatten().filter(|one| one.around.is_some());
            with_around.map(|one| one.response_ns).collect::<Vec<_>>()
        };
        assert_eq!(kept(&[(1, 1)], 4), [90, 20, 30, 10]);
        assert_eq!(kept(&[(1, 1)], 3), [20, 30, 10]);
        assert_eq!(kept(&[(1, 1)], 1), [20]);
    }
}
