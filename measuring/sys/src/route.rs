//! Network interfaces made and set through the kernel's routing socket (rtnetlink), as ip(8) does it.
//!
//! ```text
//! request:  nlmsghdr │ ifinfomsg, ifaddrmsg or ndmsg │ attribute │ attribute ( attribute attribute ) ...
//! answer:   nlmsghdr │ nlmsgerr: 0 or -errno
//! ```
//! Every number is in the machine's own order, every part begins at a multiple of four bytes.

use crate::containment::within_network;
use crate::socket::{Mac, interface_index};
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use std::fs::File;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

/// One request: a header, a fixed part and attributes.
struct Request(Vec<u8>);

const HEADER_BYTES: usize = size_of::<libc::nlmsghdr>();
const CREATE: libc::c_int = libc::NLM_F_CREATE | libc::NLM_F_EXCL;
const REPLACE: libc::c_int = libc::NLM_F_CREATE | libc::NLM_F_REPLACE;
/// From linux/veth.h.
const VETH_INFO_PEER: u16 = 1;
/// From linux/rtnetlink.h: not in every libc.
const NUD_PERMANENT: u16 = 0x80;

impl Request {
    fn new(kind: u16, flags: libc::c_int, fixed: &[u8]) -> Self {
        let flags = (flags | libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16;
        let mut bytes = vec![0; HEADER_BYTES];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
        bytes.extend(fixed);
        Self(bytes)
    }

    fn attribute(mut self, kind: u16, value: &[u8]) -> Self {
        self.0.extend(attribute(kind, value));
        self
    }

    /// Sends it in the caller's network namespace and hears what the kernel says.
    fn send(mut self) -> io::Result<()> {
        let length = self.0.len() as u32;
        self.0[0..4].copy_from_slice(&length.to_ne_bytes());
        let (family, kind) = (AddressFamily::NETLINK, SocketType::RAW);
        // The routing protocol is number 0, which is the family's default.
        let socket = rustix::net::socket_with(family, kind, SocketFlags::CLOEXEC, None)?;
        rustix::net::sendto(&socket, &self.0, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
        let mut answer = [0; 1024];
        let (length, _) = rustix::net::recv(&socket, &mut answer, RecvFlags::empty())?;
        outcome(&answer[..length])
    }
}

/// What an acknowledgement says: success, or the error's number.
fn outcome(answer: &[u8]) -> io::Result<()> {
    let number = answer.get(HEADER_BYTES..HEADER_BYTES + 4).and_then(|bytes| bytes.try_into().ok());
    match number.map(i32::from_ne_bytes) {
        Some(0) => Ok(()),
        Some(error) => Err(io::Error::from_raw_os_error(-error)),
        None => Err(io::Error::other("the kernel's answer about a network interface is too short")),
    }
}

/// Length, kind and value, up to a multiple of four bytes.
fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    const PREFIX_BYTES: usize = 4;
    let mut bytes = Vec::new();
    bytes.extend(((value.len() + PREFIX_BYTES) as u16).to_ne_bytes());
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn name(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

/// `ifinfomsg`: an interface by number, or none; flags to set.
fn interface(index: u32, flags: u32) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[4..8].copy_from_slice(&index.to_ne_bytes());
    bytes[8..12].copy_from_slice(&flags.to_ne_bytes());
    bytes[12..16].copy_from_slice(&flags.to_ne_bytes());
    bytes
}

/// Makes two virtual interfaces that are joined: `here` in the caller's network namespace, `there` in another.
pub fn add_pair(here: &str, there: &str, in_namespace: BorrowedFd<'_>) -> io::Result<()> {
    let namespace = attribute(libc::IFLA_NET_NS_FD, &in_namespace.as_raw_fd().to_ne_bytes());
    let peer = [interface(0, 0).to_vec(), attribute(libc::IFLA_IFNAME, &name(there)), namespace].concat();
    let data = attribute(libc::IFLA_INFO_DATA, &attribute(VETH_INFO_PEER, &peer));
    let kind = [attribute(libc::IFLA_INFO_KIND, b"veth"), data].concat();
    Request::new(libc::RTM_NEWLINK, CREATE, &interface(0, 0))
        .attribute(libc::IFLA_IFNAME, &name(here))
        .attribute(libc::IFLA_LINKINFO, &kind)
        .send()
}

/// One end of a pair of virtual interfaces.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// Name of the interface.
    pub interface: &'a str,
    /// Its address.
    pub address: Ipv4Addr,
}

impl End<'_> {
    fn bring_up(&self, prefix: u8) -> io::Result<()> {
        set_address(self.interface, self.address, prefix)?;
        bring_up(self.interface)
    }
}

/// Joins the caller's network namespace with another by a pair of virtual interfaces, both up. The network's name is the first
/// `prefix` bits of both addresses.
pub fn join(here: End<'_>, there: End<'_>, in_namespace: &File, prefix: u8) -> io::Result<()> {
    add_pair(here.interface, there.interface, in_namespace.as_fd())?;
    here.bring_up(prefix)?;
    within_network(in_namespace, || there.bring_up(prefix))
}

/// Brings an interface up.
pub fn bring_up(card: &str) -> io::Result<()> {
    Request::new(libc::RTM_NEWLINK, 0, &interface(interface_index(card)?, libc::IFF_UP as u32)).send()
}

/// Gives an interface an address, whose first `prefix` bits are those of its network.
pub fn set_address(card: &str, address: Ipv4Addr, prefix: u8) -> io::Result<()> {
    let mut fixed = [libc::AF_INET as u8, prefix, 0, 0, 0, 0, 0, 0];
    fixed[4..8].copy_from_slice(&interface_index(card)?.to_ne_bytes());
    Request::new(libc::RTM_NEWADDR, REPLACE, &fixed)
        .attribute(libc::IFA_LOCAL, &address.octets())
        .attribute(libc::IFA_ADDRESS, &address.octets())
        .send()
}

/// Says, for good, which Ethernet address a neighbour at an interface has.
pub fn set_neighbour(card: &str, address: Ipv4Addr, mac: Mac) -> io::Result<()> {
    let mut fixed = [0; 12];
    fixed[0] = libc::AF_INET as u8;
    fixed[4..8].copy_from_slice(&interface_index(card)?.to_ne_bytes());
    fixed[8..10].copy_from_slice(&NUD_PERMANENT.to_ne_bytes());
    Request::new(libc::RTM_NEWNEIGH, REPLACE, &fixed)
        .attribute(libc::NDA_DST, &address.octets())
        .attribute(libc::NDA_LLADDR, &mac)
        .send()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_has_its_length_without_the_filling() {
        assert_eq!(attribute(3, b"lo\0"), [[7, 0, 3, 0], [b'l', b'o', 0, 0]].concat());
        assert_eq!(attribute(1, &[9; 4]).len(), 8);
    }

    #[test]
    fn an_answer_is_success_or_the_error_that_the_kernel_names() {
        let answer = |number: i32| [vec![0; HEADER_BYTES], number.to_ne_bytes().to_vec()].concat();
        assert!(outcome(&answer(0)).is_ok());
        assert_eq!(outcome(&answer(-libc::EPERM)).unwrap_err().raw_os_error(), Some(libc::EPERM));
        assert!(outcome(&[0; 8]).is_err());
    }

    #[test]
    fn an_interface_that_is_not_there_is_refused_by_the_kernel_s_number() {
        assert_eq!(bring_up("no-such-card").unwrap_err().raw_os_error(), Some(libc::ENODEV));
    }
}
