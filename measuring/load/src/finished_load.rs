//! What a load did, judged: the record for the run, and the caveats where it did not do what it was there for.

use prazo_core::text::{counted, grouped};
use prazo_run::run::LoadRecord;
use prazo_run::{Caveat, Severity};

use super::containment::Containment;
use super::counters::CountedRate;
use super::keeper::KeeperRequest;
use super::kept::History;
use super::load_kind::LoadKind;

/// A load that reached less than this part of what was asked did not load.
const REACHED_MIN: f64 = 0.5;

/// One load at its end.
#[derive(Debug)]
pub(super) struct FinishedLoad<'a> {
    pub kind: &'static LoadKind,
    pub request: &'a KeeperRequest,
    pub commands: &'a [String],
    pub versions: &'a [String],
    pub history: &'a History,
}

impl FinishedLoad<'_> {
    /// The record, with times in seconds since `epoch_ns`.
    pub(crate) fn record(&self, epoch_ns: u64) -> LoadRecord {
        let seconds = |ns: u64| (ns as f64 - epoch_ns as f64) / 1e9;
        LoadRecord {
            name: self.kind.name.into(),
            generator: format!("{} ({})", self.commands.join("; "), self.versions.join("; ")),
            unit: self.kind.unit().into(),
            asked: self.asked(),
            reached: self.reached(),
            note: self.note(),
            on_s: self.history.on_ns.iter().map(|(from, to)| (seconds(*from), seconds(*to))).collect(),
            contained: self.request.containment.name().into(),
        }
    }

    fn asked(&self) -> Option<f64> {
        self.kind.asked(self.request.demand)
    }

    fn reached(&self) -> Option<f64> {
        let seconds = self.history.on_seconds();
        let amount = self.kind.measure.amount(self.history.counted.as_ref()?)?;
        (seconds > 0.0).then(|| amount / seconds)
    }

    /// Everything that was counted, a second; nothing where there was no count.
    pub(crate) fn rates(&self) -> Vec<CountedRate> {
        let seconds = self.history.on_seconds();
        self.history.counted.as_ref().map_or_else(Vec::new, |counted| counted.rates(seconds))
    }

    fn note(&self) -> String {
        let workers = match (self.request.demand.paced, self.request.demand.workers) {
            (Some(_), _) => "the load's generator controls the rate".into(),
            (None, workers) => counted(workers.into(), "worker").to_string(),
        };
        let besides = format!("{}{}", self.inversions(), self.interrupts());
        match &self.history.counted {
            None => "not counted: the load never ran, or the load's supervisor process ended without a count".into(),
            Some(_) if self.reached().is_none() => {
                format!(
                    "not counted, because this machine lacks the source of the count: {}",
                    self.kind.measure.explained()
                )
            }
            Some(counted) if counted.passes > 0 => {
                format!("{}; {workers}; runs of the generator: {}", self.kind.measure.explained(), counted.passes)
            }
            Some(_) => format!("{}; {workers}{besides}", self.kind.measure.explained()),
        }
    }

    /// The priority inversions, where the load's own threads count them.
    fn inversions(&self) -> String {
        let count = self.history.counted.as_ref().and_then(|counted| counted.inversions);
        count.map_or_else(String::new, |count| format!("; {}", counted(count, "priority inversion")))
    }

    /// What the receiving card's line reached, where there is a card.
    fn interrupts(&self) -> String {
        let count = self.history.counted.as_ref().and_then(|counted| counted.card_interrupts);
        let rate = count.map(|count| count as f64 / self.history.on_seconds()).filter(|rate| rate.is_finite());
        rate.map_or_else(String::new, |rate| format!("; {rate:.1} interrupts/s on the receiving card's interrupt line"))
    }

    /// Everything about this load that threatens the result.
    pub(crate) fn caveats(&self) -> Vec<Caveat> {
        let judged = [self.died(), self.did_not_load(), self.not_contained(), self.left_behind()];
        self.history.caveats.iter().cloned().chain(judged.into_iter().flatten()).collect()
    }

    fn died(&self) -> Option<Caveat> {
        let (_, what) = self.history.died.as_ref()?;
        Some(Caveat::new(
            "load-died",
            Severity::High,
            format!(
                "load '{}' failed: {what}; part of the latencies may have been measured without this load",
                self.kind.name
            ),
            "find the cause in the message, or run the load's command by hand, then measure again",
        ))
    }

    /// A load that died is told as that: what it reached in its short life shows nothing.
    fn did_not_load(&self) -> Option<Caveat> {
        const LOWER: &str = "run fewer loads at the same time, or request a rate that this machine reaches; this result is valid only for \
                             the rate that was reached";
        let (what, remedy) = match (self.reached(), self.asked()) {
            _ if self.history.died.is_some() => return None,
            _ if self.history.on_ns.is_empty() => (
                "never ran".to_owned(),
                "measure for longer than a cycle of the on/off rhythm, so that the load is on during the run",
            ),
            (None, _) => (
                "ran, but its rate could not be counted".to_owned(),
                "read in the load's note which counter is missing, and measure on a machine that has it; this result does not show how strong the load was",
            ),
            (Some(reached), Some(asked)) if reached < asked * REACHED_MIN => {
                (format!("reached {} of the requested {} {}", shown(reached), shown(asked), self.kind.unit()), LOWER)
            }
            (Some(reached), _) if reached <= 0.0 => (format!("reached 0 {}", self.kind.unit()), LOWER),
            _ => return None,
        };
        Some(Caveat::new("load-did-not-load", Severity::Medium, format!("load '{}' {what}", self.kind.name), remedy))
    }

    fn not_contained(&self) -> Option<Caveat> {
        let refused = self.history.refused.join("; ");
        let why = if refused.is_empty() { "as requested" } else { &refused };
        (self.request.containment == Containment::ProcessGroup).then(|| {
            Caveat::new(
                "load-not-contained",
                Severity::Info,
                format!(
                    "load '{}' ran without its own namespaces ({why}); its processes can outlive prazo",
                    self.kind.name
                ),
                "run as root or allow user namespaces",
            )
        })
    }

    fn left_behind(&self) -> Option<Caveat> {
        let left = &self.history.left;
        if left.is_empty() {
            return None;
        }
        let (what, remedy) = if self.request.containment.has_namespaces() {
            // Their numbers are of the load's own PID namespace: on the host they name other processes.
            let count = counted(left.len() as u64, "process");
            (
                format!("load '{}' left {count} that did not end after SIGKILL", self.kind.name),
                "find processes in state D with ps; /proc/PID/stack shows root what they wait for; then measure again",
            )
        } else {
            let ids: Vec<String> = left.iter().map(u32::to_string).collect();
            (
                format!("load '{}' left processes that do not end: {}", self.kind.name, ids.join(", ")),
                "the processes wait for a device; find the device with /proc/PID/stack (as root), then measure again",
            )
        };
        Some(Caveat::new("load-left-behind", Severity::High, what, remedy))
    }
}

/// A rate in whole numbers from 100 on, else with three decimals.
fn shown(rate: f64) -> String {
    if rate >= 100.0 { grouped(rate.round() as u64).to_string() } else { format!("{rate:.3}") }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::super::counters::Counters;
    use super::*;

    fn request(load: &str, rate: Option<f64>) -> KeeperRequest {
        KeeperRequest {
            cards: None,
            load: load.into(),
            demand: catalogue::find(load).unwrap().demand(rate, 2).unwrap(),
            rhythm: None,
            seed: 0,
            containment: Containment::Namespaces,
            cpus: vec![0],
            path: String::new(),
            work: "/nowhere".into(),
            join_namespaces: true,
            counts_system_calls: false,
        }
    }

    fn with<T>(load: &str, rate: Option<f64>, history: History, look: impl FnOnce(FinishedLoad) -> T) -> T {
        let request = request(load, rate);
        let kind = catalogue::find(load).unwrap();
        look(FinishedLoad {
            kind,
            request: &request,
            commands: &["a -b".into()],
            versions: &["a 1".into()],
            history: &history,
        })
    }

    fn on_for_two_seconds(counted: Counters) -> History {
        History { on_ns: vec![(1_000_000_000, 3_000_000_000)], counted: Some(counted), ..History::default() }
    }

    fn ids(outcome: &FinishedLoad) -> Vec<String> {
        outcome.caveats().into_iter().map(|caveat| caveat.id).collect()
    }

    #[test]
    fn a_rate_is_what_was_counted_over_the_time_on() {
        let counted = Counters { packets: Some(40_000), ..Counters::default() };
        with("udp-flood", Some(20_000.0), on_for_two_seconds(counted), |outcome| {
            let record = outcome.record(2_000_000_000);
            assert_eq!((record.asked, record.reached), (Some(20_000.0), Some(20_000.0)));
            assert_eq!((record.unit.as_str(), record.contained.as_str()), ("packets/s", "namespaces"));
            assert_eq!(record.on_s, [(-1.0, 1.0)]);
            assert_eq!(record.generator, "a -b (a 1)");
            assert!(outcome.caveats().is_empty());
        });
    }

    #[test]
    fn less_than_half_of_what_was_asked_is_a_caveat() {
        let of = |packets| Counters { packets: Some(packets), ..Counters::default() };
        with("udp-flood", Some(20_000.0), on_for_two_seconds(of(19_999)), |outcome| {
            assert_eq!(ids(&outcome), ["load-did-not-load"]);
        });
        with("udp-flood", Some(20_000.0), on_for_two_seconds(of(20_000)), |outcome| {
            assert!(ids(&outcome).is_empty());
        });
    }

    #[test]
    fn timer_interrupts_of_others_are_not_taken_for_the_load_s() {
        let counted = |switches| Counters { timer_interrupts: Some(40_000), switches, ..Counters::default() };
        let reached = |outcome: FinishedLoad| outcome.record(0).reached;
        assert_eq!(with("timer-interrupts", None, on_for_two_seconds(counted(9_000)), reached), Some(4_500.0));
        assert_eq!(with("timer-interrupts", None, on_for_two_seconds(counted(90_000)), reached), Some(20_000.0));
    }

    #[test]
    fn no_activity_at_all_is_a_caveat_even_where_nothing_was_asked() {
        with("scheduler", None, on_for_two_seconds(Counters::default()), |outcome| {
            assert_eq!(ids(&outcome), ["load-did-not-load"]);
        });
        with("scheduler", None, History::default(), |outcome| {
            assert_eq!(ids(&outcome), ["load-did-not-load"]);
            assert!(outcome.caveats()[0].remedy.starts_with("measure for longer than a cycle"));
            assert_eq!(outcome.record(0).reached, None);
        });
    }

    #[test]
    fn what_cannot_be_counted_has_no_figure_but_a_reason() {
        with("disk-read", None, on_for_two_seconds(Counters::default()), |outcome| {
            let record = outcome.record(0);
            assert_eq!(record.reached, None);
            assert!(
                record.note.starts_with("not counted, because this machine lacks the source of the count: "),
                "{}",
                record.note
            );
            assert_eq!(ids(&outcome), ["load-did-not-load"]);
            assert!(outcome.caveats()[0].remedy.contains("read in the load's note which counter is missing"));
        });
    }

    #[test]
    fn death_and_leftovers_are_told() {
        let counted = Counters { busy_ns: 4_000_000_000, ..Counters::default() };
        let history = History { died: Some((5, "it fell".into())), left: vec![7, 9], ..on_for_two_seconds(counted) };
        with("cpu", None, history, |outcome| {
            assert_eq!(ids(&outcome), ["load-died", "load-left-behind"]);
            assert!(outcome.caveats()[1].what.ends_with("left 2 processes that did not end after SIGKILL"));
            let request = KeeperRequest { containment: Containment::ProcessGroup, ..request("cpu", None) };
            let caveats = FinishedLoad { request: &request, ..outcome }.caveats();
            let left = caveats.iter().find(|caveat| caveat.id == "load-left-behind").unwrap();
            assert!(left.what.ends_with("that do not end: 7, 9"), "{}", left.what);
        });
        let history = History { died: Some((5, "it fell".into())), ..on_for_two_seconds(Counters::default()) };
        with("cpu", None, history, |outcome| assert_eq!(ids(&outcome), ["load-died"]));
    }
}
