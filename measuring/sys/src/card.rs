//! What a network card's driver is asked: when the card interrupts, and how it stamps frames.

use crate::check;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::AsRawFd;

/// When a network card interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coalescing {
    /// Microseconds that it waits for more packets.
    pub rx_us: u32,
    /// Whether its driver changes that by itself.
    pub adaptive_rx: bool,
}

/// The head of the kernel's `struct ethtool_coalesce`; the rest are 16 further numbers.
#[repr(C)]
struct EthtoolCoalesce {
    command: u32,
    rx_us: u32,
    rx_frames: u32,
    rx_us_irq: u32,
    rx_frames_irq: u32,
    tx: [u32; 4],
    stats_us: u32,
    adaptive_rx: u32,
    rest: [u32; 12],
}

const _: () = assert!(size_of::<EthtoolCoalesce>() == 92);

/// Asks a card's driver when it interrupts; `EOPNOTSUPP` where it does not say.
pub fn coalescing(card: &str) -> io::Result<Coalescing> {
    const ETHTOOL_GCOALESCE: u32 = 0x0e;
    // SAFETY: it is plain numbers, for which all zeros is a value.
    let mut answer: EthtoolCoalesce = unsafe { zeroed() };
    answer.command = ETHTOOL_GCOALESCE;
    ask_card(card, SIOCETHTOOL, &mut answer)?;
    Ok(Coalescing { rx_us: answer.rx_us, adaptive_rx: answer.adaptive_rx != 0 })
}

/// How a network card can stamp frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamping {
    /// N of its own clock, `/dev/ptpN`.
    pub clock: Option<u32>,
    /// The receive filters that it knows, a bit each, by the kernel's numbers.
    pub filters: u32,
}

/// The kernel's `struct ethtool_ts_info`.
#[repr(C)]
#[derive(Default)]
struct EthtoolTsInfo {
    command: u32,
    so_timestamping: u32,
    phc_index: i32,
    tx_types: u32,
    tx_reserved: [u32; 3],
    rx_filters: u32,
    rx_reserved: [u32; 3],
}

const _: () = assert!(size_of::<EthtoolTsInfo>() == 44);

/// Asks a card's driver how it can stamp frames.
pub fn stamping(card: &str) -> io::Result<Stamping> {
    const ETHTOOL_GET_TS_INFO: u32 = 0x41;
    let mut answer = EthtoolTsInfo { command: ETHTOOL_GET_TS_INFO, ..EthtoolTsInfo::default() };
    ask_card(card, SIOCETHTOOL, &mut answer)?;
    Ok(Stamping { clock: answer.phc_index.try_into().ok(), filters: answer.rx_filters })
}

/// Which frames a card stamps now: the transmit type and the receive filter, in the kernel's numbers.
pub fn card_stamps(card: &str) -> io::Result<(i32, i32)> {
    let mut config = libc::hwtstamp_config { flags: 0, tx_type: 0, rx_filter: 0 };
    ask_card(card, libc::SIOCGHWTSTAMP as libc::Ioctl, &mut config)?;
    Ok((config.tx_type, config.rx_filter))
}

/// Tells a card which frames to stamp; what became of it is to be read back.
pub fn set_card_stamps(card: &str, (tx_type, rx_filter): (i32, i32)) -> io::Result<()> {
    let mut config = libc::hwtstamp_config { flags: 0, tx_type, rx_filter };
    ask_card(card, libc::SIOCSHWTSTAMP as libc::Ioctl, &mut config)
}

const SIOCETHTOOL: libc::Ioctl = 0x8946;

/// One call to a card's driver; `T` is the structure of plain numbers that the call reads and writes.
fn ask_card<T>(card: &str, call: libc::Ioctl, about: &mut T) -> io::Result<()> {
    let socket = std::net::UdpSocket::bind((std::net::Ipv4Addr::UNSPECIFIED, 0))?;
    // SAFETY: an ifreq is bytes, numbers and pointers, for which all zeros is a value.
    let mut request: libc::ifreq = unsafe { zeroed() };
    if card.len() >= request.ifr_name.len() {
        return Err(io::Error::from_raw_os_error(libc::ENODEV));
    }
    for (to, from) in request.ifr_name.iter_mut().zip(card.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_data = (&raw mut *about).cast();
    // SAFETY: the kernel reads the request, and reads and writes `about`, whose type is the one that the call takes; both live.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), call, &raw mut request) };
    check(result).map(drop)
}
