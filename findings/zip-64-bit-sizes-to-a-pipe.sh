#!/bin/sh
# Debian's zip 3.0-13+deb12u1: with --force-zip64 it writes archives to a pipe that no program can read.
# Expected: `zip -fz - folder | cat` gives an archive with sizes of 64 bits, as it does into a file, and as it gives one
# with sizes of 32 bits through a pipe without -fz.
# Seen: the directory at its end gives wrong places. Debian's unzip 6.0-28+deb12u1 misses 4,294,9… bytes and ends with
# "invalid zip file with overlapped components (possible zip bomb)", Python's zipfile with OSError; yauzl, which Potager
# reads archives with, with "unexpected EOF". Without -fz, and into a file, all is well: people who stream large archives
# leave -fz to zip itself, or write a file first.
# Needs apt-get and dpkg. Exits with 1 if this changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq zip=3.0-13+deb12u1 unzip=6.0-28+deb12u1 2>/dev/null
for package in *.deb; do dpkg -x "$package" .; done
mkdir garden
seq 20000 >garden/numbers.txt
echo '{}' >garden/export.json
seen=''
for options in -r '-r -fz'; do
  # shellcheck disable=SC2086
  usr/bin/zip -q $options - garden | cat >pipe.zip
  # shellcheck disable=SC2086
  usr/bin/zip -q $options file.zip garden
  for archive in pipe file; do
    if usr/bin/unzip -tq $archive.zip >out.txt 2>&1; then result=whole; else result=$(grep -o 'overlapped' out.txt); fi
    seen="$seen ($options, $archive) $result"
  done
  rm file.zip
done
echo "zip 3.0-13+deb12u1:$seen"
[ "$seen" = ' (-r, pipe) whole (-r, file) whole (-r -fz, pipe) overlapped (-r -fz, file) whole' ]
