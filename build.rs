//! Compiles `proto/` to Rust without protoc, and keeps the descriptor set for reflection.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message;

const FILES: [&str; 9] = [
    "onced/v1/intent.proto",
    "onced/v1/claim.proto",
    "onced/v1/reconciliation.proto",
    "onced/v1/policy.proto",
    "onced/v1/error.proto",
    "onced/provider/v1/provider.proto",
    "onced/admin/v1/admin.proto",
    "onced/store/v1/record.proto",
    // The details of refusals, so that reflection can show them to people.
    "google/rpc/error_details.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let descriptors = protox::compile(FILES, ["proto"])?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?).join("descriptors.binpb");
    fs::write(out, descriptors.encode_to_vec())?;
    tonic_prost_build::configure()
        .bytes(".")
        .generate_default_stubs(true)
        .extern_path(".google.rpc.Status", "::tonic_types::Status")
        .compile_fds(descriptors)?;
    Ok(())
}
