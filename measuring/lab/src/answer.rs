//! What came back from a guest, read: one line that says how it went, then the run file, packed. Its form is
//! `prazo_abi::guest`'s; `measuring/agent` sends it.

use flate2::read::GzDecoder;
use prazo_abi::guest::{Answer, AnswerHead, AnswerOutcome, GREETING};
use std::io::Read;

/// The largest run file that is unpacked: a guest may be anybody's.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// Reads what came through the port; an error says what is wrong with it.
pub(crate) fn parse(sent: &[u8]) -> Result<Answer, String> {
    if sent.is_empty() {
        return Err("the guest ended without an answer".into());
    }
    let behind = sent
        .strip_prefix(GREETING.as_bytes())
        .ok_or("the guest sent data that is not an answer of this lab's agent")?;
    let line = behind.iter().position(|byte| *byte == b'\n');
    let line = line.ok_or("the guest's answer was truncated in the first line")?;
    let head: AnswerHead =
        serde_json::from_slice(&behind[..line]).map_err(|error| format!("the guest's answer is invalid: {error}"))?;
    let body = &behind[line + 1..];
    if body.len() != head.bytes {
        return Err(format!("the guest's answer was truncated: {} of {} bytes arrived", body.len(), head.bytes));
    }
    match head.outcome {
        AnswerOutcome::Measured => unpacked(body).map(|file| Answer::Measured { file, note: head.why }),
        AnswerOutcome::Refused => Ok(Answer::Refused(head.why.unwrap_or_default())),
        AnswerOutcome::Failed => Ok(Answer::Failed(head.why.unwrap_or_default())),
    }
}

fn unpacked(body: &[u8]) -> Result<Vec<u8>, String> {
    let mut file = Vec::new();
    let read = GzDecoder::new(body).take(FILE_BYTES_MAX + 1).read_to_end(&mut file);
    read.map_err(|error| format!("the guest's run file was damaged during transfer: {error}"))?;
    if file.len() as u64 > FILE_BYTES_MAX {
        Err("the guest's run file is larger than the limit of 1 GiB".into())
    } else {
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn sent(outcome: &str, why: &str, body: &[u8]) -> Vec<u8> {
        let head = format!(r#"{{"outcome":"{outcome}","why":{why},"bytes":{}}}"#, body.len());
        [GREETING.as_bytes(), head.as_bytes(), b"\n", body].concat()
    }

    fn packed(file: &[u8]) -> Vec<u8> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(file).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn each_outcome_is_read() {
        let measured = |note| Ok(Answer::Measured { file: b"run".to_vec(), note });
        assert_eq!(parse(&sent("measured", "null", &packed(b"run"))), measured(None));
        assert_eq!(parse(&sent("measured", "\"busy\"", &packed(b"run"))), measured(Some("busy".into())));
        assert_eq!(parse(&sent("refused", "\"a\\nb\"", &[])), Ok(Answer::Refused("a\nb".into())));
        assert_eq!(parse(&sent("failed", "\"c\"", &[])), Ok(Answer::Failed("c".into())));
        assert!(parse(&sent("lost", "null", &[])).unwrap_err().contains("lost"));
    }

    #[test]
    fn what_is_cut_off_anywhere_or_changed_is_no_run() {
        let whole = sent("measured", "null", &packed(&[7; 1_000]));
        for length in 0..whole.len() {
            assert!(parse(&whole[..length]).is_err(), "cut off at {length}");
        }
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert!(parse(&changed).unwrap_err().contains("damaged"));
        assert!(parse(b"Kernel panic").unwrap_err().contains("is not an answer of this lab's agent"));
    }
}
