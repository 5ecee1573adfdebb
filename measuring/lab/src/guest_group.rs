//! Several guests at once, as a paper's stations: one is measured, and each of the others hangs on a card of it.
//!
//! ```text
//! others[0] ── card 0 ─┐
//!                      ├─ measured
//! others[1] ── card 1 ─┘
//! ```
//! A wire is a pair of connected sockets without a name, an end for each emulator: nothing of it is on the host's network, and nothing is
//! left of it. The guests end together: when one fails or the user stops, the others are ended, each by its own process id.

use crate::error::LabError;
use crate::guest_job::{GuestAnswer, GuestJob, Lab, Wires};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;

/// How often the user's wish is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// Jobs that are carried out together.
#[derive(Clone, Debug)]
pub struct GuestGroup {
    /// The measured guest.
    pub measured: GuestJob,
    /// Those on its cards, in the order of the cards.
    pub others: Vec<Companion>,
}

/// A guest on a card of the measured one.
#[derive(Clone, Debug)]
pub struct Companion {
    /// What it does.
    pub job: GuestJob,
    /// True where it brings an answer; otherwise it goes on until those that bring one have ended, and is ended then.
    pub answers: bool,
}

/// What a party came back with.
#[derive(Clone, Debug)]
pub struct Gathered {
    /// What the measured guest brought.
    pub measured: GuestAnswer,
    /// What the others brought, in their order; `None` for one that has no answer.
    pub others: Vec<Option<GuestAnswer>>,
}

type GuestResult = Result<GuestAnswer, LabError>;

/// What the guests of one party share.
#[derive(Default)]
struct Ends {
    /// All shall end: the user wants it, or one of them failed.
    all: AtomicBool,
    /// Those without an answer shall end, since the others have.
    silent: AtomicBool,
}

impl GuestGroup {
    /// Carries all of it out; `stop` is asked all the while whether the guests shall be ended.
    pub fn run(&self, lab: &Lab, stop: &dyn Fn() -> bool) -> Result<Gathered, LabError> {
        let (mine, theirs) = wires(self.others.len())?;
        let ends = Ends::default();
        std::thread::scope(|scope| {
            let measured = ends.guest(scope, &self.measured, lab, mine, true);
            let mut others = Vec::new();
            for (Companion { job, answers }, wires) in self.others.iter().zip(theirs) {
                others.push((*answers, ends.guest(scope, job, lab, wires, *answers)));
            }
            let awaited = || others.iter().filter(|(answers, _)| *answers).map(|(_, guest)| guest).chain([&measured]);
            while !awaited().all(ScopedJoinHandle::is_finished) {
                if stop() {
                    ends.all.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(GLANCE);
            }
            ends.silent.store(true, Ordering::Relaxed);
            judged(joined(measured), others.into_iter().map(|(answers, guest)| (answers, joined(guest))).collect())
        })
    }
}

impl Ends {
    /// Starts a guest on a thread of its own, since the kernel ends it with the thread that started it.
    fn guest<'scope, 'env>(
        &'env self,
        scope: &'scope Scope<'scope, 'env>,
        job: &'env GuestJob,
        lab: &'env Lab,
        wires: Wires,
        answers: bool,
    ) -> ScopedJoinHandle<'scope, GuestResult> {
        scope.spawn(move || {
            let stop = || self.all.load(Ordering::Relaxed) || (!answers && self.silent.load(Ordering::Relaxed));
            let outcome = job.run_wired(lab, Some(wires), &mut |_| stop());
            if outcome.is_err() {
                self.all.store(true, Ordering::Relaxed);
            }
            outcome
        })
    }
}

fn joined(guest: ScopedJoinHandle<'_, GuestResult>) -> GuestResult {
    guest.join().expect("a guest's thread does not panic")
}

/// The first failure that is no consequence of another one; a silent guest that was ended is none.
fn judged(measured: GuestResult, others: Vec<(bool, GuestResult)>) -> Result<Gathered, LabError> {
    let (mut brought, mut stopped, mut failed) = (Vec::new(), None, None);
    for (answers, outcome) in std::iter::once((true, measured)).chain(others) {
        match outcome {
            Ok(one) => brought.push(Some(one)),
            Err(LabError::Stopped) if !answers => brought.push(None),
            Err(LabError::Stopped) => stopped = Some(LabError::Stopped),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if let Some(error) = failed.or(stopped) {
        return Err(error);
    }
    let mut brought = brought.into_iter();
    let measured = brought.next().flatten().expect("the measured guest answers, or there is an error");
    Ok(Gathered { measured, others: brought.collect() })
}

/// The measured guest's ends of so many wires, and each of the others' only one.
fn wires(count: usize) -> Result<(Wires, Vec<Wires>), LabError> {
    let (mut mine, mut theirs) = (Wires { guest: 0, ends: Vec::new() }, Vec::new());
    for guest in (1u8..).take(count) {
        let (one, other) = UnixStream::pair().map_err(LabError::system("make a network link between two guests"))?;
        mine.ends.push(one.into());
        theirs.push(Wires { guest, ends: vec![other.into()] });
    }
    Ok((mine, theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn died() -> GuestResult {
        Err(LabError::NoAnswer { platform: "lab:a".into(), why: "it died".into(), console: String::new() })
    }

    #[test]
    fn of_a_failure_and_those_that_were_ended_for_it_the_failure_is_told() {
        for (measured, other) in [(Err(LabError::Stopped), died()), (died(), Err(LabError::Stopped))] {
            let error = judged(measured, vec![(true, other), (false, Err(LabError::Stopped))]).unwrap_err();
            assert!(error.to_string().contains("it died"), "{error}");
        }
    }

    #[test]
    fn a_wish_to_stop_is_told_as_one() {
        let outcome = judged(Err(LabError::Stopped), vec![(true, Err(LabError::Stopped))]);
        assert!(matches!(outcome, Err(LabError::Stopped)));
    }
}
