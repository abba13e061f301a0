#!/usr/bin/env bash
# A sweep in three shares, as three machines would compute them, and at once: the results are the same bytes.
# sweep.sh PROGRAM: the path of the program `econsched`.
set -euo pipefail
program=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT

for share in 1/3 2/3 3/3; do # on a cluster: one task of an array each
    "$program" sweep "$here/sweep.toml" --shard "$share" --out parts > /dev/null
done
"$program" sweep "$here/sweep.toml" --out parts > /dev/null # puts them together

"$program" sweep "$here/sweep.toml" --out whole > /dev/null
for file in runs.csv means.csv differences.csv; do
    cmp "parts/$file" "whole/$file"
done
