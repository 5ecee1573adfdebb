//! The flags of what a run keeps and holds while it measures, the same for every probe.

use prazo_core::time::Duration;

/// What a run keeps of its samples, and whether it keeps the processors awake.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct RecordingFlags {
    /// Leave the processors' idle states enabled: do not hold /dev/cpu_dma_latency
    #[arg(long, hide_short_help = true)]
    pub(crate) no_dma_latency: bool,
    /// Keep every sample in the run file
    #[arg(long, hide_short_help = true)]
    pub(crate) raw: bool,
    /// Upper bound of the histogram; larger latencies are counted, and the worst are listed
    #[arg(long, hide_short_help = true, value_name = "TIME", default_value = "10ms")]
    pub(crate) histogram_bound: Duration,
}
