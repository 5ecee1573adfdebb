//! A claim over several seeds: under counted time each seed is a trajectory of its own, and the claim holds if it holds for each.
//!
//! Samples of all seeds together would hide that one of them says no: as with several cells, one that refutes it decides.
//! What the seeds' figures are is told beside, since a claim that holds narrowly is another than one that holds by far.

use super::{ClaimFinding, Judge, Judgement};
use crate::evidence::Evidence;
use crate::seeds::Seeds;
use prazo_core::text::counted;
use prazo_run::run::Quantity;
use prazo_stats::observed_range::Ends;
use prazo_verdict::claim::{Name, Undecidable, figures};

/// Decides a claim on each seed of its cells; on all runs together where there are no seeds, or where its kind wants them.
pub(super) fn judge(kind: &dyn Judge, evidence: &Evidence) -> Judgement {
    let cells = kind.cells();
    let seeds: Vec<u64> = evidence.seeds(&cells).into_iter().collect();
    if seeds.len() < 2 || kind.takes_all_runs() {
        return kind.judge(evidence);
    }
    let each = seeds.iter().map(|seed| kind.judge(&evidence.of_seed(*seed, &cells))).collect();
    let found = together(&seeds, each)?;
    if !kind.tells_latencies() {
        return Ok(found);
    }
    Ok(ClaimFinding { evidence: format!("{}; {}", found.evidence, spreads(&cells, evidence)), holds: found.holds })
}

/// One seed that refutes it is a no; otherwise one that leaves it open leaves it open. `each` is in the order of `seeds`.
fn together(seeds: &[u64], each: Vec<Judgement>) -> Judgement {
    let (of, refutes) = (each.len(), |one: &Judgement| matches!(one, Ok(found) if !found.holds));
    let against = each.iter().filter(|one| refutes(one)).count();
    let place = each.iter().position(refutes).or_else(|| each.iter().position(Result::is_err)).unwrap_or(0);
    let seed = seeds.get(place).copied().unwrap_or_default();
    match each.into_iter().nth(place) {
        Some(Ok(ClaimFinding { holds: true, evidence })) => Ok(ClaimFinding {
            holds: true,
            evidence: format!("holds for each of {}; seed {seed}: {evidence}", counted(of as u64, "seed")),
        }),
        Some(Ok(ClaimFinding { holds: false, evidence })) => Ok(ClaimFinding {
            holds: false,
            evidence: format!("does not hold for {against} of {}; seed {seed}: {evidence}", counted(of as u64, "seed")),
        }),
        Some(Err(Undecidable(why))) => Err(Undecidable(format!("seed {seed}, one of {of}: {why}"))),
        None => Err(Undecidable("there is no seed to check the claim on".into())),
    }
}

/// "over seeds: a: median 26us to 27us, maximum 40us to 60us".
fn spreads(cells: &[&Name], evidence: &Evidence) -> String {
    let told = cells.iter().filter_map(|cell| {
        let entry = evidence.entry(&cell.id).ok()?;
        let seeds = Seeds::of(&entry.runs, Quantity::ResponseLatency)?;
        Some(format!("{}: median {}, maximum {}", cell.id, ends(seeds.median), ends(seeds.max)))
    });
    format!("range over the seeds: {}", figures::list(told))
}

fn ends(ends: Option<Ends>) -> String {
    ends.map_or("not known".into(), |ends| ends.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(holds: bool, evidence: &str) -> Judgement {
        Ok(ClaimFinding { holds, evidence: evidence.into() })
    }

    fn open() -> Judgement {
        Err(Undecidable("too few".into()))
    }

    #[test]
    fn a_claim_holds_only_if_each_seed_holds() {
        let seeds = [7, 8, 11];
        let all = together(&seeds, vec![said(true, "a"), said(true, "b"), said(true, "c")]).unwrap();
        assert_eq!((all.holds, all.evidence.as_str()), (true, "holds for each of 3 seeds; seed 7: a"));
        let one = together(&seeds, vec![said(true, "a"), open(), said(false, "c")]).unwrap();
        assert_eq!((one.holds, one.evidence.as_str()), (false, "does not hold for 1 of 3 seeds; seed 11: c"));
    }

    #[test]
    fn a_seed_that_leaves_it_open_leaves_it_open_unless_another_refutes_it() {
        let left = together(&[7, 8], vec![said(true, "a"), open()]).unwrap_err();
        assert_eq!(left.0, "seed 8, one of 2: too few");
    }
}
