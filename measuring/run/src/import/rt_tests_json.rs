//! What the JSON files of all rt-tests have in common: the command line, the times, the system, one entry a thread.
//!
//! The keys `cmdline:` and `rt_test_version:` end in a stray colon in released versions; both spellings are read.
//! jitterdebugger's file is a relative of it and is told apart here.

use super::context::note;
use super::error::Problem;
use super::format::{Format, not_imported, unknown};
use super::input::Input;
use super::tally::VALUE_NS_MAX;
use super::unique::Unique;
use crate::Run;
use crate::run::StatedFigures;
use prazo_core::time::Duration;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Number;

/// The file.
#[derive(Debug, Deserialize)]
pub(super) struct RtTestsFile {
    #[serde(alias = "cmdline:")]
    pub cmdline: Option<String>,
    #[serde(alias = "rt_test_version:")]
    pub rt_test_version: Option<String>,
    pub start_time: Option<String>,
    pub end_time: Option<String>,
    pub return_code: Option<i64>,
    #[serde(default)]
    pub sysinfo: SysInfo,
    pub resolution_in_ns: Option<u64>,
    pub thread: Unique<Thread>,
}

/// The system, as uname(2) has it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct SysInfo {
    pub release: Option<String>,
    pub version: Option<String>,
    pub machine: Option<String>,
    pub realtime: Option<u64>,
    pub resolution_in_ns: Option<u64>,
}

/// One thread, or jitterdebugger's processor.
#[derive(Debug, Deserialize)]
pub(super) struct Thread {
    pub histogram: Option<Unique<u64>>,
    #[serde(alias = "count")]
    pub cycles: Option<u64>,
    pub min: Option<Number>,
    pub max: Option<Number>,
    pub avg: Option<Number>,
    /// -1 for a thread that may run anywhere.
    pub cpu: Option<i64>,
    pub duration: Option<f64>,
}

impl Thread {
    /// The processor; `None` where the thread may move.
    pub(super) fn processor(&self) -> Option<u32> {
        self.cpu.and_then(|cpu| u32::try_from(cpu).ok())
    }

    /// The thread's own figures, or those that no measurement can have, as they stand there.
    pub(super) fn stated(&self, count: Option<u64>, unit: Duration) -> Result<StatedFigures, String> {
        let ns = unit.as_ns() as f64;
        let figure = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64).map(|value| value * ns);
        let (min, mean, max) = (figure(&self.min), figure(&self.avg), figure(&self.max));
        let believable = |value: &Option<f64>| value.is_none_or(|value| (0.0..=VALUE_NS_MAX as f64).contains(&value));
        let ordered =
            min.zip(max).is_none_or(|(min, max)| min <= max) && mean.zip(max).is_none_or(|(mean, max)| mean < max + ns);
        if ![min, mean, max].iter().all(believable) || !ordered {
            let shown = |of: &Option<Number>| of.as_ref().map_or("none".into(), Number::to_string);
            return Err(format!("min {}, avg {}, max {}", shown(&self.min), shown(&self.avg), shown(&self.max)));
        }
        Ok(StatedFigures { count, min_ns: min.map(|v| v as i64), mean_ns: mean, max_ns: max.map(|v| v as i64) })
    }
}

/// Notes what the header says about the platform and the tool.
pub(super) fn record_header(run: &mut Run, file: &RtTestsFile) {
    record_system(run, &file.sysinfo);
    if let Some(version) = &file.rt_test_version {
        note(run, "import.version", version.clone(), "key rt_test_version");
    }
    run.command = file.cmdline.clone().unwrap_or_default();
    run.started_at_unix_ns = file.start_time.as_deref().and_then(super::date::unix_s).map(|s| s * 1_000_000_000);
}

/// Notes what a system entry says.
pub(super) fn record_system(run: &mut Run, system: &SysInfo) {
    let facts =
        [("kernel.release", &system.release), ("kernel.version", &system.version), ("kernel.machine", &system.machine)];
    for (name, value) in facts {
        if let Some(value) = value {
            note(run, name, value.clone(), "key sysinfo");
        }
    }
    if let Some(realtime) = system.realtime {
        note(run, "kernel.realtime", realtime.to_string(), "key sysinfo.realtime (/sys/kernel/realtime)");
    }
}

/// Reads a file of this family. A thread that never woke up has a mean of 0/0, which C prints as `-nan`: no JSON, but true.
pub(super) fn parse<T: DeserializeOwned>(input: &mut Input) -> Result<T, Problem> {
    let bytes = input.held()?;
    if !bytes.windows(5).any(|window| window == b": nan" || window == b": -na") {
        return Ok(serde_json::from_slice(&bytes)?);
    }
    let text = String::from_utf8_lossy(&bytes).replace(": -nan", ": null").replace(": nan", ": null");
    Ok(serde_json::from_str(&text)?)
}

/// Which JSON file begins with `head`.
pub(super) fn detect(head: &[u8]) -> Result<Format, Problem> {
    let text = String::from_utf8_lossy(head);
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    if has("format") && text.contains("\"prazo-run-") {
        return Err(not_imported(
            "prazo's own export",
            "use the run file from which this JSON was exported, for example with `prazo report`",
        ));
    }
    match program(&text) {
        // What `prazo export` writes in cyclictest's form, under its own command.
        Some("prazo") if has("thread") && has("rt_test_version:") => Ok(Format::CyclictestJson),
        Some("cyclictest") => Ok(Format::CyclictestJson),
        Some("oslat") => Ok(Format::Oslat),
        Some(other) => Err(not_imported(
            format!("the JSON of {other:?}"),
            "import the JSON of cyclictest, oslat or jitterdebugger",
        )),
        None if has("cpu") && has("version") => Ok(Format::Jitterdebugger),
        None if has("thread") && has("resolution_in_ns") => Ok(Format::CyclictestJson),
        None if has("tasks") => Err(not_imported("a workload of rt-app", "import the log that rt-app wrote")),
        None => Err(unknown(head)),
    }
}

fn program(text: &str) -> Option<&str> {
    let at = text.find("\"cmdline:\"").or_else(|| text.find("\"cmdline\""))?;
    let value = text[at..].split_once(": \"").or_else(|| text[at..].split_once(":\""))?.1;
    let end = value.find(|c: char| c == '"' || c.is_whitespace())?;
    value[..end].rsplit('/').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_command() {
        assert_eq!(detect(br#"{"file_version": 1, "cmdline:": "./cyclictest -m", "#).unwrap(), Format::CyclictestJson);
        assert_eq!(detect(br#"{"cmdline":"oslat"}"#).unwrap(), Format::Oslat);
        assert!(detect(br#"{"cmdline": "signaltest -t 2"}"#).unwrap_err().to_string().contains("signaltest"));
        assert_eq!(detect(br#"{ "version": 3, "cpu": {"#).unwrap(), Format::Jitterdebugger);
        let own = br#"{"cmdline:": "prazo measure timer", "rt_test_version:": "prazo 0.1.0", "thread": {"#;
        assert_eq!(detect(own).unwrap(), Format::CyclictestJson);
        let export = br#"{"format":"prazo-run-1","platform":{"kernel.cmdline":1,"cmdline":"mitigations=auto"}}"#;
        assert!(detect(export).unwrap_err().to_string().contains("prazo's own export"));
        assert!(detect(br#"{"tasks":{}}"#).unwrap_err().to_string().contains("log"));
        assert!(detect(br#"{"cmdline: "#).is_err());
    }

    #[test]
    fn both_spellings_of_the_stray_colon_are_read() {
        for key in ["cmdline", "cmdline:"] {
            let text = format!(r#"{{"{key}": "cyclictest -m", "thread": {{}}}}"#);
            assert_eq!(serde_json::from_str::<RtTestsFile>(&text).unwrap().cmdline.unwrap(), "cyclictest -m");
        }
    }

    #[test]
    fn figures_that_no_measurement_has_are_given_back_as_they_stand() {
        let thread = |text| serde_json::from_str::<Thread>(text).unwrap().stated(None, Duration::from_us(1));
        assert!(thread(r#"{"min": 1, "avg": -9223372036854775808, "max": 18446744073709551615}"#).is_err());
        assert_eq!(thread(r#"{"min": 9, "max": 8}"#).unwrap_err(), "min 9, avg none, max 8");
        assert!(thread(r#"{"min": 9, "avg": 9.5, "max": 8}"#).is_err());
        assert_eq!(thread(r#"{"min": 7, "avg": 18.2, "max": 6559}"#).unwrap().mean_ns, Some(18_200.0));
    }
}
