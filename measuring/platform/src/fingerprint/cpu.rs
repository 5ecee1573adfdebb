//! The processor, its parts in use, and what its makers' errors cost.

use super::capture::Facts;
use crate::topology::{CPUS, Topology};
use crate::virtualisation;
use std::collections::BTreeMap;

const INFO: &str = "/proc/cpuinfo";

/// Flags that say how time is kept and whether there is a hypervisor below.
const FLAGS: [&str; 9] = [
    "constant_tsc",
    "nonstop_tsc",
    "tsc_known_freq",
    "tsc_deadline_timer",
    "arat",
    "hypervisor",
    "x2apic",
    "cat_l3",
    "mba",
];

pub(super) fn add(facts: &mut Facts) {
    // Arm writes neither a model name nor flags, but numbers of the maker and the part.
    let fields = [
        ("cpu.model", vec!["model name", "Model", "cpu"]),
        ("cpu.vendor", vec!["vendor_id", "CPU implementer", "mvendorid"]),
        ("cpu.family", vec!["cpu family", "CPU architecture", "isa"]),
        ("cpu.part", vec!["model", "CPU part", "marchid"]),
        ("cpu.stepping", vec!["stepping", "CPU revision", "mimpid"]),
        ("cpu.microcode", vec!["microcode"]),
    ];
    for (name, keys) in fields {
        facts.picked(name, INFO, |text| keys.iter().find_map(|key| field(text, key)));
    }
    facts.picked("cpu.flags", INFO, flags);
    facts.files(&[
        ("cpu.online", &format!("{CPUS}/online")),
        ("cpu.possible", &format!("{CPUS}/possible")),
        ("cpu.isolated", &format!("{CPUS}/isolated")),
        ("cpu.nohz_full", &format!("{CPUS}/nohz_full")),
        ("cpu.smt", &format!("{CPUS}/smt/control")),
    ]);
    topology(facts);
    vulnerabilities(facts);
    match virtualisation::hypervisor(facts.root) {
        Ok(found) => facts.put("cpu.hypervisor", &found.source, Ok(found.name.unwrap_or_else(|| "none".into()))),
        Err(error) => facts.missing("cpu.hypervisor", &error.to_string()),
    }
}

/// The first value of a key of /proc/cpuinfo.
pub(crate) fn field(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

fn flags(text: &str) -> Option<String> {
    let all = field(text, "flags").or_else(|| field(text, "Features"))?;
    let all: Vec<&str> = all.split_whitespace().collect();
    Some(FLAGS.into_iter().filter(|flag| all.contains(flag)).collect::<Vec<_>>().join(" "))
}

fn topology(facts: &mut Facts) {
    let topology = match Topology::read(facts.root) {
        Ok(topology) => topology,
        Err(error) => return facts.missing("cpu.packages", &error.to_string()),
    };
    let packages: std::collections::BTreeSet<_> = topology.places.iter().filter_map(|place| place.package).collect();
    let cores: std::collections::BTreeSet<_> = topology.places.iter().map(|place| place.siblings.to_string()).collect();
    facts.put("cpu.packages", "topology/physical_package_id", Ok(packages.len().to_string()));
    facts.put("cpu.cores", "topology/thread_siblings_list", Ok(cores.len().to_string()));
    facts.put("cpu.allowed", "/proc/self/status, Cpus_allowed_list", Ok(topology.allowed.to_string()));
    caches(facts, &topology);
}

/// `cpu.cache.L3.Unified` is `32768K shared by 0-1`, with ` | ` between different ones.
fn caches(facts: &mut Facts, topology: &Topology) {
    let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for cache in topology.places.iter().flat_map(|place| &place.caches) {
        let shared = format!("{} shared by {}", cache.size, cache.shared);
        let all = by_name.entry(format!("cpu.cache.L{}.{}", cache.level, cache.kind)).or_default();
        if !all.contains(&shared) {
            all.push(shared);
        }
    }
    for (name, all) in by_name {
        facts.put(&name, "cpu*/cache/index*", Ok(all.join(" | ")));
    }
}

fn vulnerabilities(facts: &mut Facts) {
    let folder = format!("{CPUS}/vulnerabilities");
    match facts.root.list(&folder) {
        Ok(names) => {
            for name in names {
                facts.file(&format!("cpu.mitigation.{name}"), &format!("{folder}/{name}"));
            }
        }
        Err(error) => facts.missing("cpu.mitigation", &error.to_string()),
    }
}
