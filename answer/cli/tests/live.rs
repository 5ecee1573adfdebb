//! The live view in a real terminal (tmux): what it shows, and that the terminal is as before when it ends.

mod support;

use prazo_testing::{Need, Skipped, or_skip};
use std::process::Command;
use std::time::Duration;
use support::{Desk, PRAZO, possible, wait_for};

/// A terminal of 30 rows under a tmux server of its own.
struct Terminal {
    socket: String,
}

impl Terminal {
    fn open(name: &str, desk: &Desk) -> Self {
        Self::of_width(name, 100, desk)
    }

    fn of_width(name: &str, columns: u32, desk: &Desk) -> Self {
        let terminal = Self { socket: format!("prazo-test-{}-{name}", std::process::id()) };
        let folder = desk.folder().to_str().expect("UTF-8").to_owned();
        terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &columns.to_string(),
            "-y",
            "30",
            "-c",
            &folder,
            "env PS1='$ ' sh",
        ]);
        terminal
    }

    fn tmux(&self, words: &[&str]) -> String {
        let output = Command::new("tmux").args(["-L", &self.socket]).args(words).output().expect("tmux starts");
        assert!(output.status.success(), "tmux {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn type_line(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.tmux(&["send-keys", "Enter"]);
    }

    fn shows(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    fn shows_soon(&self, words: &[&str]) -> bool {
        wait_for(Duration::from_secs(20), || {
            let shown = self.shows();
            words.iter().all(|word| shown.contains(word))
        })
    }

    /// One for an application that took the screen, then one for a visible cursor.
    fn state(&self) -> String {
        self.tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]).trim().to_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The server ends with its last session; where it is gone already, there is nothing to end.
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}

fn has_tmux() -> Result<(), Skipped> {
    possible(Need::Program("tmux"), &["tmux", "-V"])
}

#[test]
fn the_live_view_shows_progress_and_ctrl_c_gives_the_terminal_back() {
    or_skip!(has_tmux());
    let desk = Desk::new();
    let terminal = Terminal::open("view", &desk);
    terminal.type_line(&format!("{PRAZO} measure timer -D 60s -p other -o r.prazo; echo ended with $?"));
    let wanted =
        ["clock-nanosleep, other", " left", "cpu", "served", "skipped", "max µs", "Ctrl-C", "latencies of the last"];
    assert!(terminal.shows_soon(&wanted), "{}", terminal.shows());
    assert_eq!(terminal.state(), "1 0", "the view has a screen of its own, without a cursor");
    let rows = terminal.shows().lines().filter(|line| is_row(line)).count();
    let cpus = std::thread::available_parallelism().unwrap().get();
    assert_eq!(rows, cpus, "one row for each processor: {}", terminal.shows());
    let earlier = terminal.shows();
    assert!(wait_for(Duration::from_secs(10), || terminal.shows() != earlier), "the view moves");

    terminal.tmux(&["send-keys", "C-c"]);
    assert!(terminal.shows_soon(&["ended with 0"]), "{}", terminal.shows());
    assert_eq!(terminal.state(), "0 1", "the terminal is as it was");
    assert!(terminal.shows().contains("run file: r.prazo"), "{}", terminal.shows());
    terminal.type_line("echo typed $((6 * 7))");
    assert!(terminal.shows_soon(&["typed 42"]), "the shell reads lines again: {}", terminal.shows());
    let run = desk.prazo("export r.prazo --json").expect_code(0).json();
    assert_eq!(run["ending"]["kind"], "interrupted");
}

/// A processor's number, then its counts: from a thousand on they have separators.
fn is_row(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_count = |word: Option<&str>| word.is_some_and(|word| word.replace(',', "").parse::<u64>().is_ok());
    is_count(words.next()) && is_count(words.next()) && is_count(words.next())
}

#[test]
fn a_row_of_more_than_a_thousand_is_a_row() {
    assert!(is_row("  0     989       11       0     0     9.8     36.7  3,891.7     63.2"));
    assert!(is_row("  1   1,000        0       0     0    12.6     23.8    135.6     66.6"));
    assert!(!is_row("cpu  served  skipped  missed  lost  min µs  mean µs   max µs  last µs"));
}

#[test]
fn an_error_gives_the_terminal_back_too() {
    or_skip!(has_tmux());
    let desk = Desk::new();
    desk.write("there.prazo", "");
    let terminal = Terminal::open("error", &desk);
    terminal.type_line(&format!("{PRAZO} measure timer -D 60s -p other -o there.prazo; echo ended with $?"));
    assert!(terminal.shows_soon(&["exists already", "ended with 2"]), "{}", terminal.shows());
    assert_eq!(terminal.state(), "0 1");
}

#[test]
fn plain_progress_takes_no_screen() {
    or_skip!(has_tmux());
    let desk = Desk::new();
    // On a busy machine thousands are skipped, and the line has more than 100 characters: a narrow terminal shows fewer figures.
    let terminal = Terminal::of_width("plain", 160, &desk);
    terminal.type_line(&format!("{PRAZO} measure timer -D 60s -p other --plain -o r.prazo; echo ended with $?"));
    assert!(terminal.shows_soon(&["served", " left"]), "{}", terminal.shows());
    assert_eq!(terminal.state(), "0 1");
    // It still runs, so that its report has not moved the line out of sight.
    terminal.tmux(&["send-keys", "C-c"]);
    assert!(terminal.shows_soon(&["ended with 0"]), "{}", terminal.shows());
}
