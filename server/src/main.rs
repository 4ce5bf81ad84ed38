//! The binary: parses the command line, runs it, and ends with its exit code.

use std::process::ExitCode;

// A ruling makes and frees many small blocks, on several threads: docs/performance.md.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    onced::cli::main(std::env::args_os()).into()
}
