//! `overheads none`, or `overheads charged` and the table that follows.

use super::lines::{Lines, Words};
use crate::certificate::{Amounts, Table, overhead_word};
use crate::rejected::Rejected;
use prazo_core::overheads::OverheadField;
use prazo_core::ratio::Ratio;
use prazo_core::task::TICKS_MAX;

pub(super) fn table(lines: &mut Lines<'_>) -> Result<Option<Table>, Rejected> {
    let mut words = lines.expect("overheads")?;
    let charged = match words.word("`none` or `charged`")? {
        "none" => false,
        "charged" => true,
        other => return Err(words.unreadable(format!("expected none or charged, found `{other}`"))),
    };
    words.end()?;
    if charged { charges(lines).map(Some) } else { Ok(None) }
}

fn charges(lines: &mut Lines<'_>) -> Result<Table, Rejected> {
    let mut all = Table::default();
    for field in OverheadField::VALUES {
        *all.of_mut(*field) = amounts(&mut lines.expect(&overhead_word(*field))?)?;
    }
    all.tick_period = tick_period(&mut lines.expect("tick-period")?)?;
    let mut words = lines.expect("dedicated-interrupt-processor")?;
    all.dedicated_interrupt_processor = match words.word("`yes` or `no`")? {
        "yes" => true,
        "no" => false,
        other => return Err(words.unreadable(format!("expected yes or no, found `{other}`"))),
    };
    words.end()?;
    Ok(all)
}

fn tick_period(words: &mut Words<'_>) -> Result<Option<u64>, Rejected> {
    let word = words.word("a tick period or `none`")?;
    words.end()?;
    let period =
        word.parse().ok().filter(|period: &u64| (1..=TICKS_MAX).contains(period) && period.to_string() == word);
    match (word, period) {
        ("none", _) => Ok(None),
        (_, Some(period)) => Ok(Some(period)),
        _ => Err(words.unreadable("a tick period must be 1 to 2^48 ticks, or `none`")),
    }
}

fn amounts(words: &mut Words<'_>) -> Result<Amounts, Rejected> {
    let amounts = match words.word("`constant`, `affine`, `table` or `linear`")? {
        "constant" => Amounts::Constant(words.number("an amount")?),
        "affine" => Amounts::Affine { base: words.number("an amount")?, slope: words.number("a slope")? },
        "table" => Amounts::Table(ascending(words)?),
        "linear" => Amounts::Linear(ascending(words)?),
        other => return Err(words.unreadable(format!("expected constant, affine, table or linear, found `{other}`"))),
    };
    words.end()?;
    Ok(amounts)
}

/// The most points of a function.
const POINTS_MAX: usize = 1 << 12;

/// Points that ascend in the count and never fall in the amount.
fn ascending(words: &mut Words<'_>) -> Result<Vec<(u64, Ratio)>, Rejected> {
    let points = words.pairs()?;
    let rises = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
    if rises && (1..=POINTS_MAX).contains(&points.len()) {
        Ok(points)
    } else {
        Err(words.unreadable("there must be 1 to 4096 points with ascending counts and non-decreasing amounts"))
    }
}
