//! What splits the samples of a run while it is recorded: the latencies of threads, or the gaps of busy loops.

use prazo_platform::root::Root;
use prazo_run::plan::Splitting;
use prazo_run::source::Source;
use prazo_run::store::{SeriesOpening, SeriesSecond};
use prazo_run::{Caveat, Plan};
use prazo_trace::noise::NoiseSplitter;
use prazo_trace::split::{SeriesSplit, Splitter};

/// What splits, where something does.
pub(super) enum SampleSplitter {
    /// Latencies.
    Latencies(Box<Splitter>),
    /// Gaps.
    Gaps(Box<NoiseSplitter>),
}

impl SampleSplitter {
    /// Attaches what the plan asks for; or why that cannot be had, as the caveat of the run.
    pub(super) fn attach(plan: &Plan, root: &Root) -> (Option<Self>, Option<Caveat>) {
        if plan.split == Splitting::Off {
            return (None, None);
        }
        let attached = match plan.source {
            // The module has stamps of its own inside its latencies; many tasks' wake-ups are not joined one by one.
            Source::Interrupt(_) | Source::Wakeup(_) | Source::Overheads(_) | Source::Xenomai(_) => {
                return (None, None);
            }
            Source::Noise(_) => NoiseSplitter::attach(plan, root).map(|of| Self::Gaps(Box::new(of))),
            Source::Timer | Source::Event(_) | Source::Watch(_) => {
                Splitter::attach(plan, root).map(|of| Self::Latencies(Box::new(of)))
            }
        };
        match attached {
            Ok(splitter) => (Some(splitter), None),
            Err(why) => (None, Some(why.caveat_of(&plan.source))),
        }
    }

    /// True where the events around the worst samples are kept as well.
    pub(super) fn has_events(&self) -> bool {
        match self {
            Self::Latencies(splitter) => splitter.has_events(),
            Self::Gaps(_) => false,
        }
    }

    /// The events up to the latency that stopped the run, as text; `None` where none are kept.
    pub(super) fn events_of(&self, cpu: u32, latency_ns: i64) -> Option<String> {
        match self {
            Self::Latencies(splitter) => splitter.events_of(cpu, latency_ns),
            Self::Gaps(_) => None,
        }
    }

    /// The series of the run file, wholes first, then each whole's parts.
    pub(super) fn series(&self, wholes: Vec<SeriesOpening>) -> Vec<SeriesOpening> {
        match self {
            Self::Latencies(splitter) => splitter.series(wholes),
            Self::Gaps(splitter) => splitter.series(wholes),
        }
    }

    /// The threads, in the plan's order, and the common start.
    pub(super) fn follow(&mut self, thread_ids: &[i32], start_ns: u64) {
        match self {
            Self::Latencies(splitter) => splitter.follow(thread_ids, start_ns),
            Self::Gaps(splitter) => splitter.follow(thread_ids, start_ns),
        }
    }

    /// The parts of one second of one whole series.
    pub(super) fn second(&mut self, batch: &SeriesSecond) -> Vec<SeriesSecond> {
        match self {
            Self::Latencies(splitter) => splitter.second(batch),
            Self::Gaps(splitter) => splitter.second(batch),
        }
    }

    /// What became of every sample, and what threatens the split.
    pub(super) fn finish(self) -> (Vec<SeriesSplit>, Vec<Caveat>) {
        match self {
            Self::Latencies(splitter) => splitter.finish(),
            Self::Gaps(splitter) => splitter.finish(),
        }
    }
}
