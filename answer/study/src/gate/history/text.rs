//! The sentences about a history that terminal, page and Markdown share.

use super::super::line::{figure_of_quantity, signed_us, us};
use super::super::result::SKIPPED;
use super::super::table::differing;
use super::result::{FigureHistory, HistoryChange, HistoryResult, OrderedBy};
use prazo_core::text::counted;
use std::collections::BTreeMap;

impl OrderedBy {
    /// `kernel release`.
    pub fn name(self) -> &'static str {
        match self {
            Self::KernelRelease => "kernel release",
            Self::TimeOfMeasurement => "time of measurement",
            Self::FileName => "file name",
        }
    }
}

impl HistoryResult {
    /// How many histories have changes.
    pub fn sentence(&self) -> String {
        let baselines = counted(self.files.len() as u64, "baseline");
        let all = counted(self.histories.len() as u64, "figure");
        if !self.decided {
            return format!("{baselines}: no figure has enough of them for a test ({all})");
        }
        let changed = self.histories.iter().filter(|history| !history.changes.is_empty()).count();
        let tested = counted(self.tested as u64, "tested figure");
        format!("{baselines}: the level of {changed} of {tested} changed")
    }

    /// Every change, the most unlikely first.
    pub fn changes(&self) -> Vec<(&FigureHistory, &HistoryChange)> {
        let of = |history| FigureHistory::changes_of(history);
        let mut all: Vec<_> = self.histories.iter().flat_map(of).collect();
        let size = |change: &HistoryChange| change.shift_ns.abs() / change.before_ns.abs().max(1.0);
        all.sort_by(|(_, a), (_, b)| a.probability.total_cmp(&b.probability).then(size(b).total_cmp(&size(a))));
        all
    }

    /// What is not in the histories: files, cells, and conditions that separate them.
    pub fn remarks(&self) -> Vec<String> {
        let entries = counted(self.not_read.len() as u64, "entry");
        let not_read =
            (!self.not_read.is_empty()).then(|| format!("{entries} of the folder cannot be read as a baseline"));
        let files = self.not_read.iter().map(|one| format!("not read: {}: {}", one.file, one.reason));
        let left = self.left.iter().map(|one| format!("left out: {} of {}: {}", one.cell, one.file, one.reason));
        not_read
            .into_iter()
            .chain(files)
            .chain(left)
            .chain(self.separated())
            .chain(self.undecided())
            .chain(self.below_floor())
            .collect()
    }

    /// Which parts were not joined, and why.
    fn separated(&self) -> Vec<String> {
        let mut parts: BTreeMap<(usize, &[String]), Vec<_>> = BTreeMap::new();
        for one in &self.differs {
            parts.entry((one.part, &one.files)).or_default().push(one.different.clone());
        }
        let sentence = |((part, files), all): ((usize, &[String]), Vec<_>)| {
            format!("not joined: part {part} ({}): {}", files.join(", "), differing(&all).join("; "))
        };
        parts.into_iter().map(sentence).collect()
    }

    /// How many changes are too small to be reported.
    fn below_floor(&self) -> Option<String> {
        let below: usize = self.histories.iter().map(|history| history.below_floor).sum();
        let changes = counted(below as u64, "change");
        (below > 0).then(|| format!("not reported: {changes} of a level that do not exceed the floor"))
    }

    /// Why figures were not tested: each reason once.
    fn undecided(&self) -> Vec<String> {
        let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for history in &self.histories {
            if let Some(reason) = &history.reason {
                reasons.entry(reason).or_default().push(history.subject());
            }
        }
        let sentence = |(reason, subjects): (&str, Vec<String>)| match subjects.len() {
            0..=3 => format!("not tested: {}: {reason}", subjects.join("; ")),
            many => format!("not tested: {} and {} more: {reason}", subjects[0], counted(many as u64 - 1, "figure")),
        };
        reasons.into_iter().map(sentence).collect()
    }

    /// How changes are found, and how often that errs.
    pub fn basis(&self) -> String {
        format!(
            "{} tested, each at {:.0} %: without a real change, at most {:.1} of them are reported with one on average. \
             A change is significant over all figures if it is so even after correction for all of them. Each split \
             was compared with {} of the baselines",
            counted(self.tested as u64, "figure"),
            self.false_alarms * 100.0,
            self.false_alarms * self.tested as f64,
            counted(self.orders as u64, "random order")
        )
    }
}

impl FigureHistory {
    /// `rt.idle.fifo, median of response latency`; with the part where the cell has several.
    pub fn subject(&self) -> String {
        format!("{}, {}", self.place(), figure_of_quantity(&self.figure, self.quantity))
    }

    /// `rt.idle.fifo`, or `rt.idle.fifo (part 2)`.
    pub fn place(&self) -> String {
        if self.parts > 1 { format!("{} (part {})", self.cell, self.part) } else { self.cell.clone() }
    }

    /// False for the time that was skipped, which has no place on a latency axis.
    pub fn is_latency(&self) -> bool {
        self.figure != SKIPPED
    }

    fn changes_of(&self) -> impl Iterator<Item = (&Self, &HistoryChange)> {
        self.changes.iter().map(move |change| (self, change))
    }
}

impl HistoryChange {
    /// `6.12.74 to 6.12.85: 34.30 µs became 29.00 µs, shift -5.30 µs, p = 0.0002 *`.
    pub fn sentence(&self) -> String {
        format!(
            "{} to {}: {} became {}, shift {}, p = {}{}",
            self.before,
            self.first,
            us(self.before_ns),
            us(self.after_ns),
            signed_us(self.shift_ns),
            self.probability_text(),
            if self.holds_over_all { ", significant over all figures" } else { "" }
        )
    }

    /// `0.0002`.
    pub fn probability_text(&self) -> String {
        format!("{:.4}", self.probability)
    }
}
