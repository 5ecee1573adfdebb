//! Which processor a program is for, from its ELF header.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The processor's name as `uname -m` has it; `None` for what is no ELF program of a processor that prazo is built for.
pub(crate) fn machine(program: &Path) -> Option<&'static str> {
    let mut head = [0u8; 20];
    File::open(program).ok()?.read_exact(&mut head).ok()?;
    // elf(5): the class at byte 4 (2 is 64 bits), the machine at byte 18; all of these processors are little-endian.
    match (head.starts_with(b"\x7fELF"), head[4], u16::from_le_bytes([head[18], head[19]])) {
        (true, 2, 62) => Some("x86_64"),
        (true, 2, 183) => Some("aarch64"),
        (true, 1, 40) => Some("armv7l"),
        (true, 2, 243) => Some("riscv64"),
        (true, 2, 21) => Some("ppc64le"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_is_for_this_processor() {
        let program = std::env::current_exe().unwrap();
        assert_eq!(machine(&program), Some(std::env::consts::ARCH));
        assert_eq!(machine(Path::new("/etc/passwd")), None);
        assert_eq!(machine(Path::new("/nowhere")), None);
    }
}
