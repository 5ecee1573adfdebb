//! What goes back to the host: one line that says how it went and how much follows, then the run file, packed.
//!
//! ```text
//! prazo-answer 1 {"outcome":"measured","why":null,"bytes":20480}\n   then 20480 bytes: the run file, gzip
//! ```
//! gzip carries its own checksum, so that a byte lost on the way is seen.

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::io::{self, Write};

/// What the line begins with; the number is the version of this form.
pub(crate) const GREETING: &str = "prazo-answer 1 ";

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The run file, and what is to be said of it.
    Measured {
        /// The file.
        file: Vec<u8>,
        /// What threatens it, if anything.
        note: Option<String>,
    },
    /// The plan cannot be carried out here: the user's to change.
    Refused(String),
    /// The guest could not do it.
    Failed(String),
}

#[derive(Serialize)]
struct Head<'a> {
    outcome: &'a str,
    why: Option<&'a str>,
    bytes: usize,
}

impl Answer {
    /// The bytes that are sent.
    pub(crate) fn packed(&self) -> io::Result<Vec<u8>> {
        let (outcome, why, file) = match self {
            Self::Measured { file, note } => ("measured", note.as_deref(), file.as_slice()),
            Self::Refused(why) => ("refused", Some(why.as_str()), &[][..]),
            Self::Failed(why) => ("failed", Some(why.as_str()), &[][..]),
        };
        let body = packed(file)?;
        let head = serde_json::to_string(&Head { outcome, why, bytes: body.len() })?;
        Ok([GREETING.as_bytes(), head.as_bytes(), b"\n", &body].concat())
    }
}

fn packed(file: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(file)?;
    packer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_line_says_how_much_follows_and_the_file_comes_out_again() {
        let packed = Answer::Measured { file: vec![7; 100_000], note: None }.packed().unwrap();
        let line = packed.iter().position(|byte| *byte == b'\n').unwrap();
        let head: serde_json::Value = serde_json::from_slice(&packed[GREETING.len()..line]).unwrap();
        assert_eq!((&head["outcome"], &head["why"]), (&"measured".into(), &serde_json::Value::Null));
        assert_eq!(head["bytes"].as_u64(), Some((packed.len() - line - 1) as u64));
        let mut file = Vec::new();
        flate2::read::GzDecoder::new(&packed[line + 1..]).read_to_end(&mut file).unwrap();
        assert_eq!(file, vec![7; 100_000]);
    }

    #[test]
    fn a_reason_with_line_breaks_stays_on_the_line() {
        let packed = Answer::Failed("one\ntwo".into()).packed().unwrap();
        let text = String::from_utf8_lossy(&packed);
        assert!(text.lines().next().unwrap().contains(r#""why":"one\ntwo""#), "{text}");
    }
}
