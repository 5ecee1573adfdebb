//! `prazo measure serial` on recorded lines of real kernels.

mod support;

use prazo_testing::data;
use support::{Desk, caveats};

#[test]
fn a_kernel_s_recorded_line_becomes_a_run_with_a_verdict() {
    let desk = Desk::new();
    desk.write("rtic.txt", data::text("serial/rtic-2.lm3s6965evb.txt"));
    let measured =
        desk.prazo("measure serial --device rtic.txt --deadline 10us --json --plain -o a.prazo").expect_code(3).json();
    assert_eq!((measured["due"].as_u64(), measured["lost"].as_u64()), (Some(1_000), Some(0)));
    assert_eq!(caveats(&measured), Vec::<&str>::new());
    let reasons = measured["verdict"]["reasons"].to_string();
    assert!(reasons.contains("0 of 1,000") && !reasons.contains("policy-unknown"), "{reasons}");
    let run = prazo_run::store::open(&desk.path("a.prazo")).unwrap();
    assert_eq!(run.platform_before.unwrap().get("serial.kernel"), Some("rtic-2"));
}

#[test]
fn what_cannot_be_read_is_refused() {
    let desk = Desk::new();
    desk.write("other.txt", "U-Boot 2024.01\nlogin:\n");
    desk.prazo("measure serial --device other.txt").expect_code(4).expect_error(&["no header", "--baud"]);
    desk.prazo("measure serial --device nowhere").expect_code(4).expect_error(&["open nowhere"]);
    desk.prazo("measure serial").expect_code(2).expect_error(&["--device"]);
    desk.prazo("measure serial --guest a.elf --machine pc").expect_code(2).expect_error(&["lm3s6965evb"]);
}
