//! EDF with virtual deadlines on one processor, two criticalities: Baruah and others, ECRTS 2012.
//!
//! With D = T, and U_LL, U_HL, U_HH the utilizations of tasks of low criticality and of high criticality by either cost, all deadlines are met
//! where jobs of high criticality are ranked by arrival + x D in low mode, for any x with 0 < x <= 1 and
//!
//! U_HL + x U_LL <= x        x U_LL + U_HH <= 1

use super::Queue;
use crate::behaviour::Member;
use crate::fraction::Fraction;
use crate::rejected::{Rejected, applies, show};
use prazo_core::ratio::Ratio;
use prazo_core::task::Ticks;

pub(super) fn check(queue: &Queue<'_>, factor: Ratio) -> Result<(), Rejected> {
    queue.applies_to_one_processor()?;
    let (members, ..) = queue.behaved()?;
    let covered = members.iter().all(|member| member.task.deadline == member.task.period && member.task.jitter == 0);
    applies(covered, "with mixed criticality under EDF, the test covers D = T without release jitter only")?;
    show(!factor.is_zero() && factor <= Ratio::ONE, || "the factor must be above 0 and at most 1".into())?;
    let sum = |cost: &dyn Fn(&Member<'_>) -> Option<Ticks>| {
        let term = |member: &Member<'_>| Some(Fraction::new(cost(member)?.into(), member.task.period));
        Fraction::sum(&members.iter().filter_map(term).collect::<Vec<_>>())
    };
    let low = sum(&|member| member.behaviour.cost_high.is_none().then_some(member.task.cost));
    let high_in_low = sum(&|member| member.behaviour.cost_high.map(|_| member.task.cost));
    let high = sum(&|member| member.behaviour.cost_high);
    let factor = Fraction::from(factor);
    let shrunk = &factor * &low;
    show(&high_in_low + &shrunk <= factor, || "the virtual deadlines may be missed in low mode".into())?;
    show(&shrunk + &high <= Fraction::whole(1u64), || "the deadlines may be missed in high mode".into())
}
