//! A bzImage: a small program with a packed kernel behind it. Its header's fields are those of Documentation/arch/x86/boot.rst.
//!
//! Kernels with a PVH note (`CONFIG_PVH`, which Debian sets) can be started without that program: the emulator loads the ELF
//! file.

use super::stream::{KERNEL_MAX, unpack_one, word};

/// The header's signature, and where its fields are.
const SIGNATURE: (usize, &[u8]) = (0x202, b"HdrS");
const SETUP_SECTORS: usize = 0x1f1;
pub(super) const PROTOCOL: usize = 0x206;
const PAYLOAD_OFFSET: usize = 0x248;
const PAYLOAD_LENGTH: usize = 0x24c;
/// The first version of the protocol that says where the payload is.
const PROTOCOL_LEAST: u16 = 0x0208;
pub(super) const SECTOR: usize = 512;

/// The name and the type of the note that gives a kernel's entry for PVH (`XEN_ELFNOTE_PHYS32_ENTRY`).
const NOTE: (&[u8], u32) = (b"Xen\0", 18);

/// The kernel, unless the emulator cannot start it: its packing is not known here, or it has no PVH note.
pub(super) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    unpack_one(packed, KERNEL_MAX).filter(|kernel| has_pvh_note(kernel))
}

/// The packed kernel of a bzImage.
pub(super) fn payload(image: &[u8]) -> Option<&[u8]> {
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
pub(super) mod tests {
    use super::*;

    /// The smallest ELF file with one segment of notes: one of another kind, then one of `kind`.
    pub(in super::super) fn kernel(kind: u32) -> Vec<u8> {
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
    pub(in super::super) fn image(packed: &[u8]) -> Vec<u8> {
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
