//! The answer of a hunt as `--json` prints it.

use super::boot::Booted;
use super::request::HuntRequest;
use crate::lab::explain::micros;
use prazo_core::text::counted;
use prazo_study::hunt::{Cause, LastInstant, Latencies};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// Result of a hunt for the largest latency.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Hunted {
    /// Platform on which the hunt measured.
    pub platform: String,
    /// How the hunt chose its boots: random or evolution.
    pub method: String,
    /// Seed of all random choices of the hunt.
    pub seed: u64,
    /// Number of boots of the search.
    pub boots: u64,
    /// Number of boots of the search that an earlier command made.
    pub boots_found: u64,
    /// Number of boots of the search that failed.
    pub boots_failed: u64,
    /// Total time that guests measured in the boots of the search.
    pub measured_ns: u64,
    /// The boot with the largest latency.
    pub worst: WorstBoot,
    /// Boots with a larger latency than all boots before them.
    pub rises: Vec<Rise>,
    /// Cause of the worst boot's latency; null if no cause was searched for.
    pub cause: Option<CauseDocument>,
    /// Summary of the result in a few sentences.
    pub sentence: String,
}

/// The boot with the largest latency.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorstBoot {
    /// Number of the boot in the search, from 1.
    pub boot: u64,
    /// Largest latency of the boot.
    pub latency_ns: i64,
    /// Number of the activation that had the largest latency.
    pub activation: u64,
    /// Number of activations that the boot served.
    pub served: u64,
    /// Hash of the samples of the boot.
    pub samples: String,
    /// Study file that repeats the boot.
    pub study: String,
    /// Run file of the boot.
    pub run: String,
}

/// A boot with a larger latency than all boots before it.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Rise {
    /// Number of the boot in the search, from 1.
    pub boot: u64,
    /// Largest latency of the boot.
    pub latency_ns: i64,
}

/// Cause of the largest latency of a boot.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CauseDocument {
    /// Smallest latency with which a boot counts as late.
    pub late_from_ns: i64,
    /// Control boots, in which no load was left out; they differ from the worst boot only in a value of the plan that should have no effect.
    pub controls: Vec<ControlDocument>,
    /// Number of control boots that were late.
    pub controls_late: u64,
    /// Boots in which some of the loads were left out.
    pub without: Vec<WithoutDocument>,
    /// A minimal set of loads with which the boot is late.
    pub needed: Vec<String>,
    /// Last instant at which ending a load prevents the latency; null if the instant is unknown.
    pub last_instant: Option<LastInstantDocument>,
    /// Why `last_instant` is unknown; null if it is known.
    pub reason: Option<String>,
    /// Number of boots that were made to find the cause.
    pub boots: u64,
}

/// A control boot, in which no load was left out.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ControlDocument {
    /// Largest latency of the control boot.
    pub latency_ns: i64,
    /// Latency that the worst activation of the worst boot has in the control boot; null where the control boot did not serve this activation.
    pub activation_latency_ns: Option<i64>,
}

/// A boot in which some of the loads were left out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WithoutDocument {
    /// The loads that were left out.
    pub loads: Vec<String>,
    /// Largest latency of the boot.
    pub latency_ns: i64,
    /// Whether the boot was late although these loads were left out.
    pub late: bool,
}

/// Last instant at which ending a load prevents the latency.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LastInstantDocument {
    /// The load that was ended early.
    pub load: String,
    /// Latest instant at which ending the load prevented the latency, measured from the load's start.
    pub helps_ns: u64,
    /// Earliest instant at which ending the load did not prevent the latency, measured from the load's start.
    pub too_late_ns: u64,
    /// When the late activation was due, measured from the load's start.
    pub due_ns: u64,
    /// Shortest pause of the load, beginning at `helps_ns`, that prevented the latency; null where no pause helped, or none could be tried.
    pub pause: Option<PauseDocument>,
}

/// Shortest pause of a load that prevents the latency, known to a millisecond.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PauseDocument {
    /// Duration of the shortest pause that prevented the latency.
    pub helps_ns: u64,
    /// Duration of the longest pause that did not prevent the latency; 0 where no shorter pause was tried.
    pub too_short_ns: u64,
}

impl Hunted {
    pub(super) fn of(
        request: &HuntRequest,
        tried: &[Booted],
        worst: &Booted,
        study: &Path,
        cause: Option<&Cause>,
        found: u64,
    ) -> Self {
        let measured = tried.iter().filter(|one| one.outcome.failed.is_none()).count() as u64;
        let cause = cause.map(CauseDocument::of);
        let outcome = &worst.outcome;
        let worst = WorstBoot {
            boot: worst.number as u64 + 1,
            latency_ns: outcome.latency_ns.unwrap_or_default(),
            activation: outcome.activation,
            served: outcome.served,
            samples: outcome.samples.clone(),
            study: study.display().to_string(),
            run: study.with_extension("prazo").display().to_string(),
        };
        let boots = tried.len() as u64;
        Self {
            platform: request.platform.clone(),
            method: request.method.name().to_owned(),
            seed: request.seed,
            boots,
            boots_found: found.min(boots),
            boots_failed: boots - measured,
            measured_ns: measured * request.task.length.as_ns(),
            rises: rises(tried),
            sentence: sentence(boots, &worst, cause.as_ref()),
            worst,
            cause,
        }
    }
}

fn rises(tried: &[Booted]) -> Vec<Rise> {
    let mut rises: Vec<Rise> = Vec::new();
    for one in tried {
        let Some(latency_ns) = one.outcome.latency_ns else { continue };
        if rises.last().is_none_or(|last| latency_ns > last.latency_ns) {
            rises.push(Rise { boot: one.number as u64 + 1, latency_ns });
        }
    }
    rises
}

impl CauseDocument {
    fn of(cause: &Cause) -> Self {
        let control =
            |one: &Latencies| ControlDocument { latency_ns: one.max_ns, activation_latency_ns: one.of_found_ns };
        let without = cause.without.iter().map(|one| WithoutDocument {
            loads: one.loads.clone(),
            latency_ns: one.latencies.max_ns,
            late: one.is_late,
        });
        Self {
            late_from_ns: cause.late_from_ns,
            controls: cause.controls.iter().map(control).collect(),
            controls_late: cause.late_controls() as u64,
            without: without.collect(),
            needed: cause.needed.clone(),
            last_instant: cause.last.as_ref().ok().map(LastInstantDocument::of),
            reason: cause.last.as_ref().err().map(|why| (*why).to_owned()),
            boots: cause.boots as u64,
        }
    }
}

impl LastInstantDocument {
    fn of(last: &LastInstant) -> Self {
        Self {
            load: last.load.clone(),
            helps_ns: last.helps.as_ns(),
            too_late_ns: last.too_late.as_ns(),
            due_ns: last.due.as_ns(),
            pause: last
                .pause
                .map(|pause| PauseDocument { helps_ns: pause.helps.as_ns(), too_short_ns: pause.too_short.as_ns() }),
        }
    }
}

/// What was found, whether it survives a small change, which loads it needs, and until when ending one helps.
fn sentence(boots: u64, worst: &WorstBoot, cause: Option<&CauseDocument>) -> String {
    let us = |ns: i64| micros(ns.unsigned_abs());
    let mut text = format!(
        "The worst of {} is boot {}: activation {} was {} late.",
        counted(boots, "boot"),
        worst.boot,
        worst.activation,
        us(worst.latency_ns)
    );
    let Some(cause) = cause else { return text };
    let (late, all) = (cause.controls_late, cause.controls.len() as u64);
    text += &format!(
        " {late} of {}, in which no load was left out, {} late (by at least {}).",
        counted(all, "control boot"),
        is(late),
        us(cause.late_from_ns)
    );
    if late < all {
        text += " So a change of the plan that should have no effect can remove this latency. A boot \
                 without a load may be on time for the same reason, so it shows little about that load.";
    }
    let alone = cause.without.iter().filter(|one| one.loads.len() == 1 && !one.late);
    for one in alone {
        text += &format!(" Without {} the largest latency is {}.", one.loads[0], us(one.latency_ns));
    }
    text += &match cause.needed.as_slice() {
        [] => " The latency needs none of the loads.".to_owned(),
        needed => format!(" The latency needs {}.", needed.join(" and ")),
    };
    if let Some(last) = &cause.last_instant {
        let ms = |ns: u64| format!("{:.1} ms", ns as f64 / 1e6);
        text += &format!(
            " Ending {} {} after its start prevents the latency; ending it at {}, {} before the activation is due, \
             does not.",
            last.load,
            ms(last.helps_ns),
            ms(last.too_late_ns),
            ms(last.due_ns.saturating_sub(last.too_late_ns))
        );
        if let Some(pause) = &last.pause {
            text += &format!(" A pause of {} from {} on prevents it, too", ms(pause.helps_ns), ms(last.helps_ns));
            text += &match pause.too_short_ns {
                0 => ".".to_owned(),
                too_short => format!("; a pause of {} does not.", ms(too_short)),
            };
        }
    }
    text
}

fn is(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst() -> WorstBoot {
        WorstBoot {
            boot: 17,
            latency_ns: 138_123,
            activation: 412,
            served: 1_000,
            samples: "a".into(),
            study: "h/worst.toml".into(),
            run: "h/worst.prazo".into(),
        }
    }

    fn cause(late: usize) -> CauseDocument {
        let late_latencies = |is_late| Latencies { max_ns: if is_late { 130_000 } else { 40_000 }, of_found_ns: None };
        let without = |load: &str, is_late| prazo_study::hunt::Without {
            loads: vec![load.to_owned()],
            latencies: late_latencies(is_late),
            is_late,
        };
        let ms = prazo_core::time::Duration::from_ms;
        let pause = Some(prazo_study::hunt::ShortestPause { helps: ms(2), too_short: ms(1) });
        CauseDocument::of(&Cause {
            late_from_ns: 110_498,
            controls: (0..3).map(|number| late_latencies(number < late)).collect(),
            without: vec![without("compile", false), without("cpu", true)],
            needed: vec!["compile".into()],
            last: Ok(LastInstant { load: "compile".into(), helps: ms(610), too_late: ms(612), due: ms(615), pause }),
            boots: 12,
        })
    }

    #[test]
    fn the_sentence_names_latency_controls_loads_and_the_last_instant() {
        assert_eq!(
            sentence(24, &worst(), Some(&cause(3))),
            "The worst of 24 boots is boot 17: activation 412 was 138 µs late. 3 of 3 control boots, in which no load was left out, are late \
             (by at least 110 µs). Without compile the largest latency is 40.0 µs. The latency needs compile. Ending compile \
             610.0 ms after its start prevents the latency; ending it at 612.0 ms, 3.0 ms before the activation is \
             due, does not. A pause of 2.0 ms from 610.0 ms on prevents it, too; a pause of 1.0 ms does not."
        );
        let fragile = sentence(24, &worst(), Some(&cause(1)));
        assert!(
            fragile.contains("1 of 3 control boots, in which no load was left out, is late")
                && fragile.contains("a change of the plan that should have no effect can remove"),
            "{fragile}"
        );
    }
}
