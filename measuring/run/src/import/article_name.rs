//! What the names of the Article's files tell: `results-KERNEL-POLICY-METHOD.txt`.
//!
//! "Raspberry Pi et temps réel", GNU/Linux Magazine HS 75 (Blaess 2014). The script that made them calls the run without
//! `--nanosleep` "setitimer"; in rt-tests 0.84 that mode is `timer_create` and `sigwait`, so the name is recorded together
//! with a caveat and no method is claimed.

use super::caveats;
use super::context::note;
use crate::Run;

/// The parts of such a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ArticleName<'a> {
    release: &'a str,
    policy: Option<&'a str>,
    call: Option<&'a str>,
}

const POLICIES: [&str; 4] = ["other", "fifo", "rr", "deadline"];
const CALLS: [&str; 3] = ["clocknanosleep", "nanosleep", "setitimer"];
const SOURCE: &str = "file name";

impl<'a> ArticleName<'a> {
    /// The parts of `stem`; `None` for any other name.
    pub(super) fn parse(stem: &'a str) -> Option<Self> {
        let rest = stem.strip_prefix("results-").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))?;
        let (rest, call) = split_last(rest, &CALLS);
        let (release, policy) = split_last(rest, &POLICIES);
        Some(Self { release, policy, call })
    }

    /// Notes them in the run.
    pub(super) fn record(&self, run: &mut Run) {
        note(run, "kernel.release", self.release, SOURCE);
        if let Some(policy) = self.policy {
            note(run, "import.policy", policy, SOURCE);
        }
        match self.call {
            Some("clocknanosleep") => note(run, "import.method", "clock-nanosleep", SOURCE),
            Some("nanosleep") => note(run, "import.method", "nanosleep", SOURCE),
            Some(label) => {
                note(run, "import.label", label, SOURCE);
                run.caveats.push(caveats::setitimer_label());
            }
            None => {}
        }
    }
}

fn split_last<'a>(text: &'a str, known: &[&str]) -> (&'a str, Option<&'a str>) {
    match text.rsplit_once('-') {
        Some((rest, last)) if known.contains(&last) => (rest, Some(last)),
        _ => (text, None),
    }
}

/// True for kernels whose real-time core programs its timers early.
pub(super) fn has_gravity(release: &str) -> bool {
    let release = release.to_ascii_lowercase();
    ["ipipe", "dovetail", "xeno", "cobalt", "evl"].iter().any(|core| release.contains(core))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_articles_names_are_taken_apart() {
        let parsed = |stem| ArticleName::parse(stem).map(|name| (name.release, name.policy, name.call));
        assert_eq!(
            parsed("results-3.8.13-rt16+-rr-clocknanosleep"),
            Some(("3.8.13-rt16+", Some("rr"), Some("clocknanosleep")))
        );
        assert_eq!(parsed("results-3.8.13-ipipe+"), Some(("3.8.13-ipipe+", None, None)));
        assert_eq!(parsed("results-of-my-fifo-nanosleep"), None);
        assert_eq!(parsed("histogram"), None);
    }

    #[test]
    fn a_call_named_setitimer_is_not_believed() {
        let mut run = Run::default();
        ArticleName::parse("results-3.8.13+-fifo-setitimer").unwrap().record(&mut run);
        assert!(run.has_caveat("setitimer-label"));
        assert_eq!(super::super::context::noted(&run, "import.method"), None);
    }

    #[test]
    fn dual_kernels_have_gravity() {
        assert!(has_gravity("3.8.13-ipipe+") && has_gravity("6.6.69-xeno-ref") && !has_gravity("3.8.13-rt16+"));
    }
}
