//! The studies that the program carries: `evaluate`, `blaess-2014`, `gate`, `marsal-2013`, `preemption-models`, `regnier-2008`, and two
//! papers again on 32-bit Arm.

mod blaess_2014;

use crate::study::{Study, Tables};

/// One study of the program's own.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// What `prazo study run NAME` calls it.
    pub name: &'static str,
    /// Its TOML.
    pub text: &'static str,
    /// Its tables: name and content.
    pub tables: &'static [(&'static str, &'static str)],
}

/// All studies that the program carries.
pub const BUILTIN: &[Builtin] = &[
    Builtin { name: "evaluate", text: include_str!("../../../../studies/evaluate.toml"), tables: &[] },
    Builtin {
        name: "blaess-2014",
        text: include_str!("../../../../studies/blaess-2014.toml"),
        tables: blaess_2014::TABLES,
    },
    Builtin {
        name: "blaess-2014-armv7",
        text: include_str!("../../../../studies/blaess-2014-armv7.toml"),
        tables: &[],
    },
    Builtin { name: "gate", text: include_str!("../../../../studies/gate.toml"), tables: &[] },
    Builtin { name: "marsal-2013", text: include_str!("../../../../studies/marsal-2013.toml"), tables: &[] },
    Builtin {
        name: "marsal-2013-armv7",
        text: include_str!("../../../../studies/marsal-2013-armv7.toml"),
        tables: &[],
    },
    Builtin {
        name: "preemption-models",
        text: include_str!("../../../../studies/preemption-models.toml"),
        tables: &[],
    },
    Builtin { name: "regnier-2008", text: include_str!("../../../../studies/regnier-2008.toml"), tables: &[] },
];

/// A study that the program carries; `None` for a name it does not know.
pub fn find(name: &str) -> Option<Study> {
    BUILTIN.iter().find(|builtin| builtin.name == name).map(Builtin::study)
}

/// The study of `prazo evaluate`; with the core's side beside Linux's where a Xenomai core runs beside Linux.
///
/// # Panics
/// Never in a program whose tests pass: they read both.
pub fn evaluation(has_co_kernel: bool) -> Study {
    let found = &BUILTIN[0];
    if !has_co_kernel {
        return found.study();
    }
    let text = [found.text, include_str!("../../../../studies/evaluate-core.toml")].concat();
    Study::parse("studies/evaluate.toml", &text).unwrap_or_else(|error| panic!("{error}"))
}

impl Builtin {
    /// The study, ready to run from anywhere.
    ///
    /// # Panics
    /// Never in a program whose tests pass: they read every study that it carries.
    pub fn study(&self) -> Study {
        let file = format!("studies/{}.toml", self.name);
        let mut study = Study::parse(&file, self.text).unwrap_or_else(|error| panic!("{error}"));
        study.tables = Tables::Embedded(self.tables);
        study
    }
}
