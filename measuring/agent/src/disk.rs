//! A disk of the guest's own: a block device in its memory, whose requests complete in a timer's interrupt, with a file system that
//! keeps a journal.
//!
//! The host's disk would be the host's time, and a file system that the host's mke2fs makes would be the host's version. So the blocks of
//! a fresh file system are part of this program: the same disk in every guest of every architecture. The device is there when the host
//! packed its driver.
//!
//! `disk/ext4.blocks.gz` holds every block that is not zero, each behind its number (32 bits, little-endian), as mke2fs 1.47 wrote them:
//!
//! ```text
//! truncate -s 400M disk
//! E2FSPROGS_FAKE_TIME=1 mke2fs -F -t ext4 -b 4096 -m 0 -O ^orphan_file,^metadata_csum_seed -U 70726172-6f00-4000-8000-000000000001 \
//!     -E hash_seed=70726172-6f00-4000-8000-000000000002,lazy_itable_init=0,lazy_journal_init=0,root_owner=0:0 disk
//! ```

use flate2::read::GzDecoder;
use prazo_sys::first_process as sys;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What the driver makes.
const DEVICE: &str = "/dev/nullb0";
/// Where it is mounted.
const PLACE: &str = "/mnt";
/// Where files lie without it: in the guest's memory.
const MEMORY: &str = "/var/tmp";

const BLOCKS: &[u8] = include_bytes!("disk/ext4.blocks.gz");
const BLOCK_BYTES: usize = 4096;

/// The folder that loads shall use: on the guest's disk, where it has one.
pub(crate) fn prepare() -> Result<&'static Path, String> {
    if !Path::new(DEVICE).exists() {
        return Ok(Path::new(MEMORY));
    }
    let device = OpenOptions::new().write(true).open(DEVICE);
    let made = device.and_then(|device| format(&device).and_then(|()| device.sync_all()));
    made.map_err(|error| format!("cannot make a file system on {DEVICE}: {error}"))?;
    let mounted = std::fs::create_dir_all(PLACE).and_then(|()| sys::mount(DEVICE, "ext4", Path::new(PLACE)));
    mounted.map_err(|error| format!("cannot mount {DEVICE}: {error}")).map(|()| Path::new(PLACE))
}

/// Writes the blocks; all others of a fresh device are zero.
fn format(device: &File) -> io::Result<()> {
    let mut blocks = Vec::new();
    GzDecoder::new(BLOCKS).read_to_end(&mut blocks)?;
    for numbered in blocks.chunks_exact(size_of::<u32>() + BLOCK_BYTES) {
        let (number, block) = numbered.split_at(size_of::<u32>());
        let number = u32::from_le_bytes(number.try_into().expect("four bytes"));
        device.write_all_at(block, u64::from(number) * BLOCK_BYTES as u64)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_testing::or_skip;
    use std::process::Command;

    #[test]
    fn without_the_device_files_lie_in_memory() {
        if !Path::new(DEVICE).exists() {
            assert_eq!(prepare(), Ok(Path::new(MEMORY)));
        }
    }

    #[test]
    fn the_blocks_are_a_file_system_without_a_fault() {
        let check = or_skip!(prazo_testing::program("e2fsck"));
        let disk = tempfile::NamedTempFile::new().unwrap();
        disk.as_file().set_len(400 << 20).unwrap();
        format(disk.as_file()).unwrap();
        let answer = Command::new(check).arg("-fn").arg(disk.path()).output().unwrap();
        assert!(answer.status.success(), "{answer:?}");
        assert!(String::from_utf8_lossy(&answer.stdout).contains("11/102400 files"), "{answer:?}");
    }
}
