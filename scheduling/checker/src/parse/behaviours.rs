//! `behaviours locking P`, then a supply, then what departs from sporadic, independent and preemptable: kind by kind, task by task.

use super::lines::{Lines, Words};
use crate::behaviour::{Behaviour, Behaviours, Member};
use crate::curve::Curve;
use crate::rejected::Rejected;
use prazo_core::behaviour::{Locking, Supply};
use prazo_core::task::{TICKS_MAX, Task};

/// The behaviours of `tasks`; `None` where the certificate names none.
pub(super) fn read(lines: &mut Lines<'_>, tasks: &[Task]) -> Result<Option<Behaviours>, Rejected> {
    let Some(mut words) = lines.next_if("behaviours") else { return Ok(None) };
    words.literal("locking")?;
    let word = words.word("a locking protocol")?;
    let locking: Locking = word
        .parse()
        .map_err(|_| words.unreadable(format!("expected srp, pcp, pip, msrp, fmlp+ or mpcp, found `{word}`")))?;
    words.end()?;
    let supply = supply(lines)?;
    let mut of_tasks = vec![Behaviour::default(); tasks.len()];
    let mut steps: Vec<Vec<(u64, u64)>> = vec![Vec::new(); tasks.len()];
    let mut lines_read = usize::from(supply.is_some());
    for kind in ["non-preemptive", "burst", "step", "suspension", "criticality", "section"] {
        let mut last = None;
        while let Some(mut words) = lines.next_if(kind) {
            let task: usize = words.number("a task's index")?;
            let Some(behaviour) = of_tasks.get_mut(task) else {
                return Err(words.unreadable(format!("there is no task {task}")));
            };
            let mut time = |name: &str| {
                words.literal(name)?;
                let value: u64 = words.number(name)?;
                if value <= TICKS_MAX {
                    Ok(value)
                } else {
                    Err(words.unreadable(format!("`{name}` must be at most 2^48")))
                }
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
                "criticality" => {
                    behaviour.cost_high = Some(time("cost-high")?);
                    (task, 0)
                }
                _ => {
                    let resource = time("resource")?;
                    let number = u32::try_from(resource).map_err(|_| words_too_large(resource))?;
                    let length = time("length")?;
                    let requests = if words.is_at_end() { 1 } else { counted(&mut words)? };
                    behaviour.sections.push((number, length, requests));
                    (task, resource)
                }
            };
            words.end()?;
            if last.is_some_and(|last| last >= place) {
                return Err(words
                    .unreadable(format!("lines that begin with `{kind}` must be in ascending order, each only once")));
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
        let wrong = || {
            Rejected::Inconsistent(format!(
                "task {task} must have 1 to 24 steps of 1 to 64 jobs, each step with more jobs in a longer time"
            ))
        };
        behaviour.curve = Some(Curve::new(steps).ok_or_else(wrong)?);
    }
    for (index, (task, behaviour)) in tasks.iter().zip(&of_tasks).enumerate() {
        Member { task, behaviour }.check(index)?;
    }
    Ok(Some(Behaviours { locking, supply, of_tasks }))
}

/// `requests N`, written where N is more than 1.
fn counted(words: &mut Words<'_>) -> Result<u32, Rejected> {
    words.literal("requests")?;
    let requests: u32 = words.number("a number of requests")?;
    if requests > 1 {
        Ok(requests)
    } else {
        Err(words.unreadable("`requests` must be at least 2; omit it for 1 request".to_owned()))
    }
}

/// `supply budget B period P`, or `supply rate R delay D`.
fn supply(lines: &mut Lines<'_>) -> Result<Option<Supply>, Rejected> {
    let Some(mut words) = lines.next_if("supply") else { return Ok(None) };
    let supply = match words.word("`budget` or `rate`")? {
        "budget" => {
            let budget = words.number("a budget")?;
            words.literal("period")?;
            Supply::Periodic { budget, period: words.number("a period")? }
        }
        "rate" => {
            let rate = words.number("a rate")?;
            words.literal("delay")?;
            Supply::BoundedDelay { rate, delay: words.number("a delay")? }
        }
        other => return Err(words.unreadable(format!("`budget` or `rate` must follow `supply`, not `{other}`"))),
    };
    words.end()?;
    if !supply.is_possible() {
        return Err(words.unreadable(
            "a supply needs a budget from 1 tick up to its period, or a rate above 0 up to 1, with times of at most 2^48 ticks"
                .to_owned(),
        ));
    }
    Ok(Some(supply))
}

fn words_too_large(resource: u64) -> Rejected {
    Rejected::TooLarge(format!("a resource number must be below 2^32, not {resource}"))
}
