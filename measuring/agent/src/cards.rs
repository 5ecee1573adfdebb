//! The guest's network cards, brought up in silence: whoever uses them sends the first frame.
//!
//! A machine's cards are eth0, eth1, ... in the order of its description. A kernel without their driver shows none, and
//! what needs one says so.

use prazo_load::Cards;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Where the kernel lists network interfaces.
pub(crate) const FOLDER: &str = "/sys/class/net";

/// How often a card is looked at until it has its link.
const LOOKS_MAX: u32 = 200;
const LOOK: Duration = Duration::from_millis(10);

/// The two that a flood travels between; a load that takes them says so where they are not there.
pub(crate) fn pair() -> Cards {
    Cards { receiving: "eth0".into(), sending: Some("eth1".into()) }
}

/// The second one, where another guest floods it; the first is the wire to the station that triggers.
pub(crate) fn to_another() -> Cards {
    Cards { receiving: "eth1".into(), sending: None }
}

/// Brings every card up and waits for its link.
pub(crate) fn bring_up(folder: &Path) -> Result<(), String> {
    let failed = |card: &str| {
        let what = format!("cannot bring the network card {card} up");
        move |error: io::Error| format!("{what}: {error}")
    };
    cards(folder).iter().try_for_each(|card| one(folder, card).map_err(failed(card)))
}

/// Interfaces with a device behind them, by name; loopback has none.
fn cards(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let real = entries.filter(|entry| entry.path().join("device").exists());
    let mut names: Vec<_> = real.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn one(folder: &Path, card: &str) -> io::Result<()> {
    // Otherwise the kernel looks for neighbours and routers. A kernel without IPv6 has nothing to be told.
    let _ = std::fs::write(format!("/proc/sys/net/ipv6/conf/{card}/disable_ipv6"), "1");
    prazo_sys::route::bring_up(card)?;
    let carrier = folder.join(card).join("carrier");
    for _ in 0..LOOKS_MAX {
        if std::fs::read_to_string(&carrier).is_ok_and(|text| text.trim() == "1") {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
    Err(io::Error::other("no link"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_interfaces_with_a_device_are_cards() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["eth1/device", "eth0/device", "lo"] {
            std::fs::create_dir_all(folder.path().join(path)).unwrap();
        }
        assert_eq!(cards(folder.path()), ["eth0", "eth1"]);
        assert!(bring_up(&folder.path().join("nowhere")).is_ok());
    }

    #[test]
    fn a_card_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("no-such-card0/device")).unwrap();
        assert!(bring_up(folder.path()).unwrap_err().contains("no-such-card0"));
    }
}
