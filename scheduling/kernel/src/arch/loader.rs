//! What the boot loader has to say: a command line, and a file that it has put into memory.
//!
//! Both loaders pass a structure of their own. Its command line is copied at once, before that memory is used otherwise; the
//! file stays where it lies, above the image, where this kernel writes nothing.

use super::acpi;
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// What `eax` holds where GRUB loaded us.
const MULTIBOOT_2: u32 = 0x36d7_6289;
/// What a PVH loader's structure begins with.
const PVH_MAGIC: u32 = 0x336e_c578;
/// Where the map of memory ends.
const MAPPED_END: u64 = 1 << 32;

const WORDS_MAX: usize = 4096;
static WORDS: [AtomicU8; WORDS_MAX] = [const { AtomicU8::new(0) }; WORDS_MAX];
static WORDS_LENGTH: AtomicUsize = AtomicUsize::new(0);

static FILES: AtomicUsize = AtomicUsize::new(0);
static FILE_START: AtomicUsize = AtomicUsize::new(0);
static FILE_LENGTH: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the linker script defines it at the image's end; only its address is taken.
unsafe extern "C" {
    /// The first address above the image.
    static image_end: u8;
}

/// Keeps what the loader says; once, before anything else uses memory.
pub fn listen(loader: u32, information: u32) {
    // SAFETY: what a loader says of itself is taken on trust: its structure lies at `information`, identity-mapped.
    unsafe { if loader == MULTIBOOT_2 { listen_to_multiboot(information) } else { listen_to_pvh(information) } }
}

/// The command line that the loader was given, byte by byte.
pub fn words() -> impl Iterator<Item = u8> {
    WORDS.iter().take(WORDS_LENGTH.load(Ordering::Relaxed)).map(|byte| byte.load(Ordering::Relaxed))
}

/// The file that the loader has put into memory, if it has. Panics where there are several, or where it cannot be read.
pub fn handed_over() -> Option<&'static [u8]> {
    let files = FILES.load(Ordering::Relaxed);
    assert!(files <= 1, "the loader hands {files} files over, and one is taken");
    let (start, length) = (FILE_START.load(Ordering::Relaxed), FILE_LENGTH.load(Ordering::Relaxed));
    let is_above_image = start >= (&raw const image_end) as usize;
    assert!(files == 0 || is_above_image, "the file lies at {start:#x}, where the kernel works");
    // SAFETY: the loader put the file there, `keep_file` saw that it is mapped, and the kernel writes nothing above its image.
    (files == 1).then(|| unsafe { core::slice::from_raw_parts(core::ptr::with_exposed_provenance(start), length) })
}

/// # Safety
/// `information` is zero or the address of mapped memory.
unsafe fn listen_to_pvh(information: u32) {
    if information == 0 {
        return;
    }
    let start = core::ptr::with_exposed_provenance::<u32>(information as usize);
    // SAFETY: the magic number says that the structure is there: its fourth word counts the files, two words each then say
    // where their list, the text and the firmware's root pointer lie. A file's entry begins with its address and its length.
    unsafe {
        if start.read() != PVH_MAGIC {
            return;
        }
        keep_words(start.add(6).read());
        acpi::remember(start.add(8).read() as usize);
        let files = core::ptr::with_exposed_provenance::<[u64; 4]>(start.add(4).read() as usize);
        for index in 0..start.add(3).read() as usize {
            let [address, length, ..] = files.add(index).read_unaligned();
            keep_file(address, length);
        }
    }
}

/// # Safety
/// `information` is the address of a multiboot 2 structure.
unsafe fn listen_to_multiboot(information: u32) {
    let mut tag = information as usize + 8;
    loop {
        let words = core::ptr::with_exposed_provenance::<u32>(tag);
        // SAFETY: tags follow each other, each with its type and size, up to the one of type 0; that of type 1 goes on with a
        // text, that of type 3 with the addresses where a file begins and ends, those of types 14 and 15 with a copy of the
        // firmware's root pointer.
        unsafe {
            match words.read() {
                0 => return,
                1 => keep_words(tag as u32 + 8),
                3 => keep_file(u64::from(words.add(2).read()), u64::from(words.add(3).read() - words.add(2).read())),
                14 | 15 => acpi::remember(tag + 8),
                _ => {}
            }
            tag += words.add(1).read().next_multiple_of(8) as usize;
        }
    }
}

/// Copies the text at `address`.
///
/// # Safety
/// `address` is zero, or that of a text in mapped memory that a zero ends.
unsafe fn keep_words(address: u32) {
    if address == 0 {
        return;
    }
    for (index, kept) in WORDS.iter().enumerate() {
        // SAFETY: the text ends with a zero, and nothing behind that is read.
        let byte = unsafe { *core::ptr::with_exposed_provenance::<u8>(address as usize + index) };
        if byte == 0 {
            return;
        }
        kept.store(byte, Ordering::Relaxed);
        WORDS_LENGTH.store(index + 1, Ordering::Relaxed);
    }
}

/// Notes where a file lies; one beyond the map of memory counts as one at 0, where none can be.
fn keep_file(address: u64, length: u64) {
    let is_mapped = address.checked_add(length).is_some_and(|end| end <= MAPPED_END);
    FILE_START.store(if is_mapped { address as usize } else { 0 }, Ordering::Relaxed);
    FILE_LENGTH.store(length as usize, Ordering::Relaxed);
    FILES.fetch_add(1, Ordering::Relaxed);
}
