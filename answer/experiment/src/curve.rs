//! One curve: a family's sets judged by one method under one scheduler on one platform.

use super::experiment::Experiment;
use super::scheduler::shape;
use prazo_analysis::question::{Answer, Method, Question};
use prazo_analysis::set::SetError;
use prazo_analysis::{Task, TimeModel};
use prazo_core::behaviour::Behaviours;
use prazo_core::overheads::Overheads;

/// Who answers a question; outside tests [`prazo_analysis::question::answer`].
pub type Answering<'a> = dyn Fn(&Question<'_>, &Method) -> Result<Answer, SetError> + Sync + 'a;

/// A curve, by its places in the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Curve {
    /// Document of its family.
    pub family: usize,
    /// Document of its method.
    pub method: usize,
    /// Document of its scheduler.
    pub scheduler: usize,
    /// Document of its platform.
    pub platform: usize,
}

impl Curve {
    /// `light.paper.G-EDF.linux`: family, method, scheduler and platform.
    pub fn id(&self, of: &Experiment) -> String {
        let parts = [
            of.families[self.family].id.get_ref(),
            of.methods[self.method].id.get_ref(),
            of.schedulers[self.scheduler].id.get_ref(),
            of.platforms[self.platform].id.get_ref(),
        ];
        parts.map(String::as_str).join(".")
    }

    /// All curves of `experiment`: families, then methods, then schedulers, then platforms.
    pub fn all(of: &Experiment) -> impl Iterator<Item = Curve> + '_ {
        let of_family = move |family| Self::of_family(of, family);
        (0..of.families.len()).flat_map(of_family)
    }

    /// The curves of one family.
    pub fn of_family(of: &Experiment, family: usize) -> impl Iterator<Item = Curve> + '_ {
        let methods = of.methods_of(family);
        let all = methods.flat_map(move |method| (0..of.schedulers.len()).map(move |scheduler| (method, scheduler)));
        all.flat_map(move |(method, scheduler)| {
            of.platforms_under(scheduler).map(move |platform| Curve { family, method, scheduler, platform })
        })
    }
}

/// A curve made ready to be asked many times: nothing is allocated for a question.
pub struct Asking<'a> {
    experiment: &'a Experiment,
    curve: Curve,
    method: Method,
    sizes: Vec<u32>,
    overheads: Option<Overheads<'a>>,
}

impl<'a> Asking<'a> {
    /// Makes `curve` ready.
    pub fn new(experiment: &'a Experiment, curve: Curve) -> Self {
        let scheduler = &experiment.schedulers[curve.scheduler];
        Self {
            experiment,
            curve,
            method: experiment.methods[curve.method].of_analysis(experiment.head.budget),
            sizes: scheduler.sizes(experiment.processors()),
            overheads: experiment.overheads(curve).map(|table| table.lend()),
        }
    }

    /// Asks about one set.
    pub fn ask(&self, tasks: &[Task], answering: &Answering<'_>) -> Result<Answer, SetError> {
        let question = Question {
            tasks,
            policy: self.experiment.schedulers[self.curve.scheduler].policy(),
            shape: shape(&self.sizes, self.experiment.processors()),
            overheads: self.overheads,
            places: None,
            behaviours: Behaviours::PLAIN,
            time: TimeModel::Continuous,
        };
        answering(&question, &self.method)
    }
}
