#!/usr/bin/env bash
# Tries the README's promise on a machine that has only git: makes a minimal Debian with debootstrap in a folder, clones
# this repository (its last commit) into it, and runs ./dev there in a chroot. Needs root and the debootstrap package.
#
#   sudo tools/dev/clean_root.sh --root DIR [options] [-- COMMAND...]
#
#   --root DIR          where the system goes; made when it is not there, kept afterwards
#   --fresh             remove DIR first (what an earlier run of this script left there)
#   --suite NAME        bookworm (default), or noble with --mirror of an Ubuntu archive
#   --mirror URL        default http://deb.debian.org/debian
#   --copy FILE         copy a file of this machine to the same path inside: certificates, /etc/pip.conf, apt settings
#                       (may be given again)
#   --env NAME=VALUE    environment inside (may be given again), such as a proxy
#   -- COMMAND...       what to run in the clone; default: ./dev demo twice, then .ci/run
#
# Every step's seconds are printed, and the exit code is that of the first command that failed.
set -euo pipefail

root= suite=bookworm mirror=http://deb.debian.org/debian fresh=0
copies=() environment=() command=()
usage() { sed -n '2,/^set -e/p' "$0" | sed '$d; s/^# \{0,1\}//'; }
while [ $# -gt 0 ]; do
  case "$1" in
    --root) root="$2"; shift 2 ;;
    --suite) suite="$2"; shift 2 ;;
    --mirror) mirror="$2"; shift 2 ;;
    --copy) copies+=("$2"); shift 2 ;;
    --env) environment+=("$2"); shift 2 ;;
    --fresh) fresh=1; shift ;;
    --help|-h) usage; exit 0 ;;
    --) shift; command=("$@"); break ;;
    *) echo "unknown option $1" >&2; usage >&2; exit 2 ;;
  esac
done
[ -n "$root" ] || { usage >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "chroot and debootstrap need root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "missing: apt-get install -y debootstrap" >&2; exit 1; }
repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)"
case "$root" in /*) ;; *) root="$PWD/$root" ;; esac
marker="$root/.made-by-clean-root"

unmount() { mountpoint -q "$root/proc" 2>/dev/null && umount "$root/proc" || true; }
trap unmount EXIT

if [ "$fresh" = 1 ] && [ -e "$root" ]; then
  # Only what this script made: a mistyped --root must not empty a folder.
  [ -e "$marker" ] || { echo "$root was not made by this script; not removing it" >&2; exit 1; }
  unmount
  rm -rf --one-file-system "$root"
fi
timed() {  # NAME COMMAND...
  local name="$1" begun=$SECONDS code=0
  shift
  "$@" || code=$?
  echo "=== $name: $((SECONDS - begun)) s, exit $code"
  return $code
}

if [ ! -e "$marker" ]; then
  mkdir -p "$root"
  timed "debootstrap $suite" debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -n 20 "$root.log" >&2; exit 1; }
  touch "$marker"
fi
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
for file in ${copies[@]+"${copies[@]}"}; do
  mkdir -p "$root/$(dirname "$file")"
  cp -L "$file" "$root/$file"
done

clone="$root/opt/kumihimo"
if [ -d "$clone/.git" ]; then
  git -C "$clone" fetch -q "$repository" HEAD && git -C "$clone" checkout -q --detach FETCH_HEAD
else
  git clone -q --no-hardlinks "$repository" "$clone"
fi
echo "=== commit $(git -C "$clone" log -1 --format='%h %s'), packages inside: $(chroot "$root" dpkg-query -W | wc -l)"

inside() {
  chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    ${environment[@]+"${environment[@]}"} sh -c 'cd /opt/kumihimo && exec "$@"' sh "$@" </dev/null
}
if [ ${#command[@]} -gt 0 ]; then
  timed "${command[*]}" inside "${command[@]}"
else
  timed "./dev demo, first time" inside ./dev demo
  timed "./dev demo, second time" inside ./dev demo
  timed ".ci/run" inside env CI=true bash .ci/run
fi
