//! Linux images: what their first bytes say.

use crate::architecture::Architecture;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What an image holds, and at which byte: a bzImage (Documentation/arch/x86/boot.rst) and an arm64 Image
/// (Documentation/arch/arm64/booting.rst).
const SIGNATURES: [(Architecture, u64, [u8; 4]); 2] =
    [(Architecture::X86_64, 0x202, *b"HdrS"), (Architecture::Aarch64, 0x38, *b"ARM\x64")];

/// What runs it; `None` for what is no Linux image.
pub(crate) fn architecture(image: &Path) -> Option<Architecture> {
    let file = File::open(image).ok()?;
    let holds = |at, signature: [u8; 4]| {
        let mut found = [0; 4];
        file.read_exact_at(&mut found, at).is_ok() && found == signature
    };
    SIGNATURES.into_iter().find(|(_, at, signature)| holds(*at, *signature)).map(|(architecture, ..)| architecture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_image_is_known_by_its_signature() {
        for (architecture, at, signature) in SIGNATURES {
            let file = tempfile::NamedTempFile::new().unwrap();
            file.as_file().write_all_at(&signature, at).unwrap();
            assert_eq!(super::architecture(file.path()), Some(architecture));
            file.as_file().write_all_at(b"none", at).unwrap();
            assert_eq!(super::architecture(file.path()), None);
        }
        assert_eq!(super::architecture(Path::new("/nowhere")), None);
    }
}
