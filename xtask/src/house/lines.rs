//! Lines of Rust by kind: product code, test code, comments, blank ones; from the tokens, not from how a line begins.

use proc_macro2::{Spacing, Span, TokenStream, TokenTree};
use std::error::Error;
use std::iter::Sum;
use std::ops::Add;
use std::path::Path;
use std::str::FromStr;
use syn::spanned::Spanned;
use syn::visit::Visit;

/// Lines by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Code of the product.
    pub product: usize,
    /// Code of tests, benchmarks and examples.
    pub test: usize,
    /// Comments and nothing else.
    pub comment: usize,
    /// Nothing.
    pub blank: usize,
}

impl Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            product: self.product + other.product,
            test: self.test + other.test,
            comment: self.comment + other.comment,
            blank: self.blank + other.blank,
        }
    }
}

impl Sum for Count {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

/// A file with its lines.
#[derive(Debug)]
pub(super) struct File {
    /// From the root.
    pub path: String,
    /// Its lines.
    pub count: Count,
}

impl File {
    /// True where the file lies below this folder.
    pub(super) fn is_in(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Folders that hold no sources of ours.
const FOREIGN: [&str; 3] = ["target", "node_modules", ".git"];
/// Folders whose files are no product.
const TESTS: [&str; 4] = ["tests", "benches", "examples", "fuzz"];

/// All Rust files of the project with their lines.
pub(super) fn files(root: &Path) -> Result<Vec<File>, Box<dyn Error>> {
    let counted = |path: String| {
        let text = std::fs::read_to_string(root.join(&path))?;
        let count = count(&text, is_test(&path)).map_err(|error| format!("{path}: {error}"))?;
        Ok(File { path, count })
    };
    sources(root)?.into_iter().map(counted).collect()
}

/// The paths of all Rust files of the project, from the root, sorted.
pub(crate) fn sources(root: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut paths = vec![];
    collect(root, root, &mut paths)?;
    paths.sort();
    Ok(paths)
}

fn collect(root: &Path, folder: &Path, paths: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() && !FOREIGN.contains(&name.as_str()) {
            collect(root, &path, paths)?;
        } else if path.is_file() && name.ends_with(".rs") {
            paths.push(path.strip_prefix(root)?.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

/// True for a file that holds tests and nothing else, by its folder or its name.
pub(crate) fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.split('/').any(|part| TESTS.contains(&part)) || name == "tests.rs" || name.ends_with("_tests.rs")
}

fn count(text: &str, is_test: bool) -> Result<Count, Box<dyn Error>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut has_code = vec![false; lines.len() + 1];
    mark(TokenStream::from_str(text)?, &lines, &mut has_code);
    let mut tests = Tests { ranges: vec![] };
    tests.visit_file(&syn::parse_file(text)?);
    let in_test = |number: usize| is_test || tests.ranges.iter().any(|range| range.contains(&number));
    let mut count = Count::default();
    for (index, line) in lines.iter().enumerate() {
        let kind = match (line.trim().is_empty(), has_code[index], in_test(index + 1)) {
            (_, true, true) => &mut count.test,
            (_, true, false) => &mut count.product,
            (true, false, _) => &mut count.blank,
            (false, false, _) => &mut count.comment,
        };
        *kind += 1;
    }
    Ok(count)
}

/// Marks the lines that tokens stand on; the parser turns comments of documentation into attributes, which are none.
fn mark(tokens: TokenStream, lines: &[&str], has_code: &mut [bool]) {
    let mut after_comment = false;
    for token in tokens {
        let starts_comment =
            matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#' && is_comment(punct.span(), lines));
        // `#`, for inner ones `!`, and the group that holds the text share the comment's span.
        let belongs = after_comment && is_comment(token.span(), lines);
        after_comment =
            starts_comment || belongs && matches!(&token, TokenTree::Punct(punct) if punct.spacing() == Spacing::Alone);
        if starts_comment || belongs {
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                set(group.span_open(), has_code);
                mark(group.stream(), lines, has_code);
                set(group.span_close(), has_code);
            }
            other => set(other.span(), has_code),
        }
    }
}

fn is_comment(span: Span, lines: &[&str]) -> bool {
    let start = span.start();
    let rest: String = lines.get(start.line - 1).map_or("", |line| line).chars().skip(start.column).take(2).collect();
    rest == "//" || rest == "/*"
}

fn set(span: Span, has_code: &mut [bool]) {
    has_code[span.start().line - 1..span.end().line].fill(true);
}

/// The lines of items that are compiled for tests alone.
struct Tests {
    ranges: Vec<std::ops::RangeInclusive<usize>>,
}

impl<'ast> Visit<'ast> for Tests {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if super::modules::attributes(item).iter().any(super::modules::is_for_tests) {
            self.ranges.push(item.span().start().line..=item.span().end().line);
        } else {
            syn::visit::visit_item(self, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_tests_is_known_by_its_folder_or_its_name() {
        let tests = ["a/tests/b.rs", "a/src/b/tests.rs", "a/src/judge_tests.rs", "a/examples/b.rs"];
        assert!(tests.into_iter().all(is_test));
        assert!(!["a/src/judge.rs", "a/src/contests.rs"].into_iter().any(is_test));
    }

    #[test]
    fn each_line_has_one_kind() {
        let text = "//! Head.\n\n/// Says.\nfn f() {\n    // why\n    let a = \"//\n\n\"; /* b */\n}\n#[cfg(test)]\nmod tests {\n    /// c\n    fn g() {}\n\n}\n";
        let found = count(text, false).unwrap();
        assert_eq!(found, Count { product: 5, test: 4, comment: 4, blank: 2 });
        assert_eq!(count(text, true).unwrap().product, 0);
    }
}
