//! Who holds which lock, and who waits for whom, under priority inheritance and the priority ceiling protocol.

use crate::model::{LOCKING_TASKS_MAX, Model, RESOURCES_MAX};
use crate::parts::Part;
use prazo_core::behaviour::Locking;
use prazo_core::inheritance::Inheritance;
use prazo_core::job::TaskIndex;

/// Who holds what, and who waits for whom.
pub(crate) struct Held {
    pub(crate) locks: Inheritance<LOCKING_TASKS_MAX, RESOURCES_MAX>,
    /// By resource: the highest level of its users.
    ceilings: Vec<u64>,
    /// By task: the section that its job is in.
    pub(crate) sections: Vec<Option<Part>>,
    /// By task: the section that it gets when somebody hands it the lock.
    pub(crate) wanted: Vec<Option<Part>>,
    /// By task: true while its job runs at a rank above its own.
    pub(crate) inherits: Vec<bool>,
}

impl Held {
    /// Nothing is held; none where no job waits for locks.
    pub(crate) fn of(model: &Model) -> Option<Self> {
        model.parts.has_locks().then(|| {
            let mut ceilings = vec![u64::MAX; RESOURCES_MAX];
            for part in model.parts.of_tasks.iter().flatten() {
                if let Some(resource) = part.resource {
                    ceilings[resource as usize] = part.ceiling;
                }
            }
            let none = vec![None; model.tasks.len()];
            let inherits = vec![false; model.tasks.len()];
            Self {
                locks: Inheritance::new(model.tasks.len()),
                ceilings,
                sections: none.clone(),
                wanted: none,
                inherits,
            }
        })
    }

    /// The resource that the job of `task` has to wait for before it can have `wanted`.
    pub(crate) fn in_the_way(&self, task: TaskIndex, wanted: u32, locking: Locking, level: u64) -> Option<u32> {
        let holder = |resource: u32| self.locks.holder(resource as usize);
        if locking == Locking::Pip {
            return holder(wanted).map(|_| wanted);
        }
        let of_others = (0..RESOURCES_MAX as u32).filter(|resource| holder(*resource).is_some_and(|one| one != task));
        let ceiling = |resource: &u32| self.ceilings[*resource as usize];
        of_others.filter(|resource| ceiling(resource) <= level).min_by_key(ceiling)
    }
}
