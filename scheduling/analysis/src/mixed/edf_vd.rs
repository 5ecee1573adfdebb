//! EDF with virtual deadlines: in low mode, jobs of high criticality are ranked by earlier deadlines, so that they have time left in high mode.
//!
//! With U_LL the utilization of the tasks of low criticality, and U_HL and U_HH that of the tasks of high criticality by C(LO) and C(HI), a job
//! of high criticality is ranked by its arrival + x D in low mode and by its arrival + D in high mode; all others by their arrival + D.
//! All deadlines are met for each x with 0 < x <= 1 and
//!
//! ```text
//! U_HL + x U_LL <= x            low mode: the virtual deadlines are met
//! x U_LL + U_HH <= 1            high mode, and the change to it
//! ```
//!
//! Baruah, Bonifaci, D'Angelo, Li, Marchetti-Spaccamela, van der Ster, Stougie, ECRTS 2012, theorems 1 and 2; for D = T, sporadic arrivals,
//! without release jitter. If U_LL + U_HH <= 1, x is 1, which is plain EDF; else the least there is, x = U_HL / (1 - U_LL). Where
//! the second condition fails for that x it fails for all. The test is sufficient. Virtual deadlines are exact fractions of a tick.

use super::MixedTask;
use crate::exact::Rational;
use crate::{Budget, Finding, Margin, Quantity, Ticks};
use prazo_core::behaviour::CriticalityMode;
use prazo_core::ratio::Ratio;

/// What findings call this test.
pub const NAME: &str = "EDF-VD";
const DEADLINES: &str = "this test covers D = T only";
const TOO_LONG: &str =
    "the factor of the virtual deadlines is too long a fraction; use periods with small common multiples";

/// Denominator of a factor whose exact value is too long to be written.
const PARTS: u64 = 1 << 40;

/// What the test found, with the factor that it computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// Proven if some factor fulfils both conditions; else it names the mode whose condition fails. The margin is that of the second
    /// condition, or of the first if U_LL + U_HL > 1.
    pub finding: Finding,
    /// x, where the set is proven; without tasks of high criticality it is 1.
    pub factor: Option<Ratio>,
}

/// Tests `tasks`, whose order does not matter.
pub fn test(tasks: &[MixedTask], budget: &mut Budget) -> Tested {
    let without_factor = |finding| Tested { finding, factor: None };
    if tasks.iter().any(|one| one.task.deadline != one.task.period) {
        return without_factor(Finding::not_applicable(NAME, DEADLINES));
    }
    // Integers of any length grow with each unlike denominator, so that their cost grows with the square.
    let work = (tasks.len() * tasks.len()) as u64 / 8 + tasks.len() as u64;
    if budget.spend(work).is_err() {
        return without_factor(Finding::budget_spent(NAME, work));
    }
    let margin = Some(margin(tasks));
    match Utilizations::of(tasks).factor() {
        Factor::Found(factor) => Tested { finding: Finding::proven(NAME, None, margin, work), factor: Some(factor) },
        Factor::None(mode) => without_factor(Finding::does_not_hold(NAME, None, margin, work).in_mode(mode)),
        Factor::TooLong => without_factor(Finding { work, ..Finding::not_applicable(NAME, TOO_LONG) }),
    }
}

/// What came of looking for x.
enum Factor {
    Found(Ratio),
    /// For no x does the condition of this mode hold; for high mode, for none that fulfils the other condition.
    None(CriticalityMode),
    /// There is one, and it has no fraction of two 128-bit numbers.
    TooLong,
}

#[derive(Clone)]
struct Utilizations {
    /// U_LL.
    low: Rational,
    /// U_HL.
    high_in_low: Rational,
    /// U_HH.
    high: Rational,
}

impl Utilizations {
    fn of(tasks: &[MixedTask]) -> Self {
        let sum = |cost: fn(&MixedTask) -> Option<Ticks>| {
            Rational::sum(tasks.iter().filter_map(|one| Some((cost(one)?, one.task.period))))
        };
        Self {
            low: sum(|one| one.cost_high.is_none().then_some(one.task.cost)),
            high_in_low: sum(|one| one.cost_high.map(|_| one.task.cost)),
            high: sum(|one| one.cost_high),
        }
    }

    fn factor(&self) -> Factor {
        let one = Rational::from(1);
        if self.clone().low + self.clone().high <= one {
            return Factor::Found(Ratio::ONE);
        }
        let rest = one - self.clone().low;
        if !rest.is_positive() {
            return Factor::None(CriticalityMode::Low);
        }
        let least = self.clone().high_in_low / rest;
        if !self.fulfils(&least) {
            let is_low = least > Rational::from(1);
            return Factor::None(if is_low { CriticalityMode::Low } else { CriticalityMode::High });
        }
        if let Some(exact) = least.to_ratio() {
            return Factor::Found(exact);
        }
        let parts = (least * Rational::from(PARTS)).ceil().and_then(|parts| Ratio::new(parts.into(), PARTS.into()));
        parts.filter(|above| self.fulfils(&Rational::from(*above))).map_or(Factor::TooLong, Factor::Found)
    }

    /// True if both conditions hold for `factor`, and it is at most 1.
    fn fulfils(&self, factor: &Rational) -> bool {
        let one = Rational::from(1);
        let Self { low, high_in_low, high } = self.clone();
        let shrunk = low * factor.clone();
        *factor <= one && high_in_low + shrunk.clone() <= *factor && shrunk + high <= one
    }
}

/// x U_LL + U_HH against 1, or U_LL + U_HL where that is above 1: to show.
fn margin(tasks: &[MixedTask]) -> Margin {
    let sum = |cost: &dyn Fn(&MixedTask) -> Option<Ticks>| -> f64 {
        tasks.iter().filter_map(|one| Some(cost(one)? as f64 / one.task.period as f64)).sum()
    };
    let low = sum(&|one| one.cost_high.is_none().then_some(one.task.cost));
    let high_in_low = sum(&|one| one.cost_high.map(|_| one.task.cost));
    let high = sum(&|one| one.cost_high);
    let plain = low + high;
    let demand = match () {
        () if plain <= 1.0 => plain,
        () if low + high_in_low > 1.0 => low + high_in_low,
        () => high_in_low / (1.0 - low) * low + high,
    };
    Margin { demand, capacity: 1.0, of: Quantity::Utilization }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;

    fn low(cost: Ticks, period: Ticks) -> MixedTask {
        MixedTask { task: Task::implicit(cost, period), cost_high: None }
    }

    fn high(cost: Ticks, cost_high: Ticks, period: Ticks) -> MixedTask {
        MixedTask { cost_high: Some(cost_high), ..low(cost, period) }
    }

    fn found(tasks: &[MixedTask]) -> Option<Ratio> {
        let Tested { finding, factor } = test(tasks, &mut Budget::unlimited());
        assert_eq!(finding.is_proven(), factor.is_some());
        factor
    }

    fn failed(tasks: &[MixedTask]) -> Option<CriticalityMode> {
        test(tasks, &mut Budget::unlimited()).finding.mode
    }

    #[test]
    fn the_factor_is_the_least_one_and_the_second_condition_decides_exactly() {
        // U_LL = 1/2, U_HL = 1/4: x = 1/2, and U_HH may be 3/4.
        assert_eq!(found(&[low(1, 2), high(1, 3, 4)]), Ratio::new(1, 2));
        assert_eq!(found(&[low(50, 100), high(100, 301, 400)]), None);
        assert_eq!(failed(&[low(50, 100), high(100, 301, 400)]), Some(CriticalityMode::High));
        assert_eq!(failed(&[low(50, 100), high(201, 301, 400)]), Some(CriticalityMode::Low), "1/2 + 201/400");
        assert_eq!(failed(&[low(50, 100), high(200, 401, 400)]), Some(CriticalityMode::High), "x = 1");
        assert_eq!(found(&[low(50, 100), high(100, 200, 400)]), Some(Ratio::ONE), "plain EDF is enough");
    }

    #[test]
    fn a_full_processor_of_low_criticality_leaves_nothing() {
        assert_eq!(found(&[low(3, 3), high(1, 2, 1_000)]), None);
        assert_eq!(found(&[low(4, 3), high(1, 900, 10)]), None, "products of negative numbers decide nothing");
        assert_eq!(found(&[low(1, 3), low(2, 3)]), Some(Ratio::ONE));
        assert_eq!(found(&[high(1, 9, 9)]), Some(Ratio::ONE));
        let long = MixedTask { task: Task::new(1, 9, 8), cost_high: None };
        assert_eq!(failed(&[low(3, 3), high(1, 2, 1_000)]), Some(CriticalityMode::Low));
        assert_eq!(test(&[long], &mut Budget::unlimited()).finding, Finding::not_applicable(NAME, DEADLINES));
    }

    #[test]
    fn a_factor_of_many_unlike_periods_is_rounded_up() {
        let primes = [1_000_003, 1_000_033, 1_000_037, 1_000_039, 1_000_081, 1_000_099, 1_000_117, 1_000_121];
        let mut tasks: Vec<MixedTask> = primes.iter().map(|period| low(62_500, *period)).collect();
        tasks.push(high(250_000, 700_000, 1_000_133));
        let factor = found(&tasks).unwrap();
        assert!(factor.denominator() <= PARTS.into() && (factor.to_f64() - 0.5).abs() < 1e-3, "{factor}");
    }
}
