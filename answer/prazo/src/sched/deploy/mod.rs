//! From a verdict's assignment to partitions, policies and priorities on this machine; reversibly.

mod admission;
mod assignment;
mod deployed;
mod document;
mod text;

pub(crate) use deployed::{budget_ns, standing};

pub use admission::Account;
pub use deployed::{DeployMode, DeployRequest, UndeployRequest, deploy, undeploy};
pub use document::{AskedRow, ClusterRow, Deployment, HoldsRow, SeenRow, StepRow};
