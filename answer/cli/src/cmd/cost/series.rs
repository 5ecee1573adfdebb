//! Commands run in rounds: warm-up, then what counts, each command once a round in a seeded order.

use crate::exit::Failure;
use prazo_cost::command::Task;
use prazo_cost::{Account, Exit, rounds};

/// How often, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub runs: u32,
    pub warm_up: u32,
    pub seed: u64,
}

/// The runs of one command that count, in the order of their rounds.
#[derive(Clone, Debug, Default)]
pub struct Series {
    pub accounts: Vec<Account>,
}

/// Runs all rounds; `before` comes before each run. Ends after a round in which a command was killed, or the user interrupted.
pub fn run(
    tasks: &[Task],
    plan: Plan,
    mut before: impl FnMut() -> Result<(), Failure>,
) -> Result<Vec<Series>, Failure> {
    let mut series = vec![Series::default(); tasks.len()];
    for round in rounds(tasks.len(), plan.warm_up, plan.runs, plan.seed) {
        let mut cut_short = false;
        for side in round.order {
            before()?;
            let account = super::cost(&tasks[side])?;
            cut_short |= is_end(&account);
            if !round.warm_up || cut_short {
                series[side].accounts.push(account);
            }
            if cut_short {
                return Ok(series);
            }
        }
    }
    Ok(series)
}

/// True for an account after which no other run makes sense.
fn is_end(account: &Account) -> bool {
    account.exit.interrupted || matches!(account.exit.exit, Exit::Killed { .. })
}
