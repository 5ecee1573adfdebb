# Runs on the board as long as the connection lasts: describes the board, makes the job's folder, passes beats on, removes
# the folder. Arguments: `new FOLDER KEPT`, where an empty folder is chosen here, or `found FOLDER KEPT` of an earlier job;
# KEPT is for how many seconds results wait that nobody took.
umask 077
folder=
tried=
kept=$3
# Whether the guard or the command runs, as $1 says. Another process may have the number by now, so its program counts.
runs() { pid=$(cat "$folder/$1" 2>/dev/null) && [ "/proc/$pid/exe" -ef "$folder/prazo" ]; }
# Removes the folder. A shell that waits there may write one file meanwhile, which the second try takes.
removed() { rm -rf "$folder" || rm -rf "$folder"; [ ! -e "$folder" ]; } 2>/dev/null
if [ "$1" = found ]; then
  folder=$2
  if [ ! -f "$folder/prazo" ] || [ ! -f "$folder/guard" ] || [ ! -O "$folder" ]; then echo "no-job $folder"; exit 0; fi
else
  for place in ${2:-/dev/shm /run /var/tmp /tmp}; do
    folder=$(mktemp -d "$place/prazo-XXXXXX" 2>/dev/null) || { tried="$tried $place:cannot-write"; folder=; continue; }
    printf '#!/bin/sh\nexit 0\n' >"$folder/try" 2>/dev/null && chmod 700 "$folder/try"
    if "$folder/try" 2>/dev/null; then rm -f "$folder/try"; mkdir "$folder/in" "$folder/out"; break; fi
    tried="$tried $place:cannot-execute"
    rm -rf "$folder"; folder=
  done
  if [ -z "$folder" ]; then echo "no-folder$tried"; exit 0; fi
fi
# A board that is told to hang up must still tidy.
trap '' HUP INT TERM
echo "machine $(uname -m)"
echo "kernel $(uname -r)"
# The fourth word is what is free, in KiB.
set -- $(df -Pk "$folder" 2>/dev/null | tail -n 1)
echo "free-kib ${4:-0}"
# How the command ended is unknown where its guard was killed.
if [ -f "$folder/guard" ] && [ ! -f "$folder/status" ] && ! runs guard && ! runs command; then
  echo unguarded >"$folder/status"
fi
if [ -f "$folder/status" ]; then echo "ended $(cat "$folder/status")"; fi
echo "folder $folder"
while read -r word; do
  case $word in
    beat) : >"$folder/beat" ;;
    interrupt) : >"$folder/interrupt" ;;
    keep) exit 0 ;;
    remove) if removed; then echo removed; fi; exit 0 ;;
  esac
done 2>/dev/null
# The connection is gone. Without a guard there is nothing to wait for.
[ -f "$folder/guard" ] || { rm -rf "$folder"; exit 0; }
# A guard that still runs knows by the missing beats, and tidies. One that has ended does not: its results wait here, once the
# command has ended too. In the background, because the client waits for this script's end. Whoever comes back for them beats,
# and the time begins anew.
{
  left=$kept beat=$folder/beat seen=$folder/seen.$$ exact=
  while [ -f "$folder/guard" ] && [ "$left" -gt 0 ]; do
    # The board's clock may be set back: another time is a beat, not a later one alone.
    if [ ! -f "$seen" ] || [ "$beat" -nt "$seen" ] || { [ "$exact" ] && [ "$beat" -ot "$seen" ]; }; then
      # Where touch cannot copy the last beat's time, as exactly as it is compared, only a later beat is one.
      exact=
      if touch -r "$beat" "$seen" && ! [ "$beat" -nt "$seen" ] && ! [ "$beat" -ot "$seen" ]; then exact=yes; else : >"$seen"; fi
      left=$kept
    fi
    if [ -f "$folder/status" ] || { ! runs guard && ! runs command; }; then left=$((left - 1)); fi
    sleep 1
  done
  rm -rf "$folder"
} </dev/null >/dev/null 2>&1 &
