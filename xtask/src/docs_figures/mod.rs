//! `cargo xtask docs-figures`: measures figures of the book again and writes them into its pages.
//!
//! ```text
//! <!-- figures: kernel-costs -->
//! ...                                what a measurement printed, with what it was measured on
//! <!-- end of figures -->
//! ```
//! Only figures in counted time are here: whoever repeats the measurement with the same build gets the same page.

mod bound;
mod explain;
mod handlers;
mod measured;
mod preemption;
mod study;

use crate::kernel::costs;
use crate::root::root;
use measured::{read, write};

const END: &str = "<!-- end of figures -->";

#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask docs-figures                       all figures
  cargo xtask docs-figures --only kernel-costs --check   compare, change nothing")]
pub(crate) struct Args {
    /// Measure these figures only, and what comes from the same measurements
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Compare with the pages instead of rewriting them; exit with 1 if a page differs
    #[arg(long)]
    check: bool,
}

/// Figures of one page of docs/ that come from the same measurements.
struct Figures {
    page: &'static str,
    /// Names of its regions, in the order in which `measure` returns their texts.
    regions: &'static [&'static str],
    measure: fn() -> Result<Vec<String>, String>,
    /// Charts that `measure` writes into its folder; they belong in docs/pictures.
    pictures: &'static [&'static str],
}

const ALL: &[Figures] = &[
    Figures { page: "docs/kernel.md", regions: &["kernel-costs"], measure: || Ok(vec![costs::page()?]), pictures: &[] },
    Figures {
        page: "docs/lab.md",
        regions: &["preemption-models", "interrupt-threads"],
        measure: preemption::tables,
        pictures: &[],
    },
    Figures {
        page: "docs/serial-line.md",
        regions: &["handler-to-task"],
        measure: || Ok(vec![handlers::to_task()?]),
        pictures: &[],
    },
    Figures {
        page: "docs/lab-explain.md",
        regions: &["explain-worst", "explain-profile", "explain-lines", "explain-difference"],
        measure: explain::texts,
        pictures: explain::PICTURES,
    },
    Figures {
        page: "docs/lab-bound.md",
        regions: &["bound-terms", "bound-kernels", "bound-coverage"],
        measure: bound::tables,
        pictures: &[],
    },
];

impl Args {
    /// Measures, and compares or rewrites.
    pub(crate) fn run(self) -> Result<(), String> {
        let is_asked = |figures: &&Figures| self.only.as_deref().is_none_or(|only| figures.regions.contains(&only));
        let mut asked = ALL.iter().filter(is_asked).peekable();
        if asked.peek().is_none() {
            let names: Vec<&str> = ALL.iter().flat_map(|figures| figures.regions).copied().collect();
            return Err(format!("--only {}: not one of {}", self.only.unwrap_or_default(), names.join(", ")));
        }
        asked.try_for_each(|figures| figures.write(self.check))
    }
}

impl Figures {
    fn write(&self, only_compares: bool) -> Result<(), String> {
        let root = root()?;
        let page = root.join(self.page);
        let before = read(&page)?;
        let mut text = before.clone();
        let texts = (self.measure)()?;
        assert_eq!(texts.len(), self.regions.len(), "{}: one text for each region", self.page);
        for (name, measured) in self.regions.iter().zip(texts) {
            let place = region(&text, name).ok_or_else(|| format!("{}: no region '{name}'", self.page))?;
            if text[place.clone()] == measured {
                println!("{}: {name} as before", self.page);
            } else if only_compares {
                return Err(format!("{}: {name} is not what was measured:\n{measured}", self.page));
            } else {
                text.replace_range(place, &measured);
                println!("{}: {name} rewritten", self.page);
            }
        }
        if text != before {
            write(&page, &text)?;
        }
        self.pictures.iter().try_for_each(|name| {
            let picture = root.join("docs/pictures").join(name);
            let drawn = read(&measured::folder()?.join(name))?;
            match read(&picture) {
                Ok(before) if before == drawn => Ok(()),
                _ if only_compares => Err(format!("docs/pictures/{name} is not what was measured")),
                _ => write(&picture, &drawn),
            }
        })
    }
}

/// The bytes between the two lines of a region.
pub(crate) fn region(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let head = format!("<!-- figures: {name} -->\n");
    let start = text.find(&head)? + head.len();
    Some(start..start + text[start..].find(END)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_the_region_of_its_figures() {
        for figures in ALL {
            let text = read(&root().unwrap().join(figures.page)).unwrap();
            for name in figures.regions {
                assert!(region(&text, name).is_some(), "{name}");
            }
            for picture in figures.pictures {
                assert!(text.contains(&format!("(pictures/{picture})")), "{picture}");
            }
        }
        let text = "a\n<!-- figures: x -->\nb\n<!-- end of figures -->\n";
        assert_eq!(region(text, "x").map(|place| &text[place]), Some("b\n"));
        assert_eq!(region("<!-- figures: x -->\nb\n", "x"), None);
    }
}
