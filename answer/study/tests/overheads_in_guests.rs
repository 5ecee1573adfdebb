//! Overheads of Linux in guests of the lab: the same seed gives the same pairs, all of them, and tracing adds little.
//!
//! They take the fetched kernels and the built agent (`./test` has both); without, they say so and show nothing.

#[path = "../../../measuring/lab/tests/support/mod.rs"]
#[allow(dead_code)] // Not every helper is needed here.
mod support;

use prazo_core::time::Duration;
use prazo_lab::{Cache, Fetch, Lab, Part, Platform};
use prazo_probe::overheads::Draw;
use prazo_run::Run;
use prazo_run::run::Quantity;
use prazo_run::source::TaskAffinity;
use prazo_study::guest::{self, GuestRequest};
use prazo_testing::{Need, OrSkipped, Skipped, or_skip};

/// Everything that guests take; a skip where something is missing and cannot be fetched.
fn lab() -> Result<Lab, Skipped> {
    support::emulator()?;
    let fetch = || Fetch::new(Cache::of_user()?).part(Part::Kernels, &mut |_| {});
    fetch().and_then(|()| Lab::find()).or_skipped(Need::Lab)
}

/// What one processor can be asked for.
const KINDS: [Quantity; 5] = [
    Quantity::ReleaseOverhead,
    Quantity::EventLatency,
    Quantity::SchedulingOverhead,
    Quantity::ContextSwitchOverhead,
    Quantity::TickOverhead,
];

fn draw(kinds: &[Quantity]) -> Draw {
    let (length, warm_up, shape) = (Duration::from_ms(400), Duration::ZERO, TaskAffinity::Global);
    Draw {
        tasks: 15,
        by_deadline: true,
        cpus: vec![0],
        shape,
        length,
        warm_up,
        kinds: kinds.to_vec(),
        working_sets_kib: Vec::new(),
        seed: 4,
    }
}

/// Several at the same time, so that none has the host for itself.
fn measured<const N: usize>(lab: &Lab, platform: &str, draws: [Draw; N]) -> [Run; N] {
    let folder = tempfile::tempdir().unwrap();
    let measure = |(number, draw): (usize, &Draw)| {
        let (platform, file) = (Platform::find(platform).unwrap(), folder.path().join(format!("{number}.prazo")));
        let (name, command) = (number.to_string(), "a test".to_owned());
        let request = GuestRequest { platform, plan: draw.plan(), file: &file, name, command, limit: None };
        guest::measure(&request, lab, &|| false).unwrap()
    };
    let runs = std::thread::scope(|scope| {
        let guests: Vec<_> = draws.iter().enumerate().map(|one| scope.spawn(move || measure(one))).collect();
        guests.into_iter().map(|guest| guest.join().unwrap()).collect::<Vec<Run>>()
    });
    runs.try_into().expect("one run for each")
}

fn median_ns(run: &Run, quantity: Quantity) -> i64 {
    let series = run.of(quantity).next().expect("the series is there");
    let mut before = 0;
    let mut cells = series.histogram.cells();
    let middle = cells.find(|(_, count)| {
        before += count;
        before > series.histogram.total() / 2
    });
    middle.expect("it has samples").0
}

#[test]
fn the_same_seed_gives_the_same_pairs() {
    the_same_pairs(&or_skip!(lab()), "standard-full");
}

#[test]
fn the_same_seed_gives_the_same_pairs_on_rt() {
    the_same_pairs(&or_skip!(lab()), "rt-full");
}

fn the_same_pairs(lab: &Lab, platform: &str) {
    let [one, other, untraced] = measured(lab, platform, [draw(&KINDS), draw(&KINDS), draw(&[])]);
    assert!(one.series == other.series, "{platform}: two boots of one seed have other samples");
    assert!(one.overheads == other.overheads, "{platform}: two boots of one seed have other marks");
    for kind in KINDS {
        let traced = one.overheads.as_ref().unwrap().kind(kind).unwrap();
        assert_eq!(traced.untraced, None, "{platform}: {kind:?}");
        let count = one.of(kind).next().unwrap().histogram.total();
        // The tick stops where nothing runs, and has 250 chances a second else.
        let least = if kind == Quantity::TickOverhead { 10 } else { 100 };
        assert!(count > least, "{platform}: {count} of {kind:?}");
    }
    assert_quarter(platform, &one, &untraced);
}

/// Programs on a function's entry can be preempted; taken together with the stamp of the switch back, theirs made a pair of 4.29 s.
#[test]
fn a_task_that_is_preempted_while_its_switch_ends_makes_no_pair() {
    let lab = or_skip!(lab());
    let kind = Quantity::ContextSwitchOverhead;
    let many = Draw { tasks: 50, length: Duration::from_s(1), ..draw(&[kind]) };
    let [run] = measured(&lab, "standard-full-6.12", [many]);
    let histogram = &run.of(kind).next().unwrap().histogram;
    assert!(histogram.in_range() > 1_000, "{} switches", histogram.in_range());
    assert_eq!(histogram.overflow(), 0, "of {} switches", histogram.in_range());
}

/// What tracing adds to a job's whole way, from the instant when it was due to its own stamp; no pass has all programs.
fn assert_quarter(platform: &str, traced: &Run, untraced: &Run) {
    let [with_ns, without_ns] = [traced, untraced].map(|run| median_ns(run, Quantity::ResponseLatency));
    assert!(untraced.overheads.is_none() && without_ns > 0);
    assert!(with_ns > without_ns, "{platform}: {with_ns} ns traced, {without_ns} ns untraced: nothing was traced");
    assert!(with_ns * 4 <= without_ns * 5, "{platform}: {with_ns} ns traced, {without_ns} ns untraced");
}
