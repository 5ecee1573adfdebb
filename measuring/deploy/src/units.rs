//! The same deployment as units and slices of systemd's, which keep it over restarts; pure.
//!
//! systemd has AllowedCPUs= for the processors of a slice, no setting for a partition (a service writes it), and no
//! SCHED_DEADLINE among its policies: chrt(1) asks for that. A slice whose name has no dash lies right below the root, where a
//! partition must be.

use crate::carrier::Carrier;
use crate::partition::{Ground, Layout, PartitionError};
use prazo_core::cpu::CpuSet;
use prazo_platform::root_domain::Mechanism;
use prazo_sys::scheduling::{SCHED_DEADLINE, SchedAttr};

/// Where systemd mounts version 2.
const MOUNT: &str = "/sys/fs/cgroup";
/// The service that makes the partitions.
const PARTITIONS: &str = "prazo-partitions.service";

/// A file to be written below `/etc/systemd/system`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its path there.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A task as a unit has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitTask<'a> {
    /// Its name.
    pub task: &'a str,
    /// The index of its cluster.
    pub cluster: usize,
    /// How it is to be scheduled.
    pub attr: SchedAttr,
    /// What carries it.
    pub carrier: &'a Carrier,
    /// Where a command begins, as it would if it were started now.
    pub folder: &'a str,
}

/// The layout that the units make: version 2's, which is systemd's, whatever this machine has mounted.
pub fn layout(clusters: &[CpuSet], online: CpuSet) -> Result<Layout, PartitionError> {
    let way = Ok(Mechanism::Partition(MOUNT.into()));
    let ground = Ground { way, online, free: Some(online), owners: Vec::new(), mems: String::new() };
    Layout::of(clusters, &ground, "prazo")
}

/// The slice of a cluster; none where the root keeps it.
pub fn slice_of(layout: &Layout, cluster: usize) -> Option<String> {
    is_own(layout, cluster).then(|| slice_name(cluster))
}

/// The units; an error names the task that cannot have one.
pub fn units(name: &str, layout: &Layout, tasks: &[UnitTask<'_>]) -> Result<Vec<Unit>, String> {
    let own: Vec<usize> = (0..layout.places().len()).filter(|index| is_own(layout, *index)).collect();
    let mut units: Vec<Unit> = own.iter().map(|index| slice(name, layout, *index)).collect();
    if !own.is_empty() {
        units.push(partitions(name, &own));
    }
    for task in tasks {
        units.push(of_task(name, layout, task, !own.is_empty())?);
    }
    Ok(units)
}

fn is_own(layout: &Layout, cluster: usize) -> bool {
    let place = &layout.places()[cluster];
    place.folder.is_some() && !place.is_rest
}

fn slice_name(cluster: usize) -> String {
    format!("prazo{cluster}.slice")
}

fn slice(name: &str, layout: &Layout, cluster: usize) -> Unit {
    let cpus = layout.places()[cluster].cpus;
    let text = format!(
        "# Written by `prazo sched deploy --systemd`.\n[Unit]\nDescription=Processors {cpus}: cluster {cluster} of {name}\n\n\
         [Slice]\nAllowedCPUs={cpus}\n"
    );
    Unit { path: slice_name(cluster), text }
}

/// Writes each partition and reads it back: one that the kernel does not like reads `root invalid (...)`, and then the service
/// fails, and with it all that need it.
fn partitions(name: &str, own: &[usize]) -> Unit {
    let slices: Vec<String> = own.iter().map(|index| slice_name(*index)).collect();
    let file = |slice: &String| format!("{MOUNT}/{slice}/cpuset.cpus.partition");
    let files: Vec<String> = slices.iter().map(file).collect();
    let start = |file: &String| format!("ExecStart=/bin/sh -c 'echo root >{file} && grep -qx root {file}'\n");
    let stop = |file: &String| format!("ExecStop=-/bin/sh -c 'echo member >{file}'\n");
    let slices = slices.join(" ");
    let text = format!(
        "# Written by `prazo sched deploy --systemd`; systemd has no setting for partitions.\n\
         [Unit]\nDescription=Partitions of processors for {name}\nRequires={slices}\nAfter={slices}\n\n\
         [Service]\nType=oneshot\nRemainAfterExit=yes\n{}{}\n[Install]\nWantedBy=multi-user.target\n",
        files.iter().map(start).collect::<String>(),
        files.iter().map(stop).collect::<String>(),
    );
    Unit { path: PARTITIONS.into(), text }
}

fn of_task(name: &str, layout: &Layout, task: &UnitTask<'_>, has_partitions: bool) -> Result<Unit, String> {
    let needs = if has_partitions { format!("Requires={PARTITIONS}\nAfter={PARTITIONS}\n") } else { String::new() };
    let slice =
        if is_own(layout, task.cluster) { format!("Slice={}\n", slice_name(task.cluster)) } else { String::new() };
    let head = "# Written by `prazo sched deploy --systemd`.\n";
    match task.carrier {
        Carrier::Pid(pid) => Err(format!(
            "task '{}' is process {pid}, and a systemd unit cannot name a running process; give the task's unit \
             (--unit) or command (--command)",
            task.task
        )),
        Carrier::Unit(unit) => {
            let unit = if unit.contains('.') { unit.clone() } else { format!("{unit}.service") };
            let text = format!("{head}[Unit]\n{needs}\n[Service]\n{slice}{}", for_unit(&task.attr));
            Ok(Unit { path: format!("{unit}.d/50-prazo.conf"), text })
        }
        Carrier::Command(command) => {
            let text = format!(
                "{head}[Unit]\nDescription=Task {} of {name}\n{needs}\n[Service]\n{slice}{}\n\
                 [Install]\nWantedBy=multi-user.target\n",
                task.task,
                for_command(task, command),
            );
            Ok(Unit { path: format!("prazo-{}.service", safe(task.task)), text })
        }
    }
}

/// What may stand in a unit's name.
fn safe(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_.".contains(letter);
    name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect()
}

fn chrt(attr: &SchedAttr) -> String {
    let SchedAttr { runtime_ns, deadline_ns, period_ns, .. } = attr;
    format!(
        "/usr/bin/chrt --deadline --reset-on-fork --sched-runtime {runtime_ns} --sched-deadline {deadline_ns} \
         --sched-period {period_ns}"
    )
}

fn fixed(attr: &SchedAttr) -> String {
    format!("CPUSchedulingPolicy=fifo\nCPUSchedulingPriority={}\nCPUSchedulingResetOnFork=true\n", attr.priority)
}

/// A unit's own command is not ours to write, so the policy comes behind its start, with the privileges of the manager.
fn for_unit(attr: &SchedAttr) -> String {
    match attr.policy {
        SCHED_DEADLINE => format!("ExecStartPost=+{} --pid 0 $MAINPID\n", chrt(attr)),
        _ => fixed(attr),
    }
}

/// A command is a shell's text, as without systemd: what its policy is given to becomes the command.
fn for_command(task: &UnitTask<'_>, command: &str) -> String {
    let place = format!("WorkingDirectory={}\n", task.folder.replace('%', "%%"));
    let shell = format!("/bin/sh -c {}", quoted(&format!("exec {command}")));
    match task.attr.policy {
        SCHED_DEADLINE => format!("{place}ExecStart={} 0 {shell}\n", chrt(&task.attr)),
        _ => format!("{place}{}ExecStart={shell}\n", fixed(&task.attr)),
    }
}

/// One word of a command line of systemd's, which would expand `%` and `$`.
fn quoted(text: &str) -> String {
    let mut word = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => word.extend(['\\', letter]),
            '%' | '$' => word.extend([letter, letter]),
            '\n' => word.push_str("\\n"),
            letter => word.push(letter),
        }
    }
    word.push('"');
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{deadline, fifo};

    fn of(clusters: &[&str]) -> Layout {
        let clusters: Vec<_> = clusters.iter().map(|list| list.parse().unwrap()).collect();
        layout(&clusters, "0-3".parse().unwrap()).unwrap()
    }

    fn unit_task<'a>(task: &'a str, cluster: usize, carrier: &'a Carrier, attr: SchedAttr) -> UnitTask<'a> {
        UnitTask { task, cluster, attr, carrier, folder: "/opt" }
    }

    #[test]
    fn a_deadline_comes_through_chrt_and_a_priority_through_systemds_own_keys() {
        let (unit, command) = (Carrier::Unit("motor".into()), Carrier::Command("/opt/vision --fast".into()));
        let tasks = [
            unit_task("motor", 0, &unit, deadline(1_000_000, 4_000_000, 5_000_000)),
            unit_task("a vision", 1, &command, fifo(80)),
        ];
        let units = units("robot", &of(&["0", "1-3"]), &tasks).unwrap();
        let paths: Vec<_> = units.iter().map(|unit| unit.path.as_str()).collect();
        assert_eq!(
            paths,
            ["prazo0.slice", "prazo-partitions.service", "motor.service.d/50-prazo.conf", "prazo-a_vision.service"]
        );
        assert!(units[0].text.contains("AllowedCPUs=0\n"));
        assert!(units[1].text.contains("grep -qx root /sys/fs/cgroup/prazo0.slice/cpuset.cpus.partition"));
        let motor = &units[2].text;
        assert!(motor.contains("Slice=prazo0.slice\nExecStartPost=+/usr/bin/chrt --deadline"), "{motor}");
        assert!(motor.contains("--sched-period 5000000 --pid 0 $MAINPID"), "{motor}");
        let vision = &units[3].text;
        assert!(
            vision.contains("WorkingDirectory=/opt\nCPUSchedulingPolicy=fifo\nCPUSchedulingPriority=80")
                && !vision.contains("Slice="),
            "the root keeps it: {vision}"
        );
        assert!(vision.contains("After=prazo-partitions.service"), "{vision}");
    }

    #[test]
    fn a_command_is_a_shells_text_whatever_systemd_would_make_of_it() {
        assert_eq!(quoted(r#"exec ./a "b c" >d-%i $E \n"#), r#""exec ./a \"b c\" >d-%%i $$E \\n""#);
        let command = Carrier::Command("./arm >arm.log".into());
        let one = |attr| units("x", &of(&["0-3"]), &[unit_task("a", 0, &command, attr)]).unwrap().remove(0).text;
        assert!(one(fifo(1)).contains("ExecStart=/bin/sh -c \"exec ./arm >arm.log\"\n"));
        assert!(one(deadline(1, 2, 3)).contains(" 0 /bin/sh -c \"exec ./arm"), "behind chrt, too");
    }

    #[test]
    fn one_cluster_of_all_needs_no_slice_and_a_process_has_no_unit() {
        let command = Carrier::Command("/bin/true".into());
        let units_of = |carrier| units("x", &of(&["0-3"]), &[unit_task("a", 0, carrier, fifo(1))]);
        assert_eq!(units_of(&command).unwrap().len(), 1);
        assert!(units_of(&Carrier::Pid(7)).unwrap_err().contains("process 7"));
    }
}
