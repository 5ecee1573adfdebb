#!/usr/bin/env bash
# Makes the first screens in docs/pictures again, each of a real run: `scripts/pictures.sh`, or with the names of some of
# them. Needs root for `report` (three minutes), the lab for `gate` (two minutes), chromium, and pngquant.
set -euo pipefail
cd "$(dirname "$0")/.."
prazo=${PRAZO:-target/release/prazo}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shot NAME: the first screen of $work/NAME.html.
declare -A size=([sched-region]=1000,600)
shot() {
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="${size[$1]:-1400,900}" \
    --screenshot="$work/$1.png" "file://$work/$1.html" >/dev/null 2>&1
  pngquant --force --strip --output "docs/pictures/$1.png" 128 "$work/$1.png"
  echo "docs/pictures/$1.png"
}

# A verdict is no failure here, whichever it is; 2 and 4 say that nothing was measured.
judged() { local status=0; "$prazo" "$@" >/dev/null || status=$?; case $status in 2 | 4) return "$status" ;; esac }

picture_report() { judged evaluate --deadline 1ms -o "$work/evaluate"; cp "$work/evaluate/report.html" "$work/report.html"; }
picture_compare() {
  judged import examples/pi-standard.csv examples/pi-rt.csv -o "$work/pi"
  judged compare "$work/pi/pi-standard.prazo" "$work/pi/pi-rt.prazo" --report "$work/compare.html"
}
# The second kernel is the first one, never preempted in a system call: the gate has to find it.
picture_gate() {
  judged gate --only standard --save "$work/good.json" -o "$work/good"
  judged gate --only standard --append preempt=none --may-differ command-line --baseline "$work/good.json" \
    -o "$work/new" --report "$work/gate.html"
}
picture_sched-test() { judged sched test examples/crane.toml --shape partitioned-edf --report "$work/sched-test.html"; }
picture_sched-region() {
  judged sched test examples/crane.toml --shape global --region drives.cost,planner.cost --report "$work/sched-region.html"
  # The figure alone, with the page's style.
  python3 - "$work/sched-region.html" <<'END'
import re, sys
page = open(sys.argv[1]).read()
parts = re.findall(r"<style>.*?</style>", page, re.S) + re.findall(r'<figure id="region-chart".*?</figure>', page, re.S)
open(sys.argv[1], "w").write("<!doctype html><meta charset=utf-8>" + "".join(parts))
END
}
picture_study() { judged study run blaess-2014 -o "$work/blaess" --report "$work/study.html"; }
picture_simulate() { judged sched simulate scenarios/dhall-effect.toml --shape global --report "$work/simulate.html"; }

[ $# -gt 0 ] || set -- report compare gate study sched-test sched-region simulate
for name in "$@"; do
  "picture_$name"
  shot "$name"
done
