//! How many of a number of sets a curve accepted, and what decided: counts alone, so that they add up in any order.

use prazo_analysis::gedf::Test;
use prazo_analysis::partition::Packed;
use prazo_analysis::question::Answer;
use prazo_analysis::{Finding, Reason, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts of one curve over a number of task sets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Number of task sets that were judged.
    pub sets: u64,
    /// Number of task sets proven to meet every deadline.
    pub accepted: u64,
    /// Number of task sets proven to miss a deadline.
    pub disproven: u64,
    /// Number of task sets that are neither proven nor disproven, and for which a test reached its work limit.
    pub budget_spent: u64,
    /// Number of task sets proven by each test, or by each packing heuristic together with the last test, in the order of tests, that a ready queue needed.
    pub decided: BTreeMap<String, u64>,
    /// Work of all tests together: the number of terms that they evaluated.
    pub work: u64,
}

impl Tally {
    /// Counts one answer.
    pub fn count(&mut self, answer: &Answer) {
        self.sets += 1;
        self.work = self.work.saturating_add(answer.work);
        match answer.verdict {
            Verdict::Proven => {
                self.accepted += 1;
                *self.decided.entry(decided_by(answer)).or_default() += 1;
            }
            Verdict::Disproven => self.disproven += 1,
            Verdict::Unknown => self.budget_spent += u64::from(findings(answer).any(is_spent)),
        }
    }

    /// Adds the counts of other sets.
    pub fn add(&mut self, other: &Self) {
        self.sets += other.sets;
        self.accepted += other.accepted;
        self.disproven += other.disproven;
        self.budget_spent += other.budget_spent;
        self.work = self.work.saturating_add(other.work);
        for (by, count) in &other.decided {
            *self.decided.entry(by.clone()).or_default() += count;
        }
    }

    /// Neither proven nor disproven.
    pub fn unknown(&self) -> u64 {
        self.sets - self.accepted - self.disproven
    }
}

fn findings(answer: &Answer) -> impl Iterator<Item = &Finding> {
    let bins = answer.packings.iter().flat_map(|packed| &packed.bins);
    answer.findings.iter().chain(bins.filter_map(|bin| bin.finding.as_ref())).chain(&answer.decided_by)
}

fn is_spent(finding: &Finding) -> bool {
    finding.reason == Reason::BudgetSpent
}

/// `GFB`, or `first-fit, BAR` where the hardest bin needed BAR.
fn decided_by(answer: &Answer) -> String {
    match answer.packings.iter().find(|packed| packed.proven) {
        Some(packed) => format!("{}, {}", packed.placed_by.name(), hardest_test(packed)),
        None => answer.decided_by.as_ref().map_or("no test", |finding| finding.test).to_owned(),
    }
}

/// Of the tests that proved the bins, the last in the order in which tests are tried.
fn hardest_test(packed: &Packed) -> &'static str {
    let tests = packed.bins.iter().filter_map(|bin| Some(bin.finding.as_ref()?.test));
    tests.max_by_key(|test| Test::NAMES.iter().position(|known| known == test)).unwrap_or("no test")
}
