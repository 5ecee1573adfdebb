//! What the host asks: a plan, or a part among several guests, as a JSON file in the initramfs.
//!
//! Nothing else is in it: a run's name or date would change the guest's memory, and with it the trajectory.

use prazo_probe::station;
use prazo_run::Plan;
use prazo_run::jobs::SetPlan;
use serde::Deserialize;
use std::path::Path;

/// Where the host puts it.
pub(crate) const FILE: &str = "/prazo/order.json";

/// One thing to be done.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// Measure this; where another guest's frames are the event, answer them.
    Plan(Box<Plan>),
    /// Be the station that triggers, and note when its triggers are answered.
    Trigger(station::Order),
    /// Flood the measured guest until ended.
    Flood(Flood),
    /// Run these task sets, one after the other.
    TaskSets(Vec<SetPlan>),
}

/// A flood of small packets.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Flood {
    /// The Ethernet address of the measured guest's card.
    pub to: [u8; 6],
    /// Packets a second.
    pub rate: f64,
}

/// Reads the order; errors name the file and the field.
pub(crate) fn read(file: &Path) -> Result<Order, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{} is not a request for this agent: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_order_is_named_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("order.json");
        assert!(read(&file).unwrap_err().contains("order.json"));
        std::fs::write(&file, r#"{"plot":{}}"#).unwrap();
        let error = read(&file).unwrap_err();
        assert!(error.contains("order.json") && error.contains("plan"), "{error}");
        std::fs::write(&file, r#"{"flood":{"to":[82,84,0,0,0,2],"rate":2000.0}}"#).unwrap();
        assert_eq!(read(&file), Ok(Order::Flood(Flood { to: [0x52, 0x54, 0, 0, 0, 2], rate: 2_000.0 })));
    }
}
