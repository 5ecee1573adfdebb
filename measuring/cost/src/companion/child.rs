//! The other side of a companion: its threads, from the first release until the line to its parent is closed.

use super::{CompanionWork, FLAG, answer};
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_sys::scheduling::{become_fifo, set_affinity};
use std::ffi::OsString;
use std::io::{self, Read};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Works as a companion and answers how to exit, if `words` (the program's name first) say that this process was started
/// for that; `None` for every other process. A program that starts companions calls this first in its `main`.
pub fn child_main(words: &[OsString]) -> Option<ExitCode> {
    if words.get(1)? != FLAG {
        return None;
    }
    let texts: Option<Vec<&str>> = words[2..].iter().map(|word| word.to_str()).collect();
    let Some(orders) = texts.as_deref().and_then(Orders::read) else { return Some(ExitCode::from(2)) };
    match orders.follow() {
        Ok(done) => println!("{}", answer(&done)),
        Err(error) => println!("{error}"),
    }
    Some(ExitCode::SUCCESS)
}

/// What a command line asks for.
#[derive(Clone, Copy)]
struct Orders {
    cpus: CpuSet,
    priority: u8,
    period_ns: u64,
    work_ns: u64,
}

impl Orders {
    fn read(words: &[&str]) -> Option<Self> {
        let [cpus, priority, period_ns, work_ns] = words else { return None };
        let numbers = (period_ns.parse().ok()?, work_ns.parse().ok()?);
        let (period_ns, work_ns) = Some(numbers).filter(|(period_ns, work_ns)| work_ns < period_ns)?;
        Some(Self { cpus: cpus.parse().ok()?, priority: priority.parse().ok()?, period_ns, work_ns })
    }

    /// Starts a thread on each processor, says that they are ready, and adds up what they did until the parent hangs up.
    fn follow(self) -> io::Result<CompanionWork> {
        let (over, (ready, answers)) = (&AtomicBool::new(false), channel());
        thread::scope(|scope| {
            let serve = |cpu| {
                let ready = ready.clone();
                scope.spawn(move || self.serve(cpu, &ready, over))
            };
            let spawned: Vec<_> = self.cpus.iter().map(serve).collect();
            let prepared = (0..spawned.len()).try_for_each(|_| answers.recv().map_err(io::Error::other)?);
            if prepared.is_ok() {
                println!("ready");
                // Nothing ever comes: the end of the line is the word.
                let _ = io::stdin().read(&mut [0]);
            }
            over.store(true, Ordering::Relaxed);
            let done = spawned.into_iter().map(|thread| thread.join().unwrap_or_default());
            prepared.map(|()| done.fold(CompanionWork::default(), CompanionWork::and))
        })
    }

    /// One thread: becomes what it should be, says so, and serves release after release.
    fn serve(self, cpu: Cpu, ready: &Sender<io::Result<()>>, over: &AtomicBool) -> CompanionWork {
        let prepared = set_affinity(&CpuSet::only(cpu)).and_then(|()| become_fifo(self.priority));
        let is_prepared = prepared.is_ok();
        let _ = ready.send(prepared);
        if is_prepared { self.releases(over) } else { CompanionWork::default() }
    }

    fn releases(self, over: &AtomicBool) -> CompanionWork {
        let (begun_ns, had_ns) = (prazo_sys::clock::monotonic_ns(), prazo_sys::clock::thread_cpu_ns());
        let mut done = CompanionWork::default();
        let mut release_ns = begun_ns;
        // ORDERING: a flag that is seen at the next release; nothing else is read after it.
        while !over.load(Ordering::Relaxed) {
            prazo_sys::clock::sleep_until(release_ns);
            let enough_ns = prazo_sys::clock::thread_cpu_ns() + self.work_ns;
            while prazo_sys::clock::thread_cpu_ns() < enough_ns {}
            done.served += 1;
            release_ns += self.period_ns;
            let late = prazo_sys::clock::monotonic_ns().saturating_sub(release_ns) / self.period_ns;
            done.skipped += late;
            release_ns += late * self.period_ns;
        }
        done.computed_ns = prazo_sys::clock::thread_cpu_ns() - had_ns;
        done.lived_ns = prazo_sys::clock::monotonic_ns() - begun_ns;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_that_leave_nothing_to_others_or_do_not_read_are_refused() {
        assert!(Orders::read(&["0-1", "50", "1000000", "200000"]).is_some());
        assert!(Orders::read(&["0-1", "50", "1000000", "1000000"]).is_none(), "the whole processor");
        assert!(Orders::read(&["", "50", "1000000", "200000"]).is_none());
        assert!(Orders::read(&["0", "50", "1000000"]).is_none());
        assert!(child_main(&["prazo".into(), "cost".into()]).is_none());
    }
}
