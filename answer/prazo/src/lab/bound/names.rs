//! The functions of the longest sections, from a boot that records their blocks.

use super::document::SectionName;
use crate::error::Error;
use crate::lab::explain::{Subject, callers_of, shown, watch_error};
use crate::progress::Progress;
use prazo_lab::Lab;
use prazo_lab::calls::{CallTree, How, Span, call_tree};
use prazo_lab::recording::{PluginRecorder, WindowRequest};
use prazo_lab::sections::{Longest, SectionEnds, SectionKind};

/// Instructions that are recorded before a section, so that its first functions have callers.
const LEAD: u64 = 50_000;
const TAIL: u64 = 64;

/// For each section the function with the most instructions of its own in it.
pub(super) fn names(
    carrying: &[(SectionKind, SectionEnds, Longest)],
    subjects: &[Subject],
    watcher: &PluginRecorder,
    lab: &Lab,
    progress: &mut dyn Progress,
) -> Result<Vec<Option<SectionName>>, Error> {
    let mut names = vec![None; carrying.len()];
    for (number, subject) in subjects.iter().enumerate() {
        let own: Vec<usize> = (0..carrying.len()).filter(|place| carrying[*place].2.boot == number).collect();
        if own.is_empty() {
            continue;
        }
        let windows = windows(own.iter().map(|place| &carrying[*place].2));
        let watched = watcher.windows(
            &subject.job,
            lab,
            &windows,
            &mut shown(progress, &subject.job, "finding the function names"),
        );
        let watched = watched.map_err(watch_error)?;
        subject.again.compare(&watched.answer)?;
        for place in own {
            let Longest { from, to, .. } = carrying[place].2;
            let recording = &watched.recording;
            let window = recording.windows.iter().find(|window| window.opened <= from && to <= window.closed);
            names[place] = window.and_then(|window| {
                let span = Span { from, to, idle_ns: 0, was_idle_at_due: false, clock_error_ns: 0, clocks_compared: 0 };
                named(&call_tree(recording, window, watcher.symbols(), &span))
            });
        }
    }
    progress.measured();
    Ok(names)
}

/// One window for each section, in order; those that overlap are joined.
fn windows<'a>(sections: impl Iterator<Item = &'a Longest>) -> Vec<WindowRequest> {
    let window = |one: &Longest| WindowRequest { from: one.from.saturating_sub(LEAD), to: one.to + TAIL };
    let mut all: Vec<_> = sections.map(window).collect();
    crate::lab::explain::join(&mut all);
    all
}

/// The heaviest function outside of interrupts, which are no part of a section; faults are.
fn named(tree: &CallTree) -> Option<SectionName> {
    let is_inside = |node: usize| {
        let mut around = std::iter::once(node).chain(tree.callers(node));
        around.any(|node| tree.nodes[node].is_interrupt())
    };
    let own = (0..tree.nodes.len()).filter(|node| tree.nodes[*node].how != How::Thread && !is_inside(*node));
    let heaviest = own.max_by_key(|node| tree.nodes[*node].self_instructions())?;
    let thread = tree.callers(heaviest).last().map(|thread| tree.nodes[*thread].name.clone());
    Some(SectionName {
        function: tree.nodes[heaviest].name.clone(),
        instructions: tree.nodes[heaviest].self_instructions(),
        callers: callers_of(tree, heaviest),
        thread,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_lab::calls::Node;

    fn node(name: &str, how: How, parent: Option<usize>, children: &[usize], self_on: u64) -> Node {
        Node { name: name.into(), how, parent, children: children.to_vec(), from: 0, to: 0, self_on, self_off: 0 }
    }

    #[test]
    fn a_section_is_named_by_its_own_function_or_by_a_fault_in_it_but_not_by_an_interrupt() {
        let nodes = vec![
            node("load", How::Thread, None, &[1], 0),
            node("free", How::Call, Some(0), &[2, 4], 100),
            node("irq_entries_start", How::Interrupt, Some(1), &[3], 20),
            node("handler", How::Call, Some(2), &[], 500),
            node("asm_exc_page_fault", How::Interrupt, Some(1), &[5], 10),
            node("handle_mm_fault", How::Call, Some(4), &[], 200),
        ];
        let name = named(&CallTree { nodes, roots: vec![0], slices: Vec::new() }).unwrap();
        assert_eq!((name.function.as_str(), name.instructions), ("handle_mm_fault", 200));
        assert_eq!(name.thread.as_deref(), Some("load"));
    }
}
