# Everything that is checked before a change lands. `just ci` is what the server runs.

libraries := "sched-model slot-window batch-dp grid-heuristics auction-assign workload-gen grid-sim econsched econsched-studies"

# List the recipes.
default:
    @just --list

# The tests, as the README gives them.
test:
    cargo test --workspace

# The tests with every feature.
test-features:
    cargo test --workspace --all-features

format:
    cargo fmt --all --check

# All targets together, then each library alone with each of its features.
lint:
    #!/usr/bin/env bash
    set -euo pipefail
    cargo clippy --workspace --all-targets --all-features -- -D warnings
    for crate in {{libraries}}; do
        cargo clippy --quiet -p "$crate" --no-default-features -- -D warnings
        features=$(cargo metadata --format-version 1 --no-deps | python3 -c "import json, sys; print(' '.join(f for p in json.load(sys.stdin)['packages'] if p['name'] == '$crate' for f in p['features'] if f != 'default'))")
        for feature in $features; do
            cargo clippy --quiet -p "$crate" --no-default-features --features "$feature" -- -D warnings
        done
    done

docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features

# That the benches compile; `cargo bench -p econsched-benches` runs them, optimised further.
benches:
    CARGO_PROFILE_BENCH_LTO=off CARGO_PROFILE_BENCH_CODEGEN_UNITS=16 cargo bench -p econsched-benches --no-run

# Every example program, and the program itself on its embedded input.
examples:
    #!/usr/bin/env bash
    set -euo pipefail
    for crate in {{libraries}}; do
        for file in crates/"$crate"/examples/*.rs; do
            [ -e "$file" ] || continue
            echo "== $crate: $(basename "$file" .rs)"
            cargo run --quiet -p "$crate" --all-features --example "$(basename "$file" .rs)" > /dev/null
        done
    done
    echo "== econsched"
    cargo run --quiet --release

# Licences, sources, bans and the layering of the crates.
deny:
    cargo deny check licenses sources bans

# What would be published, built from its packages. Cargo keeps unpacked packages by the path of the directory that they
# were made in, and takes them for those of a later run; so each run has a directory of its own.
package:
    #!/usr/bin/env bash
    set -euo pipefail
    directory=$(mktemp -d)
    trap 'rm -rf "$directory"' EXIT
    cargo package --workspace --exclude econsched-benches --allow-dirty --quiet --target-dir "$directory"

# All of it.
ci:
    bash .ci/run
