//! Generated data: the same bytes everywhere and always, about as compressible as program text.

use std::io;
use std::path::Path;

const SEED: u64 = 0x7072_617a_6f00_0004;
const WORDS: [&str; 16] = [
    "task",
    "deadline",
    "period",
    "latency",
    "the",
    "of",
    "and",
    "interrupt",
    "wait",
    "queue",
    "lock",
    "timer",
    "page",
    "fault",
    "switch",
    "run",
];

/// Text of this many bytes, of words and numbers.
pub(super) fn text(bytes: usize, variant: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(SEED ^ variant);
    let mut text = Vec::with_capacity(bytes + 32);
    while text.len() < bytes {
        let word = WORDS[random.usize(0..WORDS.len())];
        text.extend(format!("{word} {:x} ", random.u32(0..4_096)).bytes());
    }
    text.truncate(bytes);
    text
}

/// Files `NAME.0` to `NAME.(count - 1)` of text; those that are there already are left.
pub(super) fn files(folder: &Path, name: &str, count: u64, bytes: usize) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let paths = (0..count).map(|index| (index, folder.join(format!("{name}.{index}"))));
    paths.filter(|(_, path)| !path.exists()).try_for_each(|(index, path)| std::fs::write(path, text(bytes, index)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_the_same_everywhere_and_differs_from_file_to_file() {
        assert_eq!(text(1_000, 1), text(1_000, 1));
        assert_ne!(text(1_000, 1), text(1_000, 2));
        assert_eq!(text(1_000, 1)[..100], text(100, 1), "a longer text begins as the shorter one");
    }
}
