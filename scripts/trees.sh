#!/usr/bin/env bash
# Fresh trees of distributions, sourced by the scripts that test packages and boards. They set `trees` to the folder that keeps the
# trees' archives, and `work` to a folder of their own.

# The key that signs Ubuntu's archive, for systems that do not carry it: its package, held against the key's fingerprint.
ubuntu_key=F6ECB3762474EDA9D21B7022871920D1991BC93C
ubuntu_keyring() {
  local keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg 
  local deb=http://archive.ubuntu.com/ubuntu/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb
  [ -f $keyring ] && { echo $keyring; return; }
  keyring=$trees/ubuntu-archive-keyring.gpg
  if [ ! -f "$keyring" ]; then
    curl -sf -o "$work/keyring.deb" "$deb" && dpkg-deb --fsys-tarfile "$work/keyring.deb" |
      tar -xO ./usr/share/keyrings/ubuntu-archive-keyring.gpg >"$work/keyring.gpg" || return
    gpg --homedir "$work" --no-default-keyring --keyring "$work/only.gpg" --quiet --import "$work/keyring.gpg" 2>/dev/null
    gpg --homedir "$work" --no-default-keyring --keyring "$work/only.gpg" --export "$ubuntu_key" >"$work/one.gpg" 2>/dev/null
    [ -s "$work/one.gpg" ] && mv "$work/one.gpg" "$keyring" || return
  fi
  echo "$keyring"
}

# A distribution's smallest tree with apt, as an archive that is made once.
archive() { # SUITE
  local suite=$1 archive=$trees/$1.tar keyring
  [ -f "$archive" ] && return
  command -v mmdebstrap >/dev/null || return
  mkdir -p "$trees"
  case $suite in
    noble)
      keyring=$(ubuntu_keyring) && [ -n "$keyring" ] || return
      # In the tree, the distribution's own key counts.
      mmdebstrap --quiet --mode=root --variant=apt --include=ca-certificates --keyring="$keyring" \
        --customize-hook='sed -i "s/\[signed-by=[^]]*\] //" "$1/etc/apt/sources.list"' "$suite" "$trees/new.$suite.tar" \
        "deb [signed-by=$keyring] http://archive.ubuntu.com/ubuntu $suite main universe" ;;
    *) mmdebstrap --quiet --mode=root --variant=apt --include=ca-certificates "$suite" "$trees/new.$suite.tar" "deb http://deb.debian.org/debian $suite main" ;;
  esac >"$work/archive.log" 2>&1 && mv "$trees/new.$suite.tar" "$archive"
}

# A command in the tree, in namespaces of its own that end with it.
inside() { # TREE COMMAND...
  local tree=$1; shift
  unshare --mount --pid --fork --kill-child --propagation private sh -c '
    mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" || exit
    if [ -d "$1/root/.cache/host" ]; then mount --bind "$LAB_CACHE" "$1/root/.cache/host" || exit; fi
    tree=$1; shift; exec chroot "$tree" "$@"
  ' sh "$tree" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
