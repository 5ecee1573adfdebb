//! A guest's symbols as an ELF file without code, from which a debugger takes the names of functions.
//!
//! ```text
//! header │ section headers: none, .text (no bytes), .symtab, .strtab │ symbols │ names
//! ```

use super::symbols::{Function, Symbols};

const HEADER: u64 = 64;
const SECTION: u64 = 64;
const SECTIONS: u64 = 4;
const SYMBOL: u64 = 24;

/// The names of the sections lie before those of the functions.
const SECTION_NAMES: &[u8] = b"\0.text\0.symtab\0.strtab\0";

/// Processor of the file: x86-64.
const MACHINE: u16 = 62;

impl Symbols {
    /// The symbols of an x86-64 guest as an ELF file.
    pub(crate) fn elf(&self) -> Vec<u8> {
        let mut names = SECTION_NAMES.to_vec();
        let mut symbols = vec![0; SYMBOL as usize];
        let functions = self.with_ends();
        let (first, end) = (functions.first().map_or(0, |one| one.0.address), functions.last().map_or(0, |one| one.1));
        for (function, end) in &functions {
            symbols.extend((names.len() as u32).to_le_bytes());
            // A global function in section 1.
            symbols.extend([0x12, 0, 1, 0]);
            symbols.extend([function.address, end - function.address].map(u64::to_le_bytes).as_flattened());
            names.extend(function.name.as_bytes());
            names.push(0);
        }
        let symbols_at = HEADER + SECTIONS * SECTION;
        let names_at = symbols_at + symbols.len() as u64;
        let sections = [
            Section::default(),
            // No bytes in the file; allocated and executable.
            Section {
                name: 1,
                kind: 8,
                flags: 6,
                address: first,
                at: symbols_at,
                size: end - first,
                ..Section::default()
            },
            // The names are in section 3, and every symbol from number 1 on is global.
            Section {
                name: 7,
                kind: 2,
                at: symbols_at,
                size: symbols.len() as u64,
                link: 3,
                info: 1,
                entry: SYMBOL,
                ..Section::default()
            },
            Section { name: 15, kind: 3, at: names_at, size: names.len() as u64, ..Section::default() },
        ];
        [header(), sections.iter().flat_map(Section::bytes).collect(), symbols, names].concat()
    }

    /// All functions, each with the address at which the next one begins.
    fn with_ends(&self) -> Vec<(&Function, u64)> {
        let mut next = None;
        let mut all: Vec<_> = self
            .all()
            .iter()
            .rev()
            .map(|function| {
                let end = match next {
                    Some((address, end)) if address == function.address => end,
                    Some((address, _)) => self.bounded(function, address),
                    None => function.address + 1,
                };
                next = Some((function.address, end));
                (function, end)
            })
            .collect();
        all.reverse();
        all
    }
}

/// An executable for x86-64 whose section headers follow.
fn header() -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
    bytes.resize(16, 0);
    let (executable, version) = (2u16, 1u32);
    bytes.extend([executable, MACHINE].map(u16::to_le_bytes).as_flattened());
    bytes.extend(version.to_le_bytes());
    let [entry, programs, sections] = [0, 0, HEADER];
    bytes.extend([entry, programs, sections].map(u64::to_le_bytes).as_flattened());
    let flags = 0u32;
    bytes.extend(flags.to_le_bytes());
    let [program_size, programs] = [0, 0];
    let names = 3;
    let sizes = [HEADER as u16, program_size, programs, SECTION as u16, SECTIONS as u16, names];
    bytes.extend(sizes.map(u16::to_le_bytes).as_flattened());
    bytes
}

#[derive(Default)]
struct Section {
    name: u32,
    kind: u32,
    flags: u64,
    address: u64,
    at: u64,
    size: u64,
    link: u32,
    info: u32,
    entry: u64,
}

impl Section {
    fn bytes(&self) -> Vec<u8> {
        let align = 1;
        let mut bytes = [self.name, self.kind].map(u32::to_le_bytes).as_flattened().to_vec();
        bytes.extend([self.flags, self.address, self.at, self.size].map(u64::to_le_bytes).as_flattened());
        bytes.extend([self.link, self.info].map(u32::to_le_bytes).as_flattened());
        bytes.extend([align, self.entry].map(u64::to_le_bytes).as_flattened());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{Object, ObjectSection, ObjectSymbol};

    #[test]
    fn every_function_is_read_back_with_its_address_and_its_extent() {
        let text = "ffffffff81000050 t helper\nffffffff81000050 t alias\nffffffff81000080 T next\n\
                    ffffffffc0000000 t irqlat_handle\t[irqlat]\nffffffffc0000010 t irqlat_more\t[irqlat]\n";
        let bytes = Symbols::parse(text).unwrap().elf();
        let file = object::File::parse(bytes.as_slice()).unwrap();
        assert_eq!((file.architecture(), file.kind()), (object::Architecture::X86_64, object::ObjectKind::Executable));
        let mut symbols: Vec<_> =
            file.symbols().map(|one| (one.name().unwrap().to_owned(), one.address(), one.size())).collect();
        symbols.sort_by_key(|one| (one.1, one.0.clone()));
        let named = |name: &str, address, size| (name.to_owned(), address, size);
        assert_eq!(
            symbols,
            [
                named("alias", 0xffff_ffff_8100_0050, 0x30),
                named("helper", 0xffff_ffff_8100_0050, 0x30),
                named("next", 0xffff_ffff_8100_0080, 1 << 20),
                named("irqlat_handle", 0xffff_ffff_c000_0000, 0x10),
                named("irqlat_more", 0xffff_ffff_c000_0010, 1),
            ]
        );
        let text = file.section_by_name(".text").unwrap();
        assert_eq!((text.address(), text.size()), (0xffff_ffff_8100_0050, 0x3eff_ffc1));
    }
}
