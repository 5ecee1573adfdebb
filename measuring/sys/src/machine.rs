//! What the machine is and says of itself: its processor, its hypervisor, its kernel's log; and whose rights this process has.

use crate::check;
use std::io;

/// The user whose rights this process has; 0 is root.
pub fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The kernel's processor as uname(2) names it: `x86_64`, `armv7l` ...
pub fn kernel_machine() -> String {
    rustix::system::uname().machine().to_string_lossy().into_owned()
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
