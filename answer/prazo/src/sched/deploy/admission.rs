//! What the kernel's admission says of an assignment, with this machine's settings and what it has given away already.

use super::assignment::Assignment;
use prazo_analysis::linux::{self, Admission, Limits, Reservation, Server};
use prazo_core::cpu::CpuSet;
use prazo_deploy::bandwidth::{self, Reserved};
use prazo_platform::root::Root;
use schemars::JsonSchema;
use serde::Serialize;

/// The kernel's admission account of one cluster; bandwidth is in processors.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Account {
    /// Bandwidth that other deadline threads already have in the cluster.
    pub others: f64,
    /// Bandwidth that the tasks of the set request in the cluster.
    pub asked: f64,
    /// Bandwidth that the kernel would have granted in the cluster after the request, including its own servers.
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

/// What the kernel would say of the tasks within `limits`, asking one after the other behind those that are there.
pub(crate) fn forecast(root: &Root, limits: &Limits, assignment: &Assignment) -> AdmissionForecast {
    let own: Option<Vec<Reservation>> = assignment.tasks.iter().map(|task| task.reservation).collect();
    let is_off = limits.rt_runtime_us.is_none();
    let Some(own) = own else {
        return AdmissionForecast { admitted: None, refused: Vec::new(), accounts: Vec::new(), is_off };
    };
    let others = others(root, &assignment.clusters);
    let sizes: Vec<u32> = assignment.clusters.iter().map(|cpus| cpus.count() as u32).collect();
    let found = linux::admission(&[others.clone(), own.clone()].concat(), &sizes, limits);
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

/// Other deadline threads, each in the cluster that it would be counted in.
fn others(root: &Root, clusters: &[CpuSet]) -> Vec<Reservation> {
    let domain = |one: &Reserved| clusters.iter().position(|cluster| cluster.intersection(one.cpus).is_some());
    let reservation = |one: &Reserved| {
        let (runtime_ns, period_ns) = (one.runtime_ns, one.period_ns);
        Some(Reservation { runtime_ns, deadline_ns: period_ns, period_ns, domain: domain(one)? })
    };
    bandwidth::reserved(root).unwrap_or_default().iter().filter_map(reservation).collect()
}

/// The machine's settings; what it does not tell is what kernels come with.
pub(crate) fn limits(root: &Root) -> Limits {
    let usual = Limits::default();
    let read = |name: &str| root.read_number(&format!("/proc/sys/kernel/{name}")).ok();
    let number = |name: &str, usual: u64| read(name).and_then(|value| u64::try_from(value).ok()).unwrap_or(usual);
    Limits {
        rt_runtime_us: read("sched_rt_runtime_us").map_or(usual.rt_runtime_us, |us| u64::try_from(us).ok()),
        rt_period_us: number("sched_rt_period_us", usual.rt_period_us).max(1),
        period_us_min: number("sched_deadline_period_min_us", usual.period_us_min),
        period_us_max: number("sched_deadline_period_max_us", usual.period_us_max),
        server: has_fair_server(root).then_some(Server::FAIR),
    }
}

/// Linux 6.12 was the first with a server for ordinary threads, which takes its part of each processor first.
fn has_fair_server(root: &Root) -> bool {
    let release = root.read("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return false };
    (major, minor) >= (6, 12)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn root(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = folder.path().join("proc/sys/kernel").join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let root = Root::at(folder.path());
        (folder, root)
    }

    #[test]
    fn throttling_that_is_off_switches_admission_off() {
        let (_folder, root) = root(&[("sched_rt_runtime_us", "-1\n"), ("osrelease", "6.1.0-50-rt-amd64\n")]);
        assert_eq!(limits(&root), Limits { rt_runtime_us: None, ..Limits::default() });
    }

    #[test]
    fn newer_kernels_keep_a_part_for_ordinary_threads() {
        for (release, expected) in [("6.11.9", false), ("6.12.95+deb12-amd64", true), ("7.2-rc1", true), ("x", false)] {
            assert_eq!(has_fair_server(&root(&[("osrelease", release)]).1), expected, "{release}");
        }
    }
}
