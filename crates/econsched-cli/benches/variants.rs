//! Every registered algorithm, quality beside time: the table of `econsched bench`. `cargo bench -- mapping`
//! runs a part.

fn main() -> std::process::ExitCode {
    econsched_cli::bench()
}
