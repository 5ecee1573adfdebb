//! `behaviours locking P`, then a supply, then what departs from sporadic, independent and preemptable: kind by kind, task by task.

use super::lines::Lines;
use crate::behaviour::{Behaviour, Behaviours, Member};
use crate::curve::Curve;
use crate::rejected::Rejected;
use prazo_core::behaviour::Supply;
use prazo_core::task::{TICKS_MAX, Task};

/// The behaviours of `tasks`; `None` where the certificate names none.
pub(super) fn read(lines: &mut Lines<'_>, tasks: &[Task]) -> Result<Option<Behaviours>, Rejected> {
    let Some(mut words) = lines.next_if("behaviours") else { return Ok(None) };
    words.literal("locking")?;
    let locking = words.number("srp, pcp or pip")?;
    words.end()?;
    let supply = supply(lines)?;
    let mut of_tasks = vec![Behaviour::default(); tasks.len()];
    let mut steps: Vec<Vec<(u64, u64)>> = vec![Vec::new(); tasks.len()];
    let mut lines_read = usize::from(supply.is_some());
    for kind in ["non-preemptive", "burst", "step", "suspension", "section"] {
        let mut last = None;
        while let Some(mut words) = lines.next_if(kind) {
            let task: usize = words.number("a task's index")?;
            let Some(behaviour) = of_tasks.get_mut(task) else {
                return Err(words.unreadable(format!("there is no task {task}")));
            };
            let mut time = |name: &str| {
                words.literal(name)?;
                let value: u64 = words.number(name)?;
                if value <= TICKS_MAX { Ok(value) } else { Err(words.unreadable("a time must be at most 2^48 ticks")) }
            };
            let place = match kind {
                "non-preemptive" => {
                    (behaviour.longest, behaviour.last) = (time("longest")?, time("last")?);
                    (task, 0)
                }
                "burst" => {
                    behaviour.burst = Some((time("jobs")?, time("within")?, time("distance")?));
                    (task, 0)
                }
                "step" => {
                    let step = (time("jobs")?, time("within")?);
                    steps[task].push(step);
                    (task, step.1)
                }
                "suspension" => {
                    behaviour.suspension = time("at-most")?;
                    (task, 0)
                }
                _ => {
                    let resource = time("resource")?;
                    let number = u32::try_from(resource).map_err(|_| words_too_large(resource))?;
                    behaviour.sections.push((number, time("length")?));
                    (task, resource)
                }
            };
            words.end()?;
            if last.is_some_and(|last| last >= place) {
                return Err(words.unreadable(format!("lines that begin with `{kind}` must ascend")));
            }
            last = Some(place);
            lines_read += 1;
        }
    }
    if lines_read == 0 {
        return Err(lines.missing("a task's behaviour"));
    }
    for (task, (steps, behaviour)) in
        steps.into_iter().zip(&mut of_tasks).enumerate().filter(|(_, (steps, _))| !steps.is_empty())
    {
        let wrong =
            || Rejected::Inconsistent(format!("the steps of task {task} are not 1 to 8 of 1 to 64 jobs that ascend"));
        behaviour.curve = Some(Curve::new(steps).ok_or_else(wrong)?);
    }
    for (index, (task, behaviour)) in tasks.iter().zip(&of_tasks).enumerate() {
        Member { task, behaviour }.check(index)?;
    }
    Ok(Some(Behaviours { locking, supply, of_tasks }))
}

/// `supply budget B period P`.
fn supply(lines: &mut Lines<'_>) -> Result<Option<Supply>, Rejected> {
    let Some(mut words) = lines.next_if("supply") else { return Ok(None) };
    words.literal("budget")?;
    let budget = words.number("a budget")?;
    words.literal("period")?;
    let period = words.number("a period")?;
    words.end()?;
    if budget == 0 || budget > period || period > TICKS_MAX {
        return Err(
            words.unreadable("a supply needs a budget of 1 to its period, which is at most 2^48 ticks".to_owned())
        );
    }
    Ok(Some(Supply { budget, period }))
}

fn words_too_large(resource: u64) -> Rejected {
    Rejected::TooLarge(format!("there are no more than 2^32 resources, and {resource} is none of them"))
}
