//! The cause, proved by removing it: the same boot with one thing left out, and whether it is still late.
//!
//! ```text
//! controls: nothing left out, other bytes ─► is the latency there at all when something small changes?
//! without each load                       ─► which ones does it need?
//! without all that it does not need       ─► a smallest set of loads: without any of them it is not late
//! the load that helps most, ended at t    ─► the last t at which ending it still helps
//! the same load, paused from that t on    ─► the shortest pause that still helps
//! ```
//! Leaving something out changes the boot in other ways, too. The controls say how much that alone does.

use super::candidate::{Candidate, Change};
use super::space::Space;
use prazo_core::time::Duration;

/// Boots in which nothing is left out.
const CONTROLS: u32 = 3;
/// A boot is late with so much of the latency that was found.
const LATE_PERCENT: i64 = 80;
/// The search for the last instant ends with this many boots, or when it is known to a period.
const STEPS: usize = 7;
/// The search for the shortest pause ends with this many boots, or when it is known to a millisecond.
const PAUSE_STEPS: usize = 10;

/// How many boots the cause of a candidate with so many loads takes at most.
pub fn boots_max(loads: usize) -> usize {
    CONTROLS as usize + loads + loads.saturating_sub(1) + 1 + STEPS + 1 + PAUSE_STEPS
}

/// Boots a candidate.
pub trait Boots {
    /// Why it could not.
    type Error;

    /// Its largest latency, and that of the activation which was found late.
    fn latencies(&mut self, candidate: &Candidate) -> Result<Latencies, Self::Error>;
}

/// What a boot brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// The largest of all.
    pub max_ns: i64,
    /// That of the activation which was found late; `None` where it was not served.
    pub of_found_ns: Option<i64>,
}

/// A boot without a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Without {
    /// The loads that were left out.
    pub loads: Vec<String>,
    /// What it brought.
    pub latencies: Latencies,
    /// Whether it is late all the same.
    pub is_late: bool,
}

/// Until when leaving something out helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastInstant {
    /// The load that was ended.
    pub load: String,
    /// The latest end that helped; all times are since the load's start.
    pub helps: Duration,
    /// The earliest end that did not.
    pub too_late: Duration,
    /// When the activation was due.
    pub due: Duration,
    /// A pause of the load from the latest end that helped; `None` where no pause helps, or where the load would pause twice before the activation.
    pub pause: Option<ShortestPause>,
}

/// The shortest pause of a load that makes the activation punctual, to a millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortestPause {
    /// A pause so long helps.
    pub helps: Duration,
    /// A pause so long does not; zero where no shorter one was tried.
    pub too_short: Duration,
}

/// What makes a boot late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// A boot with a latency from here on is late.
    pub late_from_ns: i64,
    /// Boots in which nothing was left out.
    pub controls: Vec<Latencies>,
    /// Boots with loads left out, in the order in which they were made.
    pub without: Vec<Without>,
    /// The loads that remain when all that are not needed are left out.
    pub needed: Vec<String>,
    /// Until when ending the load that helps most still helps, or why that cannot be said.
    pub last: Result<LastInstant, &'static str>,
    /// How many boots this took.
    pub boots: usize,
}

impl Cause {
    /// How many of the controls are late.
    pub fn late_controls(&self) -> usize {
        self.controls.iter().filter(|one| one.max_ns >= self.late_from_ns).count()
    }
}

/// Finds what makes a candidate late; `found` is what was found, `activation` which one.
pub fn cause<B: Boots>(
    space: &Space,
    candidate: &Candidate,
    found_ns: i64,
    activation: u64,
    boots: &mut B,
) -> Result<Cause, B::Error> {
    let late_from_ns = (found_ns * LATE_PERCENT).div_euclid(100);
    let mut test = Test { boots, late_from_ns, found_ns, made: 0, without: Vec::new() };
    let controls = (1..=CONTROLS).map(|number| test.boot(&candidate.with(Change::Nothing(number))));
    let controls = controls.collect::<Result<Vec<_>, _>>()?;
    let needed = test.needed(candidate)?;
    let due = candidate.lead_in + candidate.phase + Duration::from_ns(space.task.period.as_ns() * activation);
    let last = test.last_instant(space, candidate, &needed, due)?;
    let Test { made, without, .. } = test;
    Ok(Cause { late_from_ns, controls, without, needed, last, boots: made })
}

struct Test<'a, B> {
    boots: &'a mut B,
    late_from_ns: i64,
    found_ns: i64,
    made: usize,
    without: Vec<Without>,
}

impl<B: Boots> Test<'_, B> {
    fn boot(&mut self, candidate: &Candidate) -> Result<Latencies, B::Error> {
        self.made += 1;
        self.boots.latencies(candidate)
    }

    fn is_late(&self, latencies: Latencies) -> bool {
        latencies.max_ns >= self.late_from_ns
    }

    /// The same of the activation that was found alone.
    fn found_is_late(&self, latencies: Latencies) -> bool {
        latencies.of_found_ns.is_some_and(|ns| ns >= self.late_from_ns)
    }

    /// Boots without some loads; true if that is late all the same.
    fn left_out(&mut self, candidate: &Candidate, loads: &[String]) -> Result<bool, B::Error> {
        let left = loads.iter().fold(candidate.clone(), |left, load| left.without(load));
        let latencies = self.boot(&left)?;
        let is_late = self.is_late(latencies);
        self.without.push(Without { loads: loads.to_vec(), latencies, is_late });
        Ok(is_late)
    }

    /// A smallest set of loads: first without each alone, then all that may go together, one after the other.
    fn needed(&mut self, candidate: &Candidate) -> Result<Vec<String>, B::Error> {
        let names: Vec<String> = candidate.loads.iter().map(|load| load.name.clone()).collect();
        let mut out: Vec<String> = Vec::new();
        let mut needed: Vec<String> = Vec::new();
        let mut may_go: Vec<String> = Vec::new();
        for name in names {
            let is_late = self.left_out(candidate, std::slice::from_ref(&name))?;
            if is_late { may_go.push(name) } else { needed.push(name) }
        }
        for name in may_go {
            let with: Vec<String> = out.iter().chain([&name]).cloned().collect();
            // The first one alone was tried above.
            if out.is_empty() || self.left_out(candidate, &with)? {
                out = with;
            } else {
                needed.push(name);
            }
        }
        Ok(needed)
    }

    fn last_instant(
        &mut self,
        space: &Space,
        candidate: &Candidate,
        needed: &[String],
        due: Duration,
    ) -> Result<Result<LastInstant, &'static str>, B::Error> {
        let helps = |one: &&Without| one.loads.len() == 1 && needed.contains(&one.loads[0]) && !one.is_late;
        let alone = self.without.iter().filter(helps);
        let Some(most) = alone.min_by_key(|one| one.latencies.max_ns) else {
            return Ok(Err(
                "a boot stays late whichever single load is left out, so ending one load earlier prevents \
                           nothing",
            ));
        };
        let load = most.loads[0].clone();
        if candidate.loads.iter().any(|one| one.name == load && one.rhythm.is_some()) {
            return Ok(Err("the load whose removal helps most already runs with pauses, so its end cannot be varied"));
        }
        let end = |at| candidate.with(Change::EndsAt { load: load.clone(), at });
        // The load is there until the activation is due: a control for what the ending of a load changes in a boot.
        let ends_after = self.boot(&end(due + space.task.period))?;
        if !self.found_is_late(ends_after) {
            return Ok(Err(
                "the activation is late only in the original boot: it is on time even if the load ends after \
                 the due instant, so varying the load's end shows nothing",
            ));
        }
        let (mut helps, mut too_late) = (Duration::ZERO, due);
        for _ in 0..STEPS {
            if too_late.as_ns() - helps.as_ns() <= space.task.period.as_ns() {
                break;
            }
            // A keeper sees the end of a load to a millisecond.
            let middle = Duration::from_ms((helps.as_ns() + too_late.as_ns()) / 2_000_000);
            if middle <= helps || middle >= too_late {
                break;
            }
            let ended = self.boot(&end(middle))?;
            if self.found_is_late(ended) { too_late = middle } else { helps = middle }
        }
        let ran = due + space.task.period.max(Duration::from_ns(self.found_ns.unsigned_abs()));
        let pause = self.shortest_pause(candidate, &load, helps, ran)?;
        Ok(Ok(LastInstant { load, helps, too_late, due, pause }))
    }

    /// The shortest pause from an instant on that helps; the longest one lasts until the activation has run.
    fn shortest_pause(
        &mut self,
        candidate: &Candidate,
        load: &str,
        from: Duration,
        ran: Duration,
    ) -> Result<Option<ShortestPause>, B::Error> {
        let ms = Duration::from_ms;
        // The load is on as long as before its first pause, then it pauses again.
        if from + from + ms(1) < ran {
            return Ok(None);
        }
        let (mut too_short, mut helps) = (0, (ran.as_ns() - from.as_ns()).div_ceil(1_000_000));
        let pauses = |length| candidate.with(Change::Pauses { load: load.to_owned(), from, length: ms(length) });
        let longest = self.boot(&pauses(helps))?;
        if self.found_is_late(longest) {
            return Ok(None);
        }
        for _ in 0..PAUSE_STEPS {
            let middle = (too_short + helps) / 2;
            if middle == too_short {
                break;
            }
            let paused = self.boot(&pauses(middle))?;
            if self.found_is_late(paused) { too_short = middle } else { helps = middle }
        }
        Ok(Some(ShortestPause { helps: ms(helps), too_short: ms(too_short) }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::drawn;
    use super::super::draws::Draws;
    use super::super::space::{Space, tests};
    use super::*;

    /// A made-up guest: late while all the loads of a set run at an instant and for a time before it.
    #[derive(Default)]
    struct Made {
        needs: Vec<&'static str>,
        until: Duration,
        /// How long a pause must be that matters, and where it must begin at the latest.
        pause: Duration,
        is_fragile: bool,
    }

    impl Boots for Made {
        type Error = std::convert::Infallible;

        fn latencies(&mut self, candidate: &Candidate) -> Result<Latencies, Self::Error> {
            let runs = |name: &&str| {
                let is_there = candidate.loads.iter().any(|load| load.name == **name);
                let ends = match &candidate.change {
                    Some(Change::EndsAt { load, at }) if load == name => *at,
                    _ => Duration::from_s(100),
                };
                let matters = |from: Duration, length| from < self.until && length >= self.pause;
                let is_paused = matches!(&candidate.change, Some(Change::Pauses { load, from, length })
                    if load == name && matters(*from, *length));
                is_there && ends >= self.until && !is_paused
            };
            let is_late = self.needs.iter().all(runs) && !(self.is_fragile && candidate.change.is_some());
            let ns = if is_late { 95_000 } else { 40_000 };
            Ok(Latencies { max_ns: ns, of_found_ns: Some(ns) })
        }
    }

    fn space(names: &[&str]) -> Space {
        let loads: Vec<_> = names.iter().map(|name| ((*name).to_owned(), None)).collect();
        Space::new("lab:x".into(), tests::space().task, Duration::from_ms(200), &loads).unwrap()
    }

    fn found(space: &Space, mut made: Made) -> Cause {
        let mut candidate = drawn(space, Draws::of(1, 1));
        candidate.loads.iter_mut().for_each(|load| load.rhythm = None);
        cause(space, &candidate, 100_000, 500, &mut made).unwrap()
    }

    #[test]
    fn the_loads_that_are_needed_and_the_last_instant_are_found() {
        let space = space(&["cpu", "memory", "compile", "scheduler"]);
        let until = Duration::from_ms(451);
        let pause = Duration::from_ms(4);
        let found = found(&space, Made { needs: vec!["compile"], until, pause, is_fragile: false });
        assert_eq!((found.needed.as_slice(), found.late_controls()), (&["compile".to_owned()][..], 3));
        let last = found.last.unwrap();
        assert_eq!(last.load, "compile");
        assert!(last.helps < until && until <= last.too_late && last.too_late <= last.due, "{last:?}");
        assert!(last.too_late.as_ns() - last.helps.as_ns() <= 10_000_000, "{last:?}");
        assert_eq!(last.pause, Some(ShortestPause { helps: pause, too_short: Duration::from_ms(3) }));
        assert!(found.boots <= boots_max(4), "{}", found.boots);
    }

    /// The load's return makes the activation late as well.
    #[test]
    fn a_pause_that_does_not_help_is_not_claimed_to() {
        let space = space(&["compile"]);
        let until = Duration::from_ms(451);
        let pause = Duration::from_s(10);
        let found = found(&space, Made { needs: vec!["compile"], until, pause, is_fragile: false });
        assert_eq!(found.last.unwrap().pause, None);
    }

    #[test]
    fn two_loads_that_are_only_late_together_are_both_needed() {
        let space = space(&["cpu", "memory", "compile"]);
        let found = found(&space, Made { needs: vec!["cpu", "compile"], ..Made::default() });
        assert_eq!(found.needed, ["cpu", "compile"]);
        assert_eq!(found.without.iter().filter(|one| one.is_late).count(), 1);
    }

    /// Either of two loads is enough: none is needed alone, and one of them stays in the smallest set.
    #[test]
    fn of_two_loads_that_each_suffice_one_stays() {
        struct Either;
        impl Boots for Either {
            type Error = std::convert::Infallible;
            fn latencies(&mut self, candidate: &Candidate) -> Result<Latencies, Self::Error> {
                let max_ns = if candidate.loads.is_empty() { 40_000 } else { 100_000 };
                Ok(Latencies { max_ns, of_found_ns: None })
            }
        }
        let space = space(&["cpu", "compile"]);
        let found = cause(&space, &drawn(&space, Draws::of(1, 1)), 100_000, 3, &mut Either).unwrap();
        assert_eq!(found.needed, ["compile"]);
        assert!(found.last.unwrap_err().contains("late whichever single load is left out"));
        assert_eq!(found.boots, 3 + 2 + 1);
    }

    #[test]
    fn a_latency_that_any_change_removes_is_told_by_the_controls() {
        let space = space(&["cpu"]);
        let found = found(&space, Made { needs: vec!["cpu"], is_fragile: true, ..Made::default() });
        assert_eq!(found.late_controls(), 0);
        assert!(found.last.unwrap_err().contains("late only in the original boot"));
    }
}
