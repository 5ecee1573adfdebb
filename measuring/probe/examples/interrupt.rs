//! The interrupt probe by hand: `interrupt [TRIGGERS] [HANDLER] [TASK] [TRIGGER] [LINE] [PERIOD] [JITTER]`, the module loaded.
//!
//! `interrupt 2000 kernel kernel hrtimer parport 1ms 500us` prints what came out and a checksum over every stamp.

use prazo_core::time::Duration;
use prazo_platform::Root;
use prazo_probe::StopFlag;
use prazo_probe::session::{self, Request};
use prazo_probe::timer::Unobserved;
use prazo_run::plan::{Length, Plan, Policy, ThreadPlan};
use prazo_run::source::{HandlerPlace, InterruptDevice, InterruptSource, Source, TaskSide, Trigger};
use prazo_run::{Run, Series, store};
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("interrupt: {error}");
            ExitCode::from(4)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let file = std::env::temp_dir().join(format!("interrupt-{}.prazo", std::process::id()));
    let request = Request { plan: plan(&args)?, file: &file, name: String::new(), command: args.join(" ") };
    let run = session::execute(&request, &Root::system(), &mut Unobserved, &StopFlag::new()?);
    let checksum = checksum(&file);
    std::fs::remove_file(&file).ok();
    print(&run?.run);
    println!("checksum {:016x}", checksum?);
    Ok(())
}

fn plan(args: &[String]) -> Result<Plan, Box<dyn Error>> {
    let arg = |number: usize, default: &'static str| args.get(number).map_or(default, String::as_str);
    let (trigger, card) = match arg(3, "hrtimer") {
        "hrtimer" => (Trigger::Hrtimer, None),
        "other-cpu" => (Trigger::OtherCpu, None),
        card => (Trigger::Frame, Some(card.to_owned())),
    };
    let source = InterruptSource {
        trigger,
        trigger_cpu: u32::from(trigger == Trigger::OtherCpu),
        card,
        jitter: arg(6, "500us").parse()?,
        device: device(arg(4, "parport")),
        handler: handler(arg(1, "kernel"))?,
        thread_priority: args.get(7).map(|text| text.parse()).transpose()?,
        task: if arg(2, "kernel") == "user" { TaskSide::User } else { TaskSide::Kernel },
    };
    let threads = vec![ThreadPlan { cpu: 0, period: arg(5, "1ms").parse()?, phase: Duration::ZERO }];
    let length = Length::Activations { count: arg(0, "2000").parse()? };
    Ok(Plan {
        raw: true,
        histogram_bound: Duration::from_s(1),
        ..Plan::new(Source::Interrupt(source), Policy::Fifo { priority: 90 }, threads, length)
    })
}

fn device(name: &str) -> InterruptDevice {
    match name {
        "parport" => InterruptDevice::first_parallel_port(),
        "edu" => InterruptDevice::Edu,
        chip => InterruptDevice::Gpio { chip: chip.into(), output: 0, input: 1 },
    }
}

fn handler(name: &str) -> Result<HandlerPlace, String> {
    let all = [HandlerPlace::Kernel, HandlerPlace::Hard, HandlerPlace::Thread];
    all.into_iter().find(|place| place.name() == name).ok_or(format!("no handler runs in '{name}'"))
}

fn print(run: &Run) {
    let whole = &run.series[0];
    println!("{:?}: {:?}", run.ending, whole.activations);
    let split = whole.split.as_deref();
    split.iter().for_each(|split| println!("{:?}", split.counts));
    for series in std::iter::once(whole).chain(split.iter().flat_map(|split| &split.parts)) {
        figures(series);
    }
    run.caveats.iter().for_each(|caveat| println!("{}: {}", caveat.id, caveat.what));
    run.tunables.iter().for_each(|knob| println!("{}: {} = {:?}", knob.knob, knob.requested, knob.effective));
}

fn figures(series: &Series) {
    let cells = || series.histogram.cells().map(|(ns, count)| (ns as f64 / 1e3, count as f64));
    let count = series.histogram.total() as f64;
    let mean = cells().map(|(us, count)| us * count).sum::<f64>() / count;
    let deviation = (cells().map(|(us, count)| (us - mean).powi(2) * count).sum::<f64>() / count).sqrt();
    let min = cells().next().map_or(0.0, |(us, _)| us);
    let max = cells().next_back().map_or(0.0, |(us, _)| us);
    println!("{:?} n {count} mean {mean:.3} sd {deviation:.3} min {min:.3} max {max:.3} us", series.quantity);
}

/// Fowler, Noll and Vo's, over the instant and the latency of every sample of every series.
fn checksum(file: &std::path::Path) -> Result<u64, Box<dyn Error>> {
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
    store::samples(file, |_, samples| {
        let numbers = samples.iter().flat_map(|one| [one.activation, one.due_ns as u64, one.latency_ns as u64]);
        let bytes = numbers.flat_map(u64::to_le_bytes);
        sum = bytes.fold(sum, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    })?;
    Ok(sum)
}
