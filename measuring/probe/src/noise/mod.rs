//! The noise probe: a loop on each processor does nothing but read the clock; where two readings are far apart, something else
//! had the processor.
//!
//! ```text
//! loop   read read read ──── gap ──── read read ...   sleep   read read ...
//!        └──────────── runtime ───────────────┘               │
//!        └──────────────────── period ────────────────────────┘
//! ```
//! The threads, the ring, the recorder and the caveats are the timer probe's. A gap is a sample: due at the reading before it,
//! served at the one behind. Shorter ones are not kept. In the rest of each period the loop sleeps, so that a machine with
//! few processors goes on; what happens then is not observed, and only what is observed counts as such.

mod busy_loop;
mod caveats;
mod smi;

use busy_loop::{BusyLoop, Duty, Seen, SystemClock};
use prazo_engine::error::SetupError;
use prazo_engine::{Activations, Finished, Surroundings, WaitSource, stolen_ns};
use prazo_run::Caveat;
use prazo_run::noise::{Observed, ObservedCpu};
use prazo_run::source::NoiseSource;
use smi::Smis;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The busy loops of a run.
#[derive(Debug)]
pub struct Loops<'a> {
    source: &'a NoiseSource,
    around: &'a Surroundings,
    before: Counters,
    /// At the end, once for all who ask.
    after: OnceLock<Counters>,
    seen: Mutex<BTreeMap<u32, Seen>>,
}

/// What the machine counts by itself.
#[derive(Debug)]
struct Counters {
    smis: Smis,
    stolen_ns: BTreeMap<u32, u64>,
}

impl Counters {
    fn now(around: &Surroundings, cpus: &[u32]) -> Self {
        Self { smis: Smis::read(around, cpus), stolen_ns: stolen_ns(around) }
    }
}

impl<'a> Loops<'a> {
    /// Loops on `cpus` that look for gaps as `source` says.
    pub fn new(source: &'a NoiseSource, cpus: &[u32], around: &'a Surroundings) -> Self {
        Self { source, around, before: Counters::now(around, cpus), after: OnceLock::new(), seen: Mutex::default() }
    }

    /// What the loops observed; all have ended.
    pub fn observed(&self) -> Observed {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let now = || Counters::now(self.around, &seen.keys().copied().collect::<Vec<_>>());
        let after = self.after.get_or_init(now);
        let of = |(cpu, seen): (u32, Seen)| {
            let stolen = |counters: &Counters| counters.stolen_ns.get(&cpu).copied();
            ObservedCpu {
                cpu,
                observed: seen.observed,
                reads: seen.reads,
                read_ns: seen.read_ns(),
                windows: seen.windows,
                windows_missed: seen.windows_missed,
                smis: after.smis.since(&self.before.smis, cpu),
                stolen_ns: stolen(after).zip(stolen(&self.before)).map(|(now, then)| now.saturating_sub(then)),
            }
        };
        let smis_unknown = after.smis.unknown().or(self.before.smis.unknown());
        Observed { cpus: seen.into_iter().map(of).collect(), smis_unknown }
    }
}

impl WaitSource for Loops<'_> {
    fn serve(&self, activations: Activations<'_>) -> Result<Finished, SetupError> {
        let (request, stop) = (activations.request, activations.stop());
        let pace = request.pace(activations.start_ns);
        let duty = Duty {
            threshold_ns: self.source.threshold.as_ns(),
            first_ns: activations.start_ns.saturating_add(request.phase_ns),
            runtime_ns: self.source.runtime.as_ns(),
            period_ns: pace.period_ns,
            measured_from_ns: pace.measured_from_ns,
            end_ns: pace.end_ns,
        };
        let mut busy = BusyLoop::new(duty, SystemClock, stop);
        let finished = activations.serve(&mut busy, pace);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(request.cpu, busy.seen());
        finished
    }

    fn caveats(&self) -> Vec<Caveat> {
        caveats::of(&self.observed(), self.source.threshold)
    }
}
