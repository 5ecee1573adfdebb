//! Why no event could be measured: what was asked, what came back, what to do.

use prazo_core::time::Duration;
use std::io;
use std::net::SocketAddr;

/// Why there was no meeting of two stations.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// This end of the wire could not be opened.
    #[error("{what} failed: {source}; {}", remedy(.source))]
    Open {
        /// What was asked.
        what: String,
        /// What came back.
        source: io::Error,
    },
    /// The kernel refused something that an open socket needs.
    #[error("{what} failed: {source}; {}", remedy(.source))]
    Socket {
        /// The request that failed.
        what: &'static str,
        /// What came back.
        source: io::Error,
    },
    /// Nobody offered triggers.
    #[error(
        "no triggering station answered within {patience}{}; start `prazo trigger` on the other machine and check that \
         no firewall blocks it",
        at(.local)
    )]
    NoStation {
        /// How long was waited.
        patience: Duration,
        /// Where.
        local: Option<SocketAddr>,
    },
    /// Our own station did not come up.
    #[error("the triggering station ended early: {words}")]
    StationFailed {
        /// What it said.
        words: String,
    },
    /// The network between the two stations could not be made.
    #[error(
        "cannot make the network of the two stations: {what}; run as root (CAP_NET_ADMIN and CAP_SYS_ADMIN) on a \
         kernel with CONFIG_VETH, choose --station loopback, or trigger from another machine (--station remote)"
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
        Some(libc::EPERM | libc::EACCES) => {
            "run as root or with CAP_NET_RAW, or use UDP datagrams instead of raw Ethernet frames: they need no privilege"
        }
        Some(libc::ENODEV | libc::ENXIO) => "choose an interface that `ip link` lists",
        Some(libc::EADDRINUSE) => "another run listens on this port; end that run or give another --port",
        Some(libc::EADDRNOTAVAIL) => "choose an address that `ip address` lists",
        Some(libc::ENETDOWN) => "bring the interface up: ip link set NAME up",
        _ => "check the state of the interface with `ip link` and `ip address`",
    }
}

impl EventError {
    /// True where the user asked for something that cannot be.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Open { source, .. } if matches!(source.raw_os_error(), Some(libc::ENODEV | libc::ENXIO | libc::EADDRNOTAVAIL)))
    }
}
