//! From the name of a place to where it is in a file: by the symbols of an ELF file, of its separate debug file, by its notes, or by
//! the line tables of either ([`super::lines`]).
//!
//! A name may be the linker's, or the source's in C++ and Rust: in full, without its parameters, or only its last parts. The
//! surest kind of match that a file has decides, and two places that match equally well are none.

use super::lines::Lines;
use super::places::{LISTED, NoPlace, Place, PlaceTarget, listed};
use object::elf::{PF_X, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE};
use object::read::{ReadCache, ReadRef};
use object::{File, Object, ObjectSection, ObjectSegment, ObjectSymbol, SegmentFlags, SymbolFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where distributions put the symbols that they take out of programs.
const DEBUG_FILES: &str = "/usr/lib/debug/.build-id";
/// Sections that only Go's compiler makes.
const GO: [&str; 2] = [".gopclntab", ".go.buildinfo"];

/// A place that is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub place: &'a Place,
    /// It is the return of a function.
    pub is_return: bool,
}

/// What a file says about each place: its offsets, one of a symbol, each of a static probe. `file_name` is for people.
pub(super) fn find<'a>(file: &std::fs::File, file_name: &str, wanted: &[Wanted<'a>]) -> Vec<Result<Vec<u64>, NoPlace>> {
    let for_all = |why: NoPlace| vec![Err(why); wanted.len()];
    let data = match file.try_clone() {
        Ok(file) => ReadCache::new(file),
        Err(error) => return for_all(unusable(file_name, &error)),
    };
    let program = match File::parse(&data) {
        Ok(program) => program,
        Err(error) => return for_all(unusable(file_name, &error)),
    };
    let separate_path = separate(&program);
    let separate = separate_path.as_deref().and_then(|path| std::fs::File::open(path).ok()).map(ReadCache::new);
    let separate = separate.as_ref().and_then(|data| File::parse(data).ok());
    let lines_of = |wanted: &Wanted<'a>| match &wanted.place.target {
        PlaceTarget::Line { source, line } => Some((source.as_str(), *line)),
        PlaceTarget::Symbol { .. } | PlaceTarget::Probe { .. } => None,
    };
    let asked: Vec<(&str, u32)> = wanted.iter().filter_map(lines_of).collect();
    let mut found_lines = match asked.is_empty() {
        true => Vec::new(),
        false => match lines(&program, separate.as_ref(), file_name, separate_path.as_deref()) {
            Ok(lines) => lines.find(&asked),
            Err(why) => vec![Err(why); asked.len()],
        },
    }
    .into_iter();
    let named = wanted.iter().filter_map(|wanted| match &wanted.place.target {
        PlaceTarget::Symbol { name, .. } => Some(name.as_str()),
        PlaceTarget::Probe { .. } | PlaceTarget::Line { .. } => None,
    });
    let mut found: Vec<Found<'_>> = named.map(Found::new).collect();
    program.symbols().chain(program.dynamic_symbols()).for_each(|symbol| see(&mut found, &symbol));
    separate.iter().for_each(|file| file.symbols().for_each(|symbol| see(&mut found, &symbol)));
    let is_go = GO.iter().any(|section| program.section_by_name(section).is_some());
    let mut found = found.into_iter();
    let of = |wanted: &Wanted<'_>| match &wanted.place.target {
        PlaceTarget::Probe { provider, name } => probes(&program, provider, name),
        PlaceTarget::Line { source, line } => {
            let addresses = found_lines.next().unwrap_or_else(|| Ok(Vec::new()))?;
            let places: Vec<u64> = addresses.iter().filter_map(|address| file_offset(&program, *address)).collect();
            match places.is_empty() {
                true => Err(NoPlace::Unusable(format!("line {line} of {source} has no code in the file {file_name}"))),
                false => Ok(places),
            }
        }
        PlaceTarget::Symbol { name, offset } => {
            let (address, size) = found.next().map_or(Err(NoPlace::Absent(Vec::new())), Found::only)?;
            let why = match file_offset(&program, address + offset) {
                // Go moves its stacks, and finds an address there that is the kernel's.
                _ if is_go && wanted.is_return => {
                    "prazo cannot watch the return of a Go function; name a second place, as in A..B".into()
                }
                _ if *offset > 0 && *offset >= size => {
                    format!("the offset is beyond the end of {name}, which has {size} bytes")
                }
                Some(at) => return Ok(vec![at]),
                None => format!("{name} has no code in the file"),
            };
            Err(NoPlace::Unusable(why))
        }
    };
    wanted.iter().map(of).collect()
}

fn unusable(file: &str, why: &dyn std::fmt::Display) -> NoPlace {
    NoPlace::Unusable(format!("{file}: {why}"))
}

/// The file that has the symbols of a program from which they were taken, whether it exists or not.
fn separate<'a, R: ReadRef<'a>>(program: &File<'a, R>) -> Option<PathBuf> {
    let id = program.build_id().ok()??;
    let (first, rest) = id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Path::new(DEBUG_FILES).join(format!("{first:02x}")).join(format!("{rest}.debug")))
}

/// Debug information that cannot be read counts only of the program and of a file that the place names.
fn unreadable(file: &str, why: &str) -> NoPlace {
    NoPlace::NoLines(format!("{file}: {why}"))
}

/// The line tables of a program, else those of its separate debug file.
fn lines<'a, R: ReadRef<'a>, S: ReadRef<'a>>(
    program: &File<'a, R>,
    separate: Option<&File<'a, S>>,
    name: &str,
    separate_path: Option<&Path>,
) -> Result<Lines, NoPlace> {
    if let Some(own) = Lines::of(program).map_err(|why| unreadable(name, &why))? {
        return Ok(own);
    }
    let path = separate_path.map(|path| path.display().to_string());
    let path = path.as_deref().unwrap_or_default();
    match separate.map(Lines::of).transpose().map_err(|why| unreadable(path, &why))? {
        Some(Some(separate)) => Ok(separate),
        found => Err(NoPlace::NoLines(match (found.is_some(), separate_path) {
            (true, _) => format!("neither {name} nor its debug file {path} has a line table"),
            (false, Some(_)) => format!(
                "{name} has no debug information with a line table, and its debug file {path} does not exist or cannot be read"
            ),
            (false, None) => format!(
                "{name} has no debug information with a line table, and no build ID, by which a debug file in \
                 {DEBUG_FILES} could be found"
            ),
        })),
    }
}

/// Where code at an address of the program is in its file.
fn file_offset<'a, R: ReadRef<'a>>(program: &File<'a, R>, address: u64) -> Option<u64> {
    let is_code =
        |segment: &_| !matches!(ObjectSegment::flags(segment), SegmentFlags::Elf { p_flags } if p_flags & PF_X == 0);
    program.segments().filter(is_code).find_map(|segment| {
        let (at, size) = segment.file_range();
        let within = address.checked_sub(segment.address()).filter(|within| *within < size)?;
        Some(at + within)
    })
}

/// How a symbol's name matches the wanted one, surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    /// It is the linker's name.
    Linker,
    /// It is the source's name with its parameters.
    Source,
    /// It is the source's name without them.
    WithoutParameters,
    /// It is what the source's name ends with.
    LastParts,
    /// It is a part that the compiler made of the function, as in `step.constprop.0`.
    Part,
}

/// The symbols that match.
struct Found<'a> {
    wanted: &'a str,
    /// What each name of the linker contains that may be meant; empty where that is not known.
    part: &'a str,
    matches: BTreeMap<Match, BTreeMap<u64, (String, u64)>>,
    similar: BTreeSet<String>,
    chosen_at_start: bool,
}

impl<'a> Found<'a> {
    fn new(wanted: &'a str) -> Self {
        let last = wanted.split('(').next().unwrap_or(wanted).rsplit("::").next().unwrap_or(wanted);
        // Operators, destructors and closures are written otherwise.
        let is_plain = last.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) && last != "operator";
        let part = if is_plain { last } else { "" };
        Self { wanted, part, matches: BTreeMap::new(), similar: BTreeSet::new(), chosen_at_start: false }
    }

    /// A symbol with its size; `full` is its name in the source, where that is another.
    fn see(&mut self, name: &str, full: Option<&str>, address: u64, size: u64) {
        let shown = full.unwrap_or(name);
        if let Some(how) = matched(name, full, self.wanted) {
            let at = self.matches.entry(how).or_default().entry(address);
            let (_, known) = at.or_insert_with(|| (shown.to_owned(), size));
            *known = (*known).min(size);
        } else if self.similar.len() < LISTED && self.part.len() > 2 && shown.contains(self.part) {
            self.similar.insert(shown.to_owned());
        }
    }

    fn only(self) -> Result<(u64, u64), NoPlace> {
        let Some(best) = self.matches.into_values().next() else {
            return Err(match self.chosen_at_start {
                true => NoPlace::Unusable(format!(
                    "{} is an indirect function (IFUNC), whose code the program chooses when it starts; prazo cannot \
                     watch it",
                    self.wanted
                )),
                false => NoPlace::Absent(self.similar.into_iter().collect()),
            });
        };
        let mut places = best.iter();
        match (places.next(), places.next()) {
            (Some((address, (_, size))), None) => Ok((*address, *size)),
            _ => {
                let names = listed(best.values().map(|(name, _)| name.clone()));
                let text = format!("{} places match the name {}: {names}", best.len(), self.wanted);
                Err(NoPlace::Unusable(text))
            }
        }
    }
}

/// Shows a symbol to all that may be called like it.
fn see<'d>(found: &mut [Found<'_>], symbol: &impl ObjectSymbol<'d>) {
    let (Ok(name), SymbolFlags::Elf { st_info, .. }) = (symbol.name(), symbol.flags()) else { return };
    // A library's version follows its name.
    let name = name.split('@').next().unwrap_or(name);
    if name.is_empty() || symbol.is_undefined() || found.iter().all(|one| !name.contains(one.part)) {
        return;
    }
    let kind = st_info & 0xf;
    if kind == STT_GNU_IFUNC {
        found.iter_mut().for_each(|one| one.chosen_at_start |= name == one.wanted);
        return;
    }
    if kind != STT_FUNC && !(kind == STT_NOTYPE && is_label(name)) {
        return;
    }
    let full = demangled(name);
    // A label has no size, and is no less than any.
    let size = if symbol.size() == 0 { u64::MAX } else { symbol.size() };
    for one in found.iter_mut().filter(|one| name.contains(one.part)) {
        one.see(name, full.as_deref(), symbol.address(), size);
    }
}

/// A name that somebody gave: compilers and linkers begin theirs with a dollar sign or a dot.
fn is_label(name: &str) -> bool {
    !name.starts_with(['$', '.'])
}

/// The name in the source; `None` for one that is not mangled.
fn demangled(name: &str) -> Option<String> {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return Some(format!("{rust:#}"));
    }
    let symbol = name.starts_with("_Z").then(|| cpp_demangle::Symbol::new(name)).and_then(Result::ok)?;
    symbol.demangle().ok()
}

fn matched(name: &str, full: Option<&str>, wanted: &str) -> Option<Match> {
    if name == wanted {
        return Some(Match::Linker);
    }
    let Some(full) = full else {
        return name.split_once('.').is_some_and(|(whole, _)| whole == wanted).then_some(Match::Part);
    };
    if full == wanted {
        return Some(Match::Source);
    }
    let bare = without_parameters(full);
    if bare == wanted {
        return Some(Match::WithoutParameters);
    }
    let ends = |full: &str| full.strip_suffix(wanted).is_some_and(|rest| rest.ends_with("::"));
    (ends(full) || ends(bare)).then_some(Match::LastParts)
}

/// `ctl::Loop::step` of `ctl::Loop::step(double) const`; the parentheses of a name's own, as in `operator()`, stay.
fn without_parameters(full: &str) -> &str {
    let mut depth = 0_u32;
    for (at, letter) in full.char_indices() {
        match letter {
            '<' if !full[..at].ends_with("operator") && !full[..at].ends_with("operator<") => depth += 1,
            '>' if depth > 0 => depth -= 1,
            '(' if depth == 0
                && at > 0
                && !full[..at].ends_with("operator")
                && !full[at..].starts_with("(anonymous") =>
            {
                return &full[..at];
            }
            _ => {}
        }
    }
    full
}

/// The notes of static probes, which `sys/sdt.h` makes.
const NOTES: &str = ".note.stapsdt";
const NOTE_KIND: u32 = 3;

/// The places of a static probe.
fn probes<'a, R: ReadRef<'a>>(program: &File<'a, R>, provider: &str, name: &str) -> Result<Vec<u64>, NoPlace> {
    let data = program.section_by_name(NOTES).and_then(|section| section.data().ok()).unwrap_or_default();
    let base = program.section_by_name(".stapsdt.base").map(|section| section.address());
    let (mut places, mut others) = (BTreeSet::new(), BTreeSet::new());
    for probe in notes(data, program.is_64(), program.is_little_endian()) {
        if (probe.provider.as_str(), probe.name.as_str()) != (provider, name) {
            others.insert(format!("usdt:{}:{}", probe.provider, probe.name));
            continue;
        }
        if probe.semaphore != 0 {
            return Err(NoPlace::Unusable(format!(
                "the static probe {provider}:{name} is off until its semaphore is set, and prazo sets no semaphores"
            )));
        }
        let moved = base.map_or(0, |base| base.wrapping_sub(probe.base));
        let at = file_offset(program, probe.address.wrapping_add(moved));
        let without = || NoPlace::Unusable(format!("the static probe {provider}:{name} has no code in the file"));
        places.insert(at.ok_or_else(without)?);
    }
    match places.is_empty() {
        true => Err(NoPlace::Absent(others.into_iter().take(LISTED).collect())),
        false => Ok(places.into_iter().collect()),
    }
}

/// A static probe as its note says.
#[derive(Debug, PartialEq, Eq)]
struct Probe {
    address: u64,
    /// Where `.stapsdt.base` was when the address was written.
    base: u64,
    semaphore: u64,
    provider: String,
    name: String,
}

/// A section of notes: each has the lengths of its owner's name and of what it says, its kind, and both texts, padded to four.
fn notes(mut data: &[u8], is_64: bool, is_little: bool) -> Vec<Probe> {
    const HEAD: usize = 12;
    let word = |bytes: &[u8], at: usize| {
        let bytes: Option<[u8; 4]> = bytes.get(at..at + 4)?.try_into().ok();
        bytes.map(|bytes| if is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    };
    let width = if is_64 { 8 } else { 4 };
    let address = |bytes: &[u8], number: usize| {
        let bytes = bytes.get(number * width..(number + 1) * width)?;
        let digit = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(if is_little { bytes.iter().rev().fold(0, digit) } else { bytes.iter().fold(0, digit) })
    };
    let mut found = Vec::new();
    while let (Some(owner), Some(length), Some(kind)) = (word(data, 0), word(data, 4), word(data, 8)) {
        let (owner, length) = (owner as usize, length as usize);
        let from = HEAD.saturating_add(owner.next_multiple_of(4));
        let Some(says) = data.get(from..from.saturating_add(length)) else { break };
        let mut texts = says.get(3 * width..).unwrap_or_default().split(|byte| *byte == 0);
        let mut text = || texts.next().map(|text| String::from_utf8_lossy(text).into_owned());
        if kind == NOTE_KIND
            && let (Some(at), Some(base), Some(semaphore)) = (address(says, 0), address(says, 1), address(says, 2))
            && let (Some(provider), Some(name)) = (text(), text())
        {
            found.push(Probe { address: at, base, semaphore, provider, name });
        }
        data = data.get(from + length.next_multiple_of(4)..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_matches_as_the_linker_or_the_source_has_it() {
        use Match::{LastParts, Linker, Part, Source, WithoutParameters};
        let cpp = "_ZN3ctl4Loop4stepEd";
        let full = demangled(cpp).expect("it is C++");
        assert_eq!(full, "ctl::Loop::step(double)");
        let rust = "_ZN3ctl4main4step17h0123456789abcdefE";
        assert_eq!(demangled(rust).as_deref(), Some("ctl::main::step"));
        for (name, wanted, expected) in [
            ("step", "step", Some(Linker)),
            (cpp, cpp, Some(Linker)),
            (cpp, "ctl::Loop::step(double)", Some(Source)),
            (cpp, "ctl::Loop::step", Some(WithoutParameters)),
            (cpp, "Loop::step", Some(LastParts)),
            (cpp, "step", Some(LastParts)),
            (cpp, "tep", None),
            (rust, "ctl::main::step", Some(Source)),
            (rust, "main::step", Some(LastParts)),
            ("step.constprop.0", "step", Some(Part)),
            ("stepper", "step", None),
        ] {
            assert_eq!(matched(name, demangled(name).as_deref(), wanted), expected, "{name} {wanted}");
        }
    }

    #[test]
    fn parameters_are_left_out_and_the_names_own_parentheses_stay() {
        for (full, bare) in [
            ("ctl::step(double) const", "ctl::step"),
            ("ctl::Map<int (int)>::get(int)", "ctl::Map<int (int)>::get"),
            ("ctl::F::operator()(int)", "ctl::F::operator()"),
            ("(anonymous namespace)::step(int)", "(anonymous namespace)::step"),
            ("ctl::operator<(A, B)", "ctl::operator<"),
            ("ctl::step", "ctl::step"),
        ] {
            assert_eq!(without_parameters(full), bare);
        }
    }

    #[test]
    fn notes_of_static_probes_are_read_and_a_cut_one_ends_them() {
        let note = |address: u64, semaphore: u64, provider: &str, name: &str| {
            let mut says: Vec<u8> = [address, 0x100, semaphore].iter().flat_map(|word| word.to_le_bytes()).collect();
            says.extend(format!("{provider}\0{name}\0-4@%eax\0").bytes());
            let head = [8_u32, says.len() as u32, NOTE_KIND].map(u32::to_le_bytes).concat();
            let mut note = [head, b"stapsdt\0".to_vec(), says].concat();
            note.resize(note.len().next_multiple_of(4), 0);
            note
        };
        let mut data = [note(0x1000, 0, "ctl", "begin"), note(0x2000, 7, "ctl", "end")].concat();
        let found = notes(&data, true, true);
        let names: Vec<_> = found.iter().map(|probe| (probe.address, probe.semaphore, probe.name.as_str())).collect();
        assert_eq!(names, [(0x1000, 0, "begin"), (0x2000, 7, "end")]);
        assert_eq!((found[0].base, found[0].provider.as_str()), (0x100, "ctl"));
        data.truncate(data.len() - 8);
        assert_eq!(notes(&data, true, true).len(), 1);
    }

    #[test]
    fn this_test_program_has_its_own_functions() {
        let own = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
        let named = |name: &str| {
            let (other, place) = ("other::place".parse().unwrap(), name.parse().unwrap());
            let wanted = [&other, &place].map(|place| Wanted { place, is_return: true });
            find(&own, "own", &wanted).pop().unwrap()
        };
        let only = named("symbols::tests::a_function_that_is_looked_for").unwrap();
        assert_eq!((only.len(), a_function_that_is_looked_for()), (1, 7));
        let NoPlace::Absent(similar) = named("no_function_that_is_looked_for").unwrap_err() else { panic!() };
        assert!(similar.is_empty(), "{similar:?}");
        let NoPlace::Absent(similar) = named("a::a_function_that_is").unwrap_err() else { panic!() };
        assert!(similar.iter().any(|name| name.contains("a_function_that_is_looked_for")), "{similar:?}");
        let nothing = std::fs::File::open("/dev/null").unwrap();
        let place = "step".parse().unwrap();
        let none = find(&nothing, "null", &[Wanted { place: &place, is_return: false }]);
        assert!(matches!(&none[..], [Err(NoPlace::Unusable(why))] if why.starts_with("null: ")), "{none:?}");
    }

    /// The place, or why there is none, of a file.
    fn placed(file: &Path, place: &str) -> Result<Vec<u64>, NoPlace> {
        let place = place.parse().unwrap();
        let opened = std::fs::File::open(file).unwrap();
        find(&opened, "the program", &[Wanted { place: &place, is_return: false }]).pop().unwrap()
    }

    fn all_placed<const N: usize>(file: &Path, places: [String; N]) -> [Result<Vec<u64>, NoPlace>; N] {
        let places = places.map(|place| place.parse().unwrap());
        let wanted: Vec<_> = places.iter().map(|place| Wanted { place, is_return: false }).collect();
        find(&std::fs::File::open(file).unwrap(), "the program", &wanted).try_into().unwrap()
    }

    fn unusable(found: Result<Vec<u64>, NoPlace>) -> String {
        match found {
            Err(NoPlace::Unusable(why) | NoPlace::NoLines(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    /// This test program has line tables, which its profile asks for.
    #[test]
    fn a_line_of_this_rust_file_has_the_places_of_its_function() {
        let own = std::env::current_exe().unwrap();
        let line = |line: u32| format!("activations/symbols.rs:{line}");
        let places = [
            "symbols::tests::a_function_that_is_looked_for".to_owned(),
            line(LOOKED_FOR + 3),
            line(LOOKED_FOR + 4),
            line(LOOKED_FOR),
            "mod.rs:1".to_owned(),
            "no/such/symbols.rs:1".to_owned(),
        ];
        let [function, first, within, constant, several, absent] = all_placed(&own, places);
        let (function, first, within) = (function.unwrap(), first.unwrap(), within.unwrap());
        assert_eq!(first, function, "the line of `fn`");
        assert!(within.len() == 1 && within[0] > first[0], "{within:?} {first:?}");
        let (why, expected) = (
            unusable(constant),
            format!("line {LOOKED_FOR} of activations/symbols.rs has no code; the nearest lines with code are "),
        );
        assert!(why.starts_with(&expected), "{why}");
        assert!(unusable(several).contains(" source files match the name mod.rs: "), "this crate has many modules");
        let Err(NoPlace::Absent(similar)) = absent else { panic!("{absent:?}") };
        assert!(similar.iter().any(|path| path.contains("symbol")), "{similar:?}");
    }

    /// An inlined function has a place in each function that has it, in every form of debug information.
    #[test]
    fn a_line_of_an_inlined_function_has_a_place_for_each_copy() {
        let compiler = prazo_testing::or_skip!(prazo_testing::program("cc"));
        let folder = tempfile::tempdir().unwrap();
        let source = prazo_testing::data::path("watch/lines.c");
        let compiled = |name: &str, flags: &[&str]| {
            let file = folder.path().join(name);
            let mut command = std::process::Command::new(&compiler);
            assert!(command.args(flags).arg("-o").arg(&file).arg(&source).status().unwrap().success(), "{flags:?}");
            file
        };
        let text = std::fs::read_to_string(&source).unwrap();
        let line = |of: &str| text.lines().position(|line| line.contains(of)).unwrap() + 1;
        let (begins, ends) = (line("/* begins */"), line("/* ends */"));
        for flags in
            [&["-O2", "-g"][..], &["-O0", "-g"], &["-O1", "-g", "-gdwarf-4", "-gz=none"], &["-O1", "-g", "-gz=zlib"]]
        {
            let program = compiled("lines", flags);
            let at = |line: usize| placed(&program, &format!("lines.c:{line}"));
            let (from, to) = (at(begins).unwrap(), at(ends).unwrap());
            let mut functions = ["left", "right"].map(|name| placed(&program, name).unwrap()[0]);
            functions.sort_unstable();
            assert_eq!((from.len(), to.len()), (2, 2), "{flags:?}: {from:x?} {to:x?}");
            for copy in 0..2 {
                let is_in_order = functions[copy] <= from[copy] && from[copy] < to[copy];
                assert!(
                    is_in_order && (copy == 1 || to[0] < functions[1]),
                    "{flags:?}: {functions:x?} {from:x?} {to:x?}"
                );
            }
            assert!(
                unusable(at(1)).contains("line 1 of lines.c has no code; the first line with code is "),
                "{:?}",
                at(1)
            );
            assert!(unusable(at(9_999)).contains("; the last line with code is "), "{:?}", at(9_999));
            assert_eq!(placed(&program, "other.c:1"), Err(NoPlace::Absent(Vec::new())));
            let Err(NoPlace::Absent(similar)) = placed(&program, "elsewhere/lines.c:1") else { panic!() };
            assert!(similar[0].ends_with("watch/lines.c"), "{similar:?}");
        }
        let without = unusable(placed(&compiled("plain", &["-O1", "-g0", "-Wl,--build-id=none"]), "lines.c:1"));
        assert!(
            without.starts_with("the program has no debug information with a line table, and no build ID"),
            "{without}"
        );
        let without = unusable(placed(&compiled("plain", &["-O1", "-g0", "-Wl,--build-id=sha1"]), "lines.c:1"));
        assert!(without.contains("its debug file /usr/lib/debug/.build-id/"), "{without}");
    }

    #[test]
    fn the_line_table_of_a_separate_debug_file_is_the_programs() {
        let (compiler, copier) = (prazo_testing::program("cc"), prazo_testing::program("objcopy"));
        let (compiler, copier) = (prazo_testing::or_skip!(compiler), prazo_testing::or_skip!(copier));
        let folder = tempfile::tempdir().unwrap();
        let run = |program: &Path, words: &[&str]| {
            let source = prazo_testing::data::path("watch/lines.c");
            let words = words.iter().map(|word| if *word == "SOURCE" { source.to_str().unwrap() } else { word });
            let mut command = std::process::Command::new(program);
            assert!(command.args(words).current_dir(folder.path()).status().unwrap().success());
        };
        run(&compiler, &["-O1", "-g", "-o", "whole", "SOURCE"]);
        run(&copier, &["--only-keep-debug", "--compress-debug-sections=zlib", "whole", "whole.debug"]);
        run(&copier, &["--strip-debug", "whole", "stripped"]);
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        let (stripped, debug) = (read("stripped"), read("whole.debug"));
        let (stripped, debug) = (File::parse(&*stripped).unwrap(), File::parse(&*debug).unwrap());
        let path = Path::new("/usr/lib/debug/some.debug");
        let text = std::fs::read_to_string(prazo_testing::data::path("watch/lines.c")).unwrap();
        let line = 1 + text.lines().position(|line| line.contains("/* begins */")).unwrap() as u32;
        let found = lines(&stripped, Some(&debug), "stripped", Some(path))
            .unwrap()
            .find(&[("lines.c", line)])
            .pop()
            .unwrap()
            .unwrap();
        assert_eq!(found.len(), 2);
        let whole = placed(&folder.path().join("whole"), &format!("lines.c:{line}")).unwrap();
        let offsets: Vec<u64> = found.iter().filter_map(|address| file_offset(&stripped, *address)).collect();
        assert_eq!(offsets, whole);
        let neither = lines(&stripped, Some(&stripped), "stripped", Some(path)).map(drop).unwrap_err();
        let expected = "neither stripped nor its debug file /usr/lib/debug/some.debug has a line table";
        assert_eq!(neither, NoPlace::NoLines(expected.into()));
    }

    const LOOKED_FOR: u32 = line!();

    #[inline(never)]
    fn a_function_that_is_looked_for() -> u32 {
        std::hint::black_box(7)
    }
}
