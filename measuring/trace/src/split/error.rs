//! Why latencies cannot be split here, as the caveat that the run then carries.

use prazo_run::source::Source;
use prazo_run::{Caveat, Severity};

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
        let why = chain(error);
        let privileges = matches!(errno(error), Some(libc::EPERM | libc::EACCES));
        Self::Refused { doing: doing.into(), why, privileges }
    }

    /// What came back, without what was being done, and without the kernel's log of its checking.
    pub(crate) fn why(&self) -> String {
        match self {
            Self::Refused { why, .. } => why.split(". Verifier output").next().unwrap_or_default().to_owned(),
            other => other.to_string(),
        }
    }

    /// What it means for the result.
    pub fn caveat(&self) -> Caveat {
        Caveat::new(
            "not-split",
            Severity::Info,
            format!("the latencies were not split into interrupt and activation latency: {self}"),
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
                "the kernel may be too old (5.11 or newer is needed) or locked down; the other figures are valid"
            }
            Self::Collision => "measure again; the kernel then gives the threads other ids, with other slots",
        }
    }
}

/// The system's error number that is behind an error, however deep.
fn errno(error: &(dyn std::error::Error + 'static)) -> Option<i32> {
    let here = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::raw_os_error);
    here.or_else(|| error.source().and_then(errno))
}

/// An error and what caused it, in one line, as short as a caveat bears.
fn chain(error: &dyn std::error::Error) -> String {
    const LONGEST: usize = 400;
    let mut explanation = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !explanation.contains(&text) {
            explanation = format!("{explanation}: {text}");
        }
        cause = inner.source();
    }
    let line: String = explanation.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_says_what_to_do() {
        let denied = NoSplit::refused("load the BPF program", &std::io::Error::from_raw_os_error(libc::EPERM)).caveat();
        assert_eq!(denied.id, "not-split");
        assert!(denied.what.contains("load the BPF program") && denied.remedy.contains("root"), "{denied:?}");
        let other = NoSplit::refused("load the BPF program", &std::io::Error::from_raw_os_error(libc::EINVAL)).caveat();
        assert!(other.remedy.contains("too old"));
        assert!(NoSplit::NotBuilt.caveat().remedy.contains("clang"));
        assert!(NoSplit::NoTypes("gone".into()).caveat().what.contains("gone"));
    }
}
