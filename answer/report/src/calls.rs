//! What was executed between two instants of a guest, for pictures and traces: calls with their times.

use prazo_lab::calls::{CallTree, Level, Overlay, Slice, Span};

/// The calls of one activation.
#[derive(Clone, Copy, Debug)]
pub struct Calls<'a> {
    /// What they are of, as in "activation 1036: 43.6 µs".
    pub title: &'a str,
    /// The calls.
    pub tree: &'a CallTree,
    /// From due to running.
    pub span: &'a Span,
    /// Time of an instruction.
    pub instruction_ns: u64,
}

/// The calls of all activations as one.
#[derive(Clone, Copy, Debug)]
pub struct AllCalls<'a> {
    /// What they are of.
    pub title: &'a str,
    /// The calls, with their times over all activations as the first ones.
    pub overlay: &'a Overlay,
    /// Number of activations.
    pub activations: u64,
}

/// A stretch of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The call's place in the tree.
    pub node: usize,
    /// How many calls it is below its thread.
    pub depth: usize,
    /// Since the activation was due.
    pub from_ns: u64,
    /// Since the activation was due.
    pub to_ns: u64,
}

impl Calls<'_> {
    /// When an instruction was executed, since the activation was due. A processor that was halted then began that much later.
    pub(crate) fn at_ns(&self, instruction: u64) -> u64 {
        let halted = if self.span.was_idle_at_due { self.span.idle_ns } else { 0 };
        let inside = instruction.clamp(self.span.from, self.span.to) - self.span.from;
        halted + inside * self.instruction_ns
    }

    /// From due to running.
    pub(crate) fn length_ns(&self) -> u64 {
        self.at_ns(self.span.to).max(1)
    }

    /// Everything that takes any time in the span, callers before those they call.
    pub(crate) fn stretches(&self) -> Vec<Stretch> {
        let stretch = |(depth, node): (usize, usize)| {
            let one = &self.tree.nodes[node];
            Stretch { node, depth, from_ns: self.at_ns(one.from), to_ns: self.at_ns(one.to) }
        };
        self.tree.walk().into_iter().map(stretch).filter(|stretch| stretch.from_ns < stretch.to_ns).collect()
    }

    /// When something was off, and what.
    pub(crate) fn off(&self) -> Vec<(Level, u64, u64)> {
        let mut all: Vec<(Level, u64, u64)> = Vec::new();
        let is_off = |slice: &&Slice| !matches!(slice.level, Level::NothingOff | Level::Unknown);
        for slice in self.tree.slices.iter().filter(is_off) {
            let (from, to) = (self.at_ns(slice.from), self.at_ns(slice.to));
            match all.last_mut() {
                Some((level, _, end)) if (*level, *end) == (slice.level, from) => *end = to,
                _ => all.push((slice.level, from, to)),
            }
        }
        all
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use prazo_lab::calls::{How, Node};

    /// A task whose function calls another one, interrupts off in that.
    pub(crate) fn example() -> (CallTree, Span) {
        let node = |name: &str, how, parent, children: &[usize], from, to| Node {
            name: name.into(),
            how,
            parent,
            children: children.to_vec(),
            from,
            to,
            self_on: 0,
            self_off: 0,
        };
        let nodes = vec![
            node("task", How::Thread, None, &[1], 90, 160),
            node("caller", How::Call, Some(0), &[2], 90, 160),
            node("a<b>", How::Interrupt, Some(1), &[], 120, 140),
        ];
        let slice = |node, from, to, interrupts_off| {
            let level = if interrupts_off { Level::InterruptsOff } else { Level::NothingOff };
            Slice { node, from, to, interrupts_off, level }
        };
        let slices = vec![
            slice(1, 100, 120, false),
            slice(2, 120, 130, true),
            slice(2, 130, 140, true),
            slice(1, 140, 150, false),
        ];
        let span =
            Span { from: 100, to: 150, idle_ns: 0, was_idle_at_due: false, clock_error_ns: 0, clocks_compared: 0 };
        (CallTree { nodes, roots: vec![0], slices }, span)
    }

    #[test]
    fn calls_are_cut_to_the_span_and_stretches_of_one_level_are_joined() {
        let (tree, span) = example();
        let calls = Calls { title: "x", tree: &tree, span: &span, instruction_ns: 8 };
        let stretches: Vec<_> = calls.stretches().iter().map(|one| (one.depth, one.from_ns, one.to_ns)).collect();
        assert_eq!(stretches, [(0, 0, 400), (1, 0, 400), (2, 160, 320)]);
        assert_eq!(calls.off(), [(Level::InterruptsOff, 160, 320)]);
        let halted = Span { idle_ns: 30, was_idle_at_due: true, ..span };
        assert_eq!(Calls { span: &halted, ..calls }.length_ns(), 430);
    }
}
