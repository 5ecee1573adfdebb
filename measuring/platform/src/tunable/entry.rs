//! One line of the journal: a change, its owner, and the boot and tree that it was made in.

use super::known::is_knob;
use super::owner::Owner;
use super::receive_stamps::StampSetting;
use super::thread::{Thread, ThreadSetting};
use super::{command, controller, temporary};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// One change that has to be undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Grows with each change, so that changes are undone from the last to the first.
    pub id: u64,
    /// What was, or was about to be, changed.
    pub step: JournaledChange,
    /// Who answers for it.
    pub owner: Owner,
    /// The boot that it was made in; the change ended with it.
    pub boot_id: String,
    /// The root that the paths start from: `/`, or a copied tree.
    pub tree: PathBuf,
}

/// What was, or was about to be, changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum JournaledChange {
    /// A knob was written.
    Write {
        /// The setting.
        path: String,
        /// Its text before.
        before: String,
        /// The request.
        requested: String,
        /// What was read back; none if the owner died in between.
        effective: Option<String>,
        /// What earlier holders had set who have handed their duty down. If the owner dies while it puts the knob back,
        /// the knob may hold one of these, and that is no change by hand.
        #[serde(default)]
        inherited: Vec<String>,
    },
    /// A folder (a control group) was made.
    Folder {
        /// The folder.
        path: String,
    },
    /// A kernel module was loaded.
    Module {
        /// The kernel's folder for it: `/sys/module/NAME`.
        path: String,
    },
    /// A network card was told which frames it shall stamp.
    ReceiveStamps {
        /// The knob's name for people and for finding a later holder; no file.
        path: String,
        /// The interface.
        interface: String,
        /// The network namespace that it has this name in.
        network: String,
        /// As it was.
        before: StampSetting,
        /// What was asked.
        requested: StampSetting,
    },
    /// A control group was made whose members are to be moved out before it is removed.
    Group {
        /// Its folder.
        path: String,
    },
    /// A thread was given another policy, affinity or group.
    Thread {
        /// The knob's name for people; no file.
        path: String,
        /// The thread.
        thread: Thread,
        /// As it was.
        before: ThreadSetting,
        /// What was asked.
        requested: ThreadSetting,
    },
    /// A command was started, at the head of a process group.
    Process {
        /// Its name for people; no file.
        path: String,
        /// Its first thread.
        process: Thread,
        /// The session that it was started in.
        #[serde(default)]
        session: u32,
    },
    /// A control group was made for a started command and all that it starts, which end with it.
    Command {
        /// Its folder.
        path: String,
    },
    /// A folder for temporary files was made, which goes with all that is in it.
    TemporaryFolder {
        /// The folder.
        path: String,
    },
    /// A controller was offered to the groups below one.
    Controller {
        /// The file that lists what is offered.
        path: String,
        /// The controller.
        controller: String,
    },
}

impl JournaledChange {
    /// A knob that is about to be written.
    pub(super) fn write(path: &str, before: &str, requested: &str) -> Self {
        let [path, before, requested] = [path, before, requested].map(str::to_owned);
        Self::Write { path, before, requested, effective: None, inherited: Vec::new() }
    }

    /// True where undoing it touches nothing but what prazo changes.
    pub(super) fn is_ours_to_undo(&self) -> bool {
        match self {
            Self::Write { path, .. } | Self::Folder { path } | Self::Group { path } => is_knob(path),
            Self::Thread { before, requested, .. } => before.is_ours_to_undo() && requested.is_ours_to_undo(),
            Self::Process { process, .. } => process.id > 1,
            Self::Command { path } => command::is_ours(path),
            Self::TemporaryFolder { path } => temporary::is_ours(path),
            Self::Controller { path, controller } => {
                is_knob(path) && path.ends_with(controller::FILE) && is_word(controller)
            }
            Self::Module { path } => module_name(path).is_some(),
            Self::ReceiveStamps { path, interface, .. } => *path == super::receive_stamps::knob(interface),
        }
    }

    /// The file, the folder, or the name of what is no file.
    pub fn path(&self) -> &str {
        match self {
            Self::Write { path, .. }
            | Self::Folder { path }
            | Self::Module { path }
            | Self::Group { path }
            | Self::Thread { path, .. }
            | Self::Process { path, .. }
            | Self::Command { path }
            | Self::TemporaryFolder { path }
            | Self::Controller { path, .. }
            | Self::ReceiveStamps { path, .. } => path,
        }
    }
}

/// Where the kernel has its folders for modules.
pub(super) const MODULES: &str = "/sys/module/";

/// The module whose folder this is.
pub(super) fn module_name(path: &str) -> Option<&str> {
    path.strip_prefix(MODULES).filter(|name| is_word(name))
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
