//! What a measurement does where nothing else is asked for: one home for the values that flags, studies and the library share.

use prazo_core::time::Duration;

/// Real-time priority of a measuring thread: above the interrupt threads (50), below the kernel's own stop and watchdog
/// threads (99).
pub const PRIORITY: u8 = 90;
/// Distance of two activations.
pub const PERIOD: Duration = Duration::from_ms(1);
/// Length of a run.
pub const DURATION: Duration = Duration::from_s(30);
/// Time for which threads run before the first activation that counts.
pub const WARM_UP: Duration = Duration::from_s(1);
/// Time for which loads run before that.
pub const LEAD_IN: Duration = Duration::from_s(2);
/// Above it a histogram only counts latencies, and the run lists the worst.
pub const HISTOGRAM_BOUND: Duration = Duration::from_ms(100);
