//! How tightly a load is held, so that nothing of it outlives prazo.

use std::io;

use serde::{Deserialize, Serialize};

use prazo_sys::containment::{self as sys, Namespaces};

/// How tightly a load is held; from the tightest on, as they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Containment {
    /// Namespaces of its own, made with privileges; the kernel ends everything in them with their process 1.
    Namespaces,
    /// The same, made by somebody without privileges inside a user namespace.
    UserNamespaces,
    /// No namespaces: a keeper that adopts orphans and ends its descendants by their ids. If the keeper itself is killed, grandchildren can remain.
    ProcessGroup,
}

prazo_core::words! {
    Containment:
    Namespaces => "namespaces", UserNamespaces => "user-namespaces", ProcessGroup => "process-group",
}

impl Containment {
    /// All of them, tightest first.
    pub const ALL: [Self; 3] = [Self::Namespaces, Self::UserNamespaces, Self::ProcessGroup];

    /// True where the load's processes have their own numbers and mounts.
    pub const fn has_namespaces(self) -> bool {
        !matches!(self, Self::ProcessGroup)
    }

    /// Moves the calling process, which has one thread, into this containment; its children will be inside.
    pub(super) fn enter(self, network: bool) -> io::Result<()> {
        let wanted = if network { Namespaces::LOAD.and(Namespaces::NET) } else { Namespaces::LOAD };
        match self {
            Self::Namespaces => sys::unshare(wanted),
            Self::UserNamespaces => enter_user_namespaces(wanted),
            Self::ProcessGroup => prazo_sys::process::adopt_orphans(true),
        }
    }
}

/// Inside, the caller is root; outside, it stays who it was.
fn enter_user_namespaces(wanted: Namespaces) -> io::Result<()> {
    let (user, group) = sys::user_and_group();
    sys::unshare(wanted.and(Namespaces::USER))?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("0 {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("0 {group} 1"))
}
