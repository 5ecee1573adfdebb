//! A root domain for the one processor of a deadline thread, so that the kernel lets it be pinned.
//!
//! Only for a run on one processor: the others must stay together in a domain of their own, and with several measured ones
//! there is no such rest. What is changed is in the journal first and put back at the end, on the next start, or by
//! `prazo tune undo`.

use prazo_core::cpu::Cpu;
use prazo_platform::root::Root;
use prazo_platform::root_domain::RootDomain;
use prazo_platform::tunable::{Journal, TunableRecord};
use prazo_run::plan::Policy;
use prazo_run::{Caveat, Plan, Severity};

/// The domain while the run lasts, or why there is none.
pub(super) enum Domain {
    /// The plan needs none.
    NotNeeded,
    /// The processor is a domain of its own until this is released.
    Made(RootDomain),
    /// It could not be made: the thread may move, and the run says so.
    Refused(String),
}

impl Domain {
    /// Makes one where a deadline thread on one processor needs it. Threads must only be pinned to be in it.
    pub(super) fn for_plan(plan: &Plan, root: &Root) -> Self {
        let [thread] = plan.threads.as_slice() else { return Self::NotNeeded };
        let (Policy::Deadline { .. }, Some(cpu)) = (plan.policy, Cpu::new(thread.cpu)) else { return Self::NotNeeded };
        let journal = match Journal::open(root) {
            Ok(journal) => journal,
            Err(error) => return Self::Refused(error.to_string()),
        };
        match RootDomain::make(&journal, cpu) {
            Ok(domain) => Self::Made(domain),
            Err(error) => Self::Refused(error.to_string()),
        }
    }

    /// Takes it apart; deadline threads must have ended.
    pub(super) fn release(self) -> (Vec<TunableRecord>, Option<Caveat>) {
        match self {
            Self::NotNeeded => (Vec::new(), None),
            Self::Made(domain) => (domain.release(), None),
            Self::Refused(why) => (Vec::new(), Some(refused(&why))),
        }
    }
}

fn refused(why: &str) -> Caveat {
    Caveat::new(
        "no-root-domain",
        Severity::Info,
        format!("cannot make the measured processor a separate root domain: {why}; the deadline thread can migrate"),
        "to keep the deadline thread on its processor, make an exclusive cpuset for that processor and measure inside \
         this cpuset",
    )
}
