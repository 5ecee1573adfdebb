//! `cargo xtask docs-figures`: measures figures of the book again and writes them into its pages.
//!
//! ```text
//! <!-- figures: kernel-costs -->
//! ...                                what a measurement printed, with what it was measured on
//! <!-- end of figures -->
//! ```
//! Only figures in counted time are here: whoever repeats the measurement with the same build gets the same page.

mod handlers;
mod measured;
mod preemption;

use crate::kernel::costs;
use crate::root::root;

const END: &str = "<!-- end of figures -->";

#[derive(clap::Args)]
#[command(after_help = "Examples:
  cargo xtask docs-figures                       all figures
  cargo xtask docs-figures --only kernel-costs --check   compare, change nothing")]
pub(crate) struct Args {
    /// Measure these figures only
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Compare with the pages instead of rewriting them; exit with 1 if a page differs
    #[arg(long)]
    check: bool,
}

/// Figures that a page of docs/ contains.
struct Figures {
    name: &'static str,
    page: &'static str,
    measure: fn() -> Result<String, String>,
}

const ALL: &[Figures] = &[
    Figures { name: "kernel-costs", page: "docs/kernel.md", measure: costs::page },
    Figures { name: "preemption-models", page: "docs/lab.md", measure: preemption::maxima },
    Figures { name: "handler-to-task", page: "docs/serial-line.md", measure: handlers::to_task },
    Figures { name: "interrupt-threads", page: "docs/lab.md", measure: preemption::around_interrupt_threads },
];

impl Args {
    /// Measures, and compares or rewrites.
    pub(crate) fn run(self) -> Result<(), String> {
        let is_asked = |figures: &&Figures| self.only.as_deref().is_none_or(|only| only == figures.name);
        let mut asked = ALL.iter().filter(is_asked).peekable();
        if asked.peek().is_none() {
            let names: Vec<&str> = ALL.iter().map(|figures| figures.name).collect();
            return Err(format!("--only {}: not one of {}", self.only.unwrap_or_default(), names.join(", ")));
        }
        asked.try_for_each(|figures| figures.write(self.check))
    }
}

impl Figures {
    fn write(&self, only_compares: bool) -> Result<(), String> {
        let page = root()?.join(self.page);
        let of_page = |what: &str, error: std::io::Error| format!("cannot {what} {}: {error}", page.display());
        let text = std::fs::read_to_string(&page).map_err(|error| of_page("read", error))?;
        let place = region(&text, self.name).ok_or_else(|| format!("{}: no region '{}'", self.page, self.name))?;
        let measured = (self.measure)()?;
        if text[place.clone()] == measured {
            println!("{}: {} as before", self.page, self.name);
            return Ok(());
        }
        if only_compares {
            return Err(format!("{}: {} is not what was measured:\n{measured}", self.page, self.name));
        }
        let changed = format!("{}{measured}{}", &text[..place.start], &text[place.end..]);
        std::fs::write(&page, changed).map_err(|error| of_page("write", error))?;
        println!("{}: {} rewritten", self.page, self.name);
        Ok(())
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
            let text = std::fs::read_to_string(root().unwrap().join(figures.page)).unwrap();
            assert!(region(&text, figures.name).is_some(), "{}", figures.name);
        }
        let text = "a\n<!-- figures: x -->\nb\n<!-- end of figures -->\n";
        assert_eq!(region(text, "x").map(|place| &text[place]), Some("b\n"));
        assert_eq!(region("<!-- figures: x -->\nb\n", "x"), None);
    }
}
