//! What a thread did within one activation: computed, was preempted, was blocked; pure.

use super::activation::Activation;
use super::record::Off;

/// What an activation did between its release and the next wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    /// On a processor, interrupts included.
    pub own_ns: u64,
    /// It could have run and did not.
    pub preempted_ns: u64,
    /// How often.
    pub preemptions: u64,
    /// It was blocked.
    pub blocked_ns: u64,
    /// It came to another processor than it had left, its release included.
    pub migrations: u64,
}

/// What the thread did between release and end, from the stretches that it was away.
pub(super) fn body(activation: &Activation, offs: &[&Off]) -> Body {
    let Activation { released_ns, end_ns, wait_ns, .. } = *activation;
    let mut body = Body { own_ns: end_ns.saturating_sub(released_ns), ..Body::default() };
    for off in offs.iter().filter(|off| off.on_ns > wait_ns && off.off_ns < end_ns) {
        body.migrations += u64::from(off.cpu_on != off.cpu_off);
        let away = off.on_ns.min(end_ns).saturating_sub(off.off_ns.max(released_ns));
        if off.off_ns < released_ns || away == 0 {
            continue;
        }
        body.own_ns = body.own_ns.saturating_sub(away);
        if off.state == 0 {
            body.preempted_ns += away;
            body.preemptions += 1;
        } else {
            let blocked = off.waking_ns.clamp(off.off_ns, off.on_ns) - off.off_ns;
            body.blocked_ns += blocked;
            body.preempted_ns += away.saturating_sub(blocked);
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_did_is_what_it_was_not_away() {
        let activation = Activation {
            due_own_ns: Some(1_000),
            from_ns: 1_000,
            wait_ns: 500,
            released_ns: 1_100,
            end_ns: 2_000,
            ..Activation::default()
        };
        let sleep = Off { off_ns: 510, waking_ns: 1_010, on_ns: 1_050, state: 1, cpu_on: 1, ..Off::default() };
        let hog = Off { off_ns: 1_200, on_ns: 1_500, ..Off::default() };
        let lock = Off { off_ns: 1_600, waking_ns: 1_700, on_ns: 1_720, state: 1, ..Off::default() };
        let body = body(&activation, &[&sleep, &hog, &lock]);
        let expected = Body { own_ns: 480, preempted_ns: 320, preemptions: 1, blocked_ns: 100, migrations: 1 };
        assert_eq!(body, expected);
    }
}
