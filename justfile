# Everything that is checked before a change lands. `just ci` is what the server runs.

libraries := "sched-model slot-window batch-dp joint-plan live-broker grid-heuristics auction-assign workload-gen grid-sim econsched econsched-studies"

# List the recipes.
default:
    @just --list

# The tests, as the README gives them.
test:
    cargo test --workspace

# The tests with every feature.
test-features:
    cargo test --workspace --all-features

# The program's tests that are too long for every day.
test-long:
    cargo test -p econsched-cli -- --include-ignored

# Compares the tables of docs/papers and the verdicts of docs/record with what the program gives; some ten minutes and more.
# `just papers write` writes what differs into them; `--only yadav` takes the commands with this word.
papers action="check" *flags:
    cargo build --quiet --release -p econsched-cli
    python3 scripts/papers.py {{action}} --program "${CARGO_TARGET_DIR:-target}/release/econsched" {{flags}}

format:
    cargo fmt --all --check

# All targets together, benches too, then each library alone with each of its features, and the program as it is built by
# default: last, for what is checked as a dependency is not linted, nor is it later.
lint:
    #!/usr/bin/env bash
    set -euo pipefail
    cargo clippy --workspace --all-targets --all-features -- -D warnings
    for crate in {{libraries}}; do
        cargo clippy --quiet --no-deps -p "$crate" --no-default-features -- -D warnings
        features=$(cargo metadata --format-version 1 --no-deps | python3 -c "import json, sys; print(' '.join(f for p in json.load(sys.stdin)['packages'] if p['name'] == '$crate' for f in p['features'] if f != 'default'))")
        for feature in $features; do
            cargo clippy --quiet --no-deps -p "$crate" --no-default-features --features "$feature" -- -D warnings
        done
    done
    cargo clippy --no-deps -p econsched-cli --all-targets -- -D warnings

# No number of ours depends on the platform's mathematics: outside of tests only `sched_model::internal` is called.
elementary:
    #!/usr/bin/env bash
    set -euo pipefail
    for file in $(git ls-files 'crates/*/src/*.rs' 'crates/*/examples/*.rs'); do
        awk -v file="$file" '
            /^#\[cfg\(test\)\]/ { exit }
            /^ *\/\// { next }
            /\.(exp|exp2|exp_m1|ln|ln_1p|log2|log10|powf|sin|cos|tan|sin_cos|asin|acos|atan|atan2|sinh|cosh|tanh|cbrt|hypot)\(/ {
                print file ":" NR ": " $0; found = 1
            }
            END { exit found }' "$file"
    done

# What the recipes below run, for development: the programs and the examples. The whole workspace at once, so that it is what
# `just test` built; a single package would have features of its own, and be built again with all that it needs.
programs:
    cargo build --quiet --workspace --bins --examples

# The program built for development and for release writes the same bytes. By hand before a release.
same-bytes: programs
    #!/usr/bin/env bash
    set -euo pipefail
    cargo build --quiet --release -p econsched-cli
    target=${CARGO_TARGET_DIR:-target}
    directory=$(mktemp -d)
    trap 'rm -rf "$directory"' EXIT
    for profile in debug release; do
        run() { "$target/$profile/econsched" "$@" > "$directory/$profile.$((++count))" 2> /dev/null; }
        count=0
        run plan
        run generate log --set jobs=500 --seed 7
        run generate etc --seed 7
        run simulate --workload hicc --scheduler min-ctt --jobs 300 --seed 7
        run simulate --workload louc --scheduler blind-greedy --jobs 300 --seed 7
        run multi-s-grid --jobs 100 --seed 7
        run study garg2009 --set seeds=2 --set jobs=100
        run study multi-s-grid --set seeds=2
    done
    for file in "$directory"/debug.*; do
        cmp "$file" "$directory/release.${file##*.}"
    done

# The facade links to pages of published documentation, since a crate may be off: each is one that is built here.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features
    for page in $(grep -o 'docs.rs/[a-z-]*/latest/.*html' crates/econsched/src/lib.rs | cut -d/ -f4-); do test -f "${CARGO_TARGET_DIR:-target}/doc/$page" || { echo "no page $page"; exit 1; }; done

# That no link is dead in the documentation of a library with one feature at a time; by hand before a release.
docs-features:
    #!/usr/bin/env bash
    set -euo pipefail
    export RUSTDOCFLAGS="-D warnings" CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/docs-features
    for crate in {{libraries}}; do
        features=$(cargo metadata --format-version 1 --no-deps | python3 -c "import json, sys; print(' '.join(f for p in json.load(sys.stdin)['packages'] if p['name'] == '$crate' for f in p['features'] if f != 'default'))")
        for feature in "" $features; do
            echo "== $crate: ${feature:-no feature}"
            cargo doc --quiet -p "$crate" --no-deps --no-default-features --features "$feature"
        done
    done

# Ratios of the benches to docs/record/bench.csv, by group; half an hour. After a change of the benches: `bench.py record`.
bench-ratios:
    nice cargo bench -p econsched-benches --bench '*' -- --warm-up-time 0.3 --measurement-time 0.5 --sample-size 10
    python3 scripts/bench.py compare docs/record/bench.csv

# Ratios of the instructions of the main kernels to docs/record/instructions.csv; needs valgrind.
instructions:
    cargo build --quiet --profile bench -p econsched-benches --bin kernels
    python3 scripts/instructions.py compare docs/record/instructions.csv "${CARGO_TARGET_DIR:-target}/release/kernels"

# Every example program, and the program itself on its embedded input.
examples: programs
    #!/usr/bin/env bash
    set -euo pipefail
    target=${CARGO_TARGET_DIR:-target}
    for file in crates/*/examples/*.rs; do
        echo "== $file"
        "$target/debug/examples/$(basename "$file" .rs)" > /dev/null
    done
    echo "== guide: unit tests, a bench, a sweep in shares"
    cargo test --quiet --workspace --example unit_tests > /dev/null
    cargo bench --quiet --profile dev --workspace --bench guide -- --test > /dev/null
    bash docs/guide/programs/sweep.sh "$target/debug/econsched"
    echo "== econsched"
    "$target/debug/econsched"

# The guide as a book, in target/book; needs mdbook 0.5 (`cargo install --locked mdbook`).
book:
    mdbook build docs/guide

# The pictures of guide and README, drawn by the program; that of the plan is what its report.html saves.
pictures:
    #!/usr/bin/env bash
    set -euo pipefail
    cargo build --quiet --release -p econsched-cli
    program=${CARGO_TARGET_DIR:-target}/release/econsched
    directory=$(mktemp -d)
    trap 'rm -rf "$directory"' EXIT
    "$program" plan --front --out "$directory/front" > /dev/null
    "$program" sweep docs/guide/programs/sweep.toml --out "$directory/sweep" > /dev/null
    cp "$directory/front/front.svg" docs/guide/src/pictures/front.svg
    cp "$directory/sweep/mean_wait.svg" docs/guide/src/pictures/waits.svg

# Licences, sources, bans and the layering of the crates.
deny:
    cargo deny check licenses sources bans

# Known weaknesses of dependencies, where their list can be reached.
advisories:
    #!/usr/bin/env bash
    set -euo pipefail
    if timeout 20 git ls-remote --exit-code https://github.com/rustsec/advisory-db HEAD > /dev/null 2>&1; then
        cargo deny check advisories
    else
        echo "advisories: skipped, the list of advisories cannot be reached"
    fi

# Generated cases against every parser and every registered algorithm: some twenty seconds. What ever failed is
# among the tests.
attack: programs
    "${CARGO_TARGET_DIR:-target}/debug/econsched-fuzz" run --cases 100 --seed 1 --limit 10

# The same by hand, for as long as you like: `just attack-long 100000 7`.
attack-long cases="20000" seed="1": programs
    nice -n 19 "${CARGO_TARGET_DIR:-target}/debug/econsched-fuzz" run --cases {{cases}} --seed {{seed}}

# Does a test go red when the code is changed? By cargo-mutants 27.1.0, by hand: `just mutants sched-model exact`.
mutants crate file *flags:
    cargo mutants --package {{crate}} --file '**/{{file}}*' --test-package {{crate}} --baseline skip --timeout 120 \
        --no-shuffle --output target/mutants {{flags}}

# That no modules import in a circle.
circles:
    python3 scripts/module-circles.py

# No long files or comment lines, no marks of merges, no paths of one machine, no dead paths in the documents.
tidy:
    python3 scripts/tidy.py

# That everything can be packed as it would be published; `just publish-dry-run` builds from the packages, too.
package:
    cargo package --workspace --exclude econsched-benches --exclude econsched-fuzz --exclude econsched-server --allow-dirty --quiet --no-verify

# Whether the libraries keep what they promised since a commit or tag, by cargo-semver-checks; by hand before a release:
# `just semver v0.1.0`. Needs `cargo install --locked cargo-semver-checks`.
semver since:
    #!/usr/bin/env bash
    set -euo pipefail
    for crate in {{libraries}}; do
        echo "== $crate"
        cargo semver-checks --package "$crate" --baseline-rev {{since}} --all-features
    done

# The libraries and their studies on the least Rust that Cargo.toml declares; needs `rustup toolchain install 1.88`.
least-rust:
    #!/usr/bin/env bash
    set -euo pipefail
    directory=$(mktemp -d)
    trap 'rm -rf "$directory"' EXIT
    git archive HEAD | tar -x -C "$directory"
    cd "$directory"
    CARGO_TARGET_DIR=$directory/target cargo +1.88 check -p econsched --all-features -p econsched-studies

# What publishing would say, without doing it.
publish-dry-run:
    cargo publish --workspace --exclude econsched-benches --exclude econsched-fuzz --exclude econsched-server --dry-run --allow-dirty

# A project outside of the repository: the facade with one feature at a time, and the guide's programs as they stand.
outside:
    bash scripts/outside.sh

# All of it.
ci:
    bash .ci/run
