//! A study's TOML: what it expands to, and how each mistake is answered with file, line, key and remedy.

mod support;

use prazo_core::time::Duration;
use prazo_run::plan::{Length, Policy, TimerMethod};
use prazo_run::source::{HandlerPlace, InterruptDevice, Source, TaskSide, Trigger};
use prazo_study::{CellSource, RemoteTarget, Study, matrix};
use support::here;

const SMALL: &str = r#"[study]
name = "small"
title = "A small study"
question = "Which is better?"

[[platform]]
id = "here"

[[load]]
id = "idle"

[[load]]
id = "busy"
lead_in = "2s"
generators = [
  { name = "udp-flood", rate = 20000, rhythm = { cycle = "30s", on_min = "15s", on_max = "25s" } },
]

[[probe]]
id = "fifo"
policy = "fifo"
priority = 80
length = "10s"

[[probe]]
id = "other"
policy = "other"
activations = 5000

[[claim]]
id = "fifo-better"
text = "fifo is better"
check.quantile-less.a = "here.idle.fifo"
check.quantile-less.b = "here.idle.other"
check.quantile-less.q = [0.5]
"#;

fn error(text: &str) -> String {
    Study::parse("small.toml", text).map(|_| "no error").unwrap_err().to_string()
}

/// The error after one replacement in [`SMALL`].
fn after(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    error(&SMALL.replacen(from, to, 1))
}

#[test]
fn without_rows_everything_is_measured_with_everything() {
    let study = Study::parse("small.toml", SMALL).unwrap();
    let ids: Vec<_> = matrix::cells(&study, &here()).into_iter().map(|cell| cell.id).collect();
    assert_eq!(ids, ["here.idle.fifo", "here.idle.other", "here.busy.fifo", "here.busy.other"]);
    assert_eq!(matrix::measuring_time(&study, &here()), Duration::from_s(10 + 5 + 12 + 7));
    let generators = study.loads.iter().flat_map(|load| &load.generators);
    assert_eq!(generators.map(|generator| generator.name.as_str()).collect::<Vec<_>>(), ["udp-flood"]);
}

#[test]
fn a_plan_carries_what_the_study_says() {
    let study = Study::parse("small.toml", SMALL).unwrap();
    let cells = matrix::cells(&study, &here());
    let CellSource::Measure { platform, plans, .. } = &cells[2].source else { panic!("{:?}", cells[2]) };
    let plan = &plans[0];
    assert_eq!((platform.as_str(), plans.len()), ("here", 1));
    assert_eq!(plan.policy, Policy::Fifo { priority: 80 });
    assert_eq!(plan.method, TimerMethod::ClockNanosleep);
    assert_eq!(plan.length, Length::Duration { length: Duration::from_s(10) });
    assert_eq!(plan.lead_in, Duration::from_s(2));
    assert_eq!(plan.threads.iter().map(|thread| thread.cpu).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(plan.loads[0].rate, Some(20_000.0));
    assert_eq!(plan.loads[0].rhythm.unwrap().on_max, Duration::from_s(25));
    assert!(plan.hold_dma_latency && !plan.raw);
}

#[test]
fn the_deadline_policy_gets_a_fifth_of_its_period_unless_told() {
    let text = SMALL.replace("policy = \"fifo\"\npriority = 80", "policy = \"deadline\"");
    let study = Study::parse("small.toml", &text).unwrap();
    let cells = matrix::cells(&study, &here());
    let CellSource::Measure { plans, .. } = &cells[0].source else { panic!("{:?}", cells[0]) };
    assert_eq!(plans[0].policy, Policy::Deadline { runtime: Duration::from_us(200) });
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let error = after("priority = 80", "prioritty = 80");
    assert!(error.starts_with("small.toml:22: prioritty: unknown field `prioritty`"), "{error}");
    assert!(error.ends_with("docs/studies.md lists every key with its format"), "{error}");
}

#[test]
fn what_is_no_toml_is_refused_with_its_line() {
    let error = after("title = \"A small study\"", "title = \"A small study");
    assert!(error.starts_with("small.toml:3: title: "), "{error}");
}

#[test]
fn a_missing_key_is_named() {
    let error = after("question = \"Which is better?\"\n", "");
    assert!(error.contains("missing field `question`"), "{error}");
}

#[test]
fn a_duration_without_a_unit_is_refused() {
    let error = after("length = \"10s\"", "length = \"10\"");
    assert!(error.starts_with("small.toml:23: length: a duration must end with its unit"), "{error}");
}

#[test]
fn a_wrong_cell_in_a_claim_is_answered_with_those_there_are() {
    let error = after("a = \"here.idle.fifo\"", "a = \"here.idle.fif0\"");
    assert_eq!(
        error,
        "small.toml:33: check.quantile-less.a: there is no cell 'here.idle.fif0'; \
         choose one of here.busy.fifo, here.busy.other, here.idle.fifo, here.idle.other"
    );
}

#[test]
fn a_cited_study_is_one_of_the_programs_own() {
    let cites = |name: &str| SMALL.replacen("question =", &format!("cites = [\"{name}\"]\nquestion ="), 1);
    let error = error(&cites("preemption"));
    let wanted = "the study cites the study 'preemption', which does not exist; `prazo study list` prints the names of \
                  the studies";
    assert_eq!(error, format!("small.toml:4: cites: {wanted}"));
    assert!(Study::parse("small.toml", &cites("preemption-models")).is_ok());
}

#[test]
fn a_kind_of_claim_that_does_not_exist_is_answered_with_those_that_do() {
    let error = error(&SMALL.replace("quantile-less", "quantile-lass"));
    assert!(error.contains("unknown variant `quantile-lass`"), "{error}");
    assert!(error.contains("`max-below`"), "{error}");
}

#[test]
fn a_claim_has_one_kind() {
    let error = after("check.quantile-less.a", "check.quantile-lass.a");
    assert!(
        error.starts_with("small.toml:33: check.quantile-lass.a: a claim needs exactly one kind of check; write"),
        "{error}"
    );
}

#[test]
fn a_claim_without_a_cell_is_refused() {
    let claim = "[[claim]]\nid = \"none\"\ntext = \"t\"\ncheck.max-below = { cells = [], below = \"1ms\" }\n";
    let error = error(&format!("{SMALL}\n{claim}"));
    assert!(error.starts_with("small.toml:40: check.max-below: the list of names is empty"), "{error}");
}

#[test]
fn a_quantile_outside_its_range_is_refused() {
    let error = after("q = [0.5]", "q = [99.9]");
    assert!(
        error.starts_with("small.toml:35: check.quantile-less.q: expected a number above 0 and below 1"),
        "{error}"
    );
}

#[test]
fn a_claim_that_could_never_be_decided_is_refused() {
    let range = "check.min-between = { cells = [\"here.idle.fifo\"], from = \"9us\", to = \"1us\" }";
    let text = format!("{SMALL}\n[[claim]]\nid = \"turned\"\ntext = \"t\"\n{range}\n");
    assert!(error(&text).starts_with("small.toml:38: id: claim 'turned' cannot be checked; `from` is above `to`"));
    let nothing = "check.figures-equal = { cell = \"here.idle.fifo\" }";
    let text = format!("{SMALL}\n[[claim]]\nid = \"empty\"\ntext = \"t\"\n{nothing}\n");
    assert!(error(&text).contains("no figure is given"));
}

#[test]
fn ids_are_unique_and_can_name_files() {
    let twice = after("id = \"other\"", "id = \"fifo\"");
    assert!(twice.starts_with("small.toml:26: id: the probe 'fifo' is defined twice; rename"), "{twice}");
    let path = after("id = \"other\"", "id = \"../other\"");
    assert!(path.starts_with("small.toml:26: id: '../other' cannot name a probe; use at most 100 letters"), "{path}");
}

#[test]
fn a_row_that_names_what_is_not_there_is_refused() {
    let row = "[[measure]]\nloads = [\n  \"idle\",\n  \"bussy\",\n]\n";
    let error = error(&format!("{SMALL}\n{row}"));
    assert_eq!(error, "small.toml:40: loads: there is no load 'bussy'; choose one of idle, busy");
}

#[test]
fn a_cell_comes_once_and_has_a_length() {
    let rows = "[[measure]]\nloads = [\"idle\"]\n[[measure]]\nprobes = [\"fifo\"]\n";
    let twice = error(&format!("{SMALL}\n{rows}"));
    assert!(twice.contains("cell 'here.idle.fifo' is defined twice; define the cell in only one"), "{twice}");
    let never = after("length = \"10s\"\n", "");
    assert!(
        never.contains("cell 'here.idle.fifo' has no length; give the probe or its [[measure]] row a length"),
        "{never}"
    );
    let zero = error(&format!("{SMALL}\n[[measure]]\nrepeats = 0\n"));
    let slip = error(&format!("{SMALL}\n[[measure]]\nrepeats = 4000000000\n"));
    assert!(slip.contains("is repeated 4,000,000,000 times"), "{slip}");
    assert!(zero.contains("is repeated 0 times; set repeats to a number from 1 to 1000"), "{zero}");
}

#[test]
fn contradictions_inside_a_part_are_refused() {
    let cases = [
        ("priority = 80", "priority = 100", "priority 100 does not exist; choose a priority from 1 to 99"),
        ("priority = 80", "period = \"0s\"", "the period is zero"),
        ("priority = 80", "runtime = \"1us\"", "runtime 1us is only for the deadline policy; leave runtime out"),
        ("policy = \"fifo\"", "policy = \"deadline\"\nruntime = \"500ns\"", "choose a runtime of at least 1.024us"),
        ("priority = 80", "activations = 9", "both length and activations are given; keep only one"),
        ("on_min = \"15s\"", "on_min = \"26s\"", "the on and off times of 'udp-flood' are impossible; write on_min"),
    ];
    for (from, to, wanted) in cases {
        let error = after(from, to);
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn a_platform_of_the_lab_has_its_machines_processors_and_an_unknown_one_is_named() {
    let text = SMALL.replacen("id = \"here\"", "id = \"here\"\non = \"lab:rt-full\"", 1);
    let cells = matrix::cells(&Study::parse("small.toml", &text).unwrap(), &here());
    let CellSource::Measure { on: Some(RemoteTarget::Guest(on)), plans, .. } = &cells[0].source else {
        panic!("{:?}", cells[0])
    };
    assert_eq!((on.name.as_str(), plans[0].threads.len(), plans[0].housekeeping_cpu), ("rt-full", 1, None));
    let unknown = error(&text.replace("lab:rt-full", "lab:rt-ful"));
    assert!(unknown.starts_with("small.toml:8: on: platform 'lab:rt-ful' does not exist"), "{unknown}");
    assert!(unknown.contains("standard-none, ") && unknown.contains("prazo lab list"), "{unknown}");
    let prefix = error(&text.replace("lab:rt-full", "rt-full"));
    assert!(prefix.contains("'rt-full' is neither a platform of the lab (lab:NAME) nor a board"), "{prefix}");
}

#[test]
fn a_board_gets_a_thread_on_each_of_its_processors_unless_the_probe_names_some() {
    let text = SMALL.replacen("id = \"here\"", "id = \"here\"\non = \"ssh://root@board\"", 1);
    let every = |text: &str| {
        let cells = matrix::cells(&Study::parse("small.toml", text).unwrap(), &here());
        let CellSource::Measure { on: Some(RemoteTarget::Board(board)), every_cpu, plans, .. } = &cells[0].source
        else {
            panic!("{:?}", cells[0])
        };
        assert_eq!((board.to_string().as_str(), plans[0].housekeeping_cpu), ("ssh://root@board", None));
        (*every_cpu, plans[0].threads.iter().map(|thread| thread.cpu).collect::<Vec<_>>())
    };
    assert_eq!(every(&text), (true, vec![0]));
    assert_eq!(every(&text.replacen("priority = 80", "priority = 80\ncpus = \"2-3\"", 1)), (false, vec![2, 3]));
    let wrong = error(&text.replace("ssh://root@board", "ssh://root@board:port"));
    assert!(wrong.starts_with("small.toml:8: on: ") && wrong.contains("the port is not a number"), "{wrong}");
    assert!(wrong.contains("write ssh://USER@HOST") && !wrong.contains("lab list"), "{wrong}");
}

/// [`SMALL`]'s first probe, behind an interrupt line with these words.
fn line(words: &str) -> String {
    SMALL.replacen("priority = 80", &format!("priority = 80\ninterrupt = {{ {words} }}"), 1)
}

#[test]
fn a_probe_behind_an_interrupt_line_has_one_task_and_the_papers_first_set_up_unless_told() {
    let cells = matrix::cells(&Study::parse("small.toml", &line("")).unwrap(), &here());
    let CellSource::Measure { plans, .. } = &cells[0].source else { panic!("{:?}", cells[0]) };
    let Source::Interrupt(source) = &plans[0].source else { panic!("{:?}", plans[0].source) };
    assert_eq!(
        (source.trigger, source.handler, source.task),
        (Trigger::Hrtimer, HandlerPlace::Kernel, TaskSide::Kernel)
    );
    assert_eq!((source.trigger_cpu, source.jitter), (0, Duration::from_us(500)));
    assert_eq!(source.device, InterruptDevice::first_parallel_port());
    assert_eq!(plans[0].threads.len(), 1);
}

#[test]
fn an_interrupt_line_that_cannot_be_is_refused_with_its_remedy() {
    let cases = [
        (line("trigger = \"frame\""), "needs a network card; name the card"),
        (line("card = \"eth1\""), "card is only for trigger = \"frame\""),
        (line("trigger = \"other-cpu\""), "needs the number of the other processor"),
        (line("handler = \"soft\""), "unknown variant `soft`"),
        (line("").replace("policy = \"fifo\"", "policy = \"rr\""), "must run under fifo"),
        (line("").replace("length", "split = \"parts\"\nlength"), "leave split out"),
        (line("").replace("length", "cpus = \"0-1\"\nlength"), "needs exactly one processor"),
    ];
    for (text, wanted) in cases {
        let error = error(&text);
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn a_file_that_is_not_there_says_so() {
    let error = Study::open(std::path::Path::new("/nowhere/a.toml")).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/a.toml:1: (top): the file cannot be read: No such file"), "{error}");
    assert!(error.ends_with("name a readable TOML file of a study or experiment"), "{error}");
}

#[test]
fn an_experiment_is_no_study() {
    let error = Study::parse("a.toml", "kind = \"schedulability\"\n").unwrap_err().to_string();
    assert!(
        error.contains("this file is an experiment; run the experiment with `prazo sched experiment a.toml`"),
        "{error}"
    );
}

/// Both sides of a machine with a co-kernel, and the same load for both.
const CORE: &str = r#"
[[probe]]
id = "core"
policy = "fifo"
priority = 80
length = "10s"
xenomai = { context = "handler" }
"#;

#[test]
fn a_xenomai_core_and_linux_are_measured_beside_each_other_under_the_same_load() {
    let study = Study::parse("small.toml", &format!("{SMALL}{CORE}")).unwrap();
    let cells = matrix::cells(&study, &here());
    let plan = |id: &str| {
        let cell = cells.iter().find(|cell| cell.id == id).unwrap_or_else(|| panic!("no cell {id}"));
        let CellSource::Measure { plans, .. } = &cell.source else { panic!("{cell:?}") };
        plans[0].clone()
    };
    let (core, linux) = (plan("here.busy.core"), plan("here.busy.fifo"));
    let Source::Xenomai(source) = &core.source else { panic!("{core:?}") };
    assert_eq!(source.context.name(), "handler");
    assert_eq!((&core.loads, core.seed, core.threads.len()), (&linux.loads, linux.seed, 1));
    assert_eq!(linux.source, Source::Timer);
}

#[test]
fn what_no_xenomai_tool_can_do_is_refused_by_its_probe() {
    let refused = |from: &str, to: &str| {
        let text = format!("{SMALL}{}", CORE.replace(from, to));
        Study::parse("small.toml", &text).unwrap_err().to_string()
    };
    assert!(refused("\"fifo\"", "\"other\"").contains("fifo"));
    assert!(refused("\"handler\"", "\"irq\"").contains("handler"));
    assert!(refused("length", "period = \"1500ns\"\nlength").contains("whole µs"));
    assert!(refused("length", "interrupt = {}\nlength").contains("both interrupt and xenomai"));
}
