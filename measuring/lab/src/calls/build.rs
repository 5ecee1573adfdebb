//! Finds calls, interrupts, system calls and switches of threads in the sequence of executed blocks.
//!
//! A call pushes a frame with its return address, and a return to that address pops it. A jump into another function replaces
//! the frame: compilers end a function with such a jump (tail call). An interrupt or a fault begins at its entry
//! ([`Symbols::entered`]). Its entry follows ordinary code, or the return of an earlier interrupt. The caller of a
//! thread's first function becomes known when that function returns; the function is then attached below this caller.

use super::frame::{Frame, Left, Stack};
use super::span::Span;
use super::tree::{CallTree, How, Level, Node, Slice};
use crate::recording::{Block, Event, Last, Recording, Step, StepKind, Symbols, Window};
use std::collections::BTreeMap;

/// The kernel has the upper half of all addresses.
pub fn is_kernel(address: u64) -> bool {
    address >> 63 == 1
}

/// The tree of what was executed in a span of a window.
pub fn call_tree(recording: &Recording, window: &Window, symbols: &Symbols, span: &Span) -> CallTree {
    let mut builder = Builder::new(symbols, span, &window.steps);
    for event in &window.events {
        match event {
            Event::Run { at, .. } if *at >= span.to => break,
            Event::Run { block, at, executed, interrupts_on, .. } => {
                let block = recording.blocks[*block];
                builder.enter(&block, *at);
                builder.count(&block, *at, *executed, *interrupts_on);
                builder.left = Some(Left { block, is_whole: *executed == block.instructions });
                builder.now = at + u64::from(*executed);
            }
            Event::Thread { task, name } => builder.switch(*task, name),
            Event::Clock(_) | Event::Idle { .. } => {}
        }
    }
    builder.finish()
}

struct Builder<'a> {
    symbols: &'a Symbols,
    span: &'a Span,
    tree: CallTree,
    /// Stacks of threads that do not run now.
    waiting: BTreeMap<u64, Stack>,
    stack: Stack,
    task: u64,
    thread: String,
    /// The node of the thread's present turn.
    turn: Option<usize>,
    left: Option<Left>,
    now: u64,
    /// Steps that lie ahead.
    steps: &'a [Step],
    /// The preempt count; `None` before it is known.
    preempt_count: Option<u32>,
}

impl<'a> Builder<'a> {
    fn new(symbols: &'a Symbols, span: &'a Span, steps: &'a [Step]) -> Self {
        Self {
            symbols,
            span,
            steps,
            preempt_count: None,
            tree: CallTree::default(),
            waiting: BTreeMap::new(),
            stack: Stack::default(),
            task: 0,
            thread: String::new(),
            turn: None,
            left: None,
            now: 0,
        }
    }

    /// Updates the stack for a block that begins, by what the last instruction of the block before it did.
    fn enter(&mut self, block: &Block, at: u64) {
        self.now = at;
        let name = self.name(block.address);
        let left = self.left;
        match left {
            None => self.go_on(&name, block),
            Some(left) if self.is_interrupt(left, block) => {
                self.push(name, How::Interrupt, None, Some(left));
            }
            Some(left) => self.follow(left, block, name),
        }
    }

    /// True where other code was left for the entry of an interrupt or a fault. An interrupt may follow any instruction
    /// except a system call, which 64-bit Arm enters at the same address as a fault.
    fn is_interrupt(&self, left: Left, block: &Block) -> bool {
        let is_entered = !self.symbols.is_entry(left.block.address) && self.symbols.entered(block.address).is_some();
        is_entered && left.last() != Last::SystemCall
    }

    fn follow(&mut self, left: Left, block: &Block, name: String) {
        // User programs have no symbols here: all of a program's code is one function.
        let is_user = |block: &Block| !is_kernel(block.address);
        match left.last() {
            Last::Call | Last::Return if is_user(&left.block) && is_user(block) => self.go_on(&name, block),
            Last::Call => self.push(name, How::Call, Some(left.end()), None),
            Last::Return => self.return_to(block, &name),
            Last::SystemCall => self.push(name, How::SystemCall, None, None),
            Last::InterruptReturn | Last::SystemReturn => self.leave_kernel(block, name),
            Last::Other | Last::Jump | Last::Branch | Last::Halt => self.go_on(&name, block),
        }
    }

    fn return_to(&mut self, block: &Block, name: &str) {
        let begins = self.symbols.at(block.address).is_some_and(|function| function.address == block.address);
        if let Some(length) = self.stack.left_by_return(block.address) {
            self.pop_to(length);
        } else if begins {
            // A return to the start of a function is an indirect jump (retpoline), not the end of a call.
        } else if let Some(length) = self.stack.left_by_name(name) {
            self.pop_to(length);
        } else if self.stack.has_interrupt() {
            self.pop_to(self.stack.to_interrupt());
        } else {
            self.take_over(name);
        }
        self.go_on(name, block);
    }

    /// Ends an interrupt or a system call, then continues with what the interrupted block would have done next.
    fn leave_kernel(&mut self, block: &Block, name: String) {
        let place = self.stack.entered();
        let interrupted = place.and_then(|place| self.stack.0[place].interrupted);
        if self.symbols.entered(block.address).is_some() {
            // A second interrupt was pending. It runs before the interrupted code resumes, so it interrupts the same
            // block.
            self.pop_to(place.unwrap_or(0));
            self.push(name, How::Interrupt, None, interrupted);
            return;
        }
        let Some(place) = place else {
            self.take_over(&name);
            return;
        };
        self.pop_to(place);
        match interrupted {
            Some(left) if !self.stack.0.is_empty() => self.follow(left, block, name),
            _ => self.go_on(&name, block),
        }
    }

    /// The same function continues, or a jump leads into another function, which gets the caller of the first one.
    fn go_on(&mut self, name: &str, block: &Block) {
        let Some(top) = self.stack.0.last() else {
            self.push(name.to_owned(), How::Call, None, None);
            return;
        };
        let stays_in_entry = top.how != How::Call && self.symbols.is_entry(block.address);
        if top.name == name || stays_in_entry {
            return;
        }
        let (how, returns_to) = (top.how, top.returns_to);
        if how == How::Call {
            self.pop_to(self.stack.0.len() - 1);
            self.push(name.to_owned(), How::Call, returns_to, None);
        } else {
            self.push(name.to_owned(), How::Call, None, None);
        }
    }

    /// A return from the outermost known function reveals its caller: everything in this turn moves below that caller.
    fn take_over(&mut self, name: &str) {
        self.pop_to(0);
        let Some(turn) = self.turn else { return };
        let children = std::mem::take(&mut self.tree.nodes[turn].children);
        let from = self.tree.nodes[turn].from;
        self.push(name.to_owned(), How::Call, None, None);
        let caller = self.stack.0[0].node;
        self.tree.nodes[caller].from = from;
        for child in &children {
            self.tree.nodes[*child].parent = Some(caller);
        }
        self.tree.nodes[caller].children = children;
    }

    fn push(&mut self, name: String, how: How, returns_to: Option<u64>, interrupted: Option<Left>) {
        let parent = match self.stack.0.last() {
            Some(frame) => frame.node,
            None => self.turn(),
        };
        let node = self.node(name.clone(), how, Some(parent));
        self.stack.0.push(Frame { node, name, how, returns_to, interrupted });
    }

    fn pop_to(&mut self, length: usize) {
        for frame in self.stack.0.drain(length..) {
            self.tree.nodes[frame.node].to = self.now;
        }
    }

    fn node(&mut self, name: String, how: How, parent: Option<usize>) -> usize {
        let number = self.tree.nodes.len();
        let (from, to) = (self.now, self.now);
        self.tree.nodes.push(Node { name, how, parent, children: Vec::new(), from, to, self_on: 0, self_off: 0 });
        match parent {
            Some(parent) => self.tree.nodes[parent].children.push(number),
            None => self.tree.roots.push(number),
        }
        number
    }

    /// The node of the thread's present turn, which begins with the first thing it does.
    fn turn(&mut self) -> usize {
        if let Some(turn) = self.turn {
            return turn;
        }
        let name = if self.thread.is_empty() { "unknown thread".to_owned() } else { self.thread.clone() };
        let turn = self.node(name, How::Thread, None);
        self.turn = Some(turn);
        turn
    }

    /// Switches to another thread, with the stack that it had when it last ran.
    fn switch(&mut self, task: u64, name: &str) {
        if task == self.task && !self.thread.is_empty() {
            return;
        }
        self.close();
        let stack = std::mem::take(&mut self.stack);
        if !stack.0.is_empty() {
            self.waiting.insert(self.task, stack);
        }
        (self.task, self.thread, self.turn) = (task, name.to_owned(), None);
        match self.waiting.remove(&task) {
            Some(stack) => {
                for frame in stack.0 {
                    self.push(frame.name, frame.how, frame.returns_to, frame.interrupted);
                }
            }
            None => self.left = None,
        }
    }

    /// Ends everything that is open now.
    fn close(&mut self) {
        for frame in &self.stack.0 {
            self.tree.nodes[frame.node].to = self.now;
        }
        if let Some(turn) = self.turn {
            self.tree.nodes[turn].to = self.now;
        }
    }

    /// The part of a block that lies in the span, in the innermost frame.
    fn count(&mut self, block: &Block, at: u64, executed: u16, interrupts_on: bool) {
        let Some(frame) = self.stack.0.last() else { return };
        let node = frame.node;
        let end = at + u64::from(executed);
        let turned_off = if interrupts_on { end.min(at + u64::from(block.to_cli)) } else { at };
        if !is_kernel(block.address) {
            self.preempt_count = Some(0);
        }
        let mut from = at;
        while from < end {
            let step = self.next_step(from);
            let (interrupts_off, to) = if from < turned_off { (false, turned_off) } else { (true, end) };
            let to = step.map_or(to, |step| step.min(to));
            self.slice(node, from, to, interrupts_off);
            from = to;
        }
    }

    /// Takes the steps up to an instruction, and finds the next one.
    fn next_step(&mut self, at: u64) -> Option<u64> {
        while let Some((step, later)) = self.steps.split_first() {
            if step.at > at {
                return Some(step.at);
            }
            if let StepKind::Preemption { count, .. } = step.what {
                self.preempt_count = Some(count);
            }
            self.steps = later;
        }
        None
    }

    /// Adds what lies in the span to the last slice where it goes on.
    fn slice(&mut self, node: usize, from: u64, to: u64, interrupts_off: bool) {
        let level = Level::of(self.preempt_count, interrupts_off, self.symbols.first_task() == Some(self.task));
        let (from, to) = (from.max(self.span.from), to.min(self.span.to));
        if from >= to {
            return;
        }
        let own = &mut self.tree.nodes[node];
        *if interrupts_off { &mut own.self_off } else { &mut own.self_on } += to - from;
        let goes_on = |last: &&mut Slice| {
            (last.node, last.interrupts_off, last.level, last.to) == (node, interrupts_off, level, from)
        };
        match self.tree.slices.last_mut().filter(goes_on) {
            Some(last) => last.to = to,
            None => self.tree.slices.push(Slice { node, from, to, interrupts_off, level }),
        }
    }

    /// The function that contains an address, the program in user mode, or `unknown (ADDRESS)` for kernel code without a symbol.
    fn name(&self, address: u64) -> String {
        if !is_kernel(address) {
            return format!("{} (user mode)", if self.thread.is_empty() { "program" } else { &self.thread });
        }
        match self.symbols.at(address) {
            Some(function) => function.name.strip_suffix(".cold").unwrap_or(&function.name).to_owned(),
            None => format!("unknown ({address:#x})"),
        }
    }

    fn finish(mut self) -> CallTree {
        self.close();
        self.tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::profile::profile;

    const SYMBOLS: &str = "\
ffffffff81000000 T caller
ffffffff81000100 T callee
ffffffff81000200 T handler
ffffffff81000300 T wake
ffffffff81000400 T __switch_to
ffffffff81000500 T schedule
ffffffff81000600 T ret_from_fork
ffffffff81e00000 T __entry_text_start
ffffffff81e00000 T asm_sysvec_timer_interrupt
ffffffff81e00100 T asm_exc_page_fault
ffffffff81e00200 T entry_SYSCALL_64
ffffffff81e00300 T asm_load_gs_index
ffffffff81e00400 T irq_entries_start
ffffffff81e00c00 T asm_common_interrupt
ffffffff81e00f00 t common_interrupt_return
ffffffff81e01000 T __entry_text_end
";
    const CALLER: u64 = 0xffff_ffff_8100_0000;
    const CALLEE: u64 = CALLER + 0x100;
    const HANDLER: u64 = CALLER + 0x200;
    const WAKE: u64 = CALLER + 0x300;
    const SWITCH: u64 = CALLER + 0x400;
    const SCHEDULE: u64 = CALLER + 0x500;
    const FORKED: u64 = CALLER + 0x600;
    const TIMER: u64 = 0xffff_ffff_81e0_0000;
    const FAULT: u64 = TIMER + 0x100;
    const SYSCALL: u64 = TIMER + 0x200;
    const LOAD_GS: u64 = TIMER + 0x300;
    /// The entry of a device's vector, which is not the first one of the table.
    const DEVICE: u64 = TIMER + 0x418;
    const COMMON: u64 = TIMER + 0xc00;
    const LEAVE: u64 = TIMER + 0xf00;

    /// A trace as the plugin would record it: each block has ten instructions of one byte.
    struct Trace {
        recording: Recording,
        window: Window,
        now: u64,
    }

    impl Trace {
        fn new() -> Self {
            let window = Window { closed: u64::MAX, ..Window::default() };
            Self { recording: Recording::default(), window, now: 0 }.thread(1, "load")
        }

        fn thread(mut self, task: u64, name: &str) -> Self {
            self.window.events.push(Event::Thread { task, name: name.into() });
            self
        }

        fn run(self, address: u64, last: Last) -> Self {
            self.run_part(address, last, 10, true)
        }

        fn run_part(self, address: u64, last: Last, executed: u16, interrupts_on: bool) -> Self {
            self.run_block(10, address, last, executed, interrupts_on)
        }

        fn run_block(
            mut self,
            instructions: u16,
            address: u64,
            last: Last,
            executed: u16,
            interrupts_on: bool,
        ) -> Self {
            let bytes = u32::from(instructions);
            self.recording.blocks.push(Block { address, instructions, to_cli: instructions, bytes, last });
            let block = self.recording.blocks.len() - 1;
            self.window.events.push(Event::Run { block, at: self.now, executed, interrupts_on, stack: 0 });
            self.now += u64::from(executed);
            self
        }

        fn tree_between(&self, from: u64, to: u64) -> CallTree {
            let span = Span { from, to, idle_ns: 0, was_idle_at_due: false, clock_error_ns: 0, clocks_compared: 0 };
            call_tree(&self.recording, &self.window, &Symbols::parse(SYMBOLS).unwrap(), &span)
        }

        /// One line a node: depth, name, own instructions with interrupts on and off.
        fn lines(&self) -> Vec<String> {
            let tree = self.tree_between(0, self.now);
            assert_eq!(tree.instructions(), self.now, "the nodes hold all instructions");
            assert_eq!(tree.slices.iter().map(|slice| slice.to - slice.from).sum::<u64>(), self.now);
            let line = |(depth, node): (usize, usize)| {
                let node = &tree.nodes[node];
                format!("{}{} {}+{}", " ".repeat(depth), node.name, node.self_on, node.self_off)
            };
            tree.walk().into_iter().map(line).collect()
        }
    }

    /// The count is written behind the fourth instruction of a block; another block turns interrupts off behind its third one.
    #[test]
    fn a_block_is_cut_where_its_level_changes() {
        let mut trace = Trace::new().run(CALLER, Last::Other).run(CALLER + 10, Last::Other);
        trace.recording.blocks[1].to_cli = 3;
        let count = |at, count| Step { at, what: StepKind::Preemption { count, address: 0 } };
        trace.window.steps = vec![count(0, 0x8000_0000), count(4, 0x8000_0001), count(16, 0x8001_0001)];
        let tree = trace.tree_between(2, 20);
        let found: Vec<_> = tree.slices.iter().map(|slice| (slice.from, slice.to, slice.level)).collect();
        let expected = [
            (2, 4, Level::NothingOff),
            (4, 13, Level::PreemptionOff),
            (13, 16, Level::InterruptsOff),
            (16, 20, Level::Interrupt),
        ];
        assert_eq!(found, expected);
        assert_eq!((tree.nodes[1].self_on, tree.nodes[1].self_off), (11, 7));
    }

    /// On 64-bit Arm, a system call and a fault have one entry.
    #[test]
    fn a_system_call_is_told_from_a_fault_by_the_instruction_before_it() {
        let symbols =
            "ffff800080010000 T __entry_text_start\nffff800080010000 T vectors\nffff800080012000 T __entry_text_end\n";
        let symbols = Symbols::parse(symbols).unwrap();
        let tree = |last| {
            let trace = Trace::new().run(0x1000, last).run(0xffff_8000_8001_0400, Last::Other);
            let span =
                Span { from: 0, to: 20, idle_ns: 0, was_idle_at_due: false, clock_error_ns: 0, clocks_compared: 0 };
            call_tree(&trace.recording, &trace.window, &symbols, &span)
        };
        let entered = |last| tree(last).nodes.iter().find(|node| node.name == "el0t_64_sync").map(|node| node.how);
        assert_eq!(entered(Last::SystemCall), Some(How::SystemCall));
        assert_eq!(entered(Last::Branch), Some(How::Interrupt));
    }

    #[test]
    fn a_call_and_its_return_are_one_node_below_the_caller() {
        let trace = Trace::new()
            .run(CALLER, Last::Call)
            .run(CALLEE, Last::Branch)
            .run(CALLEE + 10, Last::Return)
            .run(CALLER + 10, Last::Call)
            .run(CALLEE, Last::Return)
            .run(CALLER + 20, Last::Other);
        assert_eq!(trace.lines(), ["load 0+0", " caller 30+0", "  callee 20+0", "  callee 10+0"]);
        let shares = profile(&trace.tree_between(0, 60));
        let shares: Vec<_> = shares.iter().map(|one| (one.name.as_str(), one.self_on, one.total)).collect();
        assert_eq!(shares, [("callee", 30, 30), ("caller", 30, 60)]);
    }

    #[test]
    fn an_interrupt_after_a_call_returns_to_the_callee() {
        let trace = Trace::new()
            .run(CALLER, Last::Call)
            .run_part(TIMER, Last::Call, 10, false)
            .run_part(HANDLER, Last::Return, 10, false)
            .run_part(TIMER + 10, Last::InterruptReturn, 10, false)
            .run(CALLEE, Last::Return)
            .run(CALLER + 10, Last::Other);
        assert_eq!(
            trace.lines(),
            ["load 0+0", " caller 20+0", "  asm_sysvec_timer_interrupt 0+20", "   handler 0+10", "  callee 10+0"]
        );
    }

    /// Only the first entry of the table lies where a function starts.
    #[test]
    fn a_device_interrupt_after_a_call_a_return_or_a_jump_is_an_interrupt() {
        let device = |trace: Trace| {
            trace
                .run_part(DEVICE, Last::Jump, 10, false)
                .run_part(COMMON, Last::Call, 10, false)
                .run_part(HANDLER, Last::Return, 10, false)
                .run_part(COMMON + 10, Last::InterruptReturn, 10, false)
        };
        let trace = device(Trace::new().run(CALLER, Last::Call)).run(CALLEE, Last::Return);
        let trace = device(trace).run(CALLER + 10, Last::Jump);
        let trace = device(trace).run(WAKE, Last::Other);
        assert_eq!(
            trace.lines(),
            [
                "load 0+0",
                " caller 20+0",
                "  irq_entries_start 0+30",
                "   handler 0+10",
                "  callee 10+0",
                "   irq_entries_start 0+30",
                "    handler 0+10",
                "  irq_entries_start 0+30",
                "   handler 0+10",
                " wake 10+0"
            ]
        );
        let tree = trace.tree_between(0, trace.now);
        assert_eq!(tree.nodes.iter().filter(|node| node.how == How::Interrupt).count(), 3);
    }

    #[test]
    fn an_interrupt_that_waited_for_another_one_is_next_to_it_and_returns_to_the_callee() {
        let trace = Trace::new()
            .run(CALLER, Last::Call)
            .run_part(TIMER, Last::InterruptReturn, 10, false)
            .run_part(DEVICE, Last::InterruptReturn, 10, false)
            .run(CALLEE, Last::Return)
            .run(CALLER + 10, Last::Other);
        assert_eq!(
            trace.lines(),
            [
                "load 0+0",
                " caller 20+0",
                "  asm_sysvec_timer_interrupt 0+10",
                "  irq_entries_start 0+10",
                "  callee 10+0"
            ]
        );
    }

    #[test]
    fn an_interrupt_that_waited_for_a_system_call_is_no_part_of_it() {
        let trace = Trace::new()
            .run(0x40_0000, Last::SystemCall)
            .run_part(SYSCALL, Last::SystemReturn, 10, false)
            .run_part(TIMER, Last::InterruptReturn, 10, false)
            .run(0x40_000a, Last::Other);
        assert_eq!(
            trace.lines(),
            ["load 0+0", " load (user mode) 20+0", "  entry_SYSCALL_64 0+10", "  asm_sysvec_timer_interrupt 0+10"]
        );
    }

    #[test]
    fn an_interrupt_behind_one_whose_entry_was_not_seen_is_next_to_it() {
        let trace = Trace::new()
            .run_part(TIMER + 10, Last::InterruptReturn, 10, false)
            .run_part(DEVICE, Last::InterruptReturn, 10, false)
            .run(CALLER, Last::Other);
        assert_eq!(
            trace.lines(),
            ["load 0+0", " asm_sysvec_timer_interrupt 0+10", " irq_entries_start 0+10", " caller 10+0"]
        );
    }

    #[test]
    fn a_new_process_leaves_the_kernel_without_an_interrupt() {
        let trace = Trace::new()
            .run(FORKED, Last::Jump)
            .run_part(LEAVE, Last::InterruptReturn, 10, false)
            .run(0x40_0000, Last::Other);
        assert_eq!(
            trace.lines(),
            ["load 0+0", " load (user mode) 10+0", "  ret_from_fork 10+0", "  common_interrupt_return 0+10"]
        );
        assert!(trace.tree_between(0, trace.now).nodes.iter().all(|node| node.how != How::Interrupt));
    }

    /// A new program loads its registers there; what came after it once stood below it.
    #[test]
    fn a_function_of_the_entry_code_that_is_called_is_no_interrupt() {
        let trace = Trace::new()
            .run(CALLER, Last::Call)
            .run_part(LOAD_GS, Last::Return, 10, false)
            .run(CALLER + 10, Last::Call)
            .run(CALLEE, Last::Return)
            .run(CALLER + 20, Last::Other);
        assert_eq!(trace.lines(), ["load 0+0", " caller 30+0", "  asm_load_gs_index 0+10", "  callee 10+0"]);
        assert!(trace.tree_between(0, trace.now).nodes.iter().all(|node| node.how != How::Interrupt));
    }

    #[test]
    fn a_fault_leaves_its_block_and_returns_into_it() {
        let trace = Trace::new()
            .run(CALLER, Last::Other)
            .run_part(CALLER + 10, Last::Call, 4, true)
            .run_part(FAULT, Last::InterruptReturn, 10, false)
            .run_block(6, CALLER + 14, Last::Call, 6, true)
            .run(CALLEE, Last::Return)
            .run(CALLER + 20, Last::Other);
        assert_eq!(trace.lines()[1..], [" caller 30+0", "  asm_exc_page_fault 0+10", "  callee 10+0"]);
    }

    #[test]
    fn a_system_call_returns_to_its_program() {
        let trace = Trace::new()
            .run(0x40_0000, Last::SystemCall)
            .run_part(SYSCALL, Last::Call, 10, false)
            .run(CALLER, Last::Return)
            .run_part(SYSCALL + 10, Last::SystemReturn, 10, false)
            .run(0x40_000a, Last::Call)
            .run(0x40_1000, Last::Return);
        assert_eq!(trace.lines(), ["load 0+0", " load (user mode) 30+0", "  entry_SYSCALL_64 0+20", "   caller 10+0"]);
    }

    #[test]
    fn the_first_function_moves_below_its_caller_once_that_is_known() {
        let trace = Trace::new()
            .run(CALLEE, Last::Jump)
            .run(HANDLER, Last::Return)
            .run(CALLER + 30, Last::Return)
            .run(SCHEDULE + 10, Last::Other);
        assert_eq!(trace.lines(), ["load 0+0", " schedule 10+0", "  caller 10+0", "   callee 10+0", "   handler 10+0"]);
    }

    #[test]
    fn a_thread_goes_on_where_it_was_switched_away_from() {
        let trace = Trace::new()
            .run(CALLER, Last::Call)
            .run(SCHEDULE, Last::Call)
            .thread(2, "task")
            .run(SWITCH, Last::Return)
            .run(SCHEDULE + 10, Last::Call)
            .thread(1, "load")
            .run(SWITCH, Last::Return)
            .run(SCHEDULE + 10, Last::Return)
            .run(CALLER + 10, Last::Other);
        assert_eq!(
            trace.lines(),
            [
                "load 0+0",
                " caller 10+0",
                "  schedule 10+0",
                "task 0+0",
                " schedule 10+0",
                "  __switch_to 10+0",
                "load 0+0",
                " caller 10+0",
                "  schedule 10+0",
                "   __switch_to 10+0"
            ]
        );
    }

    #[test]
    fn a_block_that_turns_interrupts_off_counts_on_both_sides_and_a_span_cuts_blocks() {
        let mut trace = Trace::new().run(CALLER, Last::Other).run(CALLER + 10, Last::Other);
        trace.recording.blocks[1].to_cli = 4;
        assert_eq!(trace.lines()[1], " caller 14+6");
        let cut = trace.tree_between(3, 16);
        assert_eq!((cut.nodes[1].self_on, cut.nodes[1].self_off), (11, 2));
    }

    #[test]
    fn kernel_code_without_a_symbol_is_named_by_its_address() {
        let trace = Trace::new().run(0xffff_ffff_f000_0000, Last::Other);
        assert_eq!(trace.lines()[1], " unknown (0xfffffffff0000000) 10+0");
    }
}
