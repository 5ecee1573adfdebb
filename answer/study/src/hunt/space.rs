//! What a hunt may choose, and what stays: the platform and the task are given; seeds, phases, rates and rhythms are chosen.

use prazo_core::time::Duration;
use prazo_load::{self as load, Rate};
use prazo_run::plan::Policy;
use serde::Serialize;

/// How far a paced load's rate may be from its default, both ways.
const RATE_RATIO: f64 = 4.0;
/// Workers that a load may have.
const WORKERS_MOST: u32 = 3;

/// What a hunt may choose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Space {
    /// The platform, `lab:NAME`.
    pub platform: String,
    /// The measured task.
    pub task: Task,
    /// Shortest time that the loads run before measuring starts.
    #[serde(with = "ns")]
    pub lead_in: Duration,
    /// The loads.
    pub loads: Vec<LoadRange>,
}

/// The measured task of every boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Task {
    /// Its policy.
    pub policy: Policy,
    /// Distance of its activations.
    #[serde(with = "ns")]
    pub period: Duration,
    /// Duration of the measurement.
    #[serde(with = "ns")]
    pub length: Duration,
}

/// A load, and the rates that it may have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadRange {
    /// Its name in the catalogue.
    pub name: String,
    /// Its rates.
    pub rates: Rates,
}

/// The rates that a load may have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rates {
    /// This one; `None` is the load's default.
    Only(Option<f64>),
    /// From one worker to this many.
    Workers(u32),
    /// Between the two.
    Between {
        /// The lowest.
        least: f64,
        /// The highest.
        most: f64,
    },
}

/// Why there is nothing to hunt in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpaceError {
    /// A load that nobody knows, or one of foreign programs.
    #[error("a hunt uses only prazo's own loads, and '{0}' is not one of them; `prazo load --list` has the names")]
    NotOwn(String),
    /// A load that is named twice.
    #[error("load '{0}' is named twice; name each load once")]
    Twice(String),
    /// Without a load, boots differ in their seed alone.
    #[error(
        "a hunt needs a load, because it searches for the load settings that delay the task most; name one with --load"
    )]
    NoLoad,
    /// A period or a length of nothing.
    #[error("the {0} is zero; give a value such as 1ms")]
    Zero(&'static str),
}

impl Space {
    /// With these loads; a rate that is given stays.
    pub fn new(
        platform: String,
        task: Task,
        lead_in: Duration,
        loads: &[(String, Option<f64>)],
    ) -> Result<Self, SpaceError> {
        if loads.is_empty() {
            return Err(SpaceError::NoLoad);
        }
        if task.period.is_zero() {
            return Err(SpaceError::Zero("period"));
        }
        if task.length.is_zero() {
            return Err(SpaceError::Zero("duration"));
        }
        let mut all: Vec<LoadRange> = Vec::new();
        for (name, rate) in loads {
            if all.iter().any(|one| one.name == *name) {
                return Err(SpaceError::Twice(name.clone()));
            }
            let rates = rates(name)?;
            let rates = rate.map_or(rates, |rate| Rates::Only(Some(rate)));
            all.push(LoadRange { name: name.clone(), rates });
        }
        Ok(Self { platform, task, lead_in, loads: all })
    }
}

fn rates(name: &str) -> Result<Rates, SpaceError> {
    let kind = load::over_cards(name).or_else(|| load::find(name)).filter(|kind| kind.is_own());
    let kind = kind.ok_or_else(|| SpaceError::NotOwn(name.to_owned()))?;
    Ok(match kind.rate {
        Rate::Paced { default: Some(usual), most } => {
            Rates::Between { least: usual / RATE_RATIO, most: most.min(usual * RATE_RATIO) }
        }
        Rate::Paced { default: None, .. } => Rates::Only(None),
        Rate::Workers { most, .. } => Rates::Workers(most.min(WORKERS_MOST)),
        Rate::Processors => Rates::Workers(WORKERS_MOST),
    })
}

/// A duration as a number of nanoseconds.
mod ns {
    use prazo_core::time::Duration;

    pub(super) fn serialize<S: serde::Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(time.as_ns())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::hunt) fn space() -> Space {
        let task =
            Task { policy: Policy::Fifo { priority: 90 }, period: Duration::from_ms(1), length: Duration::from_s(1) };
        let loads = [("compile".to_owned(), None), ("udp-flood".to_owned(), None)];
        Space::new("lab:standard-full".into(), task, Duration::from_ms(200), &loads).unwrap()
    }

    #[test]
    fn foreign_loads_unknown_ones_and_none_are_refused_by_name() {
        let refused = |loads: &[&str]| {
            let loads: Vec<_> = loads.iter().map(|name| ((*name).to_owned(), None)).collect();
            Space::new(String::new(), space().task, Duration::ZERO, &loads).unwrap_err()
        };
        assert_eq!(refused(&["hackbench"]), SpaceError::NotOwn("hackbench".into()));
        assert_eq!(refused(&["no-such"]), SpaceError::NotOwn("no-such".into()));
        assert_eq!(refused(&["cpu", "cpu"]), SpaceError::Twice("cpu".into()));
        assert_eq!(refused(&[]), SpaceError::NoLoad);
    }
}
