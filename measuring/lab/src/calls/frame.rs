//! A stack as far as it is known: the frames between the first thing seen of a thread and what it executes now.

use super::tree::How;
use crate::recording::{Block, Last};

/// One frame.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub node: usize,
    pub name: String,
    pub how: How,
    /// Where its function returns to; `None` where it was not seen to be called.
    pub returns_to: Option<u64>,
    /// What an interrupt came behind, to go on from there.
    pub interrupted: Option<Left>,
}

/// A block that was left for another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    pub block: Block,
    /// False where a fault left it before its last instruction.
    pub is_whole: bool,
}

impl Left {
    /// What its last instruction did; one that was not reached did nothing.
    pub(super) fn last(self) -> Last {
        if self.is_whole { self.block.last } else { Last::Other }
    }

    /// The address behind it.
    pub(super) fn end(self) -> u64 {
        self.block.address + u64::from(self.block.bytes)
    }
}

/// Frames, the innermost last.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack(pub Vec<Frame>);

impl Stack {
    /// How many frames lie outside of the innermost interrupt, with it: a return does not lead there.
    fn outside(&self) -> usize {
        self.0.iter().rposition(|frame| frame.how == How::Interrupt).map_or(0, |place| place + 1)
    }

    /// How many frames are left behind a return to an address; `None` where nobody is known to have called from there.
    pub(super) fn left_by_return(&self, address: u64) -> Option<usize> {
        let outside = self.outside();
        let place = self.0[outside..].iter().rposition(|frame| frame.returns_to == Some(address))?;
        Some(outside + place)
    }

    /// The same for a return whose call was not seen, into a function that is on the stack.
    pub(super) fn left_by_name(&self, name: &str) -> Option<usize> {
        let outside = self.outside().max(1) - 1;
        let place = self.0[outside..].iter().rposition(|frame| frame.name == name)?;
        Some(outside + place + 1)
    }

    /// The innermost frame of an interrupt or a system call.
    pub(super) fn entered(&self) -> Option<usize> {
        self.0.iter().rposition(|frame| matches!(frame.how, How::Interrupt | How::SystemCall))
    }

    /// True where the innermost interrupt hides what is outside of it.
    pub(super) fn has_interrupt(&self) -> bool {
        self.outside() > 0
    }

    /// How many frames the innermost interrupt and what is outside of it have.
    pub(super) fn to_interrupt(&self) -> usize {
        self.outside()
    }
}
