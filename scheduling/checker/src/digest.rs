//! The SHA-256 digest (FIPS 180-4) that binds a certificate to its scenario.
//!
//! It is taken over the lines that say what is asked: everything between the certificate's first line and the digest's
//! own. Written here from the standard, because the checker shares no code with the analysis that writes certificates.

use std::fmt;

/// A SHA-256 digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

/// 64 hexadecimal digits, lower case.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The words that open the digest's line.
pub(crate) const LINE: &str = "digest sha256 ";

/// The digest that the certificate `text` ought to name, of the lines behind its first one and above its digest's line;
/// `None` if it has no such lines.
pub fn of_scenario(text: &str) -> Option<Digest> {
    let (_, behind_first) = text.split_once('\n')?;
    let end = behind_first.find(&format!("\n{LINE}"))? + 1;
    Some(Digest::of(&behind_first.as_bytes()[..end]))
}

/// First 32 bits of the fractional parts of the square roots of the first 8 primes.
const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes.
#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

impl Digest {
    /// The digest of `message`.
    fn of(message: &[u8]) -> Self {
        let bits = (message.len() as u64).wrapping_mul(8);
        let zeros = (119 - message.len() % 64) % 64;
        let padded = [message, &[0x80], &[0; 64][..zeros], &bits.to_be_bytes()].concat();
        let state = padded.chunks_exact(64).fold(START, compressed);
        let mut bytes = [0; 32];
        bytes.chunks_exact_mut(4).zip(state).for_each(|(four, word)| four.copy_from_slice(&word.to_be_bytes()));
        Self(bytes)
    }
}

/// One block worked into the state.
fn compressed(state: [u32; 8], block: &[u8]) -> [u32; 8] {
    let schedule = schedule(block);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    for (constant, word) in ROUNDS.iter().zip(schedule) {
        let sum = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h.wrapping_add(sum).wrapping_add(choice).wrapping_add(*constant).wrapping_add(word);
        let sum = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        (h, g, f, e, d, c, b) = (g, f, e, d.wrapping_add(first), c, b, a);
        a = first.wrapping_add(sum.wrapping_add(majority));
    }
    let worked = [a, b, c, d, e, f, g, h];
    std::array::from_fn(|place| state[place].wrapping_add(worked[place]))
}

/// The block's 16 words and the 48 that are made of them.
fn schedule(block: &[u8]) -> [u32; 64] {
    let mut words = [0; 64];
    for (word, four) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = four.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for at in 16..64 {
        let (early, late) = (words[at - 15], words[at - 2]);
        let early = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let late = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        words[at] = words[at - 16].wrapping_add(early).wrapping_add(words[at - 7]).wrapping_add(late);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 180-4's companion, and an empty message.
    #[test]
    fn messages_of_the_standard_have_their_digests() {
        let hex = |message: &[u8]| Digest::of(message).to_string();
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        assert_eq!(hex(&[b'a'; 1_000_000]), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}
