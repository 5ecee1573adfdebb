//! The timer probe: threads that sleep until an instant and note how late they woke.
//!
//! The loop, the ring and the recorder are the engine's; here are the ways to wait, one file each.

mod method;

pub use prazo_engine::{
    CpuProgress, Measured, Observer, Outlets, Phase, PlanError, ProbeError, Progress, SelfCheck, SeriesOutcome,
    SetupError, Sink, SinkError, StopFlag, Surroundings, Unobserved,
};

use method::clock_nanosleep::ClockNanosleep;
use method::nanosleep::Nanosleep;
use method::posix_timer::Posix;
use method::setitimer::Setitimer;
use method::timerfd::Timerfd;
use prazo_engine::timer::Arming;
use prazo_engine::{Activations, Finished, WaitSource, WorkerRequest};
use prazo_run::Plan;
use prazo_run::plan::TimerMethod;

/// Waits for a timer, by the method that the plan names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timers;

impl WaitSource for Timers {
    fn serve(&self, activations: Activations<'_>) -> Result<Finished, SetupError> {
        let (request, start_ns) = (activations.request, activations.start_ns);
        let first_ns = start_ns + request.phase_ns;
        let arming = Arming { first_ns, period_ns: request.period_ns, when_late: request.when_late };
        let pace = request.pace(start_ns);
        let failed = |call| move |error: std::io::Error| SetupError::call(request.cpu, call, &error);
        match request.method {
            TimerMethod::ClockNanosleep => activations.serve(&mut ClockNanosleep::arm(arming), pace),
            TimerMethod::Nanosleep => activations.serve(&mut Nanosleep::arm(arming), pace),
            TimerMethod::PosixTimer => {
                activations.serve(&mut Posix::arm(arming).map_err(failed("timer_create"))?, pace)
            }
            TimerMethod::Timerfd => {
                activations.serve(&mut Timerfd::arm(arming).map_err(failed("timerfd_create"))?, pace)
            }
            TimerMethod::Setitimer => {
                let mut timer = Setitimer::arm(arming).map_err(failed("setitimer"))?;
                let first_due_uncertainty_ns = timer.uncertainty_ns();
                Ok(Finished { first_due_uncertainty_ns, ..activations.serve(&mut timer, pace)? })
            }
        }
    }

    fn needs_own_process(&self, request: &WorkerRequest) -> bool {
        request.method == TimerMethod::Setitimer
    }
}

/// Measures what `plan` asks for, on this machine. The calling thread becomes the recorder and has its place and policy
/// back afterwards. The plan's loads and lead-in are the caller's: they run before and beside this.
pub fn measure(
    plan: &Plan,
    sink: &mut dyn Sink,
    observer: &mut dyn Observer,
    stop: &StopFlag,
) -> Result<Measured, ProbeError> {
    measure_in(&Surroundings::default(), plan, Outlets { sink, observer, stop })
}

/// As [`measure`], with the machine's files taken from elsewhere.
pub fn measure_in(around: &Surroundings, plan: &Plan, outlets: Outlets<'_>) -> Result<Measured, ProbeError> {
    prazo_engine::measure(around, plan, &Timers, outlets)
}
