//! What goes back to the host, as bytes: the line that says how it went and how much follows, then the run file, packed. Its form
//! is `prazo_abi::guest`'s.

use flate2::Compression;
use flate2::write::GzEncoder;
use prazo_abi::guest::{Answer, AnswerHead, AnswerOutcome, GREETING};
use std::io::{self, Write};

/// The bytes that are sent.
pub(crate) fn to_bytes(answer: &Answer) -> io::Result<Vec<u8>> {
    let (outcome, why, file) = match answer {
        Answer::Measured { file, note } => (AnswerOutcome::Measured, note.clone(), file.as_slice()),
        Answer::Refused(why) => (AnswerOutcome::Refused, Some(why.clone()), &[][..]),
        Answer::Failed(why) => (AnswerOutcome::Failed, Some(why.clone()), &[][..]),
    };
    let body = packed(file)?;
    let head = serde_json::to_string(&AnswerHead { outcome, why, bytes: body.len() })?;
    Ok([GREETING.as_bytes(), head.as_bytes(), b"\n", &body].concat())
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
        let packed = to_bytes(&Answer::Measured { file: vec![7; 100_000], note: None }).unwrap();
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
        let packed = to_bytes(&Answer::Failed("one\ntwo".into())).unwrap();
        let text = String::from_utf8_lossy(&packed);
        assert!(text.lines().next().unwrap().contains(r#""why":"one\ntwo""#), "{text}");
    }
}
