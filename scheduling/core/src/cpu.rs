//! Processors and non-empty sets of them.
//!
//! A set is a fixed bitmap, so that it needs no allocation; it is non-empty by construction, so that "runs nowhere" cannot
//! be said. Text has the form that Linux prints (`0-3,5`).

use core::fmt;

/// The largest number of processors a set can hold.
pub const CPUS_MAX: usize = 1024;
const WORDS: usize = CPUS_MAX / 64;

/// A processor, by the number the operating system gives it; below [`CPUS_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cpu(u16);

impl Cpu {
    /// Processor `number`; `None` at or beyond [`CPUS_MAX`].
    pub const fn new(number: u32) -> Option<Self> {
        if (number as usize) < CPUS_MAX { Some(Self(number as u16)) } else { None }
    }

    /// Processor 0, which every machine has.
    pub const LOWEST: Cpu = Cpu(0);

    /// The processor `distance` numbers further on. Panics at or beyond [`CPUS_MAX`].
    #[inline]
    pub const fn plus(self, distance: usize) -> Self {
        let number = self.0 as usize + distance;
        assert!(number < CPUS_MAX, "processor numbers end at CPUS_MAX");
        Self(number as u16)
    }

    /// The operating system's number.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0 as u32
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A non-empty set of processors.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CpuSet {
    words: [u64; WORDS],
}

impl CpuSet {
    /// The set that holds `cpu` alone.
    pub const fn only(cpu: Cpu) -> Self {
        let mut words = [0; WORDS];
        words[cpu.0 as usize / 64] = 1 << (cpu.0 % 64);
        Self { words }
    }

    /// The set of the given processors; `None` if there are none.
    pub fn from_cpus(cpus: impl IntoIterator<Item = Cpu>) -> Option<Self> {
        cpus.into_iter().map(Self::only).reduce(Self::union)
    }

    /// True if `cpu` is a member.
    pub const fn contains(&self, cpu: Cpu) -> bool {
        self.words[cpu.0 as usize / 64] >> (cpu.0 % 64) & 1 == 1
    }

    /// The members of either set.
    pub fn union(mut self, other: Self) -> Self {
        for (word, more) in self.words.iter_mut().zip(other.words) {
            *word |= more;
        }
        self
    }

    /// The members of both sets; `None` if there are none.
    pub fn intersection(self, other: Self) -> Option<Self> {
        Self::from_cpus(self.iter().filter(|cpu| other.contains(*cpu)))
    }

    /// The members of `self` that are not in `other`; `None` if there are none.
    pub fn difference(self, other: Self) -> Option<Self> {
        Self::from_cpus(self.iter().filter(|cpu| !other.contains(*cpu)))
    }

    /// The members, lowest number first.
    pub fn iter(&self) -> impl Iterator<Item = Cpu> + '_ {
        (0..CPUS_MAX as u16).map(Cpu).filter(|cpu| self.contains(*cpu))
    }

    /// The lowest-numbered member.
    pub fn first(&self) -> Cpu {
        self.iter().next().expect("a set is non-empty by construction")
    }

    /// How many members there are; at least one.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

impl fmt::Debug for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuSet({self})")
    }
}

/// The kernel's list form, `0-3,5`.
impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.iter().peekable();
        let mut separator = "";
        while let Some(first) = rest.next() {
            let mut last = first;
            while let Some(next) = rest.next_if(|cpu| cpu.0 == last.0 + 1) {
                last = next;
            }
            match last.0 - first.0 {
                0 => write!(f, "{separator}{first}")?,
                _ => write!(f, "{separator}{first}-{last}")?,
            }
            separator = ",";
        }
        Ok(())
    }
}

/// Why a text is not a set of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseCpuSetError {
    /// No processor is named.
    Empty,
    /// A part is neither a number nor a range of two.
    Part,
    /// A range ends before it starts.
    Reversed,
    /// A number at or beyond [`CPUS_MAX`].
    TooLarge,
}

impl fmt::Display for ParseCpuSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no processor is given; write a list such as 0-3,5"),
            Self::Part => f.write_str("write processors as numbers and ranges, as in 0-3,5"),
            Self::Reversed => f.write_str("a range of processors ends before it starts"),
            Self::TooLarge => write!(f, "a processor number is at most {}", CPUS_MAX - 1),
        }
    }
}

impl core::error::Error for ParseCpuSetError {}

impl core::str::FromStr for CpuSet {
    type Err = ParseCpuSetError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.trim()
            .split(',')
            .filter(|part| !part.trim().is_empty())
            .map(range)
            .try_fold(None, |sum: Option<CpuSet>, part| {
                let part = part?;
                Ok(Some(sum.map_or(part, |sum| sum.union(part))))
            })?
            .ok_or(ParseCpuSetError::Empty)
    }
}

fn range(part: &str) -> Result<CpuSet, ParseCpuSetError> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (number(first)?, number(last)?);
    CpuSet::from_cpus((first.0..=last.0).map(Cpu)).ok_or(ParseCpuSetError::Reversed)
}

fn number(text: &str) -> Result<Cpu, ParseCpuSetError> {
    let number: u32 = text.trim().parse().map_err(|_| ParseCpuSetError::Part)?;
    Cpu::new(number).ok_or(ParseCpuSetError::TooLarge)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    #[test]
    fn a_list_is_read_and_printed_as_the_kernel_does() {
        let set: CpuSet = "0-3,5, 7\n".parse().unwrap();
        assert_eq!(set.to_string(), "0-3,5,7");
        assert_eq!(set.count(), 6);
        assert_eq!(set.first().number(), 0);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert_eq!("".parse::<CpuSet>(), Err(ParseCpuSetError::Empty));
        assert_eq!("a".parse::<CpuSet>(), Err(ParseCpuSetError::Part));
        assert_eq!("3-1".parse::<CpuSet>(), Err(ParseCpuSetError::Reversed));
        assert_eq!("1024".parse::<CpuSet>(), Err(ParseCpuSetError::TooLarge));
    }

    #[test]
    fn a_set_is_never_empty() {
        let (a, b): (CpuSet, CpuSet) = ("0-1".parse().unwrap(), "1-2".parse().unwrap());
        assert_eq!(a.intersection(b).unwrap().to_string(), "1");
        assert_eq!(a.difference(b).unwrap().to_string(), "0");
        assert!(a.difference(a).is_none());
        assert_eq!(a.union(b).to_string(), "0-2");
    }
}
