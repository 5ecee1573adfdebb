//! What a host asks the agent in a guest of the lab: a plan, a part among several guests, or task sets.
//!
//! Nothing else is in it: a run's name or date would change the guest's memory, and with it the trajectory.

use crate::station::SeriesRequest;
use prazo_core::time::Duration;
use prazo_run::Plan;
use prazo_run::jobs::SetPlan;
use serde::{Deserialize, Serialize};

/// Among several guests: the measured one's card to the station, and the only card of the others.
pub const CARD: &str = "eth0";

/// Among several guests: how long one waits for another, whose start may take so much longer.
pub const PATIENCE: Duration = Duration::from_s(300);

/// One thing to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentRequest {
    /// Measure this; where another guest's frames are the event, answer them.
    Plan(Box<Plan>),
    /// Be the station that triggers, and note when its triggers are answered.
    Trigger(SeriesRequest),
    /// Flood the measured guest until ended.
    Flood(Flood),
    /// Run these task sets, one after the other.
    TaskSets(Vec<SetPlan>),
    /// Send the symbols of the kernel and its modules, as /proc/kallsyms has them.
    Symbols,
}

/// A flood of small packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flood {
    /// The Ethernet address of the measured guest's card.
    pub to: [u8; 6],
    /// Packets a second.
    pub rate: f64,
}

impl AgentRequest {
    /// The JSON that lies in the guest's memory. Its bytes decide the trajectory: one request is always the same text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plans have names as keys, so they are always JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_text_and_reads_back() {
        let flood = AgentRequest::Flood(Flood { to: [0x52, 0x54, 0, 0, 0, 2], rate: 2_000.0 });
        assert_eq!(flood.to_json(), r#"{"flood":{"to":[82,84,0,0,0,2],"rate":2000.0}}"#);
        let sets = AgentRequest::TaskSets(vec![]);
        assert_eq!(sets.to_json(), r#"{"task-sets":[]}"#);
        assert_eq!(AgentRequest::Symbols.to_json(), prazo_abi::guest::SYMBOLS);
        for request in [flood, sets, AgentRequest::Symbols] {
            assert_eq!(serde_json::from_str(&request.to_json()).ok(), Some(request));
        }
    }
}
