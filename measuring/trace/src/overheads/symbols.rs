//! Where the running kernel has a function, by its own list of symbols.

use prazo_platform::root::Root;
use std::io::{BufRead, BufReader};

/// The kernel's list; addresses are zero for whoever may not see them.
const LIST: &str = "proc/kallsyms";

/// One symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Symbol {
    /// Its name, with what the compiler has put behind it: `finish_task_switch.isra.0`.
    pub name: String,
    /// Where it is; 0 where that is not told.
    pub address: u64,
}

/// The first of these functions that the kernel has itself, in the order of `names`; the compiler may have renamed it.
pub(super) fn find(root: &Root, names: &[&str]) -> Option<Symbol> {
    let file = std::fs::File::open(root.base().join(LIST)).ok()?;
    let lines = BufReader::with_capacity(1 << 16, file).lines().map_while(Result::ok);
    let mut found: Vec<Option<Symbol>> = vec![None; names.len()];
    for symbol in lines.filter_map(|line| parse(&line)) {
        if let Some(place) = names.iter().position(|name| is_called(&symbol.name, name)) {
            found[place].get_or_insert(symbol);
        }
    }
    found.into_iter().flatten().next()
}

/// `ffffffff8109a4d0 t finish_task_switch.isra.0`; a module's symbol has its name behind a tab.
fn parse(line: &str) -> Option<Symbol> {
    let mut words = line.split_whitespace();
    let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
    let is_function = matches!(kind, "t" | "T") && words.next().is_none();
    is_function.then_some(Symbol { name: name.to_owned(), address: u64::from_str_radix(address, 16).ok()? })
}

/// The compiler marks a function whose arguments it has changed; a part that it has moved away is another.
fn is_called(symbol: &str, name: &str) -> bool {
    symbol.strip_prefix(name).is_some_and(|rest| {
        rest.is_empty() || ((rest.starts_with(".isra.") || rest.starts_with(".constprop.")) && !rest.contains(".cold"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_under_the_name_that_the_compiler_gave_it() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join("proc")).unwrap();
        let list = "0000000000000010 t other\n0000000000000020 d tick\n0000000000000030 t tick_ends\t[mod]\n\
                    00000000000000a0 t switch.isra.0.cold\n00000000000000b0 t switch.isra.0\n00000000000000c0 T tick\n";
        std::fs::write(tree.path().join(LIST), list).unwrap();
        let found = |names: &[&str]| find(&Root::at(tree.path()), names).map(|symbol| (symbol.name, symbol.address));
        assert_eq!(found(&["switch"]), Some(("switch.isra.0".into(), 0xB0)));
        assert_eq!(found(&["absent", "tick"]), Some(("tick".into(), 0xC0)));
        assert_eq!(found(&["tick_ends"]), None, "a module's is not the kernel's");
        assert_eq!(find(&Root::at("/nowhere"), &["tick"]), None);
    }
}
