//! `prazo measure serial` on recorded lines of real kernels.

mod support;

use prazo_lab::{Architecture, Cache, Fetch, Part, Platform};
use prazo_testing::{Need, OrSkipped, Skipped, data, or_skip};
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

/// A target that sends overheads of five tasks; `tasks` is what its header says.
fn overheads(tasks: Option<u32>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut line = prazo_serial_target::Line::new(|byte| bytes.push(byte));
    let target = prazo_serial_target::Target {
        kernel: "own-1.0",
        board: "board",
        hz: 1_000_000_000,
        bits: 32,
        period: 0,
        policy: "edf",
        load: "-",
        tasks,
    };
    line.header(&target);
    for at in [1_000, 2_000, 3_000] {
        line.overhead("release-overhead-per-job", at, at + 400);
        line.overhead("scheduling-overhead", at, at + 300 + at / 100);
        line.overhead("context-switch-overhead", at, at + 200);
        line.overhead("tick-overhead", at, at + 150);
    }
    line.end(0);
    bytes
}

const TASKS: &str = "[[task]]\nname = \"a\"\nperiod = \"100us\"\ncost = \"10us\"\n";

#[test]
fn overheads_of_a_serial_line_become_a_table_that_a_test_charges() {
    let desk = Desk::new();
    desk.write("target.txt", overheads(Some(5)));
    desk.write("tasks.toml", TASKS);
    desk.prazo("measure serial --device target.txt --plain -o a.prazo").expect_code(0);
    desk.prazo("export a.prazo --format overheads --tick-period 1ms -o costs.toml").expect_code(0);
    let table = std::fs::read_to_string(desk.path("costs.toml")).unwrap();
    for part in [
        "[release]\nlinear = [[5, \"400ns\"]]\nsamples = 3\n",
        "[scheduling]\nlinear = [[5, \"330ns\"]]",
        "[context_switch]\nlinear = [[5, \"200ns\"]]",
        "[tick]\nlinear = [[5, \"150ns\"]]",
        "tick_period = \"1000000ns\"",
        "# No ipi_latency: it was not measured.",
        "source = \"own-1.0, board\"",
    ] {
        assert!(table.contains(part), "{part} in {table}");
    }
    let tested = desk.prazo("sched test tasks.toml --overheads costs.toml --json").expect_code(0).json();
    let shown = tested.to_string();
    assert!(shown.contains("\"inflated\":[[12211,"), "{shown}");
    let mean = desk.prazo("export a.prazo --format overheads-mean").expect_code(0).stdout;
    assert!(mean.contains("[scheduling]\nlinear = [[5, \"320ns\"]]"), "{mean}");
}

#[test]
fn a_table_of_overheads_needs_the_number_of_tasks_and_samples() {
    let desk = Desk::new();
    desk.write("target.txt", overheads(None));
    desk.prazo("measure serial --device target.txt --plain -o a.prazo").expect_code(0);
    desk.prazo("export a.prazo --format overheads").expect_code(2).expect_error(&["--tasks"]);
    let table = desk.prazo("export a.prazo --format overheads --tasks 7").expect_code(0).stdout;
    assert!(table.contains("[[7, \"200ns\"]]") && table.contains("# No tick: it was measured"), "{table}");
    desk.write("rtic.txt", data::text("serial/rtic-2.lm3s6965evb.txt"));
    desk.prazo("measure serial --device rtic.txt --plain -o b.prazo").expect_code(0);
    desk.prazo("export b.prazo --format overheads").expect_code(2).expect_error(&["no samples of overheads"]);
    desk.prazo("export a.prazo b.prazo --format csv").expect_code(2).expect_error(&["each run on its own"]);
    desk.prazo("export a.prazo --format csv --tasks 7").expect_code(2).expect_error(&["--format overheads"]);
}

#[test]
fn overheads_of_litmus_rt_become_a_table_that_a_test_charges() {
    let desk = Desk::new();
    let folder = data::path("tools/feather-trace");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let import = ["import", "--hz", "2400000000", "-o", "runs", "--json"].map(str::to_owned);
    let mut words: Vec<String> = import.into();
    words.extend(files.iter().map(|file| file.display().to_string()));
    let imported = desk.prazo(&words.join(" ")).expect_code(0).json();
    let runs: Vec<&str> = imported.as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap()).collect();
    assert_eq!(runs.len(), 10);
    desk.prazo(&format!("export {} --format overheads --tick-period 1ms -o costs.toml", runs.join(" "))).expect_code(0);
    let table = std::fs::read_to_string(desk.path("costs.toml")).unwrap();
    // SCHED and SCHED2 add up, and both numbers of tasks have their point.
    for part in [
        "LITMUS-RT, GSN-EDF, example",
        "# LITMUS-RT's event SCHED, then LITMUS-RT's event SCHED2",
        "[scheduling]\nlinear = [[10, \"2374ns\"], [20, \"2467ns\"]]",
        "[context_switch]\nlinear = [[10, \"1346ns\"], [20, \"1366ns\"]]",
        "[release]\nlinear = [[10, ",
        "[ipi_latency]\nlinear = [[10, ",
        "[event_latency]\nlinear = [[10, ",
        "[tick]\nlinear = [[10, ",
    ] {
        assert!(table.contains(part), "{part} in {table}");
    }
    desk.write("tasks.toml", TASKS);
    desk.prazo("sched test tasks.toml --overheads costs.toml").expect_code(0);
}

/// An ELF file for 32-bit Arm with this at address 0.
fn arm_image(code: &[u8]) -> Vec<u8> {
    let (words, halves) = (
        |all: &[u32]| all.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>(),
        |all: &[u16]| all.iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<u8>>(),
    );
    let mut elf = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    elf.extend(halves(&[2, 40]));
    elf.extend(words(&[1, 9, 52, 0, 0x0500_0000]));
    elf.extend(halves(&[52, 32, 1, 0, 0, 0]));
    let size = code.len() as u32;
    elf.extend(words(&[1, 84, 0, 0, size, size, 5, 4]));
    elf.extend(code);
    elf
}

/// A program for a Cortex-M3 that sends these bytes to the board's first serial port and then stands still.
fn sender(text: &[u8]) -> Vec<u8> {
    let mut code: Vec<u8> = [0x2000_1000u32, 9].iter().flat_map(|word| word.to_le_bytes()).collect();
    // ldr r0, port; ldr r1, text; next: ldrb r2, [r1]; cmp r2, #0; beq end; str r2, [r0]; adds r1, #1; b next; end: b end; nop
    let instructions = [0x4804u16, 0x4905, 0x780A, 0x2A00, 0xD002, 0x6002, 0x3101, 0xE7F9, 0xE7FE, 0xBF00];
    code.extend(instructions.iter().flat_map(|one| one.to_le_bytes()));
    code.extend([0x4000_C000u32, 0x24].iter().flat_map(|word| word.to_le_bytes()));
    code.extend(text);
    code.push(0);
    code
}

const GUEST: &str = "measure serial --guest image.elf --machine lm3s6965evb --shift 6 --plain";

#[test]
fn a_board_is_emulated_by_the_lab_s_own_emulator() {
    or_skip!(emulator());
    let desk = Desk::new();
    desk.write("image.elf", arm_image(&sender(&overheads(Some(5)))));
    desk.prazo(&format!("{GUEST} -o a.prazo")).expect_code(0);
    let facts = prazo_run::store::open(&desk.path("a.prazo")).unwrap().platform_before.unwrap();
    assert!(facts.get("serial.emulator").unwrap().starts_with("QEMU emulator version"));
    assert_eq!(facts.get("serial.emulator_pinned"), Some("true"));
    assert_eq!(facts.get("serial.image_sha256").unwrap().len(), 64);
    assert_eq!(facts.get("serial.emulator_sha256").unwrap().len(), 64);
    let table = desk.prazo("export a.prazo --format overheads").expect_code(0).stdout;
    assert!(table.contains("one instruction per nanosecond"), "{table}");
}

#[test]
fn an_image_that_locks_up_ends_with_the_emulator_s_own_words() {
    or_skip!(emulator());
    let desk = Desk::new();
    desk.write("image.elf", arm_image(&[0; 64]));
    desk.prazo(GUEST).expect_code(4).expect_error(&["the emulator ended", "Lockup"]);
}

#[test]
fn an_image_of_another_processor_is_refused_by_its_name() {
    let desk = Desk::new();
    std::fs::copy(support::PRAZO, desk.path("image.elf")).unwrap();
    let name = if cfg!(target_arch = "x86_64") { "x86-64" } else { "64-bit Arm" };
    desk.prazo(GUEST).expect_code(2).expect_error(&[name, "lm3s6965evb", "Cortex-M3"]);
}

/// The lab's emulator of 32-bit Arm, fetched where it is missing.
fn emulator() -> Result<(), Skipped> {
    let platforms = Platform::builtin_on(&[Architecture::Armv7l]);
    let fetch = Cache::of_user().map(|cache| Fetch { platforms, ..Fetch::new(cache) });
    fetch.and_then(|fetch| fetch.part(Part::Emulators, &mut |_| {})).or_skipped(Need::GuestsOf("armv7l"))
}
