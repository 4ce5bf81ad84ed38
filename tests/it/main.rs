//! One binary for all integration tests.

mod tidy;
mod wire;
