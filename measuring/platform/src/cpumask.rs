//! Processor sets in the kernel's mask form: groups of 32 bits in hexadecimal, the highest first (`00000001,0000000f`).

use prazo_core::cpu::{Cpu, CpuSet};

/// Reads a mask; `None` where it is empty or no mask.
pub fn parse(text: &str) -> Option<CpuSet> {
    let groups: Vec<u32> =
        text.trim().split(',').rev().map(|group| u32::from_str_radix(group, 16).ok()).collect::<Option<_>>()?;
    let members = (0..groups.len() as u32 * 32).filter(|bit| groups[*bit as usize / 32] >> (bit % 32) & 1 == 1);
    CpuSet::from_cpus(members.map_while(Cpu::new))
}

/// Writes a mask with as many groups as its highest member needs.
pub fn format(set: &CpuSet) -> String {
    let highest = set.iter().last().expect("a set is non-empty by construction").number();
    let mut groups = vec![0_u32; highest as usize / 32 + 1];
    for cpu in set.iter() {
        groups[cpu.number() as usize / 32] |= 1 << (cpu.number() % 32);
    }
    let mut text = format!("{:x}", groups.pop().expect("there is at least one group"));
    for group in groups.iter().rev() {
        text.push_str(&format!(",{group:08x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_read_and_write_as_the_kernel_does() {
        assert_eq!(parse("3").unwrap().to_string(), "0-1");
        assert_eq!(parse("00000001,0000000f\n").unwrap().to_string(), "0-3,32");
        assert_eq!(parse("0"), None);
        assert_eq!(parse("xyz"), None);
        for list in ["0", "1-3", "0-3,32", "31,63,64", "1023"] {
            let set: CpuSet = list.parse().unwrap();
            assert_eq!(parse(&format(&set)), Some(set), "{list}");
        }
    }
}
