//! One boot of the kernel in the lab: built, and booted with its words.

use super::build::KernelShape;
use super::table;
use prazo_core::time::Duration;
use prazo_lab::own_kernel::{self, Session};
use prazo_lab::{Cache, Emulator, Fetch, LabError, Machine, Medium, Progress};

/// What a boot is made of beside the kernel.
pub(super) struct Plan<'a> {
    /// A lab machine's name or file; else one with counted time and the shape's processors.
    pub machine: Option<&'a str>,
    /// An instruction of that usual machine is 2^shift ns.
    pub shift: u8,
    /// The kernel's command line.
    pub words: String,
    /// A task table, which the kernel is handed as a file.
    pub table: Option<Vec<u8>>,
    /// Wall time after which the boot is given up.
    pub limit: Duration,
}

impl Plan<'_> {
    /// Builds the kernel of `shape` and boots it.
    pub(super) fn boot(&self, shape: &KernelShape) -> Result<Session, String> {
        let kernel = shape.build()?;
        let machine = self.machine(shape.configuration()?.processors()).map_err(|error| error.to_string())?;
        let emulator = emulator().map_err(|error| error.to_string())?;
        let initrd = self.table.as_ref().map(|table| table::keep(&kernel, table)).transpose()?;
        let medium = Medium::Kernel { file: kernel, append: Some(self.words.clone()), initrd };
        let limit = std::time::Duration::from_nanos(self.limit.as_ns());
        Session::make(emulator, machine, medium, limit).map_err(|error| error.to_string())
    }

    fn machine(&self, processors: u32) -> Result<Machine, LabError> {
        self.machine.map_or_else(|| own_kernel::machine(processors, self.shift), Machine::find)
    }
}

/// The emulator, fetched where it is missing.
pub(super) fn emulator() -> Result<Emulator, LabError> {
    match Emulator::find() {
        Err(LabError::NotFetched { .. }) => Fetch::new(Cache::of_user()?).emulator(&mut announce),
        found => found,
    }
}

/// The steps of fetching.
pub(super) fn announce(progress: Progress<'_>) {
    if let Progress::Step(number, of, what) = progress {
        eprintln!("{number}/{of} {what}");
    }
}
