//! A plan with workloads: another process costs them, while the plan's threads measure beside, or alone where it has none.
//!
//! ```text
//! threads: warm-up ─► measuring ───────────────────────► asked to end: the run file
//! workloads:             └─ go ─► one, the next, the last ─┘    └──► their accounts go into it
//! ```

use crate::costing::{self, Costing, CostingAnswer, GO};
use crate::work::{FILE, Stop};
use prazo_core::time::Duration;
use prazo_platform::fingerprint::capture;
use prazo_platform::root::Root;
use prazo_probe::session::PlatformBefore;
use prazo_probe::{Observer, Phase, Progress, StopFlag};
use prazo_run::workload::WorkloadRecord;
use prazo_run::{Plan, Run, store};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Instant;

/// What measures with the plan's threads into the run file.
pub(crate) type Probe<'a> = dyn FnOnce(Plan, &mut dyn Observer) -> Result<(), Stop> + 'a;

/// Has them costed, and leaves everything in the run file.
pub(crate) fn measure(plan: Plan, below: &Path, stop: &StopFlag, probe: Box<Probe<'_>>) -> Result<(), Stop> {
    let failed = |error: io::Error| Stop::Failed(format!("cannot start the process that measures costs: {error}"));
    let (child, word) = start(&plan, below).map_err(failed)?;
    if plan.threads.is_empty() { alone(plan, child, word) } else { beside(plan, child, word, stop, probe) }
}

/// The word by which the other process begins; dropped unsaid, it ends.
struct Word(Option<ChildStdin>);

impl Word {
    fn say(&mut self) {
        // Where it has ended already, its outcome says why.
        let _ = self.0.take().map(|mut pipe| writeln!(pipe, "{GO}"));
    }
}

impl Observer for Word {
    fn progress(&mut self, progress: &Progress) {
        if progress.phase == Phase::Measuring {
            self.say();
        }
    }
}

fn start(plan: &Plan, below: &Path) -> io::Result<(Child, Word)> {
    let mut command = Command::new("/proc/self/exe");
    let mut child = command.arg(costing::WORD).stdin(Stdio::piped()).spawn()?;
    let mut pipe = child.stdin.take().expect("it is piped");
    let costing = Costing { workloads: plan.workloads.clone(), below: below.to_owned() };
    writeln!(pipe, "{}", serde_json::to_string(&costing)?)?;
    Ok((child, Word(Some(pipe))))
}

/// The threads measure until the last workload has ended.
fn beside(plan: Plan, mut child: Child, mut word: Word, stop: &StopFlag, probe: Box<Probe<'_>>) -> Result<(), Stop> {
    std::thread::scope(|scope| {
        let costed = scope.spawn(|| {
            let ended = child.wait();
            stop.stop();
            ended
        });
        let measured = probe(plan, &mut word);
        drop(word);
        let ended = costed.join().expect("waiting does not panic");
        measured.and_then(|()| outcome(ended))
    })
    .and_then(|records| store::add_workloads(Path::new(FILE), &records).map_err(stored))
}

/// Nothing else runs in the guest.
fn alone(plan: Plan, mut child: Child, mut word: Word) -> Result<(), Stop> {
    let root = Root::system();
    let (around, begun) = (PlatformBefore::capture(&root), Instant::now());
    word.say();
    let workloads = outcome(child.wait())?;
    let elapsed = Duration::from(begun.elapsed());
    let after = capture(&root);
    let caveats = around.caveats.iter().cloned().chain(around.drift(&after, &around.caveats)).collect();
    let run = Run {
        plan: Some(plan),
        elapsed: Some(elapsed),
        platform_before: Some(around.fingerprint),
        platform_after: Some(after),
        workloads,
        caveats,
        ..Run::default()
    };
    store::save(&run, Path::new(FILE)).map_err(stored)
}

fn stored(error: store::StoreError) -> Stop {
    Stop::Failed(error.to_string())
}

/// What the other process left.
fn outcome(ended: io::Result<std::process::ExitStatus>) -> Result<Vec<WorkloadRecord>, Stop> {
    let left =
        ended.and_then(|status| if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) });
    let text = left.and_then(|()| std::fs::read(costing::FILE));
    let outcome = text.and_then(|text| Ok(serde_json::from_slice::<CostingAnswer>(&text)?));
    match outcome {
        Ok(CostingAnswer::Costed(records)) => Ok(records),
        Ok(CostingAnswer::Failed(why)) => Err(Stop::Failed(why)),
        Err(error) => Err(Stop::Failed(format!("the process that measures costs left no result: {error}"))),
    }
}
