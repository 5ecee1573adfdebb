//! Commands run in rounds: warm-up, then what counts, each command once a round in a seeded order.

use prazo_cost::command::Task;
use prazo_cost::{Account, CommandEnding, Exit, rounds};

/// How often, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) runs: u32,
    pub(crate) warm_up: u32,
    pub(crate) seed: u64,
}

/// The runs of one command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    /// Those that count, in the order of their rounds.
    pub(crate) accounts: Vec<Account>,
    /// How each run ended, including those that do not count.
    pub(crate) endings: Vec<CommandEnding>,
}

/// Runs all rounds, each run by `cost`, which gets the command's number.
/// Ends after a run in which the command was killed, or the user interrupted.
///
/// A round counts as a whole or not at all: one command that was cut short or failed did not do the work that the others did.
/// The account of one run of one command is no statistic, and is shown however it ended.
pub(crate) fn run<E>(
    tasks: &[Task],
    plan: Plan,
    mut cost: impl FnMut(usize, &Task) -> Result<Account, E>,
) -> Result<Vec<Series>, E> {
    let mut series = vec![Series::default(); tasks.len()];
    let is_alone = tasks.len() == 1 && plan.runs == 1;
    for round in rounds(tasks.len(), plan.warm_up, plan.runs, plan.seed) {
        let mut made = vec![];
        for side in round.order {
            made.push((side, cost(side, &tasks[side])?));
            if made.last().is_some_and(|(_, account)| is_end(account)) {
                break;
            }
        }
        let is_cut = made.iter().any(|(_, account)| is_end(account));
        if !round.warm_up || is_cut {
            enter(&mut series, made, !round.warm_up && is_alone);
        }
        if is_cut {
            break;
        }
    }
    Ok(series)
}

/// Enters a round: every ending, and the accounts if all of the round did their work.
fn enter(series: &mut [Series], made: Vec<(usize, Account)>, is_alone: bool) {
    let is_whole = made.len() == series.len() && made.iter().all(|(_, account)| did_its_work(account));
    for (side, account) in made {
        series[side].endings.push(account.exit);
        if is_whole || is_alone {
            series[side].accounts.push(account);
        }
    }
}

fn did_its_work(account: &Account) -> bool {
    account.exit.status == 0 && !is_end(account)
}

/// True for an account after which no other run makes sense.
fn is_end(account: &Account) -> bool {
    let ending = &account.exit;
    ending.interrupted || ending.limit_reached || matches!(ending.exit, Exit::Killed { .. })
}
