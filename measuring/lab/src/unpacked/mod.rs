//! The kernel inside a packed image, unpacked on the host, so that a guest need not unpack it.
//!
//! Under the emulator's software processor the unpacking takes as long as the kernel's whole start. Where the emulator records,
//! it may even end there: 2^31 instructions without an event are too many for it, and a zImage of Debian's takes more.

mod bzimage;
mod stream;
mod zimage;

use crate::checksum;
use crate::error::LabError;
use crate::fetch::Cache;
use crate::whole;
use std::path::{Path, PathBuf};

/// A packed image that is known here.
enum Packed<'a> {
    /// Of a PC: the packed kernel.
    BzImage(&'a [u8]),
    /// Of a 32-bit Arm board.
    ZImage(zimage::ZImage<'a>),
}

impl<'a> Packed<'a> {
    fn of(image: &'a [u8], board: &str) -> Option<Self> {
        let of_arm = || zimage::ZImage::of(image, board).map(Self::ZImage);
        bzimage::payload(image).map(Self::BzImage).or_else(of_arm)
    }

    /// What the emulator loads, unless it cannot.
    fn unpack(&self) -> Option<Vec<u8>> {
        match self {
            Self::BzImage(packed) => bzimage::unpack(packed),
            Self::ZImage(image) => image.unpack(),
        }
    }

    /// Its file's name in the image's folder. A kernel for Arm has a header that says where it belongs on its board.
    fn file_name(&self) -> String {
        match self {
            Self::BzImage(_) => FILE.to_owned(),
            Self::ZImage(image) => format!("{FILE}-{:x}", image.place),
        }
    }
}

/// The unpacked kernel of `image` for a board, from the cache or unpacked now; `None` where the emulator must start the image
/// itself: it is not packed, or in a way that is not known here. The answer depends on the image's bytes and the board alone.
pub(crate) fn unpacked(image: &Path, board: &str, cache: &Cache) -> Result<Option<PathBuf>, LabError> {
    let bytes = std::fs::read(image).map_err(LabError::system(format!("read {}", image.display())))?;
    let Some(packed) = Packed::of(&bytes, board) else { return Ok(None) };
    let folder = cache.folder().join(format!("{FOLDER}{}", short(&checksum::sha256(&bytes))));
    let place = folder.join(packed.file_name());
    if cache.has_built(&place) {
        return Ok(Some(place));
    }
    let Some(kernel) = packed.unpack() else { return Ok(None) };
    cache.built(&place, || keep(&kernel, &place))?;
    Ok(Some(place))
}

/// What the folder of an unpacked kernel begins with, before its image's checksum.
const FOLDER: &str = "vmlinux-";

/// What the file in it begins with.
const FILE: &str = "vmlinux";

/// As much of an image's checksum as a folder's name has.
pub(crate) fn short(checksum: &str) -> &str {
    &checksum[..16]
}

/// The image's checksum in the name of an unpacked kernel's folder; `None` for any other folder.
pub(crate) fn image_of<'a>(folder: &Path, name: &'a str) -> Option<&'a str> {
    let sum = name.strip_prefix(FOLDER).filter(|sum| checksum::is_short(sum))?;
    let is_kernel = |name: &str| match name.strip_prefix(FILE) {
        Some("") => true,
        Some(place) => place.strip_prefix('-').is_some_and(|place| u32::from_str_radix(place, 16).is_ok()),
        None => false,
    };
    let mut files = std::fs::read_dir(folder).ok()?.flatten();
    files.any(|file| file.file_name().to_str().is_some_and(is_kernel)).then_some(sum)
}

fn keep(kernel: &[u8], place: &Path) -> Result<(), LabError> {
    whole::write(place, kernel, 0o600).map_err(LabError::system(format!("write {}", place.display())))
}

#[cfg(test)]
mod tests {
    use super::bzimage::tests::{image, kernel};
    use super::stream::{KERNEL_MAX, unpack_one};
    use super::*;
    use std::io::Write;

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
            assert_eq!(unpack_one(bzimage::payload(&image(&packed)).unwrap(), KERNEL_MAX), Some(kernel.clone()));
        }
    }

    #[test]
    fn a_kernel_for_32_bit_arm_gets_a_header_unless_it_has_another_size_than_said() {
        let kernel = vec![7; 5_000];
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache")).unwrap();
        let file = folder.path().join("zImage");
        for pack in [gzip, xz, zstd] {
            std::fs::write(&file, zimage::tests::image(&pack(&kernel), 5_000)).unwrap();
            let place = unpacked(&file, "virt", &cache).unwrap().unwrap();
            assert_eq!(std::fs::read(&place).unwrap()[64..], kernel);
            let on_another_board = unpacked(&file, "vexpress-a9", &cache).unwrap().unwrap();
            assert_eq!(on_another_board.parent(), place.parent());
            assert_ne!(std::fs::read(&on_another_board).unwrap()[..64], std::fs::read(&place).unwrap()[..64]);
            std::fs::write(&file, zimage::tests::image(&pack(&kernel), 4_999)).unwrap();
            assert_eq!(unpacked(&file, "virt", &cache).unwrap(), None);
        }
    }

    #[test]
    fn it_is_kept_and_found_again_and_a_damaged_one_is_unpacked_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache")).unwrap();
        let file = folder.path().join("bzImage");
        std::fs::write(&file, image(&gzip(&kernel(18)))).unwrap();
        let place = unpacked(&file, "q35", &cache).unwrap().unwrap();
        assert_eq!(std::fs::read(&place).unwrap(), kernel(18));
        assert_eq!(unpacked(&file, "q35", &cache).unwrap().as_ref(), Some(&place));
        std::fs::write(&place, "damaged").unwrap();
        assert_eq!(unpacked(&file, "q35", &cache).unwrap().as_ref(), Some(&place));
        assert_eq!(std::fs::read(&place).unwrap(), kernel(18));
    }

    #[test]
    fn what_the_emulator_must_start_itself_is_left_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("cache")).unwrap();
        let file = folder.path().join("bzImage");
        let old = {
            let mut image = image(&gzip(&kernel(18)));
            image[bzimage::PROTOCOL] = 7;
            image
        };
        let cut = image(&gzip(&kernel(18)))[..3 * bzimage::SECTOR + 20].to_vec();
        for bytes in [kernel(18), image(&gzip(&kernel(17))), image(b"another packing"), old, cut, b"HdrS".to_vec()] {
            std::fs::write(&file, bytes).unwrap();
            assert_eq!(unpacked(&file, "q35", &cache).unwrap(), None);
        }
        assert!(!cache.folder().exists(), "nothing is kept of them");
    }
}
