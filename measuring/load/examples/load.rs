//! Runs loads by hand and prints what they reached: `load udp-flood=50000 cpu --for 5s`.
//!
//! `--rhythm 4s` turns each on and off in a seeded rhythm with about that cycle; `--work DIR` says where files go;
//! `--containment NAME` forces one; `--loopback` does without two network namespaces; `--system-calls` counts those; `--path PATH`
//! is where foreign programs are searched; `list` shows the catalogue.
//! The first line printed says where the keepers are, then come the records, the caveats and every counter of the kernel.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration as Wait;

use prazo_core::time::Duration;
use prazo_load::{self as load, Containment, Options};
use prazo_run::plan::{LoadPlan, Rhythm};
use serde_json::json;

struct Request {
    plans: Vec<LoadPlan>,
    length: Duration,
    options: Options,
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(code) = load::child_main(&arguments) {
        return code;
    }
    let words: Vec<String> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if words == ["list"] {
        list();
        return ExitCode::SUCCESS;
    }
    let outcome = request(&words).and_then(|request| run(&request));
    outcome.map_or_else(
        |error| {
            eprintln!("load: {error}");
            ExitCode::from(2)
        },
        |()| ExitCode::SUCCESS,
    )
}

fn list() {
    for kind in load::catalogue() {
        println!("{:17}{:15}{}", kind.name, kind.unit(), kind.disturbs);
    }
}

fn request(words: &[String]) -> Result<Request, String> {
    let mut request = Request { plans: Vec::new(), length: Duration::from_s(5), options: Options::default() };
    let mut cycle = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--for" => request.length = duration(value()?)?,
            "--rhythm" => cycle = Some(duration(value()?)?),
            "--work" => request.options.work = value()?.into(),
            "--containment" => request.options.containments = vec![containment(value()?)?],
            "--path" => request.options.path = value()?.into(),
            "--system-calls" => request.options.counts_system_calls = true,
            "--loopback" => request.options.join_namespaces = false,
            load => request.plans.push(plan(load)?),
        }
    }
    if let Some(cycle) = cycle {
        give_rhythms(&mut request.plans, cycle);
    }
    Ok(request)
}

fn duration(text: &str) -> Result<Duration, String> {
    text.parse().map_err(|error| format!("{text}: {error}"))
}

fn containment(name: &str) -> Result<Containment, String> {
    Containment::ALL.into_iter().find(|level| level.name() == name).ok_or(format!("there is no containment {name}"))
}

fn plan(word: &str) -> Result<LoadPlan, String> {
    let (name, rate) = word.split_once('=').map_or((word, None), |(name, rate)| (name, Some(rate)));
    let rate = rate.map(str::parse).transpose().map_err(|_| format!("{word}: a rate is a number"))?;
    Ok(LoadPlan { name: name.into(), rate, rhythm: None })
}

fn give_rhythms(plans: &mut [LoadPlan], cycle: Duration) {
    // No two move in step.
    for (number, plan) in (0..).zip(plans) {
        let ns = cycle.as_ns() / 100 * (100 + 7 * number);
        let part = |over, under| Duration::from_ns(ns / under * over);
        plan.rhythm = Some(Rhythm { cycle: part(1, 1), on_min: part(1, 2), on_max: part(5, 6) });
    }
}

const SEED: u64 = 1;

fn run(request: &Request) -> Result<(), String> {
    let loads = load::start(&request.plans, SEED, &request.options).map_err(|error| error.to_string())?;
    let keepers = loads.keepers();
    let keepers: Vec<_> =
        keepers.iter().map(|keeper| json!({"load": keeper.name, "pid": keeper.pid, "work": keeper.work})).collect();
    println!("{}", json!({ "keepers": keepers }));
    std::thread::sleep(Wait::from_nanos(request.length.as_ns()));
    let (records, caveats, rates) = loads.stop_counted();
    let rates: Vec<Vec<_>> = rates
        .iter()
        .map(|rates| rates.iter().map(|rate| json!([rate.name, rate.unit, rate.per_second, rate.missing])).collect())
        .collect();
    let text = serde_json::to_string_pretty(&json!({ "loads": records, "caveats": caveats, "counted": rates }));
    println!("{}", text.map_err(|error| error.to_string())?);
    Ok(())
}
