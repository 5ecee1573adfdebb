//! The standard loads, one file each, after the papers' own.
//!
//! Adding one adds a file, a `mod` line and an entry here.

mod archive;
mod card_floods;
mod compile;
mod cpu;
mod disk_read;
mod disk_write;
mod file_tree;
mod icmp_flood;
mod memory;
mod proc_read;
mod programs;
mod scheduler;
mod tcp_stream;
mod timer_interrupts;
mod udp_flood;

use super::load_kind::LoadKind;

static ALL: [LoadKind; 13] = [
    disk_read::KIND,
    file_tree::KIND,
    archive::KIND,
    compile::KIND,
    memory::KIND,
    cpu::KIND,
    scheduler::KIND,
    timer_interrupts::KIND,
    udp_flood::KIND,
    icmp_flood::KIND,
    tcp_stream::KIND,
    disk_write::KIND,
    proc_read::KIND,
];

static OVER_CARDS: [LoadKind; 2] = [card_floods::UDP, card_floods::ICMP];

/// All loads, in the order in which they are listed.
pub fn catalogue() -> &'static [LoadKind] {
    &ALL
}

/// The load of this name.
pub fn find(name: &str) -> Option<&'static LoadKind> {
    ALL.iter().find(|kind| kind.name == name)
}

/// The load of this name as it floods from one card of a machine to another; `None` for one that has no such form.
pub fn over_cards(name: &str) -> Option<&'static LoadKind> {
    OVER_CARDS.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::load_kind::{Demand, Rate, Scene};
    use super::*;
    use std::collections::BTreeSet;
    use std::net::Ipv4Addr;

    fn scene(demand: Demand) -> Scene {
        Scene { demand, work: "/nowhere".into(), receiver: Ipv4Addr::LOCALHOST, port: 5201, cards: None }
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
        let names: BTreeSet<_> = ALL.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), ALL.len());
        assert!(ALL.iter().all(|kind| std::ptr::eq(find(kind.name).unwrap(), kind)));
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
                assert!(declared || step.program == "sh", "{}: {}", kind.name, step.program);
            }
        }
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
