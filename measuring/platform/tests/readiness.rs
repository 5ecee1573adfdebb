//! Readiness of machines that we do not have, check by check, and of this one.

mod common;

use common::Fixture;
use prazo_core::cpu::CpuSet;
use prazo_platform::readiness::{CheckOutcome, CheckResult, Scenario, check};
use prazo_platform::{Root, Severity, fingerprint, topology::Topology};

fn results(name: &str, scenario: &Scenario) -> Vec<CheckResult> {
    check(&Fixture::build(name).root(), scenario)
}

fn one(results: &[CheckResult], id: &str) -> CheckResult {
    results.iter().find(|result| result.id == id).unwrap_or_else(|| panic!("there is no check {id}")).clone()
}

fn cpus(list: &str) -> CpuSet {
    list.parse().unwrap()
}

/// One line for each check; a changed answer shows as a changed line. `PRAZO_TEST_BLESS=1` writes them anew.
fn compare_with_expected(name: &str) {
    let lines: Vec<String> = results(name, &Scenario::default())
        .iter()
        .map(|result| format!("{:<14} {:<6} {:<22} {}", result.outcome, result.severity, result.id, result.found))
        .collect();
    let path = common::file(&format!("{name}.expected"));
    if std::env::var_os("PRAZO_TEST_BLESS").is_some() {
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    for (line, expected) in lines.iter().zip(expected.lines()) {
        assert_eq!(line, expected, "{name}");
    }
    assert_eq!(lines.len(), expected.lines().count(), "{name}");
}

#[test]
fn a_well_tuned_preempt_rt_machine_has_no_finding_that_weighs() {
    compare_with_expected("tuned-rt");
    let results = results("tuned-rt", &Scenario { rt_cpus: Some(cpus("2-3")), ..Scenario::default() });
    let findings: Vec<&CheckResult> = results.iter().filter(|result| result.is_finding(Severity::Info)).collect();
    assert!(findings.is_empty(), "{findings:?}");
    assert!(results.iter().all(|result| result.tunable.is_empty()));
}

#[test]
fn a_stock_laptop_has_many_findings_each_with_a_remedy() {
    compare_with_expected("laptop");
    let results = results("laptop", &Scenario::default());
    assert!(one(&results, "preempt-rt").is_finding(Severity::Fatal));
    assert!(one(&results, "tsc-stable").found.contains("Marking TSC unstable"));
    assert!(one(&results, "priority-99").found.contains("multipathd"));
    assert_eq!(
        one(&results, "cgroup-quota").source,
        "/sys/fs/cgroup/user.slice/cpu.max",
        "a limit above ours binds too"
    );
    assert!(
        results.iter().all(|result| !result.fix.is_empty() && !result.why.is_empty() && !result.reference.is_empty())
    );
}

#[test]
fn a_container_that_shows_nothing_gets_no_ok() {
    compare_with_expected("container");
    for result in results("container", &Scenario::default()) {
        // All that it shows is its kernel's release: too old for a fair server, new enough for 64-bit time.
        let by_release = ["fair-server", "time-64-bit"].contains(&&*result.id);
        let expected = if by_release { CheckOutcome::NotApplicable } else { CheckOutcome::Unknown };
        assert_eq!(result.outcome, expected, "{}: {}", result.id, result.found);
    }
}

#[test]
fn a_board_without_x86_is_not_asked_for_x86() {
    compare_with_expected("raspberry");
    let results = results("raspberry", &Scenario::default());
    assert_eq!(one(&results, "tsc-stable").outcome, CheckOutcome::NotApplicable);
    assert_eq!(one(&results, "smi-count").outcome, CheckOutcome::NotApplicable);
    assert_eq!(one(&results, "bare-metal").outcome, CheckOutcome::Ok, "the device tree names a board");
    let affinity = one(&results, "irq-affinity");
    assert_eq!(affinity.tunable.len(), 1, "only the interrupt on the isolated processor has to move");
    assert_eq!(
        (affinity.tunable[0].knob.as_str(), affinity.tunable[0].to.as_str()),
        ("/proc/irq/33/smp_affinity", "7")
    );
}

#[test]
fn of_many_interrupts_on_real_time_processors_four_are_named_and_the_others_counted() {
    let machine = Fixture::build("laptop");
    let root = machine.root();
    for number in 122..125 {
        let folder = root.base().join(format!("proc/irq/{number}"));
        std::fs::create_dir_all(folder.join("usb")).unwrap();
        std::fs::write(folder.join("effective_affinity_list"), "1\n").unwrap();
    }
    let scenario = Scenario { rt_cpus: Some(cpus("0-2")), ..Scenario::default() };
    let expected = "5 of 5 interrupts on real-time processors (as selected): \
                    120 nvme0q1 on 2, 121 i915 on 0, 122 usb on 1, 123 usb on 1 and 1 more";
    assert_eq!(one(&check(&root, &scenario), "irq-affinity").found, expected);
}

#[test]
fn an_empty_tree_gets_no_ok_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    for result in check(&Root::at(folder.path()), &Scenario { busy_poll: true, network: true, ..Scenario::default() }) {
        assert_eq!(result.outcome, CheckOutcome::Unknown, "{}: {}", result.id, result.found);
        assert!(!result.found.is_empty() && !result.source.is_empty(), "{}", result.id);
    }
}

#[test]
fn a_32_bit_kernel_before_5_6_has_no_64_bit_time() {
    let outcome = |release: &str, config: Option<&str>| {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [("proc/sys/kernel/osrelease", Some(release)), (&*format!("boot/config-{release}"), config)]
        {
            let Some(text) = text else { continue };
            let file = folder.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let result = one(&check(&Root::at(folder.path()), &Scenario::default()), "time-64-bit");
        (result.outcome, result.found)
    };
    let (arm, arm64) = (Some("CONFIG_ARM=y\nCONFIG_HZ=250\n"), Some("CONFIG_ARM64=y\nCONFIG_64BIT=y\n"));
    let found = "kernel 4.19.71-rt24-v7l for a 32-bit processor still has 32-bit times";
    assert_eq!(outcome("4.19.71-rt24-v7l", arm), (CheckOutcome::Finding, found.into()));
    assert_eq!(outcome("5.5.19", arm).0, CheckOutcome::Finding);
    assert_eq!(outcome("5.6.0", arm).0, CheckOutcome::NotApplicable);
    assert_eq!(outcome("4.19.71", arm64).0, CheckOutcome::NotApplicable);
    assert_eq!(outcome("4.19.71", None).0, CheckOutcome::Unknown);
}

#[test]
fn severity_and_wish_follow_the_scenario() {
    let periodic = results("laptop", &Scenario::default());
    let network = results("laptop", &Scenario { network: true, ..Scenario::default() });
    assert_eq!(one(&periodic, "net-threaded").severity, Severity::Info);
    assert_eq!(one(&network, "net-threaded").severity, Severity::High);
    let polling = results("laptop", &Scenario { busy_poll: true, network: true, ..Scenario::default() });
    assert_eq!(one(&periodic, "tick-model").outcome, CheckOutcome::Ok);
    assert_eq!(one(&polling, "tick-model").outcome, CheckOutcome::Finding);
    assert_eq!(one(&polling, "net-busy-read").tunable[0].to, "50");
}

#[test]
fn a_processor_that_is_not_there_is_fatal() {
    let results = results("laptop", &Scenario { rt_cpus: Some(cpus("3-4")), ..Scenario::default() });
    let allowed = one(&results, "cpus-allowed");
    assert!(allowed.is_finding(Severity::Fatal) && allowed.found.contains("4 cannot be used"), "{}", allowed.found);
}

#[test]
fn named_processors_give_masks_of_the_others() {
    let results = results("laptop", &Scenario { rt_cpus: Some(cpus("1,3")), ..Scenario::default() });
    assert_eq!(one(&results, "workqueues").tunable[0].to, "5");
    assert_eq!(one(&results, "soft-watchdog").tunable[0].to, "0,2");
    assert_eq!(one(&results, "irq-affinity").outcome, CheckOutcome::Ok);
    assert_eq!(one(&results, "smt").outcome, CheckOutcome::Ok, "1 and 3 are one core");
    assert_eq!(one(&results, "governor").tunable.len(), 2, "only the real-time processors' governors are changed");
}

#[test]
fn ids_are_unique_kebab_case_and_json_has_the_promised_fields() {
    let results = results("container", &Scenario::default());
    let ids: std::collections::BTreeSet<&str> = results.iter().map(|result| result.id.as_str()).collect();
    assert_eq!(ids.len(), results.len());
    assert!(ids.iter().all(|id| id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')));
    let json = serde_json::to_value(&results[0]).unwrap();
    for field in ["id", "outcome", "severity", "found", "wanted", "source", "why", "reference", "fix", "tunable"] {
        assert!(json.get(field).is_some(), "{field}");
    }
}

#[test]
fn this_machine_answers_every_check_and_policies_are_tried() {
    let results = check(&Root::system(), &Scenario::default());
    let fifo = one(&results, "policy-fifo");
    assert_ne!(fifo.outcome, CheckOutcome::Unknown, "{}", fifo.found);
    assert!(fifo.source.contains("trial"));
    assert!(results.iter().all(|result| !result.found.is_empty()));
}

#[test]
fn fingerprints_of_the_machines_name_what_they_are() {
    let tuned = fingerprint::capture(&Fixture::build("tuned-rt").root());
    assert_eq!(tuned.get("kernel.preemption"), Some("rt"));
    assert_eq!(tuned.get("power.governor"), Some("performance"));
    assert!(tuned.get("cmdline").unwrap().contains("root=(left out)"));
    let board = fingerprint::capture(&Fixture::build("raspberry").root());
    assert_eq!(board.get("board.model"), Some("Raspberry Pi 4 Model B Rev 1.4"));
    assert_eq!(board.get("cpu.hypervisor"), Some("none"));
    let container = fingerprint::capture(&Fixture::build("container").root());
    assert_eq!(container.facts["cmdline"].source, "/proc/cmdline: permission denied");
}

#[test]
fn topologies_of_the_machines_choose_housekeeping() {
    let laptop = Topology::read(&Fixture::build("laptop").root()).unwrap();
    assert_eq!(laptop.choose_housekeeping(cpus("0")).unwrap().number(), 1, "2 shares the core of 0");
    let tuned = Topology::read(&Fixture::build("tuned-rt").root()).unwrap();
    assert_eq!(tuned.choose_housekeeping(cpus("3")).unwrap().number(), 0, "2 is isolated");
}
