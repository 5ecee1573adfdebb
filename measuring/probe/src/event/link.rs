//! One station's end of the wire: UDP, or raw Ethernet frames of the local experimental EtherType.

use super::frame::{BYTES, Frame};
use prazo_abi::irqlat::ETHERTYPE;
use prazo_sys::socket::{self as sys, Mac};
use serde::{Deserialize, Serialize};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// The port that a measuring side listens at, unless told otherwise; in the range that nobody assigns.
pub const PORT: u16 = 50_123;
/// Every station on the wire.
pub const BROADCAST: Mac = [0xFF; 6];
/// Room for a second of triggers at 10 kHz, should the task be held up that long.
const RECEIVE_ROOM_BYTES: i32 = 8 << 20;

/// How frames travel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "wire")]
pub enum Wire {
    /// UDP, from and to this local address.
    Udp {
        /// The local address and port.
        local: SocketAddr,
        /// Only through this interface.
        interface: Option<String>,
    },
    /// Raw Ethernet frames; needs CAP_NET_RAW.
    Ethernet {
        /// The interface.
        interface: String,
    },
}

/// The other station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Peer {
    /// Over UDP.
    Udp(SocketAddr),
    /// By its Ethernet address.
    Ethernet(Mac),
}

/// One end of the wire.
#[derive(Debug)]
pub struct Link {
    socket: Socket,
    peer: Option<Peer>,
    interface: Option<String>,
}

#[derive(Debug)]
enum Socket {
    Udp(UdpSocket),
    Ethernet { socket: OwnedFd, index: u32 },
}

impl Wire {
    /// The interface that it is bound to.
    pub fn interface(&self) -> Option<&str> {
        match self {
            Self::Udp { interface, .. } => interface.as_deref(),
            Self::Ethernet { interface } => Some(interface),
        }
    }
}

impl Link {
    /// Opens this station's end in the caller's network namespace.
    pub fn open(wire: &Wire) -> io::Result<Self> {
        let socket = match wire {
            Wire::Udp { local, interface } => {
                let socket = UdpSocket::bind(local)?;
                interface.as_deref().map_or(Ok(()), |name| sys::bind_to_interface(socket.as_fd(), name))?;
                Socket::Udp(socket)
            }
            Wire::Ethernet { interface } => {
                let index = sys::interface_index(interface)?;
                Socket::Ethernet { socket: sys::packet_socket(index, ETHERTYPE)?, index }
            }
        };
        let link = Self { socket, peer: None, interface: wire.interface().map(str::to_owned) };
        sys::set_receive_room(link.as_fd(), RECEIVE_ROOM_BYTES)?;
        Ok(link)
    }

    /// From now on frames go to `peer`; over UDP, frames of others no longer come.
    pub fn meet(&mut self, peer: Peer) -> io::Result<()> {
        if let (Socket::Udp(socket), Peer::Udp(address)) = (&self.socket, peer) {
            socket.connect(address)?;
        }
        self.peer = Some(peer);
        Ok(())
    }

    /// Sends one frame to the peer.
    pub fn send(&self, frame: &Frame) -> io::Result<()> {
        let bytes: [u8; BYTES] = frame.encode();
        match (&self.socket, self.peer) {
            (Socket::Udp(socket), _) => socket.send(&bytes).map(drop),
            (Socket::Ethernet { socket, index }, Some(Peer::Ethernet(mac))) => {
                sys::packet_send(socket.as_fd(), *index, ETHERTYPE, mac, &bytes)
            }
            (Socket::Ethernet { .. }, _) => Err(io::ErrorKind::NotConnected.into()),
        }
    }

    /// The next frame and who sent it; `None` where none came in time, or something that is no frame of ours.
    pub fn receive(&self) -> io::Result<Option<(Frame, Peer)>> {
        let mut bytes = [0; 2 * BYTES];
        let received = match &self.socket {
            Socket::Udp(socket) => socket.recv_from(&mut bytes).map(|(length, from)| (length, Peer::Udp(from))),
            Socket::Ethernet { socket, .. } => {
                sys::packet_receive(socket.as_fd(), &mut bytes).map(|(length, mac)| (length, Peer::Ethernet(mac)))
            }
        };
        match received {
            Ok((length, from)) => Ok(Frame::decode(&bytes[..length]).map(|frame| (frame, from))),
            Err(error) if is_nothing_yet(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The interface that it is bound to.
    pub fn interface(&self) -> Option<&str> {
        self.interface.as_deref()
    }

    /// The address that an UDP end really has.
    pub fn local(&self) -> Option<SocketAddr> {
        match &self.socket {
            Socket::Udp(socket) => socket.local_addr().ok(),
            Socket::Ethernet { .. } => None,
        }
    }
}

/// True where nothing came in time, or where nobody listens at the other end yet.
pub fn is_nothing_yet(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(error.kind(), Kind::WouldBlock | Kind::TimedOut | Kind::Interrupted | Kind::ConnectionRefused)
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Udp(socket) => socket.as_fd(),
            Socket::Ethernet { socket, .. } => socket.as_fd(),
        }
    }
}
