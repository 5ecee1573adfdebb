//! Which string literals a person could read as words, by their form. The others are names, code, settings, or command
//! lines of other programs.

/// How a text of code begins: SQL, an entry of a password file, markup, C, and files of apt and of GRUB.
const CODE: [&str; 14] = [
    "root:",
    "SELECT ",
    "INSERT ",
    "CREATE ",
    "UPDATE ",
    "DELETE ",
    "PRAGMA ",
    "DROP ",
    "BEGIN",
    "ATTACH ",
    "<",
    "#include ",
    "deb [",
    "module2 ",
];
/// What only code has in it: an attribute of markup, and operators of a shell or of make.
const PARTS: [&str; 4] = ["=\"", "&&", "||", "$("];

/// True where a text has two words or more, one of them outside of placeholders.
pub(super) fn has_words(text: &str) -> bool {
    words(text) >= 2 && words(&filled(text)) >= 1
}

fn words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 2).count()
}

/// True where a text is for a program and not for a person.
pub(super) fn is_for_a_program(text: &str) -> bool {
    let filled = filled(text);
    CODE.iter().any(|start| text.trim_start().starts_with(start))
        || PARTS.iter().any(|part| text.contains(part))
        || is_block(&filled)
        || is_toml(&filled)
        || is_command_line(&filled)
}

/// What stands in the place of a placeholder: no letter and no mark.
const FILLED: char = '\u{fffd}';

/// The text with its placeholders filled and its doubled braces single, as `format!` reads them.
fn filled(text: &str) -> String {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let (letter, length) = if rest.starts_with("{{") || rest.starts_with("}}") {
            (first, 2)
        } else if let Some(length) = placeholder(rest) {
            (FILLED, length)
        } else {
            (first, first.len_utf8())
        };
        filled.push(letter);
        rest = &rest[length..];
    }
    filled
}

/// The length of the placeholder that a text begins with; braces of C have blanks or texts between them.
fn placeholder(text: &str) -> Option<usize> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    (!name.contains(|c: char| c.is_whitespace() || "\"{".contains(c))).then_some(name.len() + 2)
}

/// Ends as a statement or a block does: with a semicolon, or with a brace behind one or on a line of its own. A text
/// that ends with a semicolon and a blank is the first part of a sentence.
fn is_block(text: &str) -> bool {
    !text.ends_with("; ") && text.trim_end().trim_end_matches(['}', ' ']).ends_with([';', '\n'])
}

/// Heads of tables, and lines of `key = value` where the value has no blanks.
fn is_toml(text: &str) -> bool {
    let is_line = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [] | ["]"] | [_, "=", _] => true,
        [head] => head.starts_with('[') && head.ends_with(']'),
        _ => false,
    };
    text.lines().all(is_line)
}

/// More than two fifths of the words are flags or settings, such as `--quiet` and `gb=1`.
fn is_command_line(text: &str) -> bool {
    let arguments = text.split_whitespace().filter(|word| is_flag(word) || is_setting(word)).count();
    5 * arguments > 2 * text.split_whitespace().count()
}

fn is_flag(word: &str) -> bool {
    word.starts_with('-') && word.trim_start_matches('-').starts_with(char::is_alphanumeric)
}

fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, value)| {
        name.ends_with(char::is_alphanumeric) && !value.is_empty() && !value.starts_with(['=', '('])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_prose(text: &str) -> bool {
        has_words(text) && !is_for_a_program(text)
    }

    #[test]
    fn texts_for_people_are_prose_with_placeholders_flags_and_settings_in_them() {
        for text in [
            "processors {found}",
            "cannot write {path}: {error}",
            "is not valid; {}",
            "write TASK=VALUE, as in gyro=1234",
            "name one for each task, as in --pid {first}=PID, --command {first}=CMD or --unit {first}=UNIT, or use --dry-run",
            "write { \"ref\": \"unique\", \"period\": 10000 }",
            "state both, as in supply = { budget = \"4ms\", period = \"10ms\" }",
            "trigger = \"frame\" needs a network card",
            "question = \"How late is the worst activation of this boot?\"\nseed = {}\n",
            "response = t3 - t1, interrupt = t2 - t1",
            "{knob}: changed from {} -> {to}",
            "{name}=(left out)",
            ". A larger terminal shows {}",
            ". No room for: {}",
            "the seeds of {study} differ; ",
        ] {
            assert!(is_prose(text), "{text}");
        }
    }

    #[test]
    fn what_has_no_words_of_its_own_is_not_prose() {
        for text in ["word", "{name} {part}", "{path}: {error}", "{:<16} {linux:>12}", "M{x:.1} {:.1}V{y:.1}"] {
            assert!(!is_prose(text), "{text}");
        }
    }

    #[test]
    fn code_settings_and_command_lines_are_not_prose() {
        for text in [
            "SELECT a FROM b",
            "#include <stdio.h>\n#include <stdlib.h>\n",
            "deb [signed-by={}] {} {suite} main\n",
            "APT::Architectures {{ \"amd64\"; \"{}\"; }};",
            "menuentry \"prazo\" {{\n  multiboot2 /boot/kernel {words}\n{file}  boot\n}}\n",
            "message histogram {\n    optional int32 cpu;\n}",
            "if (a[0] > 1e9) { printf(\"%f\\n\", a[0]); memset(a, 0, sizeof *a * n); }",
            "{}<text x=\"{}\" y=\"{}\">{}</text>",
            "cd {} && rm -rf in out",
            "all: $(patsubst %,part%.o,$(PARTS))\n",
            "length = \"{}\"\nraw = true",
            "]\n\n[[probe]]\nid = \"task\"\n",
            "null_blk gb=1 bs=512 memory_backed=1 discard=1",
            "hackbench --groups 1 --fds 20 --datasize 100 --loops {size}",
            "--server --bind {} --port {} --interval 0",
        ] {
            assert!(!is_prose(text), "{text}");
        }
    }
}
