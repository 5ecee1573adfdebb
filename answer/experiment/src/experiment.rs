//! An experiment as its TOML says it: families of task sets, methods, schedulers, platforms, and claims about the curves.
//!
//! The format is documented with examples in docs/experiments.md. Everything that can be wrong is found while reading and
//! answered with file, line, key and remedy.

use super::claim::Claim;
use super::curve::Curve;
use super::family::Family;
use super::method::Method;
use super::overhead_figures::{self, MeasuredFiles};
use super::overheads::{Files, Table};
use super::scheduler::Scheduler;
use prazo_verdict::claim::document::{Document, DocumentError, choose, digest};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The value of `kind` that tells an experiment from a study.
pub const KIND: &str = "schedulability";

/// One experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Always [`KIND`].
    pub kind: toml::Spanned<String>,
    /// Name, question, processors, seed and size.
    #[serde(rename = "experiment")]
    pub head: Head,
    /// The families of task sets.
    #[serde(rename = "family")]
    pub families: Vec<Family>,
    /// How questions are answered.
    #[serde(rename = "method")]
    pub methods: Vec<Method>,
    /// The schedulers compared.
    #[serde(rename = "scheduler")]
    pub schedulers: Vec<Scheduler>,
    /// What they run on.
    #[serde(rename = "platform")]
    pub platforms: Vec<Platform>,
    /// Kernels whose overheads were measured, for the figures.
    pub measured: Option<MeasuredFiles>,
    /// Figures of overheads by number of threads.
    #[serde(default, rename = "figure")]
    pub figures: Vec<overhead_figures::OverheadFigure>,
    /// What is said about the curves and the figures.
    #[serde(default, rename = "claim")]
    pub claims: Vec<Claim>,
    /// The content that decides the tallies, as a digest; claims and texts are not in it.
    #[serde(skip)]
    pub fingerprint: String,
}

/// The `[experiment]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Its name.
    pub name: toml::Spanned<String>,
    /// Its headline.
    pub title: String,
    /// The paper whose experiment it repeats, if there is one.
    pub paper: Option<String>,
    /// The question that it answers.
    pub question: String,
    /// Where its parameters are from.
    #[serde(default)]
    pub origin: String,
    /// Processors of every platform.
    pub processors: toml::Spanned<u32>,
    /// Seeds all sets.
    pub seed: u64,
    /// Sets at each point.
    pub sets: toml::Spanned<u64>,
    /// Work limit of each test: the number of terms that it may evaluate.
    #[serde(default = "budget")]
    pub budget: u64,
}

/// One `[[platform]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// Its name in curves.
    pub id: toml::Spanned<String>,
    /// What it is, in one sentence.
    #[serde(default)]
    pub text: String,
    /// The schedulers that it is judged under; all, unless it names some: nobody measured it under the others.
    #[serde(default)]
    pub schedulers: Vec<toml::Spanned<String>>,
    /// What each of these costs on it, by the scheduler's id; one without a table costs nothing, if none has one.
    #[serde(default)]
    pub overheads: BTreeMap<String, Table>,
}

impl Platform {
    fn is_judged_under(&self, scheduler: &str) -> bool {
        self.schedulers.is_empty() || self.schedulers.iter().any(|one| one.get_ref() == scheduler)
    }
}

fn budget() -> u64 {
    prazo_analysis::question::Method::default().budget
}

impl Experiment {
    /// Reads an experiment; `file` names it in errors, and the files that it names lie beside that.
    pub fn parse(file: &str, text: &str) -> Result<Self, DocumentError> {
        let folder = Path::new(file).parent().unwrap_or(Path::new(""));
        Self::parse_with(file, text, &|name| std::fs::read_to_string(folder.join(name)))
    }

    /// As [`parse`](Self::parse), with the files that it names taken from `files`.
    pub fn parse_with(file: &str, text: &str, files: &Files<'_>) -> Result<Self, DocumentError> {
        let place = Document { file, text };
        let mut experiment: Self = toml::from_str(text).map_err(|error| of_toml(&place, &error))?;
        let tables = experiment.load(&place, files)?;
        experiment.check(&place)?;
        experiment.fingerprint = digest_of(text, &tables);
        Ok(experiment)
    }

    /// Reads the files that are named; the texts of those that decide tallies.
    fn load(&mut self, place: &Document, files: &Files<'_>) -> Result<Vec<String>, DocumentError> {
        let remedy = "check the file, whose path is relative to the experiment's file";
        let mut texts = Vec::new();
        for platform in &mut self.platforms {
            for table in platform.overheads.values_mut() {
                let text = table.load(files);
                texts.extend(text.map_err(|what| place.error(platform.id.span().start, &what, remedy))?);
            }
        }
        if let Some(measured) = &mut self.measured {
            measured.load(files).map_err(|what| place.error(measured.file.span().start, &what, remedy))?;
        }
        Ok(texts)
    }

    /// Reads an experiment from a file.
    pub fn open(path: &Path) -> Result<Self, DocumentError> {
        let file = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| Document { file: &file, text: "" }.unreadable(&error))?;
        Self::parse(&file, &text)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.head.name.get_ref()
    }

    /// How many processors every platform has.
    pub fn processors(&self) -> u32 {
        *self.head.processors.get_ref()
    }

    /// Sets at each point.
    pub fn sets(&self) -> u64 {
        *self.head.sets.get_ref()
    }

    /// The places of the methods that judge a family.
    pub fn methods_of(&self, family: usize) -> impl Iterator<Item = usize> + '_ {
        let named = &self.families[family].methods;
        let is_named = |method: &Method| named.is_empty() || named.iter().any(|id| id.get_ref() == method.id.get_ref());
        (0..self.methods.len()).filter(move |at| is_named(&self.methods[*at]))
    }

    /// The places of the platforms that are judged under a scheduler.
    pub fn platforms_under(&self, scheduler: usize) -> impl Iterator<Item = usize> + '_ {
        let id = self.schedulers[scheduler].id.get_ref();
        (0..self.platforms.len()).filter(move |at| self.platforms[*at].is_judged_under(id))
    }

    /// What a curve's scheduler costs on its platform; `None` for nothing.
    pub fn overheads(&self, curve: Curve) -> Option<&Table> {
        self.platforms[curve.platform].overheads.get(self.schedulers[curve.scheduler].id.get_ref())
    }

    fn check(&self, place: &Document) -> Result<(), DocumentError> {
        self.check_head(place)?;
        self.check_ids(place)?;
        self.check_parts(place)?;
        self.check_platforms(place)?;
        self.check_claims(place)
    }

    fn check_head(&self, place: &Document) -> Result<(), DocumentError> {
        let wrong = |at, problem: &str, remedy: &str| Err(place.error(at, problem, remedy));
        if self.kind.get_ref() != KIND {
            let problem = format!("'{}' is not a kind of experiment", self.kind.get_ref());
            return wrong(self.kind.span().start, &problem, "write kind = \"schedulability\"");
        }
        if !(1..=PROCESSORS_MAX).contains(&self.processors()) {
            let remedy = format!("write a number from 1 to {PROCESSORS_MAX}");
            return wrong(self.head.processors.span().start, "the number of processors is out of range", &remedy);
        }
        match self.sets() {
            0 => {
                let remedy = "set `sets` to 1 or more";
                wrong(self.head.sets.span().start, "an experiment needs at least one set per point", remedy)
            }
            _ => Ok(()),
        }
    }

    fn check_ids(&self, place: &Document) -> Result<(), DocumentError> {
        place.ids("experiment", [&self.head.name])?;
        let kinds: [(&str, Vec<&toml::Spanned<String>>); 6] = [
            ("family", self.families.iter().map(|family| &family.id).collect()),
            ("method", self.methods.iter().map(|method| &method.id).collect()),
            ("scheduler", self.schedulers.iter().map(|scheduler| &scheduler.id).collect()),
            ("platform", self.platforms.iter().map(|platform| &platform.id).collect()),
            ("figure", self.figures.iter().map(|figure| &figure.id).collect()),
            ("claim", self.claims.iter().map(|claim| &claim.id).collect()),
        ];
        for (what, ids) in &kinds {
            place.ids(what, ids.iter().copied())?;
        }
        match kinds[..5].iter().flat_map(|(_, ids)| ids).find(|id| id.get_ref().contains('.')) {
            Some(id) => Err(place.error(
                id.span().start,
                "an id must not contain a dot, which separates the parts of a curve's name",
                "write '-' instead of '.'",
            )),
            None => Ok(()),
        }
    }

    fn check_parts(&self, place: &Document) -> Result<(), DocumentError> {
        let shaped = self.schedulers.iter().map(|one| (&one.id, one.contradiction(self.processors())));
        match shaped.into_iter().find_map(|(id, wrong)| Some((id, wrong?))) {
            Some((id, (problem, remedy))) => {
                Err(place.error(id.span().start, &format!("'{}': {problem}", id.get_ref()), remedy))
            }
            None => self.check_methods(place),
        }
    }

    fn check_methods(&self, place: &Document) -> Result<(), DocumentError> {
        let known: Vec<&String> = self.methods.iter().map(|method| method.id.get_ref()).collect();
        let named = self.families.iter().flat_map(|family| &family.methods);
        match named.into_iter().find(|id| !known.contains(&id.get_ref())) {
            Some(id) => {
                let problem = format!("there is no method '{}'", id.get_ref());
                Err(place.error(id.span().start, &problem, &choose(known)))
            }
            None => Ok(()),
        }
    }

    /// A platform with a table for one scheduler needs one for each: a forgotten table would be a platform that costs nothing.
    fn check_platforms(&self, place: &Document) -> Result<(), DocumentError> {
        let known: Vec<&String> = self.schedulers.iter().map(|scheduler| scheduler.id.get_ref()).collect();
        let costs = |platform: &&Platform| !platform.overheads.is_empty() || !platform.schedulers.is_empty();
        for platform in self.platforms.iter().filter(costs) {
            let (at, id) = (platform.id.span().start, platform.id.get_ref());
            let mut named = platform.schedulers.iter().map(toml::Spanned::get_ref).chain(platform.overheads.keys());
            if let Some(stray) = named.find(|name| !known.contains(name)) {
                let problem = format!("platform '{id}' names '{stray}', which is not a scheduler of this experiment");
                return Err(place.error(at, &problem, &choose(known)));
            }
            let is_absent =
                |name: &&&String| platform.is_judged_under(name) && !platform.overheads.contains_key(**name);
            if let Some(absent) = known.iter().find(is_absent) {
                let problem = format!("platform '{id}' has no overheads for the scheduler '{absent}'");
                return Err(place.error(at, &problem, &format!("add [platform.overheads.{absent}]")));
            }
        }
        Ok(())
    }

    fn check_claims(&self, place: &Document) -> Result<(), DocumentError> {
        let ids: Vec<String> = Curve::all(self).map(|curve| curve.id(self)).collect();
        let named = self.claims.iter().flat_map(|claim| claim.check.curves());
        if let Some(curve) = named.into_iter().find(|curve| !ids.contains(&curve.id)) {
            return Err(place.error(curve.at, &format!("there is no curve '{}'", curve.id), &choose(&ids)));
        }
        let ids: Vec<String> =
            overhead_figures::results(self).iter().flat_map(overhead_figures::FigureResult::line_ids).collect();
        let named = self.claims.iter().flat_map(|claim| claim.check.lines());
        match named.into_iter().find(|line| !ids.contains(&line.id)) {
            Some(line) => Err(place.error(line.at, &format!("no figure has a line '{}'", line.id), &choose(&ids))),
            None => Ok(()),
        }
    }
}

/// The digest of what decides the tallies, and of the program that made them: the parsed values of the experiment and of its
/// tables' files, without texts, claims and figures.
fn digest_of(text: &str, tables: &[String]) -> String {
    let parsed = |text: &String| {
        let mut asked: toml::Table = toml::from_str(text).unwrap_or_default();
        ["claim", "figure", "measured", "name", "note"].into_iter().for_each(|key| drop(asked.remove(key)));
        asked.retain(|key, _| !is_text(key));
        asked.iter_mut().for_each(|(_, value)| drop_texts(value));
        asked.to_string()
    };
    let asked: String = std::iter::once(&text.to_owned()).chain(tables).map(parsed).collect();
    digest(format!("{} {asked}", env!("CARGO_PKG_VERSION")).as_bytes())
}

/// More processors than this are a slip of the pen.
const PROCESSORS_MAX: u32 = 4_096;

fn is_text(key: &str) -> bool {
    ["text", "title", "paper", "question", "origin", "source", "statistic", "samples"].contains(&key)
}

/// Texts for readers change no number: they can be improved without making the results another experiment's.
fn drop_texts(value: &mut toml::Value) {
    match value {
        toml::Value::Table(table) => {
            table.retain(|key, _| !is_text(key));
            table.iter_mut().for_each(|(_, inner)| drop_texts(inner));
        }
        toml::Value::Array(inner) => inner.iter_mut().for_each(drop_texts),
        _ => {}
    }
}

fn of_toml(place: &Document, error: &toml::de::Error) -> DocumentError {
    if !place.is_experiment() && toml::from_str::<toml::Table>(place.text).is_ok() {
        return place.error(0, "this file is not an experiment", "begin the file with kind = \"schedulability\"");
    }
    DocumentError { remedy: "docs/experiments.md lists every key with its form".into(), ..place.of_toml(error) }
}
