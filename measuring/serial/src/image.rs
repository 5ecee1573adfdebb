//! Which processor an image is for, from its ELF header.

use crate::board::Board;
use crate::error::SerialError;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Arm with 32 bits, as elf(5) numbers it: what all boards here execute.
const ARM: u16 = 40;

/// Processors that images are made for, by elf(5)'s number.
const PROCESSORS: [(u16, &str); 11] = [
    (2, "SPARC"),
    (3, "32-bit x86"),
    (4, "Motorola 68000"),
    (8, "MIPS"),
    (20, "32-bit PowerPC"),
    (21, "64-bit PowerPC"),
    (ARM, "32-bit Arm"),
    (62, "x86-64"),
    (94, "Xtensa"),
    (183, "64-bit Arm"),
    (243, "RISC-V"),
];

/// Refuses an image that cannot be read, or that is for another processor than the board's. What is no ELF file says nothing of its
/// processor, and is left to the emulator.
pub(crate) fn check(image: &Path, board: Board) -> Result<(), SerialError> {
    let failed = |source| SerialError::System {
        what: format!("read {}", image.display()),
        source,
        remedy: "give the ELF file that the target's build made",
    };
    let mut head = Vec::new();
    File::open(image).and_then(|file| file.take(20).read_to_end(&mut head)).map_err(failed)?;
    match machine(&head) {
        Some(found) if found != ARM => Err(SerialError::Processor {
            image: image.to_owned(),
            found: name(found),
            board: board.name,
            processor: board.processor,
        }),
        _ => Ok(()),
    }
}

/// The machine's number at byte 18, in the byte order that byte 5 states.
fn machine(head: &[u8]) -> Option<u16> {
    let number = head.get(18..20).filter(|_| head.starts_with(b"\x7fELF"))?.try_into().ok()?;
    Some(if head[5] == 2 { u16::from_be_bytes(number) } else { u16::from_le_bytes(number) })
}

fn name(machine: u16) -> String {
    let known = PROCESSORS.iter().find(|(number, _)| *number == machine);
    known.map_or_else(|| format!("ELF machine number {machine}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(order: u8, machine: [u8; 2]) -> Vec<u8> {
        let mut head = vec![0x7f, b'E', b'L', b'F', 1, order, 1];
        head.resize(18, 0);
        head.extend(machine);
        head
    }

    #[test]
    fn an_image_of_another_processor_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let image = folder.path().join("image.elf");
        let board = Board::find("lm3s6965evb").unwrap();
        let refused = |bytes: Vec<u8>| {
            std::fs::write(&image, bytes).unwrap();
            check(&image, board).err().map(|error| error.to_string())
        };
        for (bytes, name) in [
            (head(1, [62, 0]), "x86-64"),
            (head(1, [243, 0]), "RISC-V"),
            (head(2, [0, 8]), "MIPS"),
            (head(1, [0x34, 0x12]), "ELF machine number 4660"),
        ] {
            let error = refused(bytes).unwrap();
            assert!(error.contains(name) && error.contains("Cortex-M3") && error.contains("image.elf"), "{error}");
        }
        assert_eq!(refused(head(1, [40, 0])), None);
        assert_eq!(refused(b"no ELF file at all".to_vec()), None, "a plain binary says nothing of its processor");
        assert_eq!(refused(Vec::new()), None);
        assert!(check(Path::new("/nowhere.elf"), board).unwrap_err().to_string().contains("/nowhere.elf"));
    }
}
