//! XML as task-set files have it: elements with attributes, and nothing between them.
//!
//! A document type is refused, so no entity is ever expanded. Text between elements is refused, since no format that is read here has it.

use crate::error::{Problem, ReadError};
use crate::nearest;
use roxmltree::{Document, Node, ParsingOptions};

/// More elements than a set of the most tasks has.
const NODES_MAX: u32 = 1 << 22;
/// Elements inside one another; the formats have three, and as many more as critical sections nest.
const DEPTH_MAX: usize = 40;

/// Reads `text`; `file` is named in errors.
pub(super) fn parse<'a>(file: &str, text: &'a str) -> Result<Document<'a>, ReadError> {
    if let Some(line) = too_deep(text) {
        let problem = format!("elements are nested more than {DEPTH_MAX} levels deep");
        return Err(Problem::new(problem, "reduce the nesting; no task set needs so many levels").at(file, Some(line)));
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|cause| broken(file, &cause))?;
    let stray =
        document.descendants().find(|node| node.is_text() && !node.text().unwrap_or_default().trim().is_empty());
    match stray {
        None => Ok(document),
        Some(node) => {
            let begin: String = node.text().unwrap_or_default().trim().chars().take(20).collect();
            let error = at(file, node, Problem::new(format!("text between elements: '{begin}'"), "remove the text"));
            Err(error)
        }
    }
}

fn broken(file: &str, cause: &roxmltree::Error) -> ReadError {
    let problem = match cause {
        roxmltree::Error::DtdDetected => {
            Problem::new("a document type (DTD) and its entities are not read", "remove <!DOCTYPE ...>")
        }
        _ => Problem::new(cause.to_string(), "correct the XML on this line"),
    };
    problem.at(file, Some(cause.pos().row))
}

/// The line at which elements are nested too deep, by a count of tags that is right in well-formed XML.
///
/// It comes first because a parser's own recursion must not meet a text that is nothing but opening tags.
fn too_deep(text: &str) -> Option<u32> {
    let (mut depth, mut line) = (0usize, 1);
    let mut rest = text;
    while let Some(begin) = rest.find('<') {
        line += lines(&rest[..begin]);
        let tag = &rest[begin..];
        let end = match tag {
            _ if tag.starts_with("<!--") => tag.find("-->").map(|end| end + 3),
            _ if tag.starts_with("<![CDATA[") => tag.find("]]>").map(|end| end + 3),
            _ => tag_end(tag),
        };
        let (tag, behind) = tag.split_at(end.unwrap_or(tag.len()));
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !tag.starts_with("<!") && !tag.starts_with("<?") && !tag.ends_with("/>") {
            depth += 1;
        }
        if depth > DEPTH_MAX {
            return Some(line);
        }
        line += lines(tag);
        rest = behind;
    }
    None
}

/// Where the tag ends that `text` begins with; a `>` inside quotation marks does not end it.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, sign) in text.bytes().enumerate() {
        match quote {
            None if sign == b'>' => return Some(at + 1),
            None if sign == b'"' || sign == b'\'' => quote = Some(sign),
            Some(mark) if mark == sign => quote = None,
            _ => {}
        }
    }
    None
}

fn lines(text: &str) -> u32 {
    text.bytes().filter(|sign| *sign == b'\n').count() as u32
}

/// The name of the outermost element, as far as a look at the text shows it.
pub(super) fn root(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        rest = match rest {
            _ if rest.starts_with("<?") => &rest[rest.find("?>")? + 2..],
            _ if rest.starts_with("<!--") => &rest[rest.find("-->")? + 3..],
            _ if rest.starts_with("<!") => &rest[rest.find('>')? + 1..],
            _ => {
                let name = rest.strip_prefix('<')?;
                return name.split(|c: char| c.is_whitespace() || matches!(c, '/' | '>' | '<')).next();
            }
        }
        .trim_start();
    }
}

/// The child elements of `node`.
pub(super) fn elements<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(Node::is_element)
}

/// The name of an element.
pub(super) fn name<'a>(node: Node<'a, 'a>) -> &'a str {
    node.tag_name().name()
}

/// `problem` at the line where `node` begins.
pub(super) fn at(file: &str, node: Node<'_, '_>, problem: Problem) -> ReadError {
    let line = node.document().text_pos_at(node.range().start).row;
    problem.at(file, Some(line))
}

/// Refuses attributes of `node` that are not among `known`.
pub(super) fn known_attributes(node: Node<'_, '_>, known: &[&str]) -> Result<(), Problem> {
    match node.attributes().find(|one| one.namespace().is_some() || !known.contains(&one.name())) {
        None => Ok(()),
        Some(one) => {
            let problem = format!("unknown attribute of <{}>", node.tag_name().name());
            let remedy = match known {
                [] => "remove the attribute".to_owned(),
                _ => nearest::remedy(one.name(), known),
            };
            Err(Problem::new(problem, remedy).of(one.name()))
        }
    }
}

/// Why there must be no `node` inside its parent, which may contain `known`.
pub(super) fn unknown_element(node: Node<'_, '_>, known: &[&str]) -> Problem {
    let parent = node.parent_element().map_or("", |parent| parent.tag_name().name());
    let problem = format!("unknown element <{}> in <{parent}>", node.tag_name().name());
    match known {
        [] => Problem::new(problem, "remove the element"),
        _ => Problem::new(problem, nearest::remedy(node.tag_name().name(), known)),
    }
}

/// What attribute `key` of `node` says; an empty one says nothing.
pub(super) fn attribute<'a>(node: Node<'a, 'a>, key: &str) -> Option<&'a str> {
    node.attribute(key).map(str::trim).filter(|text| !text.is_empty())
}

/// What attribute `key` of `node` says, which must be there.
pub(super) fn required<'a>(node: Node<'a, 'a>, key: &str) -> Result<&'a str, Problem> {
    attribute(node, key).ok_or_else(|| {
        Problem::new(format!("the attribute of <{}> is missing", node.tag_name().name()), "add it").of(key)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse("x.xml", text).unwrap_err().to_string()
    }

    #[test]
    fn entities_are_never_expanded() {
        let bomb = "<!DOCTYPE t [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]>\n<taskset>&b;</taskset>";
        assert_eq!(
            message(bomb),
            "x.xml:1: a document type (DTD) and its entities are not read; remove <!DOCTYPE ...>"
        );
        assert!(message("<a>\n&b;</a>").starts_with("x.xml:2: "));
    }

    #[test]
    fn deep_elements_are_refused_before_they_are_parsed() {
        let deep = "<a>\n".repeat(100_000);
        assert_eq!(
            message(&deep),
            "x.xml:41: elements are nested more than 40 levels deep; reduce the nesting; no task set needs so many levels"
        );
        let wide = format!("<a>{}</a>", "<b c='/>>'/><!-- <d> --><e></e>".repeat(1_000));
        assert!(parse("x.xml", &wide).is_ok());
    }

    #[test]
    fn the_outermost_element_is_seen_behind_what_precedes_it() {
        assert_eq!(root("<?xml version='1.0'?>\n<!-- <x> -->\n<!DOCTYPE y>\n<taskset a='1'>"), Some("taskset"));
        assert_eq!(root("\u{feff}<simulation>"), Some("simulation"));
        assert_eq!((root("<?xml"), root("a = 1"), root("")), (None, None, None));
    }

    #[test]
    fn broken_xml_and_text_name_their_line() {
        assert!(message("<a>\n<b></a>").starts_with("x.xml:2: "));
        assert_eq!(message("<a>\n <b/>oops</a>"), "x.xml:2: text between elements: 'oops'; remove the text");
        assert!(message("").starts_with("x.xml:1: "));
    }
}
