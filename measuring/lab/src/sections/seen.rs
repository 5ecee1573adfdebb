//! What was seen of sections: for each kind the longest by place, a histogram, and the interrupts with their arrivals.

use super::kind::SectionKind;
use std::collections::BTreeMap;

/// Buckets of a histogram: section lengths from 2^n instructions on, below 2^(n+1).
const BUCKETS: usize = 40;

/// The name of softirqs that run on the way out of an interrupt; unlike interrupts, they can be interrupted.
pub const SOFTIRQS: &str = "softirqs after an interrupt";

/// What was seen in one boot, or in several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sections {
    /// Sections by kind and place.
    pub places: BTreeMap<(SectionKind, SectionEnds), Longest>,
    /// How many sections of each kind had a length from 2^n on; the place in the list is n.
    pub histograms: BTreeMap<SectionKind, Vec<u64>>,
    /// Interrupts and softirqs, by name.
    pub interrupts: BTreeMap<String, Interrupts>,
    /// Instructions that were watched.
    pub watched: u64,
}

/// Where a section begins and ends: functions.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionEnds {
    /// The function that it begins in.
    pub begins: String,
    /// The function that it ends in.
    pub ends: String,
}

/// The longest section of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Longest {
    /// Its instructions, without those of interrupts in it.
    pub length: u64,
    /// Instructions of the guest before it.
    pub from: u64,
    /// Instructions of the guest until its end.
    pub to: u64,
    /// Which of the boots it was in.
    pub boot: usize,
    /// How many sections of this place there were.
    pub count: u64,
}

/// One kind of interrupt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interrupts {
    /// Instructions of the longest one, from its entry to its return, without those that interrupted it.
    pub longest: u64,
    /// When they came, in instructions of the guest, boot by boot.
    pub arrivals: Vec<Vec<u64>>,
}

impl Interrupts {
    /// How many there were.
    pub fn count(&self) -> u64 {
        self.arrivals.iter().map(|boot| boot.len() as u64).sum()
    }
}

impl Sections {
    /// Adds a section; one of no instruction is none.
    pub(super) fn add(&mut self, kind: SectionKind, place: SectionEnds, length: u64, from: u64, to: u64) {
        if length == 0 {
            return;
        }
        let longest = self.places.entry((kind, place)).or_default();
        longest.count += 1;
        if length > longest.length {
            (longest.length, longest.from, longest.to) = (length, from, to);
        }
        let buckets = self.histograms.entry(kind).or_insert_with(|| vec![0; BUCKETS]);
        buckets[(length.ilog2() as usize).min(BUCKETS - 1)] += 1;
    }

    /// Adds an interrupt that is over; one that interrupted it came later and was over before.
    pub(super) fn interrupt(&mut self, name: &str, length: u64, arrived: u64) {
        let interrupts = self.interrupts.entry(name.to_owned()).or_default();
        interrupts.longest = interrupts.longest.max(length);
        if interrupts.arrivals.is_empty() {
            interrupts.arrivals.push(Vec::new());
        }
        let arrivals = &mut interrupts.arrivals[0];
        arrivals.insert(arrivals.partition_point(|at| *at <= arrived), arrived);
    }

    /// The longest section of a kind.
    pub fn longest(&self, kind: SectionKind) -> u64 {
        self.of(kind).map(|(_, longest)| longest.length).max().unwrap_or(0)
    }

    /// The places of a kind.
    pub fn of(&self, kind: SectionKind) -> impl Iterator<Item = (&SectionEnds, &Longest)> {
        self.places.iter().filter(move |((one, _), _)| *one == kind).map(|((_, place), longest)| (place, longest))
    }

    /// How many sections of a kind there were.
    pub fn count(&self, kind: SectionKind) -> u64 {
        self.of(kind).map(|(_, longest)| longest.count).sum()
    }

    /// Adds what another boot showed. `boot` is its number.
    pub fn merge(&mut self, other: Self, boot: usize) {
        for (key, one) in other.places {
            let longest = self.places.entry(key).or_default();
            let count = longest.count + one.count;
            if one.length > longest.length {
                *longest = Longest { boot, ..one };
            }
            longest.count = count;
        }
        for (kind, counts) in other.histograms {
            let buckets = self.histograms.entry(kind).or_insert_with(|| vec![0; BUCKETS]);
            buckets.iter_mut().zip(counts).for_each(|(bucket, count)| *bucket += count);
        }
        for (name, one) in other.interrupts {
            let interrupts = self.interrupts.entry(name).or_default();
            interrupts.longest = interrupts.longest.max(one.longest);
            interrupts.arrivals.extend(one.arrivals);
        }
        self.watched += other.watched;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(begins: &str) -> SectionEnds {
        SectionEnds { begins: begins.into(), ends: "end".into() }
    }

    #[test]
    fn boots_are_added_up_and_the_longest_says_where_it_was() {
        let mut first = Sections { watched: 100, ..Sections::default() };
        first.add(SectionKind::Off, place("a"), 10, 5, 15);
        first.add(SectionKind::Off, place("a"), 0, 7, 7);
        first.interrupt("timer", 30, 50);
        let mut second = Sections { watched: 200, ..Sections::default() };
        second.add(SectionKind::Off, place("a"), 12, 70, 85);
        second.add(SectionKind::Off, place("b"), 3, 90, 93);
        second.interrupt("timer", 20, 60);
        first.merge(second, 1);
        let longest = first.places[&(SectionKind::Off, place("a"))];
        assert_eq!(longest, Longest { length: 12, from: 70, to: 85, boot: 1, count: 2 });
        assert_eq!((first.longest(SectionKind::Off), first.count(SectionKind::Off), first.watched), (12, 3, 300));
        assert_eq!(first.histograms[&SectionKind::Off][..4], [0, 1, 0, 2]);
        assert_eq!(first.interrupts["timer"].arrivals, [vec![50], vec![60]]);
        assert_eq!((first.interrupts["timer"].longest, first.interrupts["timer"].count()), (30, 2));
        first.interrupt("timer", 1, 40);
        assert_eq!(first.interrupts["timer"].arrivals[0], [40, 50], "arrivals are in order");
    }
}
