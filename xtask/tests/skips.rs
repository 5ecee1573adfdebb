//! No test returns early in silence: what cannot run here registers a skip, or it would count as passed.
//!
//! Read from the sources, line by line, as rustfmt lays them out.

use std::path::{Path, PathBuf};

#[test]
fn no_test_returns_before_its_end_without_a_registered_skip() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    ["answer", "measuring", "scheduling", "testing", "xtask"]
        .iter()
        .for_each(|room| collect(&root.join(room), &mut files));
    let mut tests = 0;
    let mut silent = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        tests += text.matches("#[test]\n").count();
        silent.extend(silent_returns(&text).into_iter().map(|line| format!("{}:{line}", file.display())));
    }
    assert!(tests > 1_000, "{tests} tests: the search has lost its way");
    assert!(silent.is_empty(), "say with skip! or or_skip! of prazo_testing why the test ends here: {silent:#?}");
}

#[test]
fn a_silent_return_is_seen_and_one_of_a_closure_is_not() {
    let silent = "#[test]\nfn a() {\n    let Some(lab) = lab() else { return };\n}\n";
    assert_eq!(silent_returns(silent), [3]);
    let block =
        "    #[test]\n    #[ignore]\n    fn a() {\n        if !root() {\n            return;\n        }\n    }\n";
    assert_eq!(silent_returns(block), [5]);
    let output =
        "#[test]\nfn a() {\n    let lab = or_skip!(lab());\n    if b {\n        skip!(Need::Root, \"x\");\n    }\n}\n";
    assert_eq!(silent_returns(output), [0; 0]);
    let closure = "#[test]\nfn a() {\n    each(|set| {\n        let Some(b) = c(set) else { return };\n        d(b);\n    });\n}\n";
    assert_eq!(silent_returns(closure), [0; 0]);
    assert_eq!(silent_returns("fn helper() {\n    return;\n}\n"), [0; 0]);
}

/// The numbers of lines at which a test of `text` returns.
fn silent_returns(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut test: Option<Test> = None;
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let code = line.trim();
        match &mut test {
            None if code == "#[test]" => test = Some(Test { indent, is_open: false, closures: Vec::new() }),
            None => {}
            Some(open) if open.is_open && indent == open.indent && code == "}" => test = None,
            Some(open) if !open.is_open => open.is_open = code.contains("fn ") && code.ends_with('{'),
            Some(open) => {
                open.closures.retain(|closure| indent > *closure);
                if returns(code) && open.closures.is_empty() {
                    found.push(number + 1);
                }
                let opens_closure = (code.ends_with("| {") || code.contains("fn ")) && code.ends_with('{');
                if opens_closure {
                    open.closures.push(indent);
                }
            }
        }
    }
    found
}

/// A test that is being read, with the indents of the closures around the current line.
struct Test {
    indent: usize,
    is_open: bool,
    closures: Vec<usize>,
}

fn returns(code: &str) -> bool {
    let code = code.split("//").next().unwrap_or_default();
    code.contains("else { return };")
        || code == "return;"
        || code.contains("=> return,")
        || code.contains("return eprintln!")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["target", "node_modules"].contains(&name.as_str()) {
            collect(&path, files);
        } else if name.ends_with(".rs") && name != "skips.rs" {
            files.push(path);
        }
    }
}
