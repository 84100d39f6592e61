#!/bin/sh
# What must hold: the tags have no mistakes, every level plays, and the world follows from its inputs alone.
set -e
cd "$(dirname "$0")"
program=${ASTRARIUM:-astrarium}
"$program" tag check
for level in tags/levels/*; do
    level=$(basename "$level")
    "$program" play . --headless --level "${level%.*}" --cycles 1000 --no-film
done
"$program" prove . --cycles 60
