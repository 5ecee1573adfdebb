//! `prazo lab list`: what can be booted, and in what.

use crate::exit::{Exit, Failure};
use crate::{out, paper};
use prazo::lab::{CachedSet, Listed, SetState, list};
use prazo_report::terminal::Side;
use prazo_report::view::Cell;

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
    let sides = [Side::Left, Side::Wrapped];
    let row = |name: String, text: &str| vec![Cell::from(name), Cell::from(text)];
    paper::table(&sides, &[], listed.machines.iter().map(|one| row(one.name.to_string(), &one.text)))?;
    out::text_line("")?;
    paper::table(&sides, &[], listed.platforms.iter().map(|one| row(format!("lab:{}", one.name), &one.text)))?;
    out::text_line("")?;
    let emulator = listed.emulator.as_ref().map(ToString::to_string).or_else(|| listed.reason.clone());
    out::text_line(&format!("emulator: {}", emulator.unwrap_or_default()))?;
    for (state, word) in [(SetState::Fetched, "fetched"), (SetState::NotFetched, "not fetched")] {
        let names: Vec<&str> = of_state(listed, state).map(|set| set.name.as_str()).collect();
        if !names.is_empty() {
            out::text_line(&format!("{word}: {}", names.join(", ")))?;
        }
    }
    of_state(listed, SetState::Damaged).filter_map(|set| set.reason.as_ref()).try_for_each(|why| out::text_line(why))
}

fn of_state(listed: &Listed, state: SetState) -> impl Iterator<Item = &CachedSet> {
    listed.sets.iter().filter(move |set| set.state == state)
}
