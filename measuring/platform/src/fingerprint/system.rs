//! What runs on the machine and what it is made of: distribution, services, control groups, security, board.

use super::capture::{Facts, one_line};
use crate::cgroup::{self, Cgroups};
use crate::process;

pub(super) fn add(facts: &mut Facts) {
    facts.picked("system.distribution", "/etc/os-release", distribution);
    facts.picked("system.first_process", "/proc/1/comm", |text| Some(text.to_owned()));
    facts.files(&[
        ("system.security_modules", "/sys/kernel/security/lsm"),
        ("system.printk", "/proc/sys/kernel/printk"),
        ("system.watchdog", "/proc/sys/kernel/watchdog"),
        ("system.nmi_watchdog", "/proc/sys/kernel/nmi_watchdog"),
        ("system.watchdog_cpumask", "/proc/sys/kernel/watchdog_cpumask"),
        ("system.workqueue_cpumask", "/sys/devices/virtual/workqueue/cpumask"),
        ("system.default_smp_affinity", "/proc/irq/default_smp_affinity"),
    ]);
    services(facts);
    groups(facts);
    board(facts);
}

fn distribution(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}

fn services(facts: &mut Facts) {
    const RUNNING: &str = "/run/systemd/system";
    let yes_no = |yes: bool| Ok(if yes { "yes" } else { "no" }.to_owned());
    if facts.root.exists("/proc") {
        facts.put("system.systemd", RUNNING, yes_no(facts.root.exists(RUNNING)));
    } else {
        facts.missing("system.systemd", "/proc does not exist");
    }
    let all = process::all(facts.root);
    let runs =
        all.map(|all| if all.iter().any(|process| process.name == "irqbalance") { "yes" } else { "no" }.to_owned());
    facts.put("system.irqbalance", "/proc/*/stat", runs);
}

fn groups(facts: &mut Facts) {
    let version = Cgroups::read(facts.root).map(|groups| groups.version().to_owned());
    facts.put("system.cgroups", "/proc/self/mountinfo", version);
    facts.put("system.own_cgroup", "/proc/self/cgroup", cgroup::place_without_names(facts.root));
}

/// PCs describe themselves in DMI, boards in the device tree; serial numbers and tags are not read.
fn board(facts: &mut Facts) {
    let fields =
        ["sys_vendor", "product_name", "board_vendor", "board_name", "bios_vendor", "bios_version", "bios_date"];
    for field in fields {
        facts.file(&format!("board.{field}"), &format!("/sys/class/dmi/id/{field}"));
    }
    for (name, path) in
        [("board.model", "/proc/device-tree/model"), ("board.compatible", "/proc/device-tree/compatible")]
    {
        facts.picked(name, path, |text| Some(one_line(&text.replace('\0', " "))));
    }
}
