//! Rules that a text keeps: sentences of at most thirty words, one spelling of each unit, the vocabulary of the field, help that stands alone.

use super::extract::{Kind, Text};

/// Most words of a sentence of help or of an error.
const LONGEST: usize = 30;

/// Words and phrases that are not used, and what is.
const RETIRED: [(&str, &str); 47] = [
    ("told", "reported"),
    ("tells", "reports"),
    ("whereof", "of which"),
    ("of which nothing", "name what is missing"),
    ("comes off", "is subtracted"),
    ("come off", "are subtracted"),
    ("somebody", "another program"),
    ("nobody", "no program"),
    ("counting as one", "effective sample size n/k"),
    ("distance of two", "period"),
    ("whoever", "name the program or person"),
    ("errand", "job"),
    ("stands beside", "is shown next to"),
    ("stand beside", "are shown next to"),
    ("speaks for", "applies to"),
    ("in one word", "leave it out"),
    ("as asked", "as requested"),
    ("was asked", "was requested"),
    ("asked for", "requested"),
    ("ours alone", "only ours"),
    ("the wall", "elapsed time"),
    ("wall time", "elapsed time"),
    ("context-switching latency", "activation latency"),
    ("worst-case latency", "observed maximum"),
    ("worst case latency", "observed maximum"),
    ("outlier", "sample"),
    ("outliers", "samples"),
    ("of weight", "of severity"),
    ("some µs", "a few µs"),
    ("some ms", "a few ms"),
    ("some percent", "a few percent"),
    ("seldom", "rarely"),
    ("costed", "its cost was measured"),
    ("out of work", "at the work limit"),
    ("without end", "without bound"),
    ("also after", "even after"),
    ("also where", "even where"),
    ("lie apart", "differ"),
    ("usable are", "usable:"),
    ("online are", "online:"),
    ("real-time are", "real-time:"),
    ("leaves out", "excludes"),
    ("beside", "next to, compared with"),
    ("goes on", "continues"),
    ("is nowhere", "is at no latency"),
    ("is no proof", "proves nothing"),
    ("are no bounds", "are not bounds"),
];

/// Spellings of units that are not used, and what is.
const UNITS: [(&str, &str); 8] = [
    ("usec", "µs"),
    ("usecs", "µs"),
    ("microsec", "µs"),
    ("microseconds", "µs"),
    ("nsec", "ns"),
    ("msec", "ms"),
    ("secs", "s"),
    ("sec", "s"),
];

/// Words that a flag's help does not begin with: what follows them leans on something that is not there.
const LEANING: [&str; 16] = [
    "how", "what", "who", "whom", "whose", "where", "which", "when", "why", "that", "those", "it", "its", "one",
    "this", "these",
];

/// The retired words of a page's prose; code and generated tables quote others.
pub(super) fn faults_of_page(file: &str, page: &str) -> Vec<String> {
    let mut is_code = false;
    let mut faults = vec![];
    for (at, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        for (not, but) in RETIRED.iter().filter(|(not, _)| !is_code && plain(&prose).contains(&format!(" {not} "))) {
            faults.push(format!("{file}:{}: \"{not}\": say \"{but}\" in \"{}\"", at + 1, line.trim()));
        }
    }
    faults
}

/// What is wrong with a text, each with its place.
pub(super) fn faults(text: &Text) -> Vec<String> {
    let mut faults = vec![];
    if text.kind != Kind::Other
        && let Some((count, sentence)) = sentences(&text.words).map(|one| (words(one), one)).find(|one| one.0 > LONGEST)
    {
        faults.push(format!("a sentence of {count} words, at most {LONGEST}: \"{}\"", sentence.trim()));
    }
    let plain = plain(&text.words);
    for (not, but) in RETIRED.iter().chain(&UNITS) {
        if plain.contains(&format!(" {not} ")) {
            faults.push(format!("\"{not}\": say \"{but}\""));
        }
    }
    if text.words.contains("papers/00") {
        faults.push("a paper is cited by its key in docs/papers.md".to_owned());
    }
    let first = plain.split_whitespace().next().unwrap_or_default();
    if text.kind == Kind::Help && LEANING.contains(&first) {
        faults.push(format!("help begins with \"{first}\"; begin with a verb or a noun"));
    }
    let place = |fault: String| format!("{}:{}: {fault} in \"{}\"", text.file, text.line, text.words.trim());
    faults.into_iter().map(place).collect()
}

/// Sentences and lines; a line break, a full stop, a colon or a semicolon before a space ends one.
fn sentences(words: &str) -> impl Iterator<Item = &str> {
    words
        .split('\n')
        .flat_map(|line| line.split(". "))
        .flat_map(|part| part.split("; "))
        .flat_map(|part| part.split(": "))
}

fn words(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Lower case, words apart by one space and with one around; hyphens stay, and what a format puts into braces goes.
fn plain(words: &str) -> String {
    let mut is_text = true;
    let text: String = words
        .chars()
        .filter(|c| {
            is_text = (is_text && *c != '{') || *c == '}';
            is_text
        })
        .collect();
    let spaced: String =
        text.to_lowercase().chars().map(|c| if c.is_alphanumeric() || "-/_".contains(c) { c } else { ' ' }).collect();
    format!(" {} ", spaced.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, words: &str) -> usize {
        faults(&Text { file: "a.rs".into(), line: 1, kind, words: words.into() }).len()
    }

    #[test]
    fn each_rule_finds_its_fault_and_nothing_else() {
        assert_eq!(of(Kind::Help, "How long to measure"), 1);
        assert_eq!(of(Kind::Other, "How long to measure"), 0);
        assert_eq!(of(Kind::Help, "Duration of the measurement"), 0);
        assert_eq!(of(Kind::Error, &"word ".repeat(31)), 1);
        assert_eq!(of(Kind::Error, &"word ".repeat(30)), 0);
        assert_eq!(of(Kind::Error, &format!("{}; {}", "word ".repeat(20), "word ".repeat(20))), 0);
        assert_eq!(of(Kind::Other, "latency in usec"), 1);
        assert_eq!(of(Kind::Other, "the second word"), 0);
        assert_eq!(of(Kind::Other, "it was told"), 1);
        assert_eq!(of(Kind::Other, "on processors {beside} and {told}"), 0);
        assert_eq!(of(Kind::Other, "see [papers/002, 6]"), 1);
    }

    #[test]
    fn a_page_is_searched_for_retired_words_outside_of_code() {
        let page = "It was told.\n```text\nnobody\n```\nThe caveat `beside-idle` is kept.\nNobody reads this.\n";
        let faults = faults_of_page("a.md", page);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("a.md:1: \"told\"") && faults[1].starts_with("a.md:6: \"nobody\""), "{faults:?}");
    }
}
