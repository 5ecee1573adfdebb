//! A study as its TOML says it: a question, what to measure or import for it, and claims about the outcome.
//!
//! The format is documented with examples in docs/studies.md. Everything that can be wrong is found while reading, before
//! a minute is spent on measuring, and is answered with file, line, key and remedy.

use crate::builtin::BUILTIN;
use crate::claim::Claim;
use crate::costed::WorkloadEntry;
use crate::import::Import;
use crate::load::Load;
use crate::matrix;
use crate::probe::Probe;
use crate::remote_target::{RemoteTarget, guest_named, remedy};
use crate::stated::Stated;
use crate::toml_values;
use prazo_core::time::Duration;
use prazo_lab::platform::Kernel;
use prazo_lab::{Platform, Recipe};
use prazo_verdict::claim::document::{Document, DocumentError, choose, digest};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Name, title, paper and question.
    #[serde(rename = "study")]
    pub head: Head,
    /// The platforms it compares.
    #[serde(default, rename = "platform")]
    pub platforms: Vec<PlatformEntry>,
    /// What disturbs them.
    #[serde(default, rename = "load")]
    pub loads: Vec<Load>,
    /// How they are measured.
    #[serde(default, rename = "probe")]
    pub probes: Vec<Probe>,
    /// What is executed, with their cost measured.
    #[serde(default, rename = "workload")]
    pub workloads: Vec<WorkloadEntry>,
    /// Which products of the three are measured, in this order; without any row, all of them.
    #[serde(default, rename = "measure")]
    pub measures: Vec<Row>,
    /// Results of other tools.
    #[serde(default, rename = "import")]
    pub imports: Vec<Import>,
    /// Figures that a paper states, without samples.
    #[serde(default)]
    pub stated: Vec<Stated>,
    /// What is said about the outcome.
    #[serde(default, rename = "claim")]
    pub claims: Vec<Claim>,
    /// Where the imported tables are.
    #[serde(skip)]
    pub tables: Tables,
    /// The file that it was read from; `None` for a study of the program's own.
    #[serde(skip)]
    pub file: Option<PathBuf>,
}

/// The `[study]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// What `prazo study run NAME` calls it.
    pub name: toml::Spanned<String>,
    /// Its headline.
    pub title: String,
    /// The paper whose experiment it repeats, if there is one.
    pub paper: Option<String>,
    /// The question that it answers.
    pub question: String,
    /// Studies of the program's own that answer what this one leaves to them.
    #[serde(default)]
    pub cites: Vec<toml::Spanned<String>>,
    /// Seed of the loads' pauses.
    #[serde(default = "one")]
    pub seed: u64,
}

/// One `[[platform]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformEntry {
    /// Its name in cell ids.
    pub id: toml::Spanned<String>,
    /// What it is, in one sentence.
    #[serde(default)]
    pub text: String,
    /// The virtual platform that it is, as `lab:NAME`, or the board, as `ssh://root@board`; without it, the machine that runs the
    /// study.
    #[serde(default)]
    pub on: Option<toml::Spanned<String>>,
    /// The virtual platform that triggers and measures from outside (Regnier 2008's second set-up), as `lab:NAME`.
    #[serde(default)]
    pub station: Option<toml::Spanned<String>>,
    /// What the caller puts in its place: the same platform with another kernel or other words.
    #[serde(skip)]
    pub instead: Option<Platform>,
}

impl PlatformEntry {
    /// The guest or the board that it is, if it is one.
    pub fn place(&self) -> Option<Result<RemoteTarget, String>> {
        match &self.instead {
            Some(platform) => Some(Ok(RemoteTarget::Guest(platform.clone()))),
            None => self.on.as_ref().map(|on| RemoteTarget::named(on.get_ref())),
        }
    }

    /// The platform of the lab that it is, if it is one.
    pub fn guest(&self) -> Option<Platform> {
        match self.place()? {
            Ok(RemoteTarget::Guest(platform)) => Some(platform),
            Ok(RemoteTarget::Board(_)) | Err(_) => None,
        }
    }

    /// The platform of the station that measures it from outside, if there is one.
    pub fn station(&self) -> Option<Result<Platform, String>> {
        let station = guest_named(self.station.as_ref()?.get_ref());
        let id = self.id.get_ref();
        let alone = || format!("platform '{id}' has a station but is not a guest of the lab; add on = \"lab:NAME\"");
        Some(if self.guest().is_some() { station } else { Err(alone()) })
    }
}

/// One `[[measure]]`: a product of platforms, loads and probes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Platforms; none named is all.
    #[serde(default)]
    pub platforms: Vec<prazo_verdict::claim::Name>,
    /// Loads; none named is all.
    #[serde(default)]
    pub loads: Vec<prazo_verdict::claim::Name>,
    /// Probes; none named is all.
    #[serde(default)]
    pub probes: Vec<prazo_verdict::claim::Name>,
    /// Workloads that are executed in this order, in place of a load; then no probe named is none beside them.
    #[serde(default)]
    pub workloads: Vec<prazo_verdict::claim::Name>,
    /// How long each cell lasts, instead of its probe's length.
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    pub length: Option<Duration>,
    /// How often each cell is measured, in the order ABBA.
    #[serde(default = "once")]
    pub repeats: u32,
}

/// Where a study's tables are.
#[derive(Clone, Debug)]
pub enum Tables {
    /// In a folder.
    Folder(PathBuf),
    /// In the program itself: name and content.
    Embedded(&'static [(&'static str, &'static str)]),
}

impl Default for Tables {
    fn default() -> Self {
        Self::Embedded(&[])
    }
}

impl Study {
    /// Reads a study; `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, DocumentError> {
        let place = Document { file, text };
        if place.is_experiment() {
            let remedy = format!("run the experiment with `prazo sched experiment {file}`");
            return Err(place.error(0, "this file is an experiment", &remedy));
        }
        let study: Study = toml::from_str(text).map_err(|error| place.of_toml(&error))?;
        study.check(&place)?;
        Ok(study)
    }

    /// Reads a study from a file; its tables are looked for in the file's folder.
    pub fn open(path: &Path) -> Result<Self, DocumentError> {
        let file = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| Document { file: &file, text: "" }.unreadable(&error))?;
        let mut study = Self::parse(&file, &text)?;
        study.tables = Tables::Folder(path.parent().unwrap_or(Path::new(".")).to_owned());
        study.file = Some(path.to_owned());
        Ok(study)
    }

    /// The study's name.
    pub fn name(&self) -> &str {
        self.head.name.get_ref()
    }

    /// What a command is given to run it: its file, or the name of a built-in study.
    pub(crate) fn argument(&self) -> String {
        self.file.as_ref().map_or_else(|| self.name().to_owned(), |file| file.display().to_string())
    }

    /// Digests of the kernels and initramfs files that are not the lab's own, by platform.
    pub(crate) fn images(&self) -> BTreeMap<String, Vec<String>> {
        let platforms = self.platforms.iter().filter_map(PlatformEntry::guest);
        let digests = |platform: Platform| match &platform.kernel {
            Kernel::Fetched { initrd: None, .. } => None,
            kernel => {
                let own = if let Kernel::Given { file, .. } = kernel { Some(file.as_path()) } else { None };
                let files = own.into_iter().chain(platform.initrd());
                let digests = files.map(|file| std::fs::read(file).map_or("unreadable".into(), |bytes| digest(&bytes)));
                // A built kernel's folder is named after its whole recipe.
                let built =
                    platform.recipe().map(|name| Recipe::find(name).map_or("unreadable".into(), |it| it.folder()));
                Some((platform.name.clone(), digests.chain(built).collect()))
            }
        };
        platforms.filter_map(digests).collect()
    }

    fn check(&self, place: &Document) -> Result<(), DocumentError> {
        self.check_ids(place)?;
        self.check_cited(place)?;
        self.check_platforms(place)?;
        self.check_parts(place)?;
        matrix::check(self, place)?;
        self.check_claims(place)
    }

    fn check_ids(&self, place: &Document) -> Result<(), DocumentError> {
        place.ids("study", [&self.head.name])?;
        place.ids("platform", self.platforms.iter().map(|platform| &platform.id))?;
        place.ids("load", self.loads.iter().map(|load| &load.id))?;
        place.ids("probe", self.probes.iter().map(|probe| &probe.id))?;
        place.ids("import", self.imports.iter().map(|import| &import.id))?;
        place.ids("stated cell", self.stated.iter().map(|stated| &stated.id))?;
        place.ids("claim", self.claims.iter().map(|claim| &claim.id))
    }

    fn check_cited(&self, place: &Document) -> Result<(), DocumentError> {
        let is_known = |name: &str| BUILTIN.iter().any(|one| one.name == name);
        match self.head.cites.iter().find(|name| !is_known(name.get_ref())) {
            Some(name) => {
                let problem = format!("the study cites the study '{}', which does not exist", name.get_ref());
                Err(place.error(name.span().start, &problem, "`prazo study list` prints the names of the studies"))
            }
            None => Ok(()),
        }
    }

    fn check_platforms(&self, place: &Document) -> Result<(), DocumentError> {
        for entry in &self.platforms {
            let on = entry.place().and_then(Result::err);
            let station = entry.station().and_then(Result::err);
            for (named, problem) in [(&entry.on, on), (&entry.station, station)] {
                if let (Some(named), Some(problem)) = (named, problem) {
                    return Err(place.error(named.span().start, &problem, remedy(named.get_ref())));
                }
            }
        }
        Ok(())
    }

    fn check_parts(&self, place: &Document) -> Result<(), DocumentError> {
        let loads = self.loads.iter().map(|load| (&load.id, load.contradiction()));
        let probes = self.probes.iter().map(|probe| (&probe.id, probe.contradiction()));
        let stated = self.stated.iter().map(|stated| (&stated.id, stated.contradiction()));
        match loads.chain(probes).chain(stated).find_map(|(id, wrong)| Some((id, wrong?))) {
            Some((id, (problem, remedy))) => {
                Err(place.error(id.span().start, &format!("'{}': {problem}", id.get_ref()), &remedy))
            }
            None => Ok(()),
        }
    }

    fn check_claims(&self, place: &Document) -> Result<(), DocumentError> {
        if let Some((claim, wrong)) = self.claims.iter().find_map(|claim| Some((claim, claim.check.contradiction()?))) {
            let text = format!("claim '{}' cannot be checked", claim.id.get_ref());
            return Err(place.error(claim.id.span().start, &text, wrong));
        }
        let ids = matrix::ids(self);
        let repeating = self.stated.iter().filter_map(|stated| stated.repeated_by.as_ref());
        let named = self.claims.iter().flat_map(|claim| claim.check.cells()).chain(repeating);
        match named.into_iter().find(|cell| !ids.contains(&cell.id)) {
            Some(cell) => Err(place.error(cell.at, &format!("there is no cell '{}'", cell.id), &choose(&ids))),
            None => self.check_workloads(place),
        }
    }
}

impl Study {
    /// The workloads that claims name are the study's.
    fn check_workloads(&self, place: &Document) -> Result<(), DocumentError> {
        let known = || self.workloads.iter().map(|entry| entry.name.get_ref());
        let named = self.claims.iter().flat_map(|claim| claim.check.workloads());
        match named.into_iter().find(|name| !known().any(|known| *known == name.id)) {
            Some(name) => Err(place.error(name.at, &format!("there is no workload '{}'", name.id), &choose(known()))),
            None => Ok(()),
        }
    }
}

fn one() -> u64 {
    1
}

fn once() -> u32 {
    1
}
