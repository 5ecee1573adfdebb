//! Why no event could be measured: what was asked, what came back, what to do.

use prazo_core::time::Duration;
use std::io;
use std::net::SocketAddr;

/// Why there was no meeting of two stations.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// This end of the wire could not be opened.
    #[error("{what}: {source}; {}", remedy(.source))]
    Open {
        /// What was asked.
        what: String,
        /// What came back.
        source: io::Error,
    },
    /// The kernel refused something that an open socket needs.
    #[error("{what}: {source}; {}", remedy(.source))]
    Socket {
        /// What was asked.
        what: &'static str,
        /// What came back.
        source: io::Error,
    },
    /// Nobody offered triggers.
    #[error(
        "no station was heard within {patience}{}; start `prazo trigger` on the other machine and see that no firewall is between them",
        at(.local)
    )]
    NoStation {
        /// How long was waited.
        patience: Duration,
        /// Where.
        local: Option<SocketAddr>,
    },
    /// Our own station did not come up.
    #[error("the triggering station ended: {words}")]
    StationFailed {
        /// What it said.
        words: String,
    },
    /// The network between the two stations could not be made.
    #[error(
        "the two stations' network could not be made: {what}; run as root (CAP_NET_ADMIN and CAP_SYS_ADMIN) on a kernel with CONFIG_VETH, \
         choose --station loopback, or let another machine trigger (--interface)"
    )]
    Stage {
        /// What was refused.
        what: String,
    },
    /// The user ended it before it began.
    #[error("interrupted before the first trigger")]
    Interrupted,
}

fn at(local: &Option<SocketAddr>) -> String {
    local.map(|address| format!(" at {address}")).unwrap_or_default()
}

fn remedy(source: &io::Error) -> &'static str {
    match source.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => "run as root, or with CAP_NET_RAW; frames over UDP need no privilege",
        Some(libc::ENODEV | libc::ENXIO) => "`ip link` names the interfaces that there are",
        Some(libc::EADDRINUSE) => "another run listens there; end it, or give another --port",
        Some(libc::EADDRNOTAVAIL) => "`ip address` names the addresses that this machine has",
        Some(libc::ENETDOWN) => "bring the interface up: ip link set NAME up",
        _ => "see ip-link(8) and ip-address(8) for the state of the interface",
    }
}

impl EventError {
    /// True where the user asked for something that cannot be.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Open { source, .. } if matches!(source.raw_os_error(), Some(libc::ENODEV | libc::ENXIO | libc::EADDRNOTAVAIL)))
    }
}
