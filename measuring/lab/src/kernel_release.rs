//! Other releases of the kernels that the built-in platforms have: `6.12.90` where the lab pins 6.12.95.

/// The version that a name ends with: everything behind the first dash that a digit follows.
pub(crate) fn split(name: &str) -> Option<(&str, &str)> {
    let is_followed = |at: &usize| name[at + 1..].starts_with(|first: char| first.is_ascii_digit());
    let at = name.match_indices('-').map(|(at, _)| at).find(is_followed)?;
    Some((&name[..at], &name[at + 1..]))
}

/// `6.12` of `6.12.90`.
pub(crate) fn series(version: &str) -> Option<&str> {
    let second = version.match_indices('.').nth(1)?.0;
    Some(&version[..second])
}

/// True for a version of three numbers at least, which may have Debian's own part behind them.
pub(crate) fn is_version(text: &str) -> bool {
    let plain = text.split(['+', '-']).next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let may_be_named = |byte: u8| byte.is_ascii_alphanumeric() || b".+-".contains(&byte);
    text.ends_with(|last: char| last.is_ascii_alphanumeric())
        && plain.split('.').count() >= 3
        && plain.split('.').all(is_number)
        && text.bytes().all(may_be_named)
}

/// `text` with another version than its `own`. A version with Debian's part, such as `6.12.90+deb12.1`, also replaces Debian's part of the old one.
pub(crate) fn replaced(text: &str, own: &str, version: &str) -> Option<String> {
    let (before, after) = text.split_once(own)?;
    let after = match (version.contains('+'), after.strip_prefix('+')) {
        (true, Some(part)) => &after[1 + part.find('-').unwrap_or(part.len())..],
        _ => after,
    };
    Some([before, version, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_with_a_version_and_a_version_has_a_series() {
        assert_eq!(split("rt-full-6.12.90"), Some(("rt-full", "6.12.90")));
        assert_eq!(split("linux-arm64-6.12.95"), Some(("linux-arm64", "6.12.95")));
        assert_eq!(split("rt-full-6.1.0-57"), Some(("rt-full", "6.1.0-57")));
        assert_eq!(split("rt-full"), None);
        assert_eq!(["6.12.90", "6.1.0-57"].map(series), [Some("6.12"), Some("6.1")]);
        assert!(["6.12.90", "6.1.0-57", "6.12.90+deb12.1"].into_iter().all(is_version));
        assert!(!["6.12", "6.12.90/x", "6.a.1", "6.12.", "6.12.90+", "6.12.90-"].into_iter().any(is_version));
    }

    #[test]
    fn a_version_with_debians_part_replaces_that_part() {
        let own = "linux-image-6.12.95+deb12-rt-amd64";
        assert_eq!(replaced(own, "6.12.95", "6.12.90").as_deref(), Some("linux-image-6.12.90+deb12-rt-amd64"));
        assert_eq!(
            replaced(own, "6.12.95", "6.12.90+deb12.1").as_deref(),
            Some("linux-image-6.12.90+deb12.1-rt-amd64")
        );
        assert_eq!(replaced("6.1.0-50-rt-amd64", "6.1.0-50", "6.1.0-57").as_deref(), Some("6.1.0-57-rt-amd64"));
        assert_eq!(replaced(own, "6.1.0", "6.1.1"), None);
    }
}
