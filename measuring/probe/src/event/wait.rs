//! The station's triggers as what the engine's threads wait for.

use super::caveats;
use super::endpoint::Endpoint;
use super::receiver::Receiver;
use prazo_engine::error::SetupError;
use prazo_engine::{Activations, Finished, Pace, WaitSource};
use prazo_platform::tunable::TunableRecord;
use prazo_run::Caveat;

impl WaitSource for Endpoint {
    fn serve(&self, activations: Activations<'_>) -> Result<Finished, SetupError> {
        let pace = activations.request.pace(activations.start_ns);
        let mut receiver = Receiver::new(self, activations.start_ns, pace.end_ns);
        // Triggers have no due grid of ours: the receiver alone knows their end.
        let finished = activations.serve(&mut receiver, Pace { end_ns: u64::MAX, ..pace });
        receiver.finish();
        finished
    }

    fn begin(&self, start_ns: u64) {
        // A word that is lost is asked for again.
        let _ = self.go(start_ns);
    }

    fn release(&self) -> Vec<TunableRecord> {
        self.put_back().into_iter().collect()
    }

    fn caveats(&self) -> Vec<Caveat> {
        caveats(self)
    }
}
