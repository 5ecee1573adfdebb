//! SHA-256 as text, the way sha256sum(1) prints it.

use crate::error::LabError;
use sha2::{Digest, Sha256};
use std::path::Path;

/// SHA-256 of a file, in hexadecimal digits.
///
/// # Errors
/// The file cannot be read.
pub fn of_file(file: &Path) -> Result<String, LabError> {
    let bytes = std::fs::read(file).map_err(LabError::system(format!("read {}", file.display())))?;
    Ok(sha256(&bytes))
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// True for the beginning of a checksum as names in the cache have it: 16 digits.
pub(crate) fn is_short(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-4's own example.
    #[test]
    fn sha256_of_abc() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
