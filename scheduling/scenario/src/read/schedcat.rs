//! A task set of SchedCAT: XML as its module `schedcat.model.serialize` writes it.
//!
//! ```text
//! <taskset>
//!   <properties utilization="0.6" count="2"/>
//!   <task id="1" period="10" wcet="2" deadline="8" partition="0" wss="64">
//!     <resources><requirement res_id="1" max_writes="1" max_write_length="1"/></resources>
//!   </task>
//! </taskset>
//! ```
//!
//! Times are ticks of no stated length, tasks are sporadic, and the order of the file ranks them under fixed priorities. Of a
//! resource that a task requests several times, the longest request and the number of requests count. A read request counts as a
//! write, which excludes more.

use super::task_keys::{self, TaskDraft};
use super::{stem, whole, xml};
use crate::behaviour::ResourceUse;
use crate::error::{Problem, ReadError};
use crate::nearest;
use crate::set::{NamedTask, Scenario};
use crate::unit::{self, Scale};
use prazo_core::behaviour::Locking;
use prazo_core::cpu::{CPUS_MAX, Cpu, CpuSet};
use prazo_core::task::Ticks;
use roxmltree::Node;

const TASK: [&str; 7] = ["id", "period", "wcet", "deadline", "partition", "response_time", "wss"];
const INSIDE_TASK: [&str; 3] = ["resources", "critical_sections", "affinity"];
const PROPERTIES: [&str; 6] = ["utilization", "utilization_q", "density", "density_q", "count", "hyperperiod"];
const REQUIREMENT: [&str; 5] = ["res_id", "max_reads", "max_writes", "max_read_length", "max_write_length"];

/// Reads `text`; `file` is named in errors.
pub fn read(file: &str, text: &str) -> Result<Scenario, ReadError> {
    let document = xml::parse(file, text)?;
    let root = document.root_element();
    let mut reader = Reader { file, ..Reader::default() };
    let tasks = match xml::name(root) {
        "taskset" => reader.set(root)?,
        "testpoint" => reader.test_point(root)?,
        "task" => vec![reader.task(0, root)?],
        other => {
            let remedy = nearest::remedy(other, &["taskset", "testpoint", "task"]);
            return Err(xml::at(file, root, Problem::new(format!("<{other}> is no task set of SchedCAT"), remedy)));
        }
    };
    let processors = tasks.iter().filter_map(|named| named.cluster).max().map(|last| last + 1);
    let scenario = Scenario {
        name: stem(file),
        clusters: processors.map(|count| vec![1; count as usize]),
        locking: reader.nested.then_some(Locking::Srp),
        remarks: reader.remarks(),
        tasks,
        ..Scenario::default()
    };
    whole::checked(scenario).map_err(|problem| problem.at(file, None))
}

/// What has been seen on the way that a reader of the answer should know.
#[derive(Debug, Default)]
struct Reader<'a> {
    file: &'a str,
    /// The number of tasks that the properties state, and that there are.
    counts: Option<(String, usize)>,
    properties: bool,
    config: bool,
    partition: bool,
    response_time: bool,
    working_set: bool,
    resources: bool,
    reads: bool,
    nested: bool,
}

impl Reader<'_> {
    fn error(&self, node: Node<'_, '_>, problem: Problem) -> ReadError {
        xml::at(self.file, node, problem)
    }

    /// The one set of a test point, which may have many.
    fn test_point(&mut self, root: Node<'_, '_>) -> Result<Vec<NamedTask>, ReadError> {
        let mut sets = Vec::new();
        xml::known_attributes(root, &[]).map_err(|problem| self.error(root, problem))?;
        for node in xml::elements(root) {
            match xml::name(node) {
                "config" => self.config = true,
                "taskset" => sets.push(node),
                _ => return Err(self.error(node, xml::unknown_element(node, &["config", "taskset"]))),
            }
        }
        match sets[..] {
            [set] => self.set(set),
            _ => {
                let problem = format!("the test point has {} task sets", sets.len());
                let remedy = "keep one <taskset>; write others into files of their own, or as records for --batch";
                Err(self.error(root, Problem::new(problem, remedy)))
            }
        }
    }

    fn set(&mut self, set: Node<'_, '_>) -> Result<Vec<NamedTask>, ReadError> {
        xml::known_attributes(set, &[]).map_err(|problem| self.error(set, problem))?;
        let mut tasks = Vec::new();
        let mut count = None;
        for node in xml::elements(set) {
            match xml::name(node) {
                "properties" => {
                    xml::known_attributes(node, &PROPERTIES).map_err(|problem| self.error(node, problem))?;
                    self.properties = true;
                    count = xml::attribute(node, "count").map(str::to_owned);
                }
                "task" => tasks.push(self.task(tasks.len(), node)?),
                _ => return Err(self.error(node, xml::unknown_element(node, &["properties", "task"]))),
            }
        }
        self.counts = count.map(|stated| (stated, tasks.len()));
        Ok(tasks)
    }

    /// The `index`-th task, called by its id or, without one, by its number.
    fn task(&mut self, index: usize, node: Node<'_, '_>) -> Result<NamedTask, ReadError> {
        let name = xml::attribute(node, "id").map_or_else(|| (index + 1).to_string(), str::to_owned);
        let mut draft = self.times(node).map_err(|problem| self.error(node, problem.in_task(&name)))?;
        for child in xml::elements(node) {
            let taken = match xml::name(child) {
                "resources" => self.resources(child).and_then(|sections| put(&mut draft, sections)),
                "critical_sections" => self.critical_sections(child).and_then(|sections| put(&mut draft, sections)),
                "affinity" => affinity(child).map(|cpus| draft.affinity = Some(cpus)),
                _ => Err(xml::unknown_element(child, &INSIDE_TASK)),
            };
            taken.map_err(|problem| self.error(child, problem.in_task(&name)))?;
        }
        self.resources |= draft.sections.as_ref().is_some_and(|sections| !sections.is_empty());
        draft.finish(&name).map_err(|problem| self.error(node, problem.in_task(&name)))
    }

    fn times(&mut self, node: Node<'_, '_>) -> Result<TaskDraft, Problem> {
        xml::known_attributes(node, &TASK)?;
        let required = |key| time(xml::required(node, key)?).map_err(|problem: Problem| problem.of(key));
        let optional = |key| xml::attribute(node, key);
        self.response_time |= optional("response_time").is_some();
        self.working_set |= optional("wss").is_some();
        self.partition |= optional("partition").is_some();
        Ok(TaskDraft {
            cost: Some(required("wcet")?),
            min_inter_arrival: Some(required("period")?),
            deadline: optional("deadline")
                .map(|text| time(text).map_err(|problem| problem.of("deadline")))
                .transpose()?,
            working_set_kib: optional("wss")
                .map(|text| ticks(text).map_err(|problem| problem.of("wss")))
                .transpose()?,
            cluster: optional("partition")
                .map(|text| processor(text).map_err(|problem| problem.of("partition")))
                .transpose()?,
            ..TaskDraft::default()
        })
    }

    /// `<requirement>`s, one for each resource.
    fn resources(&mut self, node: Node<'_, '_>) -> Result<Vec<ResourceUse>, Problem> {
        xml::known_attributes(node, &[])?;
        let mut sections: Vec<ResourceUse> = Vec::new();
        for child in xml::elements(node) {
            if xml::name(child) != "requirement" {
                return Err(xml::unknown_element(child, &["requirement"]));
            }
            xml::known_attributes(child, &REQUIREMENT)?;
            let number = |key: &str, usual: Ticks| match xml::attribute(child, key) {
                None => Ok(usual),
                Some(text) => ticks(text).map_err(|problem| problem.of(key)),
            };
            // What SchedCAT takes where an attribute is missing.
            let (writes, write_length) = (number("max_writes", 1)?, number("max_write_length", 1)?);
            let (reads, read_length) = (number("max_reads", 0)?, number("max_read_length", 0)?);
            self.reads |= reads > 0;
            let requests = u32::try_from(writes.saturating_add(reads)).unwrap_or(u32::MAX).max(1);
            let longest = [(writes, write_length), (reads, read_length)].into_iter().filter(|(count, _)| *count > 0);
            let length = longest.map(|(_, length)| length).max().unwrap_or(0);
            let resource = resource(child)?;
            if sections.iter().any(|section| section.resource == resource) {
                let problem = format!("resource '{resource}' occurs twice");
                return Err(Problem::new(problem, "join the two requirements").of("res_id"));
            }
            sections.push(ResourceUse { resource, length, requests });
        }
        Ok(held(sections))
    }

    /// `<critical_section>`s, inside one another where they nest; a length does not contain what is inside.
    fn critical_sections(&mut self, node: Node<'_, '_>) -> Result<Vec<ResourceUse>, Problem> {
        xml::known_attributes(node, &[])?;
        let mut sections = Vec::new();
        for child in xml::elements(node) {
            self.critical_section(child, &mut sections)?;
        }
        Ok(held(sections))
    }

    /// How long the section `node` takes in all; each resource in it is kept with the longest time that it is held.
    fn critical_section(&mut self, node: Node<'_, '_>, sections: &mut Vec<ResourceUse>) -> Result<Ticks, Problem> {
        if xml::name(node) != "critical_section" {
            return Err(xml::unknown_element(node, &["critical_section"]));
        }
        xml::known_attributes(node, &["res_id", "length"])?;
        let of_length = |problem: Problem| problem.of("length");
        let mut length = ticks(xml::attribute(node, "length").unwrap_or("0")).map_err(of_length)?;
        for child in xml::elements(node) {
            self.nested = true;
            length = length.saturating_add(self.critical_section(child, sections)?);
        }
        let resource = resource(node)?;
        match sections.iter_mut().find(|section| section.resource == resource) {
            Some(section) => {
                section.length = section.length.max(length);
                section.requests = section.requests.saturating_add(1);
            }
            None => sections.push(ResourceUse { resource, length, requests: 1 }),
        }
        Ok(length)
    }

    /// What was assumed, one sentence each.
    fn remarks(&self) -> Vec<String> {
        let count = self.counts.as_ref().filter(|(stated, count)| *stated != count.to_string());
        let count = count.map(|(stated, count)| format!("the properties state {stated} tasks; the file has {count}"));
        let seen = [
            (self.config, "the attributes of <config> are not used"),
            (self.properties, "the attributes of <properties> are not used; prazo computes them from the tasks"),
            (self.response_time, "the attribute 'response_time' is not used; prazo computes its own bounds"),
            (self.working_set, "the attribute 'wss' is read in KiB"),
            (
                self.partition,
                "the attribute 'partition' is read as a processor number; the highest one used is taken as the last processor",
            ),
            (self.resources && !self.nested, "the file states no locking protocol; SRP is assumed"),
            (self.reads, "read requests exclude one another like write requests"),
            (
                self.nested,
                "critical sections are nested, so the protocol is SRP; each resource counts with its longest critical section, inner sections included",
            ),
        ];
        let seen = seen.into_iter().filter(|(seen, _)| *seen).map(|(_, remark)| remark.to_owned());
        count.into_iter().chain(seen).collect()
    }
}

/// Gives the task its sections, which SchedCAT can state in two ways.
fn put(draft: &mut TaskDraft, sections: Vec<ResourceUse>) -> Result<(), Problem> {
    match draft.sections.replace(sections) {
        None => Ok(()),
        Some(_) => {
            let remedy = "keep one of the two elements";
            Err(Problem::new("the task has <resources> and <critical_sections>, or one of them twice", remedy))
        }
    }
}

/// Those that take any time.
fn held(sections: Vec<ResourceUse>) -> Vec<ResourceUse> {
    sections.into_iter().filter(|section| section.length > 0).collect()
}

fn resource(node: Node<'_, '_>) -> Result<String, Problem> {
    let name = xml::attribute(node, "res_id").unwrap_or("0");
    match name.contains(['"', ',', '\n']) {
        false => Ok(name.to_owned()),
        true => {
            let problem = format!("'{name}' cannot name a resource");
            Err(Problem::new(problem, "use a name without commas and quotation marks").of("res_id"))
        }
    }
}

fn affinity(node: Node<'_, '_>) -> Result<CpuSet, Problem> {
    xml::known_attributes(node, &[])?;
    let mut cpus = Vec::new();
    for child in xml::elements(node) {
        if xml::name(child) != "cpu" {
            return Err(xml::unknown_element(child, &["cpu"]));
        }
        xml::known_attributes(child, &["id"])?;
        let number = processor(xml::required(child, "id")?).map_err(|problem| problem.of("id"))?;
        cpus.extend(Cpu::new(number));
    }
    CpuSet::from_cpus(cpus)
        .ok_or_else(|| Problem::new("the affinity has no processor", "add <cpu id=\"0\"/>, or remove <affinity>"))
}

fn processor(text: &str) -> Result<u32, Problem> {
    let number = ticks(text)?;
    u32::try_from(number)
        .ok()
        .filter(|number| (*number as usize) < CPUS_MAX)
        .ok_or_else(|| Problem::new(format!("{text} is not a processor"), format!("give 0 to {}", CPUS_MAX - 1)))
}

fn ticks(text: &str) -> Result<Ticks, Problem> {
    unit::ticks(text, Scale::Tick, None)
}

fn time(text: &str) -> Result<Ticks, Problem> {
    task_keys::time(text, Scale::Tick, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Arrival;
    use prazo_core::task::Task;

    fn set(inside: &str) -> Result<Scenario, ReadError> {
        read("sets/light.xml", &format!("<taskset>\n{inside}\n</taskset>"))
    }

    fn message(inside: &str) -> String {
        set(inside).unwrap_err().to_string()
    }

    #[test]
    fn tasks_are_sporadic_and_their_times_are_ticks() {
        let scenario = set(
            "<properties count='2' utilization='0.5'/><task id='7' period='10' wcet='2.0' deadline='8' wss='64'/>\n\
                 <task period='20' wcet='6'/>",
        )
        .unwrap();
        let first = Task { working_set_kib: 64, ..Task::new(2, 10, 8) };
        assert_eq!(scenario.tasks(), [first, Task::implicit(6, 20)]);
        assert_eq!((scenario.name.as_str(), scenario.unit, scenario.policy), ("light", None, None));
        assert_eq!([&scenario.tasks[0].name, &scenario.tasks[1].name], ["7", "2"]);
        assert!(scenario.tasks.iter().all(|named| named.arrival == Arrival::Sporadic));
        assert_eq!(scenario.remarks.len(), 2);
        let fewer = set("<properties count='3'/><task period='20' wcet='6'/>").unwrap();
        assert_eq!(fewer.remarks[0], "the properties state 3 tasks; the file has 1");
    }

    #[test]
    fn partitions_are_processors() {
        let scenario = set("<task period='10' wcet='2' partition='1'/><task period='9' wcet='2' partition='0'>\
                            <affinity><cpu id='0'/></affinity></task>")
        .unwrap();
        assert_eq!((scenario.clusters, scenario.processors), (Some(vec![1, 1]), Some(2)));
        assert_eq!([scenario.tasks[0].cluster, scenario.tasks[1].cluster], [Some(1), Some(0)]);
        assert_eq!(scenario.tasks[1].affinity.unwrap().to_string(), "0");
        assert!(message("<task period='9' wcet='1' partition='1024'/>").contains("1024 is not a processor"));
        assert!(message("<task period='9' wcet='1' partition='-1'/>").contains("partition of task '1'"));
    }

    #[test]
    fn the_longest_request_of_each_resource_counts() {
        let sections = |inside: &str| -> Vec<(String, Ticks, u32)> {
            let text = format!("<task period='99' wcet='30'>{inside}</task>");
            let scenario = set(&text).unwrap();
            let all = scenario.tasks[0].behaviour.sections.iter();
            all.map(|one| (one.resource.clone(), one.length, one.requests)).collect()
        };
        let of = |name: &str, length, requests| (name.to_owned(), length, requests);
        let resources = "<resources><requirement res_id='1' max_writes='3' max_write_length='4'/>\
                         <requirement res_id='2' max_writes='0' max_reads='1' max_read_length='7'/>\
                         <requirement res_id='3' max_writes='0'/><requirement/></resources>";
        assert_eq!(sections(resources), [of("1", 4, 3), of("2", 7, 1), of("0", 1, 1)]);
        let nested = "<critical_sections><critical_section res_id='1' length='2'>\
                      <critical_section res_id='2' length='3'/></critical_section>\
                      <critical_section res_id='2' length='4'/></critical_sections>";
        assert_eq!(sections(nested), [of("2", 4, 2), of("1", 5, 1)]);
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_line() {
        assert_eq!(
            message("<task period='9' wcet='1'/>\n<task id='b' perod='9' wcet='1'/>"),
            "sets/light.xml:3: perod of task 'b': unknown attribute of <task>; did you mean 'period'?"
        );
        assert!(message("<task wcet='1'/>").contains("period of task '1': the attribute of <task> is missing"));
        for wrong in ["nan", "inf", "-3", "1e99", "1.5", "0", "0x10", ""] {
            let text = message(&format!("<task id='a' period='{wrong}' wcet='1'/>"));
            assert!(text.starts_with("sets/light.xml:2: period of task 'a': "), "{text}");
        }
        assert!(message("<tusk/>").contains("unknown element <tusk> in <taskset>; did you mean 'task'?"));
        assert!(message("").contains("there is no task"));
        assert!(message("<task id='a' period='9' wcet='1'/><task id='a' period='9' wcet='1'/>").contains("two tasks"));
        let long = "<task period='9' wcet='1'>\n<resources><requirement max_write_length='5'/></resources></task>";
        assert!(message(long).contains("uses of task '1': the critical section of '0' is longer than the cost"));
        let twice = "<task period='9' wcet='1'><resources/><critical_sections/></task>";
        assert!(message(twice).contains("<resources> and <critical_sections>"));
    }

    #[test]
    fn a_test_point_is_read_if_it_has_one_set() {
        let one = "<taskset><task period='9' wcet='1'/></taskset>";
        let point = |sets: &str| read("p.xml", &format!("<testpoint><config u='0.5'/>{sets}</testpoint>"));
        assert_eq!(point(one).unwrap().remarks, ["the attributes of <config> are not used"]);
        assert!(point(&one.repeat(2)).unwrap_err().to_string().contains("the test point has 2 task sets"));
        assert!(read("t.xml", "<task period='9' wcet='1'/>").is_ok());
        assert!(read("t.xml", "<graph/>").unwrap_err().to_string().contains("<graph> is no task set of SchedCAT"));
    }
}
