#!/bin/sh
# Copies from the root that it runs in what the image needs, and no more, to the folder that is its argument.
#
# Programs with the libraries that they load, the models that bgpd reads, users, and for everything that comes from a
# Debian package its licence and its entry for scanners of known vulnerabilities. Nothing of Herald itself: this is the
# large part of the image, and it changes only with Debian and Node.
set -eu

root=$1
uid=65532
programs="/usr/bin/node /usr/lib/frr/bgpd /usr/bin/vtysh"
files="/etc/frr/vtysh.conf /etc/nsswitch.conf /usr/share/yang /usr/share/common-licenses"

# /lib and /lib64 are links into /usr in Debian; the image has the same links.
under_usr() {
  case $1 in
    /lib/* | /lib64/*) echo "/usr$1" ;;
    *) echo "$1" ;;
  esac
}

copy() {
  to=$root$(under_usr "$1")
  mkdir -p "$(dirname "$to")"
  cp --recursive --dereference --preserve=mode,timestamps "$1" "$to"
}

owner_of() {
  real=$(realpath "$1")
  for path in "$real" "${real#/usr}" "$1"; do
    if found=$(dpkg-query --search "$path" 2>/dev/null); then
      echo "${found%%:*}"
      return
    fi
  done
}

libraries() {
  for program in $programs; do
    ldd "$program" | sed -n -e 's/.*=> \(\/[^ ]*\) .*/\1/p' -e 's/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p'
  done | sort -u
}

document() {
  package=$1
  mkdir -p "$root/usr/share/doc/$package" "$root/var/lib/dpkg/status.d"
  cp --dereference "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/"
  dpkg-query --status "$package" > "$root/var/lib/dpkg/status.d/$package"
}

for link in bin lib lib64 sbin; do
  mkdir -p "$root/usr/$link"
  ln -s "usr/$link" "$root/$link"
done
mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/etc" "$root/usr/share/doc"
install -d -m 1777 "$root/tmp"

copied=$(libraries)
for path in $programs $copied $files /etc/os-release; do
  copy "$path"
done
for path in $programs $copied /etc/os-release; do
  owner_of "$path"
done | sort -u | while read -r package; do
  document "$package"
done

# bgpd wants to know its usual user and group, even where it does not change to them.
{
  grep -E '^(root|frr):' /etc/passwd
  echo "herald:x:$uid:$uid:Herald:/run/herald:/usr/sbin/nologin"
} > "$root/etc/passwd"
{
  grep -E '^(root|frr|frrvty):' /etc/group
  echo "herald:x:$uid:"
} > "$root/etc/group"

# What the containers write to, for those who run them without volumes.
install -d /writable /writable/vty /writable/frr /writable/state "$root/run/herald"
# bgpd asks for these at its start; on a read-only root it could not make them.
install -d "$root/run/frr" "$root/var/lib/frr"
