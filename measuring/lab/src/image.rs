//! Linux images: what their first bytes say.

use crate::architecture::Architecture;
use crate::error::LabError;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What runs it; `None` for what is no Linux image.
pub(crate) fn architecture(image: &Path) -> Option<Architecture> {
    let file = File::open(image).ok()?;
    let is_for = |architecture: &Architecture| {
        let (at, signature) = architecture.signature();
        let mut found = [0; 4];
        file.read_exact_at(&mut found, at).is_ok() && found == signature
    };
    Architecture::VALUES.iter().copied().find(is_for)
}

/// What else an emulator starts: an ELF file, a packed image.
const OTHERS: [&[u8]; 2] = [b"\x7fELF", &[0x1f, 0x8b]];

/// Refuses what a machine of this architecture cannot boot; what only the emulator can tell is left to it.
pub(crate) fn check(image: &Path, wanted: Architecture) -> Result<(), LabError> {
    let refused = |what: String| LabError::NoKernel { file: image.to_owned(), what, wanted };
    let mut begin = [0; 4];
    let file = File::open(image).map_err(LabError::system(format!("read {}", image.display())))?;
    let is_other = file.read_exact_at(&mut begin, 0).is_ok() && OTHERS.iter().any(|other| begin.starts_with(other));
    match architecture(image) {
        Some(found) if found == wanted => Ok(()),
        Some(found) => Err(refused(format!("a Linux kernel for {found}"))),
        None if is_other => Ok(()),
        None => Err(refused("not a Linux kernel".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_image_is_known_by_its_signature() {
        for architecture in Architecture::VALUES {
            let (at, signature) = architecture.signature();
            let file = tempfile::NamedTempFile::new().unwrap();
            file.as_file().write_all_at(&signature, at).unwrap();
            assert_eq!(super::architecture(file.path()), Some(*architecture));
            file.as_file().write_all_at(b"none", at).unwrap();
            assert_eq!(super::architecture(file.path()), None);
        }
        assert_eq!(super::architecture(Path::new("/nowhere")), None);
    }

    #[test]
    fn a_kernel_for_another_processor_and_a_file_that_is_none_are_refused_by_name() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let why = |wanted| check(file.path(), wanted).map_err(|error| error.to_string());
        file.as_file().write_all_at(b"[study]", 0).unwrap();
        assert!(why(Architecture::X86_64).unwrap_err().contains("is not a Linux kernel"));
        for other in [Architecture::Aarch64, Architecture::Armv7l, Architecture::Riscv64, Architecture::Ppc64le] {
            let file = tempfile::NamedTempFile::new().unwrap();
            let (at, signature) = other.signature();
            file.as_file().write_all_at(&signature, at).unwrap();
            let error = check(file.path(), Architecture::X86_64).unwrap_err().to_string();
            assert!(error.contains(&format!("is a Linux kernel for {other}")), "{error}");
            check(file.path(), other).unwrap();
        }
        for other in OTHERS {
            let file = tempfile::NamedTempFile::new().unwrap();
            file.as_file().write_all_at(&[other, &[0; 64]].concat(), 0).unwrap();
            check(file.path(), Architecture::X86_64).unwrap();
        }
    }
}
