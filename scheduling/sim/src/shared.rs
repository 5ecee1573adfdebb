//! Who holds which resource of several processors, who waits for it, and which job of a processor goes before all others.
//!
//! Requests wait in one queue for each resource: in the order in which they were made, or under MPCP the most urgent first. A job that holds
//! something, or spins for it, goes before all that do neither. Of several on a processor, the earliest request does, or under MPCP the one
//! whose resource has the most urgent user.

use crate::model::Model;
use crate::parts::Part;
use prazo_core::behaviour::Locking;

/// One request that is not done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LockRequest {
    /// The section that it is made for.
    pub(crate) part: Part,
    resource: usize,
    /// Its place among all requests.
    number: u64,
    /// True once it is granted.
    pub(crate) holds: bool,
}

/// Who holds what, and who waits.
pub(crate) struct Shared {
    locking: Locking,
    /// By task: what it has requested.
    requests: Vec<Option<LockRequest>>,
    levels: Vec<u64>,
    /// By task: its cluster.
    homes: Vec<usize>,
    made: u64,
}

impl Shared {
    /// Nothing is held; none where no resource is shared across processors.
    pub(crate) fn of(model: &Model) -> Option<Self> {
        model.parts.has_shared().then(|| Self {
            locking: model.parts.locking,
            requests: vec![None; model.tasks.len()],
            levels: model.parts.levels.clone(),
            homes: model.tasks.iter().map(|task| task.cluster as usize).collect(),
            made: 0,
        })
    }

    /// What the job of `task` has requested and not given back.
    pub(crate) fn request(&self, task: usize) -> Option<LockRequest> {
        self.requests[task]
    }

    /// True if jobs spin where they wait.
    pub(crate) fn spins(&self) -> bool {
        self.locking == Locking::Msrp
    }

    /// The job of `task` requests what `part` needs; true if it holds it at once.
    pub(crate) fn make(&mut self, task: usize, part: Part, resource: u32) -> bool {
        let resource = resource as usize;
        let is_held = self.requests.iter().flatten().any(|other| other.resource == resource);
        self.requests[task] = Some(LockRequest { part, resource, number: self.made, holds: !is_held });
        self.made += 1;
        !is_held
    }

    /// The job of `task` gives back what it holds; the task whose job holds it now.
    pub(crate) fn give_back(&mut self, task: usize) -> Option<usize> {
        let given = self.requests[task].take()?;
        let waits = |(task, request): (usize, &Option<LockRequest>)| {
            let request = request.filter(|request| request.resource == given.resource)?;
            let level = if self.locking == Locking::Mpcp { self.levels[task] } else { 0 };
            Some((level, request.number, task))
        };
        let (.., next) = self.requests.iter().enumerate().filter_map(waits).min()?;
        let request = self.requests[next].as_mut()?;
        request.holds = true;
        Some(next)
    }

    /// The task of `cluster` whose job goes before all others, if one holds or spins.
    pub(crate) fn first(&self, cluster: usize) -> Option<usize> {
        let goes_first = |(task, request): (usize, &Option<LockRequest>)| {
            let request = request.filter(|request| request.holds || self.spins())?;
            let ceiling = if self.locking == Locking::Mpcp { request.part.ceiling } else { 0 };
            (self.homes[task] == cluster).then_some((ceiling, request.number, task))
        };
        self.requests.iter().enumerate().filter_map(goes_first).min().map(|(.., task)| task)
    }
}
