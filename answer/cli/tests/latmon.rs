//! A board that speaks latmon, and some that do not. The board is a small server written from the protocol's description.

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;
use support::{Desk, caveats};

/// Serves one client on a free port; `work` gets the connection.
fn board(work: impl FnOnce(TcpStream) + Send + 'static) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (address, std::thread::spawn(move || work(listener.accept().unwrap().0)))
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// Sum (high, low), minimum, maximum, overruns, samples: three answers of 5, 7 and 9 us, and one too late.
const BULK: [u32; 6] = [0, 21_000, 5_000, 9_000, 1, 3];

fn request(client: &mut TcpStream) -> [u32; 2] {
    let mut bytes = [0; 8];
    client.read_exact(&mut bytes).unwrap();
    [0, 4].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

/// As the description says: bulks while it measures; asked to stop, the last bulk, an empty one, the histogram.
fn sound(mut client: TcpStream) {
    let [period_us, cells] = request(&mut client);
    assert_eq!((period_us, cells), (1_000, 100));
    client.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let mut bulks = 0;
    loop {
        client.write_all(&words(&BULK)).unwrap();
        bulks += 1;
        let mut asked = [0; 8];
        match client.read_exact(&mut asked) {
            Ok(()) => break assert_eq!(asked, [0; 8], "a period of 0 stops"),
            Err(_) => continue,
        }
    }
    client.write_all(&words(&BULK)).unwrap();
    client.write_all(&words(&[0, 0, u32::MAX, 0, 0, 0])).unwrap();
    let mut histogram = vec![0; cells as usize];
    [5, 7, 9].into_iter().for_each(|us| histogram[us] = bulks + 2);
    client.write_all(&words(&histogram)).unwrap();
}

#[test]
fn a_board_s_bulks_and_histogram_become_a_run() {
    let (address, board) = board(sound);
    let desk = Desk::new();
    let words = format!("measure latmon {address} -D 1s --cells 100 --plain --json -o a.prazo");
    let measured = desk.prazo(&words).expect_code(0).json();
    board.join().unwrap();
    let cpu = &measured["cpus"][0];
    assert_eq!((cpu["min_ns"].as_i64(), cpu["max_ns"].as_i64()), (Some(5_000), Some(9_000)));
    assert_eq!(measured["served"].as_u64().unwrap() % 3, 0);
    for id in ["measured-outside", "latmon-overruns", "latmon-warm-up"] {
        assert!(caveats(&measured).contains(&id), "{id} is not in {:?}", caveats(&measured));
    }
}

#[test]
fn boards_that_fail_are_told_apart() {
    let desk = Desk::new();
    let fails = |work: fn(TcpStream), named: &str| {
        let (address, board) = board(work);
        let words = format!("measure latmon {address} -D 1s --connect-timeout 500ms --plain -o never.prazo");
        desk.prazo(&words).expect_code(4).expect_error(&[named]);
        board.join().unwrap();
        assert!(!desk.path("never.prazo").exists(), "{named}: a run file of nothing");
    };
    fails(drop, "lost the connection to the board");
    fails(
        |mut client| {
            request(&mut client);
            // Until the client gives up.
            let _ = client.read(&mut [0]);
        },
        "sent nothing",
    );
    fails(
        |mut client| {
            request(&mut client);
            client.write_all(b"HTTP/1.1 400 Bad Request\r\n").unwrap();
            let _ = client.read(&mut [0; 64]);
        },
        "not a measurement",
    );
    desk.prazo("measure latmon 127.0.0.1:1 -D 1s --plain").expect_code(4).expect_error(&["no board at 127.0.0.1:1"]);
}
