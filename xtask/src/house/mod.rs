//! The house: lines by room and kind, arrows between crates, circles among modules, and whether ARCHITECTURE.md says the same.
//!
//! ARCHITECTURE.md decides what is allowed. Its tables are read here, so that the document cannot differ from what is checked.

mod architecture;
mod arrows;
mod lines;
mod modules;
mod places;

pub(crate) use lines::{is_test, sources};
pub(crate) use modules::{attributes, is_for_tests};

use architecture::Architecture;
use std::path::{Path, PathBuf};

/// What to print.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print where this change goes, for example "a load"
    #[arg(long, value_name = "CHANGE")]
    change: Option<String>,
    /// How many of the largest files to print
    #[arg(long, default_value_t = 20)]
    largest: usize,
}

impl Args {
    /// Prints the house, or the places of a change; fails where ARCHITECTURE.md does not allow what is there.
    pub(crate) fn run(self) -> Result<(), Box<dyn std::error::Error>> {
        let root = root();
        let architecture = Architecture::read(&root)?;
        if let Some(change) = &self.change {
            return print_places(&root, &architecture, change);
        }
        let packages = arrows::packages(&root)?;
        let crates = packages.iter().map(|package| modules::read(&root, package)).collect::<Result<Vec<_>, _>>()?;
        print_lines(&root, &architecture, self.largest)?;
        print_arrows(&packages);
        print_circles(&crates);
        let faults = faults(&root, &architecture, &packages, &crates);
        for fault in &faults {
            println!("not allowed: {fault}");
        }
        if faults.is_empty() { Ok(()) } else { Err(format!("{} faults", faults.len()).into()) }
    }
}

/// The folder that holds ARCHITECTURE.md.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("xtask lies in the project")
}

/// Everything that differs from ARCHITECTURE.md.
fn faults(
    root: &Path,
    architecture: &Architecture,
    packages: &[arrows::Package],
    crates: &[modules::Crate],
) -> Vec<String> {
    let arrows = arrows::faults(architecture, packages);
    let circles = modules::faults(architecture, crates);
    let rows = architecture.changes.iter().chain(&architecture.caveats);
    let places = rows.flat_map(|row| places::faults(root, row));
    let rooms = architecture.rooms.iter().flat_map(|room| places::faults_of_room(root, room));
    arrows.into_iter().chain(circles).chain(places).chain(rooms).collect()
}

fn print_places(root: &Path, architecture: &Architecture, change: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut changes = architecture.changes.iter().filter(|row| row.what.contains(change)).peekable();
    if changes.peek().is_none() {
        let known: Vec<&str> = architecture.changes.iter().map(|row| row.what.as_str()).collect();
        return Err(
            format!("ARCHITECTURE.md does not say where '{change}' goes; it knows: {}", known.join("; ")).into()
        );
    }
    let mut faults = vec![];
    for row in changes {
        println!("{}: {}", row.what, row.touch);
        places::of(row).iter().for_each(|place| println!("  {place}"));
        faults.extend(places::faults(root, row));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ").into()) }
}

fn print_lines(root: &Path, architecture: &Architecture, largest: usize) -> Result<(), Box<dyn std::error::Error>> {
    let files = lines::files(root)?;
    println!("{:24} {:>9} {:>9} {:>9} {:>9}", "room (Rust lines)", "product", "test", "comment", "blank");
    let print = |name: &str, of: lines::Count| {
        println!("{name:24} {:>9} {:>9} {:>9} {:>9}", of.product, of.test, of.comment, of.blank);
    };
    let rooms = architecture.rooms.iter().map(|room| room.folder.as_str());
    for room in rooms {
        let count: lines::Count = files.iter().filter(|file| file.is_in(room)).map(|file| file.count).sum();
        if count != lines::Count::default() {
            print(room, count);
        }
    }
    print("all", files.iter().map(|file| file.count).sum());
    println!("\nlargest files (product lines)");
    let mut by_size: Vec<&lines::File> = files.iter().collect();
    by_size.sort_by_key(|file| std::cmp::Reverse(file.count.product));
    by_size.iter().take(largest).for_each(|file| println!("{:>6}  {}", file.count.product, file.path));
    Ok(())
}

fn print_arrows(packages: &[arrows::Package]) {
    println!("\narrows (crate: what it uses directly)");
    for package in packages {
        println!("  {}: {}", package.folder, package.uses.iter().cloned().collect::<Vec<_>>().join(", "));
    }
}

fn print_circles(crates: &[modules::Crate]) {
    println!("\ncircles among modules");
    for (of, circle) in crates.iter().flat_map(|of| of.circles().into_iter().map(move |circle| (of, circle))) {
        println!("  {}: {} modules: {}", of.folder, circle.len(), circle.join(", "));
        of.arrows_within(&circle).iter().for_each(|arrow| println!("    {arrow}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_as_architecture_says() {
        let root = root();
        let architecture = Architecture::read(&root).unwrap();
        let packages = arrows::packages(&root).unwrap();
        let crates: Vec<_> = packages.iter().map(|package| modules::read(&root, package).unwrap()).collect();
        assert!(packages.len() > 20 && crates.iter().map(|one| one.modules()).sum::<usize>() > 500);
        let unread: Vec<&str> = crates.iter().filter(|one| one.modules() == 0).map(|one| one.folder.as_str()).collect();
        assert!(unread.is_empty(), "nothing of {unread:?} was read");
        let faults = faults(&root, &architecture, &packages, &crates);
        assert!(faults.is_empty(), "{faults:#?}");
    }
}
