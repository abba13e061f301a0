//! The `econsched` program.

fn main() -> std::process::ExitCode {
    econsched_cli::main()
}
