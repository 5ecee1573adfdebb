//! Every text that a person reads, in one list: help, schemas, errors, and what the program prints; and the rules that hold for it.
//!
//! The list is docs/words.txt. It is generated, so that a review can read all texts in one place and a diff shows which ones changed.

mod extract;
mod prose;
mod rules;

use extract::Text;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

/// Where the list is, from the root.
const LIST: &str = "docs/words.txt";

/// Pages whose texts are on the list, since the sources have them.
const GENERATED: [&str; 3] = ["docs/commands.md", "docs/checks.md", "docs/loads.md"];

/// What to do with the list.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write docs/words.txt anew
    #[arg(long)]
    write: bool,
    /// Print this many texts, drawn by --seed, for a review by eye
    #[arg(long, value_name = "COUNT")]
    sample: Option<usize>,
    /// Seed of the sample
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Args {
    /// Checks the texts and the list, or writes the list.
    pub(crate) fn run(self) -> Result<(), Box<dyn Error>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let texts = extract::texts(&root)?;
        if let Some(count) = self.sample {
            let mut random = fastrand::Rng::with_seed(self.seed);
            for text in random.choose_multiple(&texts, count) {
                println!("{}: {}: {}", text.file, text.kind.name(), text.words);
            }
            return Ok(());
        }
        if self.write {
            std::fs::write(root.join(LIST), list(&texts))?;
        }
        let faults = faults(&root, &texts);
        for fault in &faults {
            println!("{fault}");
        }
        let of = |kind| texts.iter().filter(|text| text.kind.name() == kind).count();
        let [help, schemas, errors, other] = ["help", "json", "error", "text"].map(of);
        println!("{help} texts of help, {schemas} descriptions in schemas, {errors} errors, {other} others");
        if faults.is_empty() { Ok(()) } else { Err(format!("{} faults", faults.len()).into()) }
    }
}

/// Every text that breaks a rule, and the list if it is not current.
fn faults(root: &Path, texts: &[Text]) -> Vec<String> {
    let mut faults: Vec<String> = texts.iter().flat_map(rules::faults).collect();
    for page in pages(root) {
        let text = std::fs::read_to_string(root.join(&page)).unwrap_or_default();
        faults.extend(rules::faults_of_page(&page, &text));
    }
    if std::fs::read_to_string(root.join(LIST)).ok().as_deref() != Some(list(texts).as_str()) {
        faults.push(format!("{LIST} is older than the sources; run `cargo xtask words --write`"));
    }
    faults
}

/// The pages that are written by hand: the book's, README.md and CONTRIBUTING.md.
fn pages(root: &Path) -> Vec<String> {
    let book = std::fs::read_dir(root.join("docs")).into_iter().flatten().flatten();
    let book = book.map(|entry| format!("docs/{}", entry.file_name().to_string_lossy()));
    let own = ["README.md", "CONTRIBUTING.md"].map(str::to_owned);
    let mut pages: Vec<String> = book.chain(own).filter(|page| page.ends_with(".md")).collect();
    pages.retain(|page| !GENERATED.contains(&page.as_str()));
    pages.sort();
    pages
}

/// The list as a file: texts by source file, in the order of the source.
fn list(texts: &[Text]) -> String {
    let mut list = String::from(
        "Every text that a person reads, by source file. `cargo xtask words --write` makes this file; do not edit it.\n",
    );
    let mut file = None::<&str>;
    for text in texts {
        if file != Some(&text.file) {
            write!(list, "\n{}\n", text.file).expect("a string takes everything");
            file = Some(&text.file);
        }
        writeln!(list, "  {:<5}  {}", text.kind.name(), text.words.replace('\n', "\\n"))
            .expect("a string takes everything");
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_keeps_the_rules_and_the_list_is_current() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let texts = extract::texts(&root).unwrap();
        assert!(texts.len() > 3_000, "{} texts: the search has lost its way", texts.len());
        let faults = faults(&root, &texts);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
