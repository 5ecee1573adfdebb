//! Regnier 2008's second set-up among guests: one is measured and answers each trigger twice, one triggers and stamps, one floods.
//!
//! ```text
//! station ── trigger ─► measured ◄── udp-flood ── flood (where the plan has that load)
//! t1, t2, t3 ◄─ answers ─┘
//! ```
//! The guests run on several processors each, under the host's clock, so that figures are good for orders only. The run that is left has the
//! station's latencies and everything else of the measured guest: plan, loads, tunables, platform.

use crate::guest::{self, Conditions, GuestError, GuestRequest};
use crate::needs::{self, CARDS_DRIVER};
use prazo_lab::machine::Time;
use prazo_lab::{Companion, GuestAnswer, GuestGroup, GuestJob, Lab, LabError, Machine, Platform, card_address};
use prazo_load::{self as load, Rate};
use prazo_platform::fingerprint::Fingerprint;
use prazo_probe::event::link::{Peer, Wire};
use prazo_probe::guest_request::{AgentRequest, CARD, Flood, PATIENCE};
use prazo_probe::station::SeriesRequest;
use prazo_run::plan::{LoadPlan, Policy};
use prazo_run::source::{EventSource, Source};
use prazo_run::{Caveat, Plan, Run, store};
use prazo_sys::clock;

/// The machine of all guests that run together.
const MACHINE: &str = "linux-2-free";

/// The load that a third guest gives.
const FLOOD: &str = "udp-flood";

/// Nothing else runs on the station's guest. A real-time sender that a busy host puts behind by a second would be ended by its own limit on
/// processor time; a late trigger costs nothing, for its stamp is taken as it leaves.
const SENDER: Policy = Policy::Other;
/// A kernel of x86-64 that sees no tick for a while as it starts calls its timer broken and panics; on a busy host the emulator is only late.
const TIMER_BELIEVED: &str = "no_timer_check";

/// What shall be measured between which guests.
#[derive(Clone, Debug)]
pub struct PairRequest<'a> {
    /// The measured guest; its plan's source is the frames of another station.
    pub guest: GuestRequest<'a>,
    /// The platform of the station, and of the guest that floods.
    pub station: Platform,
}

/// Measures, and gives the finished run back as it is in its file. After an error, no file is left.
pub fn measure(request: &PairRequest<'_>, lab: &Lab, stop: &dyn Fn() -> bool) -> Result<Run, GuestError> {
    let (party, started_at_unix_ns) = (party(request)?, clock::unix_ns());
    let brought = party.run(lab, stop)?;
    let station = brought.others.into_iter().next().flatten().expect("the station answers, or there is an error");
    let run = Run { started_at_unix_ns, ..composed(request, brought.measured, &station)? };
    store::save(&run, request.guest.file)?;
    Ok(store::open(request.guest.file)?)
}

/// What decides such a run now, as its own facts have it; `None` where nothing can be measured in this lab now.
pub fn conditions(known: &mut Conditions, request: &PairRequest<'_>, lab: &Lab) -> Option<Fingerprint> {
    let GuestGroup { measured, others } = party(request).ok()?;
    let station = known.of_job(others.into_iter().next()?.job, lab)?;
    let mut facts = known.of_job(measured, lab)?;
    facts.facts.extend(of_station(&station));
    Some(facts)
}

fn party(request: &PairRequest<'_>) -> Result<GuestGroup, GuestError> {
    let plan = &request.guest.plan;
    let trigger = AgentRequest::Trigger(series(plan)?);
    let measured = GuestJob {
        programs: needs::foreign_programs(plan),
        drivers: with_cards(needs::drivers(plan)),
        ..job(request, &request.guest.platform, &AgentRequest::Plan(Box::new(plan.clone())))?
    };
    let companion = |asked: &AgentRequest, answers| {
        let drivers = with_cards(Vec::new());
        let job = GuestJob { drivers, ..job(request, &request.station, asked)? };
        Ok::<_, LabError>(Companion { job, answers })
    };
    let floods = flood(plan)?.map(|flood| companion(&AgentRequest::Flood(flood), false)).transpose()?;
    let others = std::iter::once(companion(&trigger, true)?).chain(floods).collect();
    Ok(GuestGroup { measured, others })
}

/// A job on the machine of guests among several.
fn job(request: &PairRequest<'_>, on: &Platform, asked: &AgentRequest) -> Result<GuestJob, LabError> {
    let GuestRequest { plan, limit, .. } = &request.guest;
    let seed = (plan.seed & u64::from(u32::MAX)) as u32;
    let limit = limit.map(|limit| std::time::Duration::from_nanos(limit.as_ns()));
    let mut on = on.clone();
    on.words.push(TIMER_BELIEVED.to_owned());
    Ok(GuestJob {
        machine: Machine::find(MACHINE)?.with_seed(seed),
        limit: limit.unwrap_or_else(|| guest::usual_limit(plan)),
        ..GuestJob::new(on, asked.to_json())?
    })
}

fn with_cards(mut drivers: Vec<String>) -> Vec<String> {
    if !drivers.iter().any(|name| name == CARDS_DRIVER) {
        drivers.push(CARDS_DRIVER.to_owned());
    }
    drivers
}

/// What the station is asked, for a plan that waits for its frames.
fn series(plan: &Plan) -> Result<SeriesRequest, LabError> {
    let refused = |what: &str| LabError::Refused { platform: "a guest with a station".into(), why: what.into() };
    let Source::Event(EventSource { jitter, count, .. }) = &plan.source else {
        return Err(refused("the plan's events are not frames from another station"));
    };
    let thread = plan.threads.first().ok_or_else(|| refused("the plan has no thread"))?;
    Ok(SeriesRequest {
        wire: Wire::Ethernet { interface: CARD.into() },
        to: Peer::Ethernet(card_address(0, 0)),
        period_ns: thread.period.as_ns(),
        jitter_ns: jitter.as_ns(),
        seed: plan.seed,
        count: *count,
        policy: SENDER,
        cpu: None,
        patience_ns: Some(PATIENCE.as_ns()),
        takes_answers: true,
    })
}

/// What the third guest is asked, where the plan's loads want one.
fn flood(plan: &Plan) -> Result<Option<Flood>, LabError> {
    let over_cards = plan.loads.iter().filter_map(|load| Some((load, load::over_cards(&load.name)?)));
    let mut flood = None;
    for (LoadPlan { name, rate, rhythm }, kind) in over_cards {
        match kind.rate {
            Rate::Paced { default, .. } if name == FLOOD && rhythm.is_none() => {
                let rate = rate.or(default).ok_or_else(|| LabError::NoFlood { load: name.clone() })?;
                flood = Some(Flood { to: card_address(0, 1), rate });
            }
            _ => return Err(LabError::NoFlood { load: name.clone() }),
        }
    }
    Ok(flood)
}

/// One run of both guests' files.
fn composed(request: &PairRequest<'_>, measured: GuestAnswer, station: &GuestAnswer) -> Result<Run, GuestError> {
    let (seen, answered) = (opened(&measured.file)?, opened(&station.file)?);
    let facts = || measured.facts.clone().facts.into_iter().chain(of_station(&station.facts));
    let at = |before: Option<Fingerprint>| {
        before.map(|mut platform| {
            platform.facts.extend(facts());
            platform
        })
    };
    let caveats = [guest::no_hardwares_time(Time::Free)].into_iter().chain(measured.note.clone().map(guest::busy));
    Ok(Run {
        name: request.guest.name.clone(),
        command: request.guest.command.clone(),
        plan: Some(request.guest.plan.clone()),
        series: answered.series,
        platform_before: at(seen.platform_before),
        platform_after: at(seen.platform_after),
        caveats: together(caveats.chain(seen.caveats).collect(), answered.caveats),
        ..seen
    })
}

/// The run in a file that a guest brought.
fn opened(bytes: &[u8]) -> Result<Run, GuestError> {
    let failed = |source| GuestError::Write { file: "the guests' run files to a temporary folder".into(), source };
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = folder.path().join("brought.prazo");
    guest::write(&file, bytes)?;
    Ok(store::open(&file)?)
}

/// `lab.kernel_sha256` of the station is `lab.station.kernel_sha256`.
fn of_station(facts: &Fingerprint) -> impl Iterator<Item = (String, prazo_platform::fingerprint::Fact)> {
    let named = facts.facts.iter().filter_map(|(name, fact)| Some((name.strip_prefix("lab.")?, fact)));
    named.map(|(name, fact)| (format!("lab.station.{name}"), fact.clone()))
}

/// The caveats of both guests: what the station says word for word like the measured one is said once, what it says otherwise
/// under the same name is said to be its own.
fn together(mut measured: Vec<Caveat>, station: Vec<Caveat>) -> Vec<Caveat> {
    let new: Vec<Caveat> = station.into_iter().filter(|caveat| !measured.contains(caveat)).collect();
    let named = |caveat: Caveat| match measured.iter().any(|other| other.id == caveat.id) {
        true => Caveat { what: format!("on the station: {}", caveat.what), ..caveat },
        false => caveat,
    };
    let named: Vec<Caveat> = new.into_iter().map(named).collect();
    measured.extend(named);
    measured
}

#[cfg(test)]
mod tests {
    use super::*;
    use prazo_run::Severity;

    #[test]
    fn a_second_caveat_of_a_name_stays_unless_it_says_the_same() {
        let caveat = |id: &str, what: &str| Caveat::new(id, Severity::High, what, "wait");
        let found = together(
            vec![caveat("emulated-time", "a"), caveat("busy-host", "2.0 of 2")],
            vec![caveat("emulated-time", "a"), caveat("busy-host", "1.5 of 2"), caveat("swap", "on")],
        );
        let texts: Vec<&str> = found.iter().map(|caveat| caveat.what.as_str()).collect();
        assert_eq!(texts, ["a", "2.0 of 2", "on the station: 1.5 of 2", "on"]);
    }
}
