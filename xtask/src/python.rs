//! The functions of Python's package that are commands: one for each, with its flags as keyword arguments.
//!
//! They are made from the same list of flags as manual pages and completions, so that Python has what the command has.

use clap::{Arg, ArgAction, Command};
use prazo::schema;
use prazo_core::time::Duration;
use std::any::TypeId;
use std::fmt::Write as _;
use std::path::PathBuf;

const HEAD: &str = r#""""Each command of prazo as a function: keyword arguments are its flags, with underscores for hyphens.

This module is generated: ``cargo xtask python > answer/python/prazo/commands.py`` writes it.

``True`` is a flag without a value, a list repeats a flag, and None leaves it out. A function gives what ``--json``
prints, described by docs/schema, or the text of a command that prints no JSON. Exit status 0, 1 and 3 are answers.

Raises
------
RefusedError
    Exit status 2: the request is invalid; it must be changed.
FailedError
    Exit status 4: the system failed, or refused what the request needed.
KeyboardInterrupt
    Ctrl-C. The command has then put the system back.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal, Union

from . import cluster as _cluster
from . import command as _command
from ._values import Answer, Progress, Time

_Path = Union[str, "os.PathLike[str]"]
#: Text, or a number that the flag takes as text.
_Word = Union[str, int, float, "os.PathLike[str]"]
"#;

/// What every function raises.
const RAISES: &str = "
    Raises
    ------
    RefusedError
        The request is invalid (exit status 2); change it.
    FailedError
        The system failed, or refused what the request needed (exit status 4).
    KeyboardInterrupt
        Ctrl-C. The command has then put the system back.
";

/// Words that Python keeps for itself, as far as a flag or a command could have them.
const KEYWORDS: [&str; 12] =
    ["and", "as", "for", "from", "global", "if", "import", "in", "is", "lambda", "not", "with"];
/// Commands for which the package has another function of the same name.
const REPLACED: [&str; 1] = ["watch"];
/// Commands whose work the workers of a Dask client can do.
const WITH_CLIENT: [&str; 2] = ["lab hunt", "sched experiment"];
/// Commands that count what they have done, so that Python can show a bar.
const COUNTING: [&str; 4] = ["gate", "lab hunt", "sched experiment", "study run"];
/// Parameters of Python alone: the name, the declaration, the documented type and the meaning.
const CLIENT: [&str; 4] = [
    "client",
    "client: Any = None",
    "dask.distributed.Client, optional",
    "Its workers do the work. Without it, this machine does, or the workers of ``scheduler``.",
];
const PROGRESS: [&str; 4] = [
    "progress",
    "progress: bool | Progress | None = None",
    "callable or bool, optional",
    "Called with the parts done and the parts in all. True shows a bar where tqdm is installed.",
];
/// Columns of a documentation string.
const WIDTH: usize = 110;

/// Prints the module.
pub(crate) fn print() -> Result<(), String> {
    print!("{}", module(prazo_cli::command()));
    Ok(())
}

/// The module's text.
fn module(mut command: Command) -> String {
    command.build();
    let mut functions = Vec::new();
    collect(&command, &mut functions);
    functions.sort_by(|one, other| one.name.cmp(&other.name));
    let mut text = HEAD.to_owned();
    text.push_str("\n__all__ = [\n");
    for function in functions.iter().filter(|function| !REPLACED.contains(&function.name.as_str())) {
        let _ = writeln!(text, "    \"{}\",", function.name);
    }
    text.push_str("]\n");
    functions.iter().for_each(|function| function.write(&mut text));
    text
}

fn collect(command: &Command, functions: &mut Vec<Function>) {
    let mut inner = command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help").peekable();
    // `prazo tune --dry-run` is a command, though others stand below it.
    if inner.peek().is_none() || !(command.is_subcommand_required_set() || command.get_bin_name() == Some("prazo")) {
        functions.push(Function::of(command));
    }
    inner.for_each(|one| collect(one, functions));
}

/// A name of Python: `from_` for `--from`.
fn name(words: &str) -> String {
    let name = words.replace(['-', ' '], "_");
    if KEYWORDS.contains(&name.as_str()) { format!("{name}_") } else { name }
}

/// One command.
struct Function {
    name: String,
    words: Vec<String>,
    about: String,
    parameters: Vec<Parameter>,
    prints: Prints,
}

/// What a command prints.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prints {
    Json,
    /// JSON, or text where a format is named.
    JsonOrText,
    Text,
}

impl Function {
    fn of(command: &Command) -> Self {
        let words: Vec<String> =
            command.get_bin_name().unwrap_or_default().split(' ').skip(1).map(str::to_owned).collect();
        let json = command.get_arguments().find(|arg| arg.get_long() == Some("json"));
        // A function always passes --json, so flags that conflict with --json are left out.
        let excludes_json = |arg: &Arg| command.get_arg_conflicts_with(arg).iter().any(|other| Some(*other) == json);
        let is_own = |arg: &&Arg| {
            !arg.is_hide_set() && !["help", "version", "json"].contains(&arg.get_id().as_str()) && !excludes_json(arg)
        };
        let mut parameters: Vec<Parameter> = command.get_arguments().filter(is_own).map(Parameter::of).collect();
        // A program with its arguments takes the place of positional ones where there are none.
        let has_positional = parameters.iter().any(|one| one.place == Place::Positional);
        for one in parameters.iter_mut().filter(|one| one.place == Place::Program) {
            one.is_rest = !has_positional;
        }
        Self {
            name: name(&words.join(" ")),
            words,
            about: command.get_about().map(ToString::to_string).unwrap_or_default(),
            parameters,
            prints: match json {
                None => Prints::Text,
                Some(json)
                    if command.get_arg_conflicts_with(json).iter().any(|arg| arg.get_long() == Some("format")) =>
                {
                    Prints::JsonOrText
                }
                Some(_) => Prints::Json,
            },
        }
    }

    fn write(&self, text: &mut String) {
        let (before, after) = self.parameters.iter().partition::<Vec<_>, _>(|one| one.comes_first());
        let mut lines: Vec<String> = before.iter().map(|one| one.declared()).collect();
        // What follows a rest can be named only by keyword.
        if !after.is_empty() && !before.iter().any(|one| one.is_rest) {
            lines.push("*".to_owned());
        }
        lines.extend(after.iter().map(|one| one.declared()));
        lines.extend(self.of_python().map(|[_, declared, ..]| declared.to_owned()));
        let (type_, what) = self.returned();
        let _ = write!(text, "\n\ndef {}(\n", self.name);
        for line in &lines {
            let _ = writeln!(text, "    {line},");
        }
        let _ = writeln!(text, ") -> {type_}:");
        let _ = writeln!(text, "    \"\"\"{}: ``prazo {}``.", self.about.trim_end_matches('.'), self.words.join(" "));
        text.push_str("\n    Parameters\n    ----------\n");
        for one in before.iter().chain(&after) {
            let _ = writeln!(text, "    {} : {}", one.documented_name(), one.documented_type());
            wrapped(&one.help, text);
        }
        for [name, _, type_, help] in self.of_python() {
            let _ = writeln!(text, "    {name} : {type_}");
            wrapped(help, text);
        }
        let _ = write!(text, "\n    Returns\n    -------\n    {}\n", documented(&type_));
        wrapped(&what, text);
        text.push_str(RAISES);
        text.push_str("    \"\"\"\n");
        self.write_call(&type_, text);
    }

    fn write_call(&self, type_: &str, text: &mut String) {
        let quoted: Vec<String> = self.words.iter().map(|word| format!("\"{word}\"")).collect();
        let of = |place: Place| self.parameters.iter().filter(move |one| one.place == place);
        let listed = |place: Place| of(place).map(Parameter::passed).collect::<Vec<_>>().join(", ");
        let call = match self.prints {
            Prints::Json => "answer",
            Prints::JsonOrText => "answer_or_text",
            Prints::Text => "text",
        };
        if self.of_python().next().is_some() {
            let _ = writeln!(text, "    _printed: {type_} = _cluster.answer(");
            let client = if self.is_one_of(&WITH_CLIENT) { "client" } else { "None" };
            let _ = writeln!(text, "        {client},\n        progress,");
        } else {
            let _ = writeln!(text, "    _printed: {type_} = _command.{call}(");
        }
        let _ = writeln!(text, "        [{}],", quoted.join(", "));
        let _ = writeln!(text, "        [{}],", listed(Place::Positional));
        let _ = writeln!(text, "        [{}],", listed(Place::Program));
        for Parameter { name, .. } in of(Place::Flag) {
            let _ = writeln!(text, "        {name}={name},");
        }
        text.push_str("    )\n    return _printed\n");
    }

    /// The parameters that are no flags.
    fn of_python(&self) -> impl Iterator<Item = [&'static str; 4]> {
        let client = self.is_one_of(&WITH_CLIENT).then_some(CLIENT);
        client.into_iter().chain(self.is_one_of(&COUNTING).then_some(PROGRESS))
    }

    fn is_one_of(&self, commands: &[&str]) -> bool {
        commands.contains(&self.words.join(" ").as_str())
    }

    /// Its type, and where that is described.
    fn returned(&self) -> (String, String) {
        if self.prints == Prints::Text {
            return ("str".to_owned(), "What it prints.".to_owned());
        }
        // One document whatever the flags has the command's name, or is one for all forms of it.
        let words = self.words.join("-");
        let documents = schema::of_command(&words);
        let type_ = match documents.as_slice() {
            _ if self.prints == Prints::JsonOrText => "Any",
            [(name, is_array)] if words.starts_with(name) => {
                if *is_array {
                    "list[Answer]"
                } else {
                    "Answer"
                }
            }
            _ => "Any",
        };
        let files: Vec<String> = documents.iter().map(|(file, _)| format!("docs/schema/{file}.json")).collect();
        let described = if files.is_empty() { "docs/json.md".to_owned() } else { files.join(", ") };
        let text = if self.prints == Prints::JsonOrText { " With ``format``, what it prints." } else { "" };
        (type_.to_owned(), format!("What ``--json`` prints; {described} has its keys.{text}"))
    }
}

fn documented(type_: &str) -> &str {
    match type_ {
        "list[Answer]" => "list of Answer",
        "Any" => "Answer or list of Answer",
        other => other,
    }
}

/// Where a command line has an argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Flag,
    Positional,
    /// After `--`.
    Program,
}

/// One argument of a command.
struct Parameter {
    name: String,
    place: Place,
    kind: String,
    /// True where it can be given several times.
    is_many: bool,
    /// True where it is `*name`.
    is_rest: bool,
    is_required: bool,
    is_switch: bool,
    help: String,
}

impl Parameter {
    fn of(arg: &Arg) -> Self {
        let place = match (arg.get_long(), arg.is_last_set()) {
            (Some(_), _) => Place::Flag,
            (None, true) => Place::Program,
            (None, false) => Place::Positional,
        };
        let is_many = matches!(arg.get_action(), ArgAction::Append)
            || arg.get_num_args().is_some_and(|count| count.max_values() > 1);
        Self {
            name: name(arg.get_long().unwrap_or(arg.get_id().as_str())),
            place,
            kind: kind(arg),
            is_many,
            is_rest: place == Place::Positional && is_many,
            is_required: arg.is_required_set(),
            is_switch: !arg.get_action().takes_values(),
            help: help(arg),
        }
    }

    fn comes_first(&self) -> bool {
        self.place == Place::Positional || self.is_rest
    }

    fn declared(&self) -> String {
        let Self { name, kind, .. } = self;
        if self.is_rest {
            return format!("*{name}: {kind}");
        }
        if self.place == Place::Program {
            return format!("{name}: Sequence[_Word] = ()");
        }
        if self.is_switch {
            return format!("{name}: bool = False");
        }
        let kind = if self.is_many { format!("{kind} | Sequence[{kind}]") } else { kind.clone() };
        if self.is_required { format!("{name}: {kind}") } else { format!("{name}: {kind} | None = None") }
    }

    fn documented_name(&self) -> String {
        format!("{}{}", if self.is_rest { "*" } else { "" }, self.name)
    }

    fn documented_type(&self) -> String {
        if self.is_switch {
            return "bool".to_owned();
        }
        let kind = match self.kind.as_str() {
            "_Path" => "path",
            "_Word" => "str or number",
            "Time" => "str or datetime.timedelta",
            literal if literal.starts_with("Literal") => {
                return self.optional(&format!("{{{}}}", literal.trim_start_matches("Literal[").trim_end_matches(']')));
            }
            other => other,
        };
        let kind =
            if self.is_many || self.place == Place::Program { format!("{kind}, or several") } else { kind.into() };
        self.optional(&kind)
    }

    fn optional(&self, kind: &str) -> String {
        let is_optional = !self.is_required && !self.is_rest;
        if is_optional { format!("{kind}, optional") } else { kind.to_owned() }
    }

    fn passed(&self) -> String {
        let Self { name, .. } = self;
        if self.is_rest || self.is_many || self.place == Place::Program { format!("*{name}") } else { name.clone() }
    }
}

/// The type of an argument's value.
fn kind(arg: &Arg) -> String {
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("\"{}\"", value.get_name()))
        .collect();
    if !values.is_empty() {
        return format!("Literal[{}]", values.join(", "));
    }
    let parser = arg.get_value_parser();
    let is = |types: &[TypeId]| types.iter().any(|one| parser.type_id() == *one);
    let signed = [TypeId::of::<i32>(), TypeId::of::<i64>()];
    let unsigned =
        [TypeId::of::<u8>(), TypeId::of::<u16>(), TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()];
    // A list with commas is one text as well.
    if arg.get_value_delimiter().is_none() && (is(&signed) || is(&unsigned)) {
        "int".to_owned()
    } else if is(&[TypeId::of::<PathBuf>()]) {
        "_Path".to_owned()
    } else if is(&[TypeId::of::<Duration>()]) {
        "Time".to_owned()
    } else {
        "_Word".to_owned()
    }
}

/// What an argument means, and what it is by default.
fn help(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let sentences: Vec<String> =
        help.split("\n\n").map(|one| format!("{}.", one.trim().trim_end_matches('.'))).collect();
    let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let is_named = default.is_empty() || !arg.get_action().takes_values() || help.contains("default");
    let default = if is_named { String::new() } else { format!(" By default {}.", default.join(",")) };
    format!("{}{default}", sentences.join(" "))
}

/// Text below a name, in lines of [`WIDTH`] columns.
fn wrapped(words: &str, text: &mut String) {
    let words = words.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    let mut line = String::new();
    for word in words.split_whitespace() {
        if !line.is_empty() && 8 + line.chars().count() + 1 + word.chars().count() > WIDTH {
            let _ = writeln!(text, "        {line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(text, "        {line}");
}
