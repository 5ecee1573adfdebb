//! The waking thread: sleeps until each point of the grid, and wakes the other thread where that is back.

use super::method::Method;
use super::pair::{OVER, Pair, Wake};
use prazo_core::cpu::{Cpu, CpuSet};
use prazo_engine::STACK_BYTES;
use prazo_engine::error::SetupError;
use prazo_engine::policy;
use prazo_engine::when_late::{Served, due_before, skip};
use prazo_platform::tunable::TunableRecord;
use prazo_run::plan::Policy;
use prazo_sys::wake::Called;
use prazo_sys::{clock, memory, process, scheduling, signal};
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// How soon it notices a stop, or the end of the woken thread.
const LOOK_NS: u64 = 100_000_000;
/// Between two looks whether the woken thread is back, at the end.
const REST_NS: u64 = 1_000_000;
/// A woken thread that is not back so long after the end has not seen its last wake; that one counts as skipped.
const PATIENCE_NS: u64 = 2_000_000_000;

/// What one waking thread is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waker<'p, M> {
    /// The processor of the thread that it wakes.
    pub woken_cpu: u32,
    /// Its own processor.
    pub cpu: u32,
    /// Its policy.
    pub policy: Policy,
    /// The first point of the grid.
    pub first_ns: u64,
    /// Distance of two points.
    pub period_ns: u64,
    /// Points at this instant or later do not belong to the run.
    pub end_ns: u64,
    /// What it shares with the woken thread.
    pub pair: &'p Pair,
    /// How it wakes.
    pub method: &'p M,
}

/// What one waking thread came to.
#[derive(Clone, Debug, Default)]
pub(super) struct WakerReport {
    /// The processor of the thread that it woke.
    pub woken_cpu: u32,
    /// What was set.
    pub tunables: Vec<TunableRecord>,
    /// Points at which the woken thread was not back yet.
    pub not_back: u64,
    /// Points that it slept through itself.
    pub slept_through: u64,
    /// Wakes at which the woken thread was to move to another processor and did not.
    pub not_moved: u64,
    /// Policy and affinity at the end, where they were no longer those that were set.
    pub changed_to: Option<String>,
}

/// A waking thread that is set up, and runs.
pub(super) struct RunningWaker<'scope> {
    cpu: u32,
    thread: ScopedJoinHandle<'scope, WakerReport>,
}

impl RunningWaker<'_> {
    /// What it came to; it ends soon after the pair has.
    pub(super) fn join(self) -> Result<WakerReport, SetupError> {
        self.thread.join().map_err(|_| SetupError::WakerPanicked { cpu: self.cpu })
    }
}

impl<'p, M: Method> Waker<'p, M> {
    /// Starts the thread, and waits until it is set up.
    pub(super) fn start<'scope>(
        self,
        scope: &'scope Scope<'scope, '_>,
        stop: impl Fn() -> bool + Send + 'scope,
    ) -> Result<RunningWaker<'scope>, SetupError>
    where
        'p: 'scope,
    {
        let (cpu, woken) = (self.cpu, process::thread_id());
        let (tell, told) = channel();
        let thread = Builder::new()
            .name(format!("prazo-wake{}", self.woken_cpu))
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, move || self.live(&tell, &stop, woken))
            .map_err(|error| SetupError::call(cpu, "starting the thread that wakes the measured thread", &error))?;
        // Only a panic while it is set up ends the thread before it sends.
        told.recv().map_err(|_| SetupError::WakerPanicked { cpu })??;
        Ok(RunningWaker { cpu, thread })
    }

    fn live(&self, tell: &Sender<Result<(), SetupError>>, stop: &dyn Fn() -> bool, woken: i32) -> WakerReport {
        let set_up = self.set_up();
        let tunables = set_up.as_ref().cloned().unwrap_or_default();
        let is_set_up = set_up.is_ok();
        let _ = tell.send(set_up.map(drop));
        if !is_set_up {
            return WakerReport::default();
        }
        let granted = in_effect();
        let mut grid = Grid { woken_cpu: self.woken_cpu, tunables, ..Grid::default() };
        if let Err(errno) = self.run(&mut grid, stop) {
            self.pair.fail(errno);
            while !self.pair.has_ended() {
                signal::wake_thread(woken);
                clock::sleep_until(clock::monotonic_ns() + REST_NS);
            }
        }
        let after = in_effect();
        let not_moved = self.pair.not_moved();
        grid.report(not_moved, Some(after).filter(|after| *after != granted))
    }

    /// Place, policy and memory; answers what was set.
    fn set_up(&self) -> Result<Vec<TunableRecord>, SetupError> {
        let call = |name: &'static str| move |error: io::Error| SetupError::call(self.cpu, name, &error);
        signal::prepare_measuring_thread().map_err(call("sigaction"))?;
        let free = scheduling::affinity().map_err(call("sched_getaffinity"))?;
        let refused = |errno| SetupError::Affinity { cpu: self.cpu, errno };
        let wanted = Cpu::new(self.cpu).map(CpuSet::only).ok_or_else(|| refused(libc::EINVAL))?;
        scheduling::set_affinity(&wanted).map_err(|error| refused(error.raw_os_error().unwrap_or(0)))?;
        let effective = scheduling::affinity().map_err(call("sched_getaffinity"))?;
        if effective != wanted {
            return Err(SetupError::AffinityNotEffective { cpu: self.cpu, effective: effective.to_string() });
        }
        let granted = policy::set(self.cpu, self.policy, self.period_ns)?;
        // Refused, it is a caveat of the measuring thread already.
        let _ = memory::lock_current();
        self.method
            .begin()
            .map_err(|errno| call("preparing to wake the measured thread")(io::Error::from_raw_os_error(errno)))?;
        let requested = self.policy.attributes(self.period_ns).in_a_record();
        Ok(vec![
            self.record("sched_setaffinity", free.to_string(), wanted.to_string(), effective.to_string()),
            self.record("sched_setattr", "other".into(), requested, granted),
        ])
    }

    /// A setting of a thread, which ends with its thread: nothing is left to put back.
    fn record(&self, call: &str, before: String, requested: String, effective: String) -> TunableRecord {
        TunableRecord {
            knob: format!("{call} of the thread that wakes the measured thread on processor {}", self.woken_cpu),
            before: Some(before),
            requested,
            effective: Some(effective),
            restored: true,
        }
    }

    /// Wakes at each point of the grid until the end, a stop, or the end of the woken thread.
    fn run(&self, grid: &mut Grid, stop: &dyn Fn() -> bool) -> Called {
        let mut due_ns = self.first_ns;
        while due_ns < self.end_ns && self.sleep_until(due_ns, stop) {
            grid.points += 1;
            if self.pair.is_back_from(grid.woken) {
                self.wake(grid)?;
            } else {
                grid.not_back += 1;
            }
            let reached = Served { due_ns, now_ns: clock::monotonic_ns(), period_ns: self.period_ns };
            let step = skip(reached);
            let slept_through = due_before(self.end_ns, reached, step.skipped);
            grid.points += slept_through;
            grid.slept_through += slept_through;
            due_ns = step.due_ns;
        }
        self.finish(grid)
    }

    #[inline]
    fn wake(&self, grid: &mut Grid) -> Called {
        let (number, wakes) = (grid.points, grid.wakes);
        (grid.woken, grid.wakes) = (number, wakes + 1);
        self.method.wake(wakes, || self.pair.publish(Wake { number, stamp_ns: clock::monotonic_ns() }))
    }

    /// Tells the woken thread, once it is back, that nothing will come any more.
    fn finish(&self, grid: &Grid) -> Called {
        let until_ns = clock::monotonic_ns() + PATIENCE_NS;
        let is_awaited = || !self.pair.is_back_from(grid.woken) && !self.pair.has_ended();
        while is_awaited() && clock::monotonic_ns() < until_ns {
            clock::sleep_until(clock::monotonic_ns() + REST_NS);
        }
        let mut wakes = grid.wakes;
        if !self.pair.has_ended() {
            let over = Wake { number: OVER, stamp_ns: grid.points };
            self.method.wake(wakes, || self.pair.publish(over))?;
            wakes += 1;
        }
        self.method.end(wakes)
    }

    /// False where there is nobody to wake any more.
    fn sleep_until(&self, due_ns: u64, stop: &dyn Fn() -> bool) -> bool {
        loop {
            if stop() || self.pair.has_ended() {
                return false;
            }
            let until_ns = due_ns.min(clock::monotonic_ns() + LOOK_NS);
            if clock::sleep_until(until_ns) == 0 && until_ns == due_ns {
                return true;
            }
        }
    }
}

/// Where the waking thread is on its grid, and what it counted.
#[derive(Debug, Default)]
struct Grid {
    woken_cpu: u32,
    tunables: Vec<TunableRecord>,
    /// Points so far.
    points: u64,
    /// The point of the last wake.
    woken: u64,
    /// Wakes so far.
    wakes: u64,
    not_back: u64,
    slept_through: u64,
}

impl Grid {
    fn report(self, not_moved: u64, changed_to: Option<String>) -> WakerReport {
        let Self { woken_cpu, tunables, not_back, slept_through, .. } = self;
        WakerReport { woken_cpu, tunables, not_back, slept_through, not_moved, changed_to }
    }
}

/// Policy and affinity of the calling thread.
fn in_effect() -> String {
    let policy = scheduling::attributes().map_or_else(|error| error.to_string(), |granted| granted.in_a_record());
    let cpus = scheduling::affinity().map_or_else(|error| error.to_string(), |cpus| cpus.to_string());
    format!("{policy} on processors {cpus}")
}

#[cfg(test)]
mod tests {
    use super::super::waiter::Waiter;
    use super::*;
    use prazo_engine::timer::{Broken, Expected, Timer};
    use prazo_sys::wake::Semaphore;
    use std::thread;

    const PERIOD_NS: u64 = 2_000_000;
    /// A grid of 0.4 s, longer than a busy machine keeps a thread waiting.
    const POINTS: u64 = 200;

    /// A semaphore that is not posted for one of the wakes.
    struct Losing {
        semaphore: Semaphore,
        lost: u64,
    }

    impl Method for Losing {
        fn wake(&self, wakes: u64, stamp: impl FnOnce()) -> Called {
            stamp();
            if wakes == self.lost { Ok(()) } else { self.semaphore.post() }
        }
        fn wait(&self, _wakes: u64, _has_come: impl Fn() -> bool) -> Called {
            self.semaphore.wait()
        }
    }

    /// Served and skipped, with the loop's own steps; the woken thread takes `busy_ns` for each wake.
    fn walked(method: &impl Method, busy_ns: u64) -> (u64, u64, WakerReport) {
        let (pair, first_ns) = (Pair::default(), clock::monotonic_ns() + PERIOD_NS);
        let policy = Policy::Other;
        let end_ns = first_ns + POINTS * PERIOD_NS;
        let cpu = scheduling::usable_cpus().unwrap().first().number();
        let waker = Waker { woken_cpu: cpu, cpu, policy, first_ns, period_ns: PERIOD_NS, end_ns, pair: &pair, method };
        let mut waiter = Waiter::new(&waker);
        let (mut served, mut skipped) = (0, 0);
        let report = thread::scope(|scope| {
            let running = waker.start(scope, || false).unwrap();
            loop {
                match waiter.wait(0) {
                    Ok(_) => {
                        let expected = waiter.settle(Expected { due_ns: 0, skipped: 0 }, 0);
                        assert!(expected.due_ns >= first_ns && expected.due_ns <= clock::monotonic_ns());
                        (served, skipped) = (served + 1, skipped + expected.skipped);
                        clock::sleep_until(clock::monotonic_ns() + busy_ns);
                        let now_ns = clock::monotonic_ns();
                        let of = Served { due_ns: expected.due_ns, now_ns, period_ns: PERIOD_NS };
                        if waiter.step(of, 1).unwrap().due_ns >= end_ns {
                            break;
                        }
                    }
                    Err(Broken::Interrupted) => {}
                    Err(Broken::Over { skipped: last }) => break skipped += last,
                    Err(Broken::Failed(errno)) => panic!("errno {errno}"),
                }
            }
            pair.end();
            running.join().unwrap()
        });
        (served, skipped, report)
    }

    #[test]
    fn every_point_of_the_grid_is_served_or_skipped() {
        let (served, skipped, report) = walked(&Semaphore::new().unwrap(), 0);
        assert_eq!(served + skipped, POINTS);
        assert_eq!(skipped, report.not_back + report.slept_through);
        assert_eq!(report.changed_to, None);
    }

    #[test]
    fn a_woken_thread_that_is_slow_is_not_woken_twice() {
        let (served, skipped, report) = walked(&Semaphore::new().unwrap(), 3 * PERIOD_NS);
        assert_eq!(served + skipped, POINTS);
        assert!(served <= POINTS / 2 && report.not_back > 0, "{served} served, {report:?}");
    }

    #[test]
    fn a_wake_that_is_never_seen_is_skipped_and_does_not_keep_the_run_from_ending() {
        let method = Losing { semaphore: Semaphore::new().unwrap(), lost: 4 };
        let (served, skipped, _) = walked(&method, 0);
        assert_eq!((served, skipped), (4, POINTS - 4));
    }
}
