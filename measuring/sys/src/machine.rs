//! The system calls that the standard library does not offer, each in one small safe function.

use crate::{check, nanoseconds, process, timespec};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// The user whose rights this process has; 0 is root.
pub fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The kernel's processor as uname(2) names it: `x86_64`, `armv7l` ...
pub fn kernel_machine() -> String {
    rustix::system::uname().machine().to_string_lossy().into_owned()
}

/// A process that cannot be mistaken for a later one of the same number.
#[derive(Debug)]
pub struct ProcessHandle(OwnedFd);

impl ProcessHandle {
    /// The process that has this number now.
    pub fn open(pid: u32) -> io::Result<Self> {
        process::process_handle(pid).map(Self)
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: libc::c_int) -> io::Result<()> {
        process::signal(self.0.as_fd(), signal)
    }
}

/// `finit_module(2)`: loads a kernel module with its parameters.
pub fn load_module(file: &std::fs::File, parameters: &str) -> io::Result<()> {
    let parameters = std::ffi::CString::new(parameters)?;
    // SAFETY: the descriptor is open and the text ends with a zero; the kernel copies both and keeps no pointer.
    check(unsafe { libc::syscall(libc::SYS_finit_module, file.as_raw_fd(), parameters.as_ptr(), 0) }).map(drop)
}

/// `delete_module(2)`: removes a kernel module that nobody uses.
pub fn remove_module(name: &str) -> io::Result<()> {
    let name = std::ffi::CString::new(name)?;
    // SAFETY: the name ends with a zero; the kernel copies it.
    check(unsafe { libc::syscall(libc::SYS_delete_module, name.as_ptr(), libc::O_NONBLOCK) }).map(drop)
}

/// The resolution of CLOCK_MONOTONIC in nanoseconds: 1 where high-resolution timers are active, a tick where not.
pub fn clock_resolution_ns() -> io::Result<u64> {
    let mut resolution = timespec(0);
    // SAFETY: the kernel writes one timespec into a live one.
    let result = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC, &raw mut resolution) };
    check(result)?;
    Ok(nanoseconds(resolution))
}

/// Locks `bytes` of memory made for the purpose and lets go of it again, leaving all other locks of the process alone.
pub fn try_to_lock_memory(bytes: usize) -> io::Result<()> {
    let memory = vec![0_u8; bytes];
    // SAFETY: the range is the live allocation `memory`; locking changes nothing that Rust can see.
    let result = unsafe { libc::mlock(memory.as_ptr().cast(), memory.len()) };
    check(result)?;
    // SAFETY: as above; the same range.
    check(unsafe { libc::munlock(memory.as_ptr().cast(), memory.len()) }).map(drop)
}

/// The kernel's log as `dmesg` shows it, from what is still in its ring.
pub fn kernel_log() -> io::Result<String> {
    const READ_ALL: libc::c_int = 3;
    const SIZE_BUFFER: libc::c_int = 10;
    // SAFETY: SIZE_BUFFER takes no buffer and returns a size.
    let size = check(unsafe { libc::klogctl(SIZE_BUFFER, std::ptr::null_mut(), 0) })?;
    let mut text = vec![0_u8; size as usize];
    // SAFETY: the kernel writes at most `size` bytes into a live buffer of that length.
    let length = check(unsafe { libc::klogctl(READ_ALL, text.as_mut_ptr().cast(), size as libc::c_int) })?;
    text.truncate(length as usize);
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The hypervisor's signature from the processor itself (`KVMKVMKVM`); `None` on bare metal and other architectures.
#[cfg(target_arch = "x86_64")]
pub fn hypervisor_signature() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    let present = __cpuid(1).ecx >> 31 & 1 == 1;
    let leaf = present.then(|| __cpuid(0x4000_0000))?;
    let bytes: Vec<u8> = [leaf.ebx, leaf.ecx, leaf.edx].iter().flat_map(|word| word.to_le_bytes()).collect();
    Some(String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
}

/// The hypervisor's signature; only x86-64 processors carry one.
#[cfg(not(target_arch = "x86_64"))]
pub fn hypervisor_signature() -> Option<String> {
    None
}

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
