//! The figures of docs/lab-explain.md: the worst activations of three kernels, and of the lines of regnier-2008.

use super::measured::{compile_run, folder, list, micros, number, origin, prazo, prazo_text, text};
use super::study::{MeasuredStudy, StudyPart};
use prazo_core::text::grouped;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Kernels of the first session. An activation of the second is drawn, and its run has a profile; the third is compared with it.
const KERNELS: [&str; 3] = ["standard-none", "standard-full", "rt-full"];
/// Platforms of `regnier-2008` whose lines are explained, and their texts.
const LINES: [(&str, &str); 5] = [
    ("std-none", "`standard-none`"),
    ("std-voluntary", "`standard-voluntary`"),
    ("std-full", "`standard-full`"),
    ("rt", "`rt-full`"),
    ("rt-not-threaded", "`rt-not-threaded`"),
];
/// The charts, in docs/pictures.
pub(super) const PICTURES: &[&str] = &[
    "explain-standard-full.svg",
    "explain-profile.svg",
    "explain-difference.svg",
    "explain-regnier-std-none.svg",
    "explain-regnier-std-voluntary.svg",
    "explain-regnier-std-full.svg",
    "explain-regnier-rt.svg",
    "explain-regnier-rt-not-threaded.svg",
];
const PHASES: [&str; 4] = ["before-interrupt", "interrupt", "before-switch", "task"];
const FUNCTIONS_OF_PROFILE: usize = 3;

/// The worst of three kernels, a profile, the worst answers to a line, and a comparison.
pub(super) fn texts() -> Result<Vec<String>, String> {
    let runs = KERNELS.into_iter().map(compile_run).collect::<Result<Vec<PathBuf>, String>>()?;
    let [_, drawn, compared] = &runs[..] else { unreachable!("a run for each of three kernels") };
    let mut worst = String::from("```text\n");
    for (kernel, run) in KERNELS.iter().zip(&runs) {
        let explained = explained(run, (run == drawn).then_some("explain-standard-full.svg"))?;
        let sentence = text(&explained["worst"][0], "sentence")?.replace("; then ", ";\n    then ");
        let instructions = grouped(number(&explained["worst"][0], "instructions")?);
        let _ = writeln!(worst, "{kernel}: {sentence} {instructions} instructions.");
    }
    worst += "```\n";
    let folder = folder()?;
    let profile = prazo_text(|command| {
        command.args(["lab", "explain", "--profile", "--force"]).arg(drawn);
        command.arg("--output").arg(folder.join("explain-profile.svg"));
    })?;
    let difference = prazo_text(|command| {
        command.args(["lab", "explain", "--force"]).arg(compared).arg("--against").arg(drawn);
        command.arg("--output").arg(folder.join("explain-difference.svg"));
    })?;
    Ok(vec![
        format!("{worst}\nThe run on {} {}\n", KERNELS[1], origin(drawn)?),
        in_block(&of_profile(&profile)?),
        lines()?,
        in_block(&of_difference(&difference)?),
    ])
}

/// The worst activation of a run, with a chart of it.
fn explained(run: &Path, chart: Option<&str>) -> Result<Value, String> {
    let folder = folder()?;
    prazo(|command| {
        command.args(["lab", "explain", "--json", "--force"]).arg(run);
        if let Some(chart) = chart {
            command.arg("--output").arg(folder.join(chart));
        }
    })
}

/// The worst of each platform's cell under all loads, by phase.
fn lines() -> Result<String, String> {
    let only = StudyPart { platforms: &LINES.map(|(platform, _)| platform), loads: &["loaded"], probes: &["irq"] };
    let cells = MeasuredStudy::of("regnier-2008", Some(&only))?;
    let mut table = String::from(
        "| platform | worst, µs | before the interrupt | in the interrupt | before the switch | in the task | most time of its own |\n|---|---|---|---|---|---|---|\n",
    );
    for (platform, name) in LINES {
        let run = cells.run(&format!("{platform}.loaded.irq"));
        let explained = explained(&run, Some(&format!("explain-regnier-{platform}.svg")))?;
        let worst = &explained["worst"][0];
        let instruction_ns = number(&explained, "instruction_ns")?;
        let listed = list(worst, "phases")?;
        let of_phase = |name: &str| {
            let phase = listed.iter().find(|phase| phase["phase"] == name);
            phase.map_or(Ok(String::new()), |phase| Ok(micros(number(phase, "instructions")? * instruction_ns)))
        };
        let sum = listed.iter().map(|phase| number(phase, "instructions")).sum::<Result<u64, String>>()?;
        let has_column = |phase: &Value| PHASES.iter().any(|name| phase["phase"] == *name);
        if sum != number(worst, "instructions")? || !listed.iter().all(has_column) {
            return Err(format!("the table's phases are not the whole activation of {platform}: {}", worst["phases"]));
        }
        let phases = PHASES.into_iter().map(of_phase).collect::<Result<Vec<String>, String>>()?;
        let function = &worst["functions"][0];
        let _ = writeln!(
            table,
            "| {name} | {} | {} | `{}`, {} |",
            micros(number(worst, "latency_ns")?),
            phases.join(" | "),
            text(function, "name")?,
            micros(number(function, "self_instructions")? * instruction_ns)
        );
    }
    let _ = writeln!(table, "\n{}", cells.origin("rt.loaded.irq")?);
    Ok(table)
}

fn in_block(text: &str) -> String {
    format!("```text\n{}\n```\n", text.trim_end())
}

/// What the command prints about all activations, with the first functions only.
fn of_profile(printed: &str) -> Result<String, String> {
    let start = printed.find("\nAll ").ok_or("the command printed no profile")? + 1;
    let mut text = String::new();
    let mut functions = None;
    for line in printed[start..].lines() {
        match &mut functions {
            None if line.starts_with("function, own time") => functions = Some(0),
            Some(count) if line.starts_with("and ") || line.is_empty() => {
                if *count > FUNCTIONS_OF_PROFILE {
                    let _ = writeln!(text, "({} more lines)", *count - FUNCTIONS_OF_PROFILE);
                }
                text.push_str(line);
                break;
            }
            Some(count) => {
                *count += 1;
                if *count > FUNCTIONS_OF_PROFILE {
                    continue;
                }
            }
            None => {}
        }
        text.push_str(line);
        text.push('\n');
    }
    Ok(text)
}

/// The sentence and the two tables of the difference, which end where the first run's explanation begins.
fn of_difference(printed: &str) -> Result<String, String> {
    let start = printed.find("The worst activation of ").ok_or("the command printed no difference")?;
    let rest = &printed[start..];
    let explanation = rest.find(" on lab:").ok_or("the command printed no explanation after the difference")?;
    let end = rest[..explanation].rfind('\n').ok_or("the difference has no lines")?;
    Ok(rest[..end].trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_profile_the_first_functions_remain() {
        let functions: String = (0..6).map(|number| format!("f{number}  1.0\n")).collect();
        let printed = format!(
            "run: 3 samples\n\nAll 3 activations: 1 µs\n\nphase  mean\n\nfunction, own time\n{functions}and 9 more\n\nrest\n"
        );
        let expected = "All 3 activations: 1 µs\n\nphase  mean\n\nfunction, own time\nf0  1.0\nf1  1.0\nf2  1.0\n(3 more lines)\nand 9 more";
        assert_eq!(of_profile(&printed).unwrap(), expected);
        assert!(of_profile("nothing").is_err());
    }

    #[test]
    fn of_a_difference_the_tables_remain_without_the_explanations() {
        let printed = "two runs\nThe worst activation of a took 1 µs less.\n\nphase\n\nfunction\nf 1\nand 3 more functions\n\na on lab:a: 9 samples\n";
        assert_eq!(
            of_difference(printed).unwrap(),
            "The worst activation of a took 1 µs less.\n\nphase\n\nfunction\nf 1\nand 3 more functions"
        );
    }
}
