#!/usr/bin/env bash
# Tests `import prazo`: the module of this build and its types. Arguments are interpreters [default: python3; with --all each of
# 3.10 to 3.14 that is here]. With --wheel FILE the wheel is installed, with that of the lab next to it, and tested instead. --part boards tests what measures on boards, which
# is to have the machine alone, --part guests what boots guests for minutes, and --part others all else.
# The last line is "N passed, M failed, K skipped".
set -uo pipefail
cd "$(dirname "$0")/.."
passed=0 failed=0 skipped=0
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
part=() log=python.log
case ${1:-} in --part)
  case $2 in boards) part=(-m boards) log=python-boards.log ;; guests) part=(-m guests) log=python-guests.log ;; others) part=(-m "not boards and not guests") ;; *) echo "--part $2: give boards, guests or others" >&2; exit 2 ;; esac
  shift 2 ;;
esac
wheel=
[ "${1:-}" = --wheel ] && { wheel=$(realpath "$2"); shift 2; }
if [ -z "$wheel" ]; then
  # ./test has built it already.
  [ -n "${PRAZO_TEST_RUN:-}" ] || cargo test --quiet --workspace --features prazo-cli/parquet --no-run ||
    { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
  module=$(ls -t target/debug/lib_prazo.so target/debug/deps/lib_prazo*.so 2>/dev/null | head -n 1)
  cp -r answer/python/prazo "$work/prazo" && cp "$module" "$work/prazo/_prazo.abi3.so" || exit 1
  export PYTHONPATH=$work PRAZO_PROGRAM=$PWD/target/debug/prazo
fi
export PRAZO_EXAMPLES=$PWD/examples PYTHONDONTWRITEBYTECODE=1
# The newest of each version that is on the PATH, or that pyenv keeps.
interpreters() {
  local version
  for version in 3.10 3.11 3.12 3.13 3.14; do
    ls -d "$(command -v "python$version")" "$HOME/.pyenv/versions/$version".*/bin/python 2>/dev/null | tail -n 1
  done
}
case ${1:-} in
  "") mapfile -t list < <(command -v python3) ;;
  --all) mapfile -t list < <(interpreters) ;;
  *) list=("$@") ;;
esac
[ ${#list[@]} -gt 0 ] || { echo "no Python is here"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
tools=(pytest pyarrow pandas polars duckdb tqdm distributed nbclient nbformat ipykernel numpydoc mypy pyright)
# An environment is kept in target/ for the next time. uv installs in a fraction of pip's time; pip where uv cannot.
environment() {
  local python=$1 venv
  venv=$PWD/target/python/$("$python" -c 'import sys, hashlib; print("%d.%d-" % sys.version_info[:2] + hashlib.sha256(" ".join([sys.executable, *sys.argv[1:]]).encode()).hexdigest()[:12])' "${tools[@]}") || return 1
  if [ ! -e "$venv/complete" ]; then
    rm -rf "$venv"
    "$python" -m venv "$venv" || return 1
    { "$venv/bin/pip" -q --disable-pip-version-check install uv &&
      "$venv/bin/uv" pip install -q --native-tls --python "$venv/bin/python" "${tools[@]}"; } ||
      "$venv/bin/pip" -q --disable-pip-version-check install "${tools[@]}" || return 1
    touch "$venv/complete"
  fi >"$work/pip" 2>&1
  # Tests start hundreds of interpreters, and none of them writes bytecode: without it each compiles the packages for itself.
  if [ ! -e "$venv/compiled" ]; then
    "$venv/bin/python" -m compileall -q -j 0 "$venv"/lib/python*/site-packages >/dev/null 2>&1
    touch "$venv/compiled"
  fi
  echo "$venv"
}
for python in "${list[@]}"; do
  if ! venv=$(environment "$python"); then
    echo "$python: skipped: $(tail -n 1 "$work/pip" 2>/dev/null)"; skipped=$((skipped + 1)); continue
  fi
  if [ -n "$wheel" ]; then
    "$venv/bin/pip" -q --disable-pip-version-check install --force-reinstall --no-deps "$wheel" "$(dirname "$wheel")"/prazo_lab-*.whl || exit 1
  fi
  [ -n "$wheel" ] || "$venv/bin/python" -m compileall -q "$work/prazo" >/dev/null 2>&1
  "$venv/bin/python" -m pytest -q -p no:cacheprovider --durations=30 "${part[@]}" answer/python/tests >"$work/out" 2>&1
  # With how long the slowest took.
  [ -z "${PRAZO_TEST_RUN:-}" ] || cp "$work/out" "$PRAZO_TEST_RUN/$log"
  # What ends with the interpreter may print behind it.
  sum=$(grep -E "(passed|failed|skipped|error).* in [0-9.]+s" "$work/out" | tail -n 1)
  echo "$("$python" --version): $sum"
  count() { local number; number=$(grep -oE "[0-9]+ $1" <<<"$sum" | cut -d' ' -f1); echo "${number:-0}"; }
  passed=$((passed + $(count passed))) failed=$((failed + $(count failed) + $(count error))) skipped=$((skipped + $(count skipped)))
  case $sum in *passed*) ;; *) failed=$((failed + 1)) ;; esac
  grep -qE "failed|error" <<<"$sum" && cat "$work/out"
  last=$venv/bin
done
# The types, once.
if [ "$log" != python.log ]; then :
elif [ -n "${last:-}" ]; then
  for checker in "mypy --strict prazo" "pyright prazo"; do
    if (cd answer/python && "$last"/$checker) >"$work/out" 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); cat "$work/out"; fi
  done
else
  skipped=$((skipped + 2))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
