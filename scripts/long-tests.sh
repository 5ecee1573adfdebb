#!/usr/bin/env bash
# The checks that take many minutes: a full minute at 10 kHz, a synthetic day through the real writer, a report of 10^8
# activations, kills by the hundred, a million task sets. Prints "N passed, M failed" and fails if one failed.
# KILLS=n changes the rounds of killing, SETS=n the number of task sets, DRAWS=n how often property tests draw other cases.
set -uo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet --package prazo-cli || exit 1
cargo build --release --quiet --package prazo-run --example synthetic || exit 1
prazo=$PWD/target/release/prazo synthetic=$PWD/target/release/examples/synthetic
desk=$(mktemp -d) passed=0 failed=0 skipped=0
trap 'rm -rf "$desk"' EXIT
export PRAZO_STATE_DIR=$desk/state

# figure FILE KEY: a number of a JSON object's first level, as `measure --json` prints it.
figure() { sed -n "s/^  \"$2\": \([0-9]*\),*$/\1/p" "$1"; }

check() { # check NAME COMMAND...
  printf '\n== %s\n' "$1"
  "${@:2}"
  case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)); echo "SKIPPED: $1" ;;
    *) failed=$((failed + 1)); echo "FAILED: $1" ;;
  esac
}

expect() { # expect WHAT FOUND RELATION WANTED
  if [ -n "$2" ] && [ "$2" "$3" "$4" ]; then echo "$1: $2"; else echo "$1: found '$2', wanted $3 $4"; return 1; fi
}

a_minute_at_10_khz() { # a_minute_at_10_khz METHOD
  chrt --fifo 1 true 2>/dev/null || return 77
  local out=$desk/minute.json cpus
  cpus=$(nproc)
  "$prazo" measure timer --method "$1" -p fifo -i 100us -D 60s --warm-up 1s --plain --json -o "$desk/minute-$1.prazo" \
    >"$out" 2>/dev/null || return 1
  local due served skipped outstanding
  due=$(figure "$out" due) served=$(figure "$out" served) skipped=$(figure "$out" skipped) outstanding=$(figure "$out" outstanding)
  echo "due $due, served $served, skipped $skipped"
  expect "lost" "$(figure "$out" lost)" -eq 0 || return 1
  expect "served + skipped + outstanding" $((served + skipped + outstanding)) -eq "$due" || return 1
  # setitimer's grid starts a little late, so that its last point may lie beyond the end.
  expect "due" "$due" -ge $((600000 * cpus - cpus)) || return 1
}

guests_of() { # guests_of NEED ARCHITECTURE TESTS
  (. scripts/setup.sh && "$1") || return 77
  # It also builds the agent, for four to five minutes of processor time.
  "$prazo" lab fetch --architecture "$2" --without headers || return 1
  PRAZO_SKIPS=$desk/skips cargo test --quiet --package prazo-study --test guests -- "$3" || return 1
  [ ! -s "$desk/skips" ] || { cat "$desk/skips"; return 1; }
}

properties_hold_for_other_draws() {
  local names round
  # The functions of property tests are the tests that have arguments.
  names=$(grep -rhA3 '#\[test\]' --include=*.rs scheduling measuring answer testing xtask | sed -nE 's/^ *fn ([a-z0-9_]+)\(([^)].*)?$/\1/p')
  for round in $(seq "${DRAWS:-20}"); do
    # shellcheck disable=SC2086 # every name is an argument
    env -u PROPTEST_RNG_SEED cargo test --workspace --features prazo-cli/parquet --quiet -- $names >"$desk/properties.log" 2>&1 ||
      { cat "$desk/properties.log"; return 1; }
    echo "round $round holds"
  done
}

a_day_fits_in_50_mb() {
  local said
  said=$("$synthetic" --hours 24 --hz 1000 --cpus 2 "$desk/day.prazo") || return 1
  echo "$said"
  expect "bytes" "$(stat -c %s "$desk/day.prazo")" -lt 50000000 || return 1
  expect "left beside the file" "$(find "$desk" -name 'day.prazo-*' | wc -l)" -eq 0 || return 1
  # "resident after each fifth [a, b, c, d, e] kB": at first SQLite's page cache fills, then nothing may grow any more.
  local fifths; fifths=$(sed 's/.*\[\(.*\)\].*/\1/; s/,//g' <<<"$said")
  set -- $fifths
  expect "resident kB at the end" "${5:-}" -lt 20480 || return 1
  expect "resident kB at the end" "${5:-}" -lt $((${4:-0} + 1024)) || return 1
  "$prazo" report "$desk/day.prazo" >/dev/null || return 1
}

a_report_of_1e8_is_small() {
  "$synthetic" --seconds 50000 --hz 1000 --cpus 2 "$desk/large.prazo" || return 1
  "$prazo" report "$desk/large.prazo" -o "$desk/large.html" || return 1
  expect "bytes" "$(stat -c %s "$desk/large.html")" -lt 3000000
}

killed_again_and_again() { # killed_again_and_again ROUNDS: each kills a run between 0 and 3 s after its start
  local round file pid state died=0
  for ((round = 1; round <= $1; round++)); do
    file=$desk/kill.prazo
    rm -f "$file"*
    "$prazo" measure timer -p other -i 1ms -D 60s --plain -o "$file" 2>/dev/null >/dev/null &
    pid=$!
    sleep "$((RANDOM % 3)).$((RANDOM % 10))"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    [ -e "$file" ] || continue # killed before there was a file
    "$prazo" export "$file" --json >"$desk/kill.json" 2>"$desk/kill.err"
    state=$?
    # A file that was killed while it was made is empty or has no series yet; anything else must open as a run that died.
    if [ $state -ne 0 ]; then
      grep -Eq 'not a prazo run file|damaged' "$desk/kill.err" && [ "$(stat -c %s "$file")" -lt 4097 ] && continue
      echo "round $round: $(cat "$desk/kill.err")"
      return 1
    fi
    grep -q '"ending":{"kind":"died"}' "$desk/kill.json" || { echo "round $round: not a run that died"; return 1; }
    [ "$(find "$desk" -name 'kill.prazo-*' | wc -l)" -eq 0 ] || { echo "round $round: more than one file left"; return 1; }
    died=$((died + 1))
  done
  "$prazo" tune undo >/dev/null || return 1
  expect "runs that opened" "$died" -gt $(($1 / 2))
}

rounds_of() { # rounds_of N TEST...: the same test binary again and again, with other random times
  local round
  for ((round = 1; round <= $1; round++)); do
    cargo test --quiet --package "${@:2}" >"$desk/round.log" 2>&1 || { tail -40 "$desk/round.log"; return 1; }
  done
  echo "$1 rounds"
}

check "a minute at 10 kHz, clock_nanosleep: nothing lost" a_minute_at_10_khz clock-nanosleep
check "a minute at 10 kHz, timerfd: nothing lost" a_minute_at_10_khz timerfd
check "a minute at 10 kHz, POSIX timer: nothing lost" a_minute_at_10_khz posix-timer
check "24 hours at 1 kHz on 2 processors fit in 50 MB, memory flat" a_day_fits_in_50_mb
check "a report of 10^8 activations is under 3 MB" a_report_of_1e8_is_small
check "a measurement killed at random times opens" killed_again_and_again "${KILLS:-200}"
check "the writer killed at random times: 600 kills" rounds_of 50 prazo-run --test killed
check "the journal's owner killed at random times: 600 kills" \
  env PRAZO_TEST_KILLED_ROUNDS=600 cargo test --quiet --package prazo-platform --test killed
check "kills under loads, full disks, locked files" rounds_of 5 prazo-cli --test faults
check "property tests with other draws" properties_hold_for_other_draws
check "10^6 random small sets: what any test proves never misses" \
  env PRAZO_SETS="${SETS:-1000000}" cargo test --release --quiet --package prazo-analysis --test soundness --test mixed
check "the lab's QEMU is fetched into an empty cache (needs a network)" \
  cargo test --quiet --package prazo-cli --test lab -- --ignored

check "proven sets never miss on Linux, and missing ones do: 300 and 120 sets in guests of 4 and 8 processors (hours)" \
  cargo run --quiet --package xtask -- linux-edf
check "10^5 random sets: the simulator keeps what analysis promises" \
  env PRAZO_SETS="${SIMULATED_SETS:-100000}" cargo test --release --quiet --package prazo-sim --test analysis
check "10^5 random sets: the simulator agrees with its twin" \
  env PRAZO_SETS="${SIMULATED_SETS:-100000}" cargo test --release --quiet --package prazo-sim --test twin --test criticality
check "10^5 random sets: no proven set that suspends itself, locks or has a supply misses in the simulator" \
  env PRAZO_SETS="${SIMULATED_SETS:-100000}" cargo test --release --quiet --package prazo-sim --test waiting --test parts
check "watching 50 deployed tasks at 100 Hz takes at most 3 * 10^7 instructions a second" \
  cargo test --release --quiet --package prazo-cli --test deploy_lab -- --ignored

check "224 planted faults are named by prazo watch" \
  cargo test --quiet --package prazo-cli --test watch -- --ignored --nocapture

check "guests of 64-bit Arm: the same seed gives the same samples (needs a network the first time)" guests_of need_arm64 aarch64 64_bit_arm
check "guests of 32-bit Arm: the same seed gives the same samples (needs a network the first time)" guests_of need_armv7 armv7l 32_bit_arm
check "guests of RISC-V: the same seed gives the same samples (needs a network the first time)" guests_of need_riscv64 riscv64 on_riscv64
check "guests of Power: the same seed gives the same samples (needs a network the first time)" guests_of need_ppc64le ppc64le on_ppc64le

printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
