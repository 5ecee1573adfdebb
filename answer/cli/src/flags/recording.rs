//! The flags of what a run keeps and holds while it measures, the same for every probe.

use prazo_core::time::Duration;

/// What a run keeps of its samples, and whether it keeps the processors awake.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct RecordingFlags {
    /// Leave /dev/cpu_dma_latency alone, so that idle states are as they are in daily use
    #[arg(long)]
    pub no_dma_latency: bool,
    /// Keep every sample in the run file
    #[arg(long)]
    pub raw: bool,
    /// Keep latencies exactly up to this; beyond it they are counted, and the worst listed
    #[arg(long, value_name = "TIME", default_value = "10ms")]
    pub histogram_bound: Duration,
}
