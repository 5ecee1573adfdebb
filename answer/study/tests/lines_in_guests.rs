//! Interrupt lines in guests: the same seed gives the same samples under load, the orders of Regnier 2008 hold on a short run, and
//! a module that the guest's kernel refuses is told with the reason.
//!
//! They take the fetched kernels with their headers, and the built agent (`./test` has all); without, they say so and show nothing.

#[path = "../../../measuring/lab/tests/support/mod.rs"]
#[allow(dead_code)] // Not every helper is needed here.
mod support;

use prazo_core::time::Duration;
use prazo_lab::platform::Kernel;
use prazo_lab::{Cache, Fetch, Lab, Part, Platform};
use prazo_run::Run;
use prazo_run::plan::{Length, LoadPlan, Plan, Policy, ThreadPlan};
use prazo_run::run::Quantity;
use prazo_run::source::{HandlerPlace, InterruptDevice, InterruptSource, Source, TaskSide, Trigger};
use prazo_run::store::{self, Sample};
use prazo_stats::Latencies;
use prazo_study::guest::{self, GuestError, GuestRequest};
use prazo_study::statistic::Statistic;
use prazo_testing::{Need, OrSkipped, Skipped, or_skip};
use std::path::Path;

const TRIGGERS: u64 = 300;

/// Everything that lines in guests take; a skip where something is missing and cannot be fetched.
fn lab() -> Result<Lab, Skipped> {
    support::emulator()?;
    let fetch = Fetch::new(Cache::of_user().or_skipped(Need::Lab)?);
    let fetched = fetch.part(Part::Kernels, &mut |_| {}).and_then(|()| fetch.part(Part::Headers, &mut |_| {}));
    fetched.and_then(|()| fetch.modules(&mut |_| {})).and_then(|()| Lab::find()).or_skipped(Need::Module)
}

/// Triggers of a timer at 1 kHz, the handler where the kernel puts it, every sample kept.
fn plan() -> Plan {
    let source = InterruptSource {
        trigger: Trigger::Hrtimer,
        trigger_cpu: 0,
        card: None,
        jitter: Duration::from_us(500),
        device: InterruptDevice::first_parallel_port(),
        handler: HandlerPlace::Kernel,
        thread_priority: None,
        task: TaskSide::Kernel,
    };
    let threads = vec![ThreadPlan { cpu: 0, period: Duration::from_ms(1), phase: Duration::ZERO }];
    let length = Length::Activations { count: TRIGGERS };
    Plan {
        lead_in: Duration::from_ms(100),
        loads: vec![LoadPlan { name: "scheduler".into(), rate: None, rhythm: None }],
        raw: true,
        seed: 42,
        ..Plan::new(Source::Interrupt(source), Policy::Fifo { priority: 90 }, threads, length)
    }
}

fn measured(lab: &Lab, platform: Platform, file: &Path) -> Result<Run, GuestError> {
    let request =
        GuestRequest { platform, plan: plan(), file, name: "line".into(), command: "a test".into(), limit: None };
    guest::measure(&request, lab, &|| false)
}

/// Every sample of every series: whole and parts.
fn samples(file: &Path) -> Vec<(usize, Sample)> {
    let mut all = Vec::new();
    store::samples(file, |series, samples| all.extend(samples.iter().map(|sample| (series, *sample)))).unwrap();
    all
}

fn one(lab: &Lab, name: &str, file: &Path) -> (Run, Vec<(usize, Sample)>) {
    let run = measured(lab, Platform::find(name).unwrap(), file).unwrap();
    assert_eq!(run.series[0].activations.due, Some(TRIGGERS), "{name}: {:?}", run.caveats);
    (run, samples(file))
}

/// Two boots of one platform at the same time, so that neither has the host for itself: they must be equal.
fn twice(lab: &Lab, name: &str, folder: &Path) -> Run {
    let [first, second] = ["first", "second"].map(|file| folder.join(format!("{name}-{file}.prazo")));
    let ((run, one), (_, other)) = std::thread::scope(|scope| {
        let other = scope.spawn(|| one(lab, name, &second));
        (one(lab, name, &first), other.join().unwrap())
    });
    assert!(one.len() as u64 >= 3 * (TRIGGERS - 5), "{name}: response and two parts: {}", one.len());
    assert_eq!(one, other, "{name}");
    run
}

/// Where the handler ran.
fn is_threaded(run: &Run) -> bool {
    let handler = run.tunables.iter().find(|tunable| tunable.knob.contains("handler")).unwrap();
    handler.effective.as_deref() == Some("thread")
}

fn mean_ns(run: &Run, quantity: Quantity) -> f64 {
    Statistic::Mean.of(&Latencies::of(std::slice::from_ref(run), quantity)).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_samples_of_a_threaded_handler() {
    let lab = or_skip!(lab());
    assert!(is_threaded(&twice(&lab, "rt-full", tempfile::tempdir().unwrap().path())));
}

#[test]
fn the_orders_of_the_paper_hold_on_a_short_run() {
    let lab = or_skip!(lab());
    let folder = tempfile::tempdir().unwrap();
    let names = ["standard-full", "rt-full", "rt-not-threaded"];
    let runs = names.map(|name| one(&lab, name, &folder.path().join(format!("{name}.prazo"))).0);
    assert_eq!([&runs[0], &runs[1], &runs[2]].map(is_threaded), [false, true, false]);
    let irq_ns = runs.map(|run| mean_ns(&run, Quantity::InterruptLatency));
    let [standard, threaded, not_threaded] = irq_ns;
    assert!(threaded > 2.0 * standard.max(not_threaded), "threads raise the interrupt latency: {irq_ns:?}");
    assert!((0.85..=1.15).contains(&(not_threaded / standard)), "not threaded is like standard: {irq_ns:?}");
}

#[test]
fn a_module_that_was_built_for_another_kernel_is_refused_by_the_guests_with_the_reason() {
    let lab = or_skip!(lab());
    let rt = Platform::find("rt-full").unwrap();
    let file = rt.image(&Cache::of_user().unwrap()).unwrap();
    let irqlat = Some(lab.irqlat(&Platform::find("standard-full").unwrap()).unwrap());
    let platform = Platform { kernel: Kernel::Given { file, initrd: None, irqlat }, ..rt };
    let folder = tempfile::tempdir().unwrap();
    let error = measured(&lab, platform, &folder.path().join("none.prazo")).unwrap_err();
    let said = error.to_string();
    assert!(!error.is_usage() && said.contains("irqlat") && said.contains("built for another kernel"), "{said}");
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "something is left");
}

#[test]
fn a_kernel_that_takes_signed_modules_only_or_is_locked_down_says_so() {
    let lab = or_skip!(lab());
    let folder = tempfile::tempdir().unwrap();
    for (word, says) in [("module.sig_enforce=1", "signed with one of its keys"), ("lockdown=integrity", "locked down")]
    {
        let mut platform = Platform::find("standard-full").unwrap();
        platform.words.push(word.into());
        let said = measured(&lab, platform, &folder.path().join("none.prazo")).unwrap_err().to_string();
        assert!(said.contains("irqlat") && said.contains(says), "{word}: {said}");
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "{word}: something is left");
    }
}
