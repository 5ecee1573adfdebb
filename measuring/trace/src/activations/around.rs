//! What happened around one of the worst activations: what the thread did, and what its processors did; pure.

use super::culprit::{Devices, Events, Piece, PieceKind, Suspect, blocked_in, pieces};
use crate::split::cause::{softirq, vector};
use crate::split::events::Stretch;
use crate::split::record::{Edge, Event, RecordKind};
use prazo_core::words;

/// Slices of one processor that are kept: the last before the end.
const SLICES: usize = 1_000;
/// How much before and behind is kept: an eighth of the time itself, within these bounds.
const MARGIN_NS: (u64, u64) = (100_000, 10_000_000);

words!(
    SliceKind:
    TimerLate => "timer late",
    Runnable => "runnable",
    Blocked => "blocked",
    Running => "running",
    Thread => "thread",
    Interrupt => "interrupt",
    Softirq => "softirq",
);

/// What a thread or a processor does for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SliceKind {
    /// The thread's timer is due and has not woken it.
    TimerLate,
    /// The thread could run.
    Runnable,
    /// The thread is blocked.
    Blocked,
    /// The thread runs.
    Running,
    /// The processor runs a thread.
    Thread,
    /// It serves an interrupt.
    Interrupt,
    /// It serves a softirq.
    Softirq,
}

/// Something that lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// It begins.
    pub from_ns: u64,
    /// It ends.
    pub to_ns: u64,
    /// What it is.
    pub kind: SliceKind,
    /// Its name.
    pub name: String,
}

/// What happened around one activation, or one pass of a section, on CLOCK_MONOTONIC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// When it was due, or the section began.
    pub from_ns: u64,
    /// When its wait was over.
    pub released_ns: u64,
    /// When it ended.
    pub to_ns: u64,
    /// What the thread did between.
    pub thread: Vec<Slice>,
    /// What each processor did that the thread was on, a little before and behind included. A slice lies in another, or they do
    /// not overlap.
    pub cpus: Vec<(u32, Vec<Slice>)>,
    /// Slices that were left out.
    pub left_out: u64,
}

/// What happened around it.
pub(super) fn around(suspect: &Suspect<'_>, events: Events<'_>, devices: Devices<'_>) -> Around {
    let activation = suspect.activation;
    let (from_ns, to_ns) = (activation.from_ns.min(activation.released_ns), activation.end_ns);
    let pieces = pieces(suspect);
    let mut cpus: Vec<u32> = pieces.iter().map(|piece| piece.cpu).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let margin_ns = (to_ns.saturating_sub(from_ns) / 8).clamp(MARGIN_NS.0, MARGIN_NS.1);
    let (first_ns, last_ns) = (from_ns.saturating_sub(margin_ns), to_ns.saturating_add(margin_ns));
    let mut left_out = 0;
    let of_cpu = |cpu: u32| {
        let stretch = events(cpu, first_ns, last_ns)?;
        let mut slices = slices(&stretch, first_ns, last_ns, devices);
        let beyond = slices.len().saturating_sub(SLICES);
        left_out += beyond as u64;
        slices.drain(..beyond);
        Some((cpu, slices))
    };
    let cpus = cpus.into_iter().filter_map(of_cpu).collect();
    let released_ns = activation.released_ns;
    Around { from_ns, released_ns, to_ns, thread: pieces.iter().map(of_piece).collect(), cpus, left_out }
}

fn of_piece(piece: &Piece<'_>) -> Slice {
    let cpu = piece.cpu;
    let (kind, name) = match piece.kind {
        PieceKind::TimerLate(_) => (SliceKind::TimerLate, "the timer of the thread is late".to_owned()),
        PieceKind::Ready(_) => (SliceKind::Runnable, format!("runnable on cpu {cpu}")),
        PieceKind::Blocked(off) => (SliceKind::Blocked, blocked_in(off)),
        PieceKind::Own => (SliceKind::Running, format!("runs on cpu {cpu}")),
    };
    Slice { from_ns: piece.from_ns, to_ns: piece.to_ns, kind, name }
}

/// What is under way on a processor, outermost first: a thread, softirqs in it, interrupts in those.
#[derive(Default)]
struct Open(Vec<Slice>);

impl Open {
    /// Ends everything from the last of this kind on; nothing where none is under way, because its beginning was not seen.
    fn end(&mut self, kind: SliceKind, at_ns: u64, done: &mut Vec<Slice>) {
        if let Some(place) = self.0.iter().rposition(|slice| slice.kind == kind) {
            done.extend(self.0.drain(place..).map(|slice| Slice { to_ns: at_ns, ..slice }));
        }
    }
}

/// What a processor did, in the order of the beginnings, an outer slice before those in it.
fn slices(stretch: &Stretch, first_ns: u64, last_ns: u64, devices: Devices<'_>) -> Vec<Slice> {
    let (mut open, mut done) = (Open::default(), Vec::new());
    let begin = |at_ns, kind, name: String| Slice { from_ns: at_ns, to_ns: at_ns, kind, name };
    for Event { at_ns, kind, id, name, .. } in stretch.events.iter().take_while(|event| event.at_ns <= last_ns) {
        match kind {
            RecordKind::Switch => {
                // Whatever runs belongs to the thread that goes.
                done.extend(open.0.drain(..).map(|slice| Slice { to_ns: *at_ns, ..slice }));
                if *id != 0 {
                    open.0.push(begin(*at_ns, SliceKind::Thread, format!("{name} (thread {id})")));
                }
            }
            RecordKind::Interrupt(Edge::Begin) => open.0.push(begin(*at_ns, SliceKind::Interrupt, devices(*id))),
            RecordKind::Vector(Edge::Begin) => open.0.push(begin(*at_ns, SliceKind::Interrupt, vector(*id).into())),
            RecordKind::Nmi(Edge::Begin) => {
                open.0.push(begin(*at_ns, SliceKind::Interrupt, "non-maskable interrupt".into()));
            }
            RecordKind::Softirq(Edge::Begin) => open.0.push(begin(*at_ns, SliceKind::Softirq, softirq(*id).into())),
            RecordKind::Interrupt(Edge::End) | RecordKind::Vector(Edge::End) | RecordKind::Nmi(Edge::End) => {
                open.end(SliceKind::Interrupt, *at_ns, &mut done);
            }
            RecordKind::Softirq(Edge::End) => open.end(SliceKind::Softirq, *at_ns, &mut done),
            RecordKind::Migrate => {}
        }
    }
    done.extend(open.0.into_iter().map(|slice| Slice { to_ns: last_ns, ..slice }));
    let clamp = |slice: Slice| Slice { from_ns: slice.from_ns.max(first_ns), to_ns: slice.to_ns.min(last_ns), ..slice };
    let mut done: Vec<Slice> = done.into_iter().map(clamp).filter(|slice| slice.to_ns > slice.from_ns).collect();
    done.sort_by_key(|slice| (slice.from_ns, std::cmp::Reverse(slice.to_ns)));
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(at_ns: u64, kind: RecordKind, id: i32) -> Event {
        Event { at_ns, kind, extra: 0, id, name: format!("t{id}").as_str().into() }
    }

    #[test]
    fn interrupts_lie_in_softirqs_and_those_in_threads() {
        use Edge::{Begin, End};
        let events = vec![
            event(10, RecordKind::Softirq(End), 1),
            event(100, RecordKind::Switch, 7),
            event(200, RecordKind::Softirq(Begin), 3),
            event(250, RecordKind::Interrupt(Begin), 5),
            event(280, RecordKind::Interrupt(End), 5),
            event(300, RecordKind::Softirq(End), 3),
            event(400, RecordKind::Switch, 0),
            event(450, RecordKind::Vector(Begin), 1),
            event(460, RecordKind::Vector(End), 1),
            event(500, RecordKind::Switch, 8),
        ];
        let stretch = Stretch { events, complete_from_ns: 0 };
        let found = slices(&stretch, 150, 600, &|_| "eth0".into());
        let found: Vec<_> = found.iter().map(|slice| (slice.from_ns, slice.to_ns, slice.name.as_str())).collect();
        let expected = [
            (150, 400, "t7 (thread 7)"),
            (200, 300, "NET_RX"),
            (250, 280, "eth0"),
            (450, 460, "local timer"),
            (500, 600, "t8 (thread 8)"),
        ];
        assert_eq!(found, expected);
    }

    proptest! {
        /// Whatever was lost, slices are nested or apart, as a viewer needs them.
        #[test]
        fn slices_never_cross(kinds in prop::collection::vec((0_u8..7, 1_u64..5), 0..60)) {
            use Edge::{Begin, End};
            let all = [
                RecordKind::Switch,
                RecordKind::Interrupt(Begin),
                RecordKind::Interrupt(End),
                RecordKind::Softirq(Begin),
                RecordKind::Softirq(End),
                RecordKind::Vector(Begin),
                RecordKind::Vector(End),
            ];
            let mut at_ns = 0;
            let events = kinds.into_iter().map(|(kind, gap)| {
                at_ns += gap;
                event(at_ns, all[usize::from(kind)], i32::from(kind) + 1)
            });
            let events: Vec<Event> = events.collect();
            let found = slices(&Stretch { events, complete_from_ns: 0 }, 20, 100, &|_| String::new());
            for (place, one) in found.iter().enumerate() {
                prop_assert!(one.from_ns >= 20 && one.to_ns <= 100);
                for other in &found[place + 1..] {
                    let is_apart = other.from_ns >= one.to_ns;
                    prop_assert!(is_apart || other.to_ns <= one.to_ns, "{one:?} {other:?}");
                }
            }
        }
    }
}
