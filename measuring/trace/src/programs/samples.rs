//! Activations on their way into a run file: kept from one taking to the next, bounded, and counted where there is no room.

use super::activation::Activation;
use prazo_run::run::Quantity;
use prazo_run::store::Sample;

/// So many are kept of each quantity between two takings of a thread that is recorded.
const KEPT: usize = 1 << 16;
/// So many of a wait that is not known to be the thread's period.
const KEPT_BEFORE: usize = 1 << 10;

/// What is new of one thread's own wait, with instants on CLOCK_MONOTONIC.
#[derive(Clone, Debug, Default)]
pub struct NewSamples {
    /// From due to running.
    pub latency: Vec<Sample>,
    /// From due to the next wait.
    pub response: Vec<Sample>,
    /// Each part of those latencies that were split.
    pub parts: Vec<(Quantity, Sample)>,
    /// Time on processors of each activation that ended.
    pub execution: Vec<Sample>,
    /// Periods that were let pass, each with the due instant behind them; as far as the period was known then.
    pub skipped: Vec<(i64, u64)>,
}

impl NewSamples {
    pub(super) fn is_empty(&self) -> bool {
        self.latency.is_empty() && self.response.is_empty() && self.execution.is_empty() && self.skipped.is_empty()
    }
}

/// The samples of one account; nothing is kept unless somebody takes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    is_kept: bool,
    is_taken: bool,
    new: NewSamples,
    /// The latency of the activation that began last is among them.
    has_latency: bool,
}

impl Samples {
    /// Keeps samples from the beginning on where somebody will take them.
    pub(super) fn new(is_kept: bool) -> Self {
        Self { is_kept, ..Self::default() }
    }

    /// An activation began.
    pub(super) fn begun(&mut self, activation: &Activation, skipped: u64) {
        let room = self.room();
        self.has_latency =
            activation.due_own_ns.is_some() && push(&mut self.new.latency, room, activation, activation.latency_ns());
        if skipped > 0 && self.new.skipped.len() < room {
            self.new.skipped.push((activation.from_ns.cast_signed(), skipped));
        }
    }

    /// A part of the latency of the activation that began last; kept exactly where the latency is.
    pub(super) fn part(&mut self, activation: &Activation, quantity: Quantity, ns: u64) {
        if self.has_latency {
            self.new.parts.push((quantity, sample(activation, ns)));
        }
    }

    /// An activation ended, or is late without an end; its response, where something was due.
    pub(super) fn responded(&mut self, activation: &Activation, response_ns: u64) {
        let room = self.room();
        push(&mut self.new.response, room, activation, response_ns);
    }

    /// An activation ended after this much time on processors.
    pub(super) fn executed(&mut self, activation: &Activation, own_ns: u64) {
        let room = self.room();
        push(&mut self.new.execution, room, activation, own_ns);
    }

    /// Takes what is new.
    pub(super) fn take(&mut self) -> NewSamples {
        self.is_taken = true;
        self.has_latency = false;
        std::mem::take(&mut self.new)
    }

    fn room(&self) -> usize {
        match (self.is_kept, self.is_taken) {
            (false, _) => 0,
            (true, false) => KEPT_BEFORE,
            (true, true) => KEPT,
        }
    }
}

/// True where there was room.
fn push(samples: &mut Vec<Sample>, room: usize, of: &Activation, ns: u64) -> bool {
    let has_room = samples.len() < room;
    if has_room {
        samples.push(sample(of, ns));
    }
    has_room
}

fn sample(of: &Activation, ns: u64) -> Sample {
    let (due_ns, latency_ns) = (of.from_ns.cast_signed(), ns.min(i64::MAX as u64).cast_signed());
    Sample { activation: of.number, due_ns, latency_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_takes_is_bounded_and_nothing_is_kept_for_nobody() {
        let activation = Activation { due_own_ns: Some(5), from_ns: 5, released_ns: 7, ..Activation::default() };
        let (mut kept, mut nobody) = (Samples::new(true), Samples::new(false));
        for _ in 0..2 * KEPT_BEFORE {
            kept.begun(&activation, 1);
            kept.part(&activation, Quantity::TimerSlack, 1);
            nobody.begun(&activation, 1);
        }
        let new = kept.take();
        assert_eq!((new.latency.len(), new.skipped.len()), (KEPT_BEFORE, KEPT_BEFORE));
        assert_eq!(new.parts.len(), KEPT_BEFORE, "parts are kept of the latencies that are kept");
        assert_eq!((new.latency[0].due_ns, new.latency[0].latency_ns), (5, 2));
        assert_eq!(nobody.take().latency.len(), 0);
        (0..2 * KEPT_BEFORE).for_each(|_| kept.begun(&activation, 0));
        assert_eq!(kept.take().latency.len(), 2 * KEPT_BEFORE);
    }
}
