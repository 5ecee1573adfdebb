//! Every relative link of README and docs leads to a file, and to a heading of it where it names one; every page is in the book.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Pages for readers: those at the root, and the book.
fn pages() -> Vec<PathBuf> {
    let of = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let mut pages = [of(&root()), of(&root().join("docs"))].concat();
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    pages
}

/// The lines that are text: outside of fenced blocks, and without what stands between backticks.
fn prose(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            lines.push(line.split('`').step_by(2).collect::<Vec<_>>().join("``"));
        }
    }
    lines
}

/// The targets of `[text](target)`.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text).join("\n");
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(|target| target.split_whitespace().next().unwrap_or_default().to_owned()).collect()
}

/// The anchors of a page's headings, as mdBook and code hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if is_code || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let kept = heading.trim().to_lowercase().replace(' ', "-");
        let slug: String = kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
        let before = times.entry(slug.clone()).or_default();
        anchors.insert(if *before == 0 { slug } else { format!("{slug}-{before}") });
        *before += 1;
    }
    anchors
}

/// Why a link of a page leads nowhere.
fn fault(page: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { page.to_owned() } else { page.parent()?.join(file) };
    let is_of_book = page.starts_with(root().join("docs"));
    if !path.exists() {
        Some("no such file".into())
    } else if is_of_book && !path.canonicalize().ok()?.starts_with(root().join("docs")) {
        Some("it leads out of the book".into())
    } else if !anchor.is_empty() && !anchors(&std::fs::read_to_string(&path).ok()?).contains(anchor) {
        Some("no such heading".into())
    } else {
        None
    }
}

#[test]
fn every_link_leads_somewhere() {
    let mut faults = Vec::new();
    let mut count = 0;
    for page in pages() {
        for target in links(&std::fs::read_to_string(&page).unwrap()) {
            count += 1;
            faults.extend(fault(&page, &target).map(|why| format!("{}: ({target}): {why}", page.display())));
        }
    }
    assert!(count > 200, "{count} links: the search has lost its way");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_page_is_in_the_book() {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<String> = links(&summary).into_iter().collect();
    let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let there = pages().into_iter().filter(|page| page.starts_with(&docs)).map(name);
    let there: BTreeSet<String> = there.filter(|name| name != "SUMMARY.md").collect();
    assert_eq!(listed, there);
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page = root().join("docs/README.md");
    assert_eq!(links("see [a](b.md#c), `[no](d.md)`\n```\n[no](e.md)\n```\n[f](g.md)"), ["b.md#c", "g.md"]);
    assert_eq!(anchors("# What `prazo` does: x\n## Twice\n```\n# no\n```\n## Twice").len(), 3);
    let why = |target| fault(&page, target);
    assert_eq!(why("nowhere.md").as_deref(), Some("no such file"));
    assert_eq!(why("faq.md#no-such-question").as_deref(), Some("no such heading"));
    assert_eq!(why("../README.md").as_deref(), Some("it leads out of the book"));
    assert_eq!(why("https://example.org/#x"), None);
}
