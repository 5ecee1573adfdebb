//! A stall that began in the warm-up and went on into the measured time: what is measured of it is a lower bound.
//!
//! ```text
//! warm-up        | measured
//!     due ───────┼──────────► served      its sample belongs to the warm-up, and is left out
//!                |   ·   ·   ·             these were due meanwhile, and had to wait for less than the stall's length
//! ```

use prazo_core::time::Duration;
use prazo_run::{Caveat, Severity};

/// An activation of the warm-up that was served only after a measured one was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// How late it was.
    pub late: Duration,
    /// How far into the measured time it was served.
    pub into: Duration,
}

/// Where activations begin to count, and how far apart they are.
#[derive(Clone, Copy, Debug)]
pub struct Boundary {
    /// The end of the warm-up.
    pub measured_from_ns: u64,
    /// Period of the activations.
    pub period_ns: u64,
}

impl Boundary {
    /// What one activation makes of it; `None` where it was due in the measured time, or served before a measured one was due.
    #[inline]
    pub fn crossed_by(self, due_ns: u64, served_ns: u64) -> Option<Crossing> {
        let ahead_ns = self.measured_from_ns.checked_sub(due_ns).filter(|ahead_ns| *ahead_ns > 0)?;
        let next_measured_ns = due_ns + ahead_ns.div_ceil(self.period_ns.max(1)) * self.period_ns;
        (served_ns >= next_measured_ns).then(|| Crossing {
            late: Duration::from_ns(served_ns - due_ns),
            into: Duration::from_ns(served_ns - self.measured_from_ns),
        })
    }
}

/// The one of two that reaches further; of equals the first, which was the later.
#[inline]
pub fn further(kept: Option<Crossing>, new: Option<Crossing>) -> Option<Crossing> {
    let is_further = |new: &Crossing| kept.is_none_or(|kept| new.into > kept.into);
    new.filter(is_further).or(kept)
}

/// `stall-across-warm-up`, of each processor's crossing.
pub fn caveat(crossings: impl IntoIterator<Item = (u32, Crossing)>) -> Option<Caveat> {
    let of_one = |(cpu, Crossing { late, into }): (u32, Crossing)| {
        format!("processor {cpu}: activation {late} late, served {into} after the end of the warm-up")
    };
    let all: Vec<String> = crossings.into_iter().map(of_one).collect();
    (!all.is_empty()).then(|| {
        Caveat::new(
            "stall-across-warm-up",
            Severity::High,
            format!(
                "a stall began during the warm-up and continued into the measurement ({}); the delayed activation belongs to the warm-up and is excluded, so the maximum is a lower bound",
                all.join(", ")
            ),
            "repeat the run; give a longer --warm-up if the machine was still booting",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDARY: Boundary = Boundary { measured_from_ns: 1_000, period_ns: 100 };

    #[test]
    fn only_an_activation_of_the_warm_up_that_delays_a_measured_one_crosses() {
        assert_eq!(BOUNDARY.crossed_by(900, 999), None);
        let crossing = |late, into| Some(Crossing { late: Duration::from_ns(late), into: Duration::from_ns(into) });
        assert_eq!(BOUNDARY.crossed_by(900, 1_000), crossing(100, 0), "one is due at the boundary itself");
        assert_eq!(BOUNDARY.crossed_by(950, 1_049), None, "this grid's next is due at 1050");
        assert_eq!(BOUNDARY.crossed_by(950, 1_070), crossing(120, 70));
        assert_eq!(BOUNDARY.crossed_by(1_000, 5_000), None, "measured, as late as it was");
    }

    #[test]
    fn the_furthest_is_told_with_its_processor() {
        let all = [(900, 1_200), (900, 1_500), (800, 1_500), (700, 1_100)];
        let crossings = all.map(|(due_ns, served_ns)| BOUNDARY.crossed_by(due_ns, served_ns));
        let furthest = crossings.into_iter().fold(None, further);
        let caveat_at_the_end = caveat(furthest.map(|crossing| (3, crossing))).unwrap();
        assert!(
            caveat_at_the_end.what.contains("processor 3: activation 600ns late, served 500ns after"),
            "{}",
            caveat_at_the_end.what
        );
        assert_eq!(caveat(None), None);
    }
}
