//! In which order commands are run: in rounds, each command once a round, shuffled by a seed.
//!
//! What drifts (temperature, caches, other work) then meets all commands alike, and a round is the block that an interval is drawn from.

/// One pass over all commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// True for a round that only warms up.
    pub warm_up: bool,
    /// The commands' places in their list, each once.
    pub order: Vec<usize>,
}

/// Warm-up rounds, then rounds that count.
pub fn rounds(commands: usize, warm_up: u32, runs: u32, seed: u64) -> Vec<Round> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut shuffled = || {
        let mut order: Vec<usize> = (0..commands).collect();
        random.shuffle(&mut order);
        order
    };
    (0..warm_up + runs).map(|round| Round { warm_up: round < warm_up, order: shuffled() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_seed_gives_the_same_order_and_another_a_different_one() {
        assert_eq!(rounds(2, 1, 40, 7), rounds(2, 1, 40, 7));
        assert_ne!(rounds(2, 1, 40, 7), rounds(2, 1, 40, 8));
    }

    #[test]
    fn both_orders_of_two_commands_occur_about_equally() {
        let first = rounds(2, 0, 1_000, 1).iter().filter(|round| round.order[0] == 0).count();
        assert!((400..=600).contains(&first), "{first}");
    }

    proptest! {
        #[test]
        fn each_round_runs_each_command_once(commands in 1usize..5, warm_up in 0u32..3, runs in 1u32..20, seed: u64) {
            let all = rounds(commands, warm_up, runs, seed);
            prop_assert_eq!(all.iter().filter(|round| !round.warm_up).count(), runs as usize);
            for round in all {
                let mut order = round.order;
                order.sort_unstable();
                prop_assert_eq!(order, (0..commands).collect::<Vec<_>>());
            }
        }
    }
}
