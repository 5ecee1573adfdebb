//! The timer probe by hand: `cargo run --release -p prazo-probe --example timer -- [METHOD] [POLICY] [PERIOD] [LENGTH] [CPUS]`.
//!
//! `timer clock-nanosleep fifo:80 1ms 10s 0-1` keeps the samples in memory and prints what a run would hold.

use prazo_core::cpu::CpuSet;
use prazo_core::time::Duration;
use prazo_probe::timer::{Measured, Observer, Progress, Sink, SinkError, StopFlag, measure};
use prazo_run::Plan;
use prazo_run::plan::{Length, Policy, ThreadPlan, WhenLate};
use prazo_run::source::Source;
use prazo_run::store::SeriesSecond;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    if let Some(code) = prazo_probe::child_main(&args) {
        return code;
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("timer: {error}");
            ExitCode::from(4)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let plan = plan(&args)?;
    let mut samples = Samples(vec![Vec::new(); plan.threads.len()]);
    let measured = measure(&plan, &mut samples, &mut ProgressLine, &StopFlag::new()?)?;
    print(&measured, &mut samples);
    Ok(())
}

fn plan(args: &[String]) -> Result<Plan, Box<dyn Error>> {
    let arg = |number: usize, default: &'static str| args.get(number).map_or(default, String::as_str);
    let period: Duration = arg(2, "1ms").parse()?;
    let cpus: CpuSet = arg(4, "0").parse()?;
    let thread = |cpu: prazo_core::cpu::Cpu| ThreadPlan { cpu: cpu.number(), period, phase: Duration::ZERO };
    Ok(Plan {
        method: arg(0, "clock-nanosleep").parse()?,
        when_late: when_late(arg(5, "skip"))?,
        deadline: Some(Duration::from_us(200)),
        stop_above: args.get(6).map(|text| text.parse()).transpose()?,
        histogram_bound: Duration::from_s(1),
        ..Plan::new(Source::Timer, policy(arg(1, "fifo:80"))?, cpus.iter().map(thread).collect(), length(arg(3, "5s"))?)
    })
}

/// `other`, `fifo:80`, `rr:80`, or `deadline:50us` with its runtime.
fn policy(text: &str) -> Result<Policy, Box<dyn Error>> {
    Ok(match text.split_once(':') {
        Some(("fifo", priority)) => Policy::Fifo { priority: priority.parse()? },
        Some(("rr", priority)) => Policy::Rr { priority: priority.parse()? },
        Some(("deadline", runtime)) => Policy::Deadline { runtime: runtime.parse()? },
        _ if text == "other" => Policy::Other,
        _ => return Err(format!("no policy is called {text}").into()),
    })
}

/// A duration, or a count of activations without a unit.
fn length(text: &str) -> Result<Length, Box<dyn Error>> {
    match text.parse() {
        Ok(count) => Ok(Length::Activations { count }),
        Err(_) => Ok(Length::Duration { length: text.parse()? }),
    }
}

fn when_late(name: &str) -> Result<WhenLate, String> {
    match name {
        "skip" => Ok(WhenLate::Skip),
        "catch-up" => Ok(WhenLate::CatchUp),
        "re-phase" => Ok(WhenLate::RePhase),
        _ => Err(format!("no rule is called {name}")),
    }
}

/// Latencies by series.
struct Samples(Vec<Vec<i64>>);

impl Sink for Samples {
    fn second(&mut self, batch: &SeriesSecond) -> Result<(), SinkError> {
        self.0[batch.series].extend(batch.samples.iter().map(|sample| sample.latency_ns));
        Ok(())
    }
}

/// A line a second.
struct ProgressLine;

impl Observer for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        let worst = progress.cpus.iter().filter_map(|cpu| cpu.max_ns).max();
        eprintln!("{:.1} s of {}: worst {worst:?} ns", progress.elapsed.as_s_f64(), progress.total);
    }
}

fn print(measured: &Measured, samples: &mut Samples) {
    println!(
        "{:?} after {:.3} s, recorder late by {} at most",
        measured.ending,
        measured.elapsed.as_s_f64(),
        measured.recorder_delay_max
    );
    for ((series, check), latencies) in measured.series.iter().zip(&measured.self_checks).zip(&mut samples.0) {
        latencies.sort_unstable();
        let at = |share: f64| latencies.get(((latencies.len() as f64 - 1.0) * share) as usize);
        println!("processor {}: {:?}", series.cpu, series.activations);
        println!(
            "  first due {}, min {:?} p50 {:?} p99 {:?} max {:?} ns",
            series.first_due,
            at(0.0),
            at(0.5),
            at(0.99),
            at(1.0)
        );
        println!("  {check:?}");
    }
    for caveat in &measured.caveats {
        println!("{:?} {}: {}; {}", caveat.severity, caveat.id, caveat.what, caveat.remedy);
    }
    for tunable in &measured.tunables {
        println!("set {}: {:?} -> {} = {:?}", tunable.knob, tunable.before, tunable.requested, tunable.effective);
    }
}
