//! Texts that are certificates, texts that are nearly so, and texts that are nothing of the kind.

mod support;

use proptest::prelude::*;
use support::{refuses_longer_lines, resealed};

const PAGE: &str = include_str!("../../../docs/certificates.md");

/// The certificates of the format's page.
fn examples() -> Vec<&'static str> {
    let blocks = PAGE.split("```\n").filter(|block| block.starts_with("prazo-certificate"));
    blocks.collect()
}

#[test]
fn every_example_of_the_page_is_accepted() {
    assert_eq!(examples().len(), 4);
    for text in examples() {
        let accepted = prazo_checker::check(text).unwrap_or_else(|why| panic!("{why}\n{text}"));
        assert!(accepted.to_string().contains("proven: edf, "), "{accepted}");
        refuses_longer_lines(text);
    }
}

/// Why the first example is rejected when `old` is replaced by `new` in it, under the digest of the changed lines.
fn rejection(old: &str, new: &str) -> String {
    let text = examples()[0];
    assert!(text.contains(old), "{old}");
    prazo_checker::check(&resealed(&text.replace(old, new))).expect_err(new).to_string()
}

#[test]
fn no_line_of_the_question_can_be_changed_alone() {
    let text = examples()[0];
    let reason = "the certificate contradicts itself: the digest does not match the lines above it";
    let (question, claimed) = text.split_once("digest sha256 ").unwrap();
    for (old, new) in
        [("cost 2", "cost 1"), ("period 12", "period 13"), ("global 2", "global 3"), ("working-set 0", "working-set 1")]
    {
        let changed = question.replacen(old, new, 1) + "digest sha256 " + claimed;
        assert_eq!(prazo_checker::check(&changed).expect_err(new).to_string(), reason);
    }
    let digit = if claimed.starts_with('0') { "1" } else { "0" };
    for digest in
        [format!("{digit}{}", &claimed[1..]), claimed.to_uppercase(), format!("0{claimed}"), claimed[1..].to_owned()]
    {
        let changed = format!("{question}digest sha256 {digest}");
        assert!(prazo_checker::check(&changed).is_err(), "{changed}");
    }
    let without =
        text.lines().filter(|line| !line.starts_with("digest")).map(|line| format!("{line}\n")).collect::<String>();
    let rejection = prazo_checker::check(&without).expect_err("no digest").to_string();
    assert_eq!(rejection, "line 9: a line that begins with `digest` is missing here");
}

#[test]
fn a_rejection_names_the_line_and_what_was_expected() {
    let version = rejection("prazo-certificate 2", "prazo-certificate 1");
    assert_eq!(version, "line 1: expected version 2, found 1");
    assert_eq!(rejection("cost 2", "cost 02"), "line 5: expected cost as a plain number, found `02`");
    assert_eq!(rejection("policy edf", "policy fifo"), "line 3: expected edf or fixed-priority, found `fifo`");
    assert_eq!(rejection("overheads none\n", ""), "line 8: a line that begins with `overheads` is missing here");
    assert_eq!(
        rejection("end\n", "end\n\n"),
        "line 17: the certificate must end with one line break after `end`, and nothing may follow"
    );
    assert_eq!(rejection("time continuous", "time x"), "line 2: expected continuous or discrete, found `x`");
    assert_eq!(
        rejection("overheads none", "behaviours locking x\noverheads none"),
        "line 8: expected srp, pcp, pip, msrp, fmlp+ or mpcp, found `x`"
    );
    let phases: String = (0..4).map(|task| format!("phase {task} offset 0 best-case 0\n")).collect();
    assert_eq!(
        rejection("overheads none", &format!("{phases}overheads none")),
        "line 11: there are more phases than tasks"
    );
    assert_eq!(rejection("task 1 ", "task 2 "), "line 6: expected task 1, found task 2");
    assert_eq!(rejection("bin 0 ", "bin 1 "), "line 11: expected bin 0, found bin 1");
}

#[test]
fn a_rejected_charge_names_what_was_found_and_what_was_expected() {
    let of_charges = |replaced: &str, by: &str| {
        let text = examples()[2].replace(&format!("charged {replaced} cost"), &format!("charged {by} cost"));
        prazo_checker::check(&resealed(&text)).expect_err(by).to_string()
    };
    assert_eq!(of_charges("0", "1"), "line 21: expected interrupt or 0, found `1`");
    assert_eq!(of_charges("1", "interrupt"), "line 22: expected 1, the bin's next task, found `interrupt`");
    let twice = examples()[2].replace("test ", "charged 1 cost 1 period 1 deadline 1 jitter 0\ntest ");
    let twice = prazo_checker::check(&resealed(&twice)).expect_err("charged twice").to_string();
    assert_eq!(
        twice,
        "line 23: expected no more tasks, because all tasks of the bin are charged above this line; found `1`"
    );
}

#[test]
fn a_task_that_is_charged_incorrectly_is_named_by_its_place_in_the_bin() {
    let changed = |old: &str, new: &str| {
        prazo_checker::check(&resealed(&examples()[2].replace(old, new))).expect_err(new).to_string()
    };
    assert_eq!(
        changed("cost 332", "cost 333"),
        "the overheads are charged incorrectly: the cost 333 of the task at place 2 of its bin, counted from 1"
    );
    assert_eq!(
        changed("period 999", "period 998"),
        "the overheads are charged incorrectly: the period, deadline or jitter of the task at place 1 of its bin, \
         counted from 1"
    );
}

#[test]
fn only_a_proof_names_the_order_that_the_certificate_gives() {
    let (question, _) = examples()[3].split_once("verdict ").unwrap();
    let tasks = question.replace("policy edf", "policy fixed-priority any-order").replace("cost 11", "cost 12");
    let disproof = resealed(&format!("{tasks}verdict disproven\nbecause impossible-task 2\nend\n"));
    let accepted = prazo_checker::check(&disproof).unwrap_or_else(|why| panic!("{why}\n{disproof}"));
    assert!(accepted.to_string().starts_with("disproven: fixed priorities in any order, 3 tasks"), "{accepted}");
}

#[test]
fn a_rejection_names_the_task_and_the_inequality() {
    assert_eq!(
        rejection("response 1 7", "response 1 6"),
        "the proof or disproof fails: task 1 may be delayed beyond its bound"
    );
    let smaller = rejection("processors 2", "processors 3");
    assert_eq!(
        smaller,
        "the certificate contradicts itself: the bins do not have the numbers of processors that the shape states"
    );
    let jitter = rejection("deadline 8 jitter 0", "deadline 8 jitter 1");
    assert_eq!(jitter, "the test or disproof does not apply: some task has release jitter");
    let left_out = rejection("tasks 0 1 2", "tasks 0 1");
    assert_eq!(left_out, "the certificate contradicts itself: task 2 is not in exactly one bin");
}

#[test]
fn the_largest_numbers_that_may_be_written_do_not_overflow() {
    let times = |cost: u64| format!("cost {cost} period {0} deadline {0} jitter {0}", 1u64 << 48);
    for cost in [1, 1 << 48] {
        for test in ["utilization", "QPA", "GFB", "LOAD", "BAK", "BCL", "Guan", "FF-DBF\nspeed 1"] {
            let point = format!("point {} demand {}\n", 1u64 << 62, 1u64 << 62);
            let tasks: String = (0..20).map(|task| format!("task {task} {} working-set 0\n", times(cost))).collect();
            let members: String = (0..20).map(|task| format!(" {task}")).collect();
            let text = format!(
                "prazo-certificate 2\ntime continuous\npolicy edf\nshape global 7\n{tasks}overheads none\ndigest sha256 0\nverdict proven\n\
                 bin 0 processors 7 tasks{members}\ntest {test}\n{point}end\n"
            );
            assert!(prazo_checker::check(&resealed(&text)).is_err());
            assert!(prazo_checker::check(&resealed(&text.replace(&point, ""))).is_err());
            let one = text.replace("shape global 7", "shape global 1").replace("processors 7", "processors 1");
            assert!(prazo_checker::check(&resealed(&one)).is_err());
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC*") {
        let _ = prazo_checker::check(&text);
    }

    #[test]
    fn no_change_of_an_example_makes_it_panic(
        example in 0..4usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..12usize, words()), 1..6),
    ) {
        let mut text = examples()[example].to_string();
        for (place, length, word) in changes {
            let start = place.index(text.len());
            text.replace_range(start..(start + length).min(text.len()), &word);
        }
        let _ = prazo_checker::check(&text);
        let _ = prazo_checker::check(&resealed(&text));
    }
}

/// Words of the format, large and small numbers, and rubbish; plain ASCII, so that any place can be cut.
fn words() -> impl Strategy<Value = String> {
    let known =
        ["\n", " ", "QPA", "GFB", "BAR", "for 0\n", "point 0 demand 0\n", "order 0 1 2\n", "given 1 2 3", "1/0", "-"];
    prop_oneof![
        prop::sample::select(known.to_vec()).prop_map(String::from),
        (0..64u32).prop_map(|bits| (u64::MAX >> bits).to_string()),
        (0..128u32).prop_map(|bits| (u128::MAX >> bits).to_string()),
        "[ -~]{0,3}",
    ]
}
