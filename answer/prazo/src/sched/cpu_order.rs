//! Processors in the order in which clusters take them: `0,2,1,3`, or `0-3`.
//!
//! Processors that share a cache need not have consecutive numbers, and a set of processors has no order.

use prazo_core::cpu::{Cpu, CpuSet, ParseCpuSetError};

/// Processors in an order, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuOrder(pub Vec<Cpu>);

/// Why a text is no order of processors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCpuOrder {
    /// A part of it is no set of processors.
    #[error(transparent)]
    Set(#[from] ParseCpuSetError),
    /// A processor is named twice.
    #[error("processor {0} is named twice")]
    Twice(Cpu),
}

impl std::str::FromStr for CpuOrder {
    type Err = NoCpuOrder;

    fn from_str(text: &str) -> Result<Self, NoCpuOrder> {
        let mut order = Vec::new();
        for part in text.split(',') {
            for cpu in part.trim().parse::<CpuSet>()?.iter() {
                if order.contains(&cpu) {
                    return Err(NoCpuOrder::Twice(cpu));
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
        let read = |text: &str| text.parse::<CpuOrder>().map(|order| order.to_string());
        assert_eq!(read("2-3,0"), Ok("2,3,0".into()));
        assert!(read("0-2,1").unwrap_err().to_string().contains("processor 1 is named twice"));
        assert!(read("").is_err() && read("0,").is_err() && read("a").is_err());
    }
}
