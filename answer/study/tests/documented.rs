//! docs/studies.md tells the truth: its examples can be read, and every kind of claim is in it.

use prazo_study::{Claim, Study};

const DOC: &str = include_str!("../../../docs/studies.md");

/// The TOML blocks of the page.
fn blocks() -> Vec<&'static str> {
    DOC.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// The names of all kinds, as the parser lists them for a name that is none.
fn kinds() -> Vec<String> {
    let error = toml::from_str::<Claim>("id = \"a\"\ntext = \"a\"\ncheck.none = 1").unwrap_err();
    let (_, list) = error.message().split_once("expected one of ").unwrap();
    list.split(", ").map(|kind| kind.trim().trim_matches('`').to_owned()).collect()
}

#[test]
fn the_studies_on_the_page_can_be_read() {
    let studies: Vec<_> = blocks().into_iter().filter(|block| block.starts_with("[study]")).collect();
    assert_eq!(studies.len(), 2);
    for text in studies {
        Study::parse("docs/studies.md", text).unwrap();
    }
}

#[test]
fn the_mistake_on_the_page_is_answered_as_the_page_says() {
    let text = blocks()[0].replace("[\"new.production.loop\"], below", "[\"new.production.lop\"], below");
    let error = Study::parse("my-board.toml", &text).unwrap_err().to_string();
    let shown = DOC.lines().find(|line| line.starts_with("my-board.toml:")).unwrap();
    assert!(error.starts_with(shown.trim_end_matches(", ...")), "{error}");
}

#[test]
fn the_checks_on_the_page_are_those_of_their_headings() {
    let kinds = kinds();
    assert!(kinds.len() > 15, "{kinds:?}");
    for kind in &kinds {
        let (_, section) =
            DOC.split_once(&format!("\n### {kind}\n")).unwrap_or_else(|| panic!("{kind} is not on the page"));
        let block = section.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
        assert!(block.starts_with(&format!("check.{kind} = ")), "{block}");
        toml::from_str::<Claim>(&format!("id = \"a\"\ntext = \"a\"\n{block}")).unwrap();
    }
    let headings = DOC.lines().filter_map(|line| line.strip_prefix("### ")).collect::<Vec<_>>();
    assert_eq!(headings, kinds, "the page lists every kind once, in the program's order");
}
