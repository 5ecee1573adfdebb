//! Every sample of a measuring run, read back from the kernel's console.
//!
//! ```text
//! raw switch 1a*12 1b 1a*3                  counts of the processor's counter, hexadecimal, and how often in a row
//! raw-end switch count 16 lost 0 checksum 811c9dc5
//! clock counter_hz 1000000000
//! ```
//! What does not add up to its count and checksum is an error, never a shorter list.

use std::collections::BTreeMap;

/// What a run has kept, by the kernel's names of its measures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Samples {
    /// The samples of each measure.
    pub measures: BTreeMap<String, Kept>,
    /// Counts of the counter in a second.
    pub counter_hz: u64,
}

/// The samples of one measure, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// In counts of the processor's counter.
    pub counts: Vec<u32>,
    /// Samples for which the kernel had no place.
    pub lost: u64,
    is_whole: bool,
}

impl Samples {
    /// Reads a console; the first line that cannot be is named.
    pub(super) fn read(console: &str) -> Result<Self, String> {
        let mut samples = Self::default();
        for (number, line) in console.lines().enumerate() {
            samples.take(line).map_err(|what| format!("line {} of the console: {what}", number + 1))?;
        }
        let cut = samples.measures.iter().find(|(_, kept)| !kept.is_whole);
        match cut {
            Some((name, _)) => Err(format!("the samples of '{name}' have no end")),
            None if samples.counter_hz == 0 => Err("the console does not say how fast the counter is".into()),
            None => Ok(samples),
        }
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["raw", name, runs @ ..] => {
                let counts = &mut self.measures.entry((*name).to_owned()).or_default().counts;
                runs.iter().try_for_each(|run| unfold(run, counts))
            }
            ["raw-end", name, "count", count, "lost", lost, "checksum", sum] => {
                let kept = self.measures.get_mut(*name).ok_or_else(|| format!("'{name}' ends before it begins"))?;
                (kept.lost, kept.is_whole) = (number(lost)?, true);
                let sum = u32::from_str_radix(sum, 16).map_err(|_| format!("'{sum}' is no checksum"))?;
                kept.check(number(count)?, sum).map_err(|what| format!("the samples of '{name}': {what}"))
            }
            ["clock", "counter_hz", hz] => {
                self.counter_hz = number(hz)?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `counts` of this run's counter in nanoseconds, at least as long.
    pub(super) fn to_ns_ceil(&self, counts: u32) -> u64 {
        (u64::from(counts) * 1_000_000_000).div_ceil(self.counter_hz)
    }
}

impl Kept {
    fn check(&self, count: u64, sum: u32) -> Result<(), String> {
        let found = self.counts.len() as u64;
        if found != count {
            return Err(format!("{found} of {count} came over the line"));
        }
        if checksum(&self.counts) == sum { Ok(()) } else { Err("their checksum is another".into()) }
    }
}

/// `1a*3` is three times 26.
fn unfold(run: &str, counts: &mut Vec<u32>) -> Result<(), String> {
    let (value, times) = run.split_once('*').unwrap_or((run, "1"));
    let value = u32::from_str_radix(value, 16).map_err(|_| format!("'{run}' is no sample"))?;
    let times = usize::try_from(number(times)?).ok().filter(|times| counts.len() + times <= SAMPLES_MAX);
    counts.resize(counts.len() + times.ok_or("more samples than a kernel keeps")?, value);
    Ok(())
}

/// Far more than a kernel has places for.
const SAMPLES_MAX: usize = 1 << 24;

/// FNV-1a of 32 bits over whole values, as the kernel computes it.
fn checksum(counts: &[u32]) -> u32 {
    counts.iter().fold(0x811c_9dc5, |sum, count| (sum ^ count).wrapping_mul(0x0100_0193))
}

fn number(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("'{word}' is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn console() -> String {
        let sum = checksum(&[26, 26, 26, 27, 26]);
        format!(
            "SeaBIOS\nraw switch 1a*3 1b\nraw switch 1a\nraw-end switch count 5 lost 2 checksum {sum:x}\n\
             clock counter_hz 2000000000\n"
        )
    }

    #[test]
    fn samples_come_back_in_their_order() {
        let samples = Samples::read(&console()).unwrap();
        let kept = &samples.measures["switch"];
        assert_eq!((kept.counts.as_slice(), kept.lost), (&[26, 26, 26, 27, 26][..], 2));
        assert_eq!(samples.to_ns_ceil(27), 14, "27 counts at 2 GHz, rounded up");
    }

    #[test]
    fn a_line_that_is_missing_cut_or_changed_is_an_error() {
        for (right, wrong, complaint) in [
            ("raw switch 1a\n", "", "4 of 5 came"),
            ("1a*3", "1a*4", "6 of 5 came"),
            ("1b", "1c", "checksum is another"),
            ("1b", "xyz", "'xyz' is no sample"),
            ("1a*3", "1a*99999999999", "more samples than"),
            ("clock counter_hz 2000000000\n", "", "how fast the counter is"),
        ] {
            let text = console();
            assert!(text.contains(right), "{right}");
            let error = Samples::read(&text.replacen(right, wrong, 1)).unwrap_err();
            assert!(error.contains(complaint), "{wrong}: {error}");
        }
        let endless = console().lines().filter(|line| !line.starts_with("raw-end")).collect::<Vec<_>>().join("\n");
        assert!(Samples::read(&endless).unwrap_err().contains("have no end"));
    }
}
