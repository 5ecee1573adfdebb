//! Calls, interrupts, system calls and switches of threads, told from the blocks that follow each other.
//!
//! A call pushes a frame with the address behind it, and a return to that address pops it. A jump into another function
//! replaces the frame, as compilers do it. A block of the kernel's entry code behind any other code is an interrupt or a fault.
//! What called the first function seen of a thread shows when that function returns: the caller then takes it over.

use super::frame::{Frame, Left, Stack};
use super::span::Span;
use super::tree::{CallTree, How, Node, Slice};
use crate::watch::{Block, Event, Last, Recording, Symbols, Window};
use std::collections::BTreeMap;

/// Addresses of user programs end here.
const USER_END: u64 = 1 << 47;

/// The tree of what was executed in a span of a window.
pub fn call_tree(recording: &Recording, window: &Window, symbols: &Symbols, span: &Span) -> CallTree {
    let mut builder = Builder::new(symbols, span);
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
}

impl<'a> Builder<'a> {
    fn new(symbols: &'a Symbols, span: &'a Span) -> Self {
        Self {
            symbols,
            span,
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

    /// A block begins: what did the one before it do?
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

    /// Entry code that is reached from other code, but for system calls.
    fn is_interrupt(&self, left: Left, block: &Block) -> bool {
        let is_entry = |address| self.symbols.is_entry(address);
        let goes_there = matches!(left.last(), Last::SystemCall | Last::Return | Last::Call | Last::Jump);
        is_entry(block.address) && !is_entry(left.block.address) && !(goes_there && self.is_inside(block))
    }

    /// True for a block in the middle of entry code: an interrupt begins with a function of it.
    fn is_inside(&self, block: &Block) -> bool {
        self.symbols.at(block.address).is_some_and(|function| {
            function.address != block.address || function.name.contains("SYSCALL") || function.name.contains("fork")
        })
    }

    fn follow(&mut self, left: Left, block: &Block, name: String) {
        match left.last() {
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
            // A return is also a way to jump.
        } else if let Some(length) = self.stack.left_by_name(name) {
            self.pop_to(length);
        } else if self.stack.has_interrupt() {
            self.pop_to(self.stack.to_interrupt());
        } else {
            self.take_over(name);
        }
        self.go_on(name, block);
    }

    /// Back to where an interrupt or a system call came from, and from there on as if it had not been.
    fn leave_kernel(&mut self, block: &Block, name: String) {
        let Some(place) = self.stack.entered() else {
            self.take_over(&name);
            return;
        };
        let interrupted = self.stack.0[place].interrupted;
        self.pop_to(place);
        match interrupted {
            Some(left) if !self.stack.0.is_empty() => self.follow(left, block, name),
            _ => self.go_on(&name, block),
        }
    }

    /// The same function goes on, or a jump led into another one, which then has its caller.
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

    /// The caller of everything seen of this turn shows itself.
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

    /// Another thread goes on where it was switched away from.
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
        self.slice(node, at, turned_off, false);
        self.slice(node, turned_off, end, true);
    }

    /// Adds what lies in the span to the last slice where it goes on.
    fn slice(&mut self, node: usize, from: u64, to: u64, interrupts_off: bool) {
        let (from, to) = (from.max(self.span.from), to.min(self.span.to));
        if from >= to {
            return;
        }
        let own = &mut self.tree.nodes[node];
        *if interrupts_off { &mut own.self_off } else { &mut own.self_on } += to - from;
        match self.tree.slices.last_mut() {
            Some(last) if (last.node, last.interrupts_off, last.to) == (node, interrupts_off, from) => last.to = to,
            _ => self.tree.slices.push(Slice { node, from, to, interrupts_off }),
        }
    }

    /// What a person calls the code at an address; of code that is nobody's, the address.
    fn name(&self, address: u64) -> String {
        if address < USER_END {
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
