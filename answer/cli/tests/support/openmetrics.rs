//! A reader of OpenMetrics 1.0 that takes nothing for granted: what a page breaks of the format, or its samples.

use std::collections::{BTreeMap, BTreeSet};

/// Names with their values, in order.
pub(crate) type Labels = Vec<(String, String)>;
/// One sample: its name, its labels, its value.
pub(crate) type Sample = (String, Labels, f64);

/// One family while it is read.
#[derive(Default)]
struct Family {
    kind: String,
    unit: Option<String>,
    metadata: BTreeSet<String>,
    series: BTreeSet<String>,
}

/// All samples, or what is wrong with the page and in which line.
pub(crate) fn read(page: &str) -> Result<Vec<Sample>, String> {
    let body = page.strip_suffix("# EOF\n").ok_or("the page does not end with '# EOF' and a newline")?;
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let (mut samples, mut last) = (Vec::new(), String::new());
    for line in body.split_terminator('\n') {
        let said = |why: String| format!("{why}, in '{line}'");
        let name = match line.strip_prefix("# ") {
            Some(metadata) => describe(&mut families, metadata).map_err(said)?,
            None => take(&mut families, line, &mut samples).map_err(said)?,
        };
        if name != last && families[&name].metadata.len() + families[&name].series.len() > 1 {
            return Err(said(format!("the family {name} is in two places")));
        }
        last = name;
    }
    Ok(samples)
}

/// `TYPE name type`, `HELP name text`, `UNIT name unit`; the family's name.
fn describe(families: &mut BTreeMap<String, Family>, metadata: &str) -> Result<String, String> {
    let mut words = metadata.splitn(3, ' ');
    let (Some(word), Some(name), Some(text)) = (words.next(), words.next(), words.next()) else {
        return Err("metadata takes a word, a name and a text".into());
    };
    let family = families.entry(name.to_owned()).or_default();
    if !is_name(name, true) || !family.series.is_empty() || !family.metadata.insert(word.to_owned()) {
        return Err(format!("{word} of {name} is twice, behind its samples, or of no name"));
    }
    match word {
        "TYPE" if ["counter", "gauge"].contains(&text) => family.kind = text.into(),
        "UNIT" if name.ends_with(&format!("_{text}")) => family.unit = Some(text.into()),
        "HELP" if !text.is_empty() => {}
        _ => return Err(format!("'{word} {text}' is nothing that a counter or gauge has")),
    }
    Ok(name.to_owned())
}

/// `name{label="value",...} number`; the family's name.
fn take(families: &mut BTreeMap<String, Family>, line: &str, samples: &mut Vec<Sample>) -> Result<String, String> {
    let at = line.find(['{', ' ']).ok_or("no value")?;
    let (full, rest) = line.split_at(at);
    let (labels, value) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (Labels::new(), rest),
    };
    let value = value.strip_prefix(' ').ok_or("no space before the value")?;
    let number: f64 = value.parse().map_err(|_| format!("'{value}' is no number"))?;
    let counter =
        full.strip_suffix("_total").filter(|name| families.get(*name).is_some_and(|one| one.kind == "counter"));
    let name = counter.unwrap_or(full);
    let family = families.get_mut(name).ok_or("a sample of no family")?;
    if family.kind.is_empty() || (family.kind == "counter") != counter.is_some() {
        return Err("a counter's samples end with _total, and a gauge's do not".into());
    }
    if !number.is_finite() || (counter.is_some() && number < 0.0) {
        return Err(format!("{number} is no value of a {}", family.kind));
    }
    let series = format!("{labels:?}");
    if !is_name(full, true) || !family.series.insert(series) {
        return Err("no name, or this series is there already".into());
    }
    samples.push((full.to_owned(), labels, number));
    Ok(name.to_owned())
}

/// Labels and what follows them.
fn labels(text: &str) -> Result<(Labels, &str), String> {
    let mut labels = Labels::new();
    let mut rest = text;
    while !rest.starts_with('}') {
        let (name, after) = rest.split_once("=\"").ok_or("a label without a value in quotes")?;
        let (value, after) = quoted(after)?;
        if !is_name(name, false) || labels.iter().any(|(other, _)| other == name) {
            return Err(format!("'{name}' is no name of a label, or twice"));
        }
        labels.push((name.to_owned(), value));
        rest = after.strip_prefix(',').filter(|rest| !rest.starts_with('}')).unwrap_or(after);
        if rest == after && !rest.starts_with('}') {
            return Err("labels are parted by commas".into());
        }
    }
    Ok((labels, &rest[1..]))
}

/// A text up to its closing quote, with `\\`, `\"` and `\n` undone, and what follows.
fn quoted(text: &str) -> Result<(String, &str), String> {
    let (mut value, mut letters) = (String::new(), text.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Ok((value, &text[at + 1..])),
            '\\' => match letters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, escaped @ ('\\' | '"'))) => value.push(escaped),
                _ => return Err("an unknown escape".into()),
            },
            other => value.push(other),
        }
    }
    Err("a label without its closing quote".into())
}

fn is_name(text: &str, colons: bool) -> bool {
    let fits = |(at, letter): (usize, char)| {
        letter.is_ascii_alphabetic()
            || letter == '_'
            || (colons && letter == ':')
            || (at > 0 && letter.is_ascii_digit())
    };
    !text.is_empty() && text.char_indices().all(fits)
}
