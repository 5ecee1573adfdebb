//! The table of docs/serial-line.md: from an interrupt's handler to its task, on kernels of several kinds.

use super::measured::{folder, fresh, origin, prazo};
use crate::kernel::costs;
use crate::root::root;
use prazo_core::text::grouped;
use serde_json::Value;
use std::fmt::Write as _;

/// Recorded lines: the kernel and its file in testing/data/serial.
const RECORDED: [(&str, &str); 3] = [
    ("RTIC 2", "rtic-2.lm3s6965evb.txt"),
    ("embassy-executor 0.7", "embassy-0.7.lm3s6965evb.txt"),
    ("FreeRTOS 11.1", "freertos-11.1.lm3s6965evb.txt"),
];
const RECORDED_INSTRUCTION_NS: u64 = 64;
/// Linux in the lab: its text and its platform.
const LINUX: [(&str, &str); 4] = [
    ("Linux 6.1, `preempt=full`", "standard-full"),
    ("Linux 6.1, PREEMPT_RT", "rt-full"),
    ("Linux 6.12, `preempt=full`", "standard-full-6.12"),
    ("Linux 6.12, PREEMPT_RT", "rt-full-6.12"),
];
const LINUX_INSTRUCTION_NS: u64 = 8;

/// The table.
pub(super) fn to_task() -> Result<String, String> {
    let mut text =
        String::from("| kernel | processor | activations | instructions, median | largest |\n|---|---|---|---|---|\n");
    for (kernel, file) in RECORDED {
        let recorded = root()?.join("testing/data/serial").join(file);
        let run = fresh(file)?;
        let answer = prazo(|command| {
            command.args(["measure", "serial", "--json", "--output"]).arg(&run).arg("--device").arg(&recorded);
        })?;
        let _ = writeln!(text, "| {kernel} | Arm Cortex-M3 | {} |", cells(&answer, RECORDED_INSTRUCTION_NS)?);
    }
    let _ = writeln!(text, "| prazo's kernel, EDF, 5 threads | x86-64 | {} |", costs::handler_to_thread()?);
    for (kernel, platform) in LINUX {
        let (platform, run) = (format!("lab:{platform}"), fresh(platform)?);
        let answer = prazo(|command| {
            command.args(["measure", "interrupt", "--json", "--duration", "2s", "--platform", &platform]);
            command.arg("--output").arg(&run);
        })?;
        let _ = writeln!(text, "| {kernel} | x86-64 | {} |", cells(&answer, LINUX_INSTRUCTION_NS)?);
    }
    let _ = writeln!(
        text,
        "\nThe run on Linux 6.1, `preempt=full`, {}",
        origin(&folder()?.join(format!("{}.prazo", LINUX[0].1)))?
    );
    Ok(text)
}

/// Count, median and maximum from handler to task.
fn cells(answer: &Value, instruction_ns: u64) -> Result<String, String> {
    let parts = answer["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    // A run from a serial line has its whole and its two parts as series of their own.
    let part = parts.iter().find(|part| part["quantity"] == "activation-latency").unwrap_or(&answer["cpus"][2]);
    let median = part["median_ns"].as_u64().or_else(|| part["quantiles"][0]["value_ns"].as_u64());
    let figures = part["count"].as_u64().zip(median).zip(part["max_ns"].as_u64());
    let ((count, median), largest) = figures.ok_or_else(|| format!("no activation latency in {}", answer["file"]))?;
    let instructions = |ns: u64| grouped((ns + instruction_ns / 2) / instruction_ns);
    Ok(format!("{} | {} | {}", grouped(count), instructions(median), instructions(largest)))
}
