#!/usr/bin/env bash
# Installs what building, measuring and testing need and this machine lacks; sourced by ./run and ./test.
#
# A second call finds everything in place and only asks: well under two seconds. Nothing here is installed by a name that
# is already answered for: a command that exists is taken as it is, whoever installed it.

say() { printf 'set-up: %s\n' "$*" >&2; }

# as_root COMMAND...: as root, or through sudo, or not at all (status 77).
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then sudo "$@"
  else return 77
  fi
}

# Debian packages behind the commands that are missing, one a line. Arguments: command=package ...
missing_packages() {
  local pair
  for pair in "$@"; do command -v "${pair%%=*}" >/dev/null || echo "${pair#*=}"; done
}

# need_packages WHY command=package ...: installs what is missing, after naming it and its size; where it may not, says so and
# goes on. Packages have Debian's names.
need_packages() {
  local why=$1 packages size; shift
  packages=$(missing_packages "$@" | sort -u | tr '\n' ' ')
  [ -n "$packages" ] || return 0
  if command -v apt-get >/dev/null; then
    [ -n "$(ls /var/lib/apt/lists/*_Packages* 2>/dev/null)" ] || as_root apt-get update -qq >&2
    # shellcheck disable=SC2086  # these are words
    size=$(apt-get install --yes --no-install-recommends --print-uris $packages 2>/dev/null |
      awk '/^\047/ { bytes += $3 } END { printf "%.0f MB to fetch", bytes / 1e6 }')
    install="apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages"
  elif command -v dnf >/dev/null; then
    packages=$(fedora_names $packages)
    install="dnf install -y --quiet --setopt=install_weak_deps=False $packages" size="dnf names the size"
  else
    say "missing for $why: $packages(no apt-get and no dnf here; install them with this system's package manager)"; return 0
  fi
  say "installing for $why: $packages($size)"
  as_root env DEBIAN_FRONTEND=noninteractive sh -c "$install" >&2 || {
    case $? in
      77) say "not root, and no sudo: ask an administrator for '${install##*&& }'; going on without ($why)" ;;
      *) say "could not install: $packages; going on without ($why)" ;;
    esac
  }
}

# Fedora's names of Debian's packages.
fedora_names() {
  local name
  for name in "$@"; do
    case $name in
      rt-tests) name=realtime-tests ;;
      iproute2) name=iproute ;;
      iputils-ping) name=iputils ;;
      chromium-driver) name=chromedriver ;;
      sqlite3) name=sqlite ;;
      openssh-client) name=openssh-clients ;;
      libc6-dev-*-cross) continue ;;
    esac
    printf '%s ' "$name"
  done
}

# The toolchain that rust-toolchain.toml pins, with its components and targets, from the toolchain manager itself.
need_rust() {
  local pinned
  pinned=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
  # rustup's default place is not on the path of a shell that began before it was installed.
  command -v rustup >/dev/null || { [ -x "$HOME/.cargo/bin/rustup" ] && PATH="$HOME/.cargo/bin:$PATH"; }
  command -v rustup >/dev/null || need_rustup || return 1
  if ! rustup toolchain list | grep -q "^$pinned" || ! has_components "$pinned"; then
    say "installing Rust $pinned (about 250 MB to fetch)"
    rustup toolchain install "$pinned" --profile minimal --component rustfmt --component clippy --target x86_64-unknown-none --no-self-update >&2
  fi
}

# Rust's toolchain manager: the distribution's where it has one, else the official one in a folder of its own.
need_rustup() {
  local own=$HOME/.local/share/prazo/rust
  if command -v apt-get >/dev/null; then
    [ -n "$(ls /var/lib/apt/lists/*_Packages* 2>/dev/null)" ] || as_root apt-get update -qq >&2
    [ -z "$(apt-cache show rustup 2>/dev/null)" ] || need_packages "building (Rust)" rustup=rustup
  elif command -v dnf >/dev/null; then
    need_packages "building (Rust)" rustup-init=rustup
  fi
  command -v rustup >/dev/null && return 0
  export RUSTUP_HOME=$own/rustup CARGO_HOME=$own/cargo
  PATH="$CARGO_HOME/bin:$PATH"
  command -v rustup >/dev/null && return 0
  if command -v rustup-init >/dev/null; then
    say "setting up Rust's toolchain manager in $own"
    rustup-init -y --quiet --no-modify-path --default-toolchain none >&2
  else
    need_packages "fetching Rust's toolchain manager" curl=curl
    local url init
    url=https://static.rust-lang.org/rustup/dist/$(uname -m)-unknown-linux-gnu/rustup-init init=$own/rustup-init
    say "installing Rust's toolchain manager from $url into $own (20 MB to fetch); removing that folder removes it"
    mkdir -p "$own" && curl --proto '=https' --tlsv1.2 -sSf -o "$init" "$url" && chmod 755 "$init" &&
      echo "$(curl --proto '=https' --tlsv1.2 -sSf "$url.sha256" | cut -d' ' -f1)  $init" | sha256sum --check --quiet >&2 &&
      "$init" -y --quiet --no-modify-path --profile minimal --default-toolchain none >&2
  fi
  command -v rustup >/dev/null || { say "rustup could not be installed: install it by hand (https://rustup.rs), then call this again"; return 1; }
}

has_components() {
  local installed
  # The kernel's target is no component in the list, but has a folder of its own.
  [ -d "$(rustup run "$1" rustc --print sysroot 2>/dev/null)/lib/rustlib/x86_64-unknown-none" ] || return 1
  installed=$(rustup component list --installed --toolchain "$1" 2>/dev/null) || return 1
  [[ $installed == *rustfmt* && $installed == *clippy* ]]
}

# What the agent of a processor's guests is built with; false where it is not to be had.
need_cross() { # need_cross GUESTS COMPILER PACKAGES TARGET
  need_packages "the $1 guests" "$2=$3"
  command -v "$2" >/dev/null || return 1
  [ -d "$(rustc --print sysroot)/lib/rustlib/$4" ] || rustup target add "$4" >&2
}
need_arm64() {
  need_cross "64-bit Arm" aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross" aarch64-unknown-linux-gnu
}
need_armv7() {
  need_cross "32-bit Arm" arm-linux-gnueabihf-gcc "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross" armv7-unknown-linux-gnueabihf
}
need_riscv64() {
  need_cross "RISC-V" riscv64-linux-gnu-gcc "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross" riscv64gc-unknown-linux-gnu
}
need_ppc64le() {
  need_cross "Power" powerpc64le-linux-gnu-gcc "gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross" powerpc64le-unknown-linux-gnu
}

# What drives the browser in the tests of the report's page, as the lock file has it; the program itself needs no Node.
need_npm_modules() {
  local web=answer/report/web stamp
  [ -f "$web/package-lock.json" ] || return 0
  command -v npm >/dev/null || { say "no npm: the report's page will not be tested"; return 0; }
  stamp=$web/node_modules/.lock-installed
  cmp -s "$web/package-lock.json" "$stamp" && return 0
  say "installing the npm modules of the page's tests"
  (cd "$web" && npm ci --no-audit --no-fund --loglevel=error >&2) && cp "$web/package-lock.json" "$stamp" ||
    say "npm could not install them: the report's page will not be tested"
}

if [ -z "${without_building:-}" ]; then
  need_packages building cc=gcc
  need_packages "the split of latencies (BPF)" clang=clang
fi
need_packages "the loads" stress-ng=stress-ng hackbench=rt-tests iperf3=iperf3 ping=iputils-ping ip=iproute2 \
  find=findutils tar=tar setpriv=util-linux
[ -n "${without_building:-}" ] || need_rust || exit 1
