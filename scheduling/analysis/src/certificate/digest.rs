//! The line that binds a certificate to its scenario.

use sha2::{Digest, Sha256};

/// `digest sha256 HEX`, of what is asked: all lines of `head` but the first, which names the format.
pub(super) fn line(head: &str) -> String {
    let question = head.split_once('\n').map_or("", |(_, behind_first)| behind_first);
    format!("digest sha256 {:x}\n", Sha256::digest(question))
}
