//! `prazo measure timer|interrupt|event|overheads|latmon|xenomai`: one run into one file.

use super::files;
use super::measure_event::Event;
use super::measure_interrupt::Interrupt;
use super::measure_latmon::Latmon;
use super::measure_overheads::Overheads;
use super::measure_xenomai::Xenomai;
use crate::exit::{self, Exit, Failure};
use crate::flags::guest::GuestFlags;
use crate::flags::load::LoadFlags;
use crate::flags::plan::PlanFlags;
use crate::flags::requirement::RequirementFlags;
use crate::{in_guest, live, out, paper};
use prazo::evidence;
use prazo_lab::Platform;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::StopFlag;
use prazo_probe::session::{self, RecordedRun, Request, SessionError};
use prazo_report::Evidence;
use prazo_study::GuestRequest;
use prazo_study::engine::is_elsewhere;
use prazo_verdict::Requirement;
use std::path::{Path, PathBuf};

/// One run.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(subcommand)]
    probe: Probe,
}

#[derive(clap::Subcommand, Debug)]
enum Probe {
    /// How late a thread runs after its timer was due
    Timer(Box<Timer>),
    /// How late a handler, and the task behind it, run after an interrupt was raised
    Interrupt(Box<Interrupt>),
    /// How late a task runs after another station's frame
    Event(Box<Event>),
    /// What the kernel's scheduling costs: release, decision, context switch, tick, interrupts between processors
    Overheads(Box<Overheads>),
    /// A microcontroller board that runs latmon measures this machine's answers from outside
    Latmon(Box<Latmon>),
    /// A Xenomai core's own tool: latency, latmus or its cyclictest
    Xenomai(Box<Xenomai>),
}

/// How late a thread runs after its timer was due.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure timer                                    30 s under fifo on every processor
  prazo measure timer --split                            where each latency's time went, and why
  prazo measure timer -p other --timer-slack 1us         an ordinary thread, its slack set
  prazo measure timer -D 8h --load udp-flood=50000 --load disk-write --cycle 30s
  prazo measure timer --deadline 200us --kind hard --looks-for 200us -i 400us
  prazo measure timer --platform lab:rt-full -D 10s      in a virtual machine that repeats itself (`prazo lab list`)
  prazo measure timer --method timerfd --when-late catch-up -c 1 -n 100000 --json")]
struct Timer {
    #[command(flatten)]
    plan: PlanFlags,
    #[command(flatten)]
    loads: LoadFlags,
    #[command(flatten)]
    requirement: RequirementFlags,
    #[command(flatten)]
    guest: GuestFlags,
    #[command(flatten)]
    outlet: Outlet,
}

/// Where a run goes and how it is shown.
#[derive(clap::Args, Debug)]
pub(super) struct Outlet {
    /// The run file [default: prazo-results/PROBE-DATE.prazo]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// One progress line instead of the live view
    #[arg(long)]
    pub plain: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Measures.
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self.probe {
            Probe::Timer(timer) => timer.run(),
            Probe::Interrupt(interrupt) => interrupt.run(),
            Probe::Event(event) => event.run(),
            Probe::Overheads(overheads) => overheads.run(),
            Probe::Latmon(latmon) => latmon.run(),
            Probe::Xenomai(xenomai) => xenomai.run(),
        }
    }
}

impl Timer {
    fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        self.outlet.finish("timer", requirement, |file| self.measure(file, requirement))
    }

    fn measure(&self, file: &Path, requirement: Option<Requirement>) -> Result<RecordedRun, Failure> {
        if let Some(guest) = self.guest.platform()? {
            return self.measure_in(guest, file, requirement);
        }
        let root = Root::system();
        let allowed = Topology::read(&root).map_err(Failure::world)?.allowed;
        let plan = self.plan.plan(&self.loads, requirement.map(|requirement| requirement.deadline), allowed)?;
        files::make_parent(file)?;
        let title = format!("timer, {}, {}", plan.method.name(), plan.policy.name());
        let request = Request { plan, file, name: files::name_of(file), command: super::command_line() };
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let measured = live::with_view(self.outlet.plain, &title, |view| session::execute(&request, &root, view, stop));
        measured.map_err(refused)
    }

    /// In a guest: every processor of its machine is there to be measured.
    fn measure_in(
        &self,
        platform: Platform,
        file: &Path,
        requirement: Option<Requirement>,
    ) -> Result<RecordedRun, Failure> {
        let allowed = in_guest::processors(&platform)?;
        let plan = self.plan.plan(&self.loads, requirement.map(|requirement| requirement.deadline), allowed)?;
        files::make_parent(file)?;
        let (name, command, limit) = (files::name_of(file), super::command_line(), self.guest.limit);
        in_guest::measure(&GuestRequest { platform, plan, file, name, command, limit })
    }
}

impl Outlet {
    /// Has one run measured into its file, shows it, and answers how it ended.
    pub(super) fn finish(
        &self,
        probe: &str,
        requirement: Option<Requirement>,
        measure: impl FnOnce(&Path) -> Result<RecordedRun, Failure>,
    ) -> Result<Exit, Failure> {
        let asked = self.out.clone().unwrap_or_else(|| files::default_run_file(probe));
        let RecordedRun { run, file } = measure(&asked)?;
        let file = if is_elsewhere(&file, &asked) { file } else { asked.clone() };
        if file != asked {
            exit::warn(&Failure::world(format!(
                "{} could not be written to its end and holds a part of the run; all of it is in {}",
                asked.display(),
                file.display()
            )));
        }
        let evidence = evidence::of_runs(&files::name_of(&asked), vec![run], requirement, &super::command_line());
        let verdict = evidence.verdict.as_ref();
        if self.json {
            out::json(&out::measure::object(&evidence.runs[0], &file, verdict))?;
        } else {
            print(&evidence, &file)?;
        }
        Ok(verdict.map_or(Exit::Pass, |verdict| verdict.outcome.into()))
    }
}

/// Why there is no run, as the user's or the world's.
pub(super) fn refused(error: SessionError) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::world(error) }
}

fn print(evidence: &Evidence, file: &Path) -> Result<(), Failure> {
    paper::print(evidence)?;
    out::text_line(&format!("run file: {}", file.display()))
}
