//! What the inversion prints: how long the most urgent task took under each protocol on each system, how many switches it took, and
//! whether that is as the paper says.

use super::claims::{self, Claim};
use super::own_kernel::OwnKernel;
use super::sets::Setting;
use prazo_core::event::{Event, EventKind};
use prazo_core::text::printable;
use prazo_report::words;
use prazo_run::jobs::{Protocol, SetRun, events};
use prazo_run::{Caveat, Run};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Everything, as `--json` prints it. Times are nanoseconds.
#[derive(Serialize, JsonSchema)]
pub struct Inverted {
    /// The run file.
    run_file: String,
    /// One for each set and protocol.
    settings: Vec<Row>,
    /// What Marsal 2013 says, held against each system.
    claims: Vec<Claim>,
    /// What threatens validity.
    caveats: Vec<Caveat>,
    /// The image of prazo's own kernel; null where there is none, and then each setting says why.
    kernel_image: Option<PathBuf>,
    /// What an instruction takes in that kernel's time; null as above.
    kernel_instruction_ns: Option<u64>,
}

/// One set under one protocol.
#[derive(Serialize, JsonSchema)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What locks do for who holds them; the nested tasks under `plain` take none.
    pub protocol: Protocol,
    /// What the task in the middle executes; null for the nested tasks.
    pub middle_ns: Option<u64>,
    /// What Linux did.
    pub linux: Seen,
    /// What the simulator did.
    pub simulator: Seen,
    /// What prazo's own kernel did; null where it did not run it.
    pub kernel: Option<Seen>,
    /// Why not; null where it did.
    pub kernel_why_not: Option<String>,
}

/// What a system did.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Seen {
    /// From the most urgent task's release to its completion; null where it did not end.
    pub response_ns: Option<u64>,
    /// Switches from the first job's start to the most urgent one's end.
    pub switches: u64,
}

/// Who ran the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// Linux: this machine's, or a guest's.
    Linux,
    /// prazo's own kernel.
    Kernel,
    /// prazo's simulator.
    Simulator,
}

impl System {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Linux, Self::Kernel, Self::Simulator];

    /// True where it knows locks of this kind.
    pub(crate) fn has(self, protocol: Protocol) -> bool {
        self != Self::Kernel || protocol != Protocol::Protect
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::Kernel => "prazo's kernel",
            Self::Simulator => "simulator",
        }
    }
}

impl Seen {
    /// That of a trace.
    pub(crate) fn of(setting: &Setting, events: &[Event]) -> Self {
        let is_end = |event: &&Event| event.task.index() == 0 && matches!(event.kind, EventKind::Completion { .. });
        let end = events.iter().find(is_end);
        Self {
            response_ns: end.map(|end| end.at.as_ns().saturating_sub(setting.urgent_release_ns())),
            switches: switches(events.iter().take_while(|event| !is_end(event))),
        }
    }
}

/// Dispatches but the first.
fn switches<'a>(events: impl Iterator<Item = &'a Event>) -> u64 {
    (events.filter(|event| matches!(event.kind, EventKind::Dispatch { .. })).count() as u64).saturating_sub(1)
}

impl Row {
    /// What was seen of a setting.
    pub(crate) fn new(setting: &Setting, set: &SetRun, kernel: Result<&[Event], &String>) -> Self {
        Self {
            name: setting.name.clone(),
            protocol: setting.protocol,
            middle_ns: setting.middle_ns,
            linux: Seen::of(setting, &events::of(set)),
            simulator: Seen::of(setting, &setting.simulated().events),
            kernel: kernel.ok().map(|events| Seen::of(setting, events)),
            kernel_why_not: kernel.err().cloned(),
        }
    }

    /// What a system did; `None` where it did not run it.
    pub(crate) fn seen(&self, system: System) -> Option<Seen> {
        match system {
            System::Linux => Some(self.linux),
            System::Kernel => self.kernel,
            System::Simulator => Some(self.simulator),
        }
    }

    fn line(&self) -> String {
        let time = |ns: Option<u64>| ns.map_or(words::ABSENT.to_owned(), latency);
        let response = |system| time(self.seen(system).and_then(|seen| seen.response_ns));
        let switches = |system| self.seen(system).map_or(words::ABSENT.to_owned(), |seen| seen.switches.to_string());
        let [linux, kernel, simulator] = System::ALL;
        format!(
            "{:<16} {:>9} {:>12} {:>15} {:>10} {:>8} {:>15} {:>10}",
            if self.middle_ns.is_some() { self.protocol.name() } else { &self.name },
            time(self.middle_ns),
            response(linux),
            response(kernel),
            response(simulator),
            switches(linux),
            switches(kernel),
            switches(simulator),
        )
    }
}

fn latency(ns: u64) -> String {
    words::latency(i64::try_from(ns).unwrap_or(i64::MAX))
}

impl Inverted {
    /// What is printed.
    pub(crate) fn new(settings: Vec<Row>, run: &Run, file: &Path, kernel: Option<&OwnKernel>) -> Self {
        Self {
            run_file: file.display().to_string(),
            claims: claims::of(&settings),
            settings,
            caveats: run.caveats.clone(),
            kernel_image: kernel.map(|kernel| kernel.image().to_owned()),
            kernel_instruction_ns: kernel.map(|_| OwnKernel::INSTRUCTION_NS),
        }
    }

    /// True if no claim fails on a system that ran it.
    pub fn holds(&self) -> bool {
        self.claims.iter().all(|claim| claim.holds != Some(false))
    }

    /// The lines for people.
    pub fn text(&self) -> String {
        let names = System::ALL.map(System::name);
        let [linux, kernel, simulator] = names;
        let mut lines = vec![
            format!("{:26} {:>39} {:>35}", "", "response of the most urgent", "switches until it ended"),
            format!(
                "{:<16} {:>9} {linux:>12} {kernel:>15} {simulator:>10} {linux:>8} {kernel:>15} {simulator:>10}",
                "locks", "middle"
            ),
        ];
        lines.extend(self.settings.iter().map(Row::line));
        lines.extend(self.of_kernel());
        lines.extend(self.claims.chunk_by(|a, b| a.claim == b.claim).map(claim));
        lines.extend(
            self.caveats
                .iter()
                .map(|caveat| printable(&format!("! {}: {}; {}", caveat.id, caveat.what, caveat.remedy)).to_string()),
        );
        lines.push(format!("run file: {}", printable(&self.run_file)));
        lines.join("\n")
    }

    /// Which kernel that was, and what it did not run with the reason.
    fn of_kernel(&self) -> Vec<String> {
        let image = self.kernel_image.iter().map(|image| {
            let ns = OwnKernel::INSTRUCTION_NS;
            format!("prazo's kernel: {}, in counted time, {ns} ns an instruction", image.display())
        });
        let reasons: BTreeSet<&str> = self.settings.iter().filter_map(|row| row.kernel_why_not.as_deref()).collect();
        image.chain(reasons.into_iter().map(|why| format!("not on prazo's kernel: {why}"))).collect()
    }
}

/// One claim with what became of it on each system.
fn claim(on_systems: &[Claim]) -> String {
    let word = |holds: Option<bool>| match holds {
        Some(true) => "holds",
        Some(false) => "does not hold",
        None => "is not decided",
    };
    let told: Vec<String> = on_systems.iter().map(|one| format!("{} {}", one.system.name(), word(one.holds))).collect();
    format!("{}: {}", on_systems.first().map_or("", |one| one.claim), told.join(", "))
}
