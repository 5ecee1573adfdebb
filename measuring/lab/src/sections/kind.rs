//! The kinds of sections that a bound adds up.

/// A kind of section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionKind {
    /// Interrupts or preemption are off, outside of interrupts and of the scheduler.
    Off,
    /// From the request to reschedule, when nothing forbids it any more, to the scheduler.
    ToScheduler,
    /// From the scheduler's begin until both are on again, in the thread that runs then.
    Scheduler,
    /// From there until the measured thread reads the clock.
    Return,
}

prazo_core::words! {
    SectionKind:
    Off => "off", ToScheduler => "to-scheduler", Scheduler => "scheduler", Return => "return",
}
