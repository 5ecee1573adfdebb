#!/bin/sh
# Compares a kernel with a baseline in the virtual lab, and writes the answer in the formats that CI systems read.
#
#   gate.sh BZIMAGE BASELINE [STUDY]
#
# Files in the current folder: gate.xml (JUnit), gate.md, gate.ktap, gate.lava. The exit status is that of `prazo gate`.
set -eu
rm -f gate.xml gate.md gate.ktap gate.lava
status=0
{
  prazo lab fetch &&
    prazo gate "${3:-gate}" --kernel "$1" --baseline "$2" --direction worse -o gate-results \
      --junit gate.xml --markdown gate.md --ktap gate.ktap --lava gate.lava
} || status=$?
# Without an answer there are no files: then the one result is a failure.
if [ -f gate.lava ]; then cat gate.lava; else echo '<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=gate RESULT=fail>'; fi
exit "$status"
