//! The event probe's system calls: sockets whose frames carry stamps, and raw Ethernet; one small function for each idea.

use crate::check;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// An Ethernet address.
pub type Mac = [u8; 6];

fn set_option<T>(socket: BorrowedFd<'_>, level: libc::c_int, name: libc::c_int, value: &T) -> io::Result<()> {
    let size = size_of::<T>() as libc::socklen_t;
    // SAFETY: `value` is a valid T of the size given, and callers pass the integer or plain struct that the option takes.
    check(unsafe { libc::setsockopt(socket.as_raw_fd(), level, name, (&raw const *value).cast(), size) }).map(drop)
}

/// Has arriving frames carry the kernel's software stamp, and the card's where it stamps.
pub fn stamp_arrivals(socket: BorrowedFd<'_>) -> io::Result<()> {
    let wanted = libc::SOF_TIMESTAMPING_RX_SOFTWARE
        | libc::SOF_TIMESTAMPING_SOFTWARE
        | libc::SOF_TIMESTAMPING_RX_HARDWARE
        | libc::SOF_TIMESTAMPING_RAW_HARDWARE;
    set_option(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPING, &wanted)
}

/// Lets a receive call end with `WouldBlock` after this long.
pub fn set_receive_timeout_us(socket: BorrowedFd<'_>, timeout_us: u32) -> io::Result<()> {
    let timeout = Duration::from_micros(timeout_us.into());
    Ok(set_socket_timeout(socket, Timeout::Recv, Some(timeout))?)
}

/// Room for frames that arrive while the task does not run; the kernel gives at most its own limit.
pub fn set_receive_room(socket: BorrowedFd<'_>, bytes: i32) -> io::Result<()> {
    set_option(socket, libc::SOL_SOCKET, libc::SO_RCVBUF, &bytes)
}

/// Restricts an UDP socket to one interface.
pub fn bind_to_interface(socket: BorrowedFd<'_>, interface: &str) -> io::Result<()> {
    let name = interface_name(interface)?;
    let bytes = name.as_bytes_with_nul();
    let (level, option) = (libc::SOL_SOCKET, libc::SO_BINDTODEVICE);
    let length = bytes.len() as libc::socklen_t;
    // SAFETY: `bytes` is valid for its length and ends with NUL.
    check(unsafe { libc::setsockopt(socket.as_raw_fd(), level, option, bytes.as_ptr().cast(), length) }).map(drop)
}

fn interface_name(interface: &str) -> io::Result<CString> {
    CString::new(interface).map_err(|_| io::ErrorKind::InvalidInput.into())
}

/// The kernel's number of an interface in the caller's network namespace.
pub fn interface_index(interface: &str) -> io::Result<u32> {
    let name = interface_name(interface)?;
    // SAFETY: `name` ends with NUL and lives through the call.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index),
    }
}

/// A raw Ethernet socket on one interface that hears one EtherType and leaves the header to the kernel.
pub fn packet_socket(index: u32, ethertype: u16) -> io::Result<OwnedFd> {
    // SAFETY: no pointers. Protocol 0 hears nothing before it is bound.
    let fd = check(unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) })?;
    // SAFETY: `fd` was returned just now and is handed to exactly one owner.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    let address = link_address(index, ethertype, [0; 6]);
    let size = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: `address` is a valid sockaddr_ll of the size given.
    check(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), size) })?;
    Ok(socket)
}

fn link_address(index: u32, ethertype: u16, mac: Mac) -> libc::sockaddr_ll {
    let mut address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: ethertype.to_be(),
        sll_ifindex: index as i32,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 6,
        sll_addr: [0; 8],
    };
    address.sll_addr[..6].copy_from_slice(&mac);
    address
}

/// Sends one frame; the kernel puts the header before it.
pub fn packet_send(socket: BorrowedFd<'_>, index: u32, ethertype: u16, to: Mac, bytes: &[u8]) -> io::Result<()> {
    let address = link_address(index, ethertype, to);
    let size = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: `bytes` is valid for its length, `address` a valid sockaddr_ll of the size given.
    let sent = unsafe {
        libc::sendto(socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), 0, (&raw const address).cast(), size)
    };
    if sent == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Receives one frame with its sender's address.
pub fn packet_receive(socket: BorrowedFd<'_>, bytes: &mut [u8]) -> io::Result<(usize, Mac)> {
    let mut from = link_address(0, 0, [0; 6]);
    let mut size = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: `bytes` is valid for its length, and `from` a valid place of `size` bytes for an address.
    let length = unsafe {
        let (place, room) = (bytes.as_mut_ptr().cast(), bytes.len());
        libc::recvfrom(socket.as_raw_fd(), place, room, 0, (&raw mut from).cast(), &raw mut size)
    };
    if length == -1 {
        return Err(io::Error::last_os_error());
    }
    let mac = from.sll_addr[..6].try_into().expect("six of eight bytes");
    Ok((length as usize, mac))
}

/// A socket for echo requests, and how many bytes of header come before each answer. Somebody without privileges may be allowed one
/// without a header.
pub fn echo_socket() -> io::Result<(OwnedFd, usize)> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto, socket_with};
    const IPV4_HEADER_BYTES: usize = 20;
    let open = |kind| socket_with(AddressFamily::INET, kind, SocketFlags::CLOEXEC, Some(ipproto::ICMP));
    match open(SocketType::RAW) {
        Ok(socket) => Ok((socket, IPV4_HEADER_BYTES)),
        Err(_) => Ok((open(SocketType::DGRAM)?, 0)),
    }
}

/// Where a received frame and its stamps go; made once, used for every receive call.
#[derive(Debug)]
pub struct Inbox {
    bytes: [u8; 128],
    /// Aligned as control messages must be.
    control: [u64; 32],
}

/// One received frame.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    /// What it carries.
    pub bytes: &'a [u8],
    /// The kernel's stamp, on CLOCK_REALTIME.
    pub software_ns: Option<u64>,
    /// The card's stamp, on its own clock.
    pub hardware_ns: Option<u64>,
}

impl Default for Inbox {
    fn default() -> Self {
        Self { bytes: [0; 128], control: [0; 32] }
    }
}

impl Inbox {
    /// Receives one frame with one system call; fails with the call's error number.
    #[inline]
    pub fn receive(&mut self, socket: BorrowedFd<'_>) -> Result<Received<'_>, i32> {
        let mut place = libc::iovec { iov_base: self.bytes.as_mut_ptr().cast(), iov_len: self.bytes.len() };
        // SAFETY: a msghdr is made of integers and pointers, for which zero is a value.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = &raw mut place;
        message.msg_iovlen = 1;
        message.msg_control = self.control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&self.control) as _;
        // SAFETY: the message points to one valid iovec over `bytes` and to the whole of `control`; no name is asked for.
        let length = unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, 0) };
        if length == -1 {
            return Err(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO));
        }
        let (software_ns, hardware_ns) = stamps(&message);
        Ok(Received { bytes: &self.bytes[..length as usize], software_ns, hardware_ns })
    }
}

/// The stamps among the control messages of a message that was just received.
#[inline]
fn stamps(message: &libc::msghdr) -> (Option<u64>, Option<u64>) {
    // SAFETY: the kernel has set the length of the control messages, which lie in memory that outlives `message`.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(message) };
    // SAFETY: null, or the aligned header of a control message that lies wholly inside the control memory.
    while let Some(control) = unsafe { header.as_ref() } {
        if (control.cmsg_level, control.cmsg_type) == (libc::SOL_SOCKET, libc::SO_TIMESTAMPING) {
            // SAFETY: the data of this message is three timespecs: software, unused, raw hardware.
            let times = unsafe { libc::CMSG_DATA(header).cast::<[libc::timespec; 3]>().read_unaligned() };
            return (nanoseconds(times[0]), nanoseconds(times[2]));
        }
        // SAFETY: `header` is the header of a control message of `message`.
        header = unsafe { libc::CMSG_NXTHDR(message, header) };
    }
    (None, None)
}

/// `None` for the zero that means "no such stamp".
#[inline]
fn nanoseconds(time: libc::timespec) -> Option<u64> {
    let ns = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
    (ns != 0).then_some(ns)
}

/// CLOCK_REALTIME, for relating the kernel's stamps to CLOCK_MONOTONIC only.
pub fn realtime_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a valid timespec for the kernel (or the vDSO) to fill; this clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    nanoseconds(now).unwrap_or(0)
}
