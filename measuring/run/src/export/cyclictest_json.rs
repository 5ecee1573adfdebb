//! What `cyclictest --json` writes (rt-tests 2.4), stray colons in two key names included, since its readers expect them.
//!
//! `resolution_in_ns` 0 means microseconds; the overflow is not in the file: it is `cycles` minus the histogram's sum.

use super::cyclictest::{Thread, threads};
use super::{ExportError, date};
use crate::Run;
use std::io::{self, Write};

/// Writes the run's response latencies.
pub(super) fn write(run: &Run, out: &mut dyn Write) -> Result<(), ExportError> {
    let threads = threads(run, "cyclictest-json")?;
    head(run, threads.len(), out)?;
    for (number, of) in threads.iter().enumerate() {
        thread(number, of, number + 1 == threads.len(), out)?;
    }
    Ok(writeln!(out, "  }}\n}}")?)
}

fn head(run: &Run, threads: usize, out: &mut dyn Write) -> io::Result<()> {
    let start_ns = run.started_at_unix_ns;
    let elapsed_ns = run.elapsed.and_then(|elapsed| i64::try_from(elapsed.as_ns()).ok());
    let end_ns = start_ns.zip(elapsed_ns).map(|(start, elapsed)| start.saturating_add(elapsed));
    let time = |unix_ns: Option<i64>| text(&unix_ns.map_or_else(String::new, date::rfc_2822));
    writeln!(out, "{{\n  \"file_version\": 1,")?;
    writeln!(out, "  \"cmdline:\": {},", text(&run.command))?;
    writeln!(out, "  \"rt_test_version:\": {},", text(&format!("prazo {}", env!("CARGO_PKG_VERSION"))))?;
    writeln!(out, "  \"start_time\": {},\n  \"end_time\": {},", time(start_ns), time(end_ns))?;
    writeln!(out, "  \"return_code\": 0,")?;
    sysinfo(run, out)?;
    writeln!(out, "  \"num_threads\": {threads},\n  \"resolution_in_ns\": 0,\n  \"thread\": {{")
}

fn sysinfo(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let fact = |name: &str| run.platform_before.as_ref().and_then(|platform| platform.get(name)).unwrap_or_default();
    let version = fact("kernel.version");
    writeln!(out, "  \"sysinfo\": {{\n    \"sysname\": \"Linux\",")?;
    writeln!(out, "    \"nodename\": {},", text(fact("hostname")))?;
    writeln!(out, "    \"release\": {},", text(fact("kernel.release")))?;
    writeln!(out, "    \"version\": {},", text(version))?;
    writeln!(out, "    \"machine\": {},", text(fact("kernel.machine")))?;
    writeln!(out, "    \"realtime\": {}\n  }},", u8::from(version.contains("PREEMPT_RT")))
}

fn thread(number: usize, of: &Thread, is_last: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "    \"{number}\": {{\n      \"histogram\": {{")?;
    for (place, (us, count)) in (1..).zip(&of.cells) {
        let comma = if place == of.cells.len() { "" } else { "," };
        writeln!(out, "        \"{us}\": {count}{comma}")?;
    }
    writeln!(out, "      }},\n      \"cycles\": {},", of.cycles)?;
    writeln!(out, "      \"min\": {},\n      \"max\": {},\n      \"avg\": {:.2},", of.min, of.max, of.mean)?;
    writeln!(out, "      \"cpu\": {},\n      \"node\": 0", of.cpu.unwrap_or(0))?;
    writeln!(out, "    }}{}", if is_last { "" } else { "," })
}

fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
