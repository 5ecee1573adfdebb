//! Hashes that give the same number on every machine and in every version. None of them is a defence against a forger.

/// FNV-1a of 64 bits (Fowler, Noll and Vo).
pub const fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

/// 2^64 divided by the golden ratio: the step of SplitMix64 (Steele, Lea and Flood, 2014), whose multiples spread evenly.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finaliser: each bit of the value changes about half of the bits of the result.
pub const fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv1a_has_the_published_values() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    /// The first two numbers with seed 0, as the authors' program prints them.
    #[test]
    fn splitmix_of_zero() {
        let values = [mixed(GOLDEN), mixed(GOLDEN.wrapping_mul(2))];
        assert_eq!(values, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }
}
