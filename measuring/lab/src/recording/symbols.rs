//! A guest's symbols: which function of the kernel or of a module lies at an address.
//!
//! They are what `/proc/kallsyms` of the same kernel says, booted with the same words and the same modules. The kernel's layout
//! is fixed (`nokaslr`), and modules are loaded in the same order to the same places.

/// No function is longer: an address further behind the last symbol belongs to nobody.
const LONGEST: u64 = 1 << 20;
/// Functions of the entry code that no interrupt or fault enters: other code of the kernel calls the first two, and a
/// new process leaves the kernel through the others (x86-64, 64-bit Arm).
const NOT_ENTERED: [&str; 4] = ["asm_load_gs_index", "entry_ibpb", "common_interrupt_return", "ret_to_user"];
/// The tables of the device interrupts. They have an entry for each vector, and one name for all of their entries.
const TABLES: [&str; 2] = ["irq_entries_start", "spurious_entries_start"];

/// The entries of a 64-bit Arm processor's exceptions, [`VECTOR_BYTES`] each, in this order from `vectors` on (Arm Architecture Reference
/// Manual, "Exception vectors"; the names are Linux's).
const ORIGINS: [&str; 4] = ["el1t_64", "el1h_64", "el0t_64", "el0t_32"];
const EXCEPTIONS: [&str; 4] = ["sync", "irq", "fiq", "error"];
const VECTOR_BYTES: u64 = 0x80;

/// The functions of a kernel, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    functions: Vec<Function>,
    /// Bounds of the code that interrupts, faults and system calls enter.
    entry: Option<(u64, u64)>,
    /// Bounds of the code that runs only while the kernel starts.
    starting: Option<(u64, u64)>,
    /// The task structure of the first thread.
    first_task: Option<u64>,
    /// Where a processor's own memory has its preempt count.
    preempt_count: Option<u64>,
    /// The table of a 64-bit Arm processor's exceptions.
    vectors: Option<u64>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Where it begins.
    pub address: u64,
    /// Its name.
    pub name: String,
    /// The module that it is in; `None` for the kernel itself.
    pub module: Option<String>,
}

impl Symbols {
    /// Reads the lines `ADDRESS KIND NAME [MODULE]`; `None` where they name no function, or hide the addresses.
    pub fn parse(text: &str) -> Option<Self> {
        let mut symbols = Self::default();
        let (mut from, mut to) = (None, None);
        let (mut starts, mut started) = (None, None);
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (Some(address), Some(kind), Some(name)) = (words.next(), words.next(), words.next()) else { continue };
            let Ok(address @ 1..) = u64::from_str_radix(address, 16) else { continue };
            match name {
                "__entry_text_start" => from = Some(address),
                "__entry_text_end" => to = Some(address),
                "_sinittext" => starts = Some(address),
                "_einittext" => started = Some(address),
                "init_task" => symbols.first_task = Some(address),
                "__preempt_count" => symbols.preempt_count = Some(address),
                // Since Linux 6.2 it lies behind the pointer to the running thread.
                "pcpu_hot" => symbols.preempt_count = symbols.preempt_count.or(Some(address + 8)),
                _ if !matches!(kind, "t" | "T" | "w" | "W") || name.starts_with("__pfx_") => {}
                "vectors" => {
                    symbols.vectors = Some(address);
                    symbols.functions.extend(vectors(address));
                }
                _ => {
                    let module = words.next().map(|word| word.trim_matches(['[', ']']).to_owned());
                    symbols.functions.push(Function { address, name: name.to_owned(), module });
                }
            }
        }
        symbols.entry = from.zip(to);
        symbols.starting = starts.zip(started);
        symbols.sort();
        (!symbols.functions.is_empty()).then_some(symbols)
    }

    /// Of several names for one address, the one that a person would use comes last, and is found.
    fn sort(&mut self) {
        let rank = |name: &str| (name.chars().take_while(|c| *c == '_').count(), name.len());
        self.functions.sort_by(|a, b| a.address.cmp(&b.address).then_with(|| rank(&b.name).cmp(&rank(&a.name))));
    }

    /// The function at an address.
    pub fn at(&self, address: u64) -> Option<&Function> {
        let behind = self.functions.partition_point(|function| function.address <= address);
        let found = self.functions[..behind].last()?;
        (address - found.address < LONGEST).then_some(found)
    }

    /// The function that an interrupt or a fault enters at this address: one that starts here in the entry code, or a
    /// table of device interrupts. `None` within a function, because there the entry code continues after a call, and
    /// for functions that are reached by system calls, by new processes, or from other code of the kernel.
    pub(crate) fn entered(&self, address: u64) -> Option<&Function> {
        if !self.is_entry(address) {
            return None;
        }
        let found = self.at(address)?;
        let name = found.name.as_str();
        let starts = found.address == address || TABLES.contains(&name);
        let is_other = name.contains("SYSCALL") || name.contains("fork") || NOT_ENTERED.contains(&name);
        (starts && !is_other).then_some(found)
    }

    /// Where a function of the kernel begins.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        self.functions.iter().find(|function| function.name == name && function.module.is_none()).map(|one| one.address)
    }

    /// True for the code that interrupts, faults and system calls enter.
    pub fn is_entry(&self, address: u64) -> bool {
        self.entry.is_some_and(|(from, to)| (from..to).contains(&address))
    }

    /// Bounds of that code.
    pub(super) fn entry(&self) -> Option<(u64, u64)> {
        self.entry
    }

    /// The table of a 64-bit Arm processor's exceptions.
    pub(super) fn vectors(&self) -> Option<u64> {
        self.vectors
    }

    /// The task structure of the first thread, which idles.
    pub fn first_task(&self) -> Option<u64> {
        self.first_task
    }

    /// Where a processor's own memory has its preempt count.
    pub(super) fn preempt_count(&self) -> Option<u64> {
        self.preempt_count
    }

    /// The kernel's own functions that may run after its start, each with the address of what comes next.
    pub fn extents(&self) -> impl Iterator<Item = (&Function, u64)> {
        let is_starting = |address| self.starting.is_some_and(|(from, to)| (from..to).contains(&address));
        let extents = self.functions.windows(2).map(|pair| (&pair[0], self.bounded(&pair[0], pair[1].address)));
        extents.filter(move |(function, end)| {
            function.module.is_none() && *end > function.address && !is_starting(function.address)
        })
    }

    /// All functions, by address.
    pub(super) fn all(&self) -> &[Function] {
        &self.functions
    }

    /// The end of a function before the next one, which begins at this address.
    pub(super) fn bounded(&self, function: &Function, next: u64) -> u64 {
        next.min(function.address + LONGEST)
    }

    /// How many functions there are.
    pub fn count(&self) -> usize {
        self.functions.len()
    }
}

/// The entries of the table at this address, each as a function.
fn vectors(table: u64) -> impl Iterator<Item = Function> {
    let names = ORIGINS.iter().flat_map(|origin| EXCEPTIONS.map(|kind| format!("{origin}_{kind}")));
    names.zip(0..).map(move |(name, number)| Function { address: table + number * VECTOR_BYTES, name, module: None })
}

/// True for the name of an entry that interrupts enter; faults enter the others.
pub(crate) fn is_interrupt(entry: &str) -> bool {
    let is_known = |known: &&str| entry.starts_with(known);
    TABLES.contains(&entry)
        || is_common_interrupt(entry)
        || ["asm_sysvec_", "asm_common_interrupt", "asm_spurious"].iter().any(is_known)
}

/// True for the name of an entry that all interrupts have in common, on 64-bit Arm processors.
pub fn is_common_interrupt(entry: &str) -> bool {
    EXCEPTIONS[1..]
        .iter()
        .any(|kind| ORIGINS.iter().any(|origin| entry.strip_prefix(origin) == Some(&format!("_{kind}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
ffffffff81000000 T _text
ffffffff81000000 T startup_64
ffffffff81000040 t __pfx_helper
ffffffff81000050 t helper
ffffffff81e00000 T __entry_text_start
ffffffff81e00000 T asm_exc_divide_error
ffffffff81e00200 T irq_entries_start
ffffffff81e00c00 T asm_common_interrupt
ffffffff81e00d00 T entry_SYSCALL_64
ffffffff81e00e00 T asm_load_gs_index
ffffffff81e00f00 T __irqentry_text_end
ffffffff81e00f00 t common_interrupt_return
ffffffff81e00f00 T swapgs_restore_regs_and_return_to_usermode
ffffffff81e01000 T __entry_text_end
ffffffff82a00000 D init_task
000000000001fb20 A __preempt_count
ffffffffc0000000 t irqlat_handle\t[irqlat]
";

    #[test]
    fn an_address_inside_of_a_function_is_found_and_one_far_behind_it_is_not() {
        let symbols = Symbols::parse(TEXT).unwrap();
        let name = |address| symbols.at(address).map(|function| function.name.as_str());
        assert_eq!(name(0xffff_ffff_8100_0000), Some("startup_64"));
        assert_eq!(name(0xffff_ffff_8100_0048), Some("startup_64"), "padding belongs to the function before it");
        assert_eq!(name(0xffff_ffff_8100_0051), Some("helper"));
        assert_eq!(name(0xffff_ffff_8200_0000), None);
        assert_eq!(name(0x40_0000), None);
        assert_eq!(symbols.at(0xffff_ffff_c000_0004).unwrap().module.as_deref(), Some("irqlat"));
        assert!(symbols.is_entry(0xffff_ffff_81e0_0010) && !symbols.is_entry(0xffff_ffff_81e0_1000));
        assert_eq!(symbols.first_task(), Some(0xffff_ffff_82a0_0000));
        assert_eq!(symbols.preempt_count(), Some(0x1_fb20));
        assert_eq!(symbols.address_of("helper"), Some(0xffff_ffff_8100_0050));
    }

    #[test]
    fn an_interrupt_enters_the_start_of_a_function_or_any_entry_of_a_table() {
        let symbols = Symbols::parse(TEXT).unwrap();
        let name = |address| symbols.entered(address).map(|function| function.name.as_str());
        assert_eq!(name(0xffff_ffff_81e0_0000), Some("asm_exc_divide_error"));
        assert_eq!(name(0xffff_ffff_81e0_0016), None, "code returns there");
        assert_eq!(name(0xffff_ffff_81e0_0218), Some("irq_entries_start"), "the table has an entry for each vector");
        assert_eq!(name(0xffff_ffff_81e0_0c16), None);
        assert_eq!(name(0xffff_ffff_8100_0050), None, "it is no entry code");
    }

    #[test]
    fn no_interrupt_enters_what_system_calls_other_code_and_new_processes_reach() {
        let symbols = Symbols::parse(TEXT).unwrap();
        let reached = [0xffff_ffff_81e0_0d00, 0xffff_ffff_81e0_0e00, 0xffff_ffff_81e0_0f00];
        let name = |address| symbols.at(address).map(|function| function.name.as_str());
        assert_eq!(
            reached.map(name),
            [Some("entry_SYSCALL_64"), Some("asm_load_gs_index"), Some("common_interrupt_return")]
        );
        assert!(reached.iter().all(|address| symbols.entered(*address).is_none()));
    }

    #[test]
    fn interrupts_and_faults_have_entries_of_their_own() {
        let interrupts =
            ["asm_sysvec_reschedule_ipi", "irq_entries_start", "spurious_entries_start", "asm_common_interrupt"];
        assert!(interrupts.into_iter().all(is_interrupt));
        assert!(["el1h_64_irq", "el0t_64_fiq"].into_iter().all(is_interrupt));
        assert!(
            !["asm_exc_page_fault", "entry_SYSENTER_compat", "el1h_64_sync", "el1h_64_irq_handler"]
                .into_iter()
                .any(is_interrupt)
        );
    }

    #[test]
    fn each_vector_of_a_64_bit_arm_kernel_is_an_entry_with_the_name_of_its_exception() {
        let text = "ffff800080010000 T __entry_text_start\nffff800080010800 T vectors\nffff800080011000 t el1h_64_irq\nffff800080011100 t ret_to_user\n\
                    ffff800080012000 T __entry_text_end\nffff800080013000 T cpu_switch_to\n";
        let symbols = Symbols::parse(text).unwrap();
        let name = |address| symbols.entered(address).map(|function| function.name.as_str());
        let entered = [0x800, 0xa80, 0xc00, 0xc80, 0xf80].map(|offset| name(0xffff_8000_8001_0000 + offset));
        assert_eq!(entered, ["el1t_64_sync", "el1h_64_irq", "el0t_64_sync", "el0t_64_irq", "el0t_32_error"].map(Some));
        assert_eq!(name(0xffff_8000_8001_0a84), None, "the entry goes on");
        assert_eq!(name(0xffff_8000_8001_1100), None, "a new process leaves the kernel there");
        assert_eq!(symbols.vectors(), Some(0xffff_8000_8001_0800));
    }

    #[test]
    fn a_function_extends_to_the_next_one_and_code_of_the_start_is_left_out() {
        let text = "ffffffff81000050 t helper\nffffffff81000080 t next\nffffffff82000000 T _sinittext\n\
                    ffffffff82000000 t begins\nffffffff82000040 t also\nffffffff82001000 T _einittext\n\
                    ffffffffc0000000 t irqlat_handle\t[irqlat]\nffffffffc0000010 t irqlat_more\t[irqlat]\n";
        let symbols = Symbols::parse(text).unwrap();
        let extents: Vec<_> = symbols.extents().map(|(one, end)| (one.name.as_str(), end - one.address)).collect();
        assert_eq!(extents, [("helper", 0x30), ("next", LONGEST)]);
    }

    #[test]
    fn hidden_addresses_and_an_empty_list_are_no_symbols() {
        assert_eq!(Symbols::parse("0000000000000000 T _text\n"), None);
        assert_eq!(Symbols::parse(""), None);
    }
}
