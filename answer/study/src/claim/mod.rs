//! Claims: sentences about a study's outcome that its data can hold against them. One file a kind.
//!
//! There is no expression language. A claim names one of the kinds below with its cells and figures; a kind knows how to
//! decide itself and what to say for it. Adding one adds a file, a `mod` line and a line in [`kinds!`].

mod dominates;
mod equivalent;
mod figures_equal;
mod max_above;
mod max_below;
mod max_ratio;
mod min_between;
mod not_in_data;
mod not_worse;
mod over_seeds;
mod pairs;
mod penalty_as_stated;
mod penalty_between;
mod penalty_correlates;
mod penalty_rises;
mod quantile_above;
mod quantile_below;
mod quantile_difference;
mod quantile_less;
mod served_all_due;
mod served_fewer_than_due;
mod share_below;
mod slowdown_difference;
mod stated_agrees;
mod statistic_between;
mod statistic_ratio;
mod sum_of_hours;
mod transient;
mod workloads;

use crate::evidence::Evidence;
use prazo_verdict::claim::{ClaimFinding, Judgement, Name, each, each_of};
use serde::Deserialize;

/// One `[[claim]]` of a study.
pub type Claim = prazo_verdict::claim::Claim<Check>;

/// What every kind of claim can do.
pub trait Judge {
    /// The cells it speaks of.
    fn cells(&self) -> Vec<&Name>;
    /// Whether it holds.
    fn judge(&self, evidence: &Evidence) -> Judgement;
    /// What could never be decided in the way it is written, and what to write instead.
    fn contradiction(&self) -> Option<&'static str> {
        None
    }
    /// The workloads it names; none is all.
    fn workloads(&self) -> &[Name] {
        &[]
    }
    /// True for a kind that is about latencies, whose spread over the seeds is then told beside.
    fn tells_latencies(&self) -> bool {
        true
    }
    /// True for a kind that speaks of all runs together, or weighs each of them itself.
    fn takes_all_runs(&self) -> bool {
        false
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($module:ident::$content:ident),)*) => {
        /// The kinds of claims; in TOML `check.max-below = { cells = ["a"], below = "1ms" }`.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Check {
            $($(#[$doc])* $kind($module::$content),)*
        }

        impl Check {
            fn kind(&self) -> &dyn Judge {
                match self {
                    $(Self::$kind(content) => content,)*
                }
            }
        }
    };
}

kinds! {
    /// One distribution is nowhere above others.
    Dominates(dominates::Dominates),
    /// Two distributions agree at given quantiles.
    Equivalent(equivalent::Equivalent),
    /// Figures are exactly those that a text quotes.
    FiguresEqual(figures_equal::FiguresEqual),
    /// Every observed maximum lies above a latency.
    MaxAbove(max_above::MaxAbove),
    /// Every observed maximum lies below a latency.
    MaxBelow(max_below::MaxBelow),
    /// One maximum is a multiple of another, over similar counts.
    MaxRatio(max_ratio::MaxRatio),
    /// Every minimum lies in a range.
    MinBetween(min_between::MinBetween),
    /// The data cannot decide it.
    NotInData(not_in_data::NotInData),
    /// A quantile is no worse than those of others.
    NotWorse(not_worse::NotWorse),
    /// Programs pay the penalty that a paper states.
    PenaltyAsStated(penalty_as_stated::PenaltyAsStated),
    /// The penalty of programs on one platform lies in a range.
    PenaltyBetween(penalty_between::PenaltyBetween),
    /// A figure grows where programs pay more.
    PenaltyCorrelates(penalty_correlates::PenaltyCorrelates),
    /// Programs pay more on each platform than on the one before.
    PenaltyRises(penalty_rises::PenaltyRises),
    /// A quantile of every cell lies above a latency.
    QuantileAbove(quantile_above::QuantileAbove),
    /// A quantile of every cell lies below a latency.
    QuantileBelow(quantile_below::QuantileBelow),
    /// Two quantiles differ by an amount in a range.
    QuantileDifference(quantile_difference::QuantileDifference),
    /// One quantile is less than another.
    QuantileLess(quantile_less::QuantileLess),
    /// Every activation that was due was served.
    ServedAllDue(served_all_due::ServedAllDue),
    /// Fewer activations were served than were due.
    ServedFewerThanDue(served_fewer_than_due::ServedFewerThanDue),
    /// At least a share of the samples lies at or below a latency.
    ShareBelow(share_below::ShareBelow),
    /// Programs wait longer on one platform than on others, by an amount in a range.
    SlowdownDifference(slowdown_difference::SlowdownDifference),
    /// A figure that the source states agrees with its samples.
    StatedAgrees(stated_agrees::StatedAgrees),
    /// A statistic of one quantity lies in a range.
    StatisticBetween(statistic_between::StatisticBetween),
    /// A statistic of one quantity is a multiple of others.
    StatisticRatio(statistic_ratio::StatisticRatio),
    /// The cells together lasted a number of hours.
    SumOfHours(sum_of_hours::SumOfHours),
    /// Latency is worse just after a load starts.
    Transient(transient::Transient),
}

impl Check {
    /// The cells it speaks of.
    pub fn cells(&self) -> Vec<&Name> {
        self.kind().cells()
    }

    /// The workloads it names.
    pub fn workloads(&self) -> &[Name] {
        self.kind().workloads()
    }

    /// Whether it holds; over several seeds, whether it holds for each.
    pub fn judge(&self, evidence: &Evidence) -> Judgement {
        over_seeds::judge(self.kind(), evidence)
    }

    /// What could never be decided in the way it is written, and what to write instead.
    pub fn contradiction(&self) -> Option<&'static str> {
        self.kind().contradiction()
    }
}
