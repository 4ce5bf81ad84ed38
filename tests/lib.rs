//! The harness of the black-box tests.

pub mod broken;
