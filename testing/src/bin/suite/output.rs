//! What a test program printed becomes numbers: Rust's harness, several of them behind each other, Node's, or a script's last line.

use crate::results::Tested;

/// The sum of all harnesses in `text`.
///
/// A last line `N passed, M failed, K skipped` is a script's own sum and stands for all that came before.
/// A program that failed without a failed test (it crashed, or it has no harness) counts as one failure, and one that
/// succeeded without saying how many tests it has counts as one test.
pub(crate) fn read(text: &str, succeeded: bool) -> Tested {
    let mut tested = Tested::default();
    let mut said = false;
    for line in text.lines() {
        if let Some(counts) = line.strip_prefix("test result: ") {
            said = true;
            tested.passed += number_before(counts, "passed");
            tested.failed += number_before(counts, "failed");
            tested.ignored += number_before(counts, "ignored");
        } else if let Some(counts) = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# ")) {
            said |= counts.starts_with("pass ");
            tested.passed += number_after(counts, "pass");
            tested.failed += number_after(counts, "fail") + number_after(counts, "cancelled");
            tested.skipped += number_after(counts, "skipped");
        } else if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            tested.failures.push(name.to_owned());
        } else if let Some((name, _)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ignored")) {
            tested.helpers.push(name.to_owned());
        }
    }
    if let Some([passed, failed, skipped]) = text.trim_end().lines().last().and_then(sum) {
        return Tested { passed, failed, skipped, ..Tested::default() };
    }
    if !succeeded && tested.failed == 0 {
        tested.failed = 1;
    } else if succeeded && !said {
        tested.passed = 1;
    }
    tested.messages = tested.failures.iter().filter_map(|name| Some((name.clone(), message(text, name)?))).collect();
    tested
}

/// What a test panicked with: where, the beginning of its message, and what was compared.
fn message(text: &str, test: &str) -> Option<String> {
    let (place, panic) = text.split(&format!("\nthread '{test}'")).nth(1)?.split_once('\n')?;
    let place = place.rsplit("panicked at ").next()?.trim_end_matches(':');
    let first = panic.lines().next()?;
    let compared = panic.lines().take_while(|line| !line.starts_with("----"));
    let compared = compared.filter(|line| line.starts_with("  left: ") || line.starts_with(" right: "));
    let parts = std::iter::once(first).chain(compared.map(str::trim));
    let parts: Vec<String> = parts.map(|part| part.chars().take(300).collect()).collect();
    Some(format!("{place}: {}", parts.join("; ")))
}

/// The numbers of `3 passed, 0 failed, 1 skipped`.
fn sum(line: &str) -> Option<[usize; 3]> {
    let mut parts = line.split(", ");
    let mut number = |word: &str| parts.next()?.strip_suffix(word)?.trim().parse().ok();
    Some([number("passed")?, number("failed")?, number("skipped")?])
}

/// 12 of `ok. 12 passed; 0 failed`.
fn number_before(counts: &str, word: &str) -> usize {
    let mut parts = counts.split("; ").flat_map(|part| part.rsplit(". ").next());
    let found = parts.find_map(|part| part.trim_end_matches(';').strip_suffix(word)?.trim().parse().ok());
    found.unwrap_or(0)
}

/// 12 of `pass 12`.
fn number_after(counts: &str, word: &str) -> usize {
    counts.strip_prefix(word).and_then(|rest| rest.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rusts_harness_is_read() {
        let text = "running 4 tests\ntest a::b ... ok\ntest c ... FAILED\ntest d ... ignored, needs a network\n\n\
                    test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.41s\n";
        let tested = read(text, false);
        assert_eq!((tested.passed, tested.failed, tested.ignored), (2, 1, 1));
        assert_eq!((tested.failures, tested.helpers), (vec!["c".to_owned()], vec!["d".to_owned()]));
        assert!(tested.messages.is_empty());
        let panic = "\n---- c stdout ----\n\nthread 'c' (7) panicked at ./a.rs:1:2:\none: {\n}\n  left: 1\n right: 2\n";
        assert_eq!(read(&format!("{text}{panic}"), false).messages["c"], "./a.rs:1:2: one: {; left: 1; right: 2");
    }

    #[test]
    fn harnesses_behind_each_other_are_added() {
        let one = "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.41s\n";
        assert_eq!(read(&one.repeat(2), true).passed, 14);
    }

    #[test]
    fn a_scripts_last_line_stands_for_all_before() {
        let text = "test result: ok. 7 passed; 0 failed; 1 ignored\n\n3 passed, 0 failed, 1 skipped\n";
        assert_eq!(read(text, true), Tested { passed: 3, skipped: 1, ..Tested::default() });
    }

    #[test]
    fn nodes_harness_is_read() {
        let tested = read("ℹ tests 34\nℹ suites 1\nℹ pass 30\nℹ fail 2\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\n", false);
        assert_eq!((tested.passed, tested.failed, tested.skipped), (30, 3, 1));
    }

    #[test]
    fn a_crash_is_a_failure_and_a_program_without_a_harness_is_one_test() {
        assert_eq!(read("test a ... ok\n", false).failed, 1);
        assert_eq!(read("done\n", true).passed, 1);
        assert_eq!(read("", false), Tested { failed: 1, ..Tested::default() });
    }
}
