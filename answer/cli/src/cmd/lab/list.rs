//! `prazo lab list`: what can be booted, and in what.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::lab::{Listed, list};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let listed = list();
        if self.json {
            out::json(&listed)?;
        } else {
            print(&listed)?;
        }
        Ok(Exit::Pass)
    }
}

fn print(listed: &Listed) -> Result<(), Failure> {
    for machine in &listed.machines {
        out::text_line(&format!("{:<11} {}", machine.name, machine.text))?;
    }
    out::text_line("")?;
    for platform in &listed.platforms {
        out::text_line(&format!("lab:{:<24} {}", platform.name, platform.text))?;
    }
    out::text_line("")?;
    let emulator = listed.emulator.as_ref().map(ToString::to_string).or_else(|| listed.reason.clone());
    out::text_line(&format!("emulator: {}", emulator.unwrap_or_default()))
}
