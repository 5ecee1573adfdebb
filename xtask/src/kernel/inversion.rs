//! `cargo xtask kernel inversion`: papers/003's priority inversion on prazo's kernel, beside the simulator, as figures and charts.
//!
//! A mutex of the kernel's has inheritance; without it, a semaphore takes its place. What `prazo sched inversion` shows on Linux is
//! the same jobs (`scheduling/sim/src/inversion.rs`), so that the three stand side by side.

use super::build::Shape;
use super::console::{Console, Event};
use super::session::{Plan, Session};
use prazo_core::cpu::Cpu;
use prazo_core::event::Kind;
use prazo_core::job::TaskIndex;
use prazo_core::time::{Duration, Instant};
use prazo_report::gantt::{Gantt, GanttTask};
use prazo_report::svg;
use prazo_sim::inversion;
use prazo_sim::locks::{LockedJob, Outcome, Protocol, run};
use std::path::{Path, PathBuf};

const MS: u64 = 1_000_000;
/// An instruction takes 2^3 ns, so that a boot takes a second or two.
const SHIFT: u8 = 3;
/// What the kernel's own work may add to a response.
const OWN_NS: u64 = MS / 2;
const NAMES: [&str; 3] = ["urgent", "middle", "low"];

/// What to run.
#[derive(clap::Args)]
pub struct Args {
    /// What the task between the two executes
    #[arg(long, value_name = "TIMES", value_delimiter = ',', default_values = ["40ms", "80ms", "160ms"])]
    middle: Vec<Duration>,
    /// A folder for a chart of each
    #[arg(long, value_name = "FOLDER")]
    gantt: Option<PathBuf>,
    /// Wall time after which a boot is given up
    #[arg(long, value_name = "TIME", default_value = "4m")]
    limit: Duration,
}

/// One set under one protocol, for kernel and simulator.
struct Setting {
    name: String,
    words: String,
    protocol: Protocol,
    jobs: [LockedJob; 3],
}

/// What either of the two did.
struct Seen {
    response_ns: u64,
    switches: u64,
}

impl Args {
    /// Boots the kernel for each set; an error where it does otherwise than the simulator.
    pub fn run(self) -> Result<(), String> {
        println!("locks             response of the most urgent  simulated  switches  simulated");
        let mut others = Vec::new();
        for setting in settings(&self.middle) {
            let (ran, simulated) = (self.ran(&setting)?, setting.simulated()?);
            println!(
                "{:<16} {:>25} us {:>7} us {:>9} {:>10}",
                setting.name,
                ran.response_ns / 1_000,
                simulated.response_ns / 1_000,
                ran.switches,
                simulated.switches
            );
            if !ran.is_as(&simulated) {
                others.push(setting.name);
            }
        }
        if others.is_empty() { Ok(()) } else { Err(format!("not as simulated: {}", others.join(", "))) }
    }

    fn ran(&self, setting: &Setting) -> Result<Seen, String> {
        let plan = Plan { machine: None, shift: SHIFT, words: setting.words.clone(), table: None, limit: self.limit };
        let session = Session::make(&Shape { shape: "single-edf".to_owned() }, &plan)?;
        session.passed()?;
        let events = events(&Console::read(&session.text())?.events);
        if let Some(folder) = &self.gantt {
            setting.draw(folder, &events)?;
        }
        setting.seen(&events)
    }
}

/// Each middle without inheritance and with it, and the nested tasks.
fn settings(middles: &[Duration]) -> Vec<Setting> {
    let three = |protocol: Protocol, middle: &Duration| {
        let (jobs, ms) = (inversion::three(middle.as_ns() / MS * MS), middle.as_ns() / MS);
        let (name, plain) = if protocol == Protocol::Plain { ("plain", 1) } else { ("inherit", 0) };
        let words = format!("inversion middle_ms={ms} plain={plain} duration_ms={}", lasts_ms(&jobs));
        Setting { name: format!("{name}-{ms}ms"), words, protocol, jobs }
    };
    let all = [Protocol::Plain, Protocol::Inherit].into_iter();
    let nested = inversion::nested();
    let words = format!("nested duration_ms={}", lasts_ms(&nested));
    let nested = Setting { name: "nested-inherit".to_owned(), words, protocol: Protocol::Inherit, jobs: nested };
    all.flat_map(|protocol| middles.iter().map(move |middle| three(protocol, middle))).chain([nested]).collect()
}

/// Long enough for all.
fn lasts_ms(jobs: &[LockedJob]) -> u64 {
    100 + jobs.iter().map(|job| (job.release_ns + job.execution_ns) / MS).sum::<u64>()
}

impl Setting {
    fn simulated(&self) -> Result<Seen, String> {
        let Outcome { events, .. } = run(&self.jobs, self.protocol).map_err(|deadlock| format!("{deadlock:?}"))?;
        self.seen(&events)
    }

    /// Dispatches but the first, until the most urgent task has ended, and when that was.
    fn seen(&self, events: &[prazo_core::event::Event]) -> Result<Seen, String> {
        let ends =
            |event: &prazo_core::event::Event| event.task.index() == 0 && matches!(event.kind, Kind::Completion { .. });
        let at = events.iter().position(ends).ok_or_else(|| format!("{}: the most urgent never ends", self.name))?;
        let dispatches = events[..at].iter().filter(|event| matches!(event.kind, Kind::Dispatch { .. })).count();
        let response_ns = events[at].at.as_ns().saturating_sub(self.jobs[0].release_ns);
        Ok(Seen { response_ns, switches: (dispatches as u64).saturating_sub(1) })
    }

    fn draw(&self, folder: &Path, events: &[prazo_core::event::Event]) -> Result<(), String> {
        let last_ns = events.iter().map(|event| event.at.as_ns()).max().unwrap_or(1);
        let task = |name: &&str| GanttTask { name: (*name).to_owned(), deadline_ns: 10 * last_ns };
        let chart = Gantt {
            title: format!("{}, prazo's kernel", self.name),
            subtitle: "EDF, one processor; the most urgent task on top".to_owned(),
            cpus: vec!["CPU 0".to_owned()],
            tasks: NAMES.iter().map(task).collect(),
            start_ns: 0,
            end_ns: last_ns,
            events,
        };
        let file = folder.join(format!("kernel-{}.svg", self.name));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&file, svg::gantt(&chart, svg::Setting::Alone)))
            .map_err(|error| format!("cannot write {}: {error}", file.display()))
    }
}

impl Seen {
    fn is_as(&self, simulated: &Self) -> bool {
        self.switches == simulated.switches && self.response_ns.abs_diff(simulated.response_ns) <= OWN_NS
    }
}

/// The console's events in core's words, as far as a chart takes them.
fn events(printed: &[Event]) -> Vec<prazo_core::event::Event> {
    let read = |event: &Event| {
        let cpu = Cpu::new(event.cpu as u32)?;
        let kind = match event.event.as_str() {
            "arrival" => Kind::Arrival,
            "release" => Kind::Release,
            "dispatch" => Kind::Dispatch { cpu },
            "preemption" => Kind::Preemption { cpu },
            "suspension" => Kind::Suspension,
            "resumption" => Kind::Resumption,
            "completion" => Kind::Completion { cpu },
            "inheritance" => Kind::Inheritance,
            "disinheritance" => Kind::Disinheritance,
            _ => return None,
        };
        let (at, task) = (Instant::from_ns(event.at_ns), TaskIndex::new(event.task as usize)?);
        Some(prazo_core::event::Event { at, task, job: event.job, kind })
    };
    printed.iter().filter_map(read).collect()
}
