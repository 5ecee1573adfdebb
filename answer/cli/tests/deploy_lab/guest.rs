//! A guest whose first process is a shell script around the command, and what each of its steps said.

use crate::support::PRAZO;
use prazo_lab::{Archive, Boot, Cache, Emulator, Machine, Medium, Platform, with_libraries};
use prazo_testing::{Need, OrSkipped, Skipped, skipped};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whose kernel it is: one that describes its structures.
const PLATFORM: &str = "standard-full-6.12";
/// Generous: the tests' host may be busy.
const LIMIT: Duration = Duration::from_secs(900);
const PROGRAMS: [&str; 5] = ["/bin/sh", "/bin/cat", "/bin/mount", "/bin/sleep", "/usr/bin/perl"];

const BEFORE: &str = "#!/bin/sh
mount -t devtmpfs dev /dev; mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t tmpfs run /run; mount -t tmpfs tmp /tmp
mount -t cgroup2 groups /sys/fs/cgroup
export PATH=/bin:/usr/bin
cd /desk
say() { name=$1; shift; echo \"@@ $name\"; \"$@\" 2>/run/said; status=$?; echo; echo \"@@ $status $(cat /run/said)\"; }
";
const AFTER: &str = "
echo '@@ end'
echo o >/proc/sysrq-trigger
sleep 60
";

/// What one step said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub name: String,
    pub text: String,
    pub status: i32,
    pub error: String,
}

impl Said {
    /// Its document, where it ended with this status.
    #[track_caller]
    pub(crate) fn expect(&self, status: i32) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs the script with these files beside it; a skip where there is no lab.
pub(crate) fn in_guest(machine: Machine, files: &[(&str, &str)], script: &str) -> Result<Vec<Said>, Skipped> {
    let emulator = Emulator::find().or_skipped(Need::Lab)?;
    let kernel = kernel().ok_or("no kernel").or_skipped(Need::Lab)?;
    let missing = PROGRAMS.iter().find(|program| !Path::new(program).exists());
    if let Some(program) = missing {
        return Err(skipped(Need::Program(program), "a guest takes it along"));
    }
    let folder = tempfile::tempdir().unwrap();
    let initrd = folder.path().join("initramfs");
    std::fs::write(&initrd, initramfs(files, script)).unwrap();
    let words = "preempt=full console=ttyS0 quiet loglevel=4 nokaslr tsc=reliable mitigations=off random.trust_cpu=off panic=-1 oops=panic \
                 rdinit=/init";
    let medium = Medium::Kernel { file: kernel, append: Some(words.into()), initrd: Some(initrd) };
    let ended = Boot::new(machine, medium, LIMIT).run(&emulator, &mut |_| {}).unwrap();
    let console = String::from_utf8_lossy(&ended.console).replace('\r', "");
    println!("{} after {:.1} s:\n{console}", ended.ending, ended.elapsed.as_secs_f64());
    assert!(console.contains("@@ end"), "{}", ended.ending);
    Ok(steps(&console))
}

fn kernel() -> Option<PathBuf> {
    let image = Platform::find(PLATFORM).unwrap().bootable(&Cache::of_user().ok()?).ok()?;
    image.is_file().then_some(image)
}

fn initramfs(files: &[(&str, &str)], script: &str) -> Vec<u8> {
    let mut archive = Archive::new();
    ["dev", "proc", "run", "sys", "tmp", "desk"].iter().for_each(|folder| archive.folder(folder));
    archive.device("dev/console", 5, 1);
    with_libraries(&mut archive, Path::new(PRAZO), "usr/bin/prazo").unwrap();
    for program in PROGRAMS {
        with_libraries(&mut archive, Path::new(program), program).unwrap();
    }
    for (name, content) in files {
        archive.file(&format!("desk/{name}"), content.as_bytes().to_vec(), false);
    }
    archive.file("init", format!("{BEFORE}{script}{AFTER}").into_bytes(), true);
    archive.bytes()
}

/// `@@ name`, what was said, `@@ status error`.
fn steps(console: &str) -> Vec<Said> {
    let parts: Vec<&str> = console.split("@@ ").skip(1).collect();
    let step = |pair: &[&str]| {
        let (name, text) = pair[0].split_once('\n')?;
        let (status, error) = pair[1].split_once(' ')?;
        Some(Said { name: name.into(), text: text.into(), status: status.parse().ok()?, error: error.trim().into() })
    };
    parts.chunks_exact(2).filter_map(step).collect()
}
