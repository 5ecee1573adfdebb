//! Where the prazo is that a board's processor runs.

use crate::address::Address;
use crate::elf;
use crate::error::BoardError;
use std::path::{Path, PathBuf};

/// Names a folder with programs `prazo-x86_64`, `prazo-aarch64` ...
pub(crate) const FOLDER: &str = "PRAZO_BOARD_PROGRAMS";

/// How far above this program `target/dist` may be: `target/debug/deps/test`.
const LEVELS: usize = 4;

/// The program for `machine`, as `uname -m` has it: a static one if there is one, else this program where it fits.
pub(crate) fn find(address: &Address, machine: &str) -> Result<PathBuf, BoardError> {
    let own = std::env::current_exe().map_err(|cause| BoardError::Here {
        step: "find",
        file: "/proc/self/exe".into(),
        cause,
    })?;
    let given = std::env::var_os(FOLDER).map(PathBuf::from);
    among(&places(&own, given.as_deref(), machine), &own, machine).map_err(|places| BoardError::NoProgram {
        address: address.to_string(),
        machine: machine.to_owned(),
        places,
    })
}

fn places(own: &Path, given: Option<&Path>, machine: &str) -> Vec<PathBuf> {
    let name = format!("prazo-{machine}");
    if let Some(folder) = given {
        return vec![folder.join(name)];
    }
    let above = own.ancestors().skip(1).take(LEVELS);
    let built = above.flat_map(|folder| [folder.join("dist").join(&name), folder.join("lib/prazo/boards").join(&name)]);
    built.collect()
}

/// The first that is for the processor; where none is, the places.
fn among(places: &[PathBuf], own: &Path, machine: &str) -> Result<PathBuf, Vec<String>> {
    // 32-bit and compatibility names of one processor.
    let wanted = match machine {
        "armv8l" | "armv7" => "armv7l",
        other => other,
    };
    let fits = |program: &&PathBuf| elf::machine(program) == Some(wanted);
    let own = own.to_owned();
    let found = places.iter().find(fits).or(Some(&own).filter(fits));
    found.cloned().ok_or_else(|| places.iter().map(|place| place.display().to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_program_comes_before_this_one_and_a_wrong_one_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let own = std::env::current_exe().unwrap();
        let machine = std::env::consts::ARCH;
        let caller = folder.path().join("debug/prazo");
        let places = places(&caller, None, machine);
        assert_eq!(among(&places, &own, machine).unwrap(), own, "this program, where there is no other");
        let built = folder.path().join(format!("dist/prazo-{machine}"));
        std::fs::create_dir_all(built.parent().unwrap()).unwrap();
        std::fs::write(&built, "no program").unwrap();
        assert_eq!(among(&places, &own, machine).unwrap(), own, "what is no program of this processor");
        std::fs::copy(&own, &built).unwrap();
        assert_eq!(among(&places, &own, machine).unwrap(), built);
    }

    #[test]
    fn a_missing_program_names_where_it_was_looked_for() {
        let own = std::env::current_exe().unwrap();
        let places = places(&own, Some(Path::new("/nowhere")), "riscv64");
        assert_eq!(among(&places, &own, "riscv64").unwrap_err(), ["/nowhere/prazo-riscv64"]);
    }
}
