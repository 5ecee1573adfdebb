//! The fenced blocks of README.md and docs/*.md, and the commands in them.

use std::path::{Path, PathBuf};

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The page, from the repository's root.
    pub page: String,
    /// The line of its first command.
    pub line: usize,
    /// The word behind the fence: `console`, `sh`, `yaml`, `json` ...
    pub kind: String,
    /// Its lines.
    pub text: String,
}

/// A command of a `console` block, and what the page says it prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The command.
    pub command: String,
    /// Its output; a line `...` stands for any lines.
    pub output: Vec<String>,
}

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is there")
}

/// The blocks of README.md and docs/*.md, page by page.
pub fn blocks() -> Vec<Block> {
    let entries = std::fs::read_dir(root().join("docs")).expect("docs is a folder").flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.sort_unstable();
    pages.insert(0, "README.md".into());
    let text =
        |page: &str| std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
    pages.iter().flat_map(|page| blocks_of(page, &text(page))).collect()
}

fn blocks_of(page: &str, text: &str) -> Vec<Block> {
    let (mut found, mut open): (Vec<Block>, Option<Block>) = (Vec::new(), None);
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(_), Some(block)) => found.push(block),
            (Some(kind), None) => {
                let (page, kind) = (page.to_owned(), kind.to_owned());
                open = Some(Block { page, line: index + 2, kind, text: String::new() });
            }
            (None, Some(block)) => open = Some(Block { text: block.text + line + "\n", ..block }),
            (None, None) => {}
        }
    }
    found
}

impl Block {
    /// The commands behind `$ ` with their outputs.
    pub fn shown(&self) -> Vec<Shown> {
        let mut shown: Vec<Shown> = Vec::new();
        for line in self.text.lines() {
            match (line.strip_prefix("$ "), shown.last_mut()) {
                (Some(command), _) => shown.push(Shown { command: command.to_owned(), output: Vec::new() }),
                (None, Some(last)) => last.output.push(line.trim_end().to_owned()),
                (None, None) => panic!("{}:{}: output before a command", self.page, self.line),
            }
        }
        shown
    }
}

impl Shown {
    /// True where `printed` is what the page says; trailing blanks do not count.
    pub fn is_printed_by(&self, printed: &str) -> bool {
        let lines: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
        let expected: Vec<&str> = self.output.iter().map(String::as_str).collect();
        let until = expected.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        matches(&expected[..until], &lines)
    }
}

fn matches(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        Some((first, rest)) => printed.split_first().is_some_and(|(line, more)| line == first && matches(rest, more)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_with_their_commands_and_outputs() {
        let text = "a\n```console\n$ one\nx\n...\nz\n$ two\n```\nb\n```sh\nthree\n```\n";
        let blocks = blocks_of("p.md", text);
        assert_eq!(blocks.len(), 2);
        assert_eq!((blocks[0].line, blocks[1].kind.as_str(), blocks[1].text.as_str()), (3, "sh", "three\n"));
        let shown = blocks[0].shown();
        assert_eq!(shown[0].output, ["x", "...", "z"]);
        assert!(shown[0].is_printed_by("x\ny\ny\nz  \n") && shown[0].is_printed_by("x\nz\n"));
        assert!(!shown[0].is_printed_by("x\ny\n") && !shown[0].is_printed_by("y\nz\n"));
        assert!(shown[1].is_printed_by("") && !shown[1].is_printed_by("x\n"));
    }
}
