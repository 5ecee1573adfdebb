//! `cargo xtask kernel`: builds scheduling/kernel, which the workspace leaves out, and boots it in the lab.
//!
//! The lab does the work; this only knows how the kernel is built, and what to ask of it.

mod agree;
mod build;
mod configuration;
pub(crate) mod costs;
mod iso;
mod overheads;
mod run;
mod samples;
mod session;
mod table;
mod tasks;

/// What to do with the kernel.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Build it and print where it is
    Build(build::KernelShape),
    /// Build it, boot it in the lab, and print the run's figures
    Run(run::Args),
    /// Measure what the kernel costs by number of threads: run files, and tables for the analysis
    Overheads(overheads::Args),
    /// Run a task set in the kernel and in the simulator, and compare their events
    Agree(agree::Args),
    /// Build it and make a disc image that a PC boots through GRUB
    Iso(iso::Args),
}

impl Args {
    /// Does it.
    pub(crate) fn run(self) -> Result<(), String> {
        match self.action {
            Action::Build(shape) => shape.build().map(|kernel| println!("{}", kernel.display())),
            Action::Run(args) => args.run(),
            Action::Overheads(args) => args.run(),
            Action::Agree(args) => args.run(),
            Action::Iso(args) => args.run(),
        }
    }
}
