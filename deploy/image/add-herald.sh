#!/bin/sh
# Adds Herald to the root folder that assemble-root.sh made ($1), and copies what it added to a folder of its own ($2).
#
# With that root as root and its user as user everything is loaded once, so that its compiled code is in the image: it is
# looked up by the path of the file and by the user, so it is made as the container will ask for it.
set -eu

root=$1
added=$2
uid=65532
cache=/usr/lib/herald/compile-cache

mkdir -p "$added/usr/bin" "$added/usr/lib/herald" "$added/usr/share/doc/herald"
cp /out/*.mjs /out/*.mjs.map "$added/usr/lib/herald/"
cp -r /out/licences/. "$added/usr/share/doc/herald/"
ln -s ../lib/herald/herald.mjs "$added/usr/bin/herald"
cp -a "$added/." "$root/"

install -d -o "$uid" -g "$uid" "$root$cache"
in_root() {
  NODE_COMPILE_CACHE=$cache chroot --userspec="$uid:$uid" "$root" "$@"
}
cp /out/example.yaml "$root/tmp/"
in_root /usr/bin/herald plan /tmp/example.yaml > /dev/null
# The parts of the other commands: they only define things when they are imported.
in_root /usr/bin/node --input-type=module --eval "
  import { readdirSync } from 'node:fs';
  for (const name of readdirSync('/usr/lib/herald')) {
    if (/^part-.*[.]mjs$/.test(name)) await import('/usr/lib/herald/' + name);
  }"
cp -r "$root$cache" "$added$cache"
chown -R root:root "$added"
chmod -R a+rX "$added"
