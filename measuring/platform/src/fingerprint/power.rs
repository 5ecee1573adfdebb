//! Frequencies and idle states: what the processor does when it could do less.

use super::capture::Facts;
use crate::root::{Reading, Root};
use crate::topology::{CPUS, Topology};
use prazo_core::cpu::CpuSet;

pub(super) fn add(facts: &mut Facts) {
    let frequency = format!("{CPUS}/cpu0/cpufreq");
    facts.files(&[
        ("power.frequency_driver", &format!("{frequency}/scaling_driver")),
        ("power.frequency_min_khz", &format!("{frequency}/scaling_min_freq")),
        ("power.frequency_max_khz", &format!("{frequency}/scaling_max_freq")),
        ("power.energy_preference", &format!("{frequency}/energy_performance_preference")),
        ("power.no_turbo", &format!("{CPUS}/intel_pstate/no_turbo")),
        ("power.boost", &format!("{CPUS}/cpufreq/boost")),
        ("power.amd_pstate", &format!("{CPUS}/amd_pstate/status")),
        ("power.idle_driver", &format!("{CPUS}/cpuidle/current_driver")),
        ("power.idle_governor", &format!("{CPUS}/cpuidle/current_governor")),
        ("power.pcie_aspm", "/sys/module/pcie_aspm/parameters/policy"),
    ]);
    governors(facts);
    idle_states(facts);
}

/// `performance`, or `performance on 0-2, powersave on 3` where processors differ.
fn governors(facts: &mut Facts) {
    let all = governors_by_name(facts.root);
    let value = all.map(|all| match &all[..] {
        [(governor, _)] => governor.clone(),
        several => several.iter().map(|(name, cpus)| format!("{name} on {cpus}")).collect::<Vec<_>>().join(", "),
    });
    facts.put("power.governor", "cpu*/cpufreq/scaling_governor", value);
}

/// The governors in use, each with its processors; an error where one of the processors does not tell.
pub(crate) fn governors_by_name(root: &Root) -> Reading<Vec<(String, CpuSet)>> {
    let mut all: Vec<(String, CpuSet)> = Vec::new();
    for place in Topology::read(root)?.places {
        let name = root.read(&format!("{CPUS}/cpu{}/cpufreq/scaling_governor", place.cpu))?;
        let cpu = CpuSet::only(place.cpu);
        match all.iter_mut().find(|(other, _)| *other == name) {
            Some((_, cpus)) => *cpus = cpus.union(cpu),
            None => all.push((name, cpu)),
        }
    }
    Ok(all)
}

/// `POLL 0us, C1 2us, C6 133us (off)`.
fn idle_states(facts: &mut Facts) {
    let folder = format!("{CPUS}/cpu0/cpuidle");
    let states = facts.root.list(&folder).map(|names| {
        let all: Vec<String> = names.iter().filter_map(|name| state(facts, &format!("{folder}/{name}"))).collect();
        all.join(", ")
    });
    facts.put("power.idle_states", &folder, states);
}

fn state(facts: &Facts, folder: &str) -> Option<String> {
    let name = facts.root.read(&format!("{folder}/name")).ok()?;
    let latency = facts.root.read_number(&format!("{folder}/latency")).ok()?;
    let off = facts.root.read_number(&format!("{folder}/disable")).is_ok_and(|disabled| disabled != 0);
    Some(format!("{name} {latency}us{}", if off { " (off)" } else { "" }))
}
