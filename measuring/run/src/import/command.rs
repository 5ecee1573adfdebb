//! A tool's own command line, read as getopt(3) would, for what it tells about the run.

use std::collections::BTreeMap;

/// How a tool's options are spelled.
pub(super) struct Grammar {
    /// Short options that take an argument.
    pub with_argument: &'static str,
    /// Short options whose argument, if any, is attached.
    pub with_attached: &'static str,
    /// Long options with the short one they stand for.
    pub long: &'static [(&'static str, char)],
}

/// cyclictest, 0.84 to 2.x; `y` is the policy, `G` the file that a histogram goes to.
pub(super) const CYCLICTEST: Grammar = Grammar {
    with_argument: "bcdDFhHilopy",
    with_attached: "aAtn",
    long: &[
        ("breaktrace", 'b'),
        ("distance", 'd'),
        ("duration", 'D'),
        ("histogram", 'h'),
        ("histofall", 'H'),
        ("histfile", 'G'),
        ("interval", 'i'),
        ("loops", 'l'),
        ("nsecs", 'N'),
        ("policy", 'y'),
        ("priority", 'p'),
        ("posix_timers", 'x'),
        ("relative", 'r'),
        ("smp", 'S'),
        ("system", 's'),
        ("threads", 't'),
    ],
};

/// oslat.
pub(super) const OSLAT: Grammar = Grammar {
    with_argument: "bcCDfmTwW",
    with_attached: "",
    long: &[("bucket-size", 'b'), ("bias", 'B'), ("duration", 'D'), ("rtprio", 'f'), ("trace-threshold", 'T')],
};

/// The options of one command line, by their short names.
#[derive(Debug, Default)]
pub(super) struct Flags {
    given: BTreeMap<char, String>,
}

impl Flags {
    /// Reads `line`, words apart at blanks; nothing in it can fail, the unknown is passed over.
    pub(super) fn parse(line: &str, grammar: &Grammar) -> Self {
        let mut words = line.split_whitespace().skip(1);
        let mut flags = Self::default();
        while let Some(word) = words.next() {
            let open = match word.strip_prefix("--") {
                Some(long) => flags.long(long, grammar),
                None => word.strip_prefix('-').and_then(|cluster| flags.short(cluster, grammar)),
            };
            if let Some(name) = open {
                flags.given.insert(name, words.next().unwrap_or_default().to_owned());
            }
        }
        flags
    }

    /// Takes `--name` or `--name=value`; returns the option if its argument is the next word.
    fn long(&mut self, word: &str, grammar: &Grammar) -> Option<char> {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let short = grammar.long.iter().find(|(long, _)| *long == name)?.1;
        self.given.insert(short, value.unwrap_or_default().to_owned());
        (value.is_none() && grammar.with_argument.contains(short)).then_some(short)
    }

    /// Takes `-smp80`; returns the option if its argument is the next word.
    fn short(&mut self, cluster: &str, grammar: &Grammar) -> Option<char> {
        for (at, name) in cluster.char_indices() {
            let rest = &cluster[at + name.len_utf8()..];
            if grammar.with_argument.contains(name) && rest.is_empty() {
                return Some(name);
            }
            if grammar.with_argument.contains(name) || grammar.with_attached.contains(name) {
                self.given.insert(name, rest.to_owned());
                return None;
            }
            self.given.insert(name, String::new());
        }
        None
    }

    /// True if the option was given.
    pub(super) fn has(&self, name: char) -> bool {
        self.given.contains_key(&name)
    }

    /// The option's argument; `None` if it was not given.
    pub(super) fn value(&self, name: char) -> Option<&str> {
        self.given.get(&name).map(String::as_str)
    }

    /// The option's argument as a number.
    pub(super) fn number(&self, name: char) -> Option<u64> {
        self.value(name)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_getopt_does() {
        let flags = Flags::parse("/usr/bin/cyclictest -m -p95 -i 200 -t2 -a -D 5m --json=x.json -h 60", &CYCLICTEST);
        assert_eq!((flags.number('p'), flags.number('i'), flags.number('h')), (Some(95), Some(200), Some(60)));
        assert_eq!((flags.value('D'), flags.value('t'), flags.value('a')), (Some("5m"), Some("2"), Some("")));
        assert!(flags.has('m') && !flags.has('N'));
    }

    #[test]
    fn smp_priority_is_the_cluster_that_users_fall_into() {
        let flags = Flags::parse("cyclictest -smp 80 --policy rr --system", &CYCLICTEST);
        assert!(flags.has('s') && flags.has('m'));
        assert_eq!((flags.number('p'), flags.value('y')), (Some(80), Some("rr")));
    }

    #[test]
    fn nonsense_is_passed_over() {
        let flags = Flags::parse("x -é --= --policy - -- -i", &CYCLICTEST);
        assert_eq!(flags.value('y'), Some("-"));
        assert_eq!(flags.value('i'), Some(""));
        assert!(!Flags::parse("", &OSLAT).has('b'));
    }
}
