//! The measuring thread's policy: granted by the kernel, or an error that says why not.

use super::error::SetupError;
use prazo_platform::policy::{NotGranted, Policy, grant};

/// Gives the calling thread its policy; answers what is in effect, which is what was requested.
pub fn set(cpu: u32, policy: Policy, period_ns: u64) -> Result<String, SetupError> {
    grant(policy, period_ns).map_err(|error| match error {
        NotGranted::Refused(refusal) => SetupError::Policy { cpu, refusal },
        NotGranted::OtherInEffect { requested, effective } => {
            SetupError::PolicyNotEffective { cpu, requested, effective }
        }
        NotGranted::NotRead(error) => SetupError::call(cpu, "sched_getattr", &error),
    })
}
