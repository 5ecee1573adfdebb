//! Figures that a paper states of a platform whose samples nobody has: cells that claims may speak of like measured ones.

use crate::statistic::Statistic;
use crate::toml_values;
use prazo_core::time::Duration;
use prazo_run::run::Quantity;
use prazo_verdict::claim::Name;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One `[[stated]]`: what a paper's table says of one cell of its experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated {
    /// The cell's id.
    pub id: toml::Spanned<String>,
    /// The paper and the table.
    pub origin: String,
    /// What the paper says of the platform: kernel, policy, load.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The measured cell that repeats it, and is shown beside it.
    #[serde(default)]
    pub repeated_by: Option<Name>,
    /// How many samples each figure rests on, where the paper says so.
    pub count: Option<u64>,
    /// What programs pay there: T_exec / T_best_exec of Marsal 2013.
    #[serde(default)]
    pub penalty: Option<f64>,
    /// The figures, a row for each quantity; none where only a penalty is stated.
    #[serde(default)]
    pub figures: Vec<StatedRow>,
}

/// What is stated of one quantity; any of the four may be left out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedRow {
    /// What was measured.
    pub quantity: Quantity,
    /// Smallest.
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    pub min: Option<Duration>,
    /// Mean.
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    pub mean: Option<Duration>,
    /// Standard deviation.
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    pub deviation: Option<Duration>,
    /// Largest.
    #[serde(default, deserialize_with = "toml_values::maybe_duration")]
    pub max: Option<Duration>,
}

impl Stated {
    /// The row of a quantity.
    pub fn row(&self, quantity: Quantity) -> Option<&StatedRow> {
        self.figures.iter().find(|row| row.quantity == quantity)
    }

    /// What contradicts itself, if anything does: the problem and its remedy.
    pub fn contradiction(&self) -> Option<(String, String)> {
        let twice = self
            .figures
            .iter()
            .enumerate()
            .find(|(n, row)| self.figures[..*n].iter().any(|r| r.quantity == row.quantity));
        if let Some((_, row)) = twice {
            let problem = format!("{} is stated twice", row.quantity);
            return Some((problem, "keep one row for each quantity".into()));
        }
        if self.penalty.is_some_and(|penalty| !(penalty.is_finite() && penalty >= 1.0)) {
            return Some(("the penalty is not a number of at least 1".into(), "write 1.35 for 35 % more".into()));
        }
        if self.figures.is_empty() && self.penalty.is_none() {
            let problem = "the stated cell has neither figures nor a penalty";
            return Some((problem.into(), "give figures or a penalty".into()));
        }
        let disordered = self.figures.iter().find(|row| !row.is_in_order())?;
        let problem = format!("minimum, mean and maximum of {} are not in ascending order", disordered.quantity);
        Some((problem, "copy the figures as the paper states them".into()))
    }
}

impl StatedRow {
    /// One statistic, in nanoseconds.
    pub fn get(&self, statistic: Statistic) -> Option<f64> {
        let value = match statistic {
            Statistic::Min => self.min,
            Statistic::Mean => self.mean,
            Statistic::Deviation => self.deviation,
            Statistic::Max => self.max,
        };
        value.map(|value| value.as_ns() as f64)
    }

    fn is_in_order(&self) -> bool {
        [self.min, self.mean, self.max].into_iter().flatten().is_sorted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contradiction_names_the_quantity_as_the_study_writes_it() {
        let problem = |figures: &str| {
            let stated: Stated = toml::from_str(&format!("id = \"a\"\norigin = \"b\"\n{figures}")).unwrap();
            stated.contradiction().unwrap().0
        };
        let row =
            |max: u32| format!("[[figures]]\nquantity = \"response-latency\"\nmin = \"5us\"\nmax = \"{max}us\"\n");
        assert_eq!(problem(&row(6).repeat(2)), "response-latency is stated twice");
        assert_eq!(problem(&row(4)), "minimum, mean and maximum of response-latency are not in ascending order");
    }
}
