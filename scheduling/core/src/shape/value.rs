//! The shape that a simulator is given: checked when it is made, so that a wrong one is an answer and not a surprise.

use super::error::QUEUES_MAX;
use super::{Shape, ShapeError};

/// Queues and their processors, known at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    heads: [u16; QUEUES_MAX],
    queues: usize,
}

impl Value {
    /// Queue `i` serves `heads[i]` of `processors` processors.
    pub fn of(heads: &[u16], processors: usize) -> Result<Self, ShapeError> {
        let mut shape = Self { heads: [0; QUEUES_MAX], queues: heads.len() };
        let places = shape.heads.get_mut(..heads.len()).filter(|places| !places.is_empty());
        places.ok_or(ShapeError::Queues(heads.len()))?.copy_from_slice(heads);
        if let Some(queue) = heads.iter().position(|heads| *heads == 0) {
            return Err(ShapeError::NoHead(queue));
        }
        match shape.processors() {
            heads if heads == processors => Ok(shape),
            heads => Err(ShapeError::Heads { heads, processors }),
        }
    }

    /// One queue for all processors.
    pub fn global(processors: usize) -> Result<Self, ShapeError> {
        let heads = u16::try_from(processors).map_err(|_| ShapeError::Queues(processors))?;
        Self::of(&[heads], processors)
    }

    /// One queue for each processor.
    pub fn partitioned(processors: usize) -> Result<Self, ShapeError> {
        Self::clustered(processors, 1)
    }

    /// One queue for every `size` processors.
    pub fn clustered(processors: usize, size: usize) -> Result<Self, ShapeError> {
        if size == 0 || !processors.is_multiple_of(size) {
            return Err(ShapeError::Remainder { processors, size });
        }
        let queues = processors / size;
        let heads = [u16::try_from(size).unwrap_or(u16::MAX); QUEUES_MAX];
        Self::of(heads.get(..queues).ok_or(ShapeError::Queues(queues))?, processors)
    }
}

impl Shape for Value {
    fn queues(&self) -> usize {
        self.queues
    }

    fn heads(&self, queue: usize) -> usize {
        usize::from(self.heads[..self.queues][queue])
    }
}
