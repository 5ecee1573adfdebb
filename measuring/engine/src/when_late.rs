//! What a late thread does next, as pure functions of when it was due, the time now, and the period.
//!
//! All three agree with the kernel's own forwarding of a timer: an activation that is due exactly now is due.

use prazo_run::plan::WhenLate;

/// The next activation, and what became of those in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextActivation {
    /// When the next activation is due, on CLOCK_MONOTONIC.
    pub due_ns: u64,
    /// Activations jumped over on the way there.
    pub skipped: u64,
    /// Further activations that this wake-up served, one period apart behind the one it was for.
    pub also_served: u64,
}

impl NextActivation {
    /// The next activation, with nothing in between.
    pub const fn to(due_ns: u64) -> Self {
        Self { due_ns, skipped: 0, also_served: 0 }
    }
}

/// The times that a step is computed from.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// When the activation just served was due.
    pub due_ns: u64,
    /// When it was served.
    pub now_ns: u64,
    /// Distance of two activations; not zero.
    pub period_ns: u64,
}

impl Served {
    /// How many further activations are due by now.
    #[inline]
    fn backlog(self) -> u64 {
        if self.now_ns < self.due_ns + self.period_ns { 0 } else { (self.now_ns - self.due_ns) / self.period_ns }
    }
}

/// The step of a thread that keeps its grid in user space.
#[inline]
pub fn step(rule: WhenLate, served: Served) -> NextActivation {
    match rule {
        WhenLate::Skip => skip(served),
        WhenLate::CatchUp => catch_up(served),
        WhenLate::RePhase => re_phase(served),
    }
}

/// To the first activation that is not yet due.
#[inline]
pub fn skip(served: Served) -> NextActivation {
    let skipped = served.backlog();
    NextActivation { due_ns: served.due_ns + (skipped + 1) * served.period_ns, skipped, also_served: 0 }
}

/// To the next activation, due or not.
#[inline]
pub fn catch_up(served: Served) -> NextActivation {
    NextActivation::to(served.due_ns + served.period_ns)
}

/// To one period after a late wake-up; what was due on the old grid by then is skipped.
#[inline]
pub fn re_phase(served: Served) -> NextActivation {
    match served.backlog() {
        0 => catch_up(served),
        skipped => NextActivation { due_ns: served.now_ns + served.period_ns, skipped, also_served: 0 },
    }
}

/// The step of a thread whose timer lives in the kernel and tells how often it expired (at least once).
#[inline]
pub fn after_expirations(rule: WhenLate, served: Served, expired: u64) -> NextActivation {
    let more = expired.saturating_sub(1);
    let due_ns = served.due_ns + (more + 1) * served.period_ns;
    match rule {
        WhenLate::CatchUp => NextActivation { due_ns, skipped: 0, also_served: more },
        WhenLate::Skip | WhenLate::RePhase => NextActivation { due_ns, skipped: more, also_served: 0 },
    }
}

/// How many of `count` activations, one period apart behind the served one, were due before `end_ns`.
pub fn due_before(end_ns: u64, served: Served, count: u64) -> u64 {
    let room = end_ns.saturating_sub(served.due_ns);
    count.min(room.div_ceil(served.period_ns).saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The obvious twin: walks the grid one activation at a time.
    fn slow_skip(served: Served) -> NextActivation {
        let mut step = NextActivation::to(served.due_ns + served.period_ns);
        while step.due_ns <= served.now_ns {
            step.due_ns += served.period_ns;
            step.skipped += 1;
        }
        step
    }

    fn slow_due_before(end_ns: u64, served: Served, count: u64) -> u64 {
        (1..=count).filter(|k| served.due_ns + k * served.period_ns < end_ns).count() as u64
    }

    fn served() -> impl Strategy<Value = Served> {
        (1u64..1_000, 1u64..50, 0u64..2_000, 0u64..40).prop_map(|(due, period_ns, late, early)| Served {
            due_ns: due + 40,
            now_ns: (due + 40 + late).saturating_sub(early),
            period_ns,
        })
    }

    proptest! {
        #[test]
        fn skipping_agrees_with_walking_the_grid(served in served()) {
            prop_assert_eq!(skip(served), slow_skip(served));
        }

        #[test]
        fn re_phasing_skips_what_skipping_skips_and_starts_anew(served in served()) {
            let (new, old) = (re_phase(served), slow_skip(served));
            prop_assert_eq!(new.skipped, old.skipped);
            let expected = if old.skipped == 0 { old.due_ns } else { served.now_ns + served.period_ns };
            prop_assert_eq!(new.due_ns, expected);
        }

        #[test]
        fn catching_up_serves_every_point_of_the_grid(served in served()) {
            prop_assert_eq!(catch_up(served), NextActivation::to(served.due_ns + served.period_ns));
        }

        #[test]
        fn expirations_are_skipped_or_served_but_never_forgotten(served in served(), expired in 1u64..100) {
            for rule in [WhenLate::Skip, WhenLate::CatchUp] {
                let step = after_expirations(rule, served, expired);
                prop_assert_eq!(step.skipped + step.also_served + 1, expired);
                prop_assert_eq!(step.due_ns, served.due_ns + expired * served.period_ns);
            }
        }

        #[test]
        fn what_was_due_before_the_end_agrees_with_counting(served in served(), end in 0u64..4_000, count in 0u64..200) {
            prop_assert_eq!(due_before(end, served, count), slow_due_before(end, served, count));
        }
    }

    #[test]
    fn an_activation_due_exactly_now_is_due() {
        let served = Served { due_ns: 100, now_ns: 110, period_ns: 10 };
        assert_eq!(skip(served), NextActivation { due_ns: 120, skipped: 1, also_served: 0 });
        assert_eq!(skip(Served { now_ns: 109, ..served }), NextActivation::to(110));
    }
}
