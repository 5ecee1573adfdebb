//! `prazo cost --list`: the workloads there are, and what each lacks here.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo_cost::workload::{Workload, catalogue};
use schemars::JsonSchema;
use serde::Serialize;

/// One workload, as `--list --json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    /// What `--workload` calls it.
    name: &'static str,
    /// What it works.
    what: &'static str,
    /// Where it is from.
    source: &'static str,
    /// What its size counts.
    unit: &'static str,
    /// Debian packages that it needs and that are not installed here.
    missing_packages: Vec<&'static str>,
}

impl Listed {
    fn of(workload: &Workload) -> Self {
        let missing = workload.programs.iter().filter(|program| program.find().is_none());
        Self {
            name: workload.name,
            what: workload.what,
            source: workload.source,
            unit: workload.unit,
            missing_packages: missing.map(|program| program.package).collect(),
        }
    }
}

/// Prints the workloads.
pub fn print(json: bool) -> Result<Exit, Failure> {
    let listed: Vec<Listed> = catalogue().iter().map(Listed::of).collect();
    if json {
        out::json(&listed)?;
    } else {
        listed.iter().try_for_each(|one| out::text_line(&line(one)))?;
    }
    Ok(Exit::Pass)
}

fn line(one: &Listed) -> String {
    let missing = match one.missing_packages.as_slice() {
        [] => String::new(),
        packages => format!("; not here: install {}", packages.join(", ")),
    };
    format!("{:<12} {} Size in {} [{}]{missing}", one.name, one.what, one.unit, one.source)
}
