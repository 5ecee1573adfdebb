//! Releases of kernels in the order of their versions: `6.1.9`, `6.12-rc3`, `6.12`, `6.12.9`, `6.12.90`.

use std::cmp::Ordering;

/// A part of a release: those that come first when releases are otherwise alike stand first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    /// `~`, with which Debian marks what comes before a version, or a release candidate.
    Before,
    /// Where the release ends.
    End,
    Word(&'a str),
    Number(u128),
}

/// Which release comes first.
pub(super) fn compare(one: &str, other: &str) -> Ordering {
    // Equal numbers that are written differently, such as 01 and 1, are compared as text.
    parts(one).cmp(parts(other)).then_with(|| one.cmp(other))
}

/// The numbers that a release begins with; two kernels of one version are ordered by other means.
pub(super) fn version(release: &str) -> &str {
    let end = release.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(release.len());
    &release[..end]
}

fn parts(release: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = release;
    let next = move || {
        rest = rest.trim_start_matches(['.', '-', '+', '_']);
        let first = rest.chars().next()?;
        let kind = |c: char| (c.is_ascii_digit(), c == '~');
        let is_other = |c: char| kind(c) != kind(first) || ".-+_".contains(c);
        let (part, behind) = rest.split_at(rest.find(is_other).unwrap_or(rest.len()));
        rest = behind;
        Some(match part {
            "rc" => Part::Before,
            part if part.starts_with('~') => Part::Before,
            part => part.parse().map_or(Part::Word(part), Part::Number),
        })
    };
    std::iter::from_fn(next).chain([Part::End])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_stand_in_the_order_of_their_versions() {
        let ordered = [
            "6.1.0-50-amd64",
            "6.1.0-57-amd64",
            "6.12.0-rc3",
            "6.12.0-rc11",
            "6.12.0",
            "6.12.9+deb13-amd64",
            "6.12.43+deb13-rt-amd64",
            "6.12.90~bpo-rt-amd64",
            "6.12.90+deb13-rt-amd64",
            "6.12.101+deb13-rt-amd64",
            "7.0",
        ];
        let mut sorted = ordered;
        sorted.reverse();
        sorted.sort_by(|a, b| compare(a, b));
        assert_eq!(sorted, ordered);
        assert_eq!(compare("", "6.1"), Ordering::Less);
        assert_eq!(compare("6.1", "6.1"), Ordering::Equal);
        assert_ne!(compare("6.01", "6.1"), Ordering::Equal);
    }

    #[test]
    fn a_version_is_the_numbers_at_the_beginning() {
        assert_eq!(["6.12.90+deb13-rt", "6.1.0-50", "next", ""].map(version), ["6.12.90", "6.1.0", "", ""]);
    }
}
