//! In which order cells are measured: forward, then backward, and so on (ABBA), so that a drift of the machine touches
//! each of them alike.

/// Cell (by its place) and repeat, both counted from zero, in measuring order. `repeats[i]` is how often cell `i` is measured.
pub fn abba(repeats: &[usize]) -> Vec<(usize, usize)> {
    let rounds = repeats.iter().copied().max().unwrap_or(0);
    (0..rounds).flat_map(|round| one_round(repeats, round)).collect()
}

fn one_round(repeats: &[usize], round: usize) -> Vec<(usize, usize)> {
    let mut cells: Vec<_> =
        (0..repeats.len()).filter(|cell| repeats[*cell] > round).map(|cell| (cell, round)).collect();
    if round % 2 == 1 {
        cells.reverse();
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cells_twice_are_abba() {
        assert_eq!(abba(&[2, 2]), [(0, 0), (1, 0), (1, 1), (0, 1)]);
    }

    #[test]
    fn every_repeat_of_every_cell_comes_exactly_once() {
        let repeats = [3, 1, 0, 2];
        let mut order = abba(&repeats);
        order.sort_unstable();
        assert_eq!(order, [(0, 0), (0, 1), (0, 2), (1, 0), (3, 0), (3, 1)]);
    }
}
