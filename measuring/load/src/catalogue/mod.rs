//! The standard loads, one file each, after the papers' own: prazo's own generators, and foreign programs by their names.
//!
//! `card_floods` has the forms that two of them take in a guest. Adding a load adds a file, a `mod` line and an entry
//! here; one of foreign programs in `foreign/`.

mod archive;
mod card_floods;
mod compile;
mod cpu;
mod disk_read;
mod disk_write;
mod file_tree;
mod foreign;
mod icmp_flood;
mod memory;
mod priority_inversion;
mod proc_read;
mod scheduler;
mod scheduler_futexes;
mod scheduler_pipes;
mod tcp_stream;
mod timer_interrupts;
mod udp_flood;

use super::load_kind::LoadKind;

static OWN: [LoadKind; 16] = [
    disk_read::KIND,
    file_tree::KIND,
    archive::KIND,
    compile::KIND,
    memory::KIND,
    cpu::KIND,
    scheduler::KIND,
    scheduler_pipes::KIND,
    scheduler_futexes::KIND,
    timer_interrupts::KIND,
    udp_flood::KIND,
    icmp_flood::KIND,
    tcp_stream::KIND,
    disk_write::KIND,
    proc_read::KIND,
    priority_inversion::KIND,
];

static OVER_CARDS: [LoadKind; 2] = [card_floods::UDP, card_floods::ICMP];

/// All loads, in the order in which they are listed: prazo's own, then those of foreign programs.
pub fn catalogue() -> impl Iterator<Item = &'static LoadKind> {
    OWN.iter().chain(&foreign::ALL)
}

/// The load of this name.
pub fn find(name: &str) -> Option<&'static LoadKind> {
    catalogue().find(|kind| kind.name == name)
}

/// The load of this name as it floods from one card of a machine to another; `None` for one that has no such form.
pub fn over_cards(name: &str) -> Option<&'static LoadKind> {
    OVER_CARDS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::load_kind::{Demand, OWN_PROGRAM, Rate, Scene};
    use super::*;
    use std::collections::BTreeSet;
    use std::net::Ipv4Addr;

    fn scene(demand: Demand) -> Scene {
        Scene { seed: 1, demand, work: "/nowhere".into(), receiver: Ipv4Addr::LOCALHOST, port: 5201, cards: None }
    }

    #[test]
    fn floods_over_cards_stand_for_loads_of_the_catalogue_in_the_same_unit() {
        for kind in &OVER_CARDS {
            assert_eq!(find(kind.name).unwrap().unit(), kind.unit());
            let demand = kind.demand(None, 1).unwrap();
            assert!(kind.asked(demand).is_some(), "{}: a guest's flood has a stated rate", kind.name);
        }
        assert!(over_cards("tcp-stream").is_none());
    }

    #[test]
    fn names_are_distinct_and_found() {
        let names: BTreeSet<_> = catalogue().map(|kind| kind.name).collect();
        assert_eq!(names.len(), catalogue().count());
        assert!(catalogue().all(|kind| std::ptr::eq(find(kind.name).unwrap(), kind)));
        assert!(find("").is_none());
    }

    #[test]
    fn every_default_can_be_asked_for_and_gives_commands_of_declared_programs() {
        for kind in catalogue() {
            let demand = kind.demand(None, 3).unwrap();
            let steps = (kind.steps)(&scene(demand));
            assert!(!steps.is_empty(), "{}", kind.name);
            for step in steps {
                let declared = kind.programs.iter().any(|program| program.name == step.program);
                let expected =
                    if kind.is_own() { step.program == OWN_PROGRAM } else { declared || step.program == "sh" };
                assert!(expected, "{}: {}", kind.name, step.program);
            }
        }
    }

    #[test]
    fn every_own_load_has_one_peer_of_foreign_programs_with_the_same_measure() {
        for own in &OWN {
            assert!(own.is_own() && own.peer.is_none(), "{}", own.name);
            let peers: Vec<_> = foreign::ALL.iter().filter(|kind| kind.peer == Some(own.name)).collect();
            assert_eq!(peers.len(), 1, "{}", own.name);
            assert!(!peers[0].is_own() && peers[0].measure == own.measure, "{}", own.name);
        }
        assert!(OVER_CARDS.iter().all(LoadKind::is_own));
    }

    #[test]
    fn an_own_load_s_command_names_its_seed() {
        let line = |seed| {
            let kind = find("scheduler").unwrap();
            let scene = Scene { seed, ..scene(kind.demand(None, 1).unwrap()) };
            (kind.steps)(&scene)[0].command_line()
        };
        assert!(line(77).contains("\"seed\":77"), "{}", line(77));
        assert_ne!(line(77), line(78));
    }

    #[test]
    fn what_is_asked_is_in_the_unit_of_what_is_reached() {
        for kind in catalogue() {
            let asked = kind.asked(kind.demand(None, 3).unwrap());
            match kind.rate {
                Rate::Paced { default, .. } => assert_eq!(asked, default, "{}", kind.name),
                Rate::Workers { .. } => assert_eq!(asked, None, "{}", kind.name),
                Rate::Processors => assert_eq!((asked, kind.unit()), (Some(3.0), "processors")),
            }
        }
    }

    #[test]
    fn a_rate_changes_the_command() {
        for kind in catalogue() {
            let line = |rate| {
                let steps = (kind.steps)(&scene(kind.demand(Some(rate), 1).unwrap()));
                steps.iter().map(|step| step.command_line()).collect::<Vec<_>>()
            };
            assert_ne!(line(7.0), line(11.0), "{}", kind.name);
        }
    }
}
