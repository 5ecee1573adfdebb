#!/usr/bin/env bash
# The inner loop: format, and lints and tests of the crates that changed since the last commit (or since COMMIT, where given).
# Tests in guests and tests that need a quiet machine are left out; `./test` runs them.
set -uo pipefail
cd "$(dirname "$0")/.."
since=${1:-HEAD}
changed=$( { git diff --name-only "$since"; git ls-files --others --exclude-standard; } |
  while read -r file; do
    folder=$(dirname "$file")
    while [ "$folder" != . ] && [ ! -f "$folder/Cargo.toml" ]; do folder=$(dirname "$folder"); done
    [ "$folder" = . ] || sed -n 's/^name = "\(.*\)"/\1/p;/^name/q' "$folder/Cargo.toml"
  done | grep -v '^prazo-kernel$\|-fuzz$' | sort -u)
if [ -z "$changed" ]; then echo "no crate changed since $since"; exit 0; fi
echo "changed:" $changed
packages=(); for package in $changed; do packages+=(--package "$package"); done

cargo fmt --all --check || exit 1
mkdir -p target
cargo test "${packages[@]}" --no-run --quiet --message-format=json-render-diagnostics >target/quick-programs.json || exit 1
cargo build --quiet --package prazo-testing || exit 1
suite=target/debug/suite
export PRAZO_TEST_RUN=$PWD/target/quick-run
"$suite" clear
"$suite" quick target/quick-programs.json
"$suite" check lints cargo clippy "${packages[@]}" --quiet -- --deny warnings
"$suite" summary
