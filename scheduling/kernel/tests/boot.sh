#!/usr/bin/env bash
# Boots the kernel in an emulator under a time limit, prints its console, and ends as the kernel did: 0 if it succeeded.
#
# usage: boot.sh KERNEL PROCESSORS LIMIT_S WORDS [emulator option ...]
# WORDS is the kernel's command line. The emulator is $PRAZO_QEMU, else qemu-system-x86_64 from the path.
set -uo pipefail
kernel=$1 processors=$2 limit_s=$3 words=$4; shift 4
qemu=${PRAZO_QEMU:-qemu-system-x86_64}
command -v "$qemu" >/dev/null || { echo "boot: no emulator: install qemu-system-x86 or set PRAZO_QEMU"; exit 77; }

# timeout ends this emulator and no other.
timeout "$limit_s" "$qemu" -kernel "$kernel" -append "$words" -smp "$processors" -m 64 -nodefaults -display none \
  -no-reboot -serial stdio -device isa-debug-exit,iobase=0xf4,iosize=4 "$@" </dev/null
status=$?

# The emulator ends with 2 * code + 1, the code of success being 16.
case $status in
  33) exit 0 ;;
  35) echo "boot: the kernel failed"; exit 1 ;;
  124) echo "boot: no end within $limit_s s"; exit 124 ;;
  *) echo "boot: the emulator ended with status $status"; exit 2 ;;
esac
