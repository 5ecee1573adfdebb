//! What a study needs that is not installed, known before anything is measured.

use crate::cell::{CellSource, Here};
use crate::remote_target::RemoteTarget;
use crate::study::Study;
use crate::{matrix, needs};
use prazo_platform::programs;
use std::collections::BTreeMap;

/// The foreign programs of all cells that are measured here or in guests, which have this system's programs, as far as they are
/// missing: each with the Debian package that holds it.
pub fn missing_programs(study: &Study, here: &Here) -> BTreeMap<&'static str, &'static str> {
    missing_in(&programs::search_path(), study, here)
}

fn missing_in(path: &str, study: &Study, here: &Here) -> BTreeMap<&'static str, &'static str> {
    let cells = matrix::cells(study, here);
    let plans = cells.iter().flat_map(|cell| match &cell.source {
        CellSource::Measure { on: Some(RemoteTarget::Board(_)), .. } | CellSource::Import(_) => &[][..],
        CellSource::Measure { plans, .. } => plans.get(..1).unwrap_or_default(),
    });
    plans.flat_map(|plan| needs::missing(plan, path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_installed_is_known_with_its_package_before_anything_is_measured() {
        let text = "[study]\nname = \"a\"\ntitle = \"a\"\nquestion = \"a\"\n[[platform]]\nid = \"p\"\n\
                    [[load]]\nid = \"l\"\ngenerators = [{ name = \"memory\" }, { name = \"dd\" }, { name = \"stress-ng-cpu\" }]\n\
                    [[probe]]\nid = \"a\"\npolicy = \"other\"\nlength = \"1s\"\n";
        let cpus = "0-1".parse().unwrap();
        let here = Here { platform: None, cpus, housekeeping_cpu: None, deadline: None };
        let found = missing_in("/nowhere", &Study::parse("a.toml", text).unwrap(), &here);
        assert_eq!(found, BTreeMap::from([("dd", "coreutils"), ("stress-ng", "stress-ng")]), "our own load takes none");
    }
}
