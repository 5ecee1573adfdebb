//! The experiments that the program carries: `epos-2013`.

use super::experiment::Experiment;

/// One experiment of the program's own.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// What `prazo sched experiment NAME` calls it.
    pub name: &'static str,
    /// Its TOML.
    pub text: &'static str,
    /// The files that it names, each with its text.
    pub files: &'static [(&'static str, &'static str)],
}

/// A file of the studies' folder: its path there, and its text.
macro_rules! file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../studies/", $path)))
    };
}

/// All experiments that the program carries.
pub const BUILTIN: &[Builtin] = &[Builtin {
    name: "epos-2013",
    text: include_str!("../../../studies/epos-2013.toml"),
    files: &[
        file!("overheads/partitioned-edf.max.toml"),
        file!("overheads/clustered-edf.max.toml"),
        file!("overheads/global-edf.max.toml"),
        file!("overheads/measured.toml"),
        file!("overheads/linux-host.max.toml"),
        file!("overheads/linux-standard.max.toml"),
        file!("overheads/linux-rt.max.toml"),
        file!("overheads/linux-host.measured.toml"),
        file!("overheads/linux-standard.measured.toml"),
        file!("overheads/linux-rt.measured.toml"),
    ],
}];

/// An experiment that the program carries; `None` for a name it does not know.
pub fn find(name: &str) -> Option<Experiment> {
    BUILTIN.iter().find(|builtin| builtin.name == name).map(Builtin::experiment)
}

impl Builtin {
    /// The experiment.
    ///
    /// # Panics
    /// Never in a program whose tests pass: they read every experiment that it carries.
    pub fn experiment(&self) -> Experiment {
        let file = format!("studies/{}.toml", self.name);
        let found = |name: &str| self.files.iter().find(|(path, _)| *path == name).map(|(_, text)| (*text).to_owned());
        let files = |name: &str| found(name).ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotFound));
        Experiment::parse_with(&file, self.text, &files).unwrap_or_else(|error| panic!("{error}"))
    }
}
