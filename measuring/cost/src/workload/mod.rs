//! Workloads by name: real programs on generated data, sized in their own unit, with a server of ours where they need one.
//!
//! Marsal 2013 costs netperf, ab, iozone, stress and hackbench; each of these roles has a file here. A workload does a fixed
//! amount of work, so that what it executes can be compared between platforms: the size is found by a pilot run once, and
//! given by the user from then on. Adding one adds a file, a `mod` line and an entry in [`ALL`].

mod archive;
mod compile;
mod data;
mod error;
mod files;
mod installed_program;
mod kind;
mod memory;
mod net_request;
mod net_stream;
mod pilot;
mod processor;
mod scheduler;
mod server;
mod stage;
mod web;

pub use error::WorkloadError;
pub use installed_program::InstalledProgram;
pub use kind::{Scene, Workload};
pub use pilot::size_for;
pub use stage::Stage;

static ALL: [Workload; 9] = [
    net_stream::WORKLOAD,
    net_request::WORKLOAD,
    web::WORKLOAD,
    files::WORKLOAD,
    memory::WORKLOAD,
    processor::WORKLOAD,
    scheduler::WORKLOAD,
    compile::WORKLOAD,
    archive::WORKLOAD,
];

/// All workloads, in the order in which they are listed.
pub fn catalogue() -> &'static [Workload] {
    &ALL
}

/// The workload of this name.
pub fn find(name: &str) -> Option<&'static Workload> {
    ALL.iter().find(|workload| workload.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_found() {
        let names: BTreeSet<_> = ALL.iter().map(|workload| workload.name).collect();
        assert_eq!(names.len(), ALL.len());
        assert!(ALL.iter().all(|workload| std::ptr::eq(find(workload.name).unwrap(), workload)));
        assert!(find("").is_none());
    }

    #[test]
    fn commands_and_servers_are_declared_programs_and_servers_listen_on_the_scenes_port() {
        let scene = Scene { work: "/nowhere".into(), port: 5207, processors: 3 };
        for workload in catalogue() {
            let declared = |word: &String| workload.programs.iter().any(|program| program.name == word);
            assert!(declared(&(workload.command)(&scene, 7)[0]), "{}", workload.name);
            let server = (workload.server)(&scene);
            assert!(server.first().is_none_or(declared), "{}", workload.name);
            let client = (workload.command)(&scene, 7).join(" ");
            assert_eq!(!server.is_empty(), client.contains("5207"), "{}: {client}", workload.name);
        }
    }
}
