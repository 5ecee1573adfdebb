//! Why latencies cannot be split here, as the caveat that the run then carries.

use aya::programs::ProgramError;
use aya::{BtfError, EbpfError};
use prazo_run::source::Source;
use prazo_run::{Caveat, Severity};
use std::io;

/// Why there is no split.
#[derive(Debug, thiserror::Error)]
pub enum NoSplit {
    /// No clang when this prazo was built.
    #[error("this prazo was built without BPF")]
    NotBuilt,
    /// The kernel does not describe its structures.
    #[error("the kernel provides no description of its structures (BTF): {0}")]
    NoTypes(String),
    /// The kernel refused.
    #[error("cannot {doing}: {why}")]
    Refused {
        /// What was being done.
        doing: String,
        /// What came back.
        why: String,
        /// True where more privileges would help.
        privileges: bool,
    },
    /// The method's threads cannot be followed.
    #[error("two measured threads have the same slot in the BPF program's table of threads")]
    Collision,
}

impl NoSplit {
    /// The error of a call, with everything that it has to say.
    pub fn refused(doing: impl Into<String>, error: &(dyn std::error::Error + 'static)) -> Self {
        let why = reason(error);
        let log = refused_by_verifier(error).map_or_else(String::new, |(_, log)| log);
        let privileges = lacks_privileges(errno(error), &log);
        Self::Refused { doing: doing.into(), why, privileges }
    }

    /// The same with another reason, where what came back says less.
    pub(crate) fn because(self, reason: &str) -> Self {
        match self {
            Self::Refused { doing, privileges, .. } => Self::Refused { doing, why: reason.into(), privileges },
            other => other,
        }
    }

    /// True where more privileges would help.
    pub(crate) const fn needs_privileges(&self) -> bool {
        matches!(self, Self::Refused { privileges: true, .. })
    }

    /// What came back, without what was being done.
    pub(crate) fn why(&self) -> String {
        match self {
            Self::Refused { why, .. } => why.clone(),
            other => other.to_string(),
        }
    }

    /// What it means for the result.
    pub fn caveat(&self) -> Caveat {
        Caveat::new(
            "not-split",
            Severity::Info,
            format!("the latencies were not split into parts: {self}"),
            self.remedy(),
        )
    }

    /// The same for a run with this source.
    pub fn caveat_of(&self, source: &Source) -> Caveat {
        if !matches!(source, Source::Noise(_)) {
            return self.caveat();
        }
        Caveat::new("not-split", Severity::Medium, format!("the causes of the gaps are unknown: {self}"), self.remedy())
    }

    const fn remedy(&self) -> &'static str {
        match self {
            Self::NotBuilt => "install clang and build prazo again",
            Self::NoTypes(_) => "use a kernel with CONFIG_DEBUG_INFO_BTF (/sys/kernel/btf/vmlinux)",
            Self::Refused { privileges: true, .. } => "measure as root, or with CAP_BPF and CAP_PERFMON",
            Self::Refused { .. } => {
                "if the kernel is too old or locked down, use Linux 5.11 or newer without lockdown; the other figures are valid"
            }
            Self::Collision => "measure again; the kernel then gives the threads other ids, with other slots",
        }
    }
}

/// The system's error number that is behind an error, however deep.
fn errno(error: &(dyn std::error::Error + 'static)) -> Option<i32> {
    let here = error.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error);
    here.or_else(|| error.source().and_then(errno))
}

/// True where more privileges would help. The verifier answers EACCES as well, to a program whose access it refuses.
fn lacks_privileges(errno: Option<i32>, log: &str) -> bool {
    match errno {
        Some(libc::EPERM) => true,
        Some(libc::EACCES) => refused_line(log).is_none(),
        _ => false,
    }
}

/// Why a call failed, in one line, as short as a caveat bears.
fn reason(error: &(dyn std::error::Error + 'static)) -> String {
    const LONGEST: usize = 400;
    let reason = refused_by_verifier(error).map_or_else(|| chain(error), |(error, log)| of_verifier(error, &log));
    let line: String = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST).collect()
}

/// The system's error and the verifier's log, if the kernel refused a program or its types.
fn refused_by_verifier<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<(&'a io::Error, String)> {
    fn of_types(error: &BtfError) -> Option<(&io::Error, String)> {
        match error {
            BtfError::LoadError { io_error, verifier_log } => Some((io_error, verifier_log.to_string())),
            _ => None,
        }
    }
    fn of_program(error: &ProgramError) -> Option<(&io::Error, String)> {
        match error {
            ProgramError::LoadError { io_error, verifier_log } => Some((io_error, verifier_log.to_string())),
            ProgramError::Btf(error) => of_types(error),
            _ => None,
        }
    }
    match error.downcast_ref::<EbpfError>() {
        Some(EbpfError::ProgramError(error)) => of_program(error),
        Some(EbpfError::BtfError(error)) => of_types(error),
        Some(_) => None,
        None => error.downcast_ref::<ProgramError>().and_then(of_program),
    }
}

/// The error, with what the verifier refused, if its log says so.
fn of_verifier(error: &io::Error, log: &str) -> String {
    match refused_line(log) {
        Some(line) => format!("{error}; the kernel's BPF verifier: {line}"),
        None => error.to_string(),
    }
}

/// The line of the verifier's log that says what it refused: the last that is no statistic.
fn refused_line(log: &str) -> Option<&str> {
    const STATISTICS: [&str; 3] = ["processed ", "verification time ", "stack depth "];
    let says = |line: &&str| !line.is_empty() && !STATISTICS.iter().any(|start| line.starts_with(start));
    log.lines().map(str::trim).rfind(says)
}

/// An error and what caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut explanation = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !explanation.contains(&text) {
            explanation = format!("{explanation}: {text}");
        }
        cause = inner.source();
    }
    explanation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_program_has_one_reason() {
        let (denied, invalid) = (io::Error::from_raw_os_error(libc::EPERM), io::Error::from_raw_os_error(libc::EACCES));
        assert_eq!(of_verifier(&denied, ""), "Operation not permitted (os error 1)");
        let log = "0: R1=ctx()\n1: (61) r0 = *(u32 *)(r1 +400)\ninvalid bpf_context access off=400 size=4\n\
                   verification time 40 usec\nstack depth 0\nprocessed 2 insns (limit 1000000)\n\n";
        assert_eq!(
            of_verifier(&invalid, log),
            "Permission denied (os error 13); the kernel's BPF verifier: invalid bpf_context access off=400 size=4"
        );
        let nested = EbpfError::FileError { path: "a.o".into(), error: denied };
        assert_eq!(reason(&nested), "error loading a.o: Operation not permitted (os error 1)");
    }

    #[test]
    fn each_refusal_says_what_to_do() {
        let denied = NoSplit::refused("load the BPF program", &std::io::Error::from_raw_os_error(libc::EPERM)).caveat();
        assert_eq!(denied.id, "not-split");
        assert!(denied.what.contains("load the BPF program") && denied.remedy.contains("root"), "{denied:?}");
        let other = NoSplit::refused("load the BPF program", &std::io::Error::from_raw_os_error(libc::EINVAL)).caveat();
        assert!(other.remedy.contains("too old"));
        let remedy = |errno, log| {
            let privileges = lacks_privileges(Some(errno), log);
            NoSplit::Refused { doing: "load the BPF program".into(), why: String::new(), privileges }.caveat().remedy
        };
        assert!(remedy(libc::EACCES, "processed 2 insns (limit 1000000)\n").contains("root"), "the verifier is silent");
        assert!(remedy(libc::EACCES, "invalid bpf_context access off=400 size=4\n").contains("too old"));
        assert!(NoSplit::NotBuilt.caveat().remedy.contains("clang"));
        assert!(NoSplit::NoTypes("gone".into()).caveat().what.contains("gone"));
    }
}
