//! `prazo measure timer`: one run into one file.

use super::files;
use crate::exit::{Exit, Failure};
use crate::flags::guest::GuestFlags;
use crate::flags::load::LoadFlags;
use crate::flags::plan::PlanFlags;
use crate::flags::requirement::RequirementFlags;
use crate::{evidence, in_guest, live, out, paper};
use prazo_lab::Platform;
use prazo_platform::root::Root;
use prazo_platform::topology::Topology;
use prazo_probe::StopFlag;
use prazo_probe::session::{self, Request};
use prazo_report::Evidence;
use prazo_run::Run;
use prazo_study::GuestRequest;
use prazo_verdict::Requirement;
use std::path::{Path, PathBuf};

/// One run.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    probe: Probe,
}

#[derive(clap::Subcommand, Debug)]
enum Probe {
    /// How late a thread runs after its timer was due
    Timer(Box<Timer>),
}

/// How late a thread runs after its timer was due.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  prazo measure timer                                    30 s under fifo on every processor
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
    /// The run file [default: prazo-results/timer-DATE.prazo]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// One progress line instead of the live view
    #[arg(long)]
    plain: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Measures.
    pub fn run(self) -> Result<Exit, Failure> {
        match self.probe {
            Probe::Timer(timer) => timer.run(),
        }
    }
}

impl Timer {
    fn run(self) -> Result<Exit, Failure> {
        let requirement = self.requirement.requirement()?;
        let file = self.out.clone().unwrap_or_else(|| default_file("timer"));
        let run = self.measure(&file, requirement)?;
        let evidence = evidence::of_runs(&name_of(&file), vec![run], requirement);
        let verdict = evidence.verdict.as_ref();
        if self.json {
            out::json(&out::measure::object(&evidence.runs[0], verdict))?;
        } else {
            print(&evidence, &file)?;
        }
        Ok(verdict.map_or(Exit::Pass, |verdict| verdict.outcome.into()))
    }

    fn measure(&self, file: &Path, requirement: Option<Requirement>) -> Result<Run, Failure> {
        if let Some(guest) = self.guest.platform()? {
            return self.measure_in(guest, file, requirement);
        }
        let root = Root::system();
        let allowed = Topology::read(&root).map_err(Failure::world)?.allowed;
        let plan = self.plan.plan(&self.loads, requirement.map(|requirement| requirement.deadline), allowed)?;
        files::make_parent(file)?;
        let title = format!("timer, {}, {}", plan.method.name(), plan.policy.name());
        let request = Request { plan, file, name: name_of(file), command: super::command_line() };
        let stop = StopFlag::on_interrupt().map_err(Failure::world)?;
        let measured = live::with_view(self.plain, &title, |view| session::execute(&request, &root, view, stop));
        measured.map_err(|error| if error.is_usage() { Failure::usage(error) } else { Failure::world(error) })
    }
}

impl Timer {
    /// In a guest: every processor of its machine is there to be measured.
    fn measure_in(&self, platform: Platform, file: &Path, requirement: Option<Requirement>) -> Result<Run, Failure> {
        let allowed = in_guest::processors(&platform)?;
        let plan = self.plan.plan(&self.loads, requirement.map(|requirement| requirement.deadline), allowed)?;
        files::make_parent(file)?;
        let (name, command, limit) = (name_of(file), super::command_line(), self.guest.limit);
        in_guest::measure(&GuestRequest { platform, plan, file, name, command, limit })
    }
}

/// `prazo-results/NAME-DATE.prazo`.
fn default_file(name: &str) -> PathBuf {
    PathBuf::from(files::RESULTS).join(format!("{name}-{}.prazo", files::stamp()))
}

/// The file's name without its ending.
fn name_of(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn print(evidence: &Evidence, file: &Path) -> Result<(), Failure> {
    paper::print(evidence)?;
    out::text_line(&format!("run file: {}", file.display()))
}
