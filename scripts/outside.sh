#!/usr/bin/env bash
# A project outside of the repository, as a stranger has it: adds the facade by its path with one feature at a time, then
# runs the programs of the guide as they stand.
set -euo pipefail
facade=$(realpath "$(dirname "$0")/../crates/econsched")
features=$(sed -n '/^\[features\]/,/^\[/p' "$facade/Cargo.toml" | sed -n 's/^\([a-z-]*\) = .*/\1/p')
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
export CARGO_TARGET_DIR=${OUTSIDE_TARGET_DIR:-$directory/target}
cp "$facade/../../Cargo.lock" .

project() {
    cat > Cargo.toml << END
[package]
name = "outside"
version = "0.0.0"
edition = "2024"

[dependencies]
econsched = { path = "$facade", default-features = false, features = [$1] }

[dev-dependencies]
ndarray = { version = "0.17", default-features = false, features = ["std"] }

[profile.dev]
opt-level = 1
debug = $([ "${CARGO_PROFILE_DEV_DEBUG:-}" = 0 ] && echo 0 || echo '"line-tables-only"')

[profile.dev.package."*"]
opt-level = 2
debug = false
END
}

mkdir -p src examples
echo 'pub use econsched::prelude::*; pub fn start() -> Time { Time::ZERO }' > src/lib.rs
for feature in "" $features; do
    echo "== one feature: ${feature:-none}"
    project "${feature:+\"$feature\"}"
    cargo check --quiet
done

project '"full"'
for program in live_core spot_broker assign_with_proof custom_search least_energy_window own_heuristic own_policy unit_tests sweep_shards; do
    echo "== program: $program"
    cp "$facade/examples/$program.rs" examples/
    cargo run --quiet --example "$program" > /dev/null
done
