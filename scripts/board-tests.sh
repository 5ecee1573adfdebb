#!/usr/bin/env bash
# Measures boards from a machine that has prazo's packages alone. The boards are guests of the lab's emulator (64-bit Arm, x86-64 and
# 32-bit Arm), with Debian's PREEMPT_RT kernel, busybox and OpenSSH's server; the machine is a fresh tree of Debian 13. Cables are pulled,
# clocks jump, disks fill up. Takes root, mmdebstrap, cpio, python3 and the packages of target/packages; about 10 minutes a board. The last
# line is "N passed, M failed, K skipped". Arguments are processors: aarch64, x86_64, armv7l
# [default: the first two]. BOARD_SERIES=6.1 gives the x86-64 board a kernel of that series [default: 6.12].
set -uo pipefail
cd "$(dirname "$0")/.."
passed=0 failed=0 skipped=0 guests= measuring=
packages=$PWD/target/packages trees=$PWD/target/trees
work=$(mktemp -d "${TMPDIR:-/tmp}/prazo-boards.XXXXXX")
ended() { # shellcheck disable=SC2086 # these are numbers
  [ -z "$measuring$guests" ] || { kill $measuring; sleep 1; kill -9 $measuring $guests; } 2>/dev/null
  rm -rf --one-file-system "$work"
}
trap ended EXIT
trap 'exit 130' INT TERM
. scripts/trees.sh
# The lab's cache is this system's.
export LAB_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}

ok() { passed=$((passed + 1)); printf '  ok      %s\n' "$*"; }
bad() { failed=$((failed + 1)); printf '  FAILED  %s\n' "$*"; }
skip() { skipped=$((skipped + 1)); printf '  skipped %s\n' "$*"; }
result() { echo "$passed passed, $failed failed, $skipped skipped"; [ "$failed" -eq 0 ]; exit; }

[ "$(id -u)" -eq 0 ] || { echo "trees of distributions take root"; exit 2; }
for need in mmdebstrap cpio python3 ssh-keygen xz; do
  command -v $need >/dev/null || { echo "$need is missing: install it"; exit 2; }
done
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
debs=("$packages/prazo_$version-1_$(dpkg --print-architecture).deb" "$packages/prazo-boards_$version-1_all.deb")
for deb in "${debs[@]}"; do [ -f "$deb" ] || { echo "$deb is missing: cargo xtask dist && cargo xtask package"; exit 2; }; done

# The machine: a tree with the packages, an SSH client and a key.
tree=$work/machine
machine() {
  archive trixie || { skip "all: the tree could not be made: $(tail -n 1 "$work/archive.log" 2>/dev/null)"; result; }
  mkdir "$tree" && tar -C "$tree" -xf "$trees/trixie.tar" --exclude=./dev
  mkdir -p "$tree/dev" "$tree/tmp/here" "$tree/root/.ssh" "$tree/root/.cache/host"
  chmod 700 "$tree/root/.ssh"
  cp /etc/resolv.conf "$tree/etc/resolv.conf"
  cp "${debs[@]}" "$tree/tmp/here/"
  inside "$tree" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends openssh-client debian-archive-keyring /tmp/here/*.deb' \
    >"$work/out" 2>&1 || { skip "all: $(tail -n 1 "$work/out")"; result; }
  ssh-keygen -q -t ed25519 -N '' -f "$tree/root/.ssh/id_ed25519"
  printf 'Host *\n  StrictHostKeyChecking accept-new\n  ConnectTimeout 20\n' >"$tree/root/.ssh/config"
}
here() { inside "$tree" sh -c 'cd /tmp/here && exec "$@"' sh env XDG_CACHE_HOME=/root/.cache/host "$@"; }

# What differs between the processors.
debian() { case $1 in aarch64) echo arm64 ;; x86_64) echo amd64 ;; armv7l) echo armhf ;; esac; }
port() { case $1 in aarch64) echo 20221 ;; x86_64) echo 20222 ;; armv7l) echo 20223 ;; esac; }
series=${BOARD_SERIES:-6.12}
platform() {
  case $1 in aarch64) echo arm64-rt ;; armv7l) echo armv7-rt ;; x86_64) [ "$series" = 6.1 ] && echo rt-full || echo rt-full-6.12 ;; esac
}
board() { echo "ssh://root@127.0.0.1:$(port "$1")"; }
lab=${XDG_CACHE_HOME:-$HOME/.cache}/prazo/lab
kernel() { # MACHINE: the folder of the lab's cache, and the release
  local place
  case $1 in
    aarch64) place=$(ls -d "$lab"/linux-arm64-6.12.* 2>/dev/null | tail -n 1) ;;
    armv7l) place=$(ls -d "$lab"/linux-armv7-6.12.* 2>/dev/null | tail -n 1) ;;
    x86_64) place=$(ls -d "$lab/linux-$series".* 2>/dev/null | tail -n 1) ;;
  esac
  [ -n "$place" ] && echo "$place" "$(ls "$place/lib/modules" | grep -m 1 -e -rt-)"
}

# The board's file system, as an initramfs: busybox, the server, and the modules of a network card.
file_system() { # MACHINE KERNEL RELEASE
  local root=$work/root-$1 archive=$trees/board-$1.tar module
  if [ ! -f "$archive" ]; then
    mmdebstrap --quiet --mode=root --variant=extract --architectures="$(debian "$1")" --include=openssh-server,busybox-static \
      trixie "$trees/new.board-$1.tar" "deb http://deb.debian.org/debian trixie main" >"$work/archive.log" 2>&1 && mv "$trees/new.board-$1.tar" "$archive" || return
  fi
  mkdir "$root" && tar -C "$root" -xf "$archive" --exclude=./usr/share --exclude=./var/lib/dpkg || return
  mkdir -p "$root"/{proc,sys,dev,run,tmp,var/tmp,var/empty,root/.ssh,modules,etc/ssh,usr/share}
  for name in bin sbin lib; do [ -e "$root/$name" ] || ln -s "usr/$name" "$root/$name"; done
  [ ! -d "$root/usr/lib64" ] || [ -e "$root/lib64" ] || ln -s usr/lib64 "$root/lib64"
  chmod 700 "$root/root" "$root/root/.ssh"
  cp "$tree/root/.ssh/id_ed25519.pub" "$root/root/.ssh/authorized_keys"
  ssh-keygen -q -t ed25519 -N '' -f "$root/etc/ssh/ssh_host_ed25519_key"
  printf 'root:x:0:0::/root:/bin/sh\nsshd:x:100:65534::/run/sshd:/bin/false\n' >"$root/etc/passwd"
  printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
  printf 'PermitRootLogin prohibit-password\nUsePAM no\nStrictModes no\nUseDNS no\n' >"$root/etc/ssh/sshd_config"
  # Those that this kernel does not have built in. Debian packs modules since 6.12.
  for module in drivers/virtio/virtio drivers/virtio/virtio_ring drivers/virtio/virtio_pci_{modern,legacy}_dev drivers/virtio/virtio_pci \
    net/core/failover drivers/net/net_failover drivers/net/virtio_net; do
    local file=$2/lib/modules/$3/kernel/$module.ko name=${module##*/}
    [ ! -f "$file" ] || cp "$file" "$root/modules/" || return
    [ ! -f "$file.xz" ] || xz -dc "$file.xz" >"$root/modules/$name.ko" || return
    [ ! -f "$root/modules/$name.ko" ] || echo "$name" >>"$root/modules/order"
  done
  cat >"$root/init" <<'INIT'
#!/usr/bin/busybox sh
/usr/bin/busybox --install -s /usr/bin
export PATH=/usr/sbin:/usr/bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm /run/sshd
mount -t devpts devpts /dev/pts
mount -t tmpfs -o size=300m shm /dev/shm; mount -t tmpfs -o size=300m run /run; mkdir -p /run/sshd
mount -t cgroup2 cgroup /sys/fs/cgroup; mount -t tracefs tracing /sys/kernel/tracing; mount -t bpf bpf /sys/fs/bpf
while read -r one; do insmod /modules/$one.ko; done </modules/order
ip link set lo up; ip link set eth0 up; ip addr add 10.0.2.15/24 dev eth0; ip route add default via 10.0.2.2
echo board >/proc/sys/kernel/hostname
/usr/sbin/sshd -D -e
INIT
  chmod 755 "$root/init"
  (cd "$root" && find . | cpio --quiet -o -H newc) >"$work/$1.cpio" && rm -rf "$root"
}

boot() { # MACHINE
  local machine=$1 place release program libraries
  read -r place release < <(kernel "$machine") || return
  file_system "$machine" "$place" "$release" || return
  libraries=$(find "$lab"/qemu-*10* -name '*.so*' -printf '%h\n' 2>/dev/null | sort -u | tr '\n' ':')
  local line=(-smp 2 -m 1536 -accel tcg -nographic -no-reboot -kernel "$place/boot/vmlinuz-$release" -initrd "$work/$machine.cpio"
    -netdev "user,id=cable,hostfwd=tcp:127.0.0.1:$(port "$machine")-:22" -device virtio-net-pci,netdev=cable,romfile=
    -serial "file:$work/$machine.console" -monitor "unix:$work/$machine.monitor,server,nowait")
  case $machine in
    aarch64) program=$(ls "$lab"/qemu-arm64-10*/usr/bin/qemu-system-aarch64); line+=(-M virt -cpu cortex-a57 -append "console=ttyAMA0 quiet") ;;
    armv7l) program=$(ls "$lab"/qemu-armv7-10*/usr/bin/qemu-system-arm); line+=(-M virt,highmem=off -cpu cortex-a15 -append "console=ttyAMA0 quiet") ;;
    x86_64) program=$(ls "$lab"/qemu-10*/usr/bin/qemu-system-x86_64); line+=(-M q35 -cpu max -chardev null,id=nowhere -device isa-parallel,chardev=nowhere -append "console=ttyS0 quiet" -L "${program%/bin/*}/share/qemu" -L "${program%/bin/*}/share/seabios") ;;
  esac
  LD_LIBRARY_PATH=$libraries "$program" "${line[@]}" </dev/null >"$work/$machine.emulator" 2>&1 &
  guests="$guests $!"
  for _ in $(seq 90); do
    shell "$machine" true 2>/dev/null && return
    kill -0 $! 2>/dev/null || break
    sleep 2
  done
  tail -n 3 "$work/$machine.emulator" "$work/$machine.console"
  return 1
}

# A command on the board, through a connection of its own.
shell() { # MACHINE COMMAND...
  local machine=$1; shift
  inside "$tree" ssh -p "$(port "$machine")" -o ConnectTimeout=4 -o ControlPath=none root@127.0.0.1 "$@" </dev/null
}
monitor() { # MACHINE LINE: to the emulator
  python3 - "$work/$1.monitor" "$2" <<'PYTHON'
import socket, sys, time
wire = socket.socket(socket.AF_UNIX)
wire.connect(sys.argv[1])
wire.sendall((sys.argv[2] + "\n").encode())
time.sleep(0.5)
PYTHON
}

try() { # NAME STATUSES COMMAND...
  local name=$1 statuses=$2 status begin=$SECONDS; shift 2
  "$@" >"$work/out" 2>&1 </dev/null; status=$?
  if [[ " $statuses " == *" $status "* ]]; then ok "$name (status $status, $((SECONDS - begin)) s)"
  else bad "$name: status $status: $(tail -n 2 "$work/out" | tr '\n' ' ')"; return 1; fi
}
expect() { # NAME PATTERN: what the last command printed has it
  if grep -qE -e "$2" "$work/out"; then ok "$1"; else bad "$1: no '$2' in: $(tail -c 300 "$work/out" | tr '\n' ' ')"; fi
}
nothing_left() { # MACHINE
  local left
  left=$(shell "$1" 'ls -d /dev/shm/prazo-* /run/prazo-* /var/tmp/prazo-* /tmp/prazo-* 2>/dev/null; echo end')
  if [ "$left" = end ]; then ok "nothing is left on the board"; else bad "left on the board: ${left//$'\n'/ }"; fi
}

commands() { # MACHINE: each command that takes --on
  local on; on=$(board "$1")
  try "check" "0 1 3" here prazo check --on "$on"
  try "evaluate" "0 1 3" here prazo evaluate --deadline 5ms -D 30s --on "$on" -o "$1"
  try "its report" 0 test -n "$(find "$tree/tmp/here/$1" -name '*.html' -size +50k 2>/dev/null)"
  try "measure timer --split --load" 0 here prazo measure timer -D 5s --split --load scheduler --plain --on "$on" -o "$1-timer.prazo"
  try "its report" "0 1 3" here prazo report "$1-timer.prazo" --deadline 100ms
  try "the run as JSON" 0 here prazo export "$1-timer.prazo" --format json
  expect "it has the board's kernel" "$(kernel "$1" | cut -d ' ' -f 2 | sed 's/+/[+]/g')"
  try "measure wakeup" 0 here prazo measure wakeup --method futex -D 2s --plain --on "$on" -o "$1-wakeup.prazo"
  try "measure noise" 0 here prazo measure noise -D 2s --plain --on "$on" -o "$1-noise.prazo"
  # 32-bit Arm has no description of the kernel's structures, so that BPF traces nothing there.
  try "measure overheads" "$([ "$1" = armv7l ] && echo 4 || echo 0)" here prazo measure overheads --tasks 5 -D 1s --on "$on" -o "$1-overheads"
  try "load" 0 here prazo load --load memory -D 3s --on "$on"
  try "cost" "0 3" here prazo cost --runs 5 --on "$on" -- /usr/bin/true
  try "tune" "0 1 3" here prazo tune --on "$on"
  try "tune apply" "0 1 3" here prazo tune apply --on "$on"
  try "tune undo" 0 here prazo tune undo --on "$on"
  try "sched run" "0 1 3" here prazo sched run robot.toml -D 3s --on "$on"
  try "sched deploy" "0 3" here prazo sched deploy one.toml -s rm --command arm="sh -c 'while :; do usleep 20000; done'" --on "$on"
  try "sched watch" "$([ "$1" = armv7l ] && echo 4 || echo 0 1 3)" here prazo sched watch -D 3s --plain --on "$on"
  try "sched undeploy" 0 here prazo sched undeploy --on "$on"
  if shell "$1" 'ps | grep -v grep | grep -q "usleep 20000"'; then bad "the deployed command still runs"; else ok "the deployed command has ended"; fi
  # Without the kernel's type information (32-bit Arm) no program can be watched.
  try "watch" "$([ "$1" = armv7l ] && echo 4 || echo 7)" here prazo watch --json --on "$on" -- \
    sh -c 'for i in 1 2 3 4 5 6 7 8; do usleep 50000; done; exit 7'
  try "the live view" 0 here script -qec "stty cols 100 rows 30; TERM=xterm prazo measure timer -D 4s --on $on -o $1-live.prazo" /dev/null
  expect "it draws on the terminal" "$(printf '\033')\\[[0-9;]*[HJK]"
  interrupts "$1"
  nothing_left "$1"
}

# An interrupt line: only QEMU's PC has one, and only with the module that the lab built for the board's kernel.
interrupts() { # MACHINE
  local module release; release=$(kernel "$1" | cut -d ' ' -f 2)
  [ "$1" = x86_64 ] || return 0
  module=$(ls -t "$lab/irqlat-$release"-*/irqlat.ko 2>/dev/null | head -n 1)
  [ -n "$module" ] || { skip "measure interrupt: the cache has no module for $release"; return; }
  cp "$module" "$tree/tmp/here/irqlat.ko"
  try "measure interrupt" 0 here prazo measure interrupt --module irqlat.ko -D 3s --plain --on "$(board "$1")" -o "$1-interrupt.prazo"
  try "its report" "0 1 3" here prazo report "$1-interrupt.prazo" --deadline 100ms
}

# Until a measurement on the board has begun to write its run.
begun() { # MACHINE
  for _ in $(seq 90); do
    [ -z "$(shell "$1" 'ls /dev/shm/prazo-*/out/*.prazo* 2>/dev/null')" ] || return 0
    sleep 1
  done
  bad "no measurement began on the board within 90 s"
  return 1
}

cable_pulled() { # MACHINE
  local on address status=0; on=$(board "$1")
  here prazo measure timer -D 120s --plain --on "$on" -o "$1-cable.prazo" >"$work/cable" 2>&1 </dev/null &
  local prazo=$! begin
  measuring=$prazo
  begun "$1" || { kill $prazo; wait $prazo; return; }
  sleep 5
  begin=$SECONDS; monitor "$1" "set_link cable off"
  wait $prazo; status=$?
  address=$(grep -oE "ssh://root@127.0.0.1:[0-9]+/[a-z/]*/prazo-[A-Za-z0-9]+" "$work/cable" | tail -n 1)
  if [ $status -eq 4 ] && [ -n "$address" ]; then ok "cable pulled: prazo ends with 4 after $((SECONDS - begin)) s and names $address"
  else bad "cable pulled: status $status: $(tail -n 2 "$work/cable" | tr '\n' ' ')"; fi
  sleep 20
  monitor "$1" "set_link cable on"
  [ -n "$address" ] || return
  try "fetch, with the cable back" "0 1 3 130" here prazo fetch "$address"
  try "the run that was cut short" "0 1 3" here prazo report "$1-cable.prazo" --deadline 100ms
  nothing_left "$1"
}

# A date that 32 bits cannot hold.
after_2038() { # MACHINE
  shell "$1" 'date -s @2208988800 >/dev/null'
  try "measure in the year 2040" 0 here prazo measure timer -D 2s --plain --on "$(board "$1")" -o "$1-2040.prazo"
  try "its report" "0 1 3" here prazo report "$1-2040.prazo" --deadline 100ms --format text
  expect "the report has the year" "2040"
  nothing_left "$1"
}

clock_jumps() { # MACHINE
  local on; on=$(board "$1")
  here prazo measure timer -D 25s --plain --on "$on" -o "$1-clock.prazo" >"$work/out" 2>&1 </dev/null &
  local prazo=$!
  measuring=$prazo
  begun "$1" || { kill $prazo; wait $prazo; return; }
  sleep 3
  shell "$1" 'date -s @$(($(date +%s) + 86400)) >/dev/null; sleep 3; date -s @$(($(date +%s) - 172800)) >/dev/null'
  wait $prazo
  local status=$?
  if [ $status -eq 0 ]; then ok "the clock jumps a day ahead and two days back: the run ends as usual"
  else bad "the clock jumps: status $status: $(tail -n 2 "$work/out" | tr '\n' ' ')"; fi
  nothing_left "$1"
}

small_disk() { # MACHINE
  local on; on=$(board "$1")
  shell "$1" 'mount -o remount,size=8m /dev/shm'
  try "a folder with 8 MB is refused before anything is copied" "2 4" here prazo check --on "$on/dev/shm"
  expect "the error says what is free and needed" "MB"
  shell "$1" 'mount -o remount,size=300m,noexec /dev/shm'
  try "/dev/shm lets nothing start: another folder" "0 1 3" here prazo check --on "$on"
  shell "$1" 'mount -o remount,exec /dev/shm'
  nothing_left "$1"
}

[ $# -gt 0 ] || set -- aarch64 x86_64
machine
cp scenarios/robot.toml "$tree/tmp/here/"
printf 'processors = 1\n[task.arm]\ncost = "2ms"\nperiod = "20ms"\n' >"$tree/tmp/here/one.toml"
try "lab fetch, from the package" 0 here prazo lab fetch --only "$(platform x86_64)" || result
up=()
for machine; do
  [ "$machine" = x86_64 ] || try "lab fetch for $machine, from the package" 0 here prazo lab fetch --only "$(platform "$machine")" || continue
  echo "$machine:"
  if boot "$machine" >"$work/out" 2>&1; then ok "boots, and its server answers"; up+=("$machine")
  else bad "does not boot: $(tr '\n' ' ' <"$work/out")"; continue; fi
  commands "$machine"
  cable_pulled "$machine"
  clock_jumps "$machine"
  small_disk "$machine"
  after_2038 "$machine"
done
if [ ${#up[@]} -ge 2 ]; then
  echo "side by side:"
  try "evaluate two boards side by side" "0 1 3" here prazo evaluate --deadline 5ms -D 20s --on "$(board "${up[0]}")" --on "$(board "${up[1]}")" -o both
  try "one page compares them" 0 test -n "$(find "$tree/tmp/here/prazo-results" -name 'boards-*.html' -size +50k 2>/dev/null)"
  for machine in "${up[@]}"; do nothing_left "$machine"; done
fi
echo "bad addresses:"
try "a port on which nothing listens" 4 here prazo check --on ssh://root@127.0.0.1:9
try "no such host" 4 here prazo check --on ssh://root@no-such-host.invalid
if [ ${#up[@]} -gt 0 ]; then
  # The key that another machine would show.
  inside "$tree" sh -c 'ssh-keygen -q -t ed25519 -N "" -f /tmp/other && { printf "[127.0.0.1]:%s " "$1"; cut -d " " -f 1-2 /tmp/other.pub; } >/root/.ssh/known_hosts' \
    sh "$(port "${up[0]}")"
  try "a host key that changed" 4 here prazo check --on "$(board "${up[0]}")"
  expect "the error is about the key" "[Hh]ost key|IDENTIFICATION"
fi
result
