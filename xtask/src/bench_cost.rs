//! `cargo xtask bench-cost`: what `prazo cost` adds to a command, from start to end, in interleaved pairs with the command run plain.
//!
//! The unit of replication is the pair, in ABBA order, so that what else the machine does falls on both alike. Wall times are
//! taken from just before a program's start to its end, which is what a user waits for.

use prazo_stats::repeats::{Median, median};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Pairs of runs; the order within them alternates (ABBA)
    #[arg(long, default_value_t = 40)]
    pairs: usize,
    /// The program that costs; a release build, or the figures are not those of users
    #[arg(long, value_name = "FILE", default_value = "target/release/prazo")]
    program: String,
    /// The command
    #[arg(trailing_var_arg = true, default_value = "true")]
    command: Vec<String>,
}

/// Wall times of one pair in milliseconds.
struct Pair {
    plain_ms: f64,
    costed_ms: f64,
}

impl Args {
    /// Runs the pairs and prints what they show.
    pub(crate) fn run(self) -> Result<(), String> {
        let costed: Vec<String> = [&self.program, "cost", "--output", "/dev/null", "--"].map(str::to_owned).into();
        let costed = [costed, self.command.clone()].concat();
        // One pair for the page cache.
        pair(0, &self.command, &costed)?;
        let pairs =
            (0..self.pairs).map(|number| pair(number, &self.command, &costed)).collect::<Result<Vec<_>, _>>()?;
        println!("{} pairs of: {}", pairs.len(), self.command.join(" "));
        print!("{}", table(&pairs));
        Ok(())
    }
}

/// A B, then B A, and so on.
fn pair(number: usize, plain: &[String], costed: &[String]) -> Result<Pair, String> {
    if number.is_multiple_of(2) {
        let plain_ms = wall_ms(plain)?;
        Ok(Pair { plain_ms, costed_ms: wall_ms(costed)? })
    } else {
        let costed_ms = wall_ms(costed)?;
        Ok(Pair { plain_ms: wall_ms(plain)?, costed_ms })
    }
}

fn wall_ms(words: &[String]) -> Result<f64, String> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let status = command.status().map_err(|error| format!("cannot start {}: {error}", words[0]))?;
    let wall_ms = begun.elapsed().as_secs_f64() * 1e3;
    if status.success() { Ok(wall_ms) } else { Err(format!("{} ended with {status}", words.join(" "))) }
}

fn table(pairs: &[Pair]) -> String {
    let over = |figure: fn(&Pair) -> f64| pairs.iter().map(figure).collect::<Vec<f64>>();
    let rows = [
        ("plain, ms", over(|pair| pair.plain_ms)),
        ("costed, ms", over(|pair| pair.costed_ms)),
        ("added, ms", over(|pair| pair.costed_ms - pair.plain_ms)),
        ("added, % of plain", over(|pair| (pair.costed_ms / pair.plain_ms - 1.0) * 1e2)),
    ];
    let line = |(name, values): &(&str, Vec<f64>)| {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        format!("{name:<18} {}, least {least:.3}\n", shown(median(values)))
    };
    rows.iter().map(line).collect()
}

fn shown(found: Option<Median>) -> String {
    let Some(found) = found else { return "no pair".into() };
    let interval = found.interval.map(|of| format!(" [{:.3}, {:.3}]", of.low, of.high));
    format!("median {:.3}{}", found.value, interval.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_the_median_of_the_pairs_differences() {
        let pairs = [(1.0, 3.0), (10.0, 11.0), (2.0, 4.5)].map(|(plain_ms, costed_ms)| Pair { plain_ms, costed_ms });
        let text = table(&pairs);
        assert!(text.contains("plain, ms          median 2.000, least 1.000"), "{text}");
        assert!(text.contains("added, ms          median 2.000, least 1.000"), "{text}");
        assert!(text.contains("added, % of plain  median 125.000, least 10.000"), "{text}");
    }

    #[test]
    fn a_command_that_fails_is_an_error_and_no_figure() {
        assert!(wall_ms(&["false".to_owned()]).unwrap_err().contains("exit status: 1"));
        assert!(wall_ms(&["/nowhere/at/all".to_owned()]).unwrap_err().contains("cannot start"));
    }
}
