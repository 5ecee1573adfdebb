//! Certificates of split tasks: each kind of changed piece is refused with its sentence.

mod support;

use prazo_checker::check;
use support::{refuses_longer_lines, resealed};

/// Task 2 runs 10 in its first 10 on processor 0, and then 5 in 20 on processor 1.
const SPLIT: &str = "\
prazo-certificate 2
time continuous
policy edf
shape clusters 1 1
task 0 cost 20 period 30 deadline 30 jitter 0 working-set 0
task 1 cost 20 period 30 deadline 30 jitter 0 working-set 0
task 2 cost 15 period 30 deadline 30 jitter 0 working-set 0
overheads none
digest sha256 ce6bfa4bf941891aac7b955b91a6234e3a3d861d768f97a26ef8678917b0b8f0
verdict proven
bin 0 processors 1 tasks 0 2
piece 2 cost 10 deadline 10 offset 0
test QPA
point 29 demand 10
point 9 demand 0
bin 1 processors 1 tasks 1 2
piece 2 cost 5 deadline 20 offset 10
test QPA
point 10 demand 0
end
";

const FIRST: &str = "piece 2 cost 10 deadline 10 offset 0\n";
const SECOND: &str = "piece 2 cost 5 deadline 20 offset 10\n";

#[test]
fn a_changed_piece_is_refused_with_its_sentence() {
    assert_eq!(check(SPLIT).unwrap().split, [2]);
    refuses_longer_lines(SPLIT);
    let unreleased = "a piece of task 2 is not released when the previous piece is due";
    let unlike = "a bin must have exactly one piece of each split task in it, and no other piece";
    let twice = FIRST.repeat(2);
    for (old, new, sentence) in [
        ("offset 10", "offset 11", unreleased),
        ("offset 10", "offset 9", unreleased),
        ("deadline 10 offset 0", "deadline 9 offset 0", unreleased),
        ("deadline 10 offset 0", "deadline 11 offset 0", unreleased),
        ("offset 0", "offset 1", unreleased),
        (
            "deadline 20 offset",
            "deadline 21 offset",
            "the last piece of task 2 is due after the task's deadline or its next release",
        ),
        ("piece 2 cost 5 ", "piece 2 cost 4 ", "the pieces of task 2 do not add up to its cost"),
        ("piece 2 cost 5 ", "piece 2 cost 6 ", "the pieces of task 2 do not add up to its cost"),
        ("piece 2 cost 10 ", "piece 2 cost 9 ", "the pieces of task 2 do not add up to its cost"),
        (FIRST, "", unlike),
        (SECOND, "", unlike),
        (FIRST, "piece 0 cost 10 deadline 10 offset 0\n", unlike),
        (FIRST, &twice, "the pieces of a bin are not in ascending order of their tasks, or a task has two of them"),
        // Both pieces fit together, but not into their processors.
        ("offset 10\ntest QPA\npoint 10 demand 0", "offset 10\ntest QPA\npoint 9 demand 0", "demand"),
    ] {
        refused(&SPLIT.replacen(old, new, 1), sentence, (old, new));
    }
}

#[test]
fn a_split_of_what_cannot_be_split_is_refused_with_its_sentence() {
    let bursts = "behaviours locking srp\nburst 1 jobs 1 within 30 distance 30\noverheads none";
    for (old, new, sentence) in [
        (
            "15 period 30 deadline 30 jitter 0",
            "15 period 30 deadline 30 jitter 1",
            "a task with release jitter cannot be split",
        ),
        ("policy edf", "policy fixed-priority deadline-monotonic", "tasks are split under EDF only"),
        ("overheads none", bursts, "no test covers split tasks together with blocking, bursts, suspension or a supply"),
        (
            "test QPA\npoint 29 demand 10\npoint 9 demand 0",
            "test GFB",
            "pieces are proven by the utilization test or QPA only",
        ),
    ] {
        refused(&resealed(&SPLIT.replacen(old, new, 1)), sentence, (old, new));
    }
    let wide = SPLIT.replace("clusters 1 1", "clusters 2 1").replace("bin 0 processors 1", "bin 0 processors 2");
    refused(&resealed(&wide), "a bin with pieces must have exactly one processor", ("1", "2"));
}

fn refused(text: &str, sentence: &str, change: (&str, &str)) {
    assert_ne!(text, SPLIT, "{change:?} changes nothing");
    let why = check(text).map(|_| "accepted".to_owned()).unwrap_or_else(|why| why.to_string());
    assert!(why.contains(sentence), "{change:?}: {why}");
}
