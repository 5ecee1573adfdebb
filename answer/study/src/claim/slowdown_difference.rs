//! "There programs wait so much more": a part of the slowdown of one platform less that of another.

use super::workloads::compared;
use super::{ClaimFinding, Judge, Judgement, each_of};
use crate::cost::PlatformCost;
use crate::evidence::Evidence;
use prazo_stats::penalty::Slowdown;
use prazo_stats::repeats::middle;
use prazo_verdict::claim::{Name, Undecidable};
use serde::Deserialize;

/// `slowdown-difference = { a, b, part, workloads, at_least, at_most }`: the median over the workloads of that part of the slowdown of `a`, less
/// that of each of `b`, lies between the two.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowdownDifference {
    a: Name,
    #[serde(deserialize_with = "prazo_verdict::claim::document::names")]
    b: Vec<Name>,
    part: Part,
    #[serde(default)]
    workloads: Vec<Name>,
    at_least: Option<f64>,
    at_most: Option<f64>,
}

/// A part of (T_exec + T_wait) / T_exec, or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Part {
    /// All of it.
    Whole,
    /// What the run queue adds.
    Scheduler,
    /// What everything else adds.
    Other,
}

impl Judge for SlowdownDifference {
    fn cells(&self) -> Vec<&Name> {
        std::iter::once(&self.a).chain(&self.b).collect()
    }

    fn workloads(&self) -> &[Name] {
        &self.workloads
    }

    fn judge(&self, evidence: &Evidence) -> Judgement {
        let setting = compared(&self.cells(), &self.workloads, evidence)?;
        let own = self.part.of(&setting.platforms[0])?;
        let one = |platform: &PlatformCost| {
            let (other, bounds) = (self.part.of(platform)?, self.bounds());
            Ok((
                bounds.contains(&(own - other)),
                format!("of {}: {other:.3}, difference {:+.3}", platform.cell, own - other),
            ))
        };
        let head = format!("{} of {}: {own:.3}", self.part.name(), self.a.id);
        each_of(setting.platforms[1..].iter().map(one))
            .map(|found| ClaimFinding { evidence: format!("{head}; {}", found.evidence), ..found })
    }

    fn contradiction(&self) -> Option<&'static str> {
        let bounds = self.bounds();
        let is_bounded = self.at_least.or(self.at_most).is_some();
        (!is_bounded || bounds.is_empty()).then_some("give at_least, at_most or both; at_least must not exceed at_most")
    }

    fn tells_latencies(&self) -> bool {
        false
    }
}

impl SlowdownDifference {
    fn bounds(&self) -> std::ops::RangeInclusive<f64> {
        self.at_least.unwrap_or(f64::MIN)..=self.at_most.unwrap_or(f64::MAX)
    }
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::Whole => "slowdown",
            Self::Scheduler => "scheduler wait / T_exec",
            Self::Other => "other wait / T_exec",
        }
    }

    /// The median over a platform's workloads: a workload of 41 processes waits tens of times what it executes, and a mean would be its alone.
    fn of(self, platform: &PlatformCost) -> Result<f64, Undecidable> {
        let part = |slowdown: Slowdown| match self {
            Self::Whole => slowdown.whole,
            Self::Scheduler => slowdown.by_scheduler,
            Self::Other => slowdown.by_other,
        };
        let each: Option<Vec<f64>> = platform.workloads.iter().map(|workload| workload.slowdown.map(part)).collect();
        let lacks = || Undecidable(format!("cell {} has a workload whose waits were not counted", platform.cell));
        each.and_then(|each| middle(&each)).ok_or_else(lacks)
    }
}
