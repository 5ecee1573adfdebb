//! One kernel on its machines, and the boots that were made of it, kept as files.
//!
//! A console is kept with a first line that says which kernel, machine, emulator and words it is of. What is there with the
//! same first line is not made again, so that whoever interrupts the boots loses those under way and no other.

use super::piece::{BootKind, Lengths, Piece};
use crate::kernel::build::{KernelShape, digest};
use prazo_lab::{Boot, Emulator, Machine, Medium};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One kernel, ready to be booted.
#[derive(Debug)]
pub(super) struct Bench {
    /// Policy and shape by the kernel's feature.
    pub shape: String,
    /// How many processors each queue serves.
    pub clusters: Vec<u32>,
    /// The digest of its ELF.
    pub kernel: String,
    /// Its machine under counted time.
    pub counted: Machine,
    free: Machine,
    elf: PathBuf,
    folder: PathBuf,
    lengths: Lengths,
    limit: Duration,
}

impl Bench {
    /// Builds the kernel of `shape`; consoles lie in `folder`.
    pub(super) fn new(shape: &str, folder: &Path, lengths: Lengths, limit: Duration) -> Result<Self, String> {
        let shape = KernelShape { shape: shape.to_owned() };
        let clusters = shape.configuration()?.clusters;
        let elf = shape.build()?;
        let bytes = std::fs::read(&elf).map_err(|error| format!("cannot read {}: {error}", elf.display()))?;
        let of = |name: &str| Machine::find(name)?.with_processors(clusters.iter().sum());
        Ok(Self {
            counted: of("counted-1").map_err(|error| error.to_string())?,
            free: of("free-4").map_err(|error| error.to_string())?,
            kernel: digest(&bytes),
            shape: shape.shape,
            folder: folder.to_owned(),
            clusters,
            elf,
            lengths,
            limit,
        })
    }

    /// How many processors its machines have.
    pub(super) fn processors(&self) -> u32 {
        self.clusters.iter().sum()
    }

    /// The machine for boots of `kind`.
    pub(super) fn machine(&self, kind: BootKind) -> &Machine {
        if kind == BootKind::FreeRunning { &self.free } else { &self.counted }
    }

    fn file(&self, piece: &Piece) -> PathBuf {
        self.folder.join(format!("{}-{}.txt", self.shape, piece.name()))
    }

    /// What decides the samples, in one line.
    fn head(&self, piece: &Piece, emulator: &Emulator) -> String {
        let (machine, words) = (self.machine(piece.kind), piece.words(self.lengths));
        let (kernel, version) = (&self.kernel, emulator.version());
        format!(
            "boot {kernel} on {} x {}, time {}, {version}: {words}",
            machine.board, machine.processors, machine.time
        )
    }

    /// The console of a boot that was made before; `None` where it was not, or was another.
    pub(super) fn made(&self, piece: &Piece, emulator: &Emulator) -> Option<String> {
        let text = std::fs::read_to_string(self.file(piece)).ok()?;
        let (head, console) = text.split_once('\n')?;
        (head == self.head(piece, emulator)).then(|| console.to_owned())
    }

    /// Boots, and keeps the console.
    pub(super) fn make(&self, piece: &Piece, emulator: &Emulator) -> Result<(), String> {
        let medium = Medium::Kernel { file: self.elf.clone(), append: Some(piece.words(self.lengths)), initrd: None };
        let boot = Boot::new(self.machine(piece.kind).clone(), medium, self.limit);
        let ended = boot.run(emulator, &mut |_| {}).map_err(|error| error.to_string())?;
        let console = String::from_utf8_lossy(&ended.console);
        if !ended.ending.is_pass() {
            let (name, last) = (piece.name(), console.lines().last().unwrap_or("nothing").to_owned());
            return Err(format!(
                "{} {name}: {} after {last:?}; the command was: {}",
                self.shape, ended.ending, ended.command
            ));
        }
        let text = format!("{}\n{console}", self.head(piece, emulator));
        self.keep(&self.file(piece), &text)
    }

    /// Under its name only when it is whole: a file that was being written is made again.
    fn keep(&self, file: &Path, text: &str) -> Result<(), String> {
        let failed = |error| format!("cannot write {}: {error}", file.display());
        let under_way = file.with_extension("new");
        std::fs::write(&under_way, text).map_err(failed)?;
        std::fs::rename(&under_way, file).map_err(failed)
    }
}
