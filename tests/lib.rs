//! The harness of the black-box tests: servers to call, in this process or as the real binary, and
//! calls to make.
//!
//! Knows nothing that a caller could not know, but for the store that a server stands on.
#![expect(clippy::missing_panics_doc, reason = "what fails here fails the test")]

pub mod broken;
pub mod harness;
