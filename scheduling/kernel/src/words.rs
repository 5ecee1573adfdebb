//! The command line: `kind key=value ...`, read once.

use crate::arch;

/// What the loader was told.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The first word's first letter: `m`easure, `t`ogether, anything else the scenario.
    pub kind: u8,
    /// Threads of a measuring run.
    pub threads: usize,
    /// Of its random periods.
    pub seed: u64,
    /// 1 to measure the parts of a release, 0 to measure it whole.
    pub parts: u64,
    /// How long the run lasts.
    pub duration_ms: u64,
}

impl Words {
    /// What this boot was told; what it was not told has its default.
    pub fn read() -> Self {
        Self {
            kind: arch::words().next().unwrap_or(b's'),
            threads: number(b"threads=").unwrap_or(5) as usize,
            seed: number(b"seed=").unwrap_or(1),
            parts: number(b"parts=").unwrap_or(0),
            duration_ms: number(b"duration_ms=").unwrap_or(1_000),
        }
    }
}

/// The number behind `key`, wherever that stands.
fn number(key: &[u8]) -> Option<u64> {
    let mut words = arch::words();
    let mut matched = 0;
    while matched < key.len() {
        let byte = words.next()?;
        matched = if byte == key[matched] { matched + 1 } else { usize::from(byte == key[0]) };
    }
    let digits = words.take_while(u8::is_ascii_digit);
    digits.map(|digit| u64::from(digit - b'0')).reduce(|number, digit| number.wrapping_mul(10).wrapping_add(digit))
}
