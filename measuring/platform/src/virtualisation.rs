//! Whether a hypervisor is below us, and which.

use crate::root::{Reading, Root, Unavailable};

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypervisor {
    /// Its name or signature; `None` on bare metal.
    pub name: Option<String>,
    /// Where it was seen.
    pub source: String,
}

const INFO: &str = "/proc/cpuinfo";

/// The hypervisor; an error where the machine gives no sign either way, which is no proof of bare metal.
pub fn hypervisor(root: &Root) -> Reading<Hypervisor> {
    if let Some(found) = by_signature(root).or_else(|| by_file(root)) {
        return Ok(found);
    }
    let info = root.read(INFO)?;
    match flags(&info) {
        Some(flags) if flags.split_whitespace().any(|flag| flag == "hypervisor") => Ok(found("unnamed", INFO)),
        Some(_) => Ok(Hypervisor { name: None, source: format!("{INFO}, no hypervisor flag") }),
        None => by_board(root),
    }
}

fn found(name: &str, source: &str) -> Hypervisor {
    Hypervisor { name: Some(name.to_owned()), source: source.to_owned() }
}

fn by_signature(root: &Root) -> Option<Hypervisor> {
    let name = root.is_live().then(prazo_sys::machine::hypervisor_signature)??;
    Some(found(&name, "CPUID leaf 0x40000000"))
}

fn by_file(root: &Root) -> Option<Hypervisor> {
    const FILE: &str = "/sys/hypervisor/type";
    root.read(FILE).ok().map(|name| found(&name, FILE))
}

/// Where processors carry no flag (Arm, RISC-V) the device tree has a node under a hypervisor, and a board's name is a
/// sign of bare metal.
fn by_board(root: &Root) -> Reading<Hypervisor> {
    const NODE: &str = "/proc/device-tree/hypervisor/compatible";
    const BOARD: &str = "/proc/device-tree/model";
    if let Ok(name) = root.read(NODE) {
        return Ok(found(&name.replace('\0', " "), NODE));
    }
    let board = root.read(BOARD)?;
    if board.contains("linux,dummy-virt") || board.contains("QEMU") {
        return Ok(found("QEMU", BOARD));
    }
    if board.is_empty() {
        return Err(Unavailable::nonsense(BOARD, "a board's name", &board));
    }
    Ok(Hypervisor { name: None, source: format!("{BOARD}, '{board}'") })
}

fn flags(info: &str) -> Option<&str> {
    info.lines().find_map(|line| line.strip_prefix("flags")?.trim_start().strip_prefix(':'))
}
