//! The process that holds one load: what it is told, what it reports, and its two halves.
//!
//! ```text
//! prazo ──socket──► outer ──► inner (process 1 of the load's namespaces) ──► generators
//!                   owns the  turns the load on and off, adopts and
//!                   folder    collects every process, counts
//! ```
//!
//! Nothing is ended by name. When prazo ends, however it ends, its end of the socket closes; inner ends, and with process 1
//! the kernel ends all others of the namespace. Outer also watches prazo itself, in case a forgotten copy of the socket
//! is open in some child; and inner dies with outer. Only then does outer remove the folder.

mod descendants;
mod generator;
mod inner;
mod network;
mod outer;
mod request;
mod station;

use std::ffi::OsString;
use std::process::ExitCode;

use request::ARGUMENT;
pub(super) use request::{KeeperRequest, Report, arguments};
pub(super) use station::go;

/// Becomes a keeper if `args` ask for one.
pub(super) fn child_main(args: &[OsString]) -> Option<ExitCode> {
    let (first, rest) = args.split_first()?;
    if first != ARGUMENT {
        return None;
    }
    let half = rest.first().and_then(|half| half.to_str());
    let request = rest.get(1).and_then(|text| serde_json::from_str(text.to_str()?).ok());
    Some(match (half, request) {
        (Some("outer"), Some(request)) => outer::run(&request),
        (Some("inner"), Some(request)) => inner::run(&request),
        _ => {
            eprintln!("{ARGUMENT} is for internal use by prazo");
            ExitCode::from(2)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_arguments_are_left_to_the_program() {
        assert!(child_main(&[]).is_none());
        assert!(child_main(&["measure".into(), ARGUMENT.into()]).is_none());
    }

    #[test]
    fn a_malformed_order_is_a_usage_error_and_starts_nothing() {
        for rest in [vec![], vec!["outer"], vec!["inner", "{}"], vec!["third", "{}"]] {
            let args: Vec<OsString> = std::iter::once(ARGUMENT).chain(rest).map(OsString::from).collect();
            assert!(child_main(&args).is_some());
        }
    }
}
