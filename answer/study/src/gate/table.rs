//! The gate's answer as plain text: the answer, what moved, what may differ, and every figure that was compared.

use super::conditions::Different;
use super::result::{Compared, Direction, GateOutcome, GateResult, Movement};
use prazo_core::text::counted;
use prazo_stats::observed_range::Ends;
use prazo_stats::seed_shift;
use prazo_verdict::claim::figures;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

/// Gates on an unchanged kernel that may report a movement.
const FALSE_ALARMS: f64 = 0.05;

impl Display for GateResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.sentence())?;
        self.moved().try_for_each(|one| writeln!(f, "  {}", one.sentence()))?;
        self.explanation_lines().iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        differing(&self.differs).iter().try_for_each(|details| writeln!(f, "  differs, as allowed: {details}"))?;
        self.left_open().iter().try_for_each(|details| writeln!(f, "  {details}"))?;
        let unsupported = self.undecided().filter(|one| !one.is_open());
        unsupported
            .into_iter()
            .try_for_each(|one| writeln!(f, "  no value in the baseline or in this run: {}", one.sentence()))?;
        write!(f, "  {}", self.basis())
    }
}

impl GateResult {
    /// The answer in one sentence.
    pub fn sentence(&self) -> String {
        let (moved, all) = (self.moved().count(), self.compared.len());
        match self.outcome {
            GateOutcome::Moved => {
                format!(
                    "Compared with {}: {moved} of {} moved beyond the seeds' spread.",
                    self.baseline,
                    counted(all as u64, "figure")
                )
            }
            GateOutcome::Unmoved => {
                format!(
                    "Compared with {}: no figure moved beyond the seeds' spread in a direction that counts.",
                    self.baseline
                )
            }
            GateOutcome::Undecidable => {
                format!("Compared with {}: it cannot be decided whether a figure moved.", self.baseline)
            }
        }
    }

    /// What the answer rests on.
    pub fn basis(&self) -> String {
        let which = match self.direction {
            Direction::Either => "in either direction",
            Direction::Worse => "to larger values",
            Direction::Better => "to smaller values",
        };
        let figures = self.compared.len() - self.undecided().count();
        if figures == 0 {
            return format!("no figure was compared; movements {which} count");
        }
        let basis = format!(
            "{} compared; movements {which} count; probability that any figure is reported as moved although \
             nothing changed: below {:.2} % (sum over the figures)",
            counted(figures as u64, "figure"),
            // Rounded up: it is a bound.
            (self.chance_max * 1e4).ceil() / 1e2
        );
        match self.chance_max > FALSE_ALARMS {
            true => {
                let seeds = seed_shift::seeds_for(figures, FALSE_ALARMS);
                format!("{basis}; {seeds} seeds on each side keep this below {:.0} %", FALSE_ALARMS * 100.0)
            }
            false => basis,
        }
    }

    /// The figures that moved so that it counts.
    pub fn moved(&self) -> impl Iterator<Item = &Compared> {
        self.compared.iter().filter(|one| self.direction.counts(one.movement))
    }

    /// What keeps the answer open: cells that were not compared, and figures that one side alone has.
    pub fn left_open(&self) -> Vec<String> {
        let left = self.left.iter().map(|left| format!("not completely compared: {}: {}", left.cell, left.reason));
        let open = self.compared.iter().filter(|one| one.is_open());
        left.chain(open.map(|one| format!("not decidable: {}", one.sentence()))).collect()
    }

    fn undecided(&self) -> impl Iterator<Item = &Compared> {
        self.compared.iter().filter(|one| one.movement == Movement::Undecidable)
    }
}

impl Compared {
    /// "rt.loaded.fifo: 99.9 % of response latency: 60.1us to 61.2us (4 seeds) became 80.3us (4 seeds), worse by ...".
    pub fn sentence(&self) -> String {
        let head = format!("{}: {}", self.cell, self.figure_of_quantity());
        if let Some(reason) = &self.reason {
            return format!("{head}: {reason}");
        }
        let ends = |ends: Option<Ends>| ends.map_or("-".into(), |ends| ends.to_string());
        let ns = |ns: Option<f64>| ns.map_or("-".into(), |ns| figures::ns(ns.abs()));
        let [before, now] = self.seeds;
        format!(
            "{head}: {} ({}) became {} ({}), {}: shift {}, threshold {}",
            ends(self.baseline),
            counted(before as u64, "seed"),
            ends(self.found),
            counted(now as u64, "seed"),
            self.movement,
            ns(self.gap_ns),
            ns(self.needed_ns)
        )
    }
}

impl Display for Movement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "unmoved",
            Self::Worse => "worse",
            Self::Better => "better",
            Self::Undecidable => "not decidable",
        })
    }
}

/// What differs, each once with the cells that it differs in: one sentence for each.
pub fn differing(all: &[Different]) -> Vec<String> {
    let mut cells: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
    for one in all {
        cells.entry((one.condition.name(), &one.baseline, &one.found)).or_default().push(&one.cell);
    }
    let sentence = |((condition, baseline, found), cells): ((&str, &str, &str), Vec<&str>)| {
        format!("the {condition} ({baseline} became {found}) of {}", cells.join(", "))
    };
    cells.into_iter().map(sentence).collect()
}
