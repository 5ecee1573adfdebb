//! How many processors this machine has, as its firmware's tables say: the one way to know when all have come.
//!
//! ```text
//! root pointer ─► root table ─► the table "APIC" ─► an entry for each local APIC, enabled or not
//! ```
//! Read from memory that the loader or the firmware has left, before anything writes there.

use core::sync::atomic::{AtomicUsize, Ordering};

/// Where the root pointer lies, 0 if nobody said.
static ROOT_POINTER: AtomicUsize = AtomicUsize::new(0);

/// Where the map of memory ends.
const MAPPED_END: usize = 1 << 32;
/// A table's header: signature, length, and what is of no use here.
const HEADER: usize = 36;
/// Header, address of the local APICs, flags.
const ENTRIES: usize = HEADER + 8;
const ROOT_SIGNATURE: [u8; 8] = *b"RSD PTR ";
/// Kinds of entry: a local APIC with a number of 8 bits, and of 32.
const LOCAL_APIC: u8 = 0;
const LOCAL_X2APIC: u8 = 9;
const ENABLED: u32 = 1;

/// Keeps where the loader found the root pointer.
///
/// # Safety
/// The firmware's tables lie behind `address`, untouched, or nothing that looks like a root pointer does.
pub unsafe fn remember(address: usize) {
    ROOT_POINTER.store(address, Ordering::Relaxed);
}

/// The processors that the firmware has enabled; `None` where it does not say.
pub fn processors() -> Option<usize> {
    let root = ROOT_POINTER.load(Ordering::Relaxed);
    if root == 0 || read::<[u8; 8]>(root)? != ROOT_SIGNATURE {
        return None;
    }
    let table = tables(root)?.find(|table| read::<[u8; 4]>(*table) == Some(*b"APIC"))?;
    let count = entries(table)?.filter(|entry| is_enabled_processor(*entry)).count();
    (count > 0).then_some(count)
}

/// The addresses of all tables: those of 64 bits where there are any.
fn tables(root: usize) -> Option<impl Iterator<Item = usize>> {
    let has_long = read::<u8>(root + 15)? >= 2 && read::<u64>(root + 24)? != 0;
    let (table, size) =
        if has_long { (read::<u64>(root + 24)? as usize, 8) } else { (read::<u32>(root + 16)? as usize, 4) };
    let length = read::<u32>(table + 4)? as usize;
    let address = move |place: usize| {
        if has_long {
            read::<u64>(place).map(|long| long as usize)
        } else {
            read::<u32>(place).map(|short| short as usize)
        }
    };
    Some((HEADER..length).step_by(size).filter_map(move |offset| address(table + offset)))
}

/// The addresses of the entries of the table of local APICs, each of which says how long it is.
fn entries(table: usize) -> Option<impl Iterator<Item = usize>> {
    let end = table + read::<u32>(table + 4)? as usize;
    let next = move |entry: &usize| Some(entry + usize::from(read::<u8>(entry + 1)?.max(2)));
    Some(core::iter::successors(Some(table + ENTRIES), next).take_while(move |entry| *entry < end))
}

fn is_enabled_processor(entry: usize) -> bool {
    let flags = match read::<u8>(entry) {
        Some(LOCAL_APIC) => read::<u32>(entry + 4),
        Some(LOCAL_X2APIC) => read::<u32>(entry + 8),
        _ => None,
    };
    flags.is_some_and(|flags| flags & ENABLED != 0)
}

/// Plain numbers, of which every pattern of bits is one.
trait Plain: Copy {}
impl Plain for u8 {}
impl Plain for u32 {}
impl Plain for u64 {}
impl Plain for [u8; 4] {}
impl Plain for [u8; 8] {}

/// What lies at `address`; nothing beyond the map of memory and in its first page, which is taken out of it.
fn read<T: Plain>(address: usize) -> Option<T> {
    let is_mapped = address >= 4096 && address <= MAPPED_END - size_of::<T>();
    // SAFETY: who remembered the root pointer promised that the tables are there; all memory below 4 GiB is mapped but for
    // guard pages, and every pattern of bits is a `T`.
    is_mapped.then(|| unsafe { core::ptr::with_exposed_provenance::<T>(address).read_unaligned() })
}
