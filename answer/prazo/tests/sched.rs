//! Each function of `prazo::sched` called as a notebook would call it: no command, no printing.

mod support;

use prazo::sched::{self, VerifyRequest};
use support::Recorded;

#[test]
fn verify_answers_about_a_text_that_is_no_certificate_and_refuses_a_file_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.cert");
    let request = VerifyRequest { file: file.clone() };
    let refused = sched::verify(&request, &mut Recorded::default()).unwrap_err();
    assert_eq!((refused.errno(), matches!(refused, prazo::Error::Refused(_))), (Some(2), true), "{refused}");
    std::fs::write(&file, "no certificate\n").unwrap();
    let answer = sched::verify(&request, &mut Recorded::default()).unwrap();
    assert_eq!((answer.accepted, answer.verdict, answer.sentences.len()), (false, None, 1));
}
