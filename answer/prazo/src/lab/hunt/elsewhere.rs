//! Boots of a hunt by other machines: what goes out, what comes back, and what both sides compare.
//!
//! A candidate's study goes out, and a line of the journal comes back. Runs stay where they are: the worst boot is made again
//! here, which shows as well that the workers' samples are those of this machine.

use super::boot::{BootResult, Guest, Station};
use crate::error::Error;
use crate::guest::{guest_error, lab_error};
use crate::progress::Progress;
use prazo_lab::Lab;
use prazo_platform::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The facts that decide a boot, by name.
pub(super) type Facts = BTreeMap<String, Option<String>>;

/// What all boots of a hunt have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SharedByBoots {
    platform: String,
    limit_ns: u64,
    /// A study without loads, of which the conditions are.
    any: String,
    conditions: Facts,
}

/// One boot for another machine, as `prazo lab try-boot` reads it.
#[derive(Clone, Debug, Deserialize)]
pub struct BootJob {
    #[serde(flatten)]
    shared: SharedByBoots,
    study: String,
}

/// What differs from boot to boot.
#[derive(Clone, Debug, Serialize)]
pub(super) struct BootItem {
    study: String,
}

impl SharedByBoots {
    pub(super) fn of(guest: &Guest<'_>, conditions: &Facts) -> Self {
        let limit_ns = guest.station().limit.as_nanos() as u64;
        Self { platform: guest.space.platform.clone(), limit_ns, any: guest.any(), conditions: conditions.clone() }
    }
}

impl BootItem {
    pub(super) fn of(study: String) -> Self {
        Self { study }
    }
}

/// The facts of a fingerprint, without their sources.
pub(super) fn facts(fingerprint: Fingerprint) -> Facts {
    fingerprint.facts.into_iter().map(|(name, fact)| (name, fact.value)).collect()
}

/// Makes one boot for a hunt on another machine.
///
/// # Errors
/// The lab is incomplete, has another kernel, agent or emulator, or the boot cannot be made.
pub fn try_boot(job: &BootJob, progress: &mut dyn Progress) -> Result<BootResult, Error> {
    let attempt = format!("cannot boot {} for a hunt", job.shared.platform);
    booted(job, progress).map_err(|error| error.attempting(attempt))
}

fn booted(job: &BootJob, progress: &mut dyn Progress) -> Result<BootResult, Error> {
    let stop = progress.stop().map_err(Error::failed)?;
    let BootJob { shared, study } = job;
    let lab = Lab::find().map_err(lab_error)?;
    let limit = Duration::from_nanos(shared.limit_ns);
    let station = Station { lab: &lab, platform: &shared.platform, limit };
    same_conditions(&shared.conditions, &facts(station.conditions(&shared.any)?))?;
    let folder = tempfile::tempdir().map_err(Error::failed)?;
    let outcome = station.boot(study, &folder.path().join("boot.prazo"), &|| stop.is_set());
    outcome.map_err(|error| if stop.is_set() { Error::Interrupted } else { guest_error(error) })
}

/// A boot under other conditions is another boot.
fn same_conditions(wanted: &Facts, found: &Facts) -> Result<(), Error> {
    let value = |facts: &Facts, name: &str| facts.get(name).cloned().flatten().unwrap_or_else(|| "nothing".to_owned());
    let names: Vec<&String> = wanted.keys().chain(found.keys()).collect();
    match names.into_iter().find(|name| wanted.get(*name) != found.get(*name)) {
        None => Ok(()),
        Some(name) => {
            let (here, there) = (value(found, name), value(wanted, name));
            Err(Error::failed(format!("this worker's lab has {name} {here}, and the hunt's has {there}")).with_remedy(
                "give all machines the same lab: `prazo lab export` on one, `prazo lab import` on the others",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts_of(kernel: &str) -> Facts {
        [("lab.kernel_sha256".to_owned(), Some(kernel.to_owned()))].into()
    }

    #[test]
    fn another_kernel_on_a_worker_is_named_with_both_values() {
        assert!(same_conditions(&facts_of("a"), &facts_of("a")).is_ok());
        for found in [facts_of("b"), Facts::new()] {
            let error = same_conditions(&facts_of("a"), &found).unwrap_err().to_string();
            assert!(error.contains("lab.kernel_sha256") && error.contains("has a"), "{error}");
        }
    }

    #[test]
    fn what_goes_out_is_what_a_worker_reads() {
        let shared = SharedByBoots {
            platform: "lab:rt-full".into(),
            limit_ns: 300,
            any: "[study]".into(),
            conditions: facts_of("a"),
        };
        let mut line = serde_json::to_value(&shared).unwrap();
        line["study"] = serde_json::to_value(BootItem::of("text".into())).unwrap()["study"].clone();
        let job: BootJob = serde_json::from_value(line).unwrap();
        assert_eq!((job.study.as_str(), job.shared.platform.as_str()), ("text", "lab:rt-full"));
        assert_eq!((job.shared.limit_ns, job.shared.conditions), (300, facts_of("a")));
    }
}
