//! Builds a kernel by the command that a user would give, and boots it.

use prazo_lab::machine::Time;
use prazo_lab::{Boot, BootOutcome, Cache, Emulator, Fetch, LabError, Machine, Medium};
use prazo_testing::{Need, OrSkipped, Skipped, skipped};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The shapes that a kernel can be built with, and the processors of each queue.
pub(crate) const SHAPES: [(&str, &[u32]); 5] = [
    ("clustered-edf", &[2, 2]),
    ("global-edf", &[4]),
    ("partitioned-edf", &[1, 1, 1, 1]),
    ("partitioned-rm", &[1, 1, 1, 1]),
    ("single-edf", &[1]),
];
/// Those with eight processors.
pub(crate) const SHAPES_OF_EIGHT: [(&str, &[u32]); 3] =
    [("clustered-edf-8", &[4, 4]), ("global-edf-8", &[8]), ("partitioned-edf-8", &[1; 8])];

const TARGET: &str = "x86_64-unknown-none";
/// For a busy host: no run takes a tenth of it on an idle one.
const LIMIT: Duration = Duration::from_secs(240);

/// One instruction is 2^SHIFT ns: 0 to count instructions, 3 to get through virtual time sooner.
#[derive(Clone, Copy)]
pub(crate) struct Shift(pub u8);

/// Boots the kernel of `shape` with `words` on `processors`; a skip where there is no [`lab`].
pub(crate) fn boot(shape: &str, processors: u32, shift: Shift, words: &str) -> Result<BootOutcome, Skipped> {
    boot_with(shape, processors, shift, words, None)
}

/// As [`boot`], with a file that the loader hands over.
pub(crate) fn boot_with(
    shape: &str,
    processors: u32,
    shift: Shift,
    words: &str,
    initrd: Option<PathBuf>,
) -> Result<BootOutcome, Skipped> {
    let emulator = emulator()?;
    let mut machine = Machine::find("counted-4").and_then(|machine| machine.with_processors(processors)).unwrap();
    machine.time = Time::Counted { shift: shift.0 };
    let medium = Medium::Kernel { file: kernel(shape), append: Some(words.to_owned()), initrd };
    Ok(Boot::new(machine, medium, LIMIT).run(&emulator, &mut |_| {}).unwrap())
}

/// The console of a run that went well.
pub(crate) fn console(ended: &BootOutcome) -> String {
    let text = String::from_utf8_lossy(&ended.console).into_owned();
    assert!(ended.ending.is_pass(), "{}\n{}\n{text}", ended.ending, ended.command);
    text
}

/// The emulator, where the kernel can be built too.
fn emulator() -> Result<Emulator, Skipped> {
    let found = match Emulator::find() {
        Err(LabError::NotFetched { .. }) => Cache::of_user().and_then(|cache| Fetch::new(cache).emulator(&mut |_| {})),
        found => found,
    };
    let emulator = found.or_skipped(Need::Lab)?;
    if has_target() { Ok(emulator) } else { Err(skipped(Need::KernelImage, format!("no target {TARGET}"))) }
}

fn has_target() -> bool {
    let printed = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    printed.is_ok_and(|printed| Path::new(String::from_utf8_lossy(&printed.stdout).trim()).exists())
}

fn kernel(shape: &str) -> PathBuf {
    let built = Command::new(env!("CARGO_BIN_EXE_xtask")).args(["kernel", "build", "--shape", shape]).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    PathBuf::from(String::from_utf8(built.stdout).unwrap().trim())
}

/// A skip unless there are an emulator and the kernel's target.
pub(crate) fn lab() -> Result<(), Skipped> {
    emulator().map(drop)
}

/// What the chore prints with these words, which must go well.
pub(crate) fn xtask(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(words).output().unwrap();
    let (printed, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{words:?}: {complaint}\n{printed}");
    printed.into_owned()
}
