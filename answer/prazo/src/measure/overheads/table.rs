//! The figures for people: a block for each kind, a row for each number of tasks.

use prazo_core::text::{counted, grouped};
use prazo_report::words;
use prazo_run::Caveat;
use prazo_run::overheads::{CacheDelay, Displaced, Moved, Share};
use prazo_stats::overheads::KindFigures;

const HEAD: &str = "  tasks     count    median      mean       max  max w/o 1 %  excluded  stamp";

/// The table, and the caveats below it.
pub(super) fn text(kinds: &[KindFigures], cache: &[CacheDelay], caveats: &[Caveat]) -> String {
    let mut lines = vec!["Times are in ns. Each time includes the cost of one stamp. `max w/o 1 %` is the maximum without the largest 1 % of the samples. `excluded` is the number of excluded pairs of stamps, for example with an interrupt between them. `stamp` is the cost of one stamp.".to_owned()];
    let mut of: Vec<_> = kinds.iter().map(|one| one.kind).collect();
    of.sort_unstable();
    of.dedup();
    for kind in of {
        let rows: Vec<&KindFigures> = kinds.iter().filter(|one| one.kind == kind).collect();
        lines.push(String::new());
        lines.extend(block(&rows));
    }
    lines.push(String::new());
    lines.extend(cache.iter().map(displaced));
    lines.extend(caveats.iter().map(|caveat| format!("{}: {}; {}", caveat.id, caveat.what, caveat.remedy)));
    lines.join("\n")
}

fn displaced(of: &CacheDelay) -> String {
    let CacheDelay { displaced, working_set_kib, count, mean_ns, max_ns, warm_ns, moved } = of;
    let [max_ns, warm_ns] = [(*max_ns).max(0).unsigned_abs(), *warm_ns].map(grouped);
    let samples = counted(*count, "sample");
    let how = match displaced {
        Displaced::Preempted => "after a preemption".to_owned(),
        Displaced::Migrated => format!("after a migration{}", moved.map_or(String::new(), |moved| between(&moved))),
    };
    format!(
        "cache delay, {working_set_kib} KiB {how}: mean {mean_ns:.0} ns, maximum {max_ns} ns of {samples}; a walk \
         through the working set with a warm cache takes {warm_ns} ns"
    )
}

/// Which processors, and what they share.
fn between(Moved { cpus: [one, other], share }: &Moved) -> String {
    let share = match share {
        Some(Share::Core) => "which share one core, so little data had to move",
        Some(Share::Level1) => "which share the first-level cache, so little data had to move",
        Some(Share::Level2) => "which share the second-level cache",
        Some(Share::Level3) => "which share the third-level cache",
        Some(Share::Nothing) => "which share no cache",
        None => "whose shared caches this machine does not report",
    };
    format!(" between processors {one} and {other}, {share}")
}

fn block(rows: &[&KindFigures]) -> Vec<String> {
    let Some(first) = rows.first() else { return Vec::new() };
    let between = rows.iter().find_map(|row| row.between.as_deref()).map(|between| format!(": {between}"));
    let title = format!("{}{}", words::quantity(first.kind), between.unwrap_or_default());
    if rows.iter().all(|row| row.count == 0) {
        let why = first.why_not.as_deref().unwrap_or("no pair of stamps was recorded");
        return vec![format!("{title}: not measured: {why}")];
    }
    std::iter::once(title).chain([HEAD.to_owned()]).chain(rows.iter().map(|row| line(row))).collect()
}

fn line(of: &KindFigures) -> String {
    let whole = |ns: Option<u64>| ns.map_or_else(|| "-".to_owned(), |ns| ns.to_string());
    format!(
        "{:>7} {:>9} {:>9} {:>9} {:>9} {:>12} {:>9} {:>6}",
        of.n_tasks,
        of.count,
        whole(of.median_ns),
        of.mean_ns.map_or_else(|| "-".to_owned(), |ns| format!("{ns:.1}")),
        whole(of.max_ns),
        whole(of.max_less_1_percent_ns),
        of.marked,
        whole(of.stamp_ns)
    )
}
