//! Workloads with servers on this machine: what they answer to whom, and what is told when one dies.

use prazo_cost::command::Task;
use prazo_cost::workload::{Stage, WorkloadError, find};
use prazo_testing::{Need, Skipped, or_skip, skipped};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::Mutex;

/// A process has one tree of descendants, so stages are set one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The stage of a workload; a skip where its programs are missing.
fn stage(name: &str) -> Result<Stage, Skipped> {
    match Stage::set(find(name).unwrap()) {
        Ok(stage) => Ok(stage),
        Err(WorkloadError::Missing { package, .. }) => {
            Err(skipped(Need::Program("of a workload"), format!("{package} is not installed")))
        }
        Err(error) => panic!("{error}"),
    }
}

/// These words on a stage, beside its server.
fn task(stage: &Stage, words: &[&str]) -> Task {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    stage.task(&words, None).unwrap()
}

#[test]
fn a_server_that_dies_is_named_with_what_it_said_last_and_the_run_ends() {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let stage = or_skip!(stage("net-stream"));
    let kills = format!("kill -KILL {}; sleep 61", stage.server().unwrap());
    let error = stage.perform(&task(&stage, &["sh", "-c", &kills]), 1).unwrap_err();
    let WorkloadError::ServerEnded { workload, server, how, last_lines } = &error else { panic!("{error}") };
    assert_eq!((*workload, how.as_str()), ("net-stream", "by signal 9"));
    assert!(server.starts_with("iperf3 --server") && last_lines.contains("printed"), "{error}");
    assert_eq!(error.status(), 125);
    // It stays dead, and the next run says so, too.
    assert!(
        stage.perform(&task(&stage, &["/bin/true"]), 1).is_ok_and(|account| account.apart_ns.unwrap().value.is_none())
    );
}

#[test]
fn the_server_for_requests_answers_a_stranger_and_does_nothing_for_him() {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let stage = or_skip!(stage("net-request"));
    let words = stage.words(1);
    let port = words.iter().skip_while(|word| *word != "-p").nth(1).unwrap().parse::<u16>().unwrap();
    let mut stranger = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    let mut ask = |line: &str| {
        stranger.write_all(format!("{line}\r\n").as_bytes()).unwrap();
        let mut answer = [0; 200];
        let length = stranger.read(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    };
    assert_eq!(ask("PING"), "+PONG\r\n");
    for forbidden in ["SET a b", "CONFIG SET dir /tmp", "ACL LIST", "SHUTDOWN NOSAVE", "SAVE"] {
        assert!(ask(forbidden).starts_with("-NOPERM"), "{forbidden}");
    }
}
