//! The formats that can be imported, their names, and how a file shows which one it is in.

use super::context::Context;
use super::error::{Problem, shown};
use super::input::{Input, clean};
use crate::Run;

/// A format that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// cyclictest's text histogram, printed or from `--histfile`, old and new.
    CyclictestHistogram,
    /// cyclictest's `--json`.
    CyclictestJson,
    /// cyclictest's `-v`: one line a sample.
    CyclictestVerbose,
    /// cyclictest's `T:` lines, without a histogram.
    CyclictestSummary,
    /// jitterdebugger's results.json.
    Jitterdebugger,
    /// jitterdebugger's samples.raw.
    JitterdebuggerSamples,
    /// `rtla timerlat hist`.
    RtlaTimerlat,
    /// `rtla osnoise hist`.
    RtlaOsnoise,
    /// oslat's `--json`.
    Oslat,
    /// Xenomai's `latency`.
    XenomaiLatency,
    /// The file of Xenomai's `latency -g`.
    XenomaiGnuplot,
    /// EVL's `latmus`.
    Latmus,
    /// The file of EVL's `latmus -g`.
    LatmusGnuplot,
    /// A log of rt-app.
    RtApp,
    /// Overheads of LITMUS-RT, as feather-trace-tools' `ft2csv` prints them.
    FeatherTrace,
    /// prazo's own sparse table of a cyclictest histogram.
    Sparse,
}

// In the order in which files are tried.
prazo_core::words!(Format:
    Sparse => "sparse",
    RtlaTimerlat => "rtla-timerlat",
    RtlaOsnoise => "rtla-osnoise",
    RtApp => "rt-app",
    LatmusGnuplot => "latmus-gnuplot",
    XenomaiGnuplot => "xenomai-gnuplot",
    Latmus => "latmus",
    XenomaiLatency => "xenomai-latency",
    CyclictestHistogram => "cyclictest-histogram",
    CyclictestSummary => "cyclictest-summary",
    CyclictestVerbose => "cyclictest-verbose",
    FeatherTrace => "feather-trace",
    CyclictestJson => "cyclictest-json",
    Jitterdebugger => "jitterdebugger",
    Oslat => "oslat",
    JitterdebuggerSamples => "jitterdebugger-samples",
);

/// A reader of one format.
type Reader = fn(&mut Input, &Context) -> Result<Run, Problem>;

impl Format {
    /// Which tool writes it, as [`crate::run::Origin`] names it.
    pub(crate) fn tool(self) -> &'static str {
        match self {
            Self::CyclictestHistogram
            | Self::CyclictestJson
            | Self::CyclictestVerbose
            | Self::CyclictestSummary
            | Self::Sparse => "cyclictest",
            Self::Jitterdebugger | Self::JitterdebuggerSamples => "jitterdebugger",
            Self::RtlaTimerlat => "rtla-timerlat",
            Self::RtlaOsnoise => "rtla-osnoise",
            Self::Oslat => "oslat",
            Self::XenomaiLatency | Self::XenomaiGnuplot => "xenomai-latency",
            Self::Latmus | Self::LatmusGnuplot => "latmus",
            Self::RtApp => "rt-app",
            Self::FeatherTrace => "feather-trace",
        }
    }

    /// Its reader.
    pub(super) fn reader(self) -> Reader {
        match self {
            Self::CyclictestHistogram => super::cyclictest_histogram::read,
            Self::CyclictestJson => super::cyclictest_json::read,
            Self::CyclictestVerbose => super::cyclictest_verbose::read,
            Self::CyclictestSummary => super::cyclictest_summary::read,
            Self::Jitterdebugger => super::jitterdebugger::read,
            Self::JitterdebuggerSamples => super::jitterdebugger_samples::read,
            Self::RtlaTimerlat => super::rtla_timerlat::read,
            Self::RtlaOsnoise => super::rtla_osnoise::read,
            Self::Oslat => super::oslat::read,
            Self::XenomaiLatency => super::xenomai_latency::read,
            Self::XenomaiGnuplot => super::xenomai_gnuplot::read,
            Self::Latmus => super::latmus::read,
            Self::LatmusGnuplot => super::latmus_gnuplot::read,
            Self::RtApp => super::rt_app::read,
            Self::FeatherTrace => super::feather_trace::read,
            Self::Sparse => super::sparse::read,
        }
    }

    /// True if a file that begins with `lines` is in this format; only for formats of text lines.
    fn shows_in(self, lines: &[String]) -> bool {
        let begins = |start: &str| lines.iter().any(|line| line.starts_with(start));
        match self {
            Self::Sparse => begins(super::sparse::FIRST_LINE),
            Self::RtlaTimerlat => begins("# RTLA timerlat histogram"),
            Self::RtlaOsnoise => begins("# RTLA osnoise histogram"),
            Self::RtApp => lines.iter().any(|line| line.starts_with("#idx") && line.contains("wu_lat")),
            Self::LatmusGnuplot => begins("# libevl version:") || (begins("# min latency:") && begins("# context:")),
            Self::XenomaiGnuplot => begins("# ----lat min|"),
            Self::Latmus => lines.iter().any(|line| is_latmus(line)),
            Self::XenomaiLatency => begins("RTD|") || begins("RTS|") || begins("== Sampling period:"),
            Self::CyclictestHistogram => begins("# Histogram"),
            Self::CyclictestSummary => lines.iter().any(|line| is_thread_line(line)),
            Self::CyclictestVerbose => lines.iter().any(|line| super::cyclictest_verbose::sample(line).is_some()),
            Self::FeatherTrace => lines.first().is_some_and(|line| super::feather_trace::shows_in(line)),
            // JSON begins with a brace, and records of samples are no text.
            Self::CyclictestJson | Self::Jitterdebugger | Self::Oslat | Self::JitterdebuggerSamples => false,
        }
    }
}

/// latmus says where it runs, which Xenomai's `latency` never does.
fn is_latmus(line: &str) -> bool {
    line.starts_with("warming up on CPU")
        || (line.starts_with("running quietly for") && line.contains(" on CPU"))
        || (line.starts_with("RTT|") && line.contains(", CPU"))
}

/// `T: 0 (` or `T:15 (`.
fn is_thread_line(line: &str) -> bool {
    line.starts_with("T:") && line.contains('(') && (line.contains(" C:") || line.contains("Min:"))
}

/// The format that the beginning of a file shows.
pub(super) fn detect(head: &[u8]) -> Result<Format, Problem> {
    if head.starts_with(b"SQLite format 3\0") {
        return Err(not_imported(
            "an SQLite database, such as a run file of prazo",
            "open a run file with `prazo report`",
        ));
    }
    match head.iter().find(|byte| !byte.is_ascii_whitespace()) {
        _ if head.starts_with(&[0x1f, 0x8b]) => {
            Err(not_imported("a compressed file", "decompress it with gunzip first"))
        }
        _ if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) => {
            Err(not_imported("a compressed file", "decompress it with unzstd first"))
        }
        Some(b'{') => super::rt_tests_json::detect(head),
        _ if head.contains(&0) => binary(head),
        _ => text(head),
    }
}

fn binary(head: &[u8]) -> Result<Format, Problem> {
    if super::jitterdebugger_samples::shows_in(head) { Ok(Format::JitterdebuggerSamples) } else { Err(unknown(head)) }
}

fn text(head: &[u8]) -> Result<Format, Problem> {
    let lines: Vec<String> = head.split(|byte| *byte == b'\n').map(clean).collect();
    if let Some(format) = Format::VALUES.iter().copied().find(|format| format.shows_in(&lines)) {
        return Ok(format);
    }
    if lines.iter().any(|line| line.contains("Timer Latency") || line.contains("Operating System Noise")) {
        return Err(not_imported(
            "the table of `rtla ... top`, which has no distribution",
            "import the output of `rtla ... hist`",
        ));
    }
    Err(unknown(head))
}

/// A file that is recognised and cannot be imported.
pub(super) fn not_imported(what: impl Into<String>, instead: &'static str) -> Problem {
    Problem::NotImported { what: what.into(), instead }
}

/// A file that nothing claims.
pub(super) fn unknown(head: &[u8]) -> Problem {
    Problem::Unknown { beginning: shown(&clean(&head[..head.len().min(80)])) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_file_is_shown_and_the_formats_named() {
        let message = detect(b"Dear diary\n").unwrap_err().to_string();
        assert!(message.contains("Dear diary") && message.contains("rtla-timerlat"), "{message}");
    }

    #[test]
    fn a_run_file_is_recognised_and_its_command_named() {
        assert!(detect(b"SQLite format 3\0....").unwrap_err().to_string().contains("prazo report"));
    }

    #[test]
    fn a_table_of_rtla_top_is_refused_with_what_to_import_instead() {
        let message = detect(b"     Timer Latency\n  0 00:00:01 | IRQ\n").unwrap_err().to_string();
        assert!(message.contains("hist"), "{message}");
    }
}
