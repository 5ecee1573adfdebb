//! Processors in the order in which clusters take them: `0,2,1,3`, or `0-3`.
//!
//! Processors that share a cache need not have consecutive numbers, and a set of processors has no order.

use prazo_core::cpu::{Cpu, CpuSet, ParseCpuSetError};
use prazo_deploy::partition::Ground;

/// Processors in an order, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuOrder(pub Vec<Cpu>);

impl CpuOrder {
    /// The order in which a deployment takes processors unless it is given another: those that no group has come first.
    pub(crate) fn usual(ground: &Ground) -> Self {
        let owned = ground.free.map_or(Some(ground.online), |free| ground.online.difference(free));
        Self([ground.free, owned].iter().flatten().flat_map(CpuSet::iter).collect())
    }

    /// True where a deployment takes these processors in this order unless it is given another.
    pub(crate) fn is_usual(&self, ground: &Ground) -> bool {
        Self::usual(ground).0.starts_with(&self.0)
    }
}

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

    fn ground(online: &str, free: Option<&str>) -> Ground {
        let cpus = |text: &str| text.parse::<CpuSet>().unwrap();
        let way = Err("no cpuset controller".into());
        Ground { way, online: cpus(online), free: free.map(cpus), owners: vec![], mems: "0".into() }
    }

    #[test]
    fn a_deployment_takes_processors_that_no_group_has_before_the_others() {
        for (free, usual) in [(Some("0-3"), "0,1,2,3"), (Some("2-3"), "2,3,0,1"), (None, "0,1,2,3")] {
            assert_eq!(CpuOrder::usual(&ground("0-3", free)).to_string(), usual);
        }
    }

    #[test]
    fn an_order_is_usual_where_the_usual_one_begins_with_it() {
        let usual_with = |free, order: &str| order.parse::<CpuOrder>().unwrap().is_usual(&ground("0-3", free));
        assert!(usual_with(Some("0-3"), "0,1") && !usual_with(Some("0-3"), "0,2,1,3"));
        assert!(usual_with(Some("2-3"), "2,3") && !usual_with(Some("2-3"), "0,1"), "processors 0 and 1 are another's");
    }

    #[test]
    fn processors_keep_their_order_and_are_named_once() {
        let read = |text: &str| text.parse::<CpuOrder>().map(|order| order.to_string());
        assert_eq!(read("2-3,0"), Ok("2,3,0".into()));
        assert!(read("0-2,1").unwrap_err().to_string().contains("processor 1 is named twice"));
        assert!(read("").is_err() && read("0,").is_err() && read("a").is_err());
    }
}
