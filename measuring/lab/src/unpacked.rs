//! The kernel inside a bzImage, unpacked on the host, so that a guest need not unpack it.
//!
//! A bzImage is a small program with a packed kernel behind it. Under the emulator's software processor the unpacking takes as
//! long as the kernel's whole start. Kernels with a PVH note (`CONFIG_PVH`, which Debian sets) can be started without it: the
//! emulator loads the ELF file. The header's fields are those of Documentation/arch/x86/boot.rst.

use crate::checksum;
use crate::error::LabError;
use crate::fetch::Cache;
use crate::whole;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The header's signature, and where its fields are.
const SIGNATURE: (usize, &[u8]) = (0x202, b"HdrS");
const SETUP_SECTORS: usize = 0x1f1;
const PROTOCOL: usize = 0x206;
const PAYLOAD_OFFSET: usize = 0x248;
const PAYLOAD_LENGTH: usize = 0x24c;
/// The first version of the protocol that says where the payload is.
const PROTOCOL_LEAST: u16 = 0x0208;
const SECTOR: usize = 512;

/// A kernel is a few times ten megabytes; a damaged image must not fill the memory.
const UNPACKED_MAX: u64 = 1 << 30;

/// The name and the type of the note that gives a kernel's entry for PVH (`XEN_ELFNOTE_PHYS32_ENTRY`).
const NOTE: (&[u8], u32) = (b"Xen\0", 18);

/// The unpacked kernel of `image`, from the cache or unpacked now; `None` where the emulator must start the image itself: it is no
/// bzImage, its packing is not known here, or its kernel has no PVH note. The answer depends on the image's bytes alone.
pub(crate) fn unpacked(image: &Path, cache: &Cache) -> Result<Option<PathBuf>, LabError> {
    let bytes = std::fs::read(image).map_err(LabError::system(format!("read {}", image.display())))?;
    let Some(packed) = payload(&bytes) else { return Ok(None) };
    let place = cache.folder().join(format!("vmlinux-{}", &checksum::sha256(&bytes)[..16])).join("vmlinux");
    if cache.has_built(&place) {
        return Ok(Some(place));
    }
    let Some(kernel) = unpack(packed).filter(|kernel| has_pvh_note(kernel)) else { return Ok(None) };
    cache.built(&place, || keep(&kernel, &place))?;
    Ok(Some(place))
}

fn keep(kernel: &[u8], place: &Path) -> Result<(), LabError> {
    whole::write(place, kernel, 0o600).map_err(LabError::system(format!("write {}", place.display())))
}

/// The packed kernel of a bzImage.
fn payload(image: &[u8]) -> Option<&[u8]> {
    let (at, signature) = SIGNATURE;
    let is_image = image.get(at..)?.starts_with(signature);
    let protocol = u16::from_le_bytes(image.get(PROTOCOL..PROTOCOL + 2)?.try_into().ok()?);
    if !is_image || protocol < PROTOCOL_LEAST {
        return None;
    }
    // 0 means 4, for reasons of history.
    let sectors = if image[SETUP_SECTORS] == 0 { 4 } else { usize::from(image[SETUP_SECTORS]) };
    let begin = ((sectors + 1) * SECTOR).checked_add(word(image, PAYLOAD_OFFSET)? as usize)?;
    image.get(begin..begin.checked_add(word(image, PAYLOAD_LENGTH)? as usize)?)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// What was packed by one of the methods that distributions use. The kernel's build puts the unpacked size behind the packed bytes, which
/// a reader of one stream does not look at.
fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    match packed {
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => all_of(lzma_rust2::XzReader::new(packed, false)),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => all_of(ruzstd::decoding::StreamingDecoder::new(packed).ok()?),
        [0x1f, 0x8b, ..] => all_of(flate2::read::GzDecoder::new(packed)),
        _ => None,
    }
}

fn all_of(reader: impl Read) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = reader.take(UNPACKED_MAX).read_to_end(&mut bytes).ok()?;
    ((length as u64) < UNPACKED_MAX).then_some(bytes)
}

/// True for an ELF file of 64 bits that has the note; one that is cut off has none.
fn has_pvh_note(kernel: &[u8]) -> bool {
    notes(kernel).is_some_and(|mut notes| notes.any(|(name, kind)| (name, kind) == NOTE))
}

/// Names and types of the notes of an ELF file with 64 bits.
fn notes(elf: &[u8]) -> Option<impl Iterator<Item = (&[u8], u32)>> {
    const NOTE_SEGMENT: u32 = 4;
    let long = |at: usize| Some(u64::from_le_bytes(elf.get(at..at.checked_add(8)?)?.try_into().ok()?) as usize);
    let short = |at: usize| Some(usize::from(u16::from_le_bytes(elf.get(at..at + 2)?.try_into().ok()?)));
    elf.starts_with(b"\x7fELF\x02\x01").then_some(())?;
    let (table, size, count) = (long(0x20)?, short(0x36)?, short(0x38)?);
    let segments = (0..count).filter_map(move |number| {
        let header = table.checked_add(number * size)?;
        let (begin, length) = (long(header.checked_add(8)?)?, long(header.checked_add(32)?)?);
        (word(elf, header)? == NOTE_SEGMENT).then(|| elf.get(begin..begin.checked_add(length)?)).flatten()
    });
    Some(segments.flat_map(|mut segment| std::iter::from_fn(move || next_note(&mut segment))))
}

/// The first note of a segment, which is taken off; each part is padded to four bytes.
fn next_note<'a>(segment: &mut &'a [u8]) -> Option<(&'a [u8], u32)> {
    let (name_length, content, kind) = (word(segment, 0)? as usize, word(segment, 4)? as usize, word(segment, 8)?);
    let name = segment.get(12..12usize.checked_add(name_length)?)?;
    let end = 12 + name_length.next_multiple_of(4) + content.next_multiple_of(4);
    *segment = segment.get(end..).unwrap_or_default();
    Some((name, kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The smallest ELF file with one segment of notes: one of another kind, then one of `kind`.
    fn kernel(kind: u32) -> Vec<u8> {
        let mut elf = vec![0; 64 + 56];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        elf[0x20] = 64;
        elf[0x36] = 56;
        elf[0x38] = 1;
        elf[64] = 4;
        elf[64 + 8] = 120;
        for kind in [6, kind] {
            elf.extend([4, 0, 0, 0, 5, 0, 0, 0]);
            elf.extend(kind.to_le_bytes());
            elf.extend(b"Xen\0linux\0\0\0");
        }
        elf[64 + 32] = (elf.len() - 120) as u8;
        elf
    }

    /// A bzImage around `packed`.
    fn image(packed: &[u8]) -> Vec<u8> {
        let mut image = vec![0; 3 * SECTOR + 7];
        image[SETUP_SECTORS] = 2;
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[PROTOCOL..PROTOCOL + 2].copy_from_slice(&PROTOCOL_LEAST.to_le_bytes());
        image[PAYLOAD_OFFSET] = 7;
        image[PAYLOAD_LENGTH..PAYLOAD_LENGTH + 4].copy_from_slice(&(packed.len() as u32).to_le_bytes());
        image.extend(packed);
        image.extend(b"behind it");
        image
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn xz(bytes: &[u8]) -> Vec<u8> {
        let mut packer = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    #[test]
    fn a_kernel_is_unpacked_from_each_packing_with_the_size_behind_it() {
        let kernel = kernel(18);
        for pack in [gzip, xz, zstd] {
            let packed = [pack(&kernel), vec![1, 2, 3, 4]].concat();
            assert_eq!(unpack(payload(&image(&packed)).unwrap()), Some(kernel.clone()));
        }
    }

    #[test]
    fn it_is_kept_and_found_again_and_a_damaged_one_is_unpacked_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache")).unwrap();
        let file = folder.path().join("bzImage");
        std::fs::write(&file, image(&gzip(&kernel(18)))).unwrap();
        let place = unpacked(&file, &cache).unwrap().unwrap();
        assert_eq!(std::fs::read(&place).unwrap(), kernel(18));
        assert_eq!(unpacked(&file, &cache).unwrap().as_ref(), Some(&place));
        std::fs::write(&place, "damaged").unwrap();
        assert_eq!(unpacked(&file, &cache).unwrap().as_ref(), Some(&place));
        assert_eq!(std::fs::read(&place).unwrap(), kernel(18));
    }

    #[test]
    fn what_the_emulator_must_start_itself_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache")).unwrap();
        let file = folder.path().join("bzImage");
        let old = {
            let mut image = image(&gzip(&kernel(18)));
            image[PROTOCOL] = 7;
            image
        };
        let cut = image(&gzip(&kernel(18)))[..3 * SECTOR + 20].to_vec();
        for bytes in [kernel(18), image(&gzip(&kernel(17))), image(b"another packing"), old, cut, b"HdrS".to_vec()] {
            std::fs::write(&file, bytes).unwrap();
            assert_eq!(unpacked(&file, &cache).unwrap(), None);
        }
        assert!(!cache.folder().exists(), "nothing is kept of them");
    }

    #[test]
    fn an_elf_file_that_lies_has_no_note() {
        let whole = kernel(18);
        assert!(has_pvh_note(&whole) && !has_pvh_note(&kernel(19)));
        for end in 0..whole.len() - 20 {
            assert!(!has_pvh_note(&whole[..end]), "cut at {end}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] = 0xff;
            // Whatever it says, it must not panic.
            has_pvh_note(&changed);
        }
    }
}
