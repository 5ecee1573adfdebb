//! What counts its wakes itself: semaphores, message queue, pipe and eventfd.

use super::Method;
use prazo_sys::wake::{Called, Channel, MessageQueue, Semaphore, SystemVSemaphore};

impl Method for Semaphore {
    #[inline]
    fn wake(&self, _wakes: u64, stamp: impl FnOnce()) -> Called {
        stamp();
        self.post()
    }

    #[inline]
    fn wait(&self, _wakes: u64, _has_come: impl Fn() -> bool) -> Called {
        Self::wait(self)
    }
}

impl Method for SystemVSemaphore {
    #[inline]
    fn wake(&self, _wakes: u64, stamp: impl FnOnce()) -> Called {
        stamp();
        self.post()
    }

    #[inline]
    fn wait(&self, _wakes: u64, _has_come: impl Fn() -> bool) -> Called {
        Self::wait(self)
    }
}

impl Method for MessageQueue {
    #[inline]
    fn wake(&self, _wakes: u64, stamp: impl FnOnce()) -> Called {
        stamp();
        self.send()
    }

    #[inline]
    fn wait(&self, _wakes: u64, _has_come: impl Fn() -> bool) -> Called {
        self.receive()
    }
}

impl Method for Channel {
    #[inline]
    fn wake(&self, _wakes: u64, stamp: impl FnOnce()) -> Called {
        stamp();
        self.send()
    }

    #[inline]
    fn wait(&self, _wakes: u64, _has_come: impl Fn() -> bool) -> Called {
        self.receive()
    }
}
