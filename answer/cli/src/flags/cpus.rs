//! Processors in the order in which clusters take them: `0,2,1,3`, or `0-3`.
//!
//! Processors that share a cache need not have consecutive numbers, and a set of processors has no order.

use prazo_core::cpu::{Cpu, CpuSet};

/// Processors in an order, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CpuOrder(pub Vec<Cpu>);

impl std::str::FromStr for CpuOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut order = Vec::new();
        for part in text.split(',') {
            let part: CpuSet = part.trim().parse().map_err(|error| format!("{error}"))?;
            for cpu in part.iter() {
                if order.contains(&cpu) {
                    return Err(format!("processor {cpu} is named twice"));
                }
                order.push(cpu);
            }
        }
        Ok(Self(order))
    }
}

impl std::fmt::Display for CpuOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&numbers.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_keep_their_order_and_are_named_once() {
        let told = |text: &str| text.parse::<CpuOrder>().map(|order| order.to_string());
        assert_eq!(told("2-3,0"), Ok("2,3,0".into()));
        assert!(told("0-2,1").unwrap_err().contains("processor 1 is named twice"));
        assert!(told("").is_err() && told("0,").is_err() && told("a").is_err());
    }
}
