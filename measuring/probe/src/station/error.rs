//! Why a station could not trigger: what was asked, what came back, what to do.

use super::series_request::BadSeries;
use crate::event::EventError;
use prazo_core::time::Duration;
use prazo_engine::SetupError;
use std::io;

/// Why no series was sent, or not the whole of it.
#[derive(Debug, thiserror::Error)]
pub enum StationError {
    /// The request cannot be carried out as it stands.
    #[error(transparent)]
    Series(#[from] BadSeries),
    /// The wire could not be opened.
    #[error(transparent)]
    Wire(#[from] EventError),
    /// The sender's policy or processor was refused.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The operating system refused something else that a sender needs.
    #[error("{what} failed: {source}; this kernel or container may forbid a system call that every sender needs")]
    System {
        /// The request that failed.
        what: &'static str,
        /// What came back.
        source: io::Error,
    },
    /// Nobody wanted the series.
    #[error(
        "{to} did not request triggers within {patience}; first start `prazo measure event --station remote` on that \
         machine, or give --blind to send without a request"
    )]
    NotWanted {
        /// Whom.
        to: String,
        /// How long was offered.
        patience: Duration,
    },
    /// Frames could no longer be sent.
    #[error(
        "cannot send after trigger {sent}: {source}; check that the measuring side still runs and that the interface \
         is up"
    )]
    Send {
        /// How many were sent.
        sent: u64,
        /// What came back.
        source: io::Error,
    },
    /// The user ended it before the first trigger.
    #[error("interrupted before the first trigger")]
    Interrupted,
}

impl StationError {
    /// True where the user asked for something that cannot be.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Series(_)) || matches!(self, Self::Wire(error) if error.is_usage())
    }
}
