#!/usr/bin/env bash
# Installs the packages of target/packages in fresh trees of distributions, uses them, and removes them again: nothing may be left
# but what is named below. Takes root, mmdebstrap and a network. The last line is "N passed, M failed, K skipped".
# Arguments are suites: bookworm, trixie, noble [default: all]. Trees are kept in target/trees and fetched once. `--guests` before them
# also boots a guest under a load in each tree, without and with stress-ng installed: all must give the same samples. It takes this
# system's cache of the lab (`prazo lab fetch`). `--dkms` before them also installs headers of each distribution's kernel, and has DKMS
# build the module for it (about 150 MB to fetch). At the end the .rpm is installed in an empty tree by this system's rpm.
set -uo pipefail
cd "$(dirname "$0")/.."
passed=0 failed=0 skipped=0
packages=$PWD/target/packages trees=$PWD/target/trees
work=$(mktemp -d "${TMPDIR:-/tmp}/prazo-packages.XXXXXX") && trap 'rm -rf --one-file-system "$work"' EXIT
ok() { passed=$((passed + 1)); printf '  ok      %s\n' "$*"; }
bad() { failed=$((failed + 1)); printf '  FAILED  %s\n' "$*"; }
skip() { skipped=$((skipped + 1)); printf '  skipped %s\n' "$*"; }

guests=no dkms=no
while :; do
  case ${1:-} in
    --guests) guests=yes ;;
    --dkms) dkms=yes ;;
    *) break ;;
  esac
  shift
done
[ "$(id -u)" -eq 0 ] || { echo "trees of distributions take root"; exit 2; }
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machine=$(dpkg --print-architecture)
debs=("$packages/prazo_$version-1_$machine.deb" "$packages/prazo-setup_$version-1_all.deb" "$packages/prazo-boards_$version-1_all.deb")
sources=$packages/prazo-irqlat-dkms_$version-1_all.deb
for deb in "${debs[@]}" "$sources"; do [ -f "$deb" ] || { echo "$deb is missing: cargo xtask dist && cargo xtask package"; exit 2; }; done

. scripts/trees.sh

try() { # NAME STATUSES COMMAND...
  local name=$1 statuses=$2 status; shift 2
  "$@" >"$work/out" 2>&1 </dev/null; status=$?
  if [[ " $statuses " == *" $status "* ]]; then ok "$name"; else bad "$name: status $status: $(tail -n 1 "$work/out")"; return 1; fi
}

# Names of all files, and what is in the files that name users and groups. Left out is what belongs to apt and dpkg themselves:
# their logs, caches and lists, and the copies that passwd's tools leave (/etc/group-).
files() { # TREE
  find "$1" -xdev \( -path "$1/proc" -o -path "$1/sys" -o -path "$1/dev" -o -path "$1/tmp" -o -path "$1/run" \) -prune -o -printf '/%P\n' |
    grep -vE '^/var/(log|cache|lib/apt|lib/dpkg)(/|$)|^/etc/(group|gshadow|passwd|shadow|subuid|subgid)-$' | sort
  cat "$1/etc/group" "$1/etc/passwd"
}

# The samples of a guest under a load, as a checksum in the file that the end of this script reads.
guest() { # TREE NAME
  local tree=$1 file=/tmp/here/guest.prazo
  mkdir -p "$tree/root/.cache/host"
  try "a guest $2" 0 inside "$tree" sh -c "rm -f $file && XDG_CACHE_HOME=/root/.cache/host prazo measure timer --platform lab:standard-none \
    --load compile -n 500 --plain -o $file && prazo export $file --format csv >/tmp/here/samples.csv && test -s /tmp/here/samples.csv" || return
  sha256sum <"$tree/tmp/here/samples.csv" >>"$work/hashes"
}

suite() { # SUITE
  local tree=$work/$1 left
  echo "$1:"
  archive "$1" || { skip "all of $1: its tree could not be made: $(tail -n 1 "$work/archive.log" 2>/dev/null)"; return; }
  mkdir "$tree" && tar -C "$tree" -xf "$trees/$1.tar" --exclude=./dev
  mkdir -p "$tree/dev"
  cp /etc/resolv.conf "$tree/etc/resolv.conf"
  mkdir "$tree/tmp/here" && cp "${debs[@]}" examples/crane.toml "$tree/tmp/here/"
  # What every installed system has; and the key of Debian's archive, from which the lab fetches.
  inside "$tree" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends passwd debian-archive-keyring' >"$work/out" 2>&1 || {
    skip "all of $1: $(tail -n 1 "$work/out")"; return
  }
  files "$tree" >"$work/before"

  try "install" 0 inside "$tree" sh -c 'apt-get install -y -qq --no-install-recommends /tmp/here/prazo*.deb' || { tail -n 5 "$work/out"; return; }
  try "--version" 0 inside "$tree" prazo --version
  try "manual page" 0 test -s "$tree/usr/share/man/man1/prazo.1.gz"
  try "completions" 0 test -s "$tree/usr/share/bash-completion/completions/prazo" -a -s "$tree/usr/share/zsh/vendor-completions/_prazo" \
    -a -s "$tree/usr/share/fish/vendor_completions.d/prazo.fish"
  # What it copies to a board is what the package has for this very processor.
  try "programs for boards" 0 inside "$tree" sh -c 'test -x /usr/lib/prazo/boards/prazo-$(uname -m) && /usr/lib/prazo/boards/prazo-$(uname -m) --version'
  try "group realtime" 0 inside "$tree" getent group realtime
  try "check" "0 1 3" inside "$tree" prazo check
  try "measure timer" 0 inside "$tree" prazo measure timer -D 2s --plain -o /tmp/here/timer.prazo
  try "report" "0 1 3" inside "$tree" prazo report /tmp/here/timer.prazo --deadline 100ms -o /tmp/here/report.html
  try "sched test" 0 inside "$tree" prazo sched test /tmp/here/crane.toml -m 4
  if [ $guests = yes ]; then
    guest "$tree" "without stress-ng"
    try "install stress-ng" 0 inside "$tree" apt-get install -y -qq --no-install-recommends stress-ng
    guest "$tree" "with stress-ng"
    inside "$tree" apt-get purge -y -qq --autoremove stress-ng >/dev/null 2>&1
    rmdir "$tree/root/.cache/host" "$tree/root/.cache"
  fi
  try "lab fetch, the emulator" 0 inside "$tree" prazo lab fetch --without kernels --without headers
  # What is the user's stays: the lab's cache, which belongs to the one who fetched it.
  [ ! -e "$tree/root/.cache/prazo" ] || ok "named: the lab's cache in ~/.cache/prazo is left ($(du -sm "$tree/root/.cache/prazo" | cut -f 1) MB)"
  rm -rf "$tree/root/.cache"
  try "remove" 0 inside "$tree" apt-get remove -y -qq prazo prazo-setup prazo-boards
  left=$(files "$tree" | comm -13 <(sort -u "$work/before") <(sort -u /dev/stdin) | tr '\n' ' ')
  if [ "$(sed 's/realtime:[^ ]* *//' <<<"$left" | xargs)" = "/etc/security/limits.d/90-prazo-realtime.conf" ]; then
    ok "removed: the configuration and the group are left, as they are until purge"
  else bad "removed, but left: ${left:0:300}"; fi
  # prazo has no configuration, so that its removal was its end.
  try "purge" 0 inside "$tree" apt-get purge -y -qq prazo-setup
  files "$tree" >"$work/after"
  if diff "$work/before" "$work/after" >"$work/diff"; then ok "purged: nothing is left"; else bad "purged, but: $(head -n 8 "$work/diff" | tr '\n' ' ')"; fi
  [ $dkms = no ] || module "$tree"
  rm -rf --one-file-system "$tree"
}

# The module's sources, built by DKMS for the newest kernel whose headers the distribution has. What the installation says if that fails
# is part of the package, whose script ends well even so: other packages shall not be left half-configured for the sake of a module.
module() { # TREE
  local tree=$1 kernel headers said
  headers=linux-headers-$machine
  [ -z "$(inside "$tree" apt-cache show linux-headers-generic 2>/dev/null)" ] || headers=linux-headers-generic
  cp "$sources" "$tree/tmp/here/module.deb"
  inside "$tree" apt-get install -y -qq --no-install-recommends dkms kmod "$headers" >"$work/out" 2>&1 || {
    skip "the module: $(tail -n 1 "$work/out")"; return
  }
  kernel=$(inside "$tree" ls /lib/modules | sort -V | tail -n 1)
  try "install the module's sources" 0 inside "$tree" apt-get install -y -qq --no-install-recommends /tmp/here/module.deb || return
  said=$(cat "$work/out")
  # In a tree, DKMS may look for the kernel that runs outside of it, for which there are no headers.
  if ! inside "$tree" dkms status -m prazo-irqlat | grep -q installed; then
    case $said in
      *"was not built"*) ok "the installation says that nothing was built for $(uname -r)" ;;
      *) bad "the installation says nothing of a module that was not built: $(tail -n 1 <<<"$said")" ;;
    esac
  fi
  try "build the module for $kernel" 0 inside "$tree" dkms install -m prazo-irqlat -v "$version" -k "$kernel" || {
    tail -n 5 "$tree/var/lib/dkms/prazo-irqlat/$version/build/make.log"
  }
  try "the module is there" 0 sh -c 'ls "$1"/lib/modules/"$2"/updates/dkms/irqlat.ko*' sh "$tree" "$kernel"
  try "remove the module's sources" 0 inside "$tree" apt-get purge -y -qq prazo-irqlat-dkms
  # shellcheck disable=SC2144 # one file at most
  if [ -e "$tree/var/lib/dkms/prazo-irqlat" ] || ls "$tree"/lib/modules/*/updates/dkms/irqlat.ko* >/dev/null 2>&1; then
    bad "removed, but the module is left"
  else ok "removed: neither sources nor module are left"; fi
}

# The .rpm, by this system's rpm, in a tree with nothing else: the program needs no library.
rpm_tree() {
  local tree=$work/rpm rpm left
  rpm=$packages/prazo-$version-1.$(uname -m).rpm
  echo "rpm:"
  command -v rpm >/dev/null || { skip "the .rpm: rpm is not installed"; return; }
  [ -f "$rpm" ] || { skip "the .rpm: $rpm is missing (rpmbuild makes it)"; return; }
  mkdir "$tree"
  local here=(rpm --root "$tree" --dbpath /var/lib/rpm)
  try "install" 0 "${here[@]}" --install "$rpm" || return
  try "its files are as they were packed" 0 "${here[@]}" --verify prazo
  try "--version, in a tree without a library" 0 chroot "$tree" /usr/bin/prazo --version
  try "manual page" 0 test -s "$tree/usr/share/man/man1/prazo.1.gz"
  try "remove" 0 "${here[@]}" --erase prazo
  left=$(find "$tree" ! -type d ! -path "$tree/var/lib/rpm/*" -printf '/%P ')
  if [ -z "$left" ]; then ok "removed: nothing is left"; else bad "removed, but left: ${left:0:300}"; fi
}

export LAB_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}
for one in "${@:-bookworm trixie noble}"; do for name in $one; do suite "$name"; done; done
rpm_tree
if [ $guests = yes ]; then
  sort -u "$work/hashes" >"$work/hash"
  if [ "$(wc -l <"$work/hash")" -eq 1 ]; then ok "$(wc -l <"$work/hashes") guests, one trajectory: $(cut -c 1-16 "$work/hash")"
  else bad "guests differ: $(cut -c 1-16 "$work/hashes" | tr '\n' ' ')"; fi
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
