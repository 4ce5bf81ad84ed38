//! The binary: parses the command line, runs it, and ends with its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    onced::cli::main(std::env::args_os()).into()
}
