//! `prazo cost --list`: the workloads there are, and what each lacks here.

use crate::exit::{Exit, Failure};
use crate::out;
use prazo::cost::{ListedWorkload, workloads};

/// Prints the workloads.
pub(super) fn print(json: bool) -> Result<Exit, Failure> {
    let listed = workloads();
    if json {
        out::json(&listed)?;
    } else {
        listed.iter().try_for_each(|one| out::text_line(&line(one)))?;
    }
    Ok(Exit::Pass)
}

fn line(one: &ListedWorkload) -> String {
    let missing = match one.missing_packages.as_slice() {
        [] => String::new(),
        packages => format!("; not installed: {}", packages.join(", ")),
    };
    format!("{:<12} {} Size in {} [{}]{missing}", one.name, one.what, one.unit, one.source)
}
