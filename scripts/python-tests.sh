#!/usr/bin/env bash
# Tests `import prazo`: the module of this build and its types. Arguments are interpreters [default: python3; with --all each of
# 3.10 to 3.14 that is here]. The last line is "N passed, M failed, K skipped".
set -uo pipefail
cd "$(dirname "$0")/.."
passed=0 failed=0 skipped=0
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
# Built as ./test builds everything, so that nothing is compiled twice.
cargo test --quiet --workspace --features prazo-cli/parquet --no-run || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
module=$(ls -t target/debug/lib_prazo.so target/debug/deps/lib_prazo*.so 2>/dev/null | head -n 1)
cp -r answer/python/prazo "$work/prazo" && cp "$module" "$work/prazo/_prazo.abi3.so" || exit 1
export PYTHONPATH=$work PRAZO_PROGRAM=$PWD/target/debug/prazo PRAZO_EXAMPLES=$PWD/examples PYTHONDONTWRITEBYTECODE=1
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
tools=(pytest pyarrow distributed nbclient nbformat ipykernel)
for python in "${list[@]}"; do
  venv=$work/venv-$(basename "$(dirname "$(dirname "$python")")")-$(basename "$python")
  if ! "$python" -m venv "$venv" || ! "$venv/bin/pip" -q --disable-pip-version-check install "${tools[@]}" >"$work/pip" 2>&1; then
    echo "$python: skipped: $(tail -n 1 "$work/pip" 2>/dev/null)"; skipped=$((skipped + 1)); continue
  fi
  "$venv/bin/python" -m pytest -q -p no:cacheprovider answer/python/tests >"$work/out" 2>&1
  sum=$(tail -n 1 "$work/out")
  echo "$("$python" --version): $sum"
  count() { local number; number=$(grep -oE "[0-9]+ $1" <<<"$sum" | cut -d' ' -f1); echo "${number:-0}"; }
  passed=$((passed + $(count passed))) failed=$((failed + $(count failed) + $(count error))) skipped=$((skipped + $(count skipped)))
  case $sum in *passed*) ;; *) failed=$((failed + 1)) ;; esac
  grep -qE "failed|error" <<<"$sum" && cat "$work/out"
done
# The types, once.
last=$venv/bin
if "$last/pip" -q --disable-pip-version-check install mypy pyright >"$work/pip" 2>&1; then
  for checker in "mypy --strict prazo" "pyright prazo"; do
    if (cd answer/python && "$last"/$checker) >"$work/out" 2>&1; then passed=$((passed + 1)); else failed=$((failed + 1)); cat "$work/out"; fi
  done
else
  skipped=$((skipped + 2))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
