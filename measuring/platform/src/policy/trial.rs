//! Whether the kernel grants a scheduling policy: tried in a short-lived thread, never inferred.

use super::Policy;
use super::refusal::{Facts, Refusal};
use crate::root::Root;
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_core::time::Duration;
use prazo_sys::scheduling::{self, SchedAttr};
use std::{fmt, io};

/// The deadline policy that is tried: 100 us in [`PERIOD_NS`], little enough to be let in beside others.
pub const TRIED_DEADLINE: Policy = Policy::Deadline { runtime: Duration::from_us(100) };
const PERIOD_NS: u64 = 10_000_000;

/// What came of a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// The kernel granted it, and the thread really had it.
    Granted,
    /// The kernel refused.
    Refused(Refusal),
    /// The kernel said yes, and the thread had the policy of this number.
    OtherInEffect(u32),
    /// There was no thread to try it with; the error's number where there was one.
    NotTried(Option<i32>),
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Granted => f.write_str("granted"),
            Self::Refused(refusal) => write!(f, "{}: {}", refusal.came_back(), refusal.reasons.join("; ")),
            Self::OtherInEffect(number) => {
                write!(f, "the kernel set policy number {number} instead of the requested policy")
            }
            Self::NotTried(Some(errno)) => {
                write!(f, "the trial failed: {}", io::Error::from_raw_os_error(*errno))
            }
            Self::NotTried(None) => f.write_str("the trial failed: the thread that requested the policy panicked"),
        }
    }
}

/// Tries a policy on this machine, bound to one processor first where one is given, which a deadline thread may only be in a root
/// domain of that processor alone. The thread that has it does nothing and ends at once.
pub fn try_policy(policy: Policy, bound_to: Option<Cpu>) -> Trial {
    let thread = std::thread::Builder::new().name("prazo-try".into()).spawn(move || have(policy, bound_to));
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(trial)) => trial,
        Ok(Err(_panic)) => Trial::NotTried(None),
        Err(error) => Trial::NotTried(error.raw_os_error()),
    }
}

/// The facts are those of the trying thread.
fn have(policy: Policy, bound_to: Option<Cpu>) -> Trial {
    let requested = policy.attributes(PERIOD_NS);
    match request(&requested, bound_to) {
        Ok(given) if given.policy == requested.policy => Trial::Granted,
        Ok(given) => Trial::OtherInEffect(given.policy),
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or(0);
            Trial::Refused(Facts::read(&Root::system()).refusal(policy, requested.in_a_record(), errno))
        }
    }
}

fn request(requested: &SchedAttr, bound_to: Option<Cpu>) -> io::Result<SchedAttr> {
    if let Some(cpu) = bound_to {
        scheduling::set_affinity(&CpuSet::only(cpu))?;
    }
    scheduling::set_attributes(requested)?;
    scheduling::attributes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_leaves_the_calling_thread_as_it_was() {
        let before = scheduling::attributes().unwrap();
        let cpus = scheduling::affinity().unwrap();
        for (policy, bound_to) in
            [(Policy::Fifo { priority: 1 }, None), (TRIED_DEADLINE, None), (TRIED_DEADLINE, Some(cpus.first()))]
        {
            match try_policy(policy, bound_to) {
                Trial::Granted => {}
                Trial::Refused(refusal) => assert!(!refusal.reasons.is_empty()),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(scheduling::attributes().unwrap(), before);
        assert_eq!(scheduling::affinity().unwrap(), cpus);
    }

    #[test]
    fn what_no_kernel_grants_is_refused_with_its_number() {
        match try_policy(Policy::Fifo { priority: 100 }, None) {
            Trial::Refused(refusal) => assert!([libc::EINVAL, libc::EPERM].contains(&refusal.errno)),
            other => panic!("{other:?}"),
        }
    }
}
