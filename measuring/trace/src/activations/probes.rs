//! Which files of which processes have the places that a watch looks at, and which of them are looked at already.
//!
//! A place is looked for in a process's program, and then in its libraries. In a program's own file it is looked at in every
//! process, so that later ones are seen from their first instruction on; in a library only in the followed processes.

use super::places::{NoPlace, PlaceTarget, Places, Point, Reached};
use super::program::{Probe, Program};
use super::symbols::{self, Wanted};
use prazo_platform::root::Root;
use prazo_sys::clock::monotonic_ns;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::num::NonZeroU32;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Places that are looked at, of all processes: each takes a file of the kernel's.
const PROBES_MAX: usize = 4_096;

/// A place that is not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unplaced {
    /// Its name.
    pub place: String,
    /// Why.
    pub why: String,
    /// What to do.
    pub remedy: &'static str,
}

/// A file, whatever it is called.
type FileId = (u64, u64);

/// Where the places are.
#[derive(Debug, Default)]
pub(super) struct Probes {
    /// What each file says about each place, by the place's number.
    known: BTreeMap<FileId, BTreeMap<u32, Result<Vec<u64>, NoPlace>>>,
    /// The files of each process that were looked into already, and what it calls them.
    seen: BTreeSet<(u32, FileId)>,
    names: BTreeMap<u32, BTreeSet<String>>,
    /// Where each place is looked at, and since when: the file, and the process where it is not every one.
    looked_at: BTreeMap<u32, BTreeMap<(FileId, Option<u32>), u64>>,
    /// Why the program, or the file that is named, has no line table for a line of a source file.
    without_lines: BTreeMap<u32, String>,
    /// Places that a file has and that cannot be looked at.
    problems: BTreeMap<u32, String>,
    /// Places that are looked at in some processes only, because there was no room for more.
    beyond: BTreeSet<u32>,
    count: usize,
}

/// A file that a process executes; it stays open while it is looked into, whatever becomes of the process.
struct Mapped {
    /// As it is called where the process lives.
    name: String,
    file: File,
    id: FileId,
    /// It is the process's program, and no library.
    is_program: bool,
}

impl Mapped {
    fn open(name: String, path: &Path, is_program: bool) -> std::io::Result<Self> {
        let file = File::open(path)?;
        let data = file.metadata()?;
        Ok(Self { name, file, id: (data.dev(), data.ino()), is_program })
    }

    /// As the kernel reaches it from here.
    fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
    }
}

impl Probes {
    /// Looks for the places in a program that nobody executes yet.
    pub(super) fn expect(&mut self, places: &Places, file: &Path, program: &mut Program) {
        // One that cannot be opened cannot be started either, and whoever starts it says so.
        if let Ok(file) = Mapped::open(file.display().to_string(), file, true) {
            self.look_into(&file, 0, places, program);
        }
    }

    /// Looks for the places in the files that a process executes now.
    pub(super) fn look(&mut self, root: &Root, process: u32, places: &Places, program: &mut Program) {
        for file in mapped(root, process, self.names.entry(process).or_default()) {
            if self.seen.insert((process, file.id)) {
                self.look_into(&file, process, places, program);
            }
        }
    }

    /// A process ended: its number may become another's.
    pub(super) fn forget(&mut self, process: u32) {
        self.seen.retain(|(of, _)| *of != process);
        self.names.remove(&process);
        self.looked_at.values_mut().for_each(|all| all.retain(|(_, of), _| *of != Some(process)));
    }

    /// Since when each place that belongs to no section is looked at in this process.
    pub(super) fn others_in(&self, process: u32, places: &Places) -> BTreeMap<usize, u64> {
        let is_here = |(file, of): &(FileId, Option<u32>)| {
            of.is_none_or(|of| of == process) && self.seen.contains(&(process, *file))
        };
        let since = |all: &BTreeMap<(FileId, Option<u32>), u64>| {
            all.iter().filter(|(place, _)| is_here(place)).map(|(_, since)| *since).min()
        };
        let of = |(number, all): (&u32, _)| match places.reached(*number)? {
            Reached::Other(place) => Some((place, since(all)?)),
            Reached::Begin(_) | Reached::End(_) => None,
        };
        self.looked_at.iter().filter_map(of).collect()
    }

    /// The places that are looked at nowhere, and why.
    pub(super) fn unplaced(&self, places: &Places) -> Vec<Unplaced> {
        let of = |point: &Point<'_>| {
            if self.looked_at.contains_key(&point.number) && !self.beyond.contains(&point.number) {
                return None;
            }
            let why = self.problems.get(&point.number).cloned().unwrap_or_else(|| self.absent(point));
            let remedy = match point.place.target {
                PlaceTarget::Line { .. } if self.without_lines.contains_key(&point.number) => {
                    "compile the program with -g, or install its debug symbols"
                }
                PlaceTarget::Line { .. } => "name the file and the line as `objdump --dwarf=decodedline` prints them",
                PlaceTarget::Symbol { .. } | PlaceTarget::Probe { .. } => {
                    "name the function as `nm -DC` or `nm -C` prints it, or with its library, as in libctl.so:step"
                }
            };
            Some(Unplaced { place: point.place.to_string(), why, remedy })
        };
        let mut all: Vec<Unplaced> = Vec::new();
        // The beginning and the return of a function have one name.
        for one in places.points().iter().filter_map(of) {
            if all.iter().all(|other| other.place != one.place) {
                all.push(one);
            }
        }
        all
    }

    fn absent(&self, point: &Point<'_>) -> String {
        let similar: BTreeSet<&String> = self
            .known
            .values()
            .filter_map(|places| match places.get(&point.number)? {
                Err(NoPlace::Absent(similar)) => Some(similar),
                _ => None,
            })
            .flatten()
            .collect();
        let names: Vec<&str> = similar.into_iter().map(String::as_str).take(4).collect();
        if self.known.is_empty() {
            return "no file that the program executes could be read".to_owned();
        }
        let like = if names.is_empty() { String::new() } else { format!("; similar names: {}", names.join(", ")) };
        if matches!(point.place.target, PlaceTarget::Line { .. }) {
            return match self.without_lines.get(&point.number) {
                Some(why) => why.clone(),
                None => {
                    format!(
                        "the debug information of the files that the program executes has no such source file; it may have been \
                         compiled without -g{like}"
                    )
                }
            };
        }
        match names.is_empty() {
            true => "no file that the program executes has this place; the function may be inlined, or the file may \
                     have no symbols"
                .to_owned(),
            false => format!("no file that the program executes has this place{like}"),
        }
    }

    fn look_into(&mut self, file: &Mapped, process: u32, places: &Places, program: &mut Program) {
        let points: Vec<Point<'_>> = places.points().into_iter().filter(|point| is_wanted(point, file)).collect();
        let known = self.known.entry(file.id).or_default();
        let new: Vec<&Point<'_>> = points.iter().filter(|point| !known.contains_key(&point.number)).collect();
        if !new.is_empty() {
            let wanted: Vec<Wanted<'_>> =
                new.iter().map(|point| Wanted { place: point.place, is_return: point.is_return }).collect();
            let found = symbols::find(&file.file, &file.name, &wanted);
            known.extend(new.iter().map(|point| point.number).zip(found));
        }
        for point in points {
            // A library has it only where no other file of the process does, unless all that have it are meant.
            let elsewhere = |(id, of): &(FileId, Option<u32>)| {
                *id != file.id && of.is_none_or(|of| of == process) && self.seen.contains(&(process, *id))
            };
            let is_had = self.looked_at.get(&point.number).is_some_and(|all| all.keys().any(elsewhere));
            if point.is_single && is_had && point.place.file.is_none() {
                continue;
            }
            match self.known[&file.id][&point.number].clone() {
                Ok(offsets) => self.look_at(&point, file, process, &offsets, program),
                Err(NoPlace::Unusable(why)) => {
                    self.problems.entry(point.number).or_insert(why);
                }
                Err(NoPlace::NoLines(why)) if file.is_program || point.place.file.is_some() => {
                    self.without_lines.entry(point.number).or_insert(why);
                }
                Err(NoPlace::NoLines(_) | NoPlace::Absent(_)) => {}
            }
        }
    }

    fn look_at(&mut self, point: &Point<'_>, file: &Mapped, process: u32, offsets: &[u64], program: &mut Program) {
        let only = (!file.is_program).then_some(process);
        if self.looked_at.get(&point.number).is_some_and(|all| all.contains_key(&(file.id, only))) {
            return;
        }
        if self.count + offsets.len() > PROBES_MAX {
            let why = format!("prazo watches at most {PROBES_MAX} places, over all processes and files");
            self.problems.insert(point.number, why);
            self.beyond.insert(point.number);
            return;
        }
        for (place, at) in offsets.iter().enumerate() {
            let looked_at = program.look_at(&Probe {
                file: &file.path(),
                at: *at,
                number: point.number,
                is_return: point.is_return,
                process: only.and_then(NonZeroU32::new),
            });
            if let Err(why) = looked_at {
                // A process may have ended meanwhile; that it has the place is then of no use, and no problem where others do.
                self.problems.entry(point.number).or_insert_with(|| why.to_string());
                if place == 0 {
                    return;
                }
                // What is attached already stays, and must not be attached again for the next process.
                self.beyond.insert(point.number);
                break;
            }
            self.count += 1;
        }
        self.looked_at.entry(point.number).or_default().insert((file.id, only), monotonic_ns());
    }
}

/// True where the place is of this file, or of whatever file.
fn is_wanted(point: &Point<'_>, file: &Mapped) -> bool {
    point.place.file.as_ref().is_none_or(|wanted| match wanted.contains('/') {
        true => *wanted == file.name,
        false => file.name.rsplit('/').next().is_some_and(|name| {
            // `libctl.so` is also `libctl.so.2`.
            name.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }),
    })
}

/// The files that a process executes, its program first; only those whose names are not known, which they are then.
fn mapped(root: &Root, process: u32, known: &mut BTreeSet<String>) -> Vec<Mapped> {
    let folder = root.base().join(format!("proc/{process}"));
    let own = folder.join("exe");
    let own_name = std::fs::read_link(&own).map(|name| name.display().to_string()).unwrap_or_default();
    let maps = root.read(&format!("/proc/{process}/maps")).unwrap_or_default();
    // The path of a library is that of the process's own file system, which may be a container's.
    let path = |name: &str| folder.join("root").join(name.trim_start_matches('/'));
    let libraries = maps.lines().filter_map(executed).map(|name| (name.to_owned(), path(name), false));
    let mut files: Vec<Mapped> = Vec::new();
    for (name, path, is_program) in std::iter::once((own_name, own, true)).chain(libraries) {
        if known.contains(&name) {
            continue;
        }
        // One that cannot be opened now is tried again.
        let Ok(file) = Mapped::open(name.clone(), &path, is_program) else { continue };
        known.insert(name);
        files.push(file);
    }
    files
}

/// The file of a line of /proc/PID/maps whose memory may be executed: `from-to r-xp offset device inode path`.
fn executed(line: &str) -> Option<&str> {
    let is_executable = line.split_whitespace().nth(1)?.contains('x');
    let at = line.find('/').filter(|_| is_executable)?;
    Some(&line[at..]).filter(|path| !path.ends_with(" (deleted)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_are_executed_have_places() {
        for (line, expected) in [
            ("7f1c-7f1d r-xp 00028000 fe:00 1234   /usr/lib/libc.so.6", Some("/usr/lib/libc.so.6")),
            ("7f1c-7f1d r-xp 00028000 fe:00 1234   /opt/my ctl/ctl", Some("/opt/my ctl/ctl")),
            ("7f1c-7f1d r--p 00028000 fe:00 1234   /usr/lib/libc.so.6", None),
            ("7f1c-7f1d r-xp 00000000 00:00 0      [vdso]", None),
            ("7f1c-7f1d r-xp 00028000 fe:00 1234   /tmp/old (deleted)", None),
        ] {
            assert_eq!(executed(line), expected, "{line}");
        }
    }

    #[test]
    fn a_file_is_named_by_its_path_or_its_name_without_the_version() {
        let is_named = |place: &str, name: &str| {
            let place = place.parse().unwrap();
            let point = Point { number: 0, place: &place, is_return: false, is_single: true };
            is_wanted(
                &point,
                &Mapped { name: name.into(), ..Mapped::open(String::new(), Path::new("/dev/null"), false).unwrap() },
            )
        };
        for (place, name, expected) in [
            ("step", "/opt/ctl", true),
            ("libctl.so:step", "/opt/libctl.so.2", true),
            ("libctl:step", "/opt/libctl.so.2", true),
            ("libctl:step", "/opt/libctl2.so", false),
            ("/opt/libctl.so:step", "/opt/libctl.so", true),
            ("/opt/libctl.so:step", "/usr/libctl.so", false),
        ] {
            assert_eq!(is_named(place, name), expected, "{place} {name}");
        }
    }

    #[test]
    fn this_process_executes_its_program_and_libraries() {
        let mut known = BTreeSet::new();
        let own = mapped(&Root::system(), std::process::id(), &mut known);
        assert!(own[0].is_program && own[1..].iter().all(|file| !file.is_program));
        let program = Mapped::open(String::new(), &std::env::current_exe().unwrap(), true).unwrap();
        assert_eq!(own[0].id, program.id);
        assert_eq!(mapped(&Root::system(), std::process::id(), &mut known).len(), 0, "all are known");
    }
}
