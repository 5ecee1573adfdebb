//! A board for one job after another: its connection, the folder there and the copied program stay between them.

use crate::address::Address;
use crate::error::BoardError;
use crate::job::{self, Done, Job, Output};
use crate::session::Session;

/// A board that is connected to with the first job, and anew where the connection was lost. Dropped, the connection ends, and
/// the board removes the folder.
pub struct Board {
    address: Address,
    ready: Option<Session>,
}

impl Board {
    /// A board that is not connected yet.
    pub fn new(address: &Address) -> Self {
        Self { address: address.clone(), ready: None }
    }

    /// Which board.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Runs one job's command, as [`Job::run`] does; `job.detach` is not looked at. `note` gets what is worth a line meanwhile.
    pub fn run(
        &mut self,
        job: &Job,
        output: Output<'_>,
        stop: &dyn Fn() -> bool,
        note: &mut dyn FnMut(&str),
    ) -> Result<Done, BoardError> {
        let mut session = match self.ready.take().and_then(Session::standing) {
            Some(session) => session,
            None => job::ready(&self.address, note)?,
        };
        match job.run_in(&self.address, &mut session, output, stop) {
            Ok(done) => {
                self.ready = session.emptied();
                Ok(done)
            }
            // The next job gets a folder of its own: this one's may still have results.
            Err(error) => Err(session.give_up(error)),
        }
    }
}
