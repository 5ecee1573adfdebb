//! Bins being filled by one heuristic under one test.

use super::open_bin::{Newcomer, Offer, OpenBin};
use super::{Bin, BinTest, Heuristic, Refusal};

pub struct Filling<'t, T> {
    heuristic: Heuristic,
    bins: Vec<OpenBin>,
    /// The bins as the heuristic last ranked them: little changes from one task to the next.
    preferred: Vec<usize>,
    last: usize,
    /// Who last refused the task that was last placed.
    refusal: Option<Refusal>,
    test: &'t mut T,
    work: u64,
}

impl<'t, T: BinTest> Filling<'t, T> {
    pub fn new(heuristic: Heuristic, bins: Vec<OpenBin>, test: &'t mut T) -> Self {
        let preferred = (0..bins.len()).collect();
        Self { heuristic, bins, preferred, last: 0, refusal: None, test, work: 0 }
    }

    /// Puts the task into the first bin that takes it, and says which.
    pub fn place(&mut self, newcomer: &Newcomer) -> Option<usize> {
        self.heuristic.prefer(&self.bins, self.last, &mut self.preferred);
        self.refusal = None;
        let accepted = (0..self.preferred.len()).any(|place| self.accepts(self.preferred[place], newcomer));
        accepted.then_some(self.last)
    }

    /// Opens another bin for the task; false if even that does not take it.
    pub fn place_in_new(&mut self, bin: OpenBin, newcomer: &Newcomer) -> bool {
        self.preferred.push(self.bins.len());
        self.bins.push(bin);
        self.accepts(self.bins.len() - 1, newcomer)
    }

    pub fn count(&self) -> usize {
        self.bins.len()
    }

    /// Who last refused the task that found no place; `None` if no bin had the capacity.
    pub fn take_refusal(&mut self) -> Option<Refusal> {
        self.refusal.take()
    }

    /// The bins as they are reported, and the work that filled them.
    pub fn close(self) -> (Vec<Bin>, u64) {
        (self.bins.into_iter().map(|bin| bin.close(self.test)).collect(), self.work)
    }

    /// Puts the task into this bin, if it goes.
    fn accepts(&mut self, bin: usize, newcomer: &Newcomer) -> bool {
        self.work += 1;
        match self.bins[bin].offer(newcomer, self.test) {
            Offer::Taken { work } => {
                self.work += work;
                self.last = bin;
                return true;
            }
            Offer::NoRoom => {}
            Offer::Refused { finding, work } => {
                self.work += work;
                self.refusal = finding.map(|finding| Refusal { bin: bin as u32, finding });
            }
        }
        false
    }
}
