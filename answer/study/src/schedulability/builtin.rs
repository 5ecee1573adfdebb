//! The experiments that the program carries: `epos-2013`.

use super::experiment::Experiment;

/// One experiment of the program's own.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// What `prazo sched experiment NAME` calls it.
    pub name: &'static str,
    /// Its TOML.
    pub text: &'static str,
}

/// All experiments that the program carries.
pub const BUILTIN: &[Builtin] =
    &[Builtin { name: "epos-2013", text: include_str!("../../../../studies/epos-2013.toml") }];

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
        Experiment::parse(&file, self.text).unwrap_or_else(|error| panic!("{error}"))
    }
}
