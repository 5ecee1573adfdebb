//! A zImage: a small program with a packed kernel in it, for 32-bit Arm.
//!
//! Its header leads to a table (arch/arm/boot/compressed/vmlinux.lds.S). The table says where the packed kernel ends and at
//! which distance from the start of the memory the kernel belongs. The emulator loads an unpacked kernel to such a place where
//! a header of U-Boot's (`uImage`) names it.

use super::stream::{KERNEL_MAX, unpack_one, word};

/// What the header has, and where.
const SIGNATURE: (usize, u32) = (0x24, 0x016f_2818);
const EXTENDED: (usize, u32) = (0x34, 0x4545_4545);
const TABLE: usize = 0x38;

/// What the table has, and where. Older kernels' tables are shorter and do not name the distance.
const WORDS_LEAST: u32 = 6;
const KIND: (usize, u32) = (4, 0x5a53_4c4b);
const SIZE_PLACE: usize = 8;
const TEXT_OFFSET: usize = 16;

/// The boards whose memory is known to start here.
const BOARDS: [(&str, u32); 2] = [("virt", 0x4000_0000), ("vexpress-a9", 0x6000_0000)];

/// U-Boot's header: its signature, and Linux, Arm, a kernel, not packed.
const U_BOOT: u32 = 0x2705_1956;
const LINUX_FOR_ARM: [u8; 4] = [5, 2, 2, 0];
const NAME: [u8; 32] = [0; 32];

/// The kernel in a zImage.
pub(super) struct ZImage<'a> {
    /// The image up to the end of the packed kernel.
    packed: &'a [u8],
    /// Bytes of the unpacked kernel.
    size: u32,
    /// Where it belongs.
    pub(super) place: u32,
}

impl<'a> ZImage<'a> {
    /// `None` for other images, for those without the table, and for another board.
    pub(super) fn of(image: &'a [u8], board: &str) -> Option<Self> {
        let has =
            |(at, value): (usize, u32), begin: usize| word(image, begin.checked_add(at)?).filter(|it| *it == value);
        let (_, memory) = BOARDS.into_iter().find(|(name, _)| *name == board)?;
        has(SIGNATURE, 0).and(has(EXTENDED, 0))?;
        let table = word(image, TABLE)? as usize;
        has(KIND, table)?;
        (word(image, table)? >= WORDS_LEAST).then_some(())?;
        let size_place = word(image, table.checked_add(SIZE_PLACE)?)? as usize;
        let offset = word(image, table.checked_add(TEXT_OFFSET)?)?;
        Some(Self {
            packed: image.get(..size_place)?,
            size: word(image, size_place)?,
            place: memory.checked_add(offset)?,
        })
    }

    /// The kernel behind a header that says where it belongs.
    pub(super) fn unpack(&self) -> Option<Vec<u8>> {
        // Nothing says where the packed kernel begins, and its first bytes also stand in the program that unpacks it.
        let size = u64::from(self.size).min(KERNEL_MAX);
        let mut all = (0..self.packed.len()).filter_map(|begin| unpack_one(&self.packed[begin..], size));
        let kernel = all.find(|kernel| kernel.len() == self.size as usize)?;
        Some([&self.header()[..], &kernel].concat())
    }

    /// Without times and checksums, which the emulator does not read.
    fn header(&self) -> Vec<u8> {
        let words = [U_BOOT, 0, 0, self.size, self.place, self.place, 0].map(u32::to_be_bytes);
        [words.as_flattened(), &LINUX_FOR_ARM[..], &NAME[..]].concat()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A zImage around a packed kernel: a program with what looks like another one, the kernel, its size, the table.
    pub(in super::super) fn image(packed: &[u8], size: u32) -> Vec<u8> {
        let mut image = vec![0; 0x40];
        image.extend(b"\xfd7zXZ\0 and more");
        image.extend(packed);
        let size_place = image.len() as u32;
        image.extend(size.to_le_bytes());
        let table = image.len() as u32;
        for word in [WORDS_LEAST, KIND.1, size_place, 0, 0x0020_8000, 0x1_0000, 0] {
            image.extend(u32::to_le_bytes(word));
        }
        for (at, word) in [SIGNATURE, EXTENDED, (TABLE, table)] {
            image[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        image
    }

    #[test]
    fn the_place_is_the_distance_that_the_table_names_from_the_start_of_the_boards_memory() {
        let image = image(b"", 7);
        let found = ZImage::of(&image, "virt").unwrap();
        assert_eq!((found.size, found.place), (7, 0x4020_8000));
        let header = found.header();
        assert_eq!(header.len(), 64);
        assert_eq!(header[..4], [0x27, 0x05, 0x19, 0x56]);
        assert_eq!(header[12..24], [0, 0, 0, 7, 0x40, 0x20, 0x80, 0, 0x40, 0x20, 0x80, 0]);
        assert_eq!(ZImage::of(&image, "vexpress-a9").unwrap().place, 0x6020_8000);
        assert!(ZImage::of(&image, "vexpress-a15").is_none());
        let mut older = image.clone();
        let table = older.len() - 4 * (WORDS_LEAST as usize + 1);
        older[table] = 4;
        assert!(ZImage::of(&older, "virt").is_none());
    }

    #[test]
    fn an_image_that_was_cut_off_or_lies_is_left_to_the_emulator() {
        let whole = image(b"packed", 7);
        for end in 0..whole.len() - 12 {
            assert!(ZImage::of(&whole[..end], "virt").is_none(), "cut at {end}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] = 0xff;
            // Whatever it says, it must not panic.
            assert_eq!(ZImage::of(&changed, "virt").and_then(|image| image.unpack()), None);
        }
    }
}
