//! Claims: sentences about an outcome, each held against data; the framework that studies and experiments share.
//!
//! There is no expression language. A document names a claim, its text and one `check`; each kind of check decides itself and
//! says which figures decided. The kinds are files beside the data that they read.

pub mod counts;
pub mod document;
pub mod figures;

pub use document::Name;

use prazo_core::text::counted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// One `[[claim]]` of a document; `C` is the document's enum of kinds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim<C> {
    /// A name that stays the same.
    pub id: toml::Spanned<String>,
    /// The claim as a reader meets it.
    pub text: String,
    /// Where it is from: paper, section or figure.
    #[serde(rename = "where")]
    pub place: Option<String>,
    /// What it means in figures.
    pub check: C,
}

/// What the data says of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimFinding {
    /// Whether it holds.
    pub holds: bool,
    /// The figures that decide it, with counts and units: one sentence, or several with semicolons.
    pub evidence: String,
}

/// Why a claim cannot be decided: one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecidable(pub String);

impl Undecidable {
    /// The same, as the reason of one cell.
    #[must_use]
    pub fn of(self, cell: &str) -> Self {
        Self(format!("{cell}: {}", self.0))
    }
}

/// A decision, or why there is none.
pub type Judgement = Result<ClaimFinding, Undecidable>;

/// One claim of a study or experiment, and whether the data supports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimResult {
    /// Name of the claim.
    pub id: String,
    /// The claim in words.
    pub text: String,
    /// Source of the claim: paper, section or figure; null if the study names none.
    pub place: Option<String>,
    /// Whether the data agrees with the claim.
    pub outcome: ClaimOutcome,
    /// Figures that decided the claim, or the reason why it could not be decided.
    pub evidence: String,
}

/// Outcome of checking a claim against data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimOutcome {
    /// The data agrees with the claim.
    Held,
    /// The data disagrees with the claim.
    NotHeld,
    /// The data cannot decide the claim.
    Undecidable,
}

impl<C> Claim<C> {
    /// The claim with its outcome.
    pub fn result(&self, judgement: Judgement) -> ClaimResult {
        let (outcome, evidence) = match judgement {
            Ok(ClaimFinding { holds: true, evidence }) => (ClaimOutcome::Held, evidence),
            Ok(ClaimFinding { holds: false, evidence }) => (ClaimOutcome::NotHeld, evidence),
            Err(Undecidable(reason)) => (ClaimOutcome::Undecidable, reason),
        };
        let (id, text, place) = (self.id.get_ref().clone(), self.text.clone(), self.place.clone());
        ClaimResult { id, text, place, outcome, evidence }
    }
}

/// How many claims held, did not hold and could not be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The data agrees.
    pub held: usize,
    /// The data disagrees.
    pub not_held: usize,
    /// The data cannot decide it.
    pub undecidable: usize,
}

impl Tally {
    /// Counts them.
    pub fn of(claims: &[ClaimResult]) -> Self {
        let count = |outcome| claims.iter().filter(|claim| claim.outcome == outcome).count();
        Self {
            held: count(ClaimOutcome::Held),
            not_held: count(ClaimOutcome::NotHeld),
            undecidable: count(ClaimOutcome::Undecidable),
        }
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { held, not_held, undecidable } = self;
        let all = held + not_held + undecidable;
        write!(
            f,
            "{}: {held} held, {not_held} did not, {undecidable} could not be decided",
            counted(all as u64, "claim")
        )
    }
}

/// Decides a claim about each of several things: it holds if it holds for all. At most [`SHOWN`] of those that decide are named.
pub fn each(parts: Vec<(bool, String)>) -> ClaimFinding {
    let holds = parts.iter().all(|(holds, _)| *holds);
    let deciding: Vec<String> = parts.into_iter().filter(|(part, _)| *part == holds).map(|(_, text)| text).collect();
    let more = deciding.len().saturating_sub(SHOWN);
    let shown = deciding.into_iter().take(SHOWN).chain((more > 0).then(|| format!("and {more} more")));
    ClaimFinding { holds, evidence: figures::list(shown) }
}

/// As [`each`], where a part may be undecidable: one part that refutes the claim decides it, whatever the others leave open.
pub fn each_of(parts: impl Iterator<Item = Result<(bool, String), Undecidable>>) -> Judgement {
    let (decided, open): (Vec<_>, Vec<_>) = parts.partition(Result::is_ok);
    let decided: Vec<(bool, String)> = decided.into_iter().flatten().collect();
    match open.into_iter().find_map(Result::err) {
        Some(why) if decided.iter().all(|(holds, _)| *holds) => Err(why),
        _ => Ok(each(decided)),
    }
}

/// How many parts an evidence names before it says "and N more".
const SHOWN: usize = 4;

/// Width of a line of evidence.
const WIDTH: usize = 110;

impl Display for ClaimOutcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Held => "held",
            Self::NotHeld => "not held",
            Self::Undecidable => "undecidable",
        })
    }
}

impl Display for ClaimResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let place = self.place.as_ref().map_or(String::new(), |place| format!(" [{place}]"));
        writeln!(f, "{:<12} {}", self.outcome, self.id)?;
        wrapped(f, &format!("{}{place}", self.text), "             ")?;
        wrapped(f, &self.evidence, "           > ")?;
        writeln!(f)
    }
}

/// Words on lines of at most [`WIDTH`] characters, each begun with `indent`.
fn wrapped(f: &mut Formatter<'_>, words: &str, indent: &str) -> fmt::Result {
    let mut line = String::new();
    for word in words.split_whitespace() {
        if !line.is_empty() && line.chars().count() + word.chars().count() + 1 > WIDTH - indent.len() {
            writeln!(f, "{indent}{line}")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if line.is_empty() { Ok(()) } else { writeln!(f, "{indent}{line}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_refutes_decides_wherever_the_undecidable_one_is() {
        let (open, no, yes) =
            (|| Err(Undecidable("a: too few".into())), || Ok((false, "b".into())), || Ok((true, "c".into())));
        for order in [[open(), no(), yes()], [yes(), no(), open()]] {
            let found = each_of(order.into_iter()).unwrap();
            assert_eq!((found.holds, found.evidence.as_str()), (false, "b"));
        }
        assert_eq!(each_of([yes(), open()].into_iter()).unwrap_err().0, "a: too few");
        assert!(each_of([yes()].into_iter()).unwrap().holds);
    }

    fn result(outcome: ClaimOutcome, text: &str, evidence: &str) -> ClaimResult {
        ClaimResult { id: "halves".into(), text: text.into(), place: None, outcome, evidence: evidence.into() }
    }

    #[test]
    fn a_tally_counts_each_outcome() {
        let tally = |counts: [usize; 3]| {
            let outcomes = [ClaimOutcome::Held, ClaimOutcome::NotHeld, ClaimOutcome::Undecidable];
            let repeated = |(outcome, count)| std::iter::repeat_n(result(outcome, "", ""), count);
            Tally::of(&outcomes.into_iter().zip(counts).flat_map(repeated).collect::<Vec<_>>()).to_string()
        };
        assert_eq!(tally([0, 0, 0]), "0 claims: 0 held, 0 did not, 0 could not be decided");
        assert_eq!(tally([1, 0, 0]), "1 claim: 1 held, 0 did not, 0 could not be decided");
        assert_eq!(tally([1, 2, 4]), "7 claims: 1 held, 2 did not, 4 could not be decided");
    }

    #[test]
    fn a_claim_is_shown_with_its_place_and_its_evidence_on_lines_of_their_own() {
        let text = "Under a load of the disk, the largest latency with PREEMPT_RT is at most half of that without it, \
                    at the same priority";
        let evidence = "rt: 109.000 µs in 7,200,000 samples, vanilla: 25,816.000 µs in 7,200,000 samples, \
                        0.422 % of it; idle: 64.000 µs in 3,600,000 samples, vanilla: 98.000 µs in 3,600,000 \
                        samples, 65.3 % of it";
        let place = Some("Blaess 2014, figure 3".into());
        let wanted = "\
not held     halves
             Under a load of the disk, the largest latency with PREEMPT_RT is at most half of that without it,
             at the same priority [Blaess 2014, figure 3]
           > rt: 109.000 µs in 7,200,000 samples, vanilla: 25,816.000 µs in 7,200,000 samples, 0.422 % of it;
           > idle: 64.000 µs in 3,600,000 samples, vanilla: 98.000 µs in 3,600,000 samples, 65.3 % of it

";
        assert_eq!(ClaimResult { place, ..result(ClaimOutcome::NotHeld, text, evidence) }.to_string(), wanted);
        assert_eq!(result(ClaimOutcome::Held, "", "").to_string(), "held         halves\n\n");
    }

    #[test]
    fn a_line_takes_words_up_to_110_characters_and_a_longer_word_whole() {
        // Lengths of the words, and of the lines without their indent of 13.
        let cases: [(&[usize], &[usize]); 8] = [
            (&[48, 48], &[97]),
            (&[48, 49], &[48, 49]),
            (&[95, 1], &[97]),
            (&[96, 1], &[96, 1]),
            (&[97, 1], &[97, 1]),
            (&[98, 1, 2], &[98, 4]),
            (&[1, 98], &[1, 98]),
            (&[1, 1, 1], &[5]),
        ];
        for (words, lines) in cases {
            let text = words.iter().map(|length| "µ".repeat(*length)).collect::<Vec<_>>().join(" ");
            let shown = result(ClaimOutcome::Held, &text, &text).to_string();
            let lengths: Vec<usize> = shown.lines().skip(1).map(|line| line.chars().count()).collect();
            let indented = || lines.iter().map(|length| length + 13);
            let wanted: Vec<usize> = indented().chain(indented()).chain([0]).collect();
            assert_eq!(lengths, wanted, "{words:?}");
        }
    }
}
