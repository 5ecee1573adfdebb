//! From a line of a source file to the instructions that a compiler made of it: by the line tables of a program's debug information (DWARF).
//!
//! A line may have instructions in many functions: it is in a template or in a header, or its function was inlined. In each function,
//! and in each inlined copy, the instruction with the lowest address is the place of the line, as for a debugger.

use super::places::{LISTED, NoPlace, listed};
use flate2::read::ZlibDecoder;
use gimli::{AttributeValue, DwarfSections, EndianSlice, LineProgramHeader, RunTimeEndian, SectionId};
use object::read::ReadRef;
use object::{CompressionFormat, File, Object, ObjectSection};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// What is read of a file's debug information.
const SECTIONS: [SectionId; 9] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
];

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;
type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;
type Unit<'a> = gimli::Unit<Slice<'a>>;

/// The line tables of a file.
pub(super) struct Lines {
    sections: DwarfSections<Vec<u8>>,
    endian: RunTimeEndian,
}

/// A source file of the program: its lines that have instructions, and the addresses of the one that is looked for.
#[derive(Debug, Default)]
struct SourceFile {
    lines: BTreeSet<u64>,
    /// The place of the unit among the units, and the address.
    addresses: Vec<(usize, u64)>,
    /// The same of rows without an instruction of their own: the next row has their address.
    empty: Vec<(usize, u64)>,
}

impl Lines {
    /// Those of a program or of its separate debug file; `None` where it has none.
    pub(super) fn of<'a, R: ReadRef<'a>>(file: &File<'a, R>) -> Result<Option<Self>, String> {
        if file.section_by_name(SectionId::DebugLine.name()).is_none() {
            return Ok(None);
        }
        let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let section = |id: SectionId| match file.section_by_name(id.name()).filter(|_| SECTIONS.contains(&id)) {
            Some(section) => contents(&section),
            None => Ok(Vec::new()),
        };
        Ok(Some(Self { sections: DwarfSections::load(section)?, endian }))
    }

    /// The addresses of each line, one of each function and inlined copy. A source is a file's name, or the end of its path.
    pub(super) fn find(&self, wanted: &[(&str, u32)]) -> Vec<Result<Vec<u64>, NoPlace>> {
        let dwarf = self.sections.borrow(|section| EndianSlice::new(section, self.endian));
        match units(&dwarf) {
            Ok(units) => wanted.iter().map(|wanted| addresses(&dwarf, &units, *wanted)).collect(),
            Err(error) => vec![Err(damaged(error)); wanted.len()],
        }
    }
}

fn damaged(error: gimli::Error) -> NoPlace {
    NoPlace::NoLines(format!("the debug information is damaged: {error}"))
}

fn addresses<'a>(dwarf: &Dwarf<'a>, units: &[Unit<'a>], (source, line): (&str, u32)) -> Result<Vec<u64>, NoPlace> {
    let (mut files, mut similar) = (BTreeMap::new(), BTreeSet::new());
    for (place, unit) in units.iter().enumerate() {
        see(dwarf, (place, unit), (source, line), &mut files, &mut similar).map_err(damaged)?;
    }
    let file = only(files, source, similar)?;
    let rows = if file.addresses.is_empty() { &file.empty } else { &file.addresses };
    if rows.is_empty() {
        return Err(NoPlace::Unusable(without_code(source, line, &file.lines)));
    }
    // The lowest address of each function.
    let mut first: BTreeMap<(usize, Option<usize>), u64> = BTreeMap::new();
    for place in rows.iter().map(|(place, _)| *place).collect::<BTreeSet<usize>>() {
        let functions = functions(dwarf, &units[place]).map_err(damaged)?;
        if units[place].dwo_id.is_some() && functions.is_empty() {
            return Err(NoPlace::Unusable(format!(
                "{source} was compiled with -gsplit-dwarf, so that the functions of its lines are in another file; compile it without \
                 -gsplit-dwarf"
            )));
        }
        for (_, address) in rows.iter().filter(|(of, _)| *of == place) {
            let lowest = first.entry((place, innermost(&functions, *address))).or_insert(*address);
            *lowest = (*lowest).min(*address);
        }
    }
    Ok(first.into_values().collect::<BTreeSet<u64>>().into_iter().collect())
}

fn contents<'a, S: ObjectSection<'a>>(section: &S) -> Result<Vec<u8>, String> {
    let name = || section.name().unwrap_or("a section").to_owned();
    let data = section.compressed_data().map_err(|error| format!("{}: {error}", name()))?;
    match data.format {
        CompressionFormat::None => Ok(data.data.to_vec()),
        CompressionFormat::Zlib => {
            let mut all = Vec::new();
            let read = ZlibDecoder::new(data.data).take(data.uncompressed_size).read_to_end(&mut all);
            read.map(|_| all).map_err(|error| format!("{}: {error}", name()))
        }
        _ => Err(format!(
            "{} is compressed in a way that prazo cannot read (only zlib); decompress the file with `objcopy --decompress-debug-sections \
             FILE`",
            name()
        )),
    }
}

fn units<'a>(dwarf: &Dwarf<'a>) -> gimli::Result<Vec<Unit<'a>>> {
    let (mut headers, mut units) = (dwarf.units(), Vec::new());
    while let Some(header) = headers.next()? {
        units.push(dwarf.unit(header)?);
    }
    Ok(units)
}

/// Takes in the line table of one unit, as far as it is about files of that name.
fn see<'a>(
    dwarf: &Dwarf<'a>,
    (place, unit): (usize, &Unit<'a>),
    (source, line): (&str, u32),
    files: &mut BTreeMap<PathBuf, SourceFile>,
    similar: &mut BTreeSet<String>,
) -> gimli::Result<()> {
    let Some(program) = unit.line_program.clone() else { return Ok(()) };
    let header = program.header().clone();
    let named = |number: u64| path(dwarf, unit, &header, number).filter(|path| ends_with(path, source));
    let count = header.file_names().len() as u64;
    let wanted: BTreeMap<u64, PathBuf> = (0..=count).filter_map(|number| Some((number, named(number)?))).collect();
    if wanted.is_empty() {
        let all = (0..=count).filter_map(|number| path(dwarf, unit, &header, number));
        let is_similar = |path: &PathBuf| similar_name(path, source);
        similar.extend(all.filter(is_similar).map(|path| path.display().to_string()));
        return Ok(());
    }
    let mut rows = program.rows();
    // The row before, if it is wanted: whether it has an instruction is known by the next one.
    let mut before: Option<(u64, u64, u64)> = None;
    let mut is_discarded = None;
    while let Some((_, row)) = rows.next_row()? {
        if let Some((file, of, address)) = before.take() {
            let file = files.entry(wanted[&file].clone()).or_default();
            let is_empty = address == row.address();
            if !is_empty {
                file.lines.insert(of);
            }
            if of == u64::from(line) {
                (if is_empty { &mut file.empty } else { &mut file.addresses }).push((place, address));
            }
        }
        // Linkers move functions that they leave out to the address 0.
        let discarded = *is_discarded.get_or_insert(row.address() == 0);
        if row.end_sequence() {
            is_discarded = None;
        } else if let Some(of) = row.line()
            && row.is_stmt()
            && !discarded
            && wanted.contains_key(&row.file_index())
        {
            before = Some((row.file_index(), of.get(), row.address()));
        }
    }
    Ok(())
}

/// The path of a file of a line table, without `.` and `..`.
fn path<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, header: &LineProgramHeader<Slice<'a>>, number: u64) -> Option<PathBuf> {
    let file = header.file(number)?;
    let text = |value: AttributeValue<Slice<'a>>| {
        let text = dwarf.attr_string(unit, value).ok()?;
        Some(String::from_utf8_lossy(text.slice()).into_owned())
    };
    let mut path: PathBuf =
        unit.comp_dir.map(|folder| String::from_utf8_lossy(folder.slice()).into_owned()).unwrap_or_default().into();
    path.extend(file.directory(header).and_then(text));
    path.push(text(file.path_name())?);
    Some(plain(&path))
}

fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// Whole components, from the last one on.
fn ends_with(path: &Path, source: &str) -> bool {
    path.ends_with(plain(Path::new(source)))
}

fn similar_name(path: &Path, source: &str) -> bool {
    const LEAST: usize = 3;
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let (one, other) = (stem(path), stem(Path::new(source)));
    one == other || other.len() >= LEAST && one.contains(&other) || one.len() >= LEAST && other.contains(&one)
}

/// The one source file that is meant.
fn only(
    mut files: BTreeMap<PathBuf, SourceFile>,
    source: &str,
    similar: BTreeSet<String>,
) -> Result<SourceFile, NoPlace> {
    // Nothing in it was compiled into this file.
    files.retain(|_, file| !file.lines.is_empty() || !file.empty.is_empty());
    if let Some(exact) = files.remove(Path::new(source)) {
        return Ok(exact);
    }
    if files.len() > 1 {
        let names = listed(files.keys().map(|path| path.display().to_string()));
        let count = files.len();
        return Err(NoPlace::Unusable(format!(
            "{count} source files match the name {source}: {names}; give more of the path"
        )));
    }
    files.into_values().next().ok_or_else(|| NoPlace::Absent(similar.into_iter().take(LISTED).collect()))
}

fn without_code(source: &str, line: u32, lines: &BTreeSet<u64>) -> String {
    let line = u64::from(line);
    let nearest = match (lines.range(..line).next_back(), lines.range(line + 1..).next()) {
        (Some(before), Some(behind)) => format!("; the nearest lines with code are {before} and {behind}"),
        (Some(last), None) => format!("; the last line with code is {last}"),
        (None, Some(first)) => format!("; the first line with code is {first}"),
        (None, None) => String::new(),
    };
    format!("line {line} of {source} has no code{nearest}")
}

/// The address ranges of a unit's functions and inlined copies, with the number of the entry that each belongs to.
fn functions<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>) -> gimli::Result<Vec<(gimli::Range, usize)>> {
    let (mut entries, mut found) = (unit.entries(), Vec::new());
    while let Some(entry) = entries.next_dfs()? {
        if !matches!(entry.tag(), gimli::DW_TAG_subprogram | gimli::DW_TAG_inlined_subroutine) {
            continue;
        }
        let mut ranges = dwarf.die_ranges(unit, entry)?;
        while let Some(range) = ranges.next()? {
            found.push((range, entry.offset().0));
        }
    }
    Ok(found)
}

/// The entry with the shortest range around an address; `None` where the debug information names no function there.
fn innermost(functions: &[(gimli::Range, usize)], address: u64) -> Option<usize> {
    // Entries come parents first: of equal ranges the inner one is behind.
    let around = functions.iter().rev().filter(|(range, _)| (range.begin..range.end).contains(&address));
    around.min_by_key(|(range, _)| range.end - range.begin).map(|(_, entry)| *entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_file_is_named_by_the_end_of_its_path() {
        for (path, source, expected) in [
            ("/home/u/ctl/src/loop.c", "loop.c", true),
            ("/home/u/ctl/src/loop.c", "src/loop.c", true),
            ("/home/u/ctl/src/loop.c", "./src/loop.c", true),
            ("/home/u/ctl/src/loop.c", "/home/u/ctl/src/loop.c", true),
            ("/home/u/ctl/src/loop.c", "/src/loop.c", false),
            ("/home/u/ctl/src/loop.c", "oop.c", false),
            ("/home/u/ctl/src/loop.c", "lib/loop.c", false),
        ] {
            assert_eq!(ends_with(Path::new(path), source), expected, "{path} {source}");
        }
        assert_eq!(plain(Path::new("/home/u/ctl/build/../src/./loop.c")), Path::new("/home/u/ctl/src/loop.c"));
        assert!(similar_name(Path::new("/src/control_loop.cpp"), "loop.c"));
        assert!(!similar_name(Path::new("/src/main.c"), "loop.c"));
    }

    #[test]
    fn a_line_without_code_names_the_nearest_ones_with_code() {
        let lines = BTreeSet::from([5, 9, 12]);
        let text = |line| without_code("loop.c", line, &lines);
        assert_eq!(text(10), "line 10 of loop.c has no code; the nearest lines with code are 9 and 12");
        assert_eq!(text(1), "line 1 of loop.c has no code; the first line with code is 5");
        assert_eq!(text(99), "line 99 of loop.c has no code; the last line with code is 12");
    }

    #[test]
    fn an_inlined_copy_is_told_from_the_function_around_it() {
        let function = (gimli::Range { begin: 10, end: 100 }, 1);
        let inlined = (gimli::Range { begin: 40, end: 50 }, 2);
        let whole = (gimli::Range { begin: 40, end: 50 }, 3);
        let functions = [function, inlined, whole];
        assert_eq!(innermost(&functions, 45), Some(3), "of equal ranges the inner one comes behind");
        let functions = [function, inlined];
        assert_eq!([10, 45, 50, 100].map(|at| innermost(&functions, at)), [Some(1), Some(2), Some(1), None]);
    }
}
