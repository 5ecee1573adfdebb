#!/usr/bin/env python3
"""Changes one thing at a time in a crate and asks its tests: those changes that no test notices are listed.

All changes ("mutants") are compiled at once, each behind a number that PRAZO_MUTANT switches on, so that one build serves all. A seed
draws which; the same seed, count and source give the same mutants. The changes are made in a copy of the tracked files, by pattern and not by
grammar: what does not compile is put back and counted as unviable.

    scripts/mutants.py scheduling/checker --count 40 --seed 7 -- --package prazo-checker --package prazo-analysis --lib --test certificates

What follows `--` is given to `cargo test --no-run`; without it: the crate's own tests. Exit status 1: some mutant survived.
"""
import argparse, json, os, pathlib, random, re, resource, shutil, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUPPORT = '''
/// True for the mutant that is switched on.
#[doc(hidden)]
#[allow(clippy::all, missing_docs)]
pub(crate) fn mutant(number: usize) -> bool {
    extern crate std;
    static ON: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var("PRAZO_MUTANT").ok().and_then(|on| on.parse().ok()).unwrap_or(0)) == number
}
'''
OPPOSITE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ATOM = r"[*&!]*[\w:]+(?:\.\w+|\(\w*\)|\[\w+\])*"
BEFORE = "|".join(rf"(?<={re.escape(text)})" for text in ["(", "|", "{", "!", "if ", "&& ", "|| ", "= ", "| ", "> ", "{ "])
COMPARED = re.compile(rf"(?:{BEFORE})({ATOM}) (<=|>=|==|!=|<|>) ({ATOM})(?=[),;}}]| \{{| &&| \|\||$| =>| \}})")
COUNTED = re.compile(r" ([-+*/]) ([12])(?![\w.:])")
NEGATED = re.compile(r"(^\s*(?:\} else )?if |\bif (?=[^{]* =>))((?!let )[^{}]+?)( \{$| =>)")
CHECKED = re.compile(r"^(\s+)([a-z_][\w:.]*\(.*\)\?;)$")
EXTREME = re.compile(r"(?<![.\w)])(\b[\w.]+(?:\(\w*\))?)\.(min|max)\(([\w.]+(?:\(\))?)\)")
TEMPTING = [COMPARED, COUNTED, NEGATED, CHECKED, EXTREME]


def changed(line, pattern, match, number):
    """The line with one change that only the mutant of this number makes."""
    on = f"crate::mutant({number})"
    if pattern is COMPARED:
        a, op, b = match.groups()
        new = f"(if {on} {{ {a} {OPPOSITE[op]} {b} }} else {{ {a} {op} {b} }})"
        what = f"{a} {op} {b}: {OPPOSITE[op]}"
    elif pattern is COUNTED:
        op, n = match.groups()
        new, what = f" {op} (if {on} {{ {int(n) - 1} }} else {{ {n} }})", f"{op} {n}: {int(n) - 1}"
    elif pattern is NEGATED:
        before, condition, after = match.groups()
        new, what = f"{before}{on} != ({condition}){after}", f"not ({condition})"
    elif pattern is CHECKED:
        indent, statement = match.groups()
        new, what = f"{indent}if !{on} {{ {statement} }}", f"left out: {statement}"
    else:
        a, which, b = match.groups()
        other = {"min": "max", "max": "min"}[which]
        new, what = f"(if {on} {{ {a}.{other}({b}) }} else {{ {a}.{which}({b}) }})", f"{a}.{which}({b}): {other}"
    return line[: match.start()] + new + line[match.end() :], what


def candidates(crate):
    """Every change that is tempting, as (file, line, pattern, place in the line)."""
    for file in sorted((crate / "src").rglob("*.rs")):
        if file.name == "tests.rs" or file.name.endswith("_tests.rs") or "tests" in file.relative_to(crate).parts:
            continue
        for at, line in enumerate(file.read_text().split("\n")):
            if "#[cfg(test)]" in line:
                break
            code = line.strip()
            if code.startswith(("//", "#", "const ", "pub const ", "static ", "use ", "assert", "debug_assert", "where")):
                continue
            for pattern in TEMPTING:
                if '"' in line and pattern is not CHECKED:
                    continue
                yield from ((file, at, pattern, match.start()) for match in pattern.finditer(line))


def drawn(crate, count, seed):
    """At most `count` changes, one a line."""
    dice, seen, chosen = random.Random(seed), set(), []
    all_of_them = list(candidates(crate))
    for file, at, pattern, start in dice.sample(all_of_them, len(all_of_them)):
        if (file, at) not in seen and len(chosen) < count:
            seen.add((file, at))
            chosen.append((file, at, pattern, start))
    return chosen, len(all_of_them)


def build(folder, cargo):
    """The test programs, or the places that do not compile."""
    command = ["cargo", "test", "--no-run", "--message-format", "json", *cargo]
    out = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    programs, wrong = [], set()
    for message in map(json.loads, filter(lambda line: line.startswith("{"), out.stdout.split("\n"))):
        if message.get("executable") and message["profile"]["test"]:
            programs.append((message["target"]["name"], message["executable"], pathlib.Path(message["manifest_path"]).parent))
        if message.get("message", {}).get("level") == "error":
            for span in message["message"]["spans"]:
                wrong.update((span["file_name"], line) for line in range(span["line_start"], span["line_end"] + 1))
    return programs, wrong, out.stderr


def run(program, number, seconds):
    """`passed`, `failed` or `timed out`, and how long that took."""
    _, executable, folder = program
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    environment = {**os.environ, "PRAZO_MUTANT": str(number), "RUST_BACKTRACE": "0", "RUST_MIN_STACK": "8388608"}
    start = time.monotonic()
    try:
        done = subprocess.run([executable, "--quiet"], cwd=folder, env=environment, timeout=seconds, preexec_fn=limit,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        outcome = "passed" if done.returncode == 0 else "failed"
    except subprocess.TimeoutExpired:
        outcome = "timed out"
    return outcome, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("crate", help="its folder, such as scheduling/checker")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--copy", type=pathlib.Path, default=ROOT / "target/mutants", help="where the changed copy is made and built")
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options, cargo = parser.parse_args(sys.argv[1:end]), sys.argv[end + 1:]
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    for name in filter(None, tracked.split("\0")):
        source, copy = ROOT / name, options.copy / name
        if not source.is_file() or copy.is_file() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, copy)
    crate = options.copy / options.crate
    cargo = cargo or ["--package", re.search(r'name = "(.*?)"', (crate / "Cargo.toml").read_text()).group(1)]
    chosen, known = drawn(crate, options.count, options.seed)
    texts = {file: file.read_text().split("\n") for file in {file for file, *_ in chosen} | {crate / "src/lib.rs"}}
    originals = {file: list(lines) for file, lines in texts.items()}
    mutants = {}
    for number, (file, at, pattern, start) in enumerate(chosen, 1):
        match = next(match for match in pattern.finditer(texts[file][at]) if match.start() == start)
        texts[file][at], what = changed(texts[file][at], pattern, match, number)
        mutants[number] = (file, at, what)
    texts[crate / "src/lib.rs"] += SUPPORT.split("\n")
    viable = dict(mutants)
    while True:
        for file, lines in texts.items():
            file.write_text("\n".join(lines))
        programs, wrong, log = build(options.copy, cargo)
        if not wrong:
            break
        bad = [n for n, (file, at, _) in viable.items() if (str(file.relative_to(options.copy)), at + 1) in wrong]
        if not bad:
            sys.exit(log)
        for number in bad:
            file, at, _ = viable.pop(number)
            texts[file][at] = originals[file][at]
    if not programs:
        sys.exit(log)
    usual = {}
    for program in programs:
        outcome, seconds = run(program, 0, 1_200)
        if outcome == "passed":
            usual[program[1]] = seconds
        else:
            print(f"{program[0]} has {outcome} without any change: it is not asked")
    programs = sorted((program for program in programs if program[1] in usual), key=lambda program: usual[program[1]])
    print(f"{options.crate}: {known} changes known, {len(mutants)} drawn with seed {options.seed}, {len(viable)} compile;",
          f"{len(programs)} test programs, {sum(usual.values()):.0f} s", flush=True)
    counts = {"failed": 0, "timed out": 0, "passed": 0}
    for number, (file, at, what) in sorted(viable.items()):
        for program in programs:
            outcome, _ = run(program, number, 20 + 5 * usual[program[1]])
            if outcome != "passed":
                break
        counts[outcome] += 1
        word = {"passed": "SURVIVED", "failed": f"caught by {program[0]}", "timed out": f"timed out in {program[0]}"}[outcome]
        print(f"{number:3} {file.relative_to(options.copy)}:{at + 1} {what}: {word}", flush=True)
    print(f"{options.crate}: {len(mutants)} tried, {counts['failed']} caught, {counts['timed out']} timed out,",
          f"{len(mutants) - len(viable)} unviable, {counts['passed']} survived")
    for file, lines in originals.items():
        file.write_text("\n".join(lines))
    sys.exit(counts["passed"] > 0)


if __name__ == "__main__":
    main()
