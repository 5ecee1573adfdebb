//! What the host asks, read from the JSON file that it put into the initramfs.

use prazo_probe::guest_request::AgentRequest;
use std::path::Path;

/// Reads the request; errors name the file and the field.
pub(crate) fn read(file: &Path) -> Result<AgentRequest, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{} is not a request for this agent: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_probe::guest_request::Flood;

    #[test]
    fn what_is_no_request_is_named_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("order.json");
        assert!(read(&file).unwrap_err().contains("order.json"));
        std::fs::write(&file, r#"{"plot":{}}"#).unwrap();
        let error = read(&file).unwrap_err();
        assert!(error.contains("order.json") && error.contains("plan"), "{error}");
        std::fs::write(&file, r#"{"flood":{"to":[82,84,0,0,0,2],"rate":2000.0}}"#).unwrap();
        assert_eq!(read(&file), Ok(AgentRequest::Flood(Flood { to: [0x52, 0x54, 0, 0, 0, 2], rate: 2_000.0 })));
    }
}
