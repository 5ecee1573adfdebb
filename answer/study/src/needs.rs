//! What a plan takes in a guest: programs of this system, drivers of the guest's kernel, cards of its machine.

use prazo_cost::workload::{self, Workload};
use prazo_lab::{LabError, Machine};
use prazo_load as load;
use prazo_platform::programs;
use prazo_run::Plan;
use prazo_run::source::{Source, Trigger};

/// What the command lines of foreign programs use beside the programs that they declare.
const AROUND: [&str; 3] = ["sh", "head", "ls"];

/// The driver of the machines' cards.
pub(crate) const CARDS_DRIVER: &str = "8139cp";

/// A disk in the guest's memory whose requests take 50 us and complete in a timer's interrupt, and its file system with the
/// checksums that it asks for by name.
const DISK_DRIVERS: [&str; 3] = [
    "crc32c_generic",
    "ext4",
    "null_blk gb=1 bs=512 memory_backed=1 discard=1 irqmode=2 completion_nsec=50000 submit_queues=1",
];

/// The plan's loads in the form that they have in a guest.
fn kinds(plan: &Plan) -> impl Iterator<Item = &'static load::LoadKind> {
    plan.loads.iter().filter_map(|load| load::over_cards(&load.name).or_else(|| load::find(&load.name)))
}

/// The foreign programs of the plan's loads, and those that their command lines use.
pub(crate) fn foreign_programs(plan: &Plan) -> Vec<String> {
    let named = kinds(plan).flat_map(|kind| kind.programs).map(|program| program.name);
    let around = if kinds(plan).all(load::LoadKind::is_own) { &[][..] } else { &AROUND[..] };
    let of_workloads = workloads(plan).flat_map(|workload| workload.programs).map(|program| program.name);
    named.chain(around.iter().copied()).chain(of_workloads).map(str::to_owned).collect()
}

/// The foreign programs of a plan's loads and workloads that this system does not have, each with the Debian package that holds it.
pub(crate) fn missing<'a>(plan: &'a Plan, path: &'a str) -> impl Iterator<Item = (&'static str, &'static str)> + 'a {
    let of_loads = kinds(plan).flat_map(|kind| kind.programs).map(|program| (program.name, program.package));
    let of_workloads =
        workloads(plan).flat_map(|workload| workload.programs).map(|program| (program.name, program.package));
    of_loads.chain(of_workloads).filter(move |(name, _)| programs::find_in(name, path).is_none())
}

/// The plan's workloads; one that nobody knows is refused by name in the guest.
fn workloads(plan: &Plan) -> impl Iterator<Item = &'static Workload> {
    plan.workloads.iter().filter_map(|workload| workload::find(&workload.name))
}

/// Floods and frames that trigger come through the machine's cards, other loads with a network have a pair of virtual ones; loads that
/// write files have a disk, as workloads always have.
pub(crate) fn drivers(plan: &Plan) -> Vec<String> {
    let virtually = kinds(plan).any(|kind| kind.has_network() && load::over_cards(kind.name).is_none());
    let named = [(virtually, &["veth"][..]), (takes_cards(plan), &[CARDS_DRIVER]), (takes_disk(plan), &DISK_DRIVERS)];
    let needed = named.into_iter().filter(|(is_needed, _)| *is_needed);
    needed.flat_map(|(_, names)| names).map(|name| (*name).to_owned()).collect()
}

fn takes_disk(plan: &Plan) -> bool {
    kinds(plan).any(load::LoadKind::has_disk) || !plan.workloads.is_empty()
}

/// True where frames shall travel from one card of the machine to another.
fn takes_cards(plan: &Plan) -> bool {
    let triggers = matches!(&plan.source, Source::Interrupt(source) if source.trigger == Trigger::Frame);
    triggers || kinds(plan).any(|kind| load::over_cards(kind.name).is_some())
}

/// A plan that needs two cards on a machine that has fewer is refused before anything boots.
pub(crate) fn check_cards(plan: &Plan, machine: &Machine) -> Result<(), LabError> {
    if takes_cards(plan) && machine.cards < 2 {
        return Err(LabError::NoSecondCard { machine: machine.name.clone(), cards: machine.cards });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::plan::{Length, LoadPlan, Policy};

    fn plan(loads: &[&str]) -> Plan {
        let load = |name: &&str| LoadPlan { name: (*name).to_owned(), rate: None, rhythm: None };
        let loads = loads.iter().map(load).collect();
        Plan { loads, ..Plan::new(Source::Timer, Policy::Other, Vec::new(), Length::Activations { count: 1 }) }
    }

    #[test]
    fn a_flood_takes_the_machines_cards_and_a_stream_a_pair_of_virtual_ones() {
        assert_eq!(drivers(&plan(&["udp-flood", "icmp-flood"])), [CARDS_DRIVER]);
        assert_eq!(drivers(&plan(&["tcp-stream"])), ["veth"]);
    }

    #[test]
    fn an_own_load_takes_no_program_of_this_system_and_a_foreign_one_takes_its_own() {
        assert!(foreign_programs(&plan(&["udp-flood", "tcp-stream", "scheduler", "memory"])).is_empty());
        assert_eq!(foreign_programs(&plan(&["cpu", "hackbench"])), ["hackbench", "sh", "head", "ls"]);
    }

    #[test]
    fn what_writes_files_takes_a_disk() {
        assert!(drivers(&plan(&["disk-write"])).iter().any(|driver| driver.starts_with("null_blk ")));
        assert!(foreign_programs(&plan(&["disk-write", "compile"])).is_empty());
        assert!(drivers(&plan(&["cpu"])).is_empty());
    }

    #[test]
    fn a_flood_on_a_machine_with_one_card_is_refused_with_the_machines_name() {
        let machine = Machine { cards: 1, ..Machine::find("linux-1").unwrap() };
        let error = check_cards(&plan(&["udp-flood"]), &machine).unwrap_err().to_string();
        assert!(error.contains("linux-1") && error.contains("cards = 2"), "{error}");
        assert!(check_cards(&plan(&["cpu"]), &machine).is_ok());
    }
}
