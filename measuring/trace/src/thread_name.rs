//! A thread's name as the kernel keeps it; copied as it is, because every record of every switch has one.

use std::borrow::Cow;
use std::fmt;

/// At most fifteen bytes, and zeros behind them.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ThreadName([u8; BYTES]);

/// Bytes of a name, its zero included.
const BYTES: usize = 16;

impl ThreadName {
    /// The name as text.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        let length = self.0.iter().position(|byte| *byte == 0).unwrap_or(BYTES);
        String::from_utf8_lossy(&self.0[..length])
    }
}

impl From<[u8; BYTES]> for ThreadName {
    /// As the kernel writes it: what stands behind the first zero is not part of it.
    fn from(mut bytes: [u8; BYTES]) -> Self {
        let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(BYTES);
        bytes[length..].fill(0);
        Self(bytes)
    }
}

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text(), f)
    }
}

#[cfg(test)]
impl From<&str> for ThreadName {
    fn from(text: &str) -> Self {
        let mut bytes = [0; BYTES];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Self(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_at_its_first_zero() {
        let name = ThreadName::from(*b"hog\0before it is");
        assert_eq!((name, name.to_string().as_str()), (ThreadName::from("hog"), "hog"));
        assert_eq!(ThreadName::from(*b"0123456789abcdef").text(), "0123456789abcdef");
        assert_eq!(ThreadName::from(*b"a\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0").text(), "a\u{fffd}");
        assert_eq!(ThreadName::default().text(), "");
    }
}
