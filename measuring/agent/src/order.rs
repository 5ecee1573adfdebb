//! What the host asks: a plan, as a JSON file in the initramfs.
//!
//! Nothing else is in it: a run's name or date would change the guest's memory, and with it the trajectory.

use prazo_run::Plan;
use serde::Deserialize;
use std::path::Path;

/// Where the host puts it.
pub const FILE: &str = "/prazo/order.json";

/// One thing to be done.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// What shall be measured.
    pub plan: Plan,
}

/// Reads the order; errors name the file and the field.
pub fn read(file: &Path) -> Result<Order, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{} is no order of this agent's: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_order_is_named_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("order.json");
        assert!(read(&file).unwrap_err().contains("order.json"));
        std::fs::write(&file, "{}").unwrap();
        let error = read(&file).unwrap_err();
        assert!(error.contains("order.json") && error.contains("plan"), "{error}");
    }
}
