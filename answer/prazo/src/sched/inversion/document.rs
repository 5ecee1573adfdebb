//! What the inversion prints: how long the most urgent task took under each protocol on each system, how many switches it took, and
//! whether that is as the paper says.

use super::claims::{self, Claim};
use super::own_kernel::OwnKernel;
use super::row::{Row, System};
use prazo_core::text::printable;
use prazo_run::{Caveat, Run};
use prazo_verdict::Outcome;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// Result of the priority-inversion experiment, as `--json` prints it. Times are nanoseconds.
#[derive(Serialize, JsonSchema)]
pub struct Inverted {
    /// Run file of the runs on Linux.
    run_file: String,
    /// Results, one for each task set and locking protocol.
    settings: Vec<Row>,
    /// The claims of Marsal 2013, checked on each system.
    claims: Vec<Claim>,
    /// Threats to the validity of the runs on Linux.
    caveats: Vec<Caveat>,
    /// Image of prazo's own kernel; null where there is none; each entry of `settings` then states the reason.
    kernel_image: Option<PathBuf>,
    /// Nanoseconds per instruction in the counted time of prazo's own kernel; null without an image.
    kernel_instruction_ns: Option<u64>,
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

    /// Fail where a claim does not hold on a system that ran it.
    pub fn outcome(&self) -> Outcome {
        if self.claims.iter().any(|claim| claim.holds == Some(false)) { Outcome::Fail } else { Outcome::Pass }
    }

    fn lines(&self) -> Vec<String> {
        let names = System::ALL.map(System::name);
        let [linux, kernel, simulator] = names;
        let mut lines = vec![
            format!(
                "{:26} {:>49} {:>35}",
                "", "response time of the most urgent task", "context switches until completion"
            ),
            format!(
                "{:<16} {:>9} {:>9} {linux:>12} {kernel:>15} {simulator:>10} {linux:>8} {kernel:>15} {simulator:>10}",
                "locks", "middle", "bound"
            ),
        ];
        lines.extend(self.settings.iter().map(Row::line));
        lines.extend(self.unbounded());
        lines.extend(self.of_kernel());
        lines.extend(self.claims.chunk_by(|a, b| a.claim == b.claim).map(claim));
        lines.extend(
            self.caveats
                .iter()
                .map(|caveat| printable(&format!("! {}: {}; {}", caveat.id, caveat.what, caveat.remedy)).to_string()),
        );
        lines.push(format!("run file: {}", printable(&self.run_file)));
        lines
    }

    /// Why some settings have no bound.
    fn unbounded(&self) -> Vec<String> {
        let reasons: BTreeSet<&str> = self.settings.iter().filter_map(|row| row.bound_why_not).collect();
        reasons.into_iter().map(|why| format!("no bound: {why}")).collect()
    }

    /// Which kernel that was, and what it did not run with the reason.
    fn of_kernel(&self) -> Vec<String> {
        let image = self.kernel_image.iter().map(|image| {
            let ns = OwnKernel::INSTRUCTION_NS;
            format!("prazo's kernel: {}, in counted time, {ns} ns per instruction", image.display())
        });
        let reasons: BTreeSet<&str> = self.settings.iter().filter_map(|row| row.kernel_why_not.as_deref()).collect();
        image.chain(reasons.into_iter().map(|why| format!("not run on prazo's kernel: {why}"))).collect()
    }
}

impl fmt::Display for Inverted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}

/// One claim with what became of it on each system.
fn claim(on_systems: &[Claim]) -> String {
    let word = |holds: Option<bool>| match holds {
        Some(true) => "holds",
        Some(false) => "does not hold",
        None => "undecided",
    };
    let told: Vec<String> =
        on_systems.iter().map(|one| format!("{} ({})", word(one.holds), one.system.name())).collect();
    format!("{}: {}", on_systems.first().map_or("", |one| one.claim), told.join(", "))
}
