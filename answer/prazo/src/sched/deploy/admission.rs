//! What the kernel's admission says of an assignment, with this machine's settings and what it has given away already.

use super::assignment::Assignment;
use crate::sched::grants::Grants;
use prazo_analysis::linux::{self, Admission, Reservation};
use prazo_core::cpu::CpuSet;
use schemars::JsonSchema;
use serde::Serialize;

/// The kernel's admission account of one cluster; bandwidth is in processors.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Account {
    /// Bandwidth that other deadline threads already have in the cluster.
    pub others: f64,
    /// Bandwidth that the tasks of the set request in the cluster.
    pub asked: f64,
    /// Bandwidth that the kernel would have granted in the cluster after the request, including the bandwidth of the
    /// kernel's own servers.
    pub used: f64,
    /// The largest bandwidth that the kernel grants in the cluster; null where admission control is off.
    pub available: Option<f64>,
}

/// What the kernel would say.
pub(crate) struct AdmissionForecast {
    /// Whether it would let all in; `None` under fixed priorities, where nobody is asked.
    pub(crate) admitted: Option<bool>,
    /// The refused tasks by index, with the reason.
    pub(crate) refused: Vec<(usize, String)>,
    /// Each cluster's account; empty under fixed priorities.
    pub(crate) accounts: Vec<Account>,
    /// True where admission is off: it lets in whatever is asked.
    pub(crate) is_off: bool,
}

/// What the kernel would say of the tasks, asking one after the other behind the threads that are there.
pub(crate) fn forecast(grants: &Grants, assignment: &Assignment) -> AdmissionForecast {
    let own: Option<Vec<Reservation>> = assignment.tasks.iter().map(|task| task.reservation).collect();
    let is_off = grants.limits.rt_runtime_us.is_none();
    let Some(own) = own else {
        return AdmissionForecast { admitted: None, refused: Vec::new(), accounts: Vec::new(), is_off };
    };
    let sizes: Vec<u32> = assignment.clusters.iter().map(|cpus| cpus.count() as u32).collect();
    let others = grants.others(&sizes);
    let found = linux::admission(&[others.clone(), own.clone()].concat(), &sizes, &grants.limits);
    let first = others.len();
    let refused: Vec<(usize, String)> = found
        .refused
        .iter()
        .filter(|(index, _)| *index >= first)
        .map(|(i, why)| (i - first, why.to_string()))
        .collect();
    AdmissionForecast { admitted: Some(refused.is_empty()), refused, accounts: accounts(&found, &others, &own), is_off }
}

fn accounts(found: &Admission, others: &[Reservation], own: &[Reservation]) -> Vec<Account> {
    const WHOLE: f64 = (1 << 20) as f64;
    let share = |one: &Reservation| one.runtime_ns as f64 / one.period_ns.max(1) as f64;
    // A sum of nothing is -0.
    let of = |all: &[Reservation], domain: usize| {
        all.iter().filter(|one| one.domain == domain).map(share).sum::<f64>() + 0.0
    };
    let account = |(domain, bandwidth): (usize, &linux::Bandwidth)| Account {
        others: of(others, domain),
        asked: of(own, domain),
        used: bandwidth.used as f64 / WHOLE,
        available: bandwidth.available.map(|available| available as f64 / WHOLE),
    };
    found.domains.iter().enumerate().map(account).collect()
}

impl AdmissionForecast {
    /// One line for each cluster: what is asked, what others have, what there is.
    pub(crate) fn sums(&self, clusters: &[CpuSet]) -> Vec<String> {
        let line = |(index, (account, cpus)): (usize, (&Account, &CpuSet))| {
            let Account { others, asked, used, available } = account;
            let limit = available.map_or("no limit (admission is off)".into(), |all| format!("at most {all:.3}"));
            format!(
                "cluster {index} (processors {cpus}), bandwidth: {asked:.3} requested, {others:.3} reserved by other \
                 threads, {used:.3} in total with the kernel's own servers, {limit}"
            )
        };
        self.accounts.iter().zip(clusters).enumerate().map(line).collect()
    }
}
