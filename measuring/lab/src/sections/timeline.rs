//! From steps to sections: every instruction that was watched belongs to one section, to an interrupt, or to none.
//!
//! ```text
//! thread: ....[ off .............. ]..[to-scheduler][ scheduler | next thread ]....
//!                  [ interrupt ]                                              [ return ...] clock
//! ```
//! An interrupt is from its entry to its return, with the way out, and ends where the scheduler begins. A softirq that runs on the way
//! out of an interrupt is an interference of its own. Neither counts to the section that it interrupted. Faults happen in the thread's
//! own time.

use super::kind::SectionKind;
use super::seen::{SOFTIRQS, SectionEnds, Sections};
use crate::recording::preempt_count::{IN_INTERRUPT, IN_SOFTIRQ, NO_NEED};
use crate::recording::{Event, Step, StepKind, Symbols, Window, is_common_interrupt, is_interrupt};
use std::collections::BTreeMap;

/// The preempt count without the bit that says whether nobody has to be scheduled.
const COUNT: u32 = !NO_NEED;

/// The name of interrupts that all have one entry.
const COMMON: &str = "interrupt";

/// The sections of a window; `measured` is the task structure of the measured thread.
pub fn sections(window: &Window, symbols: &Symbols, measured: u64) -> Sections {
    let mut timeline = Timeline::new(window, symbols, measured);
    let mut clocks = clocks(window);
    for step in &window.steps {
        while let Some(at) = clocks.next_if(|at| *at <= step.at) {
            timeline.clock_read(at);
        }
        timeline.step(step);
    }
    clocks.for_each(|at| timeline.clock_read(at));
    timeline.sections.watched = window.closed - window.opened;
    timeline.sections
}

/// When user programs read the clock.
fn clocks(window: &Window) -> std::iter::Peekable<impl Iterator<Item = u64>> {
    let read = window.events.iter().filter_map(|event| match event {
        Event::Clock(read) if read.in_user_mode => Some(read.instructions),
        _ => None,
    });
    read.peekable()
}

/// Something that is under way.
#[derive(Clone, Debug, Default)]
struct Open {
    from: u64,
    /// Its instructions so far, without those of interrupts.
    length: u64,
    begins: u64,
}

/// What a thread was interrupted by.
#[derive(Clone, Debug)]
enum Frame {
    /// An interrupt that is handled, or left.
    Interrupt { name: String, open: Open },
    /// A fault, or an interrupt that the scheduler was called from.
    Other,
}

/// The request to reschedule.
#[derive(Clone, Debug)]
enum Request {
    /// There is none.
    No,
    /// Interrupts or preemption are still off.
    Blocked,
    /// Nothing forbids it.
    Open(Open),
}

struct Timeline<'a> {
    symbols: &'a Symbols,
    measured: u64,
    idle: Option<u64>,
    sections: Sections,
    at: u64,
    address: u64,
    interrupts_on: bool,
    /// Unknown until it is written.
    count: Option<u32>,
    task: u64,
    frames: Vec<Frame>,
    /// Frames of threads that do not run now.
    waiting: BTreeMap<u64, Vec<Frame>>,
    off: Option<Open>,
    request: Request,
    scheduler: Option<Open>,
    /// Since the scheduler began, something was off: it is called by the idle thread with everything on.
    was_off: bool,
    /// The measured thread was switched to, and the scheduler is not over.
    is_returning: bool,
    returning: Option<Open>,
}

impl<'a> Timeline<'a> {
    fn new(window: &Window, symbols: &'a Symbols, measured: u64) -> Self {
        let task = window.events.iter().find_map(|event| match event {
            Event::Thread { task, .. } => Some(*task),
            _ => None,
        });
        Self {
            symbols,
            measured,
            idle: symbols.first_task(),
            sections: Sections::default(),
            at: window.opened,
            address: 0,
            interrupts_on: true,
            count: None,
            task: task.unwrap_or(0),
            frames: Vec::new(),
            waiting: BTreeMap::new(),
            off: None,
            request: Request::No,
            scheduler: None,
            was_off: false,
            is_returning: false,
            returning: None,
        }
    }

    /// Gives the instructions up to now to whom they belong.
    fn advance(&mut self, at: u64) {
        let length = at - self.at;
        self.at = at;
        if let Some(Frame::Interrupt { open, .. }) = self.frames.last_mut() {
            open.length += length;
            return;
        }
        if let Some(open) = &mut self.returning {
            open.length += length;
        }
        let owner = match (&mut self.scheduler, &mut self.request, &mut self.off) {
            (Some(open), ..) | (None, Request::Open(open), _) | (None, _, Some(open)) => open,
            (None, _, None) => return,
        };
        owner.length += length;
    }

    fn step(&mut self, step: &Step) {
        self.advance(step.at);
        match step.what {
            StepKind::Interrupts { on, address } => {
                (self.interrupts_on, self.address) = (on, address);
                self.leave_for_user();
            }
            StepKind::Preemption { count, address } => {
                self.address = address;
                self.softirq(count);
                self.count = Some(count);
            }
            StepKind::Entered { vector, address } => self.enter(vector, address),
            StepKind::Left => {
                let left = self.frames.pop();
                self.end_interrupt(left);
            }
            StepKind::Scheduler => self.begin_scheduler(),
            StepKind::Timer => {}
            StepKind::Switched { task } => {
                let frames = self.waiting.remove(&task).unwrap_or_default();
                let frames = std::mem::replace(&mut self.frames, frames);
                self.waiting.insert(self.task, frames);
                self.task = task;
                self.is_returning = task == self.measured;
            }
        }
        self.settle();
    }

    /// Interference on the way out of an interrupt: the interrupt ends where its softirqs begin.
    fn softirq(&mut self, count: u32) {
        let begins = count & IN_SOFTIRQ != 0 && self.count.is_some_and(|old| old & IN_SOFTIRQ == 0);
        if begins && matches!(self.frames.last(), Some(Frame::Interrupt { .. })) {
            let handled = self.frames.pop();
            self.end_interrupt(handled);
            let open = Open { from: self.at, ..Open::default() };
            self.frames.push(Frame::Interrupt { name: SOFTIRQS.to_owned(), open });
        }
    }

    /// On the way out to a user program, interrupts go on for signals and other work: that is the thread's own time.
    fn leave_for_user(&mut self) {
        let is_over = self.count.is_some_and(|count| count & (IN_INTERRUPT | IN_SOFTIRQ) == 0);
        if let (true, true, Some(frame @ Frame::Interrupt { .. })) =
            (self.interrupts_on, is_over, self.frames.last_mut())
        {
            let handled = std::mem::replace(frame, Frame::Other);
            self.end_interrupt(Some(handled));
        }
    }

    fn enter(&mut self, vector: Option<u32>, address: u64) {
        // The plugin records a return from called code into entry code, too: the same interrupt goes on.
        let Some(function) = self.symbols.entered(address) else { return };
        let name = function.name.as_str();
        self.frames.push(match (is_interrupt(name), vector) {
            (false, _) => Frame::Other,
            (true, vector) => {
                let name = match vector.filter(|_| !name.starts_with("asm_sysvec_")) {
                    Some(vector) => format!("device interrupt, vector {vector}"),
                    None if is_common_interrupt(name) => COMMON.to_owned(),
                    None => name.strip_prefix("asm_").unwrap_or(name).to_owned(),
                };
                Frame::Interrupt { name, open: Open { from: self.at, ..Open::default() } }
            }
        });
    }

    fn end_interrupt(&mut self, frame: Option<Frame>) {
        // What was entered before the window is not whole.
        if let Some(Frame::Interrupt { name, open }) = frame {
            self.sections.interrupt(&name, open.length, open.from);
        }
    }

    fn begin_scheduler(&mut self) {
        if let Some(frame @ Frame::Interrupt { .. }) = self.frames.last_mut() {
            let handled = std::mem::replace(frame, Frame::Other);
            self.end_interrupt(Some(handled));
        }
        if let Request::Open(open) = std::mem::replace(&mut self.request, Request::No) {
            self.close(SectionKind::ToScheduler, open);
        }
        if let Some(open) = self.off.take() {
            self.close(SectionKind::Off, open);
        }
        self.returning = None;
        if self.scheduler.is_none() {
            self.scheduler = Some(self.open());
            self.was_off = false;
        }
    }

    /// A user program read the clock: the measured thread has arrived.
    fn clock_read(&mut self, at: u64) {
        self.advance(at.max(self.at));
        if self.task == self.measured
            && let Some(open) = self.returning.take()
        {
            self.close(SectionKind::Return, open);
        }
    }

    /// True where the running thread cannot be replaced. The idle thread always has a count of one.
    fn is_off(&self) -> bool {
        let idles = u32::from(self.idle == Some(self.task));
        !self.interrupts_on || self.count.is_some_and(|count| count & COUNT > idles)
    }

    /// Opens and closes sections after a step.
    fn settle(&mut self) {
        let Some(count) = self.count else { return };
        if matches!(self.frames.last(), Some(Frame::Interrupt { .. })) {
            return;
        }
        let is_off = self.is_off();
        if self.scheduler.is_some() {
            self.was_off |= is_off;
            if is_off || !self.was_off {
                return;
            }
            let over = self.scheduler.take();
            over.into_iter().for_each(|open| self.close(SectionKind::Scheduler, open));
            if std::mem::take(&mut self.is_returning) {
                self.returning = Some(self.open());
            }
        }
        let has_need = count & NO_NEED == 0;
        match (&self.request, has_need) {
            (Request::Open(_), true) => return,
            (_, false) => self.request = Request::No,
            _ => {}
        }
        match (is_off, self.off.take()) {
            (true, Some(open)) => self.off = Some(open),
            (true, None) => self.off = Some(self.open()),
            (false, Some(open)) => self.close(SectionKind::Off, open),
            (false, None) => {}
        }
        if has_need {
            self.request = if is_off { Request::Blocked } else { Request::Open(self.open()) };
        }
    }

    fn open(&self) -> Open {
        Open { from: self.at, length: 0, begins: self.address }
    }

    fn close(&mut self, kind: SectionKind, open: Open) {
        let name = |address| self.symbols.at(address).map_or_else(String::new, |function| function.name.clone());
        let place = SectionEnds { begins: name(open.begins), ends: name(self.address) };
        self.sections.add(kind, place, open.length, open.from, self.at);
    }
}

/// How late the timer itself was for an activation: from due to its interrupt's entry, without the time in which interrupts were off or
/// another one was handled. `ran` is when the task read the clock, `latency_ns` how late that was. `None` where the window does not
/// hold it whole.
pub fn lateness_ns(window: &Window, symbols: &Symbols, ran: u64, latency_ns: u64, instruction_ns: u64) -> Option<u64> {
    // The activation's interrupt is the first one behind its due instant. Without a halt in between, that instant is known in
    // instructions; with one, the timer ended the halt, and the last interrupt before the task is its own.
    let due = ran.checked_sub(latency_ns / instruction_ns)?;
    let behind = window.steps.partition_point(|step| step.at <= ran);
    let mut timers = timers(&window.steps[..behind], symbols).into_iter();
    let halted = window.events.iter().rev().find_map(|event| match event {
        Event::Idle { at } if *at < ran => Some(*at),
        _ => None,
    });
    let entered = match halted.filter(|at| *at >= due) {
        Some(halted) => timers.find(|at| *at >= halted)?,
        None => timers.find(|at| *at >= due)?,
    };
    let waited_ns = latency_ns.checked_sub((ran - entered) * instruction_ns)?;
    let from = entered.saturating_sub(waited_ns / instruction_ns);
    let first = window.steps.partition_point(|step| step.at < from);
    let was_on = window.steps[..first].iter().rev().find_map(|step| match step.what {
        StepKind::Interrupts { on, .. } => Some(on),
        _ => None,
    });
    let (mut on, mut at, mut blocked) = (was_on?, from, 0);
    for step in window.steps[first..].iter().take_while(|step| step.at <= entered) {
        blocked += if on { 0 } else { step.at - at };
        at = step.at;
        if let StepKind::Interrupts { on: now, .. } = step.what {
            on = now;
        }
    }
    blocked += if on { 0 } else { entered.saturating_sub(at) };
    Some(waited_ns.saturating_sub(blocked * instruction_ns))
}

/// When the timer's interrupts were entered. Where all interrupts have one entry, these are the ones in which its handler began.
fn timers(steps: &[Step], symbols: &Symbols) -> Vec<u64> {
    let (mut found, mut last) = (Vec::new(), None);
    for step in steps {
        match step.what {
            StepKind::Entered { address, .. } => {
                match symbols.entered(address).map(|function| function.name.as_str()) {
                    Some(name) if name.contains("timer_interrupt") => found.push(step.at),
                    Some(name) if is_common_interrupt(name) => last = Some(step.at),
                    _ => {}
                }
            }
            StepKind::Timer => found.extend(last.take()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::ClockReading;

    const SYMBOLS: &str = "\
ffffffff81000000 T lock
ffffffff81000100 T unlock
ffffffff81000200 T __schedule
ffffffff81e00000 T __entry_text_start
ffffffff81e00000 T asm_sysvec_apic_timer_interrupt
ffffffff81e00100 T asm_exc_page_fault
ffffffff81e00200 T irq_entries_start
ffffffff81e00f00 t error_entry
ffffffff81e01000 T __entry_text_end
ffffffff82a00000 D init_task
";
    const LOCK: u64 = 0xffff_ffff_8100_0000;
    const UNLOCK: u64 = LOCK + 0x100;
    const TIMER: u64 = 0xffff_ffff_81e0_0000;
    const FAULT: u64 = TIMER + 0x100;
    const DEVICE: u64 = TIMER + 0x200;
    /// Each entry calls it; for one from a user program, it calls other code.
    const ERROR: u64 = TIMER + 0xf00;
    const IDLE: u64 = 0xffff_ffff_82a0_0000;
    const LOAD: u64 = 0x10;
    const TASK: u64 = 0x20;
    /// Nobody has to be scheduled.
    const FREE: u32 = NO_NEED;

    /// Steps as the plugin records them.
    struct Made(Window);

    impl Made {
        /// A thread of the load runs, nothing is off.
        fn new() -> Self {
            let events = vec![Event::Thread { task: LOAD, name: "load".into() }];
            let window = Window { opened: 0, closed: 10_000, events, steps: Vec::new(), executed: Vec::new() };
            Self(window).interrupts(0, true).count(0, FREE, UNLOCK)
        }

        fn step(mut self, at: u64, what: StepKind) -> Self {
            self.0.steps.push(Step { at, what });
            self
        }

        fn interrupts(self, at: u64, on: bool) -> Self {
            self.step(at, StepKind::Interrupts { on, address: if on { UNLOCK } else { LOCK } })
        }

        fn count(self, at: u64, count: u32, address: u64) -> Self {
            self.step(at, StepKind::Preemption { count, address })
        }

        /// An interrupt is entered, and its first hundred instructions are those of the handler.
        fn timer(self, at: u64, outside: u32, wakes: bool) -> Self {
            let need = if wakes { outside & !NO_NEED } else { outside };
            self.step(at, StepKind::Entered { vector: None, address: TIMER })
                .step(at, StepKind::Interrupts { on: false, address: TIMER })
                .count(at + 10, outside + 0x1_0000, LOCK)
                .count(at + 60, need + 0x1_0000, LOCK)
                .count(at + 90, need, UNLOCK)
        }

        /// Code that the entry code called returns into it.
        fn returns_to(self, at: u64, address: u64) -> Self {
            self.step(at, StepKind::Entered { vector: None, address })
        }

        fn leaves(self, at: u64) -> Self {
            self.step(at, StepKind::Left).step(at, StepKind::Interrupts { on: true, address: LOCK })
        }

        fn switches(self, at: u64, task: u64) -> Self {
            self.step(at, StepKind::Switched { task })
        }

        fn reads(mut self, at: u64) -> Self {
            let read =
                ClockReading { in_user_mode: true, instructions: at, counter: at * 8, ..ClockReading::default() };
            self.0.events.push(Event::Clock(read));
            self
        }

        fn sections(&self) -> Sections {
            sections(&self.0, &Symbols::parse(SYMBOLS).unwrap(), TASK)
        }

        fn lengths(&self) -> [u64; 4] {
            let found = self.sections();
            [SectionKind::Off, SectionKind::ToScheduler, SectionKind::Scheduler, SectionKind::Return]
                .map(|kind| found.longest(kind))
        }
    }

    #[test]
    fn interrupts_and_preemption_off_in_turn_are_one_section_with_its_place() {
        let made = Made::new().count(100, FREE + 1, LOCK).interrupts(130, false).count(150, FREE, UNLOCK);
        let made = made.interrupts(180, true).interrupts(300, false).interrupts(310, true);
        let found = made.sections();
        assert_eq!(found.count(SectionKind::Off), 2);
        let place = SectionEnds { begins: "lock".into(), ends: "unlock".into() };
        let longest = found.places[&(SectionKind::Off, place)];
        assert_eq!((longest.length, longest.from, longest.to, longest.count), (80, 100, 180, 2));
    }

    #[test]
    fn an_interrupt_in_a_section_counts_by_itself() {
        let made =
            Made::new().count(100, FREE + 1, LOCK).timer(120, FREE + 1, false).leaves(250).count(300, FREE, UNLOCK);
        let found = made.sections();
        assert_eq!(found.longest(SectionKind::Off), 200 - 130);
        assert_eq!((found.interrupts["sysvec_apic_timer_interrupt"].longest, found.interrupts.len()), (130, 1));
    }

    #[test]
    fn an_interrupt_of_a_user_program_is_one_interrupt_and_no_section() {
        let made = Made::new().step(100, StepKind::Entered { vector: None, address: TIMER });
        let made = made.interrupts(100, false).returns_to(140, ERROR + 0x93);
        let made = made.count(150, FREE + 0x1_0000, LOCK).count(190, FREE, UNLOCK);
        let made = made.returns_to(200, TIMER + 0x16).leaves(210);
        let found = made.sections();
        let timer = &found.interrupts["sysvec_apic_timer_interrupt"];
        assert_eq!((timer.longest, timer.arrivals[0].as_slice()), (110, &[100][..]));
        assert_eq!(found.count(SectionKind::Off), 0);
    }

    /// Preempted on the way out of the interrupt: nothing lies between the interrupt and the scheduler.
    #[test]
    fn a_wake_up_goes_from_the_interrupt_through_the_scheduler_to_the_task() {
        let made = Made::new().timer(100, FREE, true).count(200, 1, LOCK).step(210, StepKind::Scheduler);
        let made = made.count(230, FREE + 1, LOCK).switches(250, TASK).count(290, FREE, UNLOCK);
        let made = made.interrupts(300, true).reads(340);
        assert_eq!(made.lengths(), [0, 0, 90, 40]);
        assert_eq!(made.sections().interrupts["sysvec_apic_timer_interrupt"].longest, 110);
    }

    /// The interrupted thread held a lock: what is left of its section, then the way to the scheduler.
    #[test]
    fn a_request_that_is_blocked_waits_for_the_sections_end() {
        let made = Made::new().count(50, FREE + 1, LOCK).timer(100, FREE + 1, true).leaves(210).count(400, 0, UNLOCK);
        let made = made.count(407, 1, LOCK).step(411, StepKind::Scheduler).count(420, FREE + 1, LOCK);
        let made = made.switches(430, TASK).count(480, FREE, UNLOCK).reads(500);
        let [off, to_scheduler, scheduler, returns] = made.lengths();
        // 50 to 100 and 210 to 400; the scheduler begins at 411, and interrupts are on at 480 already.
        assert_eq!((off, to_scheduler, scheduler, returns), (50 + 190, 11, 69, 20));
    }

    #[test]
    fn softirqs_on_the_way_out_are_an_interference_of_their_own_and_may_be_interrupted() {
        let made = Made::new().timer(100, FREE, false).count(200, FREE + 0x100, LOCK);
        let made = made.interrupts(220, true).timer(300, FREE + 0x100, false).leaves(420).interrupts(450, false);
        let made = made.count(460, FREE, UNLOCK).leaves(480);
        let found = made.sections();
        assert_eq!(found.interrupts[SOFTIRQS].longest, 280 - 120);
        let timer = &found.interrupts["sysvec_apic_timer_interrupt"];
        assert_eq!((timer.longest, timer.arrivals[0].as_slice()), (120, &[100, 300][..]));
        assert_eq!(found.count(SectionKind::Off), 0);
    }

    #[test]
    fn work_on_the_way_out_to_a_user_program_is_the_threads_own_time() {
        let made = Made::new().timer(100, FREE, false).interrupts(210, true).timer(300, FREE, false).leaves(420);
        let found = made.interrupts(480, false).leaves(490).sections();
        let timer = &found.interrupts["sysvec_apic_timer_interrupt"];
        assert_eq!((timer.longest, timer.arrivals[0].as_slice()), (120, &[100, 300][..]));
        assert_eq!(found.longest(SectionKind::Off), 10);
    }

    #[test]
    fn softirqs_of_a_thread_are_a_section_of_it() {
        let made = Made::new().count(100, FREE + 0x200, LOCK).count(110, FREE + 0x100, LOCK).count(190, FREE, UNLOCK);
        let found = made.sections();
        assert_eq!((found.longest(SectionKind::Off), found.interrupts.len()), (90, 0));
    }

    #[test]
    fn the_idle_thread_s_own_count_is_no_section() {
        let made = Made::new().step(90, StepKind::Scheduler).count(92, FREE + 1, LOCK).switches(100, IDLE);
        let made = made.interrupts(110, false).interrupts(120, true).timer(5_000, FREE + 1, true).leaves(5_100);
        let made = made.step(5_150, StepKind::Scheduler).switches(5_160, TASK).count(5_200, FREE, UNLOCK).reads(5_230);
        // Idle from 120 to 5,000 but for ten instructions; woken, it takes 50 to the scheduler, which it calls with all on.
        assert_eq!(made.lengths(), [10, 50, 50, 30]);
    }

    #[test]
    fn a_fault_is_its_threads_own_time_and_returns_to_it() {
        let made = Made::new().count(100, FREE + 1, LOCK).step(120, StepKind::Entered { vector: None, address: FAULT });
        let made =
            made.interrupts(120, false).leaves(160).timer(170, FREE + 1, false).leaves(280).count(300, FREE, UNLOCK);
        let found = made.sections();
        assert_eq!(found.longest(SectionKind::Off), 200 - 110);
    }

    #[test]
    fn a_device_is_named_by_its_vector() {
        let made = Made::new().step(100, StepKind::Entered { vector: Some(0x23), address: DEVICE + 0x18 });
        let made = made.interrupts(100, false).leaves(190);
        assert_eq!(made.sections().interrupts["device interrupt, vector 35"].longest, 90);
    }

    /// Every instruction belongs to one owner: what is off, scheduled, requested or interrupted is never more than was watched.
    #[test]
    fn no_instruction_is_counted_twice() {
        let mut numbers = 7u64;
        let mut next = |end: u64| {
            numbers = numbers.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (numbers >> 33) % end
        };
        for round in 0..200 {
            let (mut made, mut at) = (Made::new(), 0);
            for _ in 0..60 {
                at += next(40);
                made = match next(7) {
                    0 => made.interrupts(at, next(2) == 1),
                    1 | 2 => made.count(at, [FREE, FREE + 1, 0, 1, FREE + 0x100][next(5) as usize], LOCK),
                    3 => made.step(
                        at,
                        StepKind::Entered { vector: None, address: if next(2) == 1 { TIMER } else { FAULT } },
                    ),
                    4 => made.step(at, StepKind::Left),
                    5 => made.step(at, StepKind::Scheduler),
                    _ => made.switches(at, [LOAD, TASK, IDLE][next(3) as usize]),
                };
            }
            let found = made.sections();
            let once =
                |kind| found.of(kind).map(|(_, longest)| longest.length * u64::from(longest.count == 1)).sum::<u64>();
            let all = [SectionKind::Off, SectionKind::ToScheduler, SectionKind::Scheduler].map(once);
            assert!(all.iter().sum::<u64>() <= at, "round {round}: {all:?} of {at}");
        }
    }

    #[test]
    fn the_timers_own_lateness_leaves_out_what_blocked_its_interrupt() {
        let symbols = Symbols::parse(SYMBOLS).unwrap();
        let late = |made: &Made, ran, latency_ns| lateness_ns(&made.0, &symbols, ran, latency_ns, 8);
        // Due at 100, off from 110 to 150, entered at 160.
        let made = Made::new().interrupts(110, false).interrupts(150, true).timer(160, FREE, true).reads(400);
        assert_eq!(late(&made, 400, 300 * 8), Some(20 * 8));
        // Halted from 90 on; due, and entered 50 units of time later.
        let mut made = Made::new().timer(95, FREE + 1, true).reads(400);
        made.0.events.insert(1, Event::Idle { at: 95 });
        assert_eq!(late(&made, 400, 305 * 8 + 400), Some(400));
        // Due at 100, in another interrupt from 50 to 160, entered at 200.
        let made = Made::new().timer(50, FREE, false).returns_to(150, TIMER + 0x16).leaves(160);
        let made = made.timer(200, FREE, true).reads(400);
        assert_eq!(late(&made, 400, 300 * 8), Some(40 * 8));
    }
}
