#!/usr/bin/env bash
# Tries each program in target/dist as a stranger would: its size, its start, no path of this machine in it, and its commands,
# under qemu-user where the processor is another one. Arguments are programs [default: all]; `--commands` before them leaves out the
# limits of size and start. A goal that is known not to be met is counted as such. The last line is "N passed, M failed, K skipped",
# with "J goals not met" behind it where there are any.
set -uo pipefail
cd "$(dirname "$0")/.."
passed=0 failed=0 skipped=0 missed=0
# The goal for a program with its agents, and what it may have until that is met: what docs/packages.md says, and a tenth.
goal=15000000 budget=40000000
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
ok() { passed=$((passed + 1)); printf '  ok      %s\n' "$*"; }
bad() { failed=$((failed + 1)); printf '  FAILED  %s\n' "$*"; }
skip() { skipped=$((skipped + 1)); printf '  skipped %s\n' "$*"; }
emulator() { # MACHINE: what runs its programs here; nothing for this machine's own
  case $1 in
    "$(uname -m)") ;;
    armv7l) echo qemu-arm-static ;;
    *) echo "qemu-$1-static" ;;
  esac
}
# The command's status is one of those that an answer has.
try() { # NAME STATUSES COMMAND...
  local name=$1 statuses=$2; shift 2
  "$@" >"$work/out" 2>&1; local status=$?
  if [[ " $statuses " == *" $status "* ]]; then ok "$name"; else bad "$name: status $status: $(tail -n 1 "$work/out")"; fi
}
limits=yes
if [ "${1:-}" = --commands ]; then limits=no; shift; fi
[ $# -gt 0 ] || set -- target/dist/prazo-*
for program; do
  [ -f "$program" ] || { echo "target/dist has no program: cargo xtask dist"; exit 2; }
  machine=${program##*-}
  echo "$machine: $(stat -c %s "$program") bytes"
  size=$(stat -c %s "$program")
  [ $limits = no ] || { [ "$size" -lt $budget ] && ok "less than $((budget / 1000000)) MB" || bad "less than $((budget / 1000000)) MB"; }
  [ $limits = no ] || [ "$size" -lt $goal ] || { missed=$((missed + 1)); printf '  not met  %s\n' "the goal of $((goal / 1000000)) MB (docs/packages.md)"; }
  named=$(strings -a "$program" | grep -F -m 1 -e "$PWD/" -e "${CARGO_HOME:-$HOME/.cargo}/")
  [ -z "$named" ] && ok "no path of this machine" || bad "no path of this machine: ${named:0:100}"
  file=$(readelf -d "$program" 2>/dev/null | grep -c NEEDED)
  [ "$file" -eq 0 ] && ok "static" || bad "static: needs $file libraries"
  if readelf -SW "$program" | grep -q '\.symtab'; then bad "no symbols"; else ok "no symbols"; fi
  case $machine in
    x86_64 | aarch64 | riscv64)
      # What is left are the C compiler's own, which say where the tables begin and end.
      tables=$((0x$(readelf -SW "$program" | sed -nE 's/.* \.eh_frame +PROGBITS +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) .*/\1/p' | grep . || echo 0)))
      if [ "$tables" -lt 1000 ]; then ok "no tables for unwinding"; else bad "no tables for unwinding: $tables bytes"; fi ;;
  esac
  run=$(emulator "$machine")
  if [ -n "$run" ] && ! command -v "$run" >/dev/null; then skip "its commands: no $run"; continue; fi
  try "--version" 0 $run "$program" --version
  if [ -z "$run" ] && [ $limits = yes ]; then
    # The fastest of 20 starts: what the program takes, without what else the machine does.
    fastest=1000000
    for _ in $(seq 20); do
      begin=${EPOCHREALTIME/./}; "$program" --version >/dev/null; took=$((${EPOCHREALTIME/./} - begin))
      [ $took -lt $fastest ] && fastest=$took
    done
    [ $fastest -lt 20000 ] && ok "starts in $fastest µs, less than 20 ms" || bad "starts in $fastest µs, not less than 20 ms"
  fi
  try "check --root" "0 1 3" $run "$program" check --root "$work" --json
  try "sched test" 0 $run "$program" sched test examples/crane.toml -m 4
  rm -rf "$work/runs"
  try "import" 0 $run "$program" import examples/cyclictest.json -o "$work/runs"
  try "report" "0 1 3" $run "$program" report "$work/runs/cyclictest.prazo" --deadline 1ms -o "$work/runs/report.html"
done
echo "$passed passed, $failed failed, $skipped skipped$([ $missed -eq 0 ] || echo ", $missed goals not met")"
[ "$failed" -eq 0 ]
