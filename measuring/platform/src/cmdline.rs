//! The kernel's command line, in its parameters.

use crate::root::{Reading, Root};

/// Where it is read.
pub const FILE: &str = "/proc/cmdline";

/// Parameters whose values may name a person's machine or network rather than a setting.
const PRIVATE: [&str; 7] =
    ["ip", "ifname", "rd.luks.uuid", "rd.luks.name", "systemd.hostname", "systemd.machine_id", "cryptdevice"];

/// The parameters of the kernel's command line; what follows `--` belongs to the first process and is left out.
#[derive(Clone, Debug, Default)]
pub struct Cmdline {
    words: Vec<String>,
}

impl Cmdline {
    /// Reads it.
    pub fn read(root: &Root) -> Reading<Self> {
        root.read(FILE).map(|text| Self::parse(&text))
    }

    /// Splits it at white space outside of double quotes.
    pub fn parse(text: &str) -> Self {
        let mut quoted = false;
        let is_separator = |c: char| {
            quoted ^= c == '"';
            c.is_whitespace() && !quoted
        };
        let words = text.split(is_separator).filter(|word| !word.is_empty());
        Self { words: words.take_while(|word| *word != "--").map(str::to_owned).collect() }
    }

    /// The last value given to a parameter (`isolcpus=2,3`), as the kernel takes it; dash and underscore are one.
    pub fn value(&self, parameter: &str) -> Option<&str> {
        self.words.iter().rev().find_map(|word| {
            let (name, value) = word.split_once('=')?;
            same(name, parameter).then_some(value)
        })
    }

    /// True where a parameter is given, with or without a value.
    pub fn has(&self, parameter: &str) -> bool {
        self.words.iter().any(|word| same(word.split('=').next().unwrap_or(word), parameter))
    }

    /// The whole line without what could name a machine: values of UUIDs, addresses, host names.
    pub fn without_private_data(&self) -> String {
        self.words.iter().map(|word| redact(word)).collect::<Vec<_>>().join(" ")
    }
}

fn same(left: &str, right: &str) -> bool {
    left.replace('-', "_") == right.replace('-', "_")
}

fn redact(word: &str) -> String {
    let Some((name, value)) = word.split_once('=') else {
        return word.to_owned();
    };
    let names_a_disk = ["UUID=", "LABEL=", "uuid", "by-id"].iter().any(|mark| value.contains(mark));
    if names_a_disk || PRIVATE.contains(&name) { format!("{name}=(left out)") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_wins_and_the_first_process_keeps_its_arguments() {
        let line = Cmdline::parse("isolcpus=1 quiet isolcpus=2,3 dyndbg=\"file a b\" -- --key secret\n");
        assert_eq!(line.value("isolcpus"), Some("2,3"));
        assert_eq!(line.value("dyndbg"), Some("\"file a b\""));
        assert!(line.has("quiet") && !line.has("secret") && !line.has("--key"));
    }

    #[test]
    fn private_values_are_left_out() {
        let line = Cmdline::parse("root=UUID=4f-2 ip=10.0.0.7::eth0 nohz_full=1-3 resume=/dev/disk/by-id/ata-SERIAL");
        assert_eq!(line.without_private_data(), "root=(left out) ip=(left out) nohz_full=1-3 resume=(left out)");
    }
}
