//! One binary for all integration tests.

mod conformance;
mod tidy;
mod wire;
